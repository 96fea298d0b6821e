package import FirestoreModels

/// A typed document, made of the fields and metadata of a response: ``Document`` or ``FieldsOnlyDocument``.
package protocol DocumentType<Fields>: FieldAccess where Fields: Decodable {
  /// Makes a document from the parts of a response.
  ///
  /// - Throws: `DecodingError` if something that the type requires is missing.
  init(fields: Fields, metadata: DocumentMetadata) throws
}

/// The parts of a document in a response other than its fields.
package struct DocumentMetadata: Sendable {
  /// The document name: full (`projects/P/databases/D/documents/…`) or relative to its database.
  package var name: String
  package var createTime: Timestamp?
  package var updateTime: Timestamp?

  package init(name: String, createTime: Timestamp? = nil, updateTime: Timestamp? = nil) {
    self.name = name
    self.createTime = createTime
    self.updateTime = updateTime
  }

  /// The path below the database from a full or relative name; nil for any other name.
  package var path: DocumentPath? {
    if let (_, path) = DatabaseName.split(name) { return path }
    // The full name of a collection is not a relative document name.
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
  /// Makes a typed document from an untyped one.
  ///
  /// The name is the full name in `database`, or relative if that is nil.
  ///
  /// - Throws: `DecodingError` if a field is missing or has another type, or if a required time is missing.
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
