/// Limits of commits.
package struct BatchLimits: Sendable, Equatable {
  /// The maximum number of writes per commit; the scheduler goes below it when the service is slow.
  package var maximumWrites: Int
  /// The maximum number of bytes held by the writes of a commit (``PendingWrite/bytes``), unless it has only one write.
  ///
  /// The commit's body is smaller, and the service accepts 10 MiB.
  package var maximumBytes: Int
  package var maximumInFlight: Int
  /// The maximum number of bytes held by all commits in flight and being settled, unless there is only one.
  package var maximumBytesInFlight: Int
  /// The duration in seconds beyond which a commit halves the size of the next ones.
  package var slowCommit = 5.0
  /// How long a write that is ABORTED on its own is retried while others succeed, in seconds.
  package var contention = 30.0
  /// How often a changed document is replanned.
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
