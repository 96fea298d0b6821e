import Files

/// The documents that an export lists as deleted.
final class DeletionInput: DocumentInput {
  private var list: DeletedDocuments
  private let placement: CollectionPlacement?

  /// Opens a list.
  ///
  /// - Parameter placement: Where the documents of the export go; nil to go by their names.
  /// - Throws: ``Failure`` of kind `inputMissing`.
  init(_ path: String, via files: FileAccess, placement: CollectionPlacement?) throws(Failure) {
    list = try DeletedDocuments(path, via: files)
    self.placement = placement
  }

  var position: Int { list.position }

  func next() throws(Failure) -> DocumentRow? {
    while let deleted = try list.next() {
      // A document that has no place now had none when the export was imported either.
      let path = placement.map { $0.path(of: deleted.name) } ?? deleted.name
      if let path { return DocumentRow(number: list.number, content: .deleted(path)) }
    }
    return nil
  }

  func skip(through number: Int) throws(Failure) {
    while list.number < number, try list.next() != nil {}
  }
}
