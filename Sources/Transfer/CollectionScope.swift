public import Models

/// Part of a database: a collection, what is below it where that is wanted, or the collections of one kind below it.
public struct CollectionScope: Sendable, Equatable {
  /// The collection that the read begins at.
  public let collection: CollectionPath
  /// Whether what is below the documents belongs to it, also below documents that are missing.
  public let isDeep: Bool
  /// The kind of collection that alone is meant, as `groups/*/members`; nil where it is the collection itself.
  public let kind: CollectionPath?

  /// Makes a scope.
  public init(_ collection: CollectionPath, isDeep: Bool, kind: CollectionPath? = nil) {
    self.collection = collection
    self.isDeep = isDeep
    self.kind = kind
  }

  /// What it is called in summaries.
  public var name: CollectionPath { kind ?? collection }

  /// The read that covers it; what comes and does not belong to it is left out by ``contains(_:)``.
  var read: CollectionRead {
    var read = CollectionRead(collection)
    if isDeep || kind != nil { read.reach = .subcollections }
    return read
  }

  /// Whether a document belongs to it.
  public func contains(_ path: DocumentPath) -> Bool {
    if let kind {
      let wanted = kind.string.utf8.split(separator: Self.slash)
      let segments = path.string.utf8.split(separator: Self.slash)
      guard isDeep ? segments.count > wanted.count : segments.count == wanted.count + 1 else { return false }
      return zip(wanted, segments).allSatisfy { $0.elementsEqual("*".utf8) || $0.elementsEqual($1) }
    }
    let prefix = collection.string.utf8
    let utf8 = path.string.utf8
    guard utf8.count > prefix.count + 1, utf8.starts(with: prefix) else { return false }
    let rest = utf8.dropFirst(prefix.count)
    guard rest.first == Self.slash else { return false }
    return isDeep || !rest.dropFirst().contains(Self.slash)
  }

  private static let slash = UInt8(ascii: "/")

  /// Whether all of another scope is in this one.
  private func covers(_ other: CollectionScope) -> Bool {
    contains(DocumentPath(other.name, "x")) && (isDeep || !other.isDeep)
  }

  /// Whether names of different scopes may alternate in the order of names.
  static func interleave(_ scopes: [CollectionScope]) -> Bool {
    for (index, scope) in scopes.enumerated() {
      for other in scopes.dropFirst(index + 1) {
        let same = scope.collection == other.collection
        let below = other.collection.string.utf8.starts(with: "\(scope.collection.string)/".utf8)
        let above = scope.collection.string.utf8.starts(with: "\(other.collection.string)/".utf8)
        if same || below || above { return true }
      }
    }
    return false
  }

  /// The scope that a document belongs to, nil for none; the first where it is in several.
  static func index(of path: DocumentPath, in scopes: [CollectionScope]) -> Int? {
    scopes.firstIndex { $0.contains(path) }
  }

  /// The scopes without those that others cover, in the order of their collections.
  static func normalized(_ scopes: [CollectionScope]) -> [CollectionScope] {
    var kept: [CollectionScope] = []
    for scope in scopes where !kept.contains(where: { $0.covers(scope) }) {
      kept.removeAll { scope.covers($0) }
      kept.append(scope)
    }
    return kept.sorted { ($0.collection, $0.name) < ($1.collection, $1.name) }
  }
}

/// The collections that a command names: paths, patterns, or all.
public struct CollectionSelection: Sendable, Equatable {
  /// The paths and patterns; none where all root collections are meant.
  ///
  /// `*` stands within the name of a root collection for any text (`class*`), or alone for any document's id
  /// (`groups/*/members`).
  public let names: [String]
  /// Whether subcollections are included.
  public let isDeep: Bool

  /// Collections of gymmigrate's own, which are not meant by `--all` and by patterns.
  public static let ownPrefix = "_gymmigrate"

  /// Makes a selection; nil for names means all root collections.
  public init(_ names: [String]?, isDeep: Bool) {
    self.names = names ?? []
    self.isDeep = isDeep
  }

  /// Why a name is neither a path of a collection nor a pattern of one; nil where it is.
  public static func defect(of name: String) -> String? {
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
  public var wantsRoots: Bool {
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
  public func scopes(roots: [CollectionPath]) throws(Failure) -> [CollectionScope] {
    let roots = roots.filter { !$0.string.utf8.starts(with: Self.ownPrefix.utf8) }
    if names.isEmpty {
      return CollectionScope.normalized(roots.map { CollectionScope($0, isDeep: isDeep) })
    }
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
    return CollectionScope.normalized(scopes)
  }

  private func scope(_ name: String) -> [CollectionScope] {
    guard let path = CollectionPath(name) else { return [] }
    let segments = path.string.utf8.split(separator: UInt8(ascii: "/"))
    guard let at = segments.firstIndex(where: { $0.elementsEqual("*".utf8) }), at > 0,
      let root = CollectionPath(segments[..<at].map { String(Substring($0)) }.joined(separator: "/"))
    else { return [CollectionScope(path, isDeep: isDeep)] }
    return [CollectionScope(root, isDeep: isDeep, kind: path)]
  }

  /// Whether a text matches a pattern in which `*` stands for any bytes.
  static func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
    var (at, place) = (0, 0)
    var retry: (pattern: Int, text: Int)?
    while at < text.count {
      if place < pattern.count, pattern[place] == star {
        retry = (place, at)
        place += 1
      } else if place < pattern.count, pattern[place] == text[at] {
        (at, place) = (at + 1, place + 1)
      } else if let last = retry {
        retry = (last.pattern, last.text + 1)
        (at, place) = (last.text + 1, last.pattern + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == star }
  }
}
