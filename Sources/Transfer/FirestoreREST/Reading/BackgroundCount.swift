package import FirestoreModels

/// Counts what reads will give, beside the work itself.
///
/// A count is only nice to have: the service gives up counting after 60 seconds
/// (https://firebase.google.com/docs/firestore/query-data/aggregation-queries), and a proxy or an emulator may not
/// count at all. So it is asked for within seconds, and its failure costs the total of a progress line and nothing else.
package final class BackgroundCount: Sendable {
  /// Counts that are asked for at a time.
  fileprivate static let width = 8
  private let task: Task<Void, Never>

  /// Begins to count.
  ///
  /// - Parameters:
  ///   - limit: Documents of each read at most.
  ///   - report: Called with the sum, once; never where one of the reads could not be counted, or after ``cancel()``.
  package init(
    _ reads: [CollectionRead],
    limit: Int? = nil,
    client: FirestoreClient,
    report: @escaping @Sendable (Int) -> Void
  ) {
    task = Task {
      let counts = await client.quickCounts(of: reads)
      var total = 0
      for count in counts {
        guard let count = count?.count else { return }
        let (sum, overflow) = total.addingReportingOverflow(min(count, limit ?? count))
        if overflow { return }
        total = sum
      }
      if !Task.isCancelled { report(total) }
    }
  }

  deinit { task.cancel() }

  /// Stops counting.
  package func cancel() { task.cancel() }
}

extension FirestoreClient {
  /// Seconds within which what is only nice to have is answered, or done without.
  package static let patience = 5.0

  /// The same client for what is only nice to have.
  package var quickly: FirestoreClient { within(Self.patience) }

  /// The same client with another bound on the time that a request may take, its retries included.
  func within(_ seconds: Double) -> FirestoreClient {
    FirestoreClient(database: database, endpoint: endpoint, caller: caller.within(seconds))
  }

  /// The numbers of documents that reads will give, in their order, nil for each that the service did not count within
  /// ``patience`` for all together.
  package func quickCounts(of reads: [CollectionRead]) async -> [(count: Int, readTime: Timestamp?)?] {
    let clock = caller.clock
    let deadline = clock.now() + Self.patience
    var counts = [(count: Int, readTime: Timestamp?)?](repeating: nil, count: reads.count)
    await withTaskGroup(of: (Int, (count: Int, readTime: Timestamp?)?).self) { group in
      var next = 0
      func begin() {
        guard next < reads.count else { return }
        let (index, read) = (next, reads[next])
        next += 1
        group.addTask {
          let left = deadline - clock.now()
          guard left > 0, read.isCountable, !Task.isCancelled else { return (index, nil) }
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

  /// As ``quickCounts(of:)``, of one read.
  package func quickCount(of read: CollectionRead) async -> (count: Int, readTime: Timestamp?)? {
    await quickCounts(of: [read])[0]
  }
}
