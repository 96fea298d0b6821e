/// The number of changed documents by collection and kind of change, in constant memory per collection.
package struct ChangeCounts: Sendable, Equatable {
  private var counts: [CollectionPath: [Change.Kind: Int]] = [:]

  package init() {}

  package mutating func add(_ kind: Change.Kind, in collection: CollectionPath, _ count: Int = 1) {
    if count > 0 { counts[collection, default: [:]][kind, default: 0] += count }
  }

  /// Adds other counts, optionally under other collection names.
  package mutating func add(_ other: ChangeCounts, named name: (CollectionPath) -> CollectionPath = { $0 }) {
    for (path, kinds) in other.counts { for (kind, count) in kinds { add(kind, in: name(path), count) } }
  }

  mutating func remove(_ kind: Change.Kind, in collection: CollectionPath) {
    let count = count(kind, in: collection) - 1
    counts[collection]?[kind] = count > 0 ? count : nil
    if counts[collection]?.isEmpty ?? false { counts[collection] = nil }
  }

  /// Returns the same counts under other names.
  func named(_ name: (CollectionPath) -> CollectionPath) -> ChangeCounts {
    var named = ChangeCounts()
    named.add(self, named: name)
    return named
  }

  /// The same counts, with subcollections of several documents combined under the pattern of their paths.
  package var byPattern: ChangeCounts {
    let number = counts.keys.reduce(into: [CollectionPath: Int]()) { $0[$1.pattern, default: 0] += 1 }
    return named { path in number[path.pattern] ?? 0 > 1 ? path.pattern : path }
  }

  /// The collections with changes, sorted.
  package var collections: [CollectionPath] { counts.keys.sorted() }

  /// The number of documents with a kind of change, in one collection or in all.
  package func count(_ kind: Change.Kind, in collection: CollectionPath? = nil) -> Int {
    if let collection { return counts[collection]?[kind] ?? 0 }
    return counts.values.reduce(0) { $0 + ($1[kind] ?? 0) }
  }

  /// The number of changed documents, in one collection or in all.
  package func total(in collection: CollectionPath? = nil) -> Int {
    Change.Kind.allCases.reduce(0) { $0 + count($1, in: collection) }
  }
}

extension ChangeCounts: Codable {
  /// Encodes counts as `{"users":{"create":0,"update":3,"delete":0}}`.
  package func encode(to encoder: any Encoder) throws {
    let named = counts.map { path, kinds in
      (UTF8Key(path.string), Dictionary(uniqueKeysWithValues: kinds.map { ($0.rawValue, $1) }))
    }
    try Dictionary(uniqueKeysWithValues: named).encode(to: encoder)
  }

  package init(from decoder: any Decoder) throws {
    for (name, kinds) in try [UTF8Key: [String: Int]](from: decoder) {
      guard let path = CollectionPath(name.string) else { continue }
      for (kind, count) in kinds { Change.Kind(rawValue: kind).map { add($0, in: path, count) } }
    }
  }
}
