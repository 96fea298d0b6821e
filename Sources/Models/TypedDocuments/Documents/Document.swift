/// A document of a response with typed fields: immutable, with its name and times.
///
/// `Fields` is a struct of typed values, a plain `Codable` struct, or ``FieldMap``. Fields are accessible as
/// members of the document, unwrapped to plain types (see ``FieldAccess``):
///
///     struct AppFields: Decodable {
///       var index: IntegerValue
///       var iconURL: URLValue?
///     }
///     typealias App = Document<AppFields>
///
///     let app = try App(decoding: document)
///     app.index      // Int, from app.fields.index.integerValue
///     app.iconURL    // URL?
@dynamicMemberLookup
public struct Document<Fields: Decodable>: DocumentType, ExactTimes {
  /// The document name; in responses the full name, `projects/P/databases/D/documents/…`.
  public let name: String
  /// The typed fields.
  public let fields: Fields
  /// The creation time with all its digits.
  public let createTime: Timestamp
  /// The time of the last change with all its digits, for preconditions.
  public let updateTime: Timestamp

  /// Creates a document from its parts.
  public init(name: String, fields: Fields, createTime: Timestamp, updateTime: Timestamp) {
    self.name = name
    self.fields = fields
    self.createTime = createTime
    self.updateTime = updateTime
  }

  /// The path below the database; nil if the name is not a document name.
  public var path: DocumentPath? { DocumentMetadata(name: name).path }
}

extension Document: Decodable {
  /// Decodes the REST JSON of a document.
  public init(from decoder: any Decoder) throws {
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
  /// Encodes the REST JSON of a document; empty `fields` are omitted.
  public func encode(to encoder: any Encoder) throws {
    try encoder.write(
      document: fields,
      with: [
        "name": .string(name), "createTime": .timestamp(createTime), "updateTime": .timestamp(updateTime),
      ]
    )
  }

  /// Converts to an untyped document.
  ///
  /// - Throws: `EncodingError` if the name is not a document name or a field has no Firestore type.
  public func encoded() throws -> RawDocument {
    guard let path else {
      throw EncodingError.fault(Self.self, "the name is not a document name", at: [DocumentKey.name])
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
  /// Whether name (by its bytes), fields and times are equal.
  public static func == (a: Document, b: Document) -> Bool {
    a.name.isIdentical(to: b.name) && a.fields == b.fields && a.createTime == b.createTime
      && a.updateTime == b.updateTime
  }
}

extension Document: Sendable where Fields: Sendable {}

// MARK: - Fields within a foreign coder

extension KeyedDecodingContainer<DocumentKey> {
  /// Decodes the fields through ``FieldMap``, so that every decoder accepts the same types.
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

extension Encoder {
  /// Writes a document of fields, which are omitted if there are none, and other members.
  func write(document fields: some Encodable, with others: FieldMap = [:]) throws {
    let fields = try ValueEncoder.fields(
      of: fields,
      codingPath: codingPath + [DocumentKey.fields],
      userInfo: userInfo
    )
    var document = others
    if !fields.isEmpty { document["fields"] = .map(fields) }
    try write(.map(document)) { json in
      json.object { json in
        if !fields.isEmpty {
          json.key("fields")
          json.fields(fields)
        }
        for member in others.entries {
          json.key(member.name)
          json.plain(member.value)
        }
      }
    }
  }
}
