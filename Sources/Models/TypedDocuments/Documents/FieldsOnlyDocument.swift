/// The fields of a document without name and times, for editing and for `create` and `patch` requests.
///
/// Fields are accessible as members of the document, as plain types; setting nil removes an optional field:
///
///     var app = FieldsOnlyDocument(fields: AppFields(index: 4, iconURL: nil))
///     app.index = 1
///     app.iconURL = URL(string: "https://example.org/icon.png")
///     let body = try JSONEncoder().encode(app)    // {"fields":{…}}
@dynamicMemberLookup
public struct FieldsOnlyDocument<Fields: Decodable>: FieldsOnlyDocumentType, MutableFieldAccess {
  /// The fields.
  public var fields: Fields

  /// Creates a document from its fields.
  public init(fields: Fields) { self.fields = fields }

  /// Copies the fields of a document.
  public init(_ document: Document<Fields>) { fields = document.fields }

  /// Decodes untyped fields.
  ///
  /// - Throws: `DecodingError` if a field is missing or has another type.
  public init(decoding fields: FieldMap) throws {
    self.fields = try FirestoreDecoder().decode(Fields.self, from: fields)
  }
}

extension FieldsOnlyDocument: Decodable {
  /// Decodes the fields of a document in REST JSON; an object with other members alone, such as an error, is none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DocumentKey.self)
    if !container.allKeys.contains(where: { $0 != .documents }) {
      guard try decoder.container(keyedBy: FieldKey.self).allKeys.isEmpty else {
        throw DecodingError.fault("the object has no member of a document", at: decoder.codingPath)
      }
    }
    let name = try container.decodeIfPresent(String.self, forKey: .name)
    fields = try container.decodeFields(Fields.self, name: name, userInfo: decoder.userInfo)
  }
}

extension FieldsOnlyDocument: Encodable where Fields: Encodable {
  /// Encodes `{"fields": {…}}`, or `{}` if there are none.
  public func encode(to encoder: any Encoder) throws {
    try encoder.write(document: fields)
  }

  /// Converts to untyped fields.
  ///
  /// - Throws: `EncodingError` if a field has no Firestore type.
  public func encoded() throws -> FieldMap { try FirestoreEncoder().encode(fields) }

  /// Converts to an untyped document for a path.
  ///
  /// - Throws: `EncodingError` if a field has no Firestore type.
  public func encoded(at path: DocumentPath) throws -> RawDocument {
    try FirestoreEncoder().encode(fields, at: path)
  }
}

extension FieldsOnlyDocument: Equatable where Fields: Equatable {}
extension FieldsOnlyDocument: Sendable where Fields: Sendable {}
