package import FirestoreModels
package import FirestoreREST

/// A change to the data, as a pure function over documents.
///
/// It says what to read, what becomes of each document, and what is doubtful. The runner owns everything else
/// (reading, writing, journal, ledger, resume, undo).
package protocol Migration: Sendable {
  /// The name on the command line and in the ledger: `users-unify`.
  var id: String { get }
  /// One sentence for `migrate list`, ending in a period.
  var summary: String { get }
  /// What the migration is, by its text, where it is read from a file: the file's SHA-256; nil for one of the program's.
  var checksum: String? { get }
  /// The collections that it reads.
  var reads: [CollectionPath] { get }
  /// The collections that it may write.
  var writes: [CollectionPath] { get }

  /// Whether it decides on documents by others that it writes, too.
  ///
  /// In a run that is taken up again it is then given all of them as they were before the run, so that it finds and decides
  /// the same once more.
  var needsOriginals: Bool { get }

  /// Whether it may write a collection: one of ``writes``, unless it is told otherwise where they cannot be named.
  func mayWrite(_ collection: CollectionPath) -> Bool

  /// Reads what it needs from `source` and tells `sink` what it found, document by document, in constant memory.
  /// Every document of ``writes`` that was read is told exactly once, as unchanged, skipped or to be changed. One of
  /// a collection that is only read is told, as skipped, where there is a finding about it.
  func plan(from source: any DocumentSource, into sink: any PlanSink) async throws

  /// What becomes of a document that changed while the run was going on; nil where one document alone does not
  /// tell, and the document is listed as conflicted.
  func replan(_ current: RawDocument) -> Outcome?
}

extension Migration {
  /// It is one of the program's.
  package var checksum: String? { nil }

  /// Documents are given as they are.
  package var needsOriginals: Bool { false }

  /// Whether it is one of ``writes``.
  package func mayWrite(_ collection: CollectionPath) -> Bool { writes.contains(collection) }

  /// No single document tells.
  package func replan(_ current: RawDocument) -> Outcome? { nil }
}

/// A migration in which each document stands alone.
package protocol DocumentMigration: Migration {
  /// What it reads, one after another: each of ``Migration/reads`` whole, unless it says otherwise.
  var sources: [CollectionRead] { get }

  /// What becomes of one document.
  func outcome(for document: RawDocument) -> Outcome
}

extension DocumentMigration {
  /// It writes what it reads.
  package var writes: [CollectionPath] { reads }

  /// Each collection whole.
  package var sources: [CollectionRead] { reads.map { CollectionRead($0) } }

  /// Streams each source and tells the outcome of each document.
  package func plan(from source: any DocumentSource, into sink: any PlanSink) async throws {
    for read in sources {
      try await source.forEachPage(matching: read) { page in
        try await sink.record(page.map(outcome), of: page)
      }
    }
  }

  /// The same function, over the document as it is now.
  package func replan(_ current: RawDocument) -> Outcome? { outcome(for: current) }
}

/// A migration that knows its documents from a list of its own and can go on from a place in it.
///
/// It tells of every document of the list, also of one that is not there (any more).
package protocol ResumableMigration: Migration {
  /// Whether it knows its documents by name, so that in a run that is taken up again it tells those that are deleted by
  /// then, too.
  var namesDocuments: Bool { get }

  /// Tells what it found, from behind a position on.
  ///
  /// - Parameters:
  ///   - position: What it gave to `mark` last, in an earlier process; nil for the beginning.
  ///   - mark: Called where everything up to a position has been told.
  func plan(
    into sink: any PlanSink,
    after position: String?,
    mark: (_ position: String) async throws -> Void
  ) async throws
}

extension ResumableMigration {
  /// It reads collections.
  package var namesDocuments: Bool { false }

  /// From the beginning to the end.
  package func plan(from source: any DocumentSource, into sink: any PlanSink) async throws {
    try await plan(into: sink, after: nil) { _ in }
  }
}

