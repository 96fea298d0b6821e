import FirestoreREST

/// The documents that increments list as deleted and that no later input contains.
struct ListedDeletions: Sendable {
  /// The number of them that exist in the database.
  private(set) var count = 0
  private let client: FirestoreClient
  /// The hashes of those that are below other documents, which take about 16 bytes each.
  private var below: Set<Int> = []

  /// Reads all lists.
  ///
  /// - Parameter counts: Whether to count those that exist.
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

  /// Returns those documents that exist, are to be deleted, and have collections in which something remains.
  ///
  /// What remains loses its parent. That may be so in the exported database as well, which an increment does not show.
  func leaving(among documents: [LoadDocument]) async throws -> [DocumentPath: [String]] {
    let paths = documents.compactMap { if case .absent(let path) = $0.content { path } else { nil } }
    if paths.isEmpty { return [:] }
    var leaving: [DocumentPath: [String]] = [:]
    for path in try await client.collectionIDs(belowEach: paths).keys {
      let ids = try await client.collectionIDs(below: path) { others in
        others.map(\.path).filter { !below.contains($0.hashValue) }
      }
      if !ids.isEmpty { leaving[path] = ids }
    }
    if leaving.isEmpty { return [:] }
    // Documents that are gone already leave nothing behind; a resumed run encounters its own deletions.
    let current = try await client.batchGet(Array(leaving.keys), mask: [.documentName])
    return leaving.filter { current[$0.key] != nil }
  }
}
