import Files
import FirestoreModels
import FirestoreREST
import Foundation
import Logging
import RunSupport
import Runs
import Synchronization
import TestSupport
import Testing

@testable import MigrationEngine

@Suite("Ledger", .timeLimit(.minutes(60)))
struct MigrationLedgerTests {
  /// A ledger of a database of its own, with sleeps that end when they are told to.
  private func withLedger(_ body: (MigrationLedger, MiniFirestore, Sleeper) async throws -> Void) async throws
  {
    let mini = MiniFirestore()
    try await HTTPTestServer.withServer(mini.handler) { server in
      let sleeper = Sleeper()
      let system = RunClock.system
      let client = FirestoreClient.testing(server.url, policy: RetryPolicy(budget: 30))
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

  @Test("A run began when its first process began, and ended when its last one did.")
  func times() async throws {
    try await withLedger { ledger, mini, _ in
      @Sendable func running() async throws -> Timestamp {
        let entry = try #require(try await ledger.entry(of: "a"))
        #expect(entry.endedAt == nil)
        // Each commit moves the clock on, and times in fields have milliseconds.
        for number in 0..<2000 { try mini.put("things/\(number)", fields: "{}") }
        return try #require(entry.startedAt)
      }
      let began = Locked<[Timestamp]>([])
      _ = await failure {
        try await perform(ledger, "a") {
          let time = try await running()
          began.withLock { $0.append(time) }
          throw CancellationError()
        }
      }
      let first = try #require(try await ledger.entry(of: "a"))
      try await perform(ledger, "a", isResumed: true) {
        let time = try await running()
        began.withLock { $0.append(time) }
      }
      let last = try #require(try await ledger.entry(of: "a"))
      let start = try #require(began.withLock { $0.first })
      #expect(began.withLock { $0 } == [start, start])
      #expect(first.startedAt == start && last.startedAt == start)
      let (interrupted, end) = (try #require(first.endedAt), try #require(last.endedAt))
      #expect(start < interrupted && interrupted < end)
      // What is recorded later is not its end.
      _ = try await ledger.put(last)
      #expect(try await ledger.entry(of: "a")?.endedAt == end)
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
