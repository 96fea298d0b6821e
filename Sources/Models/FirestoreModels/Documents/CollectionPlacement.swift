/// Maps the documents of a JSON Lines file to other paths than the ones in their names: one collection takes the place of
/// another.
///
///     let first = DocumentPath("groups/g1")
///     let placement = CollectionPlacement(teams, takingOver: first)
///     placement.path(of: "groups/g1/members/u1")    // teams/g1/members/u1
///     placement.path(of: "users/u1")                // nil: it is not in groups, nor below it
package struct CollectionPlacement: Sendable, Equatable {
  private let target: CollectionPath
  /// The collection that the target replaces; nil if every document goes directly into the target, under its own ID.
  package let origin: CollectionPath?

  /// Puts every document directly into `target` under its own ID, whatever its parents.
  package init(flattening target: CollectionPath) {
    self.target = target
    origin = nil
  }

  /// Puts `target` in the place of a collection, together with everything below it.
  ///
  /// The collection that is replaced is the one of the first document, or its ancestor that is as deep as `target`: a root
  /// collection replaces a root collection.
  package init(_ target: CollectionPath, takingOver first: DocumentPath) {
    self.target = target
    let depth = target.string.utf8.count { $0 == UInt8(ascii: "/") } + 1
    origin = CollectionPath(
      first.segments.prefix(min(depth, first.segments.count - 1)).joined(separator: "/")
    )
  }

  /// Returns the new path of a document; nil if the document is neither in ``origin`` nor below it.
  package func path(of document: DocumentPath) -> DocumentPath? {
    guard let origin else { return DocumentPath(target, document.id) }
    let name = document.string.utf8
    guard name.starts(with: origin.string.utf8),
      let slash = name.index(name.startIndex, offsetBy: origin.string.utf8.count, limitedBy: name.endIndex),
      slash < name.endIndex, name[slash] == UInt8(ascii: "/")
    else { return nil }
    return DocumentPath(target, String(document.string[name.index(after: slash)...]))
  }
}
