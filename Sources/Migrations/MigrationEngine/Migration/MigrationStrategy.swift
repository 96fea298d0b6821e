package import FirestoreREST

/// How a migration decides on documents, and with that how the engine reads, writes and resumes it.
package enum MigrationStrategy: Sendable {
  /// Each document by itself: read page by page, and resumed behind the last document that was settled.
  case perDocument(PerDocument)

  /// By all that it reads: it records its outcomes in whatever order suits it, each document of
  /// ``Migration/writes`` that was read exactly once, as unchanged, skipped or to be changed, and one of a collection
  /// that is only read, as skipped, where there is a finding about it. Memory must not grow with the collections. A run that
  /// is resumed reads everything again.
  case streaming(@Sendable (_ source: any DocumentSource, _ sink: any PlanSink) async throws -> Void)

  /// By other documents, which must not change between their read and the write: what is read to decide and what is
  /// written are one Firestore transaction, as ``RecordedTransaction`` runs it.
  ///
  /// `reader` is the database as it is while planning, and the transaction while applying. The function decides by what
  /// it reads alone, because a transaction may be run again.
  case transactional(
    @Sendable (_ document: RawDocument, _ reader: any DocumentSource) async throws -> Outcome
  )

  /// A rule in which each document of some collections, read whole, is decided by itself.
  package static func perDocument(
    _ collections: [CollectionPath],
    _ outcome: @escaping @Sendable (RawDocument) -> Outcome
  ) -> MigrationStrategy {
    .perDocument(PerDocument(sources: collections.map { CollectionRead($0) }, outcome: outcome))
  }
}

/// Something outside of the process that decides on each document by itself, and has a beginning and an end.
protocol OutcomeSession: Sendable {
  /// What becomes of some documents, in their order; none of it counts where it throws.
  func outcomes(for documents: [RawDocument]) async throws -> [Outcome]
  /// Ends it after the last document.
  func finish() async throws
  /// Ends it at once; does nothing where it has ended.
  func stop() async
}

/// A rule in which each document is decided by itself.
package struct PerDocument: Sendable {
  /// Documents that a person has decided on: one that does not exist is a finding.
  package struct Expected: Sendable {
    /// Their paths, in the order of their names.
    package var paths: @Sendable () -> [DocumentPath]
    /// The finding about one that does not exist.
    package var ifMissing: @Sendable (DocumentPath) -> Finding

    package init(
      _ paths: @escaping @Sendable () -> [DocumentPath],
      ifMissing: @escaping @Sendable (DocumentPath) -> Finding
    ) {
      self.paths = paths
      self.ifMissing = ifMissing
    }
  }

  /// What is read, one after another.
  package var sources: [CollectionRead]
  /// What becomes of one document.
  package var outcome: @Sendable (RawDocument) -> Outcome
  package var expected: Expected?
  /// What decides in place of `outcome`: begun when it is carried out.
  var session: (@Sendable () throws -> any OutcomeSession)?

  package init(
    sources: [CollectionRead],
    outcome: @escaping @Sendable (RawDocument) -> Outcome,
    expected: Expected? = nil
  ) {
    self.sources = sources
    self.outcome = outcome
    self.expected = expected
  }

  init(
    sources: [CollectionRead],
    outcome: @escaping @Sendable (RawDocument) -> Outcome,
    session: (@Sendable () throws -> any OutcomeSession)?
  ) {
    self.init(sources: sources, outcome: outcome)
    self.session = session
  }

  func plan(from source: any DocumentSource, into sink: any PlanSink) async throws {
    if let session { return try await plan(from: source, into: sink, by: try session()) }
    var awaited = (expected?.paths() ?? []).filter { !source.isPast($0) }[...]
    for read in sources {
      try await source.forEachPage(matching: read) { page in
        if awaited.isEmpty { return try await sink.record(page.map { outcome($0) }, of: page) }
        for document in page {
          for finding in takeMissing(from: &awaited, before: document.path) { try await sink.record(finding) }
          try await sink.record(outcome(document), of: document)
        }
      }
    }
    for finding in takeMissing(from: &awaited, before: nil) { try await sink.record(finding) }
  }

  private func plan(
    from source: any DocumentSource,
    into sink: any PlanSink,
    by session: any OutcomeSession
  ) async throws {
    do {
      for read in sources {
        try await source.forEachPage(matching: read) { page in
          try await sink.record(try await session.outcomes(for: page), of: page)
        }
      }
      try await session.finish()
    } catch {
      await session.stop()
      throw error
    }
  }

  /// The findings about documents that come before one that was read, or before the end where nil, and do not exist.
  private func takeMissing(
    from awaited: inout ArraySlice<DocumentPath>,
    before path: DocumentPath?
  ) -> [Finding] {
    guard let expected else { return [] }
    let missing = awaited.prefix { next in path.map { next < $0 } ?? true }
    awaited = awaited.dropFirst(missing.count)
    if let path, awaited.first == path { awaited.removeFirst() }
    return missing.map { expected.ifMissing($0) }
  }
}

extension Migration {
  /// Reads what the migration reads from `source`, and records what it decides in `sink`, in constant memory.
  package func plan(from source: any DocumentSource, into sink: any PlanSink) async throws {
    switch strategy {
    case .perDocument(let rule): try await rule.plan(from: source, into: sink)
    case .streaming(let plan): try await plan(source, sink)
    case .transactional(let outcome):
      for collection in writes {
        try await source.forEachDocument(in: collection, atOnce: 16) { documents in
          let outcomes = try await documents.concurrentMap { try await outcome($0, source) }
          for (document, outcome) in zip(documents, outcomes) { try await sink.record(outcome, of: document) }
        }
      }
    }
  }
}

extension DocumentSource {
  /// Calls `body` with some documents of a collection at a time.
  package func forEachDocument(
    in collection: CollectionPath,
    atOnce count: Int,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    try await forEachDocument(matching: CollectionRead(collection), atOnce: count, body)
  }

  /// Calls `body` with some documents of a read at a time.
  func forEachDocument(
    matching read: CollectionRead,
    atOnce count: Int,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    var waiting: [RawDocument] = []
    try await forEachDocument(matching: read) { document in
      waiting.append(document)
      if waiting.count == count {
        try await body(waiting)
        waiting.removeAll(keepingCapacity: true)
      }
    }
    try await body(waiting)
  }
}
