/// Where the documents of JSON Lines go if they do not go where their names say: one collection of theirs becomes another.
///
///     let first = DocumentPath("groups/g1")
///     let placement = CollectionPlacement(teams, takingOver: first)
///     placement.path(of: "groups/g1/members/u1")    // teams/g1/members/u1
///     placement.path(of: "users/u1")                // nil: it is not in groups, nor below it
package struct CollectionPlacement: Sendable, Equatable {
  private let target: CollectionPath
  /// The collection whose place the target takes; nil if each document goes into the target itself, under its own ID.
  package let origin: CollectionPath?

  /// Puts each document into `target` under its own ID, whatever is above it.
  package init(flattening target: CollectionPath) {
    self.target = target
    origin = nil
  }

  /// Puts `target` in the place of a collection, and takes what is below along.
  ///
  /// The collection is that of the first document, or the one above it that is as deep as `target`: a root collection takes
  /// the place of a root collection.
  package init(_ target: CollectionPath, takingOver first: DocumentPath) {
    self.target = target
    let depth = target.string.utf8.count { $0 == UInt8(ascii: "/") } + 1
    origin = CollectionPath(
      first.segments.prefix(min(depth, first.segments.count - 1)).joined(separator: "/")
    )
  }

  /// Returns the path that a document gets; nil for one that is neither in ``origin`` nor below it.
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
