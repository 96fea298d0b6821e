/// A document as it is stored.
struct MiniStored: Sendable {
  var fields: MiniFields
  var createTime: MiniTime
  var updateTime: MiniTime
}

/// Every version of every document.
struct MiniStore: Sendable {
  /// One version: nil is a deletion.
  private struct Version: Sendable {
    var time: MiniTime
    var document: MiniStored?
  }

  private var versions: [ByteString: [Version]] = [:]
  /// Every path that ever held a document, in the service's order.
  private var order: [MiniPath] = []

  /// The document now, or as it was at a time.
  func document(_ path: MiniPath, at time: MiniTime? = nil) -> MiniStored? {
    guard let versions = versions[path.name] else { return nil }
    guard let time else { return versions.last?.document }
    return versions.last { $0.time <= time }?.document
  }

  /// The documents below a parent in order; of one collection id, or of all.
  func documents(
    below parent: MiniPath,
    collection: ByteString?,
    allDescendants: Bool,
    at time: MiniTime?
  ) -> [(path: MiniPath, document: MiniStored)] {
    var found: [(MiniPath, MiniStored)] = []
    for path in subtree(parent) {
      if !allDescendants, path.segments.count != parent.segments.count + 2 { continue }
      if let collection, path.segments[path.segments.count - 2] != collection { continue }
      if let document = document(path, at: time) { found.append((path, document)) }
    }
    return found
  }

  /// The ids in a collection that have no document but have documents below them.
  func missing(in collection: MiniPath, at time: MiniTime?) -> [MiniPath] {
    let depth = collection.segments.count + 1
    var found: [MiniPath] = []
    for path in subtree(collection) where path.segments.count > depth {
      let candidate = MiniPath(path.segments.prefix(depth))
      if found.last != candidate, document(candidate, at: time) == nil, document(path, at: time) != nil {
        found.append(candidate)
      }
    }
    return found
  }

  /// The ids of the collections right below a document or the root, in order.
  func collections(below parent: MiniPath, at time: MiniTime?) -> [ByteString] {
    let depth = parent.segments.count
    var found: Set<ByteString> = []
    for path in subtree(parent) where !found.contains(path.segments[depth]) {
      if document(path, at: time) != nil { found.insert(path.segments[depth]) }
    }
    return found.sorted()
  }

  mutating func write(_ path: MiniPath, _ document: MiniStored?, at time: MiniTime) {
    if versions[path.name] == nil {
      guard document != nil else { return }
      order.insert(path, at: lowerBound(path))
    }
    versions[path.name, default: []].append(Version(time: time, document: document))
  }

  // MARK: Order

  private func lowerBound(_ path: MiniPath) -> Int {
    if let last = order.last, last < path { return order.count }
    return firstIndex(from: 0) { !(order[$0] < path) }
  }

  /// Everything below a path: neighbours, since a path sorts right before what is below it.
  private func subtree(_ path: MiniPath) -> ArraySlice<MiniPath> {
    if path.segments.isEmpty { return order[...] }
    var start = lowerBound(path)
    if start < order.count, order[start] == path { start += 1 }
    return order[start..<firstIndex(from: start) { !order[$0].isBelow(path) }]
  }

  /// The first index of which something holds that holds of all that follow.
  private func firstIndex(from start: Int, where holds: (Int) -> Bool) -> Int {
    var low = start
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
