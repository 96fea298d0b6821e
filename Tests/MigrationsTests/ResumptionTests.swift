import FirestoreModels
import Foundation
import Logging
import RunSupport
import TestSupport
import Testing
import TypedDocuments

@testable import Configuration
@testable import FirestoreREST
@testable import GymMigrations
@testable import MigrationEngine
@testable import Runs

@Suite("Migrations that are resumed", .timeLimit(.minutes(60)))
struct ResumptionTests {
  @Test("A position is read as it was written")
  func positions() throws {
    let path = try #require(DocumentPath("users/a b/c/é \u{7F}"))
    let marked = try #require(DocumentPath("\u{301}c/x"))
    for last in [nil, path, marked] {
      let position = SourcePosition(read: 12, last: last)
      #expect(SourcePosition(position.description) == position)
    }
    #expect(SourcePosition(read: 1, last: path).description == "1 users/a b/c/é \u{7F}")
    for text in ["", "x", "1 users", " ", "users/u1"] { #expect(SourcePosition(text) == nil, "\(text)") }
  }

  @Test("A report continues from a checkpoint")
  func counts() throws {
    let users = CollectionPath(nil, "users")
    var report = MigrationReport(migration: "m")
    report.changes.add(.create, in: users, 3)
    report.changes.add(.update, in: users, 5)
    report.changes.add(.delete, in: CollectionPath(nil, "two words"), 4)
    report.reasons = [UTF8Key("isActive-default"): 7, UTF8Key("a b"): 8]
    report.findings = [
      .init(kind: .review, code: "name-one-word"): 9, .init(kind: .note, code: "name-one-word"): 1,
      .init(kind: .reject, code: "wrong-type"): 10, .init(kind: .note, code: "role-missing"): 11,
    ]
    let checkpoint = Checkpoint(at: Checkpoint.State(at: report))
    let read = try JSONParser().parse(checkpoint.json) { json throws(WireError) in try Checkpoint(json) }
    let again = try #require(try read.position(as: MigrationReport.self))
    #expect(again.changes == report.changes)
    #expect(again.changes.count(.create, in: users) == 3 && again.deletions == 4 && again.changeCount == 12)
    #expect(again.reasons == report.reasons)
    #expect(again.findings == report.findings)
    #expect(throws: Failure.self) { try read.position(as: Checkpoint.Done.self) }
  }

  @Test("A report counts collections and reasons apart whose names differ in composition alone.")
  func composition() throws {
    var report = MigrationReport(migration: "m")
    for (name, count) in [("\u{E9}", 1), ("e\u{301}", 2)] {
      report.changes.add(.update, in: CollectionPath(nil, name), count)
      report.reasons[UTF8Key("set \(name)")] = count
    }
    let checkpoint = Checkpoint(at: Checkpoint.State(at: report))
    let read = try JSONParser().parse(checkpoint.json) { json throws(WireError) in try Checkpoint(json) }
    let again = try #require(try read.position(as: MigrationReport.self))
    #expect(again.reasons == report.reasons && again.reasons.count == 2)
    #expect(again.changes == report.changes)
    #expect(again.changes.count(.update, in: CollectionPath(nil, "e\u{301}")) == 2)
  }

  /// Applies `user-emails --prune` with a bound on deletions, in a run that is begun or resumed.
  private func prune(
    _ server: HTTPTestServer,
    _ run: RunDirectory,
    _ counts: RunCounts,
    atMost maximum: Int?
  ) async throws {
    let client = FirestoreClient.testing(server.url)
    var runner = MigrationRunner(
      in: .silent(
        client,
        run,
        counts: counts,
        checkpoints: try await Checkpoints(run, client: client, counts: counts, clock: .system)
      )
    )
    runner.maximumDeletes = maximum
    runner.limits = BatchLimits(maximumWrites: 1, maximumInFlight: 1)
    _ = try await runner.apply(.migration(UserEmails(prune: true)))
  }

  @Test("The bound of deletions holds for the whole run, and each is counted once")
  func deletions() async throws {
    let mini = MiniFirestore()
    try mini.put("users/u", fields: "{}")
    for number in 0..<9 { try mini.put("user_emails/e\(number)@x", fields: "{}") }
    // The run ends when its fifth deletion is refused.
    let faults = mini.faults(FaultRule([.commit], .number(5), .error(.permissionDenied)))
    try await withTemporaryDirectory { folder in
      try await HTTPTestServer.withServer(faults.handler) { server in
        let state = "\(folder.path)/state"
        let record: RunRecord
        do {
          let run = try RunDirectory(in: state, command: "migrate")
          record = RunRecord(
            id: run.id,
            command: "migrate apply",
            arguments: [],
            workingDirectory: "/",
            environment: DatabaseEnvironment(name: "x", database: DatabaseName(project: "test-project")),
            startedAt: .now,
            writes: true
          )
          await #expect(throws: Failure.self) { try await prune(server, run, RunCounts(), atMost: nil) }
          #expect(mini.totalWrites == 4)
        }
        let run = try RunDirectory(resuming: record, in: state)
        let counts = RunCounts(resuming: run.restoredCounts)
        await #expect(throws: Failure.self) { try await prune(server, run, counts, atMost: 4) }
        #expect(mini.totalWrites == 4)
        #expect(counts.totals.deleted == 4)
        #expect(counts.totals.written == 4)
        #expect(counts.totals.balance)
      }
    }
  }
}
