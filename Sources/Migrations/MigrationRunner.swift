public import Logging
import Models
public import Transfer

/// Plans and applies migrations on one database: reads page by page, writes in commits that expect what was read.
public struct MigrationRunner: Sendable {
  private let client: FirestoreClient
  private let run: RunDirectory
  private let progress: Progress
  private let logger: Logger
  /// Documents a page.
  public var pageSize = 300
  /// Limits of what is written at once.
  public var limits = BatchLimits()
  /// How fast it may be written.
  public var pacer = WritePacer(ramp: false)
  /// How many changes a report keeps to be shown.
  public var examples = 3

  /// Makes a runner.
  public init(client: FirestoreClient, run: RunDirectory, progress: Progress, logger: Logger) {
    self.client = client
    self.run = run
    self.progress = progress
    self.logger = logger
  }

  /// Reads what the migration reads and tells what it would change.
  ///
  /// Writes nothing to the database; the changes go to `plan.jsonl` of the run.
  ///
  /// - Throws: ``Failure``.
  public func plan(_ migration: any Migration, book: AccountsBook) async throws -> MigrationReport {
    let session = PlanSession(
      migration: migration,
      book: book,
      lists: FindingLists(run),
      examples: examples,
      changes: PlanFile(run.file("plan.jsonl")),
      writer: nil
    )
    try await read(migration, session, book)
    return session.report
  }

  /// Applies the migration: plans and writes in one stream.
  ///
  /// A document that changes meanwhile is planned again on what it has become.
  ///
  /// - Throws: ``Failure``; what was sent is settled by then.
  public func apply(_ migration: any Migration, book: AccountsBook) async throws -> MigrationReport {
    let lists = FindingLists(run)
    let delegate = ApplyDelegate(migration: migration, book: book, lists: lists, rejects: RejectList(run))
    let session = PlanSession(
      migration: migration,
      book: book,
      lists: lists,
      examples: examples,
      changes: nil,
      writer: nil
    )
    try await BatchWriter.run(client, limits: limits, pacer: pacer, delegate: delegate) { writer in
      try await read(migration, session.writing(to: writer), book)
    }
    return session.report
  }

  private func read(_ migration: any Migration, _ session: PlanSession, _ book: AccountsBook) async throws {
    for collection in migration.reads { book.count(collection) }
    let source = LiveSource(
      client: client,
      pageSize: pageSize,
      progress: progress,
      book: book,
      countsOnly: Set(migration.reads).subtracting(migration.writes)
    )
    defer { progress.end() }
    try await migration.plan(from: source, into: session)
    logger.debug("planned", metadata: ["migration": "\(migration.id)"])
  }
}

/// Documents as they are in the database now.
struct LiveSource: DocumentSource {
  let client: FirestoreClient
  let pageSize: Int
  let progress: Progress
  let book: AccountsBook
  /// Collections that are read and not written: their documents are unchanged unless told otherwise.
  let countsOnly: Set<CollectionPath>

  func forEachDocument(
    in collection: CollectionPath,
    _ body: (RawDocument) async throws -> Void
  ) async throws {
    progress.begin(collection.string, total: try? await client.count(collection).count)
    var read = CollectionRead(collection)
    read.pageSize = pageSize
    for try await page in client.pages(of: read) {
      try Task.checkCancellation()
      book.count(collection) {
        $0.read += page.count
        if countsOnly.contains(collection) { $0.unchanged += page.count }
      }
      for document in page { try await body(document) }
      progress.advance(by: page.count)
    }
  }
}

/// Takes what a migration decides: counts it, lists it, and hands changes on to be written.
private final class PlanSession: PlanSink {
  private let migration: any Migration
  private let book: AccountsBook
  private let lists: FindingLists
  private let exampleCount: Int
  private let changes: PlanFile?
  private let writer: BatchWriter?
  private let state: Guarded<MigrationReport>

  init(
    migration: any Migration,
    book: AccountsBook,
    lists: FindingLists,
    examples: Int,
    changes: PlanFile?,
    writer: BatchWriter?,
    state: Guarded<MigrationReport>? = nil
  ) {
    self.migration = migration
    self.book = book
    self.lists = lists
    exampleCount = examples
    self.changes = changes
    self.writer = writer
    self.state = state ?? Guarded(MigrationReport(migration: migration.id))
  }

  /// The same session with somebody to hand changes to.
  func writing(to writer: BatchWriter) -> PlanSession {
    PlanSession(
      migration: migration,
      book: book,
      lists: lists,
      examples: exampleCount,
      changes: changes,
      writer: writer,
      state: state
    )
  }

  var report: MigrationReport { state.withLock { $0 } }

  func tell(_ outcome: Outcome, of document: RawDocument) async throws {
    for finding in outcome.findings {
      state.withLock { $0.add(finding) }
      try lists.add(finding, of: migration.id, document: document)
    }
    let collection = document.path.collection
    let isReadOnly = !migration.writes.contains(collection)
    book.count(collection) { accounts in
      outcome.count(in: &accounts, isReadOnly: isReadOnly)
    }
    guard case .change(let change) = outcome.action else { return }
    state.withLock { $0.add(change, keeping: exampleCount) }
    try changes?.append(change)
    try await writer?.submit(change.write)
  }
}

extension Outcome {
  /// Counts the document where it stays as it is; a change is counted when it is settled.
  fileprivate func count(in accounts: inout Accounts, isReadOnly: Bool) {
    if findings.contains(where: { $0.kind == .review }) { accounts.review += 1 }
    switch action {
    case .unchanged: if !isReadOnly { accounts.unchanged += 1 }
    case .skip:
      // A document that is only read was counted as unchanged when it came.
      if isReadOnly { accounts.unchanged -= 1 }
      if findings.contains(where: { $0.kind == .reject }) {
        accounts.rejected += 1
      } else {
        accounts.skipped += 1
      }
    case .change(let change): if change.before == nil { accounts.created += 1 }
    }
  }
}

/// Settles the writes of an apply.
private struct ApplyDelegate: BatchDelegate {
  let migration: any Migration
  let book: AccountsBook
  let lists: FindingLists
  let rejects: RejectList

  func willCommit(_ writes: [Write]) async throws(Failure) {}

  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure) {
    book.count(write.path.collection) { $0.settle(write, result) }
    switch result {
    case .rejected(let error):
      try rejects.add(write.path, code: error.status.name, message: error.message, fields: write.fields)
    case .conflicted:
      try rejects.add(
        write.path,
        code: "conflict",
        message: "the document changed while the run went on",
        fields: nil
      )
    case .written, .unchanged, .skipped: break
    }
  }

  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution {
    guard let current else {
      // A deletion whose document is gone already has nothing left to do.
      if case .delete = write.operation { return .settle(.unchanged) }
      return .settle(.conflicted)
    }
    guard let outcome = migration.replan(current) else { return .settle(.conflicted) }
    switch outcome.action {
    case .unchanged: return .settle(.unchanged)
    case .skip: return .settle(.skipped)
    case .change(let change): return .write(change.write)
    }
  }
}

extension Write {
  fileprivate var fields: FieldMap? {
    if case .update(let fields, _) = operation { fields } else { nil }
  }
}
