/// Decodes documents into plain `Codable` structs, like `data(as:)` in the Firebase SDK.
///
///     struct Member: Codable {
///       var firstName: String
///       var visits: Int
///       var birthDate: Date?
///     }
///     let member = try FirestoreDecoder().decode(Member.self, from: document)
///
/// | Swift | Firestore |
/// |---|---|
/// | `Bool`, `String`, enums with raw values | boolean, string, integer |
/// | `Int`, `Int8` … `UInt64` | integer that fits; double that is integral and fits |
/// | `Double` | double; integer that a double represents exactly |
/// | `Float` | the same, rounded; an error if out of range |
/// | `Date` | timestamp, with the precision of `Date`; ``Timestamp`` keeps all digits |
/// | `Data` | bytes |
/// | `URL`, `UUID` | string that they write back unchanged |
/// | structs, dictionaries whose keys keep all names | map |
/// | arrays | array |
/// | ``Timestamp``, ``GeoPoint``, ``Value``, ``FieldMap``, typed values | exactly that |
///
/// There are no other conversions: a string is never a number. Unknown fields are ignored. An optional is nil
/// if the field is absent or null. Errors are `DecodingError`s with the coding path.
///
/// Numbers are converted as in the official Swift library, except that an integer beyond 2^53 that a `Double`
/// would round is an error.
public struct FirestoreDecoder: Sendable {
  /// Information that is passed to the decoded types.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates a decoder.
  public init() {}

  /// Decodes fields; `path` provides the ``DocumentID``.
  ///
  /// - Throws: `DecodingError` if a field is missing or has another type.
  public func decode<T: Decodable>(
    _ type: T.Type = T.self,
    from fields: FieldMap,
    path: DocumentPath? = nil
  ) throws -> T {
    try ValueDecoder(value: .map(fields), codingPath: [], userInfo: userInfo, documentPath: path).unbox(type)
  }

  /// Decodes the fields of a document, and its ID if the type has a ``DocumentID``.
  ///
  /// - Throws: `DecodingError` if a field is missing or has another type.
  public func decode<T: Decodable>(_ type: T.Type = T.self, from document: RawDocument) throws -> T {
    try decode(type, from: document.fields, path: document.path)
  }
}
