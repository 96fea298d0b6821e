/// A document as the service stores it: untyped fields under a path.
package struct RawDocument: Sendable, Equatable {
  /// Where it is, below its database.
  package var path: DocumentPath
  /// Its fields.
  package var fields: FieldMap
  /// When it was created; the service's to set, nil where a document was not read from it.
  package var createTime: Timestamp?
  /// When it last changed; the service's to set, and what a precondition names.
  package var updateTime: Timestamp?

  /// Makes a document.
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
