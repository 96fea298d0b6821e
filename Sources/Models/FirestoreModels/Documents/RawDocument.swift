/// An untyped document: a path and fields, and the times that the service set.
///
/// See `Document` in TypedDocuments for documents as Swift types.
///
///     let document = RawDocument(
///       path: DocumentPath(CollectionPath(nil, "users"), "u1"),
///       fields: ["role": .string("admin")]
///     )
package struct RawDocument: Sendable, Equatable {
  /// The path below the database.
  package var path: DocumentPath
  package var fields: FieldMap
  /// The creation time; nil if the document was not read from the service.
  package var createTime: Timestamp?
  /// The time of the last change, used in preconditions; nil if the document was not read from the service.
  package var updateTime: Timestamp?

  package init(
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
