import FirestoreREST

extension FirestoreDataStore {
  /// All documents of a collection, read page by page; see ``FirestoreDataStore/list()``.
  ///
  /// Each iteration reads again. It ends at the first error; a document that is not of the type is a
  /// `DocumentFailure`. Ending the loop early cancels the request for the next page.
  public struct Documents: AsyncSequence, Sendable {
    /// A document.
    public typealias Element = T

    let store: FirestoreDataStore

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(store: store) }

    /// The position in a reading.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private let store: FirestoreDataStore
      /// Nil after the last page, and after an error.
      private var pages: DocumentPages.Iterator?
      /// What was read and not returned yet, in reverse order.
      private var rest: [RawDocument] = []
      private var index = 0

      fileprivate init(store: FirestoreDataStore) {
        self.store = store
        pages = store.pages().makeAsyncIterator()
      }

      /// Returns the next document; nil after the last one, and after an error.
      public mutating func next() async throws -> T? {
        do {
          while rest.isEmpty {
            guard let page = try await rethrowingPublicErrors({ try await pages?.next() }) else {
              pages = nil
              return nil
            }
            rest = page.reversed()
          }
          defer { index += 1 }
          return try store.decode(rest.removeLast(), index: index)
        } catch {
          pages = nil
          rest = []
          throw error
        }
      }
    }
  }
}
