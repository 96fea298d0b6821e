package import FirestoreREST
import Schema

/// `_gymmigrate_times/RUN`: the collections in which a run writes documents with times of last change other than the
/// present.
///
/// An undo and a copy do that. Increments and mirrors find changes by that time, so they read these collections as a whole
/// (``SetBackCollections``). If the documents have the present in a field other than the usual one, only those do that find
/// changes by another field. The record is written before the first such document, again every minute while the run writes,
/// and at its end.
package actor SetBackTimes {
  static let collection = CollectionPath(nil, "_gymmigrate_times")
  static let collectionsField = FieldPath(field: "collections")
  /// The collections whose documents have the present in a field other than the usual one, each with that field.
  static let datedField = FieldPath(field: "dated")
  static let changedAt = FieldPath(field: "changedAt")
  /// Whether the run may still write.
  static let isOpen = FieldPath(field: "isOpen")
  /// The number of seconds after which the record is renewed.
  static let renewal = 60.0
  /// The maximum number of collections that a record names; if there are more, it applies to all collections.
  static let maximumCollections = 1000
  /// Represents all collections.
  static let all = "*"

  private let client: FirestoreClient
  private let schema: DatabaseSchema
  private let run: String
  /// The service's time before the first write; nil if unknown.
  private let began: Timestamp?
  private let clock = RunClock.system
  private var recorded: Set<Place> = []
  private var recordedAt = 0.0
  /// The latest recording, which all commits wait for.
  private var recording: Task<Void, any Error>?

  struct Place: Hashable {
    /// The pattern.
    var collection: CollectionPath
    /// The field in which the documents have the present; nil if in none.
    var field: FieldPath?
  }

  package init(in context: RunContext) {
    client = context.client
    schema = context.schema
    run = context.folder.id
    began = context.journal?.serverTime
  }

  /// Records the collections of writes that are about to be sent and set times back.
  ///
  /// - Throws: ``Failure`` if the record cannot be written; then nothing may be sent.
  package func willWrite(_ writes: [Write]) async throws(Failure) {
    var isNew = false
    var last: CollectionPath?
    for write in writes where recorded.count <= Self.maximumCollections {
      if let last, write.path.isIn(last) { continue }
      let pattern = write.path.collection.pattern
      if recorded.contains(Place(collection: pattern)) {
        last = write.path.collection
      } else if let place = place(of: write, pattern), recorded.insert(place).inserted {
        isNew = true
      }
    }
    if isNew || (!recorded.isEmpty && clock.now() - recordedAt >= Self.renewal) { record(isOpen: true) }
    try await wait()
  }

  /// Records that the writing has ended, if anything was recorded.
  ///
  /// - Throws: ``Failure``.
  package func end() async throws(Failure) {
    if !recorded.isEmpty { record(isOpen: false) }
    try await wait()
  }

  /// Returns what is to be recorded of a write; nil if nothing.
  ///
  /// An increment or a mirror may have another schema. So the usual field counts if the schema declares no time of last change,
  /// and a time in any other field is recorded.
  private func place(of write: Write, _ pattern: CollectionPath) -> Place? {
    let usual = DatabaseSchema.usualChangeTime
    let field = schema.changeTime(of: pattern) ?? usual
    if write.operation == .delete { return nil }
    guard isPresent(field, in: write) else { return Place(collection: pattern) }
    return field == usual ? nil : Place(collection: pattern, field: field)
  }

  /// Whether a write leaves a document with a time in a field that is not before the run.
  private func isPresent(_ field: FieldPath, in write: Write) -> Bool {
    if write.transforms.contains(where: { $0.field == field }) { return true }
    guard let began, case .update(let fields, _) = write.operation, let time = fields[field]?.timestamp
    else { return false }
    return time >= began
  }

  private func record(isOpen: Bool) {
    recordedAt = clock.now()
    let places =
      recorded.count > Self.maximumCollections
      ? [] : recorded.sorted { $0.collection < $1.collection }
    let names = places.isEmpty ? [Self.all] : places.filter { $0.field == nil }.map(\.collection.string)
    let dated = places.compactMap { place in
      place.field.map { field in
        Value.map(["collection": .string(place.collection.string), "field": .string(field.description)])
      }
    }
    let lists = [(Self.collectionsField, names.map { .string($0) }), (Self.datedField, dated)]
    // Elements are appended, because an earlier process of the run may have recorded others, and its last write may arrive
    // late.
    let write = Write(
      path: DocumentPath(Self.collection, run),
      operation: .update(fields: ["isOpen": .boolean(isOpen)], mask: [Self.isOpen]),
      transforms: lists.filter { !$0.1.isEmpty }.map { FieldTransform($0.0, .appendMissingElements($0.1)) }
        + [FieldTransform(Self.changedAt, .requestTime)]
    )
    recording = Task { [client, recording, write] in
      try await recording?.value
      var write = write
      for _ in 0..<3 {
        // Appending does not depend on the current elements, so writes by others may come in between.
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

/// The collections in which runs have set back times of last change, as recorded in the database.
package struct SetBackCollections: Sendable {
  private struct Entry {
    var run: String
    /// Each with the field in which its documents have the time of the write; nil if in none.
    var places: [(collection: CollectionPath, field: String?)]
    var isAll: Bool
    var isOpen: Bool
    var at: Timestamp
  }

  private let entries: [Entry]

  /// How many seconds before a moment the record of an unfinished run may have been written and still count, because its
  /// commits may be that much later.
  private static let slack: Int64 = 300

  /// Creates an empty set of records.
  package init() { entries = [] }

  /// Reads the records that are not older than the earliest of some moments, in one query; none without a moment.
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

  /// Returns a run that has set back times in a collection since a moment by the service's clock; nil if there is none.
  ///
  /// - Parameter field: The time of last change by which changes are found; nil if by none.
  package func run(in collection: CollectionPath, since moment: Timestamp, by field: FieldPath?) -> String? {
    entries.last { entry in
      entry.at >= Self.earliest(for: moment, isOpen: entry.isOpen)
        && (entry.isAll
          || entry.places.contains { place in
            CollectionSelection.name(collection.pattern.string, means: place.collection)
              && !(place.field.flatMap { field?.description.isIdentical(to: $0) } ?? false)
          })
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
    let dated = (document.fields[SetBackTimes.datedField]?.array ?? []).compactMap(\.map)
    let fields = dated.map { ($0["collection"]?.string ?? "", $0["field"]?.string) }
    return Entry(
      run: document.path.id,
      places: (names.map { ($0, nil) } + fields).compactMap { name, field in
        CollectionPath(name).map { ($0, field) }
      },
      isAll: names.contains { $0.isIdentical(to: SetBackTimes.all) },
      isOpen: document.fields[SetBackTimes.isOpen]?.boolean ?? true,
      at: at
    )
  }
}

extension RunContext {
  /// Runs `body` with a recorder for collections whose times of last change are set back, and records its end.
  ///
  /// After a failure, the run counts as one that may still write.
  package func recordingTimes(_ body: (SetBackTimes) async throws -> Void) async throws {
    let times = SetBackTimes(in: self)
    try await body(times)
    try await times.end()
  }
}
