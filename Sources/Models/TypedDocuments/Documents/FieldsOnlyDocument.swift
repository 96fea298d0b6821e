package import FirestoreModels

/// The fields of a document alone, to be changed and written: what `create` and `patch` send.
///
/// Fields are read and written as members of the document, as plain types; writing nil removes an optional field:
///
/// ```swift
/// var app = FieldsOnlyDocument(fields: AppFields(index: 4, iconURL: nil))
/// app.index = 1
/// app.iconURL = URL(string: "https://example.org/icon.png")
/// let body = try JSONEncoder().encode(app)  // {"fields":{…}}
/// ```
@dynamicMemberLookup
package struct FieldsOnlyDocument<Fields: Decodable>: DocumentType, MutableFieldAccess {
  /// The fields.
  package var fields: Fields

  /// Makes a document of its fields.
  package init(fields: Fields) { self.fields = fields }

  /// Takes the fields of an answer and leaves the rest.
  package init(fields: Fields, metadata: DocumentMetadata) { self.fields = fields }

  /// Takes the fields of a document, to change them.
  package init(_ document: Document<Fields>) { fields = document.fields }

  /// Makes a document of untyped fields.
  ///
  /// - Throws: `DecodingError` where a field is missing or of another type.
  package init(decoding fields: FieldMap) throws {
    self.fields = try FirestoreDecoder().decode(Fields.self, from: fields)
  }
}

extension FieldsOnlyDocument: Decodable {
  /// Reads the fields of the service's JSON of a document.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DocumentKey.self)
    let name = try container.decodeIfPresent(String.self, forKey: .name)
    fields = try container.decodeFields(Fields.self, name: name, userInfo: decoder.userInfo)
  }
}

extension FieldsOnlyDocument: Encodable where Fields: Encodable {
  /// Writes `{"fields": {…}}`, or `{}` where there are none.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DocumentKey.self)
    try container.encodeFields(fields, for: encoder)
  }

  /// The untyped fields.
  ///
  /// - Throws: `EncodingError` where a field has no Firestore type.
  package func encoded() throws -> FieldMap {
    try FirestoreEncoder().encode(fields)
  }

  /// The untyped document to be written at a path.
  ///
  /// - Throws: `EncodingError` where a field has no Firestore type.
  package func encoded(at path: DocumentPath) throws -> RawDocument {
    try FirestoreEncoder().encode(fields, at: path)
  }
}

extension FieldsOnlyDocument: Equatable where Fields: Equatable {}
extension FieldsOnlyDocument: Sendable where Fields: Sendable {}
