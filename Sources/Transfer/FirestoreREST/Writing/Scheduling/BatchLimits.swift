/// Limits of commits.
package struct BatchLimits: Sendable, Equatable {
  /// The most writes per commit; the scheduler goes below it when the service is slow.
  package var maximumWrites: Int
  /// The most bytes of a commit's body: 9 MiB, below the service's 10 MiB, whose measure for JSON is not
  /// documented.
  package var maximumBytes: Int
  package var maximumInFlight: Int
  /// The duration in seconds above which a commit halves the size of the next ones.
  package var slowCommit: Double
  /// How long a write that is ABORTED alone is retried while others succeed, in seconds.
  package var contention: Double
  /// How often a changed document is planned again.
  package var maximumReplans: Int
  /// How long commits in flight may take to settle after an interruption, in seconds.
  package var interruptionGrace: Double

  /// Creates limits; at least one write and one commit are always allowed.
  package init(
    maximumWrites: Int = 100,
    maximumBytes: Int = 9 << 20,
    maximumInFlight: Int = 8,
    slowCommit: Double = 5,
    contention: Double = 30,
    maximumReplans: Int = 5,
    interruptionGrace: Double = 10
  ) {
    self.maximumWrites = max(1, maximumWrites)
    self.maximumBytes = maximumBytes
    self.maximumInFlight = max(1, maximumInFlight)
    self.slowCommit = slowCommit
    self.contention = contention
    self.maximumReplans = maximumReplans
    self.interruptionGrace = interruptionGrace
  }
}
