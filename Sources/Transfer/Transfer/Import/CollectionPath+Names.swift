extension CollectionPath {
  /// Returns the document path for a name: an ID, a path below the collection, a full path, or one with its database.
  ///
  /// Below a pattern (`groups/*/members`), a path begins after the last ID that all documents have in common.
  func document(named name: String, readsPaths: Bool) -> DocumentPath? {
    if readsPaths, let (_, path) = DatabaseName.split(name) {
      return document(named: path.string, readsPaths: true)
    }
    if DatabaseName.beginsName(name) { return nil }
    let slashes = name.utf8.count { $0 == UInt8(ascii: "/") }
    let isPattern = string.utf8.contains(UInt8(ascii: "*"))
    if slashes == 0, !isPattern { return DocumentPath("\(string)/\(name)") }
    guard readsPaths else { return nil }
    if slashes % 2 == 1 {
      // A full path, as an export of a collection group writes it.
      guard let path = DocumentPath(name),
        path.collection.pattern == pattern || path.collection.id.isIdentical(to: string)
      else { return nil }
      return path
    }
    var base = Substring(string)
    if isPattern, let star = string.firstRange(of: "/*") {
      base = string[..<star.lowerBound]
    }
    guard let path = DocumentPath("\(base)/\(name)") else { return nil }
    if isPattern, path.collection.pattern != pattern { return nil }
    return path
  }
}
