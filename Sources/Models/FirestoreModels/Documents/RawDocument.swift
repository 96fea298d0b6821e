/// An untyped document: a path and fields, and the times that the service set.
///
/// See `Document` in TypedDocuments for documents as Swift types.
///
///     let document = RawDocument(
///       path: DocumentPath(CollectionPath(nil, "users"), "u1"),
///       fields: ["role": .string("admin")]
///     )
public struct RawDocument: Sendable, Equatable {
  /// The path below the database.
  public var path: DocumentPath
  /// The fields.
  public var fields: FieldMap
  /// The creation time; nil if the document was not read from the service.
  public var createTime: Timestamp?
  /// The time of the last change, used in preconditions; nil if the document was not read from the service.
  public var updateTime: Timestamp?

  /// Creates a document from its parts.
  public init(
    path: DocumentPath,
    fields: FieldMap,
    createTime: Timestamp? = nil,
    updateTime: Timestamp? = nil
  ) {
    self.path = path
    self.fields = fields
    self.createTime = createTime
    self.updateTime = updateTime
  }
}
