package import FirestoreREST
import Schema

/// `_gymmigrate_times/RUN`: the collections in which a run writes documents whose time of last change is not that of the write,
/// as an undo and a copy do.
///
/// Increments and mirrors find what changed by that time, so they read these collections whole (``SetBackCollections``). The
/// record is written before the first such document, again every minute while the run writes, and at its end.
package actor SetBackTimes {
  static let collection = CollectionPath(nil, "_gymmigrate_times")
  static let collectionsField = FieldPath(field: "collections")
  static let changedAt = FieldPath(field: "changedAt")
  /// Whether the run may still write.
  static let isOpen = FieldPath(field: "isOpen")
  /// Seconds after which the record is renewed.
  static let renewal = 60.0
  /// Collections that a record names at most; one of more stands for all.
  static let maximumCollections = 1000
  /// What stands for all collections.
  static let all = "*"

  private let client: FirestoreClient
  private let schema: DatabaseSchema
  private let run: String
  /// The service's time before the first write; nil where it is not known.
  private let began: Timestamp?
  private let clock = RunClock.system
  /// The patterns of the collections that are recorded.
  private var recorded: Set<CollectionPath> = []
  private var recordedAt = 0.0
  /// The latest recording, which all commits wait for.
  private var recording: Task<Void, any Error>?

  package init(in context: RunContext) {
    client = context.client
    schema = context.schema
    run = context.folder.id
    began = context.journal?.serverTime
  }

  /// Records the collections of writes that are about to be sent and that set times back.
  ///
  /// - Throws: ``Failure`` where the record cannot be written; nothing may be sent then.
  package func willWrite(_ writes: [Write]) async throws(Failure) {
    var isNew = false
    var last: CollectionPath?
    for write in writes where recorded.count <= Self.maximumCollections {
      if let last, write.path.isIn(last) { continue }
      let pattern = write.path.collection.pattern
      if recorded.contains(pattern) {
        last = write.path.collection
      } else if setsBack(write, pattern) {
        recorded.insert(pattern)
        isNew = true
      }
    }
    if isNew || (!recorded.isEmpty && clock.now() - recordedAt >= Self.renewal) { record(isOpen: true) }
    try await wait()
  }

  /// Records the end of the writing, if anything was recorded.
  ///
  /// - Throws: ``Failure``.
  package func end() async throws(Failure) {
    if !recorded.isEmpty { record(isOpen: false) }
    try await wait()
  }

  /// Whether a write leaves a document whose time of last change is before the run.
  ///
  /// A schema that declares none hides nothing from an increment or a mirror that has another schema, or none.
  private func setsBack(_ write: Write, _ pattern: CollectionPath) -> Bool {
    let field = schema.changeTime(of: pattern) ?? DatabaseSchema.usualChangeTime
    if write.operation == .delete || write.transforms.contains(where: { $0.field == field }) { return false }
    guard let began, case .update(let fields, _) = write.operation, let time = fields[field]?.timestamp
    else { return true }
    return time < began
  }

  private func record(isOpen: Bool) {
    recordedAt = clock.now()
    let names = recorded.count > Self.maximumCollections ? [Self.all] : recorded.sorted().map(\.string)
    // Appended, because an earlier process of the run may have recorded others; and its last write may come late.
    let write = Write(
      path: DocumentPath(Self.collection, run),
      operation: .update(fields: ["isOpen": .boolean(isOpen)], mask: [Self.isOpen]),
      transforms: [
        FieldTransform(Self.collectionsField, .appendMissingElements(names.map { .string($0) })),
        FieldTransform(Self.changedAt, .requestTime),
      ]
    )
    recording = Task { [client, recording, write] in
      try await recording?.value
      var write = write
      for _ in 0..<3 {
        // What is appended depends on nothing in it, so any writes of others may come between.
        write.precondition = .exists(try await client.get(write.path).document != nil)
        if case .written = try await client.perform(write) { return }
      }
      throw Self.failure("the service did not take it")
    }
  }

  private func wait() async throws(Failure) {
    guard let recording else { return }
    do {
      try await withTaskCancellationHandler {
        try await recording.value
      } onCancel: {
        recording.cancel()
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Self.failure("\(error)")
    }
  }

  private static func failure(_ cause: String) -> Failure {
    Failure(
      .unavailable,
      "record that times of last change are set back",
      path: collection.string,
      cause: cause
    )
  }
}

/// The collections whose times of last change runs have set back, as the database records them.
package struct SetBackCollections: Sendable {
  private struct Entry {
    var run: String
    var collections: [CollectionPath]
    var isAll: Bool
    var isOpen: Bool
    var at: Timestamp
  }

  private let entries: [Entry]

  /// How many seconds older than a moment the record of a run that has not ended may be and still count: its commits may be
  /// that much later.
  private static let slack: Int64 = 300

  /// No record at all.
  package init() { entries = [] }

  /// Reads the records that are not older than the earliest of some moments, by one query; none without a moment.
  ///
  /// - Throws: ``Failure``.
  package init(since moments: [Timestamp], in client: FirestoreClient) async throws {
    var entries: [Entry] = []
    if let earliest = moments.min() {
      var read = CollectionRead(SetBackTimes.collection)
      let time = Self.earliest(for: earliest, isOpen: true)
      read.filter = .field(SetBackTimes.changedAt, .greaterThanOrEqual, .timestamp(time))
      for try await page in client.pages(of: read) { entries += page.compactMap { Self.entry($0) } }
    }
    self.entries = entries
  }

  /// The run that set times of a collection back since a moment of the service; nil where none did.
  package func run(in collection: CollectionPath, since moment: Timestamp) -> String? {
    entries.last { entry in
      entry.at >= Self.earliest(for: moment, isOpen: entry.isOpen)
        && (entry.isAll
          || entry.collections.contains { CollectionSelection.name(collection.pattern.string, means: $0) })
    }?.run
  }

  private static func earliest(for moment: Timestamp, isOpen: Bool) -> Timestamp {
    // The service rounds the time of a record down to milliseconds.
    let nanoseconds = moment.nanoseconds / 1_000_000 * 1_000_000
    return Timestamp(seconds: moment.seconds - (isOpen ? slack : 0), nanoseconds: nanoseconds) ?? moment
  }

  private static func entry(_ document: RawDocument) -> Entry? {
    guard let at = document.fields[SetBackTimes.changedAt]?.timestamp else { return nil }
    let names = (document.fields[SetBackTimes.collectionsField]?.array ?? []).compactMap(\.string)
    return Entry(
      run: document.path.id,
      collections: names.compactMap { CollectionPath($0) },
      isAll: names.contains { $0.isIdentical(to: SetBackTimes.all) },
      isOpen: document.fields[SetBackTimes.isOpen]?.boolean ?? true,
      at: at
    )
  }
}

extension RunContext {
  /// Runs `body` with what records collections whose times of last change are set back, and records its end; after a failure the
  /// run counts as one that may still write.
  package func recordingTimes(_ body: (SetBackTimes) async throws -> Void) async throws {
    let times = SetBackTimes(in: self)
    try await body(times)
    try await times.end()
  }
}
