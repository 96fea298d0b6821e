import Files
import FirestoreModels
import FirestoreREST
import Foundation
import Logging
import Runs
import Synchronization
import TestSupport
import Testing

@testable import MigrationEngine

@Suite("Lease")
struct LeaseTests {
  private func document(run: String, renewed seconds: Int64) -> RawDocument {
    let lease = Lease(run: run, holder: "ana@desk", command: "migrate apply")
    return RawDocument(path: Lease.path, fields: lease.fields, updateTime: Timestamp(seconds: seconds))
  }

  @Test("It holds for 60 seconds of the service's clock.")
  func expiry() throws {
    let held = document(run: "a", renewed: 1000)
    let times = try [1000, 1060, 1061].map { try #require(Timestamp(seconds: $0)) }
    let standings = times.map { Lease.state(of: held, now: $0, for: ["b"]) }
    #expect(
      standings == [
        .held(Lease(held), seconds: 60), .held(Lease(held), seconds: 0), .expired(Lease(held)),
      ]
    )
    let now = try #require(Timestamp(seconds: 1000))
    #expect(Lease.state(of: held, now: now, for: ["b", "a"]) == .own)
    #expect(Lease.state(of: nil, now: now, for: []) == .free)
  }

  @Test("It is written only over what was read.")
  func precondition() {
    let lease = Lease(run: "b", holder: "bo@desk", command: "migrate apply")
    #expect(lease.write(over: nil).precondition == .exists(false))
    let held = document(run: "a", renewed: 1000)
    #expect(lease.write(over: held).precondition == held.updateTime.map { .updateTime($0) })
  }
}

@Suite("Whether a run may begin")
struct LedgerRulesTests {
  private func entry(
    _ run: String,
    _ status: LedgerEntry.Status = .done,
    migration: String = "users-unify",
    checksum: String? = nil,
    changed: Bool = true,
    undoes: String? = nil
  ) -> LedgerEntry {
    var entry = LedgerEntry(
      run: run,
      command: "migrate apply \(migration)",
      migrations: [.init(id: migration, checksum: checksum)],
      holder: "ana@desk",
      undoes: undoes
    )
    entry.status = status
    entry.hasChanged = changed
    entry.totals.written = changed ? 1 : 0
    return entry
  }

  private func refusal(
    _ new: LedgerEntry,
    resumed: Bool = false,
    _ known: [LedgerEntry]
  ) -> Failure? {
    do throws(Failure) {
      try LedgerRules.assertMayBegin(new, isResumed: resumed, known: known)
      return nil
    } catch {
      return error
    }
  }

  @Test("A run that stopped before it was done blocks others.", arguments: LedgerEntry.Status.allCases)
  func halfWay(_ status: LedgerEntry.Status) {
    let blocking: Set<LedgerEntry.Status> = [.running, .failed, .interrupted]
    let failure = refusal(entry("new"), [entry("old", status)])
    #expect((failure != nil) == blocking.contains(status))
    if let failure {
      #expect(failure.kind == .tryLater)
      #expect(failure.description.contains("old"))
    }
    // But not itself.
    let own = refusal(entry("old", .running), resumed: true, [entry("old", status)])
    #expect((own == nil) == (status != .undone && status != .cleared))
  }

  @Test("One that failed before it wrote anything holds up nobody.")
  func failedEmpty() {
    #expect(refusal(entry("new"), [entry("old", .failed, changed: false)]) == nil)
    #expect(refusal(entry("new"), [entry("old", .running, changed: false)]) != nil)
  }

