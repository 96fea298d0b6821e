/// Limits of what is sent at once.
package struct BatchLimits: Sendable, Equatable {
  /// Writes a commit at the most; the scheduler goes below it when the service labours.
  package var maximumWrites: Int
  /// Bytes of a commit's body at the most: 9 MiB, below the service's 10 MiB, whose measure for JSON is not told.
  package var maximumBytes: Int
  /// Commits in flight at the most.
  package var maximumInFlight: Int
  /// A commit that takes longer than this halves the next ones, in seconds.
  package var slowCommit: Double
  /// How often a document that changed meanwhile is planned again.
  package var maximumReplans: Int
  /// How long what is in flight may take to settle after an interruption, in seconds of the machine's clock.
  package var interruptionGrace: Double

  /// Makes limits; of writes and commits there is always one at least.
  package init(
    maximumWrites: Int = 100,
    maximumBytes: Int = 9 << 20,
    maximumInFlight: Int = 8,
    slowCommit: Double = 5,
    maximumReplans: Int = 5,
    interruptionGrace: Double = 10
  ) {
    self.maximumWrites = max(1, maximumWrites)
    self.maximumBytes = maximumBytes
    self.maximumInFlight = max(1, maximumInFlight)
    self.slowCommit = slowCommit
    self.maximumReplans = maximumReplans
    self.interruptionGrace = interruptionGrace
  }
}