/// What a migration decided about one document.
package struct Outcome: Sendable, Equatable {
  /// What is to be done.
  package enum Action: Sendable, Equatable {
    /// It is right already.
    case unchanged
    /// It is left alone on purpose; a finding says why.
    case skip
    /// It is not what it has to be, and is left alone.
    case conflict
    /// It is to be written.
    case change(Change)
  }

  /// What is to be done.
  package var action: Action
  /// What a person should know of it, apart from the change itself.
  package var findings: [Finding]
  /// The migration that decided it, where it is not the one that reports it.
  package var migration: String?

  /// Makes an outcome.
  package init(_ action: Action, findings: [Finding] = [], migration: String? = nil) {
    self.action = action
    self.findings = findings
    self.migration = migration
  }
}

/// Something about a document that a person should know or decide: a line of findings.csv.
package struct Finding: Sendable, Equatable {
  /// How it is counted and where it is listed beside findings.csv.
  package enum Kind: String, Sendable {
    /// A person must decide: listed in review.csv.
    case review
    /// The document cannot be migrated or written as it is: listed in rejects.jsonl.
    case reject
    /// Worth knowing; nothing is waiting for it.
    case note
  }

  /// How it is counted.
  package var kind: Kind
  /// The document.
  package var path: DocumentPath
  /// What it is, as a short fixed code: `wrong-type`, `name-disagrees`, `orphan`.
  package var code: String
  /// The field that it is about, where it is about one.
  package var field: String?
  /// What stands there now.
  package var found: Value?
  /// What is proposed, by field, where something is.
  package var proposal: FieldMap
  /// One sentence for a person; it names no value.
  package var message: String

  /// Makes a finding.
  package init(
    _ kind: Kind,
    path: DocumentPath,
    code: String,
    field: String? = nil,
    found: Value? = nil,
    proposal: FieldMap = FieldMap(),
    message: String
  ) {
    self.kind = kind
    self.path = path
    self.code = code
    self.field = field
    self.found = found
    self.proposal = proposal
    self.message = message
  }
}

/// Where a migration reads documents from, page by page and in the order of their names.
package protocol DocumentSource: Sendable {
  /// Calls `body` with every document that a read gives; nothing but a page or two is held.
  func forEachDocument(
    matching read: CollectionRead,
    _ body: (RawDocument) async throws -> Void
  ) async throws

  /// The same page by page, for whoever decides on each document by itself.
  func forEachPage(
    matching read: CollectionRead,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws

  /// The number of documents in a collection; they are not read, and the run's accounts know nothing of them.
  func count(_ collection: CollectionPath) async throws -> Int

  /// Whether a run that is taken up again is past a document, so that it is not given any more.
  func isPast(_ path: DocumentPath) -> Bool
}

extension DocumentSource {
  /// It begins at the beginning.
  package func isPast(_ path: DocumentPath) -> Bool { false }

  /// Pages of one document.
  package func forEachPage(
    matching read: CollectionRead,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    try await forEachDocument(matching: read) { document in try await body([document]) }
  }

  /// Counts them one by one.
  package func count(_ collection: CollectionPath) async throws -> Int {
    var count = 0
    try await forEachDocument(in: collection) { _ in count += 1 }
    return count
  }
}

extension DocumentSource {
  /// Calls `body` with every document of a collection.
  package func forEachDocument(
    in collection: CollectionPath,
    _ body: (RawDocument) async throws -> Void
  ) async throws {
    try await forEachDocument(matching: CollectionRead(collection), body)
  }
}

/// Where a migration tells what it decided.
package protocol PlanSink: Sendable {
  /// Tells the outcome of one document: as it was read, or without times and fields where it is to be created.
  func record(_ outcome: Outcome, of document: RawDocument) async throws

  /// Tells the outcomes of a page, document by document.
  func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws

  /// Tells something about a document that was not read, because there is none: it is listed, and counted as for review
  /// alone.
  func record(_ finding: Finding) async throws
}

extension PlanSink {
  /// One after another.
  package func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws {
    for (outcome, document) in zip(outcomes, page) { try await record(outcome, of: document) }
  }
}
