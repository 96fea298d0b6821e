public import Models

/// A change to the data, as a pure function over documents.
///
/// It says what to read, what becomes of each document, and what is doubtful. The runner owns everything else
/// (reading, writing, journal, ledger, resume, undo).
public protocol Migration: Sendable {
  /// The name on the command line and in the ledger: `users-unify`.
  var id: String { get }
  /// One sentence for `migrate list`, ending in a period.
  var summary: String { get }
  /// The collections that it reads.
  var reads: [CollectionPath] { get }
  /// The collections that it may write.
  var writes: [CollectionPath] { get }

  /// Reads what it needs from `source` and tells `sink` what it found, document by document, in constant memory.
  /// Every document of ``writes`` that was read is told exactly once, as unchanged, skipped or to be changed. One of
  /// a collection that is only read is told, as skipped, where there is a finding about it.
  func plan(from source: any DocumentSource, into sink: any PlanSink) async throws

  /// What becomes of a document that changed while the run was going on; nil where one document alone does not
  /// tell, and the document is listed as conflicted.
  func replan(_ current: RawDocument) -> Outcome?
}

extension Migration {
  /// No single document tells.
  public func replan(_ current: RawDocument) -> Outcome? { nil }
}

/// A migration in which each document stands alone.
public protocol DocumentMigration: Migration {
  /// What becomes of one document.
  func outcome(for document: RawDocument) -> Outcome
}

extension DocumentMigration {
  /// It writes what it reads.
  public var writes: [CollectionPath] { reads }

  /// Streams each collection and tells the outcome of each document.
  public func plan(from source: any DocumentSource, into sink: any PlanSink) async throws {
    for collection in reads {
      try await source.forEachDocument(in: collection) { document in
        try await sink.tell(outcome(for: document), of: document)
      }
    }
  }

  /// The same function, over the document as it is now.
  public func replan(_ current: RawDocument) -> Outcome? { outcome(for: current) }
}

/// What a migration decided about one document.
public struct Outcome: Sendable, Equatable {
  /// What is to be done.
  public enum Action: Sendable, Equatable {
    /// It is right already.
    case unchanged
    /// It is left alone on purpose; a finding says why.
    case skip
    /// It is to be written.
    case change(Change)
  }

  /// What is to be done.
  public var action: Action
  /// What a person should know of it, apart from the change itself.
  public var findings: [Finding]

  /// Makes an outcome.
  public init(_ action: Action, findings: [Finding] = []) {
    self.action = action
    self.findings = findings
  }
}

/// A change to one document: from what was read to what is intended.
public struct Change: Sendable, Equatable {
  /// The document.
  public var path: DocumentPath
  /// As it was read, with its update time; nil where it is to be created.
  public var before: RawDocument?
  /// The fields as they will be, those of `serverTimes` left out; nil where it is to be deleted.
  public var after: FieldMap?
  /// Fields that the service sets to the time of the commit.
  public var serverTimes: [FieldPath]
  /// Why, as short codes in a fixed order (`fullName-from-parts`), for totals and plan files.
  public var reasons: [String]

  /// Makes a change.
  public init(
    path: DocumentPath,
    before: RawDocument?,
    after: FieldMap?,
    serverTimes: [FieldPath] = [],
    reasons: [String] = []
  ) {
    self.path = path
    self.before = before
    self.after = after
    self.serverTimes = serverTimes
    self.reasons = reasons
  }
}

/// Something about a document that a person should know or decide.
public struct Finding: Sendable, Equatable {
  /// How it is counted and where it is listed.
  public enum Kind: String, Sendable {
    /// A person must decide: listed in review.csv.
    case review
    /// The document cannot be migrated as it is: listed in rejects.jsonl.
    case reject
    /// Worth knowing; nothing is waiting for it.
    case note
  }

  /// How it is counted.
  public var kind: Kind
  /// The document.
  public var path: DocumentPath
  /// What it is, as a short fixed code: `wrong-type`, `name-disagrees`, `orphan`.
  public var code: String
  /// The field that it is about, where it is about one.
  public var field: String?
  /// What stands there now.
  public var found: Value?
  /// What is proposed, by field, where something is.
  public var proposal: FieldMap
  /// One sentence for a person; it names no value.
  public var message: String

  /// Makes a finding.
  public init(
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
public protocol DocumentSource: Sendable {
  /// Calls `body` with every document of a collection; nothing but a page or two is held.
  func forEachDocument(
    in collection: CollectionPath,
    _ body: (RawDocument) async throws -> Void
  ) async throws
}

/// Where a migration tells what it decided.
public protocol PlanSink: Sendable {
  /// Tells the outcome of one document: as it was read, or without times and fields where it is to be created.
  func tell(_ outcome: Outcome, of document: RawDocument) async throws
}
