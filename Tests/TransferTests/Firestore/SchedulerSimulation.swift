import FirestoreModels
import TestSupport
import Testing

@testable import FirestoreREST

/// One seeded run of a ``CommitScheduler`` against a ``ModelService``, in a time of its own.
///
/// There are faults, concurrent writers, lost and late commits. Invariants are checked as it goes and at the end.
struct SchedulerSimulation {
  struct Plan {
    var writes = 40
    var documents = 25
    /// Of a hundred commits, how many meet a fault.
    var faults = 30.0
    /// Of a hundred writes, how many are refused for good.
    var poison = 3.0
    var liveWrites = 0
    /// Whether a commit whose answer is lost may be applied after its documents were read back.
    var lateCommits = false
    var stopsAt: Double?
    var limits = BatchLimits(
      maximumWrites: 8,
      maximumBytes: 2_000,
      maximumInFlight: 3,
      maximumBytesInFlight: 3_000
    )
    var pacer = WritePacer(ramp: false)
  }

  enum Kind: CaseIterable { case set, replace, create, delete, increment, bareIncrement }

  struct Logical {
    var kind: Kind
    var path: DocumentPath
    var outcome: String?
  }

  private enum Event {
    case arrive(PendingWrite)
    case end
    case stop
    case live(DocumentPath, Int)
    case apply([Write])
    case answer(Int, Result<CommitAnswer, CallFailure>, sent: Double)
    case read(Int, [DocumentPath])
    case readAnswer(Int, [DocumentPath: RawDocument])
    case settle([CommitScheduler.Settled])
  }

  let seed: UInt64
  let plan: Plan
  private var random: SplitMix64
  private var service = ModelService()
  private var scheduler: CommitScheduler
  private var logical: [Int: Logical] = [:]
  private var events: [(time: Double, number: Int, event: Event)] = []
  private var nextEvent = 0
  private var now = 100.0
  private var sending: [Int: [DocumentPath]] = [:]
  private var taken: Set<DocumentPath> = []
  private var touched: [DocumentPath: Int] = [:]
  private var arrived: Set<Int> = []
  private var stopped = false
  private var settling = 0

  init(seed: UInt64, plan: Plan) {
    self.seed = seed
    self.plan = plan
    random = SplitMix64(seed: seed)
    scheduler = CommitScheduler(
      limits: plan.limits,
      policy: RetryPolicy(initial: 0.5, maximum: 10, budget: 1e9),
      pacer: plan.pacer
    )
  }

  // MARK: Setting up

  private mutating func write(
    _ id: Int,
    _ kind: Kind,
    on current: RawDocument?,
    _ path: DocumentPath
  ) -> Write {
    let fields: FieldMap = ["id": .integer(Int64(id)), "v": .integer(Int64(id))]
    let guarding = current?.updateTime.map { Precondition.updateTime($0) } ?? .exists(false)
    let mask = [FieldPath(field: "v")]
    switch kind {
    case .create:
      return Write(path: path, operation: .update(fields: fields, mask: nil), precondition: .exists(false))
    case .delete: return Write(path: path, operation: .delete, precondition: guarding)
    case .set:
      return Write(path: path, operation: .update(fields: fields, mask: mask), precondition: guarding)
    case .replace:
      var all = current?.fields ?? FieldMap()
      for entry in fields.entries { all[entry.name] = entry.value }
      return Write(path: path, operation: .update(fields: all, mask: nil), precondition: guarding)
    case .increment, .bareIncrement:
      return Write(
        path: path,
        operation: .update(fields: fields, mask: kind == .increment ? mask : []),
        transforms: [FieldTransform(FieldPath(field: "n"), .increment(.integer(1)))],
        precondition: guarding
      )
    }
  }

  private mutating func setUp() {
    for index in 0..<plan.documents where index % 4 != 0 { service.put(path("c/d\(index)"), "v", -index) }
    var deleted: Set<DocumentPath> = []
    var time = now
    for id in 1...plan.writes {
      let at = path("c/d\(Int.random(in: 0..<plan.documents, using: &random))")
      let current = service.documents[at]
      var kind = Kind.allCases.randomElement(using: &random) ?? .set
      if kind == .delete, current == nil || !deleted.insert(at).inserted { kind = .set }
      if kind == .create, current != nil { kind = .replace }
      if kind == .delete { service.deletes[at] = id }
      if kind != .delete, random.chance(percent: plan.poison) { service.poison.insert(id) }
      logical[id] = Logical(kind: kind, path: at)
      time += random.chance(percent: 70) ? 0 : Double.random(in: 0...1, using: &random)
      schedule(time, .arrive(PendingWrite(write(id, kind, on: current, at), in: testDatabase)))
    }
    schedule(time, .end)
    if let stop = plan.stopsAt { schedule(now + stop, .stop) }
    for index in 0..<plan.liveWrites {
      let at = path("c/d\(Int.random(in: 0..<plan.documents, using: &random))")
      schedule(now + Double.random(in: 0...10, using: &random), .live(at, index + 1))
    }
  }

