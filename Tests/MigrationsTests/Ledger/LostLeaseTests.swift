import Files
import FirestoreModels
import FirestoreREST
import Foundation
import GymModels
import Logging
import RunSupport
import Runs
import TestSupport
import Testing

@testable import GymMigrations
@testable import MigrationEngine

@Suite("A lost lease", .timeLimit(.minutes(60)))
struct LostLeaseTests {
  /// What the run does.
  enum Work: CaseIterable { case fix, migration }
  /// Which request of the run the next run comes before.
  enum Moment { case commit, page }

  private static func source(_ work: Work) throws -> ChangeSource {
    switch work {
    case .migration: return .migration(UsersUnify())
    case .fix:
      let scope = DeclarativeMigration.Scope(CollectionPath(nil, "users"), filters: [])
      return .migration(
        DeclarativeMigration(
          id: "fix",
          summary: "X.",
          scope: scope,
          steps: [.set(FieldPath(field: "mark"), .integer(1))],
          touch: false,
          schema: GymSchema.schema
        )
      )
    }
  }

  /// The seconds of a server's clock, as the header `Date` says them.
  private static func httpDate(_ microseconds: Int64) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.string(from: Date(timeIntervalSince1970: Double(microseconds / 1_000_000)))
  }

  /// Performs the work with clocks of this machine that stand still, while the next run does its own before a request.
  ///
  /// - Parameter seconds: The time that passes on the server before the next run; if none, somebody unlocks the database
  ///   and clears the run, as `migrate unlock` does.
  /// - Returns: The failure, the documents of the next run as it left them and as they are at the end, and the entry of the
  ///   ledger.
  private func perform(
    _ work: Work,
    nextRunBefore moment: Moment,
    after seconds: Int64
  ) async throws -> (failure: Failure?, left: [MiniDocument], end: [MiniDocument], entry: LedgerEntry?) {
    let time = Locked<Int64>(1_900_000_000_000_000)
    var options = MiniFirestore.Options()
    options.isAwkward = false
    options.clock = { time.withLock { $0 } }
    let mini = MiniFirestore(options)
    for number in 0..<90 {
      try mini.put(
        "users/u\(number)",
        fields:
          #"{"nombre":{"stringValue":"Ana"},"primerApellido":{"stringValue":"Ruiz"},"activo":{"booleanValue":true}}"#
      )
    }
    let left = Locked<[MiniDocument]>([])
    @Sendable func nextRun() {
      time.withLock { $0 += seconds * 1_000_000 }
      mini.remove("_gymmigrate/lock")
      if seconds == 0 {
        for entry in mini.everything() where entry.name.hasPrefix("_gymmigrate_runs/") {
          try? mini.merge(entry.name, fields: #"{"status":{"stringValue":"cleared"}}"#)
        }
      }
      try? mini.put("_gymmigrate/lock", fields: #"{"runId":{"stringValue":"next"}}"#)
      // Before a page, only what the run has not read yet: it meets no conflict.
      for document in mini.snapshot().dropFirst(moment == .page ? 14 : 0) {
        try? mini.merge(document.name, fields: #"{"by":{"stringValue":"next"}}"#)
      }
      left.withLock { $0 = mini.snapshot().filter { $0.fieldsJSON.contains("next") } }
    }
    let count = Locked(0)
    let handler: RequestHandler = { request in
      let isCommit =
        request.kind == .commit && String(decoding: request.body, as: UTF8.self).contains("/users/")
      let isPage = request.kind == .list && request.target.contains("/users?")
      if moment == .commit ? isCommit : isPage {
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number == 3 { nextRun() }
      }
      guard case .response(var response) = mini.handler(request) else { return .dropConnection }
      response.headers.append(HTTPField("Date", Self.httpDate(time.withLock { $0 })))
      return .response(response)
    }
    let failure = Locked<Failure?>(nil)
    let entry = Locked<LedgerEntry?>(nil)
    try await withTemporaryDirectory { folder in
      try await HTTPTestServer.withServer(handler) { server in
        // It goes on by what is waited for between attempts alone.
        let waited = Locked(0.0)
        let still = RunClock(
          now: { waited.withLock { $0 } },
          sleep: { seconds in
            try await Task.sleep(for: .milliseconds(seconds > 10 ? 3_600_000 : 1))
            waited.withLock { $0 += seconds }
          },
          random: { 0.5 }
        )
        let client = FirestoreClient.testing(
          server.url,
          policy: .brief,
          clock: still
        )
        let run = try RunDirectory(in: folder.path + "/state", command: "migrate")
        let counts = RunCounts()
        var runner = MigrationRunner(in: .silent(client, run, counts: counts))
        runner.limits = BatchLimits(maximumWrites: 7, maximumInFlight: 2)
        runner.pageSize = 7
        let ledger = MigrationLedger(
          client: client,
          clock: still,
          logger: .silent
        )
        let source = try Self.source(work)
        do {
          try await ledger.perform(
            LedgerEntry(run: run.id, command: "x", migrations: [], holder: "ana@desk"),
            isResumed: false,
            isEmpty: { false },
            counts: counts
          ) { [runner] in _ = try await runner.apply(source) }
        } catch let error as Failure {
          failure.withLock { $0 = error }
        }
        let known = try await ledger.entry(of: run.id)
        entry.withLock { $0 = known }
      }
    }
    let documents = left.withLock { $0 }
    let names = Set(documents.map(\.name))
    let end = mini.snapshot().filter { names.contains($0.name) }
    return (failure.withLock { $0 }, documents, end, entry.withLock { $0 })
  }

  @Test(
    "A run whose machine stood still changes nothing of the next one's, by the server's time or at a conflict.",
    arguments: Work.allCases,
    [Moment.commit, .page]
  )
  func suspended(_ work: Work, _ moment: Moment) async throws {
    try await expectNoChange(of: work, at: moment, after: 100)
  }

  @Test(
    "A live run that was cleared changes nothing of the next one's, not even by a commit in flight.",
    arguments: Work.allCases,
    [Moment.commit, .page]
  )
  func unlocked(_ work: Work, _ moment: Moment) async throws {
    let entry = try await expectNoChange(of: work, at: moment, after: 0)
    #expect(entry?.status == .cleared)
  }

  /// Expects that nothing of the next run is changed, and that the ledger says what the run had written; returns its entry.
  @discardableResult
  private func expectNoChange(
    of work: Work,
    at moment: Moment,
    after seconds: Int64
  ) async throws -> LedgerEntry? {
    let result = try await perform(work, nextRunBefore: moment, after: seconds)
    #expect(result.left.count == (moment == .page ? 76 : 90))
    #expect(result.failure?.kind == .tryLater, "\(result.failure?.description ?? "no failure")")
    #expect(result.failure?.cause.contains("the lease was taken away") == true)
    #expect(result.end == result.left)
    #expect(result.entry?.hasChanged == true)
    return result.entry
  }
}
