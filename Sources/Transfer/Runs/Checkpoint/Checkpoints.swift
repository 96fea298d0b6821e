import Files
package import FirestoreREST

/// The journal and the checkpoints of a writing run, which make it resumable.
package final class Checkpoints: Sendable {
  /// The journal, in which every commit is recorded first.
  package let journal: Journal
  /// The checkpoint from which the run resumes; nil for a new run and for one that ended before its first checkpoint.
  package let resumed: Checkpoint?
  private let run: RunDirectory
  private let counts: RunCounts
  private let clock: RunClock
  private let pace: Locked<CheckpointPace>
  private let beginning: Locked<Checkpoint.Beginning?>

  /// A document that is read to learn the service's time; it does not have to exist.
  private static let clockDocument = DocumentPath(CollectionPath(nil, "_gymmigrate"), "lock")

  /// Starts or resumes the run of a directory.
  ///
  /// The lists of a resumed run are truncated to the lengths in its checkpoint, because the remaining documents will be
  /// read again.
  ///
  /// - Parameter counts: The document counts as of the checkpoint.
  /// - Throws: `.cannotWrite`; the errors of reading the service's time.
  package init(
    _ run: RunDirectory,
    client: FirestoreClient,
    counts: RunCounts,
    clock: RunClock
  ) async throws(Failure) {
    self.run = run
    self.counts = counts
    self.clock = clock
    pace = Locked(CheckpointPace(now: clock.now()))
    let path = run.file("journal.jsonl")
    resumed = run.resumption?.checkpoint
    beginning = Locked(resumed?.beginning)
    if let resumption = run.resumption, resumption.head != nil {
      journal = try Journal(path, resuming: resumption)
    } else {
      // The interrupted run had not even written the head.
      try run.cut("journal.jsonl", to: 0)
      journal = try Journal(
        path,
        database: client.database,
        run: run.id,
        serverTime: try await client.get(Self.clockDocument).readTime
      )
    }
    if run.isResumed {
      // Otherwise, if a run that reads a stage again stopped right after truncating the lists, it would resume from the old
      // position.
      var checkpoint = resumed ?? Checkpoint(at: State())
      (checkpoint.journal, checkpoint.tail) = journal.checkpoint
      try run.write(checkpoint)
      for list in run.allLists { try run.cut(list, to: resumed?.lists[list] ?? 0) }
    }
  }

  /// The position of a run in the terms of its operation.
  package typealias State = Checkpoint.State

  /// Whether a stage was complete when the run was interrupted.
  package func isPast(_ stage: Int) -> Bool { resumed.map { $0.stage > stage } ?? false }

  /// Whether the interrupted run may have written in a stage.
  package func hasBegun(_ stage: Int) -> Bool {
    journal.hasTail || (resumed?.stage == stage && !journal.isEmpty)
  }

  /// Writes the first checkpoint of a run or a stage, before any of its documents is handed on.
  ///
  /// - Throws: `.cannotWrite`.
  package func begin(at state: State) async throws {
    try await make(state, isBeginning: true)
  }

  /// Writes a checkpoint immediately, for operations whose every step is worth one.
  ///
  /// - Parameter state: The position; every document before it is settled.
  /// - Throws: `.cannotWrite`.
  package func save(at state: State) async throws {
    if let failure = run.log.failure { throw failure }
    try await make(state)
  }

  /// Writes a checkpoint if one is due.
  ///
  /// - Parameters:
  ///   - state: The position; every document before it has been handed on.
  ///   - drain: Waits until every document that was handed on is settled.
  /// - Throws: `.cannotWrite`, and the errors of `drain`.
  package func mark(at state: @autoclosure () -> State, drain: () async throws -> Void) async throws {
    if let failure = run.log.failure { throw failure }
    let start = clock.now()
    guard pace.withLock({ $0.isDue(at: start) }) else { return }
    try await drain()
    try await make(state())
    let end = clock.now()
    pace.withLock { $0.checkpointed(from: start, to: end) }
  }

  private func make(_ state: State, isBeginning: Bool = false) async throws {
    try await journal.sync()
    var checkpoint = Checkpoint(at: state)
    checkpoint.collections = counts.collections
    (checkpoint.journal, checkpoint.tail) = journal.checkpoint
    for list in run.allLists { checkpoint.lists[list] = try run.synchronizedLength(of: list) }
    if isBeginning { beginning.withLock { $0 = state.stage == 0 ? nil : Checkpoint.Beginning(checkpoint) } }
    checkpoint.beginning = beginning.withLock { $0 }
    try run.write(checkpoint)
  }
}
