package import FirestoreModels

/// Part of a database: a collection, what is below it where that is wanted, or the collections of one kind below it.
package struct CollectionScope: Sendable, Equatable {
  /// The collection that the read begins at.
  package let collection: CollectionPath
  /// Whether what is below the documents belongs to it, also below documents that are missing.
  package let isDeep: Bool
  /// The kind of collection that alone is meant, as `groups/*/members`; nil where it is the collection itself.
  package let kind: CollectionPath?
  private let pattern: CollectionPattern?

  /// Makes a scope.
  package init(_ collection: CollectionPath, isDeep: Bool, kind: CollectionPath? = nil) {
    self.collection = collection
    self.isDeep = isDeep
    self.kind = kind
    pattern = kind.map { CollectionPattern($0) }
  }

  /// Makes the scope of a collection, or of the collections of a pattern whose root is a name.
  package init(pathOrPattern path: CollectionPath, isDeep: Bool = false) {
    let pattern = CollectionPattern(path)
    self.init(pattern.root, isDeep: isDeep, kind: pattern.isOpen ? path : nil)
  }

  /// What it is called in summaries.
  package var name: CollectionPath { kind ?? collection }

  /// The read that gives what belongs to it.
  package var read: CollectionRead {
    var read = CollectionRead(isDeep ? collection : name)
    if isDeep {
      read.reach = .subcollections
      read.kind = kind
    } else if kind != nil {
      read.reach = .pattern
    }
    return read
  }

  /// Whether a document belongs to it.
  package func contains(_ path: DocumentPath) -> Bool {
    if let pattern { return pattern.contains(path, isDeep: isDeep) }
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
  package static func interleave(_ scopes: [CollectionScope]) -> Bool {
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
  package static func index(of path: DocumentPath, in scopes: [CollectionScope]) -> Int? {
    scopes.firstIndex { $0.contains(path) }
  }

  /// The scopes without those that others cover, in the order in which they were named.
  static func distinct(_ scopes: [CollectionScope]) -> [CollectionScope] {
    var kept: [CollectionScope] = []
    for scope in scopes where !kept.contains(where: { $0.covers(scope) }) {
      kept.removeAll { scope.covers($0) }
      kept.append(scope)
    }
    return kept
  }

  /// The scopes without those that others cover, in the order of their collections.
  static func normalized(_ scopes: [CollectionScope]) -> [CollectionScope] {
    distinct(scopes).sorted { ($0.collection, $0.name) < ($1.collection, $1.name) }
  }
}
