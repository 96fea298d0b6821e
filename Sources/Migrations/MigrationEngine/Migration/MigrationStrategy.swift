package import FirestoreREST

/// How a migration decides on documents, which determines how the engine reads, writes and resumes.
package enum MigrationStrategy: Sendable {
  /// Each document is decided by itself: documents are read page by page, and a resumed run continues after the last settled
  /// document.
  case perDocument(PerDocument)

  /// Decisions depend on everything that is read.
  ///
  /// The function records its outcomes in any order: exactly once each document of ``Migration/writes`` that it read, as
  /// unchanged, skipped or to be changed; and a document of a collection that is only read, as skipped, if there is a finding
  /// about it. Memory must not grow with the collections. A resumed run reads everything again.
  case streaming(@Sendable (_ source: any DocumentSource, _ sink: any PlanSink) async throws -> Void)

  /// Decisions depend on other documents, which must not change between their read and the write: everything that is read to
  /// decide, and what is written, is one Firestore transaction, run by ``RecordedTransaction``.
  ///
  /// While planning, `reader` is the database; while applying, it is the transaction. The function must depend only on what it
  /// reads, because a transaction may be retried.
  case transactional(
    @Sendable (_ document: RawDocument, _ reader: any DocumentSource) async throws -> Outcome
  )

  /// Returns a strategy that reads entire collections and decides each document by itself.
  package static func perDocument(
    _ collections: [CollectionPath],
    _ outcome: @escaping @Sendable (RawDocument) -> Outcome
  ) -> MigrationStrategy {
    .perDocument(PerDocument(sources: collections.map { CollectionRead($0) }, outcome: outcome))
  }
}

/// A rule that decides each document by itself.
package struct PerDocument: Sendable {
  /// Documents that a person has decided on; a missing one is reported as a finding.
  package struct Expected: Sendable {
    /// The paths, in the order of document names.
    package var paths: @Sendable () -> [DocumentPath]
    /// Returns the finding about a missing document.
    package var ifMissing: @Sendable (DocumentPath) -> Finding

    package init(
      _ paths: @escaping @Sendable () -> [DocumentPath],
      ifMissing: @escaping @Sendable (DocumentPath) -> Finding
    ) {
      self.paths = paths
      self.ifMissing = ifMissing
    }
  }

  /// The reads, executed one after another.
  package var sources: [CollectionRead]
  /// Returns the outcome of one document.
  package var outcome: @Sendable (RawDocument) -> Outcome
  package var expected: Expected?
  /// Creates what decides in place of `outcome`; called when the migration is executed.
  var session: (@Sendable () throws -> ProgramSession)?

  package init(
    sources: [CollectionRead],
    outcome: @escaping @Sendable (RawDocument) -> Outcome,
    expected: Expected? = nil
  ) {
    self.sources = sources
    self.outcome = outcome
    self.expected = expected
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
    by session: ProgramSession
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

  /// Returns the findings about missing expected documents before a document that was read; if nil, before the end.
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
  /// Reads the migration's documents from `source` and records its decisions in `sink`, in constant memory.
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
  /// Calls `body` with several documents of a collection at a time.
  package func forEachDocument(
    in collection: CollectionPath,
    atOnce count: Int,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    try await forEachDocument(matching: CollectionRead(collection), atOnce: count, body)
  }

  /// Calls `body` with several documents of a read at a time.
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
