import FirestoreREST

/// Reads the source of a copy, scope by scope and page by page, with subcollections if selected.
struct CopyReader: Sendable {
  let copy: Copy
  let plan: Copy.Plan

  private var client: FirestoreClient { copy.source.client }
  private var progress: Progress { copy.context.progress }
  /// The maximum number of documents per scope, including subcollections.
  private var limit: Int { copy.options.job.limit ?? .max }
  private var pageSize: Int { copy.options.job.reading.pageSize }
  /// Masks the documents.
  ///
  /// A masked read has no positions, because these would name documents of the source.
  private var mask: Mask? { copy.options.mask }

  /// What to do if the read time has expired.
  static let remedy =
    "Copy again from the beginning (documents already written are detected and skipped), \(Failure.orReadPresent)"

  /// Calls `body` with each page, and with the position after it if the read can resume there.
  ///
  /// - Parameter references: The rewriter of references, with the counts at the start.
  /// - Returns: The number of documents billed as read, including those that a pattern leaves out.
  @discardableResult
  func forEachPage(
    from start: CopyPosition,
    _ references: inout CopyReferences,
    _ body: ([RawDocument], CopyPosition?) async throws -> Void
  ) async throws -> Int {
    if let names = plan.names { return try await forEachPage(of: names, from: start, &references, body) }
    var position = start
    let reads = reads(from: start)
    // With a limit of 0, nothing is requested.
    let pages = client.pages(ofEach: limit > 0 ? reads : [])
    for index in plan.scopes.indices.dropFirst(start.stage) {
      if index > start.stage || position.last == nil {
        (position.stage, position.last, position.taken) = (index, nil, 0)
      }
      let isResumable = reads[index - start.stage].isOrderedByName && mask == nil
      var left = limit - position.taken
      while left > 0,
        let page = try await pages.next(
          of: index - start.stage,
          at: plan.readTime,
          orElse: Self.remedy
        )
      {
        try Task.checkCancellation()
        let selected = page.filter { isSelected($0.path, index) }.prefix(left)
        let documents = try await carried(Array(selected), &references)
        left -= documents.count
        position.taken += documents.count
        position.last = isResumable ? page.last?.path ?? position.last : nil
        position.references = references.counts
        try await body(documents, isResumable ? position : nil)
        progress.advance(by: documents.count)
      }
    }
    return pages.billed.total
  }

  /// Does the same as ``forEachPage(from:_:_:)`` for the documents of a subset.
  private func forEachPage(
    of names: SubsetNames,
    from start: CopyPosition,
    _ references: inout CopyReferences,
    _ body: ([RawDocument], CopyPosition?) async throws -> Void
  ) async throws -> Int {
    var position = start
    while position.taken < names.count {
      try Task.checkCancellation()
      let paths = try names.names(
        position.taken..<min(names.count, position.taken + min(pageSize, client.lookupSize))
      )
      let found = try await documents(paths)
      let documents = try await carried(paths.compactMap { found[$0] }, &references)
      position.taken += paths.count
      position.references = references.counts
      try await body(documents, mask == nil ? position : nil)
      progress.advance(by: paths.count)
    }
    return position.taken - start.taken
  }

  private func documents(_ paths: [DocumentPath]) async throws -> [DocumentPath: RawDocument] {
    do {
      return try await client.batchGet(paths, readTime: plan.readTime)
    } catch {
      throw error.explainingClosedWindow(since: plan.readTime, remedy: Self.remedy)
    }
  }

  /// Returns documents as they are handed on.
  private func carried(
    _ documents: [RawDocument],
    _ references: inout CopyReferences
  ) async throws -> [RawDocument] {
    for document in documents { try copy.assertFree(document.path.collection) }
    var carried = try await mask?.masked(documents) ?? documents
    for index in carried.indices { carried[index] = try references.rewrite(carried[index]) }
    return carried
  }

  /// Returns the reads of the scopes that remain after a position.
  private func reads(from start: CopyPosition) -> [CollectionRead] {
    // If scopes overlap, not every document counts.
    let areApart =
      plan.scopes.allSatisfy { !$0.isDeep && $0.kind == nil } || !CollectionScope.interleave(plan.scopes)
    return plan.scopes.enumerated().dropFirst(start.stage).map { index, scope in
      var read = scope.read(at: plan.readTime)
      if !scope.isDeep { read.filter = copy.options.filter }
      read.range = copy.options.part?.range ?? NameRange()
      let isFirst = index == start.stage
      read.startAfter = isFirst ? start.last : nil
      let left = limit - (isFirst && start.last != nil ? start.taken : 0)
      read.pageSize = max(1, min(pageSize, left))
      if limit < .max {
        read.readsAhead = areApart
        if areApart { read.limit = max(1, left) }
      }
      // Documents read ahead beyond the limit would be billed and discarded.
      read.parallel = limit == .max ? copy.options.job.reading.parallel : 1
      return read
    }
  }

  /// Whether a document belongs to a scope; another scope may include the same collections.
  private func isSelected(_ path: DocumentPath, _ index: Int) -> Bool {
    plan.scopes[index].kind == nil && plan.scopes.count == 1
      || CollectionScope.index(of: path, in: plan.scopes) == index
  }
}
