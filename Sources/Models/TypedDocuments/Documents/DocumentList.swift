/// A page of documents of which one that cannot be read does not sink the others.
package struct DocumentList<Element: DocumentType> {
  /// One entry for each document of the answer, in its order.
  package var results: [Result<Element, DocumentFailure>]
  /// The names of documents that do not exist but have subcollections, which `showMissing` lists.
  package var missing: [String]
  /// What asks for the next page; nil on the last one.
  package var nextPageToken: String?

  /// Makes a page.
  package init(
    results: [Result<Element, DocumentFailure>] = [],
    missing: [String] = [],
    nextPageToken: String? = nil
  ) {
    self.results = results
    self.missing = missing
    self.nextPageToken = nextPageToken
  }

  /// The documents that could be read, in their order.
  package var documents: [Element] { results.compactMap { try? $0.get() } }

  /// Why others could not.
  package var failures: [DocumentFailure] {
    results.compactMap { if case .failure(let failure) = $0 { failure } else { nil } }
  }
}

extension DocumentList: Equatable where Element: Equatable {}
extension DocumentList: Sendable where Element: Sendable {}
