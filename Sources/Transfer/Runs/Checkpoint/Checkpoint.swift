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

    init(_ checkpoint: Checkpoint) {
      (collections, journal) = (checkpoint.collections, checkpoint.journal)
      (lists, position) = (checkpoint.lists, checkpoint.position)
    }
  }

  /// A range of bytes.
  private struct Part: Codable, Equatable {
    var from: Int
    var to: Int
  }

  /// How the current stage began; nil for the first one.
  var beginning: Beginning?
  /// The document counts so far.
  package var collections: [RunSummary.Collection] = []
  /// The length of the journal in bytes.
  package var journal = 0
  /// The lengths of the run's lists in bytes, by file name.
  ///
  /// Anything beyond them belongs to documents that will be read again.
  package var lists: [String: Int] = [:]
  /// As ``State/position``; everything before it is settled.
  package var position: NestedRecord?
  /// As ``State/stage``.
  package var stage: Int
  private var parts: [Part] = []

  private enum CodingKeys: String, CodingKey {
    case beginning, collections, journal, lists, position, stage
    case parts = "tail"
  }

  /// Creates the checkpoint of a run that has not done anything yet.
  init(at state: State) { (stage, position) = (state.stage, state.position) }

  /// The ranges of the journal tail of an interrupted run, in bytes.
  ///
  /// Changes of documents that later lines mention have been counted.
  package var tail: [Range<Int>] {
    get { parts.map { $0.from..<$0.to } }
    set { parts = newValue.map { Part(from: $0.lowerBound, to: $0.upperBound) } }
  }

  /// Checks that no range ends before it starts.
  package func validate() throws(WireError) {
    for part in parts where part.from > part.to {
      throw WireError("tail goes from \(part.from) to \(part.to)")
    }
  }

  /// The checkpoint with which the current stage began, for reading that stage again; nil for the first one.
  ///
  /// Earlier stages are not read again: they would meet what later ones wrote.
  var atBeginning: Checkpoint? {
    if stage == 0 { return nil }
    var checkpoint = self
    // Earlier versions did not record it.
    guard let beginning else { return checkpoint }
    (checkpoint.collections, checkpoint.journal) = (beginning.collections, beginning.journal)
    (checkpoint.lists, checkpoint.position) = (beginning.lists, beginning.position)
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
      return try position?.decoded(as: P.self)
    } catch {
      throw Failure(.inputMalformed, "resume from", path: "checkpoint.json", cause: "position: \(error)")
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
