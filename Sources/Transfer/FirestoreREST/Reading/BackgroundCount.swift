import Files

/// Counts the documents of reads in the background, after their first page has arrived.
///
/// A count is optional: the service gives up after 60 seconds
/// (https://firebase.google.com/docs/firestore/query-data/aggregation-queries), and a proxy or an emulator may not support
/// it. So it has a short time limit and delays no first page, and without it only the total of the progress line is
/// missing. A request is never withdrawn, because the service bills it anyway, and what a run was billed should not depend
/// on which response came first.
package final class BackgroundCount: Sendable {
  private enum State { case waiting, counting, over }

  /// The number of concurrent counts.
  fileprivate static let width = 8
  private let state: Locked<State>
  private let count: @Sendable () async -> Void
  private let account: Account

  /// Prepares a count, which ``begin()`` starts.
  ///
  /// - Parameter report: Called once with the sum; never if a read could not be counted, or after ``cancel()``.
  package init(
    _ reads: [CollectionRead],
    client: FirestoreClient,
    report: @escaping @Sendable (Int) -> Void
  ) {
    let state = Locked(State.waiting)
    self.state = state
    account = client.caller.traffic.account
    count = {
      let counts = await client.quickCounts(of: reads)
      var total = 0
      for count in counts {
        guard let count = count?.count else { return }
        let (sum, overflow) = total.addingReportingOverflow(count)
        if overflow { return }
        total = sum
      }
      if state.withLock({ $0 }) == .counting { report(total) }
    }
  }

  deinit { cancel() }

  /// Starts counting, when called for the first time.
  package func begin() {
    let isFirst = state.withLock { state in
      guard state == .waiting else { return false }
      state = .counting
      return true
    }
    guard isFirst else { return }
    account.beginBackground()
    Task { [count, account] in
      await count()
      account.endBackground()
    }
  }

  /// Stops reporting.
  package func cancel() { state.withLock { $0 = .over } }
}

extension FirestoreClient {
  /// The time limit of optional requests, in seconds.
  package static let patience = 5.0

  /// The same client with the time limit of optional requests.
  package var quickly: FirestoreClient { within(Self.patience) }

  /// Returns the same client with a lower time limit per call, including retries, in seconds.
  func within(_ seconds: Double) -> FirestoreClient {
    FirestoreClient(
      database: database,
      endpoint: endpoint,
      caller: caller.within(seconds),
      gate: gate,
      lists: lists
    )
  }

  /// Returns the number of documents in each read; nil if the service did not count it in time, or if reads are bounded.
  ///
  /// All counts together have ``patience`` seconds.
  package func quickCounts(of reads: [CollectionRead]) async -> [(count: Int, readTime: Timestamp?)?] {
    let clock = caller.clock
    let deadline = clock.now() + Self.patience
    // What is left of the bound is for necessary reads.
    let isBounded = caller.traffic.account.bindsReads
    var counts = [(count: Int, readTime: Timestamp?)?](repeating: nil, count: reads.count)
    await withTaskGroup(of: (Int, (count: Int, readTime: Timestamp?)?).self) { group in
      var next = 0
      func begin() {
        guard next < reads.count else { return }
        let (index, read) = (next, reads[next])
        next += 1
        group.addTask {
          let left = deadline - clock.now()
          guard left > 0, read.isCountable, !Task.isCancelled, !isBounded else { return (index, nil) }
          return (index, try? await self.within(left).count(read))
        }
      }
      for _ in 0..<BackgroundCount.width { begin() }
      for await (index, count) in group {
        counts[index] = count
        begin()
      }
    }
    return counts
  }

  /// Returns the number of documents in a read; see ``quickCounts(of:)``.
  package func quickCount(of read: CollectionRead) async -> (count: Int, readTime: Timestamp?)? {
    await quickCounts(of: [read])[0]
  }
}