  @Test("A file that changed under the same id is refused, unless what it did was undone.")
  func checksum() {
    let old = entry("old", migration: "fix-phones", checksum: "aa")
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "aa"), [old]) == nil)
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "bb"), [old])?.kind == .notPermitted)
    #expect(refusal(entry("new", migration: "other", checksum: "bb"), [old]) == nil)
    // One that wrote nothing has done nothing under the id; one without a checksum was no file.
    let idle = entry("old", migration: "fix-phones", checksum: "aa", changed: false)
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "bb"), [idle]) == nil)
    var conflicts = entry("old", .incomplete, migration: "fix-phones", checksum: "aa")
    (conflicts.totals.written, conflicts.totals.conflicted) = (0, 1)
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "bb"), [conflicts]) == nil)
    let plan = entry("old", migration: "fix-phones")
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "bb"), [plan]) == nil)
    let undone = entry("old", .undone, migration: "fix-phones", checksum: "aa")
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "bb"), [undone]) == nil)
  }

  @Test("What may be undone")
  func undo() {
    // A run that stopped before it was done may be undone: it does not hold up its own undo.
    #expect(refusal(entry("new", undoes: "old"), [entry("old", .interrupted)]) == nil)
    #expect(refusal(entry("new", undoes: "old"), [entry("old", .undone)])?.kind == .usage)
    let undo = entry("old", undoes: "older")
    #expect(refusal(entry("new", undoes: "old"), [undo])?.kind == .usage)
    #expect(refusal(entry("new", undoes: "old"), [entry("old"), entry("half", .failed)])?.kind == .tryLater)
    // An import, which the ledger does not know.
    #expect(refusal(entry("new", undoes: "old"), []) == nil)
  }

  @Test("A run that stopped does not hold up the undo of a later one.", arguments: [(10, 20), (20, 10)])
  func undoOfLater(_ half: Int64, _ undone: Int64) {
    var known = [entry("half", .running), entry("old")]
    known[0].startedAt = Timestamp(seconds: half)
    known[1].startedAt = Timestamp(seconds: undone)
    #expect(refusal(entry("new", undoes: "old"), known)?.kind == (half < undone ? nil : .tryLater))
    #expect(refusal(entry("new"), known)?.kind == .tryLater)
  }
}

@Suite("Ledger", .timeLimit(.minutes(60)))
struct MigrationLedgerTests {
  /// A ledger of a database of its own, with sleeps that end when they are told to.
  private func withLedger(_ body: (MigrationLedger, MiniFirestore, Sleeper) async throws -> Void) async throws
  {
    let mini = MiniFirestore()
    try await HTTPTestServer.withServer(mini.handler) { server in
      let sleeper = Sleeper()
      let system = RunClock.system
      let client = FirestoreClient(
        database: DatabaseName(project: "test-project"),
        endpoint: server.url,
        caller: ServiceCaller(
          transport: CurlTransport(),
          credentials: TokenProvider(Credentials(.emulatorOwner), transport: CurlTransport()),
          policy: RetryPolicy(budget: 30)
        )
      )
      let clock = RunClock(now: system.now, sleep: { _ in try await sleeper.sleep() }, random: system.random)
      try await body(
        MigrationLedger(client: client, clock: clock, logger: Logger(label: "test")),
        mini,
        sleeper
      )
    }
  }

  private func entry(_ run: String) -> LedgerEntry {
    LedgerEntry(run: run, command: "migrate apply is-active", migrations: [], holder: "ana@desk")
  }

  private func perform(
    _ ledger: MigrationLedger,
    _ run: String,
    isResumed: Bool = false,
    isEmpty: Bool = false,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await ledger.perform(
      entry(run),
      isResumed: isResumed,
      isEmpty: { isEmpty },
      counts: RunCounts(),
      body
    )
  }

  private func failure(_ body: () async throws -> Void) async -> Failure? {
    do {
      try await body()
      return nil
    } catch {
      return error as? Failure
    }
  }

  @Test("A changed file is accepted in every run of its migration but those that are undone or may be alive.")
  func accepted() async throws {
    try await withLedger { ledger, _, _ in
      let states: [(String, LedgerEntry.Status)] = [
        ("1", .undone), ("2", .cleared), ("3", .failed), ("4", .done), ("5", .running),
      ]
      for (run, status) in states {
        var entry = entry(run)
        entry.migrations = [.init(id: "m", checksum: "aa"), .init(id: "n", checksum: "aa")]
        entry.status = status
        try await ledger.note(entry)
      }
      let migration = FolderMigration(name: "m", id: "m", summary: "S.", choice: "m.yaml", checksum: "bb")
      try await ledger.accept([migration])
      let entries = try await ledger.entries()
      #expect(entries.map { $0.migrations[0].accepted } == [nil, "bb", "bb", "bb", nil])
      #expect(entries.allSatisfy { $0.migrations[1].accepted == nil })
    }
  }

