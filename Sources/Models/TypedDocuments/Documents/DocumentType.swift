package import FirestoreModels

/// A typed document, as ``Document`` and ``FieldsOnlyDocument`` are: made of an answer's fields and metadata.
package protocol DocumentType<Fields>: FieldAccess where Fields: Decodable {
  /// Makes a document of what an answer holds.
  ///
  /// - Throws: `DecodingError` where something is missing that the type needs.
  init(fields: Fields, metadata: DocumentMetadata) throws
}

/// What an answer tells of a document beside its fields.
package struct DocumentMetadata: Sendable {
  /// The document's name: full (`projects/P/databases/D/documents/…`) or relative to its database.
  package var name: String
  /// When it was created.
  package var createTime: Timestamp?
  /// When it last changed.
  package var updateTime: Timestamp?

  /// Makes metadata.
  package init(name: String, createTime: Timestamp? = nil, updateTime: Timestamp? = nil) {
    self.name = name
    self.createTime = createTime
    self.updateTime = updateTime
  }

  /// The document's path below its database, by a full or a relative name; nil where it is neither.
  package var path: DocumentPath? {
    if let (_, path) = DatabaseName.split(name) { return path }
    // The full name of a collection is no relative name of a document.
    let segments = name.utf8.split(
      separator: UInt8(ascii: "/"),
      maxSplits: 5,
      omittingEmptySubsequences: false
    )
    let isFull =
      segments.count > 4 && segments[0].elementsEqual("projects".utf8)
      && segments[2].elementsEqual("databases".utf8) && segments[4].elementsEqual("documents".utf8)
    return isFull ? nil : DocumentPath(name)
  }
}

extension DocumentType {
  /// Makes a document of the service's untyped one.
  ///
  /// The name is the full one in `database`, or relative where that is nil.
  ///
  /// - Throws: `DecodingError` where a field is missing or of another type, or where a time is missing that the type
  ///   needs.
  package init(decoding document: RawDocument, in database: DatabaseName? = nil) throws {
    let metadata = DocumentMetadata(
      name: database?.name(of: document.path) ?? document.path.string,
      createTime: document.createTime,
      updateTime: document.updateTime
    )
    let fields = try FirestoreDecoder().decode(Fields.self, from: document)
    self = try Self(fields: fields, metadata: metadata)
  }
}

enum DocumentKey: String, CodingKey {
  case name, fields, createTime, updateTime, documents
}
