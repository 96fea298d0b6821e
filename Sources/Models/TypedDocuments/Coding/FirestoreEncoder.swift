/// Encodes plain `Codable` structs as documents, like `Firestore.Encoder` in the Firebase SDK.
///
/// The types are those of ``FirestoreDecoder``: integers of every width become integers (an error beyond
/// signed 64 bits, as is a `Decimal`), `Double` and `Float` become doubles, and a `Date` becomes a timestamp
/// rounded to microseconds. A nil optional omits the field; ``ExplicitNull`` writes null. A ``DocumentID`` is
/// omitted. Errors are `EncodingError`s with the coding path.
public struct FirestoreEncoder: Sendable {
  /// Information that is passed to the encoded types.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates an encoder.
  public init() {}

  /// Encodes fields without checking the service's limits (see ``DocumentLimits``).
  ///
  /// - Throws: `EncodingError` if a value has no Firestore type or the result is not a map.
  public func encode(_ value: some Encodable) throws -> FieldMap {
    try ValueEncoder.fields(of: value, codingPath: [], userInfo: userInfo)
  }

  /// Encodes fields for an update, with a mask of the type's fields.
  ///
  /// The mask contains the names of all encoded fields and of optional properties that are nil, whose fields are thereby deleted.
  /// A field is replaced entirely, including nested members.
  ///
  /// - Throws: `EncodingError` if a value has no Firestore type or the result is not a map.
  package func update(_ value: some Encodable) throws -> (fields: FieldMap, mask: [FieldPath]) {
    let (fields, omitted) = try ValueEncoder.update(of: value, userInfo: userInfo)
    let names = fields.entries.map(\.name) + omitted.filter { fields[$0] == nil }
    return (fields, names.map { FieldPath(field: $0) })
  }

  /// Encodes a document for a path.
  ///
  /// - Throws: `EncodingError` if a value has no Firestore type or the result is not a map.
  public func encode(_ value: some Encodable, at path: DocumentPath) throws -> RawDocument {
    RawDocument(path: path, fields: try encode(value))
  }
}