  @Test("What is not applied cannot be verified; what is, has the service's time.")
  func verified() async throws {
    try await withLedger { ledger, _, _ in
      var first = entry("1")
      (first.migrations, first.status) = ([.init(id: "m", checksum: nil)], .done)
      try await ledger.note(first)
      let refused = await failure { try await ledger.record(["m", "n"], isVerified: true) }
      #expect(refused?.kind == .usage && refused?.path == "n")
      #expect(try await ledger.entries()[0].migrations[0].verifiedAt == nil)
      try await ledger.record(["m"], isVerified: true)
      let entry = try await ledger.entries()[0]
      let time = try #require(entry.migrations[0].verifiedAt)
      #expect(try time >= #require(entry.startedAt) && entry.status == .done)
    }
  }

  @Test("While one runs another is told who, and after its end it may.")
  func twoAtOnce() async throws {
    try await withLedger { ledger, mini, _ in
      try await perform(ledger, "first") {
        let holder = try await ledger.holder()
        #expect(holder?.run == "first")
        #expect(try await ledger.entries().map(\.status) == [.running])
        let refused = await failure { try await perform(ledger, "second") {} }
        #expect(refused?.kind == .tryLater)
        #expect(refused?.description.contains("ana@desk") ?? false)
        #expect(refused?.description.contains("first") ?? false)
      }
      #expect(try await ledger.holder() == nil)
      try await perform(ledger, "second") {}
      #expect(try await ledger.entries().map(\.status) == [.done, .done])
    }
  }

  @Test("Runs stand in the order in which they began, also where one millisecond saw several begin.")
  func order() async throws {
    try await withLedger { ledger, mini, _ in
      for (run, second) in [("d", 2), ("b", 1), ("c", 1), ("a", 1)] {
        try mini.put(
          "_gymmigrate_runs/\(run)",
          fields: #"{"startedAt":{"timestampValue":"2026-01-01T00:00:0\#(second).001Z"}}"#
        )
      }
      #expect(try await ledger.entries().map(\.run) == ["b", "c", "a", "d"])
    }
  }

