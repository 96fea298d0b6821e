import Files
package import FirestoreModels

/// The documents of a read, page by page, by `documents.list` or `runQuery`.
///
/// The next page is requested as soon as its token is known, and decoded while the caller works on the last
/// one; at most three pages are held. A page may be short or empty: only a missing token ends the list. If a
/// body exceeds the size limit, the page is requested again with half the page size, which the service allows
/// between pages; the size then grows back.
///
/// Each page of a query is a query of its own that starts after the last document, so none reaches the
/// service's limit of 60 seconds per stream; an interrupted one is retried. A page that leads back to an
/// earlier position (a repeated token, a query page that does not start after the last document) is a
/// failure, because the read would never end. Dropping the iterator cancels the requests in flight.
///
/// With ``CollectionRead/parallel``, name ranges are read concurrently, and their pages are returned in
/// order.
package struct DocumentPages: AsyncSequence, Sendable {
  package typealias Element = [RawDocument]

  let client: FirestoreClient
  let read: CollectionRead

  /// Starts reading: the first page is requested immediately.
  package func makeAsyncIterator() -> Iterator {
    Iterator(PageFetcher(client: client, read: read))
  }

  package struct Iterator: AsyncIteratorProtocol {
    private var pages: DocumentPageSequence.Iterator

    fileprivate init(_ fetcher: PageFetcher) {
      // Decoded beside the caller, who works on the last page meanwhile.
      pages = DocumentPageSequence.Iterator(fetcher) { .memory(try fetcher.documents(of: $0)) }
    }

    /// Returns the next page, which may be empty; nil after the last one.
    ///
    /// - Throws: ``Failure`` after all retries, or if a document cannot be decoded.
    package mutating func next() async throws -> [RawDocument]? {
      try await pages.next()?.documents()
    }
  }
}

/// The pages of a read for those who only carry documents: they stay on the tape of the response where that is possible.
///
/// Read as ``DocumentPages``. Concurrent ranges are decoded, because more of their pages wait than parsers may be held.
package struct DocumentPageSequence: AsyncSequence, Sendable {
  package typealias Element = DocumentPage

  let client: FirestoreClient
  let read: CollectionRead

  /// Starts reading: the first page is requested immediately.
  package func makeAsyncIterator() -> Iterator {
    let fetcher = PageFetcher(client: client, read: read)
    return Iterator(fetcher) { try fetcher.documentPage(of: $0) }
  }

  package struct Iterator: AsyncIteratorProtocol {
    private enum Ahead {
      case pages(ReadAhead)
      case ranges(ParallelRangeReader)
    }

    private let ahead: Ahead

    fileprivate init(
      _ fetcher: PageFetcher,
      _ decode: @escaping @Sendable (FetchedPage) throws -> DocumentPage
    ) {
      ahead =
        fetcher.read.isSplit
        ? .ranges(ParallelRangeReader(fetcher)) : .pages(ReadAhead(fetcher, decode))
    }

    /// Returns the next page, which may be empty; nil after the last one.
    ///
    /// - Throws: ``Failure`` after all retries, or if a document cannot be decoded.
    package mutating func next() async throws -> DocumentPage? {
      switch ahead {
      case .pages(let pages): try await pages.next()
      case .ranges(let ranges): try await ranges.next().map { .memory($0) }
      }
    }
  }
}

extension FirestoreClient {
  /// Reads documents page by page.
  package func pages(of read: CollectionRead) -> DocumentPages {
    DocumentPages(client: self, read: read)
  }

  /// Reads documents page by page for those who only carry them.
  package func documentPages(of read: CollectionRead) -> DocumentPageSequence {
    DocumentPageSequence(client: self, read: read)
  }
}

/// Prefetching: one page being decoded and the request for the next one, both cancelled with the reader.
private final class ReadAhead {
  private typealias Fetch = Task<FetchedPage, any Error>
  private typealias Decoded = (page: DocumentPage, next: Fetch?)

  private let fetcher: PageFetcher
  private let decode: @Sendable (FetchedPage) throws -> DocumentPage
  private let inFlight = Locked<Fetch?>(nil)
  private var decoding: Task<Decoded, any Error>?

  init(_ fetcher: PageFetcher, _ decode: @escaping @Sendable (FetchedPage) throws -> DocumentPage) {
    self.fetcher = fetcher
    self.decode = decode
    let first = Self.fetch(after: nil, size: fetcher.read.pageSize, fetcher, inFlight)
    decoding = Self.decode(first, fetcher, inFlight, decode)
  }

  deinit {
    decoding?.cancel()
    inFlight.withLock { $0 }?.cancel()
  }

  func next() async throws -> DocumentPage? {
    guard let task = decoding else { return nil }
    let (page, next) = try await task.cancellingValue
    decoding = next.map { Self.decode($0, fetcher, inFlight, decode) }
    return page
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

  /// Waits for a page, requests the next one as soon as its token is known, and decodes meanwhile.
  private static func decode(
    _ fetch: Fetch,
    _ fetcher: PageFetcher,
    _ inFlight: Locked<Fetch?>,
    _ decode: @escaping @Sendable (FetchedPage) throws -> DocumentPage
  ) -> Task<Decoded, any Error> {
    Task {
      let page = try await fetch.cancellingValue
      try Task.checkCancellation()
      let size = min(page.size * 2, fetcher.read.pageSize)
      let start = try fetcher.start(after: page)
      let next = start.map { Self.fetch(after: $0, size: size, fetcher, inFlight) }
      if Task.isCancelled { next?.cancel() }
      return (try decode(page), next)
    }
  }
}

extension Task where Failure == any Error {
  /// The value of the task, which is cancelled with the caller.
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
