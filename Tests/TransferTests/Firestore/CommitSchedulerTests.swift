import FirestoreModels
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Commit scheduler, simulated")
struct CommitSchedulerSimulationTests {
  private func run(_ seeds: ClosedRange<UInt64>, _ plan: SchedulerSimulation.Plan) throws {
    for seed in seeds {
      var simulation = SchedulerSimulation(seed: seed, plan: plan)
      try simulation.run()
    }
  }

  @Test("Without faults everything is written once")
  func calm() throws {
    try run(1...150, .init(faults: 0, poison: 0))
  }

  @Test("With faults everything is settled once, and only invalid writes are refused")
  func faults() throws {
    try run(1001...1500, .init())
    try run(1501...1600, .init(faults: 80))
  }

  @Test("With concurrent writers none of their changes are lost")
  func live() throws {
    try run(2001...2400, .init(liveWrites: 25))
  }

  @Test("With commits that are applied after they were given up")
  func late() throws {
    try run(3001...3400, .init(faults: 50, poison: 0, liveWrites: 10, lateCommits: true))
  }

  @Test("Stopped at any time, it sends no more, settles what was applied and ends")
  func stops() throws {
    for seed in UInt64(4001)...4400 {
      var plan = SchedulerSimulation.Plan(faults: 50)
      plan.stopsAt = Double(seed % 97) / 12
      var simulation = SchedulerSimulation(seed: seed, plan: plan)
      try simulation.run()
    }
  }

  @Test("With many bad writes, few documents and single writes")
  func corners() throws {
    try run(5001...5100, .init(poison: 40))
    try run(5101...5200, .init(documents: 2, faults: 50, liveWrites: 5))
    try run(
      5201...5300,
      .init(limits: BatchLimits(maximumWrites: 1, maximumBytes: 1, maximumInFlight: 1))
    )
    try run(5301...5400, .init(pacer: WritePacer(ramp: false, maximum: 7)))
  }
}

@Suite("Commit scheduler")
struct CommitSchedulerTests {
  private func scheduler(
    _ limits: BatchLimits = BatchLimits(maximumWrites: 4, maximumInFlight: 2),
    budget: Double = 300,
    pacer: WritePacer = WritePacer(ramp: false)
  ) -> CommitScheduler {
    CommitScheduler(limits: limits, policy: RetryPolicy(budget: budget), pacer: pacer)
  }

  private func create(_ id: String) -> PendingWrite {
    PendingWrite(
      Write(
        path: path("c/\(id)"),
        operation: .update(fields: ["a": .string(id)], mask: nil),
        precondition: .exists(false)
      ),
      in: testDatabase
    )
  }

  private func chunk(_ action: CommitScheduler.Action) throws -> CommitScheduler.Chunk {
    guard case .commit(let chunk) = action else {
      Issue.record("\(action) is no commit")
      throw SimulationError()
    }
    return chunk
  }

  private func answer(_ count: Int) -> CommitAnswer {
    CommitAnswer(updateTimes: (0..<count).map { moment($0) }, commitTime: nil)
  }

  private let overloaded = CallFailure.service(FirestoreError(.resourceExhausted, "slow down"))

  @Test("What meets 429 again is halved by its bytes, until each write is sent alone")
  func repeatedOverload() throws {
    var scheduler = scheduler(BatchLimits(maximumWrites: 4, maximumInFlight: 1))
    // The bytes of the first are those of all others and more.
    for id in [String(repeating: "x", count: 400), "b", "c", "d"] { scheduler.add(create(id)) }
    scheduler.endInput()
    var sent: [[Int]] = []
    var now = 0.0
    while true {
      switch scheduler.next(now: now) {
      case .commit(let chunk):
        sent.append(chunk.writes.map(\.bytes))
        if chunk.writes.count > 1 {
          _ = try scheduler.failed(chunk.id, overloaded, now: now, random: 0)
        } else {
          for settled in scheduler.committed(chunk.id, answer(1), took: 0, now: now) {
            scheduler.done(with: settled.write)
          }
        }
      case .wait(let time): now = time ?? now
      case .readBack(let chunk): Issue.record("\(chunk.id) is read back")
      case .finished:
        // Whole, whole again, then the large one alone and the others, which are cut in the same way.
        #expect(sent.map(\.count) == [4, 4, 1, 3, 1, 2, 1, 1])
        return
      }
    }
  }

