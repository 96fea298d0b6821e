#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// For code that uses `Result<App, Error>`, where `Error` is `Swift.Error`.
extension JSONDecoder {
  /// Decodes a response of `documents.get`: the document or the service's error, which is a `FirestoreError`.
  ///
  /// - Throws: `DecodingError` if the response is neither, or the document does not match the type.
  @_disfavoredOverload
  public func decodeGetResult<Element: FieldsOnlyDocumentType>(
    from data: Data
  ) throws -> Result<Element, any Swift.Error> {
    let result: Result<Element, FirestoreError> = try decodeGetResult(from: data)
    return result.mapError { $0 }
  }

  /// Decodes a response of `documents.list`: all documents of the page or the service's error, which is a `FirestoreError`.
  ///
  /// - Throws: `DecodingError` if the response is neither, or a document does not match the type.
  @_disfavoredOverload
  public func decodeListResult<Element: FieldsOnlyDocumentType>(
    from data: Data
  ) throws -> Result<[Element], any Swift.Error> {
    let result: Result<[Element], FirestoreError> = try decodeListResult(from: data)
    return result.mapError { $0 }
  }
}

/// For code that uses the status as a `String`.
extension LocalizedError where Self == FirestoreError {
  /// The name of the status where a `String` is expected: `NOT_FOUND`.
  @_disfavoredOverload
  public var status: String { (status as FirestoreError.Code).name }
}
