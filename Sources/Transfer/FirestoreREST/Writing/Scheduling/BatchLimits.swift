/// Limits of commits.
package struct BatchLimits: Sendable, Equatable {
  /// The most writes per commit; the scheduler goes below it when the service is slow.
  package var maximumWrites: Int
  /// The most bytes that the writes of a commit hold (``PendingWrite/bytes``), unless it has only one.
  ///
  /// Its body is smaller, and the service takes 10 MiB.
  package var maximumBytes: Int
  package var maximumInFlight: Int
  /// The most bytes that all commits in flight and being settled hold, unless there is only one.
  package var maximumBytesInFlight: Int
  /// The duration in seconds above which a commit halves the size of the next ones.
  package var slowCommit = 5.0
  /// How long a write that is ABORTED alone is retried while others succeed, in seconds.
  package var contention = 30.0
  /// How often a changed document is planned again.
  package var maximumReplans = 5
  /// How long commits in flight may take to settle after an interruption, in seconds.
  package var interruptionGrace: Double

  /// Creates limits; at least one write and one commit are always allowed.
  package init(
    maximumWrites: Int = 100,
    maximumBytes: Int = ByteBudget.commit,
    maximumInFlight: Int = 8,
    maximumBytesInFlight: Int = ByteBudget.commits,
    interruptionGrace: Double = 10
  ) {
    self.maximumWrites = max(1, maximumWrites)
    self.maximumBytes = maximumBytes
    self.maximumInFlight = max(1, maximumInFlight)
    self.maximumBytesInFlight = maximumBytesInFlight
    self.interruptionGrace = interruptionGrace
  }
}
