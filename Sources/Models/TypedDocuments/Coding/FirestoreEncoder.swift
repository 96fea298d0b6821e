package import FirestoreModels

/// Makes documents of plain `Codable` structs, as the app's repositories do with `Firestore.Encoder`.
///
/// The types are those of ``FirestoreDecoder``, the other way round: integers of every width are integers (one beyond
/// 64 bits signed is an error, as is a `Decimal`), `Double` and `Float` are doubles, `Date` is a timestamp rounded to
/// the microsecond that the service keeps. A nil optional leaves its field out; ``ExplicitNull`` writes null. A
/// ``DocumentID`` is left out. Errors are `EncodingError`s with the coding path.
package struct FirestoreEncoder: Sendable {
  /// Information for the types that are written.
  package var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes an encoder.
  package init() {}

  /// Makes fields.
  ///
  /// The service's limits are not checked here; see ``DocumentLimits``.
  ///
  /// - Throws: `EncodingError` where a value has no Firestore type, or where the whole is not a map.
  package func encode(_ value: some Encodable) throws -> FieldMap {
    try ValueEncoder.fields(of: value, codingPath: [], userInfo: userInfo)
  }

  /// Makes a document to be written at a path.
  ///
  /// - Throws: `EncodingError` where a value has no Firestore type, or where the whole is not a map.
  package func encode(_ value: some Encodable, at path: DocumentPath) throws -> RawDocument {
    RawDocument(path: path, fields: try encode(value))
  }
}
