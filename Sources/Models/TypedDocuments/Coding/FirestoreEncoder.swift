package import FirestoreModels

/// Encodes plain `Codable` structs as documents, like `Firestore.Encoder` in the Firebase SDK.
///
/// The types are those of ``FirestoreDecoder``: integers of every width become integers (an error beyond
/// signed 64 bits, as is a `Decimal`), `Double` and `Float` become doubles, and a `Date` becomes a timestamp
/// rounded to microseconds. A nil optional omits the field; ``ExplicitNull`` writes null. A ``DocumentID`` is
/// omitted. Errors are `EncodingError`s with the coding path.
package struct FirestoreEncoder: Sendable {
  /// Passed to the encoded types.
  package var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  package init() {}

  /// Encodes fields without checking the service's limits (see ``DocumentLimits``).
  ///
  /// - Throws: `EncodingError` if a value has no Firestore type or the result is not a map.
  package func encode(_ value: some Encodable) throws -> FieldMap {
    try ValueEncoder.fields(of: value, codingPath: [], userInfo: userInfo)
  }

  /// Encodes a document for a path.
  ///
  /// - Throws: `EncodingError` if a value has no Firestore type or the result is not a map.
  package func encode(_ value: some Encodable, at path: DocumentPath) throws -> RawDocument {
    RawDocument(path: path, fields: try encode(value))
  }
}
