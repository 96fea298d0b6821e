package import FirestoreModels

/// Reads documents into plain `Codable` structs, as the app's repositories do with `data(as:)`.
///
/// | Swift | Firestore |
/// |---|---|
/// | `Bool`, `String`, enumerations with raw values | boolean, string, integer |
/// | `Int`, `Int8` … `UInt64` | integer that fits; double that is whole and fits |
/// | `Double` | double; integer that a double holds exactly |
/// | `Float` | the same, rounded; a number beyond its range is an error |
/// | `Date` | timestamp, to the precision of `Date`; ``Timestamp`` keeps everything |
/// | `Data` | bytes |
/// | `URL`, `UUID` | string |
/// | structs, dictionaries with text keys | map |
/// | arrays | array |
/// | ``Timestamp``, ``GeoPoint``, ``Value``, ``FieldMap``, typed values | exactly that |
///
/// Nothing else is converted: a string is never a number. Fields that the struct does not have are ignored. An
/// optional is nil where the field is absent or null. Errors are `DecodingError`s with the coding path.
///
/// A number reads as the official Swift library has it (whichever number type holds it), but for an integer beyond
/// 2^53 that a `Double` would round: there it is an error, because nothing may be lost silently.
package struct FirestoreDecoder: Sendable {
  /// Information for the types that are read.
  package var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes a decoder.
  package init() {}

  /// Reads fields; `path` is what a ``DocumentID`` tells.
  ///
  /// - Throws: `DecodingError` where a field is missing or of another type.
  package func decode<T: Decodable>(
    _ type: T.Type = T.self,
    from fields: FieldMap,
    path: DocumentPath? = nil
  ) throws -> T {
    try ValueDecoder(value: .map(fields), codingPath: [], userInfo: userInfo, documentPath: path).unbox(type)
  }

  /// Reads a document's fields, and its id where the type has a ``DocumentID``.
  ///
  /// - Throws: `DecodingError` where a field is missing or of another type.
  package func decode<T: Decodable>(_ type: T.Type = T.self, from document: RawDocument) throws -> T {
    try decode(type, from: document.fields, path: document.path)
  }
}
