/// The progress of a sharded run.
package struct ShardState: Sendable {
  package struct Task: Sendable, Equatable {
    package enum Status: String, Sendable {
      case done, working, failed, missing
    }

    package var number: Int
    package var status: Status
    /// The number of finished ranges, and of all ranges.
    package var done: Int
    package var ranges: Int
    /// The user who works on the task, as `user@host`.
    package var holder: String?
    /// The seconds since the claim was renewed, by the store's clock.
    package var silentSeconds: Double?
    /// Why the last attempt failed.
    package var error: ShardError?

    init(
      _ number: Int,
      done: Int,
      ranges: Int,
      claim: (holder: String, silent: Double, hasEnded: Bool)?,
      error: ShardError?
    ) {
      self.number = number
      (self.done, self.ranges) = (done, ranges)
      (holder, silentSeconds) = (claim?.holder, claim?.silent)
      self.error = error
      let isAlive = claim.map { !$0.hasEnded && $0.silent <= ClaimKeeper.expiry } ?? false
      status = done == ranges ? .done : isAlive ? .working : error != nil ? .failed : .missing
      if status == .done { self.error = nil }
    }
  }

  package var tasks: [Task]

  /// The unfinished tasks.
  package var open: [Task] { tasks.filter { $0.status != .done } }

  /// Reads the state of a run's tasks from its folder.
  package init(of plan: ShardPlan, in folder: ShardFolder) async throws(Failure) {
    let done = try await folder.doneRanges()
    let now = try await folder.now(task: plan.tasks)
    tasks = []
    for number in 0..<plan.tasks {
      let ranges = plan.ranges(of: number)
      let count = ranges.count { done.contains($0.number) }
      var claim: (holder: String, silent: Double, hasEnded: Bool)?
      var error: ShardError?
      if count < ranges.count {
        claim = try await folder.claim(of: number).map { claim, renewedAt in
          (claim.holder, now.seconds(since: renewedAt), WorkerProcess.hasEnded(claim.process))
        }
        error = try await folder.error(of: number)
      }
      tasks.append(Task(number, done: count, ranges: ranges.count, claim: claim, error: error))
    }
  }
}
