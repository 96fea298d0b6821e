package import FirestoreModels
package import FirestoreREST
package import Schema

/// `_gymmigrate_times/RUN`: the collections in which a run writes documents whose time of last change is not that of the write,
/// as an undo and a copy do.
///
/// Increments and mirrors find what changed by that time, so they read these collections whole (``SetBackCollections``). The
/// record is written before the first such document, again every minute while the run writes, and at its end.
package actor SetBackTimes {
  static let collection = CollectionPath(nil, "_gymmigrate_times")
  static let collectionsField = FieldPath(field: "collections")
  static let changedAt = FieldPath(field: "changedAt")
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
  private let clock: RunClock
  /// The collections that are recorded, by their patterns.
  private var recorded: Set<CollectionPath> = []
  /// The collections of which nothing (more) has to be recorded.
  private var settled: Set<CollectionPath> = []
  private var recordedAt = 0.0
  /// The latest recording, which all commits wait for.
  private var recording: Task<Void, any Error>?

  package init(in context: RunContext, clock: RunClock = .system) {
    client = context.client
    schema = context.schema
    run = context.folder.id
    began = context.journal?.serverTime
    self.clock = clock
  }

  /// Records the collections of writes that are about to be sent and that set times back.
  ///
  /// - Throws: ``Failure`` where the record cannot be written; nothing may be sent then.
  package func willWrite(_ writes: [Write]) async throws(Failure) {
    var isNew = false
    var last: CollectionPath?
    for write in writes {
      if let last, write.path.isIn(last) { continue }
      let collection = write.path.collection
      if settled.contains(collection) {
        last = collection
      } else if setsBack(write, collection) {
        settled.insert(collection)
        isNew = recorded.insert(collection.pattern).inserted || isNew
      }
    }
    if isNew || (!recorded.isEmpty && clock.now() - recordedAt >= Self.renewal) { record() }
    try await wait()
  }

  /// Records the end of the writing, if anything was recorded.
  ///
  /// - Throws: ``Failure``.
  package func end() async throws(Failure) {
    if !recorded.isEmpty { record() }
    try await wait()
  }

  /// Whether a write leaves a document whose time of last change is before the run.
  private func setsBack(_ write: Write, _ collection: CollectionPath) -> Bool {
    guard let field = schema.changeTime(of: collection) else {
      settled.insert(collection)
      return false
    }
    if write.operation == .delete || write.transforms.contains(where: { $0.field == field }) { return false }
    guard let began, case .update(let fields, _) = write.operation, let time = fields[field]?.timestamp
    else { return true }
    return time < began
  }

  private func record() {
    recordedAt = clock.now()
    let names = recorded.count > Self.maximumCollections ? [Self.all] : recorded.sorted().map(\.string)
    // Appended, because an earlier process of the run may have recorded others.
    let write = Write(
      path: DocumentPath(Self.collection, run),
      operation: .update(fields: ["runId": .string(run)], mask: [FieldPath(field: "runId")]),
      transforms: [
        FieldTransform(Self.collectionsField, .appendMissingElements(names.map { .string($0) })),
        FieldTransform(Self.changedAt, .requestTime),
      ]
    )
    recording = Task { [client, recording] in
      try await recording?.value
      if case .written = try await client.perform(write) { return }
      throw Self.failure("the service did not take it")
    }
  }

  private func wait() async throws(Failure) {
    do {
      try await recording?.value
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
    var at: Timestamp
  }

  private let entries: [Entry]

  /// How many seconds older than a mark a record may be and still count: a commit may be that much later than the record of
  /// a run that was killed.
  private static let slack: Int64 = 300

  /// No record at all.
  package init() { entries = [] }

  /// Reads the records that are not older than the earliest of some marks, by one query; none without a mark.
  ///
  /// - Throws: ``Failure``.
  package init(since marks: [Timestamp], in client: FirestoreClient, at moment: Timestamp? = nil) async throws
  {
    var entries: [Entry] = []
    if let earliest = marks.min() {
      var read = CollectionRead(SetBackTimes.collection, readTime: moment)
      let time = Self.earliest(for: earliest)
      read.filter = .field(SetBackTimes.changedAt, .greaterThanOrEqual, .timestamp(time))
      for try await page in client.pages(of: read) { entries += page.compactMap { Self.entry($0) } }
    }
    self.entries = entries
  }

  /// The run that set times of a collection back since a mark; nil where none did.
  package func run(in collection: CollectionPath, since mark: Timestamp) -> String? {
    let time = Self.earliest(for: mark)
    return entries.last { entry in
      entry.at >= time
        && (entry.isAll
          || entry.collections.contains { CollectionSelection.name(collection.pattern.string, means: $0) })
    }?.run
  }

  private static func earliest(for mark: Timestamp) -> Timestamp {
    Timestamp(seconds: mark.seconds - slack, nanoseconds: mark.nanoseconds) ?? mark
  }

  private static func entry(_ document: RawDocument) -> Entry? {
    guard let at = document.fields[SetBackTimes.changedAt]?.timestamp else { return nil }
    let names = (document.fields[SetBackTimes.collectionsField]?.array ?? []).compactMap(\.string)
    return Entry(
      run: document.path.id,
      collections: names.compactMap { CollectionPath($0) },
      isAll: names.contains { $0.isIdentical(to: SetBackTimes.all) },
      at: at
    )
  }
}

extension RunContext {
  /// Runs `body` with what records collections whose times of last change are set back, and records its end.
  package func recordingTimes(_ body: (SetBackTimes) async throws -> Void) async throws {
    let times = SetBackTimes(in: self)
    do {
      try await body(times)
    } catch {
      // What ended the run says more; the record was renewed within the last minute.
      try? await Task { try await times.end() }.value
      throw error
    }
    try await times.end()
  }
}
