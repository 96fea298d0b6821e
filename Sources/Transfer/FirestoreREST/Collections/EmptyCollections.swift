extension FirestoreClient {
  /// Whether a read returns no documents, judging by one page of names.
  ///
  /// - Parameter asFiltered: Whether the read's filter applies; otherwise a filter that matches nothing does not make a
  ///   collection empty.
  /// - Throws: The failure of the read.
  package func isEmpty(_ read: CollectionRead, asFiltered: Bool = false) async throws -> Bool {
    var look = read
    if !asFiltered { look.filter = nil }
    look.orderBy = []
    look.mask = [.documentName]
    (look.parallel, look.readsAhead) = (1, false)
    look.pageSize = read.reach == .pattern ? 20 : 1
    for try await page in pages(of: look) where !page.isEmpty { return false }
    return true
  }

  /// Returns a sentence saying that a read has no documents, where there are some below missing documents, and which
  /// collection was probably meant.
  ///
  /// Documents below missing ones are left out if the service does not respond within ``patience``.
  ///
  /// - Parameter suggests: Whether to suggest the collection that was probably meant.
  package func emptyNotice(of read: CollectionRead, suggesting suggests: Bool = true) async -> String {
    let notice = "\(read.name) has no documents"
    func naming(_ read: CollectionRead, _ notice: String) async -> String {
      let near = suggests ? await near(read.collection, at: read.readTime) : nil
      return near.map { "\(notice). Did you mean '\($0)'?" } ?? "\(notice)."
    }
    if read.reach == .subcollections, read.kind == nil { return await naming(read, notice) }
    guard read.reach == .collection else { return "\(notice)." }
    var look = CollectionRead(read.collection, pageSize: 1, showsMissing: true, readTime: read.readTime)
    look.readsAhead = false
    var pages = quickly.pages(of: look).makeAsyncIterator()
    guard let missing = try? await pages.next()?.first else {
      return await naming(read, notice)
    }
    let place = caller.hidesNames ? "" : ", as below \(missing.path)"
    return "\(notice), but there are some in subcollections\(place)."
  }

  /// Returns a sentence suggesting the collection that was probably meant by that of a missing document; nil if the
  /// database has the collection, or none with a similar spelling.
  package func meantNotice(of collection: CollectionPath, at readTime: Timestamp?) async -> String? {
    await near(collection, at: readTime).map {
      "The database has no collection '\(collection)'. Did you mean '\($0)'?"
    }
  }

  /// Returns the collection that was probably meant by a root collection that does not exist; nil if it exists, or if none
  /// has a similar spelling.
  private func near(_ collection: CollectionPath, at readTime: Timestamp?) async -> String? {
    guard collection.parent == nil else { return nil }
    let known = (try? await quickly.collectionIDs(readTime: readTime)) ?? []
    return known.contains { $0.isIdentical(to: collection.id) } ? nil : collection.id.nearest(of: known)
  }

  /// Returns the reads without documents.
  ///
  /// - Parameter asFiltered: See ``isEmpty(_:asFiltered:)``.
  package func empty(
    among reads: [CollectionRead],
    asFiltered: Bool = false
  ) async throws -> [CollectionRead] {
    var empty: [CollectionRead] = []
    for read in reads where try await isEmpty(read, asFiltered: asFiltered) { empty.append(read) }
    return empty
  }

  /// Returns the collection paths with an ID, such as `members` and `groups/*/members`: the first one below each root
  /// collection.
  ///
  /// It reads one name per root collection, and returns nil if the service does not respond within ``patience``.
  ///
  /// - Parameter readTime: The read time; nil for the present.
  package func kinds(ofGroup id: String, at readTime: Timestamp? = nil) async -> [CollectionPath]? {
    let start = caller.clock.now()
    var kinds: [CollectionPath] = []
    var read = CollectionRead(CollectionPath(nil, id), pageSize: 1, mask: [.documentName])
    (read.reach, read.readsAhead, read.readTime) = (.group, false, readTime)
    while kinds.count < 20 {
      let left = Self.patience - (caller.clock.now() - start)
      if left <= 0 { return nil }
      do {
        var pages = within(left).pages(of: read).makeAsyncIterator()
        guard let first = try await pages.next()?.first else { return kinds }
        kinds.append(first.path.collection.pattern)
        let root = first.path.collection.root
        // Skip everything below the root collection: no ID contains NUL, and none sorts before this number.
        read.startAt = DocumentPath("\(root)\u{0}/__id-9223372036854775808__")
      } catch {
        return nil
      }
    }
    return kinds
  }
}

extension Failure {
  /// The failure for selected collections without documents (`--fail-if-empty`).
  package static func empty(_ collections: [CollectionPath]) -> Failure {
    Failure(
      .inputMissing,
      "find documents of",
      path: collections.map(\.string).joined(separator: ", "),
      cause: "there are none, and --fail-if-empty is set; nothing was started",
      remedy: "Check the names and the database; 'gymmigrate count --all' lists the existing collections."
    )
  }
}
