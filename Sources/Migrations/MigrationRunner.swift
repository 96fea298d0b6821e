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
  /// Deletions of one migration at the most; any number where nil.
  public var maximumDeletes: Int?
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
      writer: nil,
      maximumDeletes: maximumDeletes
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
    let session = PlanSession(
      migration: migration,
      book: book,
      lists: lists,
      examples: examples,
      changes: nil,
      writer: nil,
      maximumDeletes: maximumDeletes
    )
    let delegate = ApplyDelegate(
      migration: migration,
      book: book,
      lists: lists,
      rejects: RejectList(run),
      report: session.state,
      pending: session.pending
    )
    try await BatchWriter.run(client, limits: limits, pacer: pacer, delegate: delegate) { writer in
      try await read(migration, session.writing(to: writer), book)
    }
    return session.report
  }

  private func read(_ migration: any Migration, _ session: PlanSession, _ book: AccountsBook) async throws {
    for collection in migration.reads { book.open(collection) }
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
    progress.begin(collection.string, total: try await total(of: collection))
    for try await page in client.pages(of: CollectionRead(collection, pageSize: pageSize)) {
      try Task.checkCancellation()
      book.count(collection) {
        $0.read += page.count
        if countsOnly.contains(collection) { $0.unchanged += page.count }
      }
      for document in page { try await body(document) }
      progress.advance(by: page.count)
    }
  }

  /// The number of documents, nil where the service cannot tell; what keeps it from answering would keep the pages, too.
  private func total(of collection: CollectionPath) async throws(Failure) -> Int? {
    do throws(Failure) {
      return try await client.count(collection).count
    } catch {
      if let status = error.service?.status, status == .unimplemented || status == .invalidArgument {
        return nil
      }
      throw error
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
  private let maximumDeletes: Int?
  fileprivate let state: Guarded<MigrationReport>
  /// What was found of the documents whose writes are not settled yet.
  fileprivate let pending: Guarded<[DocumentPath: [Finding]]>

  init(
    migration: any Migration,
    book: AccountsBook,
    lists: FindingLists,
    examples: Int,
    changes: PlanFile?,
    writer: BatchWriter?,
    maximumDeletes: Int?,
    state: Guarded<MigrationReport> = Guarded(MigrationReport(migration: "")),
    pending: Guarded<[DocumentPath: [Finding]]> = Guarded([:])
  ) {
    self.migration = migration
    self.book = book
    self.lists = lists
    exampleCount = examples
    self.changes = changes
    self.writer = writer
    self.maximumDeletes = maximumDeletes
    self.state = state
    self.pending = pending
    state.withLock { $0.migration = migration.id }
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
      maximumDeletes: maximumDeletes,
      state: state,
      pending: pending
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
    if outcome.findings.contains(where: { $0.kind == .reject }) { try book.assertBudget() }
    guard case .change(let change) = outcome.action else { return }
    if change.after == nil { try assertMayDelete() }
    state.withLock { $0.add(change, keeping: exampleCount) }
    try changes?.append(change)
    guard let writer else { return }
    if !outcome.findings.isEmpty { pending.withLock { $0[change.path] = outcome.findings } }
    try await writer.submit(change.write)
  }
}

extension PlanSession {
  /// Stops before one deletion too many is handed on.
  private func assertMayDelete() throws(Failure) {
    guard let maximumDeletes, state.withLock({ $0.deletions }) >= maximumDeletes else { return }
    throw Failure(
      .notPermitted,
      "delete more than \(maximumDeletes) documents by",
      path: migration.id,
      cause: "--max-delete allows no more",
      remedy: "Look at the plan, then allow more with --max-delete."
    )
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
