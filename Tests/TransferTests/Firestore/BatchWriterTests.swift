import FirestoreModels
import Synchronization
import TestSupport
import Testing

@testable import FirestoreREST

/// Remembers what it is given.
private final class Recorder: BatchDelegate {
  struct State {
    var committed: [[Write]] = []
    var settled: [(write: Write, result: WriteResult)] = []
    var resolved = 0
  }

  let state = Mutex(State())
  let plan: @Sendable (Write, RawDocument?) -> ConflictResolution
  let beforeCommit: @Sendable () async throws(Failure) -> Void

  init(
    plan: @escaping @Sendable (Write, RawDocument?) -> ConflictResolution = { _, _ in .settle(.conflicted) },
    beforeCommit: @escaping @Sendable () async throws(Failure) -> Void = {}
  ) {
    self.plan = plan
    self.beforeCommit = beforeCommit
  }

  func willCommit(_ writes: [Write]) async throws(Failure) {
    try await beforeCommit()
    state.withLock { $0.committed.append(writes) }
  }

  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure) {
    state.withLock { $0.settled.append((write, result)) }
  }

  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution {
    state.withLock { $0.resolved += 1 }
    await Task.yield()
    return plan(write, current)
  }

  var results: [WriteResult] { state.withLock { $0.settled.map(\.result) } }
}

@Suite("Batch writer", .timeLimit(.minutes(60)))
struct BatchWriterTests {
  private static func increment(_ document: RawDocument) -> Write {
    Write(
      path: document.path,
      operation: .update(fields: FieldMap(), mask: []),
      transforms: [FieldTransform(FieldPath(field: "n"), .increment(.integer(1)))],
      precondition: document.updateTime.map { .updateTime($0) }
    )
  }

  private func write(
    _ writes: [Write],
    _ client: FirestoreClient,
    _ delegate: Recorder,
    limits: BatchLimits = BatchLimits(maximumWrites: 5, maximumInFlight: 3)
  ) async throws {
    try await BatchWriter.run(client, limits: limits, pacer: WritePacer(ramp: false), delegate: delegate) {
      writer in
      for write in writes { try await writer.submit(write) }
    }
  }

