import Files
package import FirestoreModels

/// The documents of a read, page by page: by `documents.list`, or by `runQuery` where it takes a query.
///
/// The next page is asked for as soon as its token is known, and decoded while the last one is worked on, so three
/// pages at most are held. A page may be short or empty: only a missing token ends the list. A page whose body is
/// larger than the client accepts is asked for again with half the size, which the service allows between pages,
/// and the size grows back page by page. The pages of a query are queries of their own that begin after the last
/// document, so none of them runs into the service's limit of 60 seconds a stream; one that breaks is asked for again.
/// A page that leads back to where the read was before (a token that repeats, a page of a query that does not begin
/// behind the last) is a failure and not asked for again: it would go round for ever. Dropping the iterator cancels
/// the request in flight.
///
/// Where a read is ``CollectionRead/parallel``, ranges of names are read side by side and their pages given in the same order.
package struct DocumentPages: AsyncSequence, Sendable {
  /// A page.
  package typealias Element = [RawDocument]

  let client: FirestoreClient
  let read: CollectionRead

  /// Begins to read: the first page is asked for at once.
  package func makeAsyncIterator() -> Iterator {
    Iterator(PageFetcher(client: client, read: read))
  }

  /// Gives one page after another.
  package struct Iterator: AsyncIteratorProtocol {
    private enum Ahead {
      case pages(ReadAhead)
      case ranges(ParallelRangeReader)
    }

    private let ahead: Ahead

    fileprivate init(_ fetcher: PageFetcher) {
      ahead = fetcher.read.isSplit ? .ranges(ParallelRangeReader(fetcher)) : .pages(ReadAhead(fetcher))
    }

    /// The next page, which may be empty; nil after the last.
    ///
    /// - Throws: ``Failure`` after all retries, or where a document cannot be read.
    package mutating func next() async throws -> [RawDocument]? {
      switch ahead {
      case .pages(let pages): try await pages.next()
      case .ranges(let ranges): try await ranges.next()
      }
    }
  }
}

extension FirestoreClient {
  /// Reads documents page by page.
  package func pages(of read: CollectionRead) -> DocumentPages {
    DocumentPages(client: self, read: read)
  }
}

/// The work ahead of the reader: one page being decoded and the request for the one after it, both cancelled when
/// the reader goes.
private final class ReadAhead {
  private typealias Fetch = Task<FetchedPage, any Error>
  private typealias Decoded = (documents: [RawDocument], next: Fetch?)

  private let fetcher: PageFetcher
  private let inFlight = Locked<Fetch?>(nil)
  private var decoding: Task<Decoded, any Error>?

  init(_ fetcher: PageFetcher) {
    self.fetcher = fetcher
    decoding = Self.decode(
      Self.fetch(after: nil, size: fetcher.read.pageSize, fetcher, inFlight),
      fetcher,
      inFlight
    )
  }

  deinit {
    decoding?.cancel()
    inFlight.withLock { $0 }?.cancel()
  }

  func next() async throws -> [RawDocument]? {
    guard let task = decoding else { return nil }
    let (documents, next) = try await task.cancellingValue
    decoding = next.map { Self.decode($0, fetcher, inFlight) }
    return documents
  }

  private static func fetch(
    after start: PageStart?,
    size: Int,
    _ fetcher: PageFetcher,
    _ inFlight: Locked<Fetch?>
  ) -> Fetch {
    let task = Fetch { try await fetcher.page(after: start, size: size) }
    inFlight.withLock { $0 = task }
    return task
  }

  /// Waits for a page, asks for the one after it as soon as its token is known, and decodes meanwhile.
  private static func decode(
    _ fetch: Fetch,
    _ fetcher: PageFetcher,
    _ inFlight: Locked<Fetch?>
  ) -> Task<Decoded, any Error> {
    Task {
      let page = try await fetch.cancellingValue
      try Task.checkCancellation()
      let size = min(page.size * 2, fetcher.read.pageSize)
      let start = try fetcher.start(after: page)
      let next = start.map { Self.fetch(after: $0, size: size, fetcher, inFlight) }
      if Task.isCancelled { next?.cancel() }
      return (try fetcher.documents(of: page), next)
    }
  }
}

extension Task where Failure == any Error {
  /// What it comes to; it is cancelled with whoever waits for it.
  var cancellingValue: Success {
    get async throws {
      try await withTaskCancellationHandler {
        try await value
      } onCancel: {
        cancel()
      }
    }
  }
}
