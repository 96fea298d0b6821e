import Configuration
import FirestoreModels
import Foundation
import GymModels
import LocalFirestore
import RunSupport
import TestSupport
import Testing

@testable import FirestoreREST
@testable import GymMigrations
@testable import GymServices
@testable import Integrity
@testable import MigrationEngine
@testable import Runs

/// A gym's groups in the embedded store, runs that change them, and undos of these.
struct GroupHistory: Sendable {
  /// A run, and the run that it undoes.
  struct Run: Sendable {
    var record: RunRecord
    var journal: String
    var undoes: Int?
  }

  let endpoint: String
  let state: String
  /// A client of somebody else, who meets no faults.
  let rival: FirestoreClient

  static let database = DatabaseName(project: "test-project")
  /// The rules of `check` that groups have to keep.
  static let rules: Set<IntegrityRule> = [
    .groupMissing, .groupMemberOfMissingGroup, .groupMemberDangling, .createdByDangling, .currentGroup,
    .groupMemberCount, .groupTooLarge, .groupAdminMissing,
  ]

  static func open(_ body: (GroupHistory) async throws -> Void) async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      try await withTemporaryDirectory { folder in
        let rival = client(server.endpoint, CurlTransport())
        try await body(
          GroupHistory(endpoint: server.endpoint, state: "\(folder.path)/state", rival: rival)
        )
      }
    }
  }

  static func client(_ endpoint: String, _ transport: any HTTPTransport) -> FirestoreClient {
    FirestoreClient.testing(
      endpoint,
      database: database,
      over: transport,
      policy: RetryPolicy(initial: 0.001, maximum: 0.002, budget: 60)
    )
  }

  // MARK: Documents

  func put(_ path: String, _ fields: FieldMap?) async throws {
    let path = try #require(DocumentPath(path))
    let operation = fields.map { Write.Operation.update(fields: $0, mask: nil) } ?? .delete
    let write = PendingWrite(Write(path: path, operation: operation), in: Self.database)
    _ = try await rival.commitOnce([write.json], timeout: 20)
  }

  func addUsers(_ ids: [String]) async throws {
    for id in ids {
      try await put("users/\(id)", ["fullName": .string("Persona \(id)"), "isActive": .boolean(true)])
    }
  }

  /// All documents, by their paths.
  func documents() async throws -> [DocumentPath: RawDocument] {
    var found: [DocumentPath: RawDocument] = [:]
    for name in ["users", "groups"] {
      var read = CollectionRead(CollectionPath(nil, name))
      read.reach = .subcollections
      for try await page in rival.pages(of: read) { for document in page { found[document.path] = document } }
    }
    return found
  }

  /// What `check` finds.
  func findings() async throws -> [String] {
    try await found(try await documents().map { ($0.key.string, $0.value.fields) }, rules: Self.rules)
  }

  // MARK: Runs

  private func context(_ run: RunDirectory, _ transport: any HTTPTransport) async throws -> RunContext {
    let client = Self.client(endpoint, transport)
    let counts = RunCounts(resuming: run.restoredCounts)
    let checkpoints = try await Checkpoints(run, client: client, counts: counts, clock: .system)
    return .silent(client, run, schema: GymSchema.schema, counts: counts, checkpoints: checkpoints)
  }

  /// Begins or resumes a run; what is thrown ends it.
  private func work(
    _ resumed: Run?,
    undoing undone: Int? = nil,
    _ transport: any HTTPTransport,
    _ body: (RunContext) async throws -> Void
  ) async throws -> (run: Run, counts: DocumentCounts, error: (any Error)?) {
    let folder =
      try resumed.map { run throws(Failure) in try RunDirectory(resuming: run.record, in: state) }
      ?? RunDirectory(in: state, command: "groups")
    let record =
      resumed?.record
      ?? RunRecord(
        id: folder.id,
        command: "groups",
        arguments: [],
        workingDirectory: "/",
        environment: DatabaseEnvironment(name: "test", database: Self.database),
        startedAt: .now,
        writes: true
      )
    let context = try await context(folder, transport)
    let run = Run(record: record, journal: folder.file("journal.jsonl"), undoes: resumed?.undoes ?? undone)
    do {
      try await body(context)
      return (run, context.counts.totals, nil)
    } catch {
      return (run, context.counts.totals, error)
    }
  }

  /// Performs operations in a run of its own, or resumes one.
  func perform(
    _ operations: [GroupOperation],
    resuming run: Run? = nil,
    over transport: any HTTPTransport = CurlTransport()
  ) async throws -> (run: Run, counts: DocumentCounts, error: (any Error)?) {
    try await work(run, transport) { context in
      try await GroupService.perform(operations, in: context) { _, _ in }
    }
  }

  /// The changes of a run, with what the undos so far restored.
  func changes(of number: Int, in runs: [Run], resuming resumed: Run? = nil) throws -> RunChanges {
    let changes = try RunChanges(journal: runs[number].journal)
    for undo in runs[number...] + [resumed].compactMap(\.self) {
      guard let undone = undo.undoes else { continue }
      try changes.recognise(
        undoOf: try RunChanges(journal: runs[undone].journal),
        journal: undo.journal,
        isOver: undo.journal != resumed?.journal
      )
    }
    return changes
  }

  /// The members that a run is known to have written.
  func members(writtenBy run: Run) throws -> Set<DocumentPath> {
    var paths: Set<DocumentPath> = []
    try JournalReader.forEachWritten(in: run.journal) { change, _ in
      if change.path.collection.parent?.collection == GymCollection.groups { paths.insert(change.path) }
    }
    return paths
  }

  /// Undoes a run, or resumes its undo.
  func undo(
    _ number: Int,
    in runs: [Run],
    resuming run: Run? = nil,
    over transport: any HTTPTransport = CurlTransport()
  ) async throws -> (run: Run, counts: DocumentCounts, error: (any Error)?) {
    let changes = try changes(of: number, in: runs, resuming: run)
    return try await work(run, undoing: number, transport) { context in
      let undo = try UndoRun("run", changes, client: context.client, rules: GroupRestoration())
      _ = try await MigrationRunner(in: context).apply(.list(undo))
    }
  }

  /// What another program does with groups, of which no journal here knows.
  func rival(_ operation: GroupOperation) async throws {
    let folder = try RunDirectory(in: "\(state)-rival", command: "groups")
    try await GroupService.perform([operation], in: .silent(rival, folder, schema: GymSchema.schema)) {
      _,
      _ in
    }
  }
}
