package import FirestoreModels

extension FirestoreClient {
  /// Whether a read gives no document at all; a look at one page of names.
  ///
  /// - Parameter asFiltered: Whether only documents count for which the read's filter holds; a filter that selects
  ///   nothing is no empty collection otherwise.
  /// - Throws: What keeps the page from being read.
  package func isEmpty(_ read: CollectionRead, asFiltered: Bool = false) async throws -> Bool {
    var look = read
    if !asFiltered { look.filter = nil }
    look.orderBy = []
    look.mask = [.documentName]
    look.parallel = 1
    look.pageSize = read.reach == .pattern ? 300 : 1
    for try await page in pages(of: look) where !page.isEmpty { return false }
    return true
  }

  /// The reads that give no document at all, their filters aside, in their order.
  package func empty(among reads: [CollectionRead]) async throws -> [CollectionRead] {
    var empty: [CollectionRead] = []
    for read in reads where try await isEmpty(read) { empty.append(read) }
    return empty
  }

  /// The kinds of collections of one id, as `members` and `groups/*/members`: the first of each root collection.
  ///
  /// Found by a look at one name a root collection, skipping what is below it; nil where the service does not answer
  /// within ``patience``.
  ///
  /// - Parameter readTime: The moment that is looked at; nil is the present.
  package func kinds(ofGroup id: String, at readTime: Timestamp? = nil) async -> [CollectionPath]? {
    let start = caller.clock.now()
    var kinds: [CollectionPath] = []
    var read = CollectionRead(CollectionPath(nil, id), pageSize: 1, mask: [.documentName])
    read.reach = .group
    read.readTime = readTime
    while kinds.count < 20 {
      let left = Self.patience - (caller.clock.now() - start)
      if left <= 0 { return nil }
      do {
        var pages = within(left).pages(of: read).makeAsyncIterator()
        guard let first = try await pages.next()?.first else { return kinds }
        kinds.append(first.path.collection.pattern)
        let root = first.path.segments.first ?? ""
        // Behind everything below the root collection: no id holds a NUL, and none sorts before this number.
        read.startAt = DocumentPath("\(root)\u{0}/__id-9223372036854775808__")
      } catch {
        return nil
      }
    }
    return kinds
  }
}

extension Failure {
  /// Collections that were named and have no document at all (`--fail-if-empty`).
  package static func empty(_ collections: [CollectionPath]) -> Failure {
    Failure(
      .inputMissing,
      "find documents",
      path: collections.map(\.string).joined(separator: ", "),
      cause: "there is none, and --fail-if-empty is given; nothing was begun",
      remedy: "Check the names and the database; 'gymmigrate count --all' shows what there is."
    )
  }
}
