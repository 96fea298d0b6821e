/// The documents of a read, page by page, by `documents.list` or `runQuery`.
///
/// The next page of a list is requested as soon as the current body has arrived, because its end contains the token; a page
/// is parsed and decoded while the caller works on the one before. At most three pages are held. A page may be short or
/// empty: only a missing token ends the list. If a body exceeds the size limit, the page is requested again with a smaller
/// page size, which the service allows between pages; the size then grows back.
///
/// Each page of a query is a separate query that starts after the last document, so that none reaches the service's limit
/// of 60 seconds per stream; an interrupted one is retried. A page that leads back to an earlier position (a repeated
/// token, or a query page that does not start after the last document) is a failure, because the read would never end.
/// Dropping the iterator cancels the requests in flight.
///
/// With ``CollectionRead/parallel``, name ranges are read concurrently, and their pages are returned in order.
package struct DocumentPages: AsyncSequence, Sendable {
  package typealias Element = [RawDocument]

  let client: FirestoreClient
  let read: CollectionRead

  /// Starts reading: the first page is requested immediately.
  package func makeAsyncIterator() -> Iterator { Iterator(pages: client.pages(ofEach: [read])) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let pages: CollectionPages

    /// Returns the next page, which may be empty; nil after the last one.
    ///
    /// - Throws: ``Failure`` after all retries, or if a document cannot be decoded.
    package mutating func next() async throws -> [RawDocument]? { try await pages.next(of: 0) }
  }
}

extension FirestoreClient {
  /// Reads documents page by page.
  package func pages(of read: CollectionRead) -> DocumentPages {
    DocumentPages(client: self, read: read)
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
