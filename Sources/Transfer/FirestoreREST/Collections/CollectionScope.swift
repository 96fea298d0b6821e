/// A part of a database: a collection, with or without its subcollections, the matches of a pattern, or one document.
package struct CollectionScope: Sendable, Equatable {
  /// The collection where reading starts.
  package let collection: CollectionPath
  /// Whether subcollections are included, including those of missing documents.
  package let isDeep: Bool
  /// The pattern of the only collections that belong to it, such as `groups/*/members`; nil for the collection itself.
  package let kind: CollectionPath?
  /// The only document of ``collection`` that belongs to it, with everything below it if ``isDeep``; nil for all.
  package let document: DocumentPath?
  private let pattern: CollectionPattern?

  package init(_ collection: CollectionPath, isDeep: Bool, kind: CollectionPath? = nil) {
    self.collection = collection
    self.isDeep = isDeep
    self.kind = kind
    document = nil
    pattern = kind.map { CollectionPattern($0) }
  }

  /// Creates the scope of one document, with or without everything below it.
  package init(document: DocumentPath, isDeep: Bool) {
    collection = document.collection
    self.isDeep = isDeep
    self.document = document
    (kind, pattern) = (nil, nil)
  }

  /// Creates the scope of a collection, or of a pattern below a named root collection.
  package init(pathOrPattern path: CollectionPath, isDeep: Bool = false) {
    let pattern = CollectionPattern(path)
    self.init(pattern.root, isDeep: isDeep, kind: pattern.isOpen ? path : nil)
  }

  /// The name in summaries.
  package var name: CollectionPath { kind ?? collection }

  package var read: CollectionRead {
    var read = CollectionRead(isDeep ? collection : name)
    if isDeep {
      read.reach = .subcollections
      read.kind = kind
    } else if kind != nil {
      read.reach = .pattern
    }
    if let document { read.range = NameRange(start: document, end: document.behindSubtree) }
    return read
  }

  /// Returns the read as of a moment; nil to read each page as of the present.
  package func read(at moment: Timestamp?) -> CollectionRead {
    var read = read
    read.readTime = moment
    return read
  }

  package func contains(_ path: DocumentPath) -> Bool {
    if let document { return path == document || isDeep && path.isBelow(document) }
    if let pattern { return pattern.contains(path, isDeep: isDeep) }
    return isDeep ? path.isBelow(collection) : path.isIn(collection)
  }

  /// Whether it contains all of another scope.
  private func covers(_ other: CollectionScope) -> Bool {
    contains(other.document ?? DocumentPath(other.name, "x")) && (isDeep || !other.isDeep)
      && (document == nil || other.document != nil)
  }

  /// Whether documents of different scopes may alternate in name order.
  package static func interleave(_ scopes: [CollectionScope]) -> Bool {
    let prefixes = scopes.map { "\($0.collection.string)/".utf8 }
    return prefixes.indices.contains { index in
      let prefix = prefixes[index]
      return prefixes[(index + 1)...].contains { $0.starts(with: prefix) || prefix.starts(with: $0) }
    }
  }

  /// Returns the first scope that contains a document; nil if none does.
  package static func index(of path: DocumentPath, in scopes: [CollectionScope]) -> Int? {
    scopes.firstIndex { $0.contains(path) }
  }

  /// Returns the scopes that no other scope covers, in the given order.
  static func distinct(_ scopes: [CollectionScope]) -> [CollectionScope] {
    var kept: [CollectionScope] = []
    for scope in scopes where !kept.contains(where: { $0.covers(scope) }) {
      kept.removeAll { scope.covers($0) }
      kept.append(scope)
    }
    return kept
  }

  /// Returns the scopes that no other scope covers, sorted by collection.
  static func normalized(_ scopes: [CollectionScope]) -> [CollectionScope] {
    distinct(scopes).sorted { a, b in
      if let (a, b) = a.document.flatMap({ a in b.document.map { (a, $0) } }) { return a < b }
      return (a.collection, a.name) < (b.collection, b.name)
    }
  }
}

extension DocumentPath {
  /// Whether it is in a collection, or anywhere below it.
  func isBelow(_ collection: CollectionPath) -> Bool {
    isBelow(collection.string)
  }

  /// Whether it is in a collection of a document, or anywhere below it.
  fileprivate func isBelow(_ document: DocumentPath) -> Bool { isBelow(document.string) }

  private func isBelow(_ path: String) -> Bool {
    let (own, prefix) = (string.utf8, path.utf8)
    return own.count > prefix.count && own.starts(with: prefix)
      && own.dropFirst(prefix.count).first == UInt8(ascii: "/")
  }

  /// The name before which the document and everything below it ends; nil if no name can express that.
  fileprivate var behindSubtree: DocumentPath? {
    ResourceID.number(id) == nil && id.utf8.count < 1500 ? DocumentPath(collection, "\(id)\u{0}") : nil
  }
}