  @Test(
    "A commit that is too large for the server, says its 429, is halved at once, and a single write is rejected"
  )
  func tooLarge() throws {
    let failure = CallFailure.service(
      FirestoreError(.resourceExhausted, "gRPC message exceeds maximum size 4194304: 9000768")
    )
    var scheduler = scheduler()
    for id in ["a", "b"] { scheduler.add(create(id)) }
    let both = try chunk(scheduler.next(now: 0))
    #expect(try scheduler.failed(both.id, failure, now: 0, random: 0).isEmpty)
    let first = try chunk(scheduler.next(now: 0))
    #expect(first.writes.count == 1)
    let settled = try scheduler.failed(first.id, failure, now: 0, random: 0)
    guard case .rejected(let error)? = settled.first?.settlement else {
      Issue.record("\(settled) has no reject")
      return
    }
    #expect(error.message == "gRPC message exceeds maximum size 4194304: 9000768")
  }

  @Test("What is in flight is bounded in bytes, and what is larger than that goes alone")
  func bytesInFlight() throws {
    let one = create("0").bytes
    let limits = BatchLimits(maximumBytes: 2 * one, maximumBytesInFlight: 5 * one)
    var scheduler = scheduler(limits)
    for index in 0..<9 { scheduler.add(create("\(index)")) }
    let large = String(repeating: "x", count: 6 * one)
    scheduler.add(create(large))
    scheduler.endInput()
    func sent() throws -> [CommitScheduler.Chunk] {
      var chunks: [CommitScheduler.Chunk] = []
      while case .commit(let chunk) = scheduler.next(now: 0) { chunks.append(chunk) }
      return chunks
    }
    func commit(_ chunk: CommitScheduler.Chunk) {
      for settled in scheduler.committed(chunk.id, answer(chunk.writes.count), took: 0, now: 0) {
        scheduler.done(with: settled.write)
      }
    }
    let first = try sent()
    #expect(first.map(\.writes.count) == [2, 2, 1])
    // What is being settled counts until all of it is done.
    let settled = scheduler.committed(first[0].id, answer(2), took: 0, now: 0)
    scheduler.settlingBytes = first[0].bytes
    for (write, _) in settled { scheduler.done(with: write) }
    #expect(try sent().isEmpty)
    scheduler.settlingBytes = 0
    let second = try sent()
    #expect(second.map(\.writes.count) == [2])
    for chunk in [first[1], first[2], second[0]] { commit(chunk) }
    let third = try sent()
    // The large one waits until nothing else is in flight.
    #expect(third.map(\.writes.count) == [2])
    commit(third[0])
    #expect(try sent().map { $0.writes.map(\.write.path.id) } == [[large]])
  }

  @Test("The size is halved by overload and slow commits, and grows back by a tenth")
  func sizes() throws {
    var scheduler = scheduler(BatchLimits(maximumWrites: 100, maximumInFlight: 2))
    for index in 0..<400 { scheduler.add(create("\(index)")) }
    let first = try chunk(scheduler.next(now: 0))
    #expect(first.writes.count == 100)
    _ = try scheduler.failed(first.id, overloaded, now: 1, random: 0)
    #expect(scheduler.chunkSize == 50)
    let again = try chunk(scheduler.next(now: 1))
    #expect(again == first)
    _ = scheduler.committed(again.id, answer(100), took: 5.1, now: 1)
    #expect(scheduler.chunkSize == 25)
    let small = try chunk(scheduler.next(now: 2))
    #expect(small.writes.count == 25)
    _ = scheduler.committed(small.id, answer(25), took: 4.9, now: 2)
    #expect(abs(scheduler.chunkSize - 27.5) < 1e-9)
    for _ in 0..<20 where scheduler.waitingCount > 0 {
      let next = try chunk(scheduler.next(now: 3))
      _ = scheduler.committed(next.id, answer(next.writes.count), took: 0.1, now: 3)
    }
    #expect(scheduler.chunkSize <= 100)
  }

  @Test("During an outage no more chunks are formed than may be in flight")
  func backPressure() throws {
    var scheduler = scheduler()
    for index in 0..<100 { scheduler.add(create("\(index)")) }
    var now = 0.0
    for _ in 0..<30 {
      guard case .commit(let chunk) = scheduler.next(now: now) else {
        now += 1
        continue
      }
      _ = try scheduler.failed(chunk.id, overloaded, now: now, random: 0.9)
    }
    #expect(scheduler.unsettledCount <= 8)
    #expect(scheduler.waitingCount >= 92)
  }

  @Test("A write to a document waits until the previous one is done")
  func order() throws {
    var scheduler = scheduler()
    scheduler.add(create("a"))
    scheduler.add(create("a"))
    scheduler.endInput()
    let first = try chunk(scheduler.next(now: 0))
    #expect(first.writes.count == 1)
    let settled = scheduler.committed(first.id, answer(1), took: 0, now: 0)
    #expect(settled.count == 1)
    #expect(scheduler.next(now: 1) == .wait(until: nil))
    scheduler.done(with: settled[0].write)
    #expect(try chunk(scheduler.next(now: 1)).writes.count == 1)
  }

