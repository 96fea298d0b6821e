#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension JSONDecoder {
  /// Decodes a response of `documents.get`: the document or the service's error.
  ///
  ///     let result: Result<App, FirestoreError> = try JSONDecoder().decodeGetResult(from: data)
  ///
  /// Of the decoder's settings only `userInfo` applies: the encoding is fixed, and timestamps keep all
  /// their digits.
  ///
  /// - Throws: `DecodingError` if the response is neither, or the document does not match the type.
  public func decodeGetResult<Element: FieldsOnlyDocumentType>(
    from data: Data
  ) throws -> Result<Element, FirestoreError> {
    try data.withUnsafeBytes { try DocumentResponse.get(from: $0, userInfo: userInfo) }
  }

  /// Decodes a response of `documents.list` entirely: all documents of the page or the service's error.
  ///
  /// - Throws: `DecodingError` if the response is neither, or a document does not match the type, with its
  ///   coding path. Use ``DocumentList`` to keep the others.
  public func decodeListResult<Element: FieldsOnlyDocumentType>(
    from data: Data
  ) throws -> Result<[Element], FirestoreError> {
    try data.withUnsafeBytes { try DocumentResponse.list(from: $0, userInfo: userInfo) }
  }

  /// Decodes a response of `documents.list` with a result for each document: the page or the service's
  /// error.
  ///
  ///     let result: Result<DocumentList<App>, FirestoreError> = try JSONDecoder().decodeListResult(from: data)
  ///
  /// - Throws: `DecodingError` if the response is neither.
  public func decodeListResult<Element: FieldsOnlyDocumentType>(
    from data: Data
  ) throws -> Result<DocumentList<Element>, FirestoreError> {
    try data.withUnsafeBytes { try DocumentResponse.page(from: $0, userInfo: userInfo) }
  }
}
