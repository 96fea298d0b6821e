import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import Files
@testable import FirestoreREST
@testable import Runs

/// Remembers what was settled.
private final class Results: BatchDelegate {
  let settled = Locked<[DocumentPath: WriteResult]>([:])
  let failsOn: DocumentPath?

  init(failsOn: DocumentPath? = nil) { self.failsOn = failsOn }

  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure) {
    // What is told a moment late is waited for all the same.
    for _ in 0..<20 { await Task.yield() }
    if write.path == failsOn { throw Failure(.cannotWrite, "keep", cause: "the disk is full") }
    settled.withLock { $0[write.path] = result }
  }

  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution {
    for _ in 0..<20 { await Task.yield() }
    guard let current, case .update(let fields, _) = write.operation else { return .settle(.conflicted) }
    return .change(Change(replacing: current, with: fields))
  }

  var count: Int { settled.withLock { $0.count } }
}

@Suite("Draining", .timeLimit(.minutes(60)))
struct DrainTests {
  private func write(_ name: String, _ precondition: Precondition = .exists(false)) -> Write {
    Write(
      path: path(name),
      operation: .update(fields: ["n": .integer(1)], mask: nil),
      precondition: precondition
    )
  }

  private func run(
    _ handler: @escaping RequestHandler,
    _ results: Results,
    _ body: (BatchWriter, FirestoreClient) async throws -> Void
  ) async throws {
    try await Fixture.with(handler) { fixture in
      try await BatchWriter.run(
        fixture.client,
        limits: BatchLimits(maximumWrites: 10, maximumInFlight: 3),
        pacer: WritePacer(ramp: false),
        delegate: results
      ) { writer in try await body(writer, fixture.client) }
    }
  }

  @Test(
    "It returns when all writes are settled, replanned or not, and writing continues after it",
    arguments: 1...5
  )
  func settled(_ seed: Int) async throws {
    let mini = MiniFirestore()
    for number in 0..<5 { try mini.put("c/\(number)", fields: "{}") }
    let faults = mini.faults(
      FaultRule([.commit], .percent(30), oneOf: [.dropAfterApplying, .drop, .error(.unavailable)]),
      seed: UInt64(seed)
    )
    let results = Results()
    try await run(faults.handler, results) { writer, _ in
      try await writer.drain()
      var submitted = 0
      for round in [25, 1, 0, 13] {
        for _ in 0..<round {
          // The first ones are there already, and planned again.
          try await writer.submit(write("c/\(submitted)"))
          submitted += 1
        }
        try await writer.drain()
        #expect(results.count == submitted, "seed \(seed)")
        #expect(mini.snapshot().count == max(5, submitted), "seed \(seed)")
      }
    }
    #expect(
      results.settled.withLock { $0.values.count { if case .written = $0 { true } else { false } } } == 39
    )
  }

  @Test("Refused writes are settled, too")
  func rejected() async throws {
    let faults = MiniFirestore().faults(
      FaultRule([.commit], .always, .error(.invalidArgument("no good"))),
      maximumConsecutive: .max
    )
    let results = Results()
    try await run(faults.handler, results) { writer, _ in
      for number in 0..<15 { try await writer.submit(write("c/\(number)")) }
      try await writer.drain()
      #expect(results.count == 15)
    }
  }

  @Test("It throws what ended the writing")
  func failing() async throws {
    let results = Results(failsOn: path("c/3"))
    let thrown = Locked<Failure?>(nil)
    let ended = await failure(of: {
      try await run(MiniFirestore().handler, results) { writer, _ in
        for number in 0..<8 { try await writer.submit(write("c/\(number)")) }
        do throws(Failure) {
          try await writer.drain()
        } catch {
          thrown.withLock { $0 = error }
          throw error
        }
      }
    })
    #expect(thrown.withLock { $0 }?.kind == .cannotWrite)
    #expect(ended?.kind == .cannotWrite)
  }

  @Test("A cancelled one ends with an interruption, and commits in flight are settled")
  func cancelled() async throws {
    let mini = MiniFirestore()
    let task = Locked<Task<Void, any Error>?>(nil)
    let faults = mini.faults(
      FaultRule([.commit], .always, .delay(.milliseconds(200))),
      maximumConsecutive: .max
    )
    faults.before(.commit, 2) { _ in task.withLock { $0 }?.cancel() }
    let results = Results()
    let interrupted = Locked(false)
    let running = Task {
      try await run(faults.handler, results) { writer, _ in
        for number in 0..<20 { try await writer.submit(write("c/\(number)")) }
        do throws(Failure) {
          try await writer.drain()
        } catch {
          interrupted.withLock { $0 = error.kind == .interrupted }
          throw error
        }
      }
    }
    task.withLock { $0 = running }
    _ = await running.result
    #expect(interrupted.withLock { $0 })
    #expect(results.count == mini.totalWrites)
  }

  @Test("A late commit from before an interruption counts as the run's own, once")
  func late() async throws {
    let mini = MiniFirestore()
    try mini.put("c/updated", fields: #"{"n":{"integerValue":"0"}}"#)
    try mini.put("c/deleted", fields: "{}")
    try await withTemporaryDirectory { folder in
      try await Fixture.with(mini.handler) { fixture in
        let file = "\(folder.path)/journal.jsonl"
        let time = try await fixture.client.get(path("_gymmigrate/lock")).readTime
        let before = try await fixture.client.batchGet([path("c/updated"), path("c/deleted")])
        let fields: FieldMap = ["n": .integer(1)]
        let changes = [
          Change(path: path("c/created"), before: nil, after: fields),
          Change(replacing: try #require(before[path("c/updated")]), with: fields),
          Change(path: path("c/deleted"), before: before[path("c/deleted")], after: nil),
        ]
        do {
          let journal = try Journal(file, database: testDatabase, run: "r", serverTime: time)
          try await journal.record(changes)
        }
        // What the run had sent arrives only now, when it has read the documents again.
        _ = try await fixture.client.commitOnce(
          changes.map { PendingWrite($0, in: testDatabase).json },
          timeout: 20
        )
        mini.resetCounts()
        let journal = try Journal(file, resuming: Resumption(of: "r", in: folder.path))
        let results = Results()
        try await BatchWriter.run(
          fixture.client,
          limits: BatchLimits(),
          pacer: WritePacer(ramp: false),
          journal: journal,
          delegate: results
        ) { writer in
          for change in changes { try await writer.submit(change) }
          try await writer.drain()
        }
        #expect(results.count == 3)
        for (path, result) in results.settled.withLock({ $0 }) {
          guard case .written = result else {
            Issue.record("\(path): \(result)")
            continue
          }
        }
        #expect(mini.totalWrites == 0)
        #expect(!journal.hasTail)
      }
    }
  }
}
