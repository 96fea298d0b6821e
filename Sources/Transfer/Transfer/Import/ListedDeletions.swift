import FirestoreREST

/// The documents that increments list as deleted and that nothing after them has again.
struct ListedDeletions: Sendable {
  /// How many of them are there.
  private(set) var count = 0
  private let client: FirestoreClient
  /// The hashes of those that are below other documents, 16 bytes each.
  private var below: Set<Int> = []

  /// Reads all lists.
  ///
  /// - Parameter counts: Whether those that are there are counted.
  init(
    of inputs: ImportInputs,
    without superseded: PlaceList,
    counting counts: Bool,
    in client: FirestoreClient
  ) async throws {
    self.client = client
    var some: [DocumentPath] = []
    func look() async throws -> Int {
      defer { some.removeAll(keepingCapacity: true) }
      return counts ? try await client.batchGet(some, mask: [.documentName]).count : 0
    }
    for stage in inputs.indices where inputs.source(stage).listsDeletions {
      let input = try inputs.open(stage)
      while let row = try input?.next() {
        let place = DuplicateSearch.Place(file: stage, line: row.number)
        guard let path = row.path, !path.isReserved, try !superseded.contains(place) else { continue }
        if path.collection.parent != nil { below.insert(path.hashValue) }
        some.append(path)
        if some.count == 300 { count += try await look() }
      }
      count += try await look()
    }
  }

  /// Returns those of some documents that are to be deleted and there, and have collections in which something stays.
  ///
  /// It stays without a parent, as it may be in the database that was exported: an increment does not tell.
  func leaving(among documents: [LoadDocument]) async throws -> [DocumentPath: [String]] {
    let paths = documents.compactMap { if case .absent(let path) = $0 { path } else { nil } }
    if paths.isEmpty { return [:] }
    var leaving: [DocumentPath: [String]] = [:]
    for path in try await client.collectionIDs(belowEach: paths).keys {
      let ids = try await client.collectionIDs(below: path) { others in
        others.filter { !below.contains($0.hashValue) }
      }
      if !ids.isEmpty { leaving[path] = ids }
    }
    if leaving.isEmpty { return [:] }
    // What is gone already leaves nothing behind: a resumed run meets its own deletions.
    let current = try await client.batchGet(Array(leaving.keys), mask: [.documentName])
    return leaving.filter { current[$0.key] != nil }
  }
}
