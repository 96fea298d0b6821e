package import FirestoreModels
package import Logging

extension FirestoreClient {
  /// Documents that are counted by their names where the service does not count them, at a read each.
  package static let maximumNamesCounted = 100_000

  /// The number of documents that a read gives: as the service counts them, else by their names.
  ///
  /// The service cannot count the collections of a pattern alone, gives up on what takes it more than 60 seconds, and
  /// other servers may not count at all. So the names are read where the service refuses, and beside it where it takes
  /// its time; the first answer counts.
  ///
  /// - Throws: What kept the service from counting, where there are more than ``maximumNamesCounted`` documents; what
  ///   keeps the names from being read.
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
          if failure.kind == .interrupted || names == .tooMany { throw failure.explainingTooMany(read) }
          refusal = failure
          if names == .notBegun { names = begin(&group, read, "\(failure.cause)", logger) }
        case .late:
          if names == .notBegun { names = begin(&group, read, "it takes its time", logger) }
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
    logger.notice("The service does not count \(read.collection) (\(reason)): its names are read.")
    group.addTask { .named(try await countNames(of: read, atMost: Self.maximumNamesCounted)) }
    return .begun
  }

  /// The number of documents by their names, nil where there are more.
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

/// What happens while documents are counted in two ways.
private enum CountEvent: Sendable {
  case counted((count: Int, readTime: Timestamp?))
  case refused(Failure)
  case named(Int?)
  case late
}

/// How far the reading of names is.
private enum NameReading {
  case notBegun, begun, tooMany
}

extension Failure {
  fileprivate func explainingTooMany(_ read: CollectionRead) -> Failure {
    if kind == .interrupted { return self }
    var failure = self
    failure.remedy =
      "There are more than \(NumberText.grouped(FirestoreClient.maximumNamesCounted)) documents, whose names would cost a read each: count parts of them, as with --where '__name__ < \(read.collection)/m'."
    return failure
  }
}
