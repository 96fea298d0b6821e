import Files
package import FirestoreModels
package import FirestoreREST

/// What makes a writing run one that can be resumed: its journal, its checkpoints, and where it is taken up.
package final class Checkpoints: Sendable {
  /// The journal that every commit is written to first.
  package let journal: Journal
  /// The checkpoint that the run is taken up from; nil for a new one, and where it ended before the first.
  package let resumed: Checkpoint?
  private let run: RunDirectory
  private let counts: RunCounts
  private let clock: RunClock
  private let pace: Locked<CheckpointPace>
  private let begun: Locked<[Checkpoint.Beginning]>

  /// A document that is looked up for the service's time; whether it is there does not matter.
  private static let clockDocument = DocumentPath(CollectionPath(nil, "_gymmigrate"), "lock")

  /// Begins, or takes up, the run of a directory.
  ///
  /// What the lists of a run that is taken up hold beyond its checkpoint is cut off, because those documents will be met
  /// again.
  ///
  /// - Parameter book: The counts, as they were at the checkpoint.
  /// - Throws: `.cannotWrite`; what asking the service for its time throws.
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
    begun = Locked(run.resumption?.begun ?? [])
    if let resumption = run.resumption, resumption.head != nil {
      journal = try Journal(path, resuming: resumption)
    } else {
      // One that was begun has not even its first line.
      try run.cut("journal.jsonl", to: 0)
      journal = try Journal(
        path,
        database: client.database,
        run: run.id,
        serverTime: try await client.get(Self.clockDocument).readTime
      )
    }
    if run.isResumed {
      // Ended right after the lists are cut, a run that reads everything once more must not continue from its old position.
      if resumed == nil { try run.write(checkpoint(at: State(), beginning: true)) }
      for list in run.allLists { try run.cut(list, to: resumed?.lists[list] ?? 0) }
    }
  }

  /// Where a run is, in its own terms.
  package typealias State = Checkpoint.State

  /// Whether a part of the run was done before it was interrupted.
  package func isPast(_ stage: Int) -> Bool { resumed.map { $0.state.stage > stage } ?? false }

  /// Makes the first checkpoint of a run, or of a part of it, before anything of it is submitted.
  ///
  /// - Throws: `.cannotWrite`.
  package func begin(at state: State) async throws {
    try await make(state, beginning: true)
  }

  /// Makes a checkpoint where one is due.
  ///
  /// - Parameters:
  ///   - state: What of the run is done; everything before it has been submitted.
  ///   - drain: Waits until everything that was submitted is settled.
  /// - Throws: `.cannotWrite`, and what `drain` throws.
  package func mark(at state: @autoclosure () -> State, drain: () async throws -> Void) async throws {
    if let failure = run.log.failure { throw failure }
    let start = clock.now()
    guard pace.withLock({ $0.isDue(at: start) }) else { return }
    try await drain()
    try await make(state())
    let end = clock.now()
    pace.withLock { $0.made(from: start, to: end) }
  }

  private func make(_ state: State, beginning: Bool = false) async throws {
    try await journal.sync()
    var checkpoint = checkpoint(at: state, beginning: beginning)
    for list in run.allLists { checkpoint.lists[list] = try run.synchronizedLength(of: list) }
    try run.write(checkpoint)
  }

  /// A checkpoint with empty lists.
  private func checkpoint(at state: State, beginning: Bool) -> Checkpoint {
    var checkpoint = Checkpoint(at: state)
    checkpoint.collections = counts.collections
    (checkpoint.journal, checkpoint.tail) = journal.checkpoint
    checkpoint.begun = begun.withLock { begun in
      if beginning { begun.append(Checkpoint.Beginning(stage: state.stage, journal: checkpoint.journal)) }
      return begun
    }
    return checkpoint
  }
}
