package import TypedDocuments

/// `checkpoint.json`: the state of a run at a moment when everything that it had sent was settled.
///
/// An operation describes its position in its own type of record, and reads it back when it is resumed:
///
///     struct Position: JSONRecord { var line = 0, documents = 0 }
///     let state = Checkpoint.State(stage: 0, at: position)
///     try await checkpoints.mark(at: state) { try await writer.drain() }
///
///     let position = try checkpoints.resumed?.position(as: Position.self)
package struct Checkpoint: JSONRecord, Equatable {
  /// The position of a run, in terms of its operation.
  package struct State: Sendable, Equatable {
    /// The index of the current stage: the file of an import, the migration of an apply.
    package var stage: Int
    /// How much of the stage is done, in the operation's own type of record; nil if nothing is.
    package var position: NestedRecord?

    package init(stage: Int = 0) { self.stage = stage }

    package init(stage: Int = 0, at position: some JSONRecord) {
      self.stage = stage
      self.position = NestedRecord(position)
    }
  }

  /// A position that consists of the number of completed items.
  package struct Done: JSONRecord {
    package var done: Int

    package init(_ done: Int) { self.done = done }
  }

  /// What a checkpoint had when its stage began.
  struct Beginning: Codable, Sendable, Equatable {
    var collections: [RunSummary.Collection]
    var journal: Int
    var lists: [String: Int]
    var position: NestedRecord?

    private enum CodingKeys: String, CodingKey { case collections, journal, lists, position }

    init(_ checkpoint: Checkpoint) {
      (collections, journal) = (checkpoint.collections, checkpoint.journal)
      (lists, position) = (checkpoint.lists, checkpoint.state.position)
    }
  }

  /// The position; everything before it is settled.
  package var state: State
  /// The document counts so far.
  package var collections: [RunSummary.Collection]
  /// The lengths of the run's lists in bytes, by file name.
  ///
  /// Anything beyond them belongs to documents that will be read again.
  package var lists: [String: Int]
  /// The length of the journal in bytes.
  package var journal: Int
  /// The ranges of the journal tail of an interrupted run, in bytes.
  ///
  /// Changes of documents that later lines mention have been counted.
  package var tail: [Range<Int>]
  /// How the current stage began; nil for the first one.
  var beginning: Beginning?

  /// Creates the checkpoint of a run that has not done anything yet.
  init(at state: State) {
    self.state = state
    collections = []
    lists = [:]
    journal = 0
    tail = []
  }

  /// The checkpoint with which the current stage began, for reading that stage again; nil for the first one.
  ///
  /// Earlier stages are not read again: they would meet what later ones wrote.
  var atBeginning: Checkpoint? {
    if state.stage == 0 { return nil }
    var checkpoint = self
    // Earlier versions did not record it.
    guard let beginning else { return checkpoint }
    (checkpoint.collections, checkpoint.journal) = (beginning.collections, beginning.journal)
    (checkpoint.lists, checkpoint.state.position) = (beginning.lists, beginning.position)
    checkpoint.tail = []
    return checkpoint
  }
}

extension Checkpoint {
  /// Decodes the position as the operation's own type of record; nil if nothing of the stage is done.
  ///
  /// - Throws: `.inputMalformed` if it belongs to another operation or is damaged.
  package func position<P: JSONRecord>(as type: P.Type = P.self) throws(Failure) -> P? {
    do throws(WireError) {
      return try state.position?.decoded(as: P.self)
    } catch {
      throw Failure(.inputMalformed, "resume from", path: "checkpoint.json", cause: "position: \(error)")
    }
  }

  private enum CodingKeys: String, CodingKey {
    case beginning, collections, journal, lists, position, stage, tail
  }

  /// A range as `{"from":…,"to":…}`.
  private struct Tail: Codable {
    var from: Int
    var to: Int
  }

  package func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: CodingKeys.self)
    try json.encodeIfPresent(beginning, forKey: .beginning)
    try json.encode(collections, forKey: .collections)
    try json.encode(journal, forKey: .journal)
    try json.encode(lists, forKey: .lists)
    try json.encodeIfPresent(state.position, forKey: .position)
    try json.encode(state.stage, forKey: .stage)
    try json.encode(tail.map { Tail(from: $0.lowerBound, to: $0.upperBound) }, forKey: .tail)
  }

  /// - Throws: `DecodingError`; ``WireError`` for a range that ends before it starts.
  package init(from decoder: any Decoder) throws {
    let json = try decoder.container(keyedBy: CodingKeys.self)
    state = State(stage: try json.decode(Int.self, forKey: .stage))
    state.position = try json.decodeIfPresent(NestedRecord.self, forKey: .position)
    collections = try json.decodeIfPresent([RunSummary.Collection].self, forKey: .collections) ?? []
    lists = try json.decodeIfPresent([String: Int].self, forKey: .lists) ?? [:]
    journal = try json.decode(Int.self, forKey: .journal)
    beginning = try json.decodeIfPresent(Beginning.self, forKey: .beginning)
    tail = try (json.decodeIfPresent([Tail].self, forKey: .tail) ?? []).map { range in
      if range.from > range.to { throw WireError("tail goes from \(range.from) to \(range.to)") }
      return range.from..<range.to
    }
  }
}

/// Decides when a checkpoint is due.
///
/// A checkpoint waits for the writes in flight, which takes about as long as a commit. So checkpoints are at least a second
/// apart, and take at most a twentieth of the time.
struct CheckpointPace: Sendable {
  /// The minimum number of seconds between two checkpoints.
  static let interval = 1.0
  /// The maximum share of time spent on checkpoints.
  static let share = 0.05

  private var next: Double

  /// Makes the first checkpoint due after one interval.
  init(now: Double) {
    next = now + Self.interval
  }

  /// Whether a checkpoint is due.
  func isDue(at now: Double) -> Bool { now >= next }

  /// Schedules the next checkpoint after one that took from `start` to `end`.
  mutating func checkpointed(from start: Double, to end: Double) {
    next = end + max(Self.interval, (end - start) / Self.share)
  }
}