  private mutating func schedule(_ time: Double, _ event: Event) {
    nextEvent += 1
    let index = events.firstIndex { $0.time > time } ?? events.endIndex
    events.insert((time, nextEvent, event), at: index)
  }

  // MARK: Running

  /// Runs to the end.
  mutating func run() throws {
    setUp()
    var steps = 0
    while true {
      steps += 1
      try #require(steps < 20_000, "seed \(seed): it does not end")
      switch scheduler.next(now: now) {
      case .commit(let chunk): try commit(chunk)
      case .readBack(let chunk):
        try take(chunk)
        schedule(now + 0.1, .read(chunk.id, chunk.writes.map(\.write.path)))
      case .finished where settling == 0:
        return try checkEnd()
      case .finished:
        let continues = try step(until: nil)
        try #require(continues, "seed \(seed): something is never settled")
      case .wait(let until):
        let continues = try step(until: until)
        try #require(continues, "seed \(seed): it waits for nothing")
      }
    }
  }

  /// Advances to the next event, or to the time that the scheduler asks for; false where there is neither.
  private mutating func step(until: Double?) throws -> Bool {
    guard let next = events.first, next.time <= until ?? .infinity else {
      guard let until, until < .infinity else { return false }
      now = max(now, until)
      return true
    }
    events.removeFirst()
    now = max(now, next.time)
    switch next.event {
    case .arrive(let write):
      arrived.insert(service.number(of: write.write))
      scheduler.add(write)
    case .end: scheduler.endInput()
    case .stop:
      stopped = true
      scheduler.stop()
    case .live(let path, let value):
      // Somebody changes what is there, and makes nothing again.
      if service.documents[path] != nil {
        service.put(path, "live", value)
        touched[path] = value
      }
    case .apply(let writes): _ = service.commit(writes)
    case .answer(let id, let result, let time):
      sending[id] = nil
      switch result {
      case .success(let answer): settle(scheduler.committed(id, answer, took: now - time, now: now))
      case .failure(let failure):
        settle(
          try scheduler.failed(id, failure, now: now, random: Double.random(in: 0..<1, using: &random))
        )
      }
    case .read(let id, let paths):
      let found = Dictionary(
        uniqueKeysWithValues: paths.compactMap { path in service.documents[path].map { (path, $0) } }
      )
      schedule(now + 0.1, .readAnswer(id, found))
    case .readAnswer(let id, let found):
      sending[id] = nil
      settle(try scheduler.readBack(id, found, now: now))
    case .settle(let settled): try finish(settled)
    }
    return true
  }