  @Test("A replanned write precedes a later one to the same document")
  func replan() throws {
    var scheduler = scheduler()
    scheduler.add(create("a"))
    scheduler.add(create("a"))
    let first = try chunk(scheduler.next(now: 0))
    let refused = CallFailure.service(FirestoreError(.alreadyExists, ""))
    _ = try scheduler.failed(first.id, refused, now: 0, random: 0)
    guard case .readBack(let back) = scheduler.next(now: 0) else { throw SimulationError() }
    let there = RawDocument(path: path("c/a"), fields: ["a": .string("other")], updateTime: moment(5))
    let settled = try scheduler.readBack(back.id, [there.path: there], now: 0)
    #expect(settled.count == 1)
    let new = PendingWrite(
      Write(path: there.path, operation: .delete, precondition: .updateTime(moment(5))),
      in: testDatabase,
      replans: 1
    )
    scheduler.replan(settled[0].write, as: new)
    let next = try chunk(scheduler.next(now: 0))
    #expect(next.writes.map(\.replans) == [1])
  }

  @Test("A refused chunk is halved until the rejected write is isolated")
  func bisection() throws {
    var scheduler = scheduler(BatchLimits(maximumWrites: 64, maximumInFlight: 1))
    for index in 0..<64 { scheduler.add(create("\(index)")) }
    scheduler.endInput()
    var rejected: [String] = []
    var commits = 0
    while case .commit(let chunk) = scheduler.next(now: 0) {
      commits += 1
      if chunk.writes.contains(where: { $0.write.path.id == "37" }) {
        let error = CallFailure.service(FirestoreError(.invalidArgument, "bad"))
        rejected += try scheduler.failed(chunk.id, error, now: 0, random: 0).map(\.write.write.path.id)
      } else {
        for (write, _) in scheduler.committed(chunk.id, answer(chunk.writes.count), took: 0, now: 0) {
          scheduler.done(with: write)
        }
      }
    }
    #expect(rejected == ["37"])
    // One of 64, then two of each smaller size.
    #expect(commits == 13)
    #expect(scheduler.next(now: 0) == .finished)
  }

  /// Sends everything to a service whose answer `fails` gives (nil: it is written).
  ///
  /// - Returns: The requests that were sent, and what was settled, by ID.
  private func run(
    _ scheduler: inout CommitScheduler,
    until end: Double = 1000,
    _ fails: (CommitScheduler.Chunk) -> CallFailure?
  ) throws -> (requests: Int, settled: [String: CommitScheduler.Settlement], now: Double) {
    var (now, requests) = (0.0, 0)
    var settled: [String: CommitScheduler.Settlement] = [:]
    while now <= end {
      var new: [CommitScheduler.Settled] = []
      switch scheduler.next(now: now) {
      case .commit(let chunk):
        requests += 1
        now += 0.01
        if let failure = fails(chunk) {
          new = try scheduler.failed(chunk.id, failure, now: now, random: 0.5)
        } else {
          new = scheduler.committed(chunk.id, answer(chunk.writes.count), took: 0.01, now: now)
        }
      case .readBack(let chunk):
        requests += 1
        new = try scheduler.readBack(chunk.id, [:], now: now)
      case .wait(let until): now = try #require(until)
      case .finished: return (requests, settled, now)
      }
      for (write, settlement) in new {
        settled[write.write.path.id] = settlement
        scheduler.done(with: write)
      }
    }
    return (requests, settled, now)
  }

  @Test(
    "A document that others keep changing is conflicted alone, and no other waits for it",
    arguments: [1, 8]
  )
  func hotDocument(inFlight: Int) throws {
    var scheduler = scheduler(BatchLimits(maximumWrites: 100, maximumInFlight: inFlight))
    for index in 0..<300 { scheduler.add(create("\(index)")) }
    scheduler.endInput()
    var lastOther = 0.0
    let end = try run(&scheduler) { chunk in
      let isHot = chunk.writes.contains { $0.write.path.id == "37" }
      if !isHot { lastOther = chunk.firstSent ?? 0 }
      return isHot ? .service(FirestoreError(.aborted, "contention")) : nil
    }
    guard case .contended? = end.settled["37"] else {
      Issue.record("the hot document is not conflicted")
      return
    }
    #expect(end.settled.count == 300)
    #expect(lastOther < 10)
    #expect(end.now < 100 && end.requests < 80)
  }

  @Test("A single write that is always aborted is conflicted once the retry budget is spent")
  func hotAlone() throws {
    var scheduler = scheduler(budget: 20)
    scheduler.add(create("a"))
    scheduler.endInput()
    let end = try run(&scheduler) { _ in .service(FirestoreError(.aborted, "contention")) }
    guard case .contended? = end.settled["a"] else {
      Issue.record("it is not conflicted")
      return
    }
    #expect(end.now <= 20.1)
  }

