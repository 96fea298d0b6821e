import FirestoreREST

extension FirestoreDataStore {
  /// All documents of a collection, read page by page; see ``FirestoreDataStore/list()``.
  ///
  /// Each iteration reads again. It ends at the first error; a document that is not of the type is a `DocumentFailure`.
  /// Leaving the loop early cancels the request for the next page.
  public struct Documents: AsyncSequence, Sendable {
    /// A document.
    public typealias Element = T

    let store: FirestoreDataStore

    /// Starts reading.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(store: store) }

    /// The state of one iteration.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private let store: FirestoreDataStore
      /// The pages; nil after the last one, and after an error.
      private var pages: DocumentPages.Iterator?
      /// The documents that were read but not returned yet, in reverse order.
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
