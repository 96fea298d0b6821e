package import FirestoreModels

/// The collections that a command names: paths, patterns, or all.
package struct CollectionSelection: Sendable, Equatable {
  /// The paths and patterns; none where all root collections are meant.
  ///
  /// `*` stands within the name of a root collection for any text (`class*`), or alone for any document's id
  /// (`groups/*/members`).
  package let names: [String]
  /// Whether subcollections are included.
  package let isDeep: Bool

  /// Collections of gymmigrate's own, which are not meant by `--all` and by patterns.
  package static let ownPrefix = "_gymmigrate"

  /// Makes a selection; nil for names means all root collections.
  package init(_ names: [String]?, isDeep: Bool) {
    self.names = names ?? []
    self.isDeep = isDeep
  }

  /// Why a name is neither a path of a collection nor a pattern of one; nil where it is.
  package static func defect(of name: String) -> String? {
    guard let path = CollectionPath(name) else {
      return
        "is not the path of a collection; those have an odd number of segments, as users or groups/g1/members"
    }
    let segments = path.string.utf8.split(separator: UInt8(ascii: "/"))
    for (index, segment) in segments.enumerated() where segment.contains(UInt8(ascii: "*")) && index > 0 {
      if index % 2 == 0 || segment.count > 1 {
        return "has a * that is neither within the name of a root collection nor alone for a document's id"
      }
    }
    if let violation = PathLimits.violations(of: path).first {
      return "is not the path of a collection that the service takes: \(violation.message)"
    }
    return nil
  }

  /// Whether the root collections of the database have to be known.
  package var wantsRoots: Bool {
    names.isEmpty || names.contains { Self.first(of: $0).utf8.contains(Self.star) }
  }

  private static let star = UInt8(ascii: "*")

  private static func first(of name: String) -> String {
    name.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1).first.map { String(Substring($0)) } ?? name
  }

  /// The parts of the database that are meant, in the order of their names, none within another.
  ///
  /// - Parameter roots: The root collections that there are.
  /// - Throws: `.inputMissing` where no collection has the name that a pattern asks for.
  package func scopes(roots: [CollectionPath]) throws(Failure) -> [CollectionScope] {
    CollectionScope.normalized(try allScopes(roots: roots))
  }

  /// The same in the order in which they were named.
  ///
  /// - Throws: As ``scopes(roots:)``.
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
      let found = roots.filter { Self.matches(Array($0.string.utf8), Array(first.utf8)) }
      if found.isEmpty {
        throw Failure(
          .inputMissing,
          "find the collections",
          path: name,
          cause: "no root collection has such a name",
          remedy: "'gymmigrate count --all' shows those that there are."
        )
      }
      for root in found { scopes += scope(root.string + rest) }
    }
    return scopes
  }

  /// Whether a name, which may be a pattern, means a collection; a `*` within the root stands for any text.
  package static func name(_ name: String, means collection: CollectionPath) -> Bool {
    let wanted = name.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }
    let found = collection.string.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard wanted.count == found.count, let root = wanted.first, matches(found[0], root) else { return false }
    return zip(wanted, found).dropFirst().allSatisfy { $0 == [star] || $0 == $1 }
  }

  private func scope(_ name: String) -> [CollectionScope] {
    CollectionPath(name).map { [CollectionScope(pathOrPattern: $0, isDeep: isDeep)] } ?? []
  }

  /// Whether a text matches a pattern in which `*` stands for any bytes.
  static func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
    var (at, position) = (0, 0)
    var retry: (pattern: Int, text: Int)?
    while at < text.count {
      if position < pattern.count, pattern[position] == star {
        retry = (position, at)
        position += 1
      } else if position < pattern.count, pattern[position] == text[at] {
        (at, position) = (at + 1, position + 1)
      } else if let last = retry {
        retry = (last.pattern, last.text + 1)
        (at, position) = (last.text + 1, last.pattern + 1)
      } else {
        return false
      }
    }
    return pattern[position...].allSatisfy { $0 == star }
  }
}

extension CollectionPath {
  /// Whether it is one of gymmigrate's own collections, or below one.
  package var isReserved: Bool { string.utf8.starts(with: CollectionSelection.ownPrefix.utf8) }
}

extension DocumentPath {
  /// Whether it is in one of gymmigrate's own collections, or below one.
  package var isReserved: Bool { collection.isReserved }
}
