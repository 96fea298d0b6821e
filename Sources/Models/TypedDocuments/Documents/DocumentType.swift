#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A typed document that has at least fields: ``FieldsOnlyDocument``, ``Document``, or your own type.
///
/// It is decoded from the members of a response's document: `name`, `fields`, `createTime`, `updateTime`.
public protocol FieldsOnlyDocumentType<Fields>: FieldAccess, Decodable where Fields: Decodable {}

/// A typed document with its name and times: ``Document``, or your own type.
public protocol DocumentType<Fields>: FieldsOnlyDocumentType {
  /// The document name; in responses the full name, `projects/P/databases/D/documents/…`.
  var name: String { get }
  /// The creation time, with the precision of a `Date`.
  var createTime: Date { get }
  /// The time of the last change, with the precision of a `Date`.
  var updateTime: Date { get }
}

/// The members of a document in a response other than its fields.
struct DocumentMetadata {
  /// The document name: full (`projects/P/databases/D/documents/…`) or relative to its database.
  var name: String
  var createTime: Timestamp?
  var updateTime: Timestamp?

  /// The path below the database from a full or relative name; nil for any other name.
  var path: DocumentPath? {
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
  /// Creates a typed document from an untyped one.
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
    try self.init(fields: document.fields, metadata: metadata, codingPath: [], userInfo: [:])
  }

  /// Decodes a typed document from the members of a response's document, combined into one map.
  init(
    fields: FieldMap,
    metadata: DocumentMetadata,
    codingPath: [any CodingKey],
    userInfo: [CodingUserInfoKey: Any]
  ) throws {
    var parts: FieldMap = ["fields": .map(fields), "name": .string(metadata.name)]
    parts["createTime"] = metadata.createTime.map { .timestamp($0) }
    parts["updateTime"] = metadata.updateTime.map { .timestamp($0) }
    self = try ValueDecoder(
      value: .map(parts),
      codingPath: codingPath,
      userInfo: userInfo,
      documentPath: metadata.path
    ).unbox(Self.self)
  }
}

enum DocumentKey: String, CodingKey {
  case name, fields, createTime, updateTime, documents
}
