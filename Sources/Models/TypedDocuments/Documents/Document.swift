package import FirestoreModels

/// A document as an answer of the service holds it: immutable, with its name and times.
///
/// `Fields` is a struct of typed values, a plain `Codable` struct, or ``FieldMap``. Fields are read as members of the
/// document, unwrapped to plain types (see ``FieldAccess``):
///
/// ```swift
/// struct AppFields: Decodable {
///   var index: IntegerValue
///   var iconURL: URLValue?
/// }
/// typealias App = Document<AppFields>
/// app.index    // Int, of app.fields.index.integerValue
/// app.iconURL  // URL?
/// ```
@dynamicMemberLookup
package struct Document<Fields: Decodable>: DocumentType {
  /// The document's name, in answers the full one: `projects/P/databases/D/documents/…`.
  package let name: String
  /// The fields.
  package let fields: Fields
  /// When the document was created, with all its digits.
  package let createTime: Timestamp
  /// When it last changed, with all its digits: what a precondition names.
  package let updateTime: Timestamp

  /// Makes a document.
  package init(name: String, fields: Fields, createTime: Timestamp, updateTime: Timestamp) {
    self.name = name
    self.fields = fields
    self.createTime = createTime
    self.updateTime = updateTime
  }

  /// Makes a document of what an answer holds.
  ///
  /// - Throws: `DecodingError` where one of the times is missing.
  package init(fields: Fields, metadata: DocumentMetadata) throws {
    func required(_ time: Timestamp?, _ key: DocumentKey) throws -> Timestamp {
      guard let time else {
        throw DecodingError.keyNotFound(key, .fault("\(key.rawValue) is missing", at: [key]))
      }
      return time
    }
    self.init(
      name: metadata.name,
      fields: fields,
      createTime: try required(metadata.createTime, .createTime),
      updateTime: try required(metadata.updateTime, .updateTime)
    )
  }

  /// The document's path below its database; nil where the name is no document's.
  package var path: DocumentPath? { DocumentMetadata(name: name).path }
}

extension Document: Decodable {
  /// Reads the service's JSON of a document.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DocumentKey.self)
    let name = try container.decode(String.self, forKey: .name)
    self.init(
      name: name,
      fields: try container.decodeFields(Fields.self, name: name, userInfo: decoder.userInfo),
      createTime: try container.decode(Timestamp.self, forKey: .createTime),
      updateTime: try container.decode(Timestamp.self, forKey: .updateTime)
    )
  }
}

extension Document: Encodable where Fields: Encodable {
  /// Writes the service's JSON of a document; `fields` is left out where there are none.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DocumentKey.self)
    try container.encode(name, forKey: .name)
    try container.encodeFields(fields, for: encoder)
    try container.encode(createTime, forKey: .createTime)
    try container.encode(updateTime, forKey: .updateTime)
  }

  /// The untyped document.
  ///
  /// - Throws: `EncodingError` where the name is no document's or a field has no Firestore type.
  package func encoded() throws -> RawDocument {
    guard let path else {
      throw EncodingError.fault(Self.self, "the name is no document's", at: [DocumentKey.name])
    }
    return RawDocument(
      path: path,
      fields: try FirestoreEncoder().encode(fields),
      createTime: createTime,
      updateTime: updateTime
    )
  }
}

extension Document: Equatable where Fields: Equatable {
  /// Whether both are the same, their names by their bytes.
  package static func == (a: Document, b: Document) -> Bool {
    a.name.isIdentical(to: b.name) && a.fields == b.fields && a.createTime == b.createTime
      && a.updateTime == b.updateTime
  }
}

extension Document: Sendable where Fields: Sendable {}

// MARK: - Fields within a foreign coder

extension KeyedDecodingContainer<DocumentKey> {
  /// The fields by way of ``FieldMap``, so that every decoder reads the same types.
  func decodeFields<Fields: Decodable>(
    _ type: Fields.Type,
    name: String?,
    userInfo: [CodingUserInfoKey: Any]
  ) throws -> Fields {
    let fields = try decodeIfPresent(FieldMap.self, forKey: .fields) ?? FieldMap()
    return try ValueDecoder(
      value: .map(fields),
      codingPath: codingPath + [DocumentKey.fields],
      userInfo: userInfo,
      documentPath: name.flatMap { DocumentMetadata(name: $0).path }
    ).unbox(type)
  }
}

extension KeyedEncodingContainer<DocumentKey> {
  mutating func encodeFields(_ fields: some Encodable, for encoder: any Encoder) throws {
    let map = try ValueEncoder.fields(
      of: fields,
      codingPath: codingPath + [DocumentKey.fields],
      userInfo: encoder.userInfo
    )
    if !map.isEmpty { try encode(map, forKey: .fields) }
  }
}