  @Test("Of many that try at once, one runs at a time.")
  func race() async throws {
    try await withLedger { ledger, _, _ in
      let inside = Locked(0)
      let ran = Locked(0)
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            _ = await failure {
              try await perform(ledger, "run-\(number)") {
                let count = inside.withLock { inside in
                  inside += 1
                  return inside
                }
                #expect(count == 1)
                ran.withLock { $0 += 1 }
                await Task.yield()
                inside.withLock { $0 -= 1 }
              }
            }
          }
        }
      }
      #expect(ran.withLock { $0 } >= 1)
      let holder = try await ledger.holder()
      #expect(holder == nil)
    }
  }

  @Test("How a run ended is in the ledger.")
  func endings() async throws {
    try await withLedger { ledger, _, _ in
      let broken = Failure(.unavailable, "write", cause: "the network is gone")
      let seen = await failure { try await perform(ledger, "a") { throw broken } }
      #expect(seen == broken)
      #expect(try await ledger.entries().map(\.status) == [.failed])
      // It stopped before it was done, so nothing else begins, but for itself.
      #expect(await failure { try await perform(ledger, "b") {} }?.kind == .tryLater)
      let stopped = await failure {
        try await perform(ledger, "a", isResumed: true) { throw CancellationError() }
      }
      #expect(stopped == nil)
      #expect(try await ledger.entries().map(\.status) == [.interrupted])
      try await ledger.clear("a", isDead: false)
      #expect(try await ledger.entries().map(\.status) == [.cleared])
      #expect(await failure { try await ledger.clear("a", isDead: false) }?.kind == .usage)
      #expect(await failure { try await ledger.clear("z", isDead: false) }?.kind == .inputMissing)
      // One that wrote nothing holds up nobody.
      _ = await failure { try await perform(ledger, "c", isEmpty: true) { throw broken } }
      try await perform(ledger, "d") {}
    }
  }

  @Test("A run whose lease is taken away stops at the next renewal.")
  func lost() async throws {
    try await withLedger { ledger, _, sleeper in
      let stopped = await failure {
        try await perform(ledger, "a") {
          let held = try await ledger.unlock()
          #expect(held?.run == "a")
          sleeper.wake()
          // Until it is cancelled.
          try await Task.sleep(for: .seconds(600))
        }
      }
      #expect(stopped?.kind == .tryLater)
      #expect(stopped?.description.contains("lease") ?? false)
    }
  }

  @Test("One whose entry another process took over leaves it as that one wrote it.")
  func takenOver() async throws {
    try await withLedger { ledger, mini, _ in
      // As if this process had slept, and its run been resumed elsewhere.
      let end: @Sendable (String, String) throws -> Void = { run, status in
        let entry = try #require(mini.everything().first { $0.name == "_gymmigrate_runs/\(run)" })
        let fields = entry.fieldsJSON.replacingOccurrences(of: #""running""#, with: "\"\(status)\"")
        try mini.put(entry.name, fields: fields)
      }
      let broken = Failure(.unavailable, "write", cause: "the network is gone")
      let seen = await failure {
        try await perform(ledger, "a") {
          try end("a", "done")
          throw broken
        }
      }
      #expect(seen == broken)
      let once = try await ledger.entries()
      #expect(once.map(\.status) == [.done])
      let late = await failure { try await perform(ledger, "b") { try end("b", "failed") } }
      #expect(late?.kind == .tryLater)
      let twice = try await ledger.entries()
      #expect(twice.map(\.status) == [.done, .failed])
    }
  }

  @Test("What another version wrote into an entry stays.")
  func strangeFields() async throws {
    try await withLedger { ledger, mini, _ in
      let broken = Failure(.unavailable, "write", cause: "the network is gone")
      _ = await failure { try await perform(ledger, "a") { throw broken } }
      let entry = try #require(mini.everything().first { $0.name == "_gymmigrate_runs/a" })
      let fields = entry.fieldsJSON.dropLast() + #","note":{"stringValue":"kept"}}"#
      try mini.put(entry.name, fields: String(fields))
      try await perform(ledger, "a", isResumed: true) {}
      #expect(try await ledger.entries().map(\.status) == [.done])
      let after = mini.everything().first { $0.name == "_gymmigrate_runs/a" }
      #expect(after?.fieldsJSON.contains(#""note":{"stringValue":"kept"}"#) == true)
    }
  }

  @Test("A lease is renewed.")
  func renewed() async throws {
    try await withLedger { ledger, mini, sleeper in
      try await perform(ledger, "a") {
        let before = mini.everything().first { $0.name == "_gymmigrate/lock" }?.updateTime
        sleeper.wake()
        await sleeper.waitUntilAsleep(2)
        let after = mini.everything().first { $0.name == "_gymmigrate/lock" }?.updateTime
        #expect(before != nil && after != nil && before != after)
      }
      #expect(try await ledger.holder() == nil)
    }
  }
}

/// Sleeps that last until they are told to end.
private final class Sleeper: Sendable {
  private struct State {
    /// By the numbers of the sleeps.
    var sleeping: [Int: CheckedContinuation<Void, any Error>] = [:]
    /// Sleeps that were asked for, and those that began.
    var asked = 0, count = 0
    var watching: [(Int, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  func sleep() async throws {
    let number = state.withLock { state in
      state.asked += 1
      return state.asked
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let ready: [(Int, CheckedContinuation<Void, Never>)] = state.withLock { state in
          state.count += 1
          // One that was cancelled before this has not been woken by it.
          if Task.isCancelled {
            continuation.resume(throwing: CancellationError())
          } else {
            state.sleeping[number] = continuation
          }
          let count = state.count
          let ready = state.watching.filter { $0.0 <= count }
          state.watching.removeAll { $0.0 <= count }
          return ready
        }
        for (_, watcher) in ready { watcher.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleeping.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }
  }

  /// Ends every sleep; where nobody sleeps yet, the first one to come is awaited.
  func wake() {
    Task {
      await waitUntilAsleep(1)
      let sleeping = state.withLock { state in
        defer { state.sleeping = [:] }
        return state.sleeping.values.map { $0 }
      }
      for continuation in sleeping { continuation.resume() }
    }
  }

  /// Waits until so many sleeps have begun.
  func waitUntilAsleep(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.count >= count { return true }
        state.watching.append((count, continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
  }
}
