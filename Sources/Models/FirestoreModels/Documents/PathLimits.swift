/// The limits of collection and document IDs
/// (https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields).
package enum PathLimits {
  package static let maximumIDBytes = 1500
  package static let maximumNameBytes = 6 << 10
  /// The maximum number of collections in a path.
  package static let maximumCollectionDepth = 100

  package static func violations(of path: DocumentPath) -> [DocumentLimits.Violation] {
    violations(of: path.string, endsInDocument: true)
  }

  package static func violations(of path: CollectionPath) -> [DocumentLimits.Violation] {
    violations(of: path.string, endsInDocument: false)
  }

  /// The violation in one ID.
  ///
  /// - Parameter isDocument: Whether it is a document ID. Only documents have numeric IDs (`__id7__`); as
  ///   collection IDs those are reserved.
  package static func violation(ofID id: String, isDocument: Bool) -> DocumentLimits.Violation? {
    let kind = isDocument ? "document" : "collection"
    var shown: String { "the \(kind) id '\(shortened(id))'" }
    let count = id.utf8.count
    if count == 0 { return .init(.emptyID, "a \(kind) id is empty") }
    if count > maximumIDBytes {
      return .init(.longID, "\(shown) has \(count) bytes; at most \(maximumIDBytes) are allowed")
    }
    if id.isIdentical(to: ".") || id.isIdentical(to: "..") {
      return .init(.reservedID, "\(shown) is not allowed")
    }
    if id.utf8.contains(UInt8(ascii: "/")) { return .init(.reservedID, "\(shown) contains a slash") }
    if isReserved(id), !(isDocument && ResourceID.number(id) != nil) {
      return .init(.reservedID, "\(shown) is reserved: no id may begin and end with __")
    }
    return nil
  }

  /// Whether a name matches the reserved pattern `__.*__`.
  package static func isReserved(_ name: String) -> Bool { name.withBytes { isReserved($0) } }

  /// As ``isReserved(_:)-(String)``, of the bytes of a name.
  package static func isReserved(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let (mark, count) = (UInt8(ascii: "_"), name.count)
    return count >= 4 && name[0] == mark && name[1] == mark && name[count - 1] == mark
      && name[count - 2] == mark
  }

  /// Truncates a name for a message.
  package static func shortened(_ name: String) -> String {
    name.utf8.count <= 60 ? name : String(name.unicodeScalars.prefix(30)) + "…"
  }

  private static func violations(of path: String, endsInDocument: Bool) -> [DocumentLimits.Violation] {
    let ids = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var violations: [DocumentLimits.Violation] = []
    if (ids.count % 2 == 0) != endsInDocument {
      let kind = endsInDocument ? "document" : "collection"
      violations.append(.init(.malformedPath, "'\(shortened(path))' is not the path of a \(kind)"))
    }
    for (index, id) in ids.enumerated() {
      if let violation = violation(ofID: String(Substring(id)), isDocument: index % 2 == 1) {
        violations.append(violation)
      }
    }
    let depth = (ids.count + 1) / 2
    if depth > maximumCollectionDepth {
      violations.append(
        .init(.deepPath, "the path has \(depth) collections; at most \(maximumCollectionDepth) are allowed")
      )
    }
    // The full name also has project and database; this much is certainly too long.
    if path.utf8.count > maximumNameBytes {
      violations.append(
        .init(.longName, "the name has \(path.utf8.count) bytes; at most \(maximumNameBytes) are allowed")
      )
    }
    return violations
  }
}
