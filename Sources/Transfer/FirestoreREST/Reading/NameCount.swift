package import Logging

extension FirestoreClient {
  /// The maximum number of documents counted by name if the service does not count them, at one read each.
  package static let maximumNamesCounted = 100_000

  /// Returns the number of documents in a read, counted by the service or by name.
  ///
  /// The service cannot count a pattern, and gives up after 60 seconds; other servers may not count at all. So names are
  /// read if the service refuses, and concurrently if it takes long; the first result is returned.
  ///
  /// - Throws: The reason why the service did not count, if there are more than ``maximumNamesCounted`` documents; the
  ///   failure of reading names.
  package func countOrRead(
    _ read: CollectionRead,
    logger: Logger
  ) async throws -> (count: Int, readTime: Timestamp?) {
    if read.reach == .pattern { return (try await countNames(of: read, atMost: .max) ?? 0, nil) }
    return try await withThrowingTaskGroup(of: CountEvent.self) { group in
      let client = within(75)
      group.addTask {
        do throws(Failure) {
          return .counted(try await client.count(read))
        } catch {
          return .refused(error)
        }
      }
      group.addTask {
        try await client.caller.clock.sleep(Self.patience)
        return .late
      }
      defer { group.cancelAll() }
      var refusal: Failure?
      var names = NameReading.notBegun
      while let event = try await group.next() {
        switch event {
        case .counted(let answer): return answer
        case .named(let count?): return (count, nil)
        case .named(nil):
          names = .tooMany
          if let refusal { throw refusal.explainingTooMany(read) }
        case .refused(let failure):
          if failure.isOfBound { throw failure }
          if failure.kind == .interrupted || names == .tooMany { throw failure.explainingTooMany(read) }
          refusal = failure
          if names == .notBegun { names = begin(&group, read, "\(failure.cause)", logger) }
        case .late:
          if names == .notBegun { names = begin(&group, read, "it takes long", logger) }
        }
      }
      throw Failure(
        .internal,
        "count the documents of",
        path: read.collection.string,
        cause: "nothing answered"
      )
    }
  }

  private func begin(
    _ group: inout ThrowingTaskGroup<CountEvent, any Error>,
    _ read: CollectionRead,
    _ reason: String,
    _ logger: Logger
  ) -> NameReading {
    logger.notice("There is no count of \(read.collection) yet (\(reason)): counting by name, too.")
    group.addTask { .named(try await countNames(of: read, atMost: Self.maximumNamesCounted)) }
    return .begun
  }

  /// Returns the number of documents by name; nil if it exceeds the maximum.
  private func countNames(of read: CollectionRead, atMost maximum: Int) async throws -> Int? {
    var names = read
    names.mask = [.documentName]
    var count = 0
    for try await page in pages(of: names) {
      try Task.checkCancellation()
      count += page.count
      if count > maximum { return nil }
    }
    return count
  }
}

/// Events while documents are counted in two ways.
private enum CountEvent: Sendable {
  case counted((count: Int, readTime: Timestamp?))
  case refused(Failure)
  case named(Int?)
  case late
}

/// The progress of reading names.
private enum NameReading {
  case notBegun, begun, tooMany
}

extension Failure {
  fileprivate func explainingTooMany(_ read: CollectionRead) -> Failure {
    if kind == .interrupted { return self }
    return advising(
      "There are more than \(NumberText.grouped(FirestoreClient.maximumNamesCounted)) documents, and counting by name costs a read each: count parts of them, such as with --where '__name__ < \(read.collection)/m'."
    )
  }
}