  private mutating func take(_ chunk: CommitScheduler.Chunk) throws {
    let paths = chunk.writes.map(\.write.path)
    try #require(Set(paths).count == paths.count, "seed \(seed): a document twice in a chunk")
    for other in sending.values {
      try #require(Set(other).isDisjoint(with: paths), "seed \(seed): two in flight for a document")
    }
    sending[chunk.id] = paths
    try #require(sending.count <= plan.limits.maximumInFlight, "seed \(seed): too many in flight")
    try #require(chunk.writes.count <= plan.limits.maximumWrites, "seed \(seed): too many writes")
    let bytes = chunk.writes.reduce(0) { $0 + $1.bytes }
    try #require(bytes <= plan.limits.maximumBytes || chunk.writes.count == 1, "seed \(seed): too many bytes")
    // Single writes that wait for a document alone come on top.
    let held = scheduler.inFlight.values.filter { !$0.isContended }.map(\.bytes)
    try #require(
      held.count <= 1 || held.reduce(0, +) <= plan.limits.maximumBytesInFlight,
      "seed \(seed): too many bytes in flight"
    )
    try #require(
      // Single writes that wait for a document alone come on top.
      scheduler.unsettledCount <= plan.limits.maximumInFlight * (plan.limits.maximumWrites + 1),
      "seed \(seed): more on its way than may be"
    )
    try #require((1...Double(plan.limits.maximumWrites)).contains(scheduler.chunkSize), "seed \(seed)")
  }

  private mutating func commit(_ chunk: CommitScheduler.Chunk) throws {
    try #require(!stopped, "seed \(seed): a commit after the stop")
    try take(chunk)
    let writes = chunk.writes.map(\.write)
    let begin = now
    var answerTime = now + Double.random(in: 0.05...1, using: &random)
    func fail(_ status: FirestoreError.Status) -> Result<CommitAnswer, CallFailure> {
      .failure(.service(FirestoreError(status, "fault")))
    }
    let lost = Result<CommitAnswer, CallFailure>.failure(.transport(TransportError(.lost, "reset")))
    var result = lost
    if random.chance(percent: plan.faults) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: result = fail(.resourceExhausted)
      case 1: result = fail(.aborted)
      case 2: result = .failure(.transport(TransportError(.notConnected, "refused")))
      case 3: result = random.chance(percent: 50) ? lost : fail(.unavailable)
      case 4: result = fail(.deadlineExceeded)
      case 5 where plan.lateCommits:
        schedule(now + Double.random(in: 0...8, using: &random), .apply(writes))
      case 5, 6:
        _ = service.commit(writes)
        result = random.chance(percent: 50) ? .failure(.malformed("half")) : fail(.unknown)
      default:
        answerTime = now + 6
        result = service.commit(writes).mapError { .service($0) }
      }
    } else {
      result = service.commit(writes).mapError { .service($0) }
    }
    schedule(answerTime, .answer(chunk.id, result, sent: begin))
  }

  /// The delegate may take its time.
  private mutating func settle(_ settled: [CommitScheduler.Settled]) {
    if settled.isEmpty { return }
    settling += 1
    schedule(
      now + (random.chance(percent: 50) ? 0 : Double.random(in: 0...2, using: &random)),
      .settle(settled)
    )
  }

  private mutating func finish(_ settled: [CommitScheduler.Settled]) throws {
    settling -= 1
    for (pending, settlement) in settled {
      let id = service.number(of: pending.write)
      switch settlement {
      case .written: try finish(id, "written", pending)
      case .rejected: try finish(id, "rejected", pending)
      case .contended: try finish(id, "contended", pending)
      case .conflict(let current):
        guard let known = logical[id] else { throw SimulationError() }
        if pending.mustNotRepeat || pending.replans >= plan.limits.maximumReplans || scheduler.isStopping {
          try finish(id, "conflicted", pending)
        } else if known.kind == .delete || (known.kind == .create && current != nil) {
          try finish(id, "left", pending)
        } else {
          let new = write(id, known.kind, on: current, known.path)
          scheduler.replan(pending, as: PendingWrite(new, in: testDatabase, replans: pending.replans + 1))
        }
      }
    }
  }

  private mutating func finish(_ id: Int, _ outcome: String, _ pending: PendingWrite) throws {
    try #require(logical[id] != nil && logical[id]?.outcome == nil, "seed \(seed): \(id) is settled twice")
    logical[id]?.outcome = outcome
    scheduler.done(with: pending)
  }

  // MARK: Judging

  private func checkEnd() throws {
    var service = service
    for (_, _, event) in events {
      if case .apply(let writes) = event { _ = service.commit(writes) }
    }
    for (id, known) in logical {
      let times = service.applied[id] ?? 0
      let isTouched = touched[known.path] != nil
      let isCounting = known.kind == .increment || known.kind == .bareIncrement
      let text: Comment = "seed \(seed): \(id) \(known) applied \(times) times"
      if isCounting { #expect(times <= 1, text) }
      switch known.outcome {
      case "written":
        #expect(isTouched && !isCounting ? times >= 1 : times == 1, text)
        #expect(!service.poison.contains(id), text)
      case "rejected": #expect(service.poison.contains(id) && times == 0, text)
      case "conflicted":
        // Not known to have been applied, and not repeated: only where the answer was lost, or at the stop.
        #expect(times <= 1 && (isCounting || isTouched || stopped), text)
      case "contended": #expect(times <= 1, text)
      case "left": #expect(times == 0 || isTouched, text)
      case nil:
        #expect(stopped && (times == 0 || plan.lateCommits), text)
      default: Issue.record(text)
      }
      // One whose document has changed may be left before the service comes to refuse it.
      if service.poison.contains(id), !stopped {
        #expect(known.outcome == "rejected" || known.outcome == "left" || known.outcome == "conflicted", text)
      }
    }
    if stopped {
      let open = arrived.count { logical[$0]?.outcome == nil }
      #expect(scheduler.droppedCount == open, "seed \(seed)")
    }
    for (path, numbers) in service.order {
      #expect(numbers == numbers.sorted(), "seed \(seed): the order of \(path)")
    }
    for (path, value) in touched {
      guard let document = service.documents[path] else { continue }
      #expect(
        document.fields["live"] == .integer(Int64(value)),
        "seed \(seed): a live write to \(path) is lost"
      )
    }
    for (path, document) in service.documents {
      let counted = logical.filter {
        $0.value.path == path && ($0.value.kind == .increment || $0.value.kind == .bareIncrement)
      }.keys.reduce(0) { $0 + (service.applied[$1] ?? 0) }
      guard service.deletes[path] == nil else { continue }
      #expect(document.fields["n"] == (counted == 0 ? nil : .integer(Int64(counted))), "seed \(seed)")
    }
  }
}

struct SimulationError: Error {}

extension CommitScheduler {
  /// Writes in unsettled chunks.
  var unsettledCount: Int {
    inFlight.values.reduce(0) { $0 + $1.writes.count } + due.reduce(0) { $0 + $1.chunk.writes.count }
  }
}