  @Test(
    "An error that meets every write ends the run after a few chunks",
    arguments: [FirestoreError.Status.invalidArgument, .failedPrecondition]
  )
  func hopeless(status: FirestoreError.Status) throws {
    var scheduler = scheduler(BatchLimits(maximumWrites: 100, maximumInFlight: 8))
    for index in 0..<4000 { scheduler.add(create("\(index)")) }
    scheduler.endInput()
    var requests = 0
    let failure = #expect(throws: Failure.self) {
      try run(&scheduler) { _ in
        requests += 1
        return .service(FirestoreError(status, "nothing can be written"))
      }
    }
    #expect(failure?.kind == .configuration && failure?.service?.status == status)
    #expect(failure?.cause.contains("every write") == true)
    #expect(requests < 500)
  }

  @Test("Errors of documents end no run: they differ, or something is written")
  func bearable() throws {
    let limits = BatchLimits(maximumWrites: 100, maximumInFlight: 8)
    var scheduler = scheduler(limits)
    for index in 0..<1000 { scheduler.add(create("\(index)")) }
    scheduler.endInput()
    let some = try run(&scheduler) { chunk in
      let isBad = chunk.writes.contains { $0.write.path.id != "999" }
      return isBad ? .service(FirestoreError(.invalidArgument, chunk.writes[0].write.path.id)) : nil
    }
    #expect(some.settled.count == 1000)
    scheduler = self.scheduler(limits)
    for index in 0..<1000 { scheduler.add(create("\(index)")) }
    scheduler.endInput()
    var sent = 0
    let most = try run(&scheduler) { chunk in
      sent += 1
      return sent > 1 ? .service(FirestoreError(.invalidArgument, "bad")) : nil
    }
    #expect(most.settled.count == 1000)
  }

  @Test("A service that contradicts its documents is believed the third time")
  func contradiction() throws {
    var scheduler = scheduler()
    scheduler.add(create("a"))
    scheduler.endInput()
    for turn in 1...3 {
      let chunk = try chunk(scheduler.next(now: 0))
      let error = CallFailure.service(FirestoreError(.failedPrecondition, "no"))
      _ = try scheduler.failed(chunk.id, error, now: 0, random: 0)
      guard case .readBack(let back) = scheduler.next(now: 0) else { throw SimulationError() }
      #expect(try scheduler.readBack(back.id, [:], now: 0).count == (turn == 3 ? 1 : 0))
    }
  }

  @Test("Lost responses after a failed precondition are no contradiction")
  func staleContradiction() throws {
    var scheduler = scheduler()
    scheduler.add(create("a"))
    scheduler.endInput()
    var now = 0.0
    let failures =
      [CallFailure.service(FirestoreError(.failedPrecondition, "no"))]
      + Array(repeating: CallFailure.transport(TransportError(.lost, "reset")), count: 5)
    for failure in failures {
      let chunk = try chunk(scheduler.next(now: now))
      _ = try scheduler.failed(chunk.id, failure, now: now, random: 0)
      now += 1
      guard case .readBack(let back) = scheduler.next(now: now) else { throw SimulationError() }
      #expect(try scheduler.readBack(back.id, [:], now: now).isEmpty)
    }
    #expect(try chunk(scheduler.next(now: now)).writes.count == 1)
  }

  @Test("The retry budget ends the run with the service's last error")
  func budget() throws {
    var scheduler = scheduler(budget: 10)
    scheduler.add(create("a"))
    scheduler.endInput()
    var now = 0.0
    #expect {
      for _ in 0..<1000 {
        switch scheduler.next(now: now) {
        case .commit(let chunk): _ = try scheduler.failed(chunk.id, overloaded, now: now, random: 0.9)
        case .wait(let until): now = until ?? now + 1
        default: throw SimulationError()
        }
      }
    } throws: { error in
      (error as? Failure)?.kind == .tryLater && now <= 10
    }
  }

  @Test("Reading back is not delayed by the pacer")
  func paceAndReadBack() throws {
    var scheduler = scheduler(pacer: WritePacer(ramp: false, maximum: 4))
    scheduler.add(create("a"))
    _ = scheduler.next(now: 0)
    let first = try chunk(scheduler.next(now: 1))
    _ = try scheduler.failed(first.id, .transport(TransportError(.lost, "")), now: 1, random: 0)
    for index in 0..<8 { scheduler.add(create("\(index)")) }
    guard case .readBack = scheduler.next(now: 1) else {
      Issue.record("it does not read back")
      return
    }
  }
}