  @Test(
    "Increments are applied once or listed, whatever happens to responses and documents",
    arguments: 1...10
  )
  func increments(seed: Int) async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines("c", 0..<30) { _ in "" })
    let faults = mini.faults(
      FaultRule(
        [.commit],
        .percent(40),
        oneOf: [
          .drop, .dropAfterApplying, .errorAfterApplying(.unavailable), .error(.unavailable), .html(502),
          .emptyBody,
        ]
      ),
      seed: UInt64(seed)
    )
    mini.setBeforeCommit { number, _ in
      if number % 3 == seed % 3, mini.document("c/d0004")?.fieldsJSON.contains("live") == false {
        try? mini.merge("c/d0004", fields: #"{"live":{"nullValue":null}}"#)
      }
    }
    try await Fixture.with(faults.handler, budget: 100_000) { fixture in
      let before = try await fixture.client.batchGet(documents(jsonLines("c", 0..<30)).map(\.path))
      let delegate = Recorder()
      try await write(before.values.map(Self.increment), fixture.client, delegate)
      let settled = delegate.state.withLock { $0.settled }
      #expect(settled.count == 30, "seed \(seed)")
      let after = try await fixture.client.batchGet(before.values.map(\.path))
      for (write, result) in settled {
        let grown =
          (after[write.path]?.fields["n"]?.integer ?? 0) - (before[write.path]?.fields["n"]?.integer ?? 0)
        switch result {
        case .written: #expect(grown == 1, "seed \(seed) \(write.path)")
        case .conflicted: #expect(grown <= 1, "seed \(seed) \(write.path)")
        default: Issue.record("seed \(seed): \(result)")
        }
        #expect(mini.writeCount(write.path.string) <= 1, "seed \(seed)")
      }
    }
  }

  @Test("An increment that could be applied twice is refused")
  func unsafeIncrement() async throws {
    let mini = MiniFirestore()
    try mini.put("c/a", fields: "{}")
    let unsafe = Write(
      path: path("c/a"),
      operation: .update(fields: FieldMap(), mask: []),
      transforms: [FieldTransform(FieldPath(field: "n"), .increment(.integer(1)))],
      precondition: .exists(true)
    )
    try await Fixture.with(mini.handler) { fixture in
      let first = await failure { try await write([unsafe], fixture.client, Recorder()) }
      #expect(first?.kind == .internal)
      #expect(mini.totalWrites == 0)
    }
  }

  @Test("Writes to one document are sent and reported sequentially, in order")
  func order() async throws {
    let mini = MiniFirestore()
    let faults = mini.faults(FaultRule([.commit], .every(3), .dropAfterApplying))
    try await Fixture.with(faults.handler) { fixture in
      let writes = (0..<60).map { index in
        Write(
          path: path("c/d\(index % 3)"),
          operation: .update(fields: ["v": .integer(Int64(index))], mask: [FieldPath(field: "v")])
        )
      }
      let delegate = Recorder()
      try await write(writes, fixture.client, delegate)
      for document in 0..<3 {
        let told = delegate.state.withLock { $0.settled.map(\.write) }.filter {
          $0.path == path("c/d\(document)")
        }
        #expect(told == writes.filter { $0.path == path("c/d\(document)") })
        #expect(mini.document("c/d\(document)")?.fieldsJSON == #"{"v":{"integerValue":"\#(57 + document)"}}"#)
      }
      #expect(delegate.results.allSatisfy { if case .written = $0 { true } else { false } })
    }
  }

  @Test("Deletes with lost responses count once, and documents already deleted are conflicts")
  func deletes() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines("c", 0..<10))
    let faults = mini.faults(FaultRule([.commit], .number(1), .resetAfterApplying))
    try await Fixture.with(faults.handler) { fixture in
      let all = try await fixture.client.batchGet(documents(jsonLines("c", 0..<10)).map(\.path))
      mini.remove("c/d0007")
      let delegate = Recorder()
      // Not the missing one first: alone in a commit whose answer is lost, its deletion may be its own.
      let writes = all.values.sorted { $0.path.string < $1.path.string }.map {
        Write(path: $0.path, operation: .delete, precondition: $0.updateTime.map { .updateTime($0) })
      }
      try await write(writes, fixture.client, delegate, limits: BatchLimits(maximumWrites: 10))
      #expect(mini.snapshot().isEmpty)
      #expect(delegate.results.count { $0 == .written(updateTime: nil) } == 9)
      #expect(delegate.results.count { $0 == .conflicted } == 1)
    }
  }

  @Test("Confirmed writes are reported with the new update time")
  func updateTimes() async throws {
    let mini = MiniFirestore()
    let faults = mini.faults(FaultRule([.commit], .number(2), .dropAfterApplying))
    try await Fixture.with(faults.handler) { fixture in
      let writes = try documents(jsonLines("c", 0..<12)).map {
        Write(path: $0.path, operation: .update(fields: $0.fields, mask: nil), precondition: .exists(false))
      }
      let delegate = Recorder()
      try await write(writes, fixture.client, delegate)
      for (write, result) in delegate.state.withLock({ $0.settled }) {
        let time = mini.document(write.path.string).flatMap { Timestamp($0.updateTime) }
        #expect(time != nil)
        #expect(result == .written(updateTime: time))
      }
    }
  }

  @Test("After a cancellation, commits in flight are settled and no more are sent")
  func cancellation() async throws {
    let mini = MiniFirestore()
    let faults = mini.faults(FaultRule([.commit], .number(4), .delay(.milliseconds(100))))
    try await Fixture.with(faults.handler) { fixture in
      let delegate = Recorder()
      let writes = try documents(jsonLines("c", 0..<500)).map {
        Write(path: $0.path, operation: .update(fields: $0.fields, mask: nil), precondition: .exists(false))
      }
      let task = Task { await failure { try await self.write(writes, fixture.client, delegate) }?.kind }
      while fixture.server.requests(.commit).count < 4 { await Task.yield() }
      task.cancel()
      #expect(await task.value == .interrupted)
      let settled = delegate.state.withLock { $0.settled }
      #expect(settled.count == mini.totalWrites)
      #expect(settled.count < 500)
      let requests = fixture.server.requests.count
      #expect(mini.snapshot().count == settled.count)
      #expect(fixture.server.requests.count == requests)
    }
  }

  @Test("Cancelled after the last write was submitted, during an outage, it ends immediately")
  func cancellationAtTheEnd() async throws {
    let asked = ServiceError(429, "RESOURCE_EXHAUSTED", "later", retryDelay: 250)
    try await HTTPTestServer.withServer({ _ in .response(asked.response(for: .commit)) }) { server in
      let transport = CurlTransport()
      let caller = ServiceCaller(
        transport: transport,
        credentials: TokenProvider(Credentials(.none), transport: transport)
      )
      let client = FirestoreClient(database: testDatabase, endpoint: server.url, caller: caller)
      for count in [3, 400] {
        let writes = try documents(jsonLines("c", 0..<count)).map {
          Write(path: $0.path, operation: .update(fields: $0.fields, mask: nil), precondition: .exists(false))
        }
        let before = caller.traffic.current.retries
        let task = Task { await failure { try await self.write(writes, client, Recorder()) }?.kind }
        while caller.traffic.current.retries == before { await Task.yield() }
        task.cancel()
        #expect(await task.value == .interrupted)
      }
    }
  }

  private func unknown(_ writes: Int) -> String {
    writes == 1
      ? "1 write it is not known whether it was made"
      : "\(writes) writes it is not known whether they were made"
  }

  private func creations(_ count: Int) throws -> [Write] {
    try documents(jsonLines("c", 0..<count)).map {
      Write(path: $0.path, operation: .update(fields: $0.fields, mask: nil), precondition: .exists(false))
    }
  }

  @Test(
    "Cancelled while commits stall, it waits no longer than the grace period and reports open writes"
  )
  func graceOfInterruption() async throws {
    let mini = MiniFirestore()
    // The first two commits are answered, the third is applied and stalls, as does every read-back.
    let faults = mini.faults(
      FaultRule([.commit], .number(3), .stallAfterApplying),
      FaultRule([.commit], .from(4), .stall),
      FaultRule([.batchGet], .from(2), .stall),
      maximumConsecutive: .max
    )
    try await Fixture.with(faults.handler, timeout: 100) { fixture in
      let delegate = Recorder()
      let writes = try creations(40)
      var limits = BatchLimits(maximumWrites: 5, maximumInFlight: 1)
      limits.interruptionGrace = 0.2
      let task = Task { [limits] in
        await failure { try await self.write(writes, fixture.client, delegate, limits: limits) }
      }
      while fixture.server.requests(.commit).count < 3 { await Task.yield() }
      task.cancel()
      let ended = try #require(await task.value)
      #expect(ended.kind == .interrupted)
      // How many came together in time for a commit, nobody promised.
      let sent = fixture.server.requests(.commit).map {
        $0.text.ranges(of: #""update":"#).count
      }
      #expect(sent.count == 3 && sent.allSatisfy((1...5).contains))
      #expect(delegate.results.count == sent[0] + sent[1])
      #expect(mini.totalWrites == sent.reduce(0, +))
      #expect(
        ended.cause.hasSuffix("; for \(unknown(sent[2]))"),
        "\(ended)"
      )
      // How many were read ahead says nothing of what is left.
      #expect(!ended.cause.contains("not made"), "\(ended)")
    }
  }

  @Test("An exhausted budget reports how many writes were not made, and how many have an unknown result")
  func openWrites() async throws {
    for (fault, isApplied) in [(Fault.error(.resourceExhausted), false), (.dropAfterApplying, true)] {
      let mini = MiniFirestore()
      let faults = mini.faults(
        FaultRule([.commit], .always, fault),
        FaultRule([.batchGet], .from(2), .error(.unavailable)),
        maximumConsecutive: .max
      )
      try await Fixture.with(faults.handler, budget: 5) { fixture in
        let limits = BatchLimits(maximumWrites: 5, maximumInFlight: 1)
        let error = await failure {
          try await write(try creations(8), fixture.client, Recorder(), limits: limits)
        }
        // How many came together in time for the first commit, nobody promised.
        let sent = mini.totalWrites
        #expect(isApplied ? (1...5).contains(sent) : sent == 0)
        let open = sent == 0 ? "" : ", and for \(unknown(sent))"
        #expect(
          error?.cause.hasSuffix("; \(8 - sent) writes were not made\(open)") == true,
          "\(error?.description ?? "success")"
        )
      }
    }
  }

  @Test("A body that throws ends the writing with its error")
  func throwingBody() async throws {
    let mini = MiniFirestore()
    try await Fixture.with(mini.handler) { fixture in
      let error = await failure {
        try await BatchWriter.run(
          fixture.client,
          limits: BatchLimits(),
          pacer: WritePacer(ramp: false),
          delegate: Recorder()
        ) { _ in throw Failure(.inputMalformed, "read", cause: "line 7") }
      }
      #expect(error?.kind == .inputMalformed)
    }
  }

  @Test("An unwritable journal or a refusal of the service ends the run without hanging")
  func failures() async throws {
    let mini = MiniFirestore()
    let writes = try documents(jsonLines("c", 0..<300)).map {
      Write(path: $0.path, operation: .update(fields: $0.fields, mask: nil), precondition: .exists(false))
    }
    try await Fixture.with(mini.handler) { fixture in
      let full = Recorder(beforeCommit: { () throws(Failure) in
        throw Failure(.cannotWrite, "write", cause: "full")
      })
      let error = await failure { try await write(writes, fixture.client, full) }
      #expect(error?.kind == .cannotWrite)
      #expect(mini.totalWrites == 0)
    }
    let refused = mini.faults(
      FaultRule([.commit], .always, .error(.permissionDenied)),
      maximumConsecutive: .max
    )
    try await Fixture.with(refused.handler) { fixture in
      let error = await failure { try await write(writes, fixture.client, Recorder()) }
      #expect(error?.kind == .notPermitted)
      #expect(fixture.server.requests(.commit).count <= 3)
    }
    let down = mini.faults(FaultRule([], .always, .error(.unavailable)), maximumConsecutive: .max)
    try await Fixture.with(down.handler, budget: 60) { fixture in
      let error = await failure { try await write(writes, fixture.client, Recorder()) }
      #expect(error?.kind == .unavailable)
      #expect(fixture.time.slept <= 130)
    }
    #expect(mini.totalWrites == 0)
  }
}
