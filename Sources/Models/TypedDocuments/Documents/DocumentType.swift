/// A typed document that has at least its fields: ``Document`` or ``FieldsOnlyDocument``.
public protocol FieldsOnlyDocumentType<Fields>: FieldAccess where Fields: Decodable {
  /// Makes a document from the parts of a response.
  ///
  /// - Throws: `DecodingError` if something that the type requires is missing.
  init(fields: Fields, metadata: DocumentMetadata) throws
}

/// A typed document with its name and times: ``Document``.
public protocol DocumentType<Fields>: FieldsOnlyDocumentType {
  /// The document name; in responses the full name, `projects/P/databases/D/documents/…`.
  var name: String { get }
  /// The creation time with all its digits.
  var createTime: Timestamp { get }
  /// The time of the last change with all its digits, for preconditions.
  var updateTime: Timestamp { get }
}

/// The parts of a document in a response other than its fields.
public struct DocumentMetadata: Sendable {
  /// The document name: full (`projects/P/databases/D/documents/…`) or relative to its database.
  public var name: String
  /// The creation time; nil if the response has none.
  public var createTime: Timestamp?
  /// The time of the last change; nil if the response has none.
  public var updateTime: Timestamp?

  /// Makes metadata of their parts.
  public init(name: String, createTime: Timestamp? = nil, updateTime: Timestamp? = nil) {
    self.name = name
    self.createTime = createTime
    self.updateTime = updateTime
  }

  /// The path below the database from a full or relative name; nil for any other name.
  public var path: DocumentPath? {
    if let (_, path) = DatabaseName.split(name) { return path }
    // The full name of a collection is not a relative document name.
    let slash = UInt8(ascii: "/")
    let segments = name.utf8.split(separator: slash, maxSplits: 5, omittingEmptySubsequences: false)
    let isFull =
      segments.count > 4 && segments[0].elementsEqual("projects".utf8)
      && segments[2].elementsEqual("databases".utf8) && segments[4].elementsEqual("documents".utf8)
    return isFull ? nil : DocumentPath(name)
  }
}

extension FieldsOnlyDocumentType {
  /// Makes a typed document from an untyped one.
  ///
  /// The name is the full name in `database`, or relative if that is nil.
  ///
  /// - Throws: `DecodingError` if a field is missing or has another type, or if a required time is missing.
  public init(decoding document: RawDocument, in database: DatabaseName? = nil) throws {
    let metadata = DocumentMetadata(
      name: database?.name(of: document.path) ?? document.path.string,
      createTime: document.createTime,
      updateTime: document.updateTime
    )
    try self.init(fields: FirestoreDecoder().decode(Fields.self, from: document), metadata: metadata)
  }
}

enum DocumentKey: String, CodingKey {
  case name, fields, createTime, updateTime, documents
}
