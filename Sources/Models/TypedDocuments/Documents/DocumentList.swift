/// A page of documents with a separate result for each, so that one invalid document does not fail the page.
public struct DocumentList<Element: FieldsOnlyDocumentType> {
  /// One result for each document of the response, in order.
  public var results: [Result<Element, DocumentFailure>]
  /// The names of missing documents that have subcollections, as listed by `showMissing`.
  public var missing: [String]
  /// The token of the next page; nil on the last page.
  public var nextPageToken: String?

  /// Creates a page from its parts.
  public init(
    results: [Result<Element, DocumentFailure>] = [],
    missing: [String] = [],
    nextPageToken: String? = nil
  ) {
    self.results = results
    self.missing = missing
    self.nextPageToken = nextPageToken
  }

  /// The decoded documents in order.
  public var documents: [Element] { results.compactMap { try? $0.get() } }

  /// The failures in order.
  public var failures: [DocumentFailure] {
    results.compactMap { if case .failure(let failure) = $0 { failure } else { nil } }
  }
}

extension DocumentList: Equatable where Element: Equatable {}
extension DocumentList: Sendable where Element: Sendable {}
