/// The collections that a command selects: paths, patterns or all.
package struct CollectionSelection: Sendable, Equatable {
  /// The paths and patterns, and paths of documents; empty for all root collections.
  ///
  /// In the name of a root collection, `*` matches any text (`class*`); elsewhere it has to stand alone, and matches any
  /// document ID (`groups/*/members`).
  package let names: [String]
  /// Whether subcollections are included.
  package let isDeep: Bool

  /// The prefix of gymmigrate's own collections, which `--all` and patterns exclude.
  package static let ownPrefix = "_gymmigrate"

  /// Creates a selection; nil selects all root collections.
  package init(_ names: [String]?, isDeep: Bool) {
    self.names = names ?? []
    self.isDeep = isDeep
  }

  /// Returns why a name is neither a collection path nor a pattern; nil if it is valid.
  package static func defect(of name: String) -> String? {
    guard let path = CollectionPath(name) else {
      return
        "is not a collection path, which has an odd number of segments, such as users or groups/g1/members"
    }
    let segments = path.string.utf8.split(separator: UInt8(ascii: "/"))
    for (index, segment) in segments.enumerated() where segment.contains(UInt8(ascii: "*")) && index > 0 {
      if index % 2 == 0 || segment.count > 1 {
        return "has a * that is neither in the name of a root collection nor alone in place of a document ID"
      }
    }
    if let violation = PathLimits.violations(of: path).first {
      return "is not a collection path that the service accepts: \(violation.message)"
    }
    return nil
  }

  /// Whether the root collections of the database have to be listed first.
  package var wantsRoots: Bool {
    names.isEmpty || names.contains { Self.first(of: $0).utf8.contains(Self.star) }
  }

  private static let star = UInt8(ascii: "*")

  private static func first(of name: String) -> String {
    name.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1).first.map { String(Substring($0)) } ?? name
  }

  /// Returns the selected scopes, sorted by name and without overlaps.
  ///
  /// - Parameter roots: The root collections of the database.
  /// - Throws: `.inputMissing` if no collection matches a pattern.
  package func scopes(roots: [CollectionPath]) throws(Failure) -> [CollectionScope] {
    CollectionScope.normalized(try allScopes(roots: roots))
  }

  /// Returns the selected scopes in the given order, without overlaps.
  ///
  /// - Throws: The errors of ``scopes(roots:)``.
  package func namedScopes(roots: [CollectionPath]) throws(Failure) -> [CollectionScope] {
    CollectionScope.distinct(try allScopes(roots: roots))
  }

  private func allScopes(roots: [CollectionPath]) throws(Failure) -> [CollectionScope] {
    let roots = roots.filter { !$0.isReserved }.sorted()
    if names.isEmpty { return roots.map { CollectionScope($0, isDeep: isDeep) } }
    var scopes: [CollectionScope] = []
    for name in names {
      let first = Self.first(of: name)
      guard first.utf8.contains(Self.star) else {
        scopes += scope(name)
        continue
      }
      let rest = String(Substring(name.utf8.dropFirst(first.utf8.count)))
      let found = roots.filter { Array($0.string.utf8).matches(Array(first.utf8), star: Self.star) }
      if found.isEmpty {
        throw Failure(
          .inputMissing,
          "find the collections",
          path: name,
          cause: "no root collection matches",
          remedy: "'gymmigrate count --all' lists the existing ones."
        )
      }
      for root in found { scopes += scope(root.string + rest) }
    }
    return scopes
  }

  /// Whether a name or pattern selects a collection; a `*` in the root segment matches any text.
  package static func name(_ name: String, means collection: CollectionPath) -> Bool {
    let wanted = name.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }
    let found = collection.string.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard wanted.count == found.count, let root = wanted.first, found[0].matches(root, star: star)
    else { return false }
    return zip(wanted, found).dropFirst().allSatisfy { $0 == [star] || $0 == $1 }
  }

  private func scope(_ name: String) -> [CollectionScope] {
    if let document = DocumentPath(name) { return [CollectionScope(document: document, isDeep: isDeep)] }
    return CollectionPath(name).map { [CollectionScope(pathOrPattern: $0, isDeep: isDeep)] } ?? []
  }
}

extension CollectionPath {
  /// Whether it is one of gymmigrate's own collections, or below one.
  package var isReserved: Bool { string.utf8.starts(with: CollectionSelection.ownPrefix.utf8) }
}

extension DocumentPath {
  /// Whether it is in one of gymmigrate's own collections, or below one.
  package var isReserved: Bool { string.utf8.starts(with: CollectionSelection.ownPrefix.utf8) }
}
