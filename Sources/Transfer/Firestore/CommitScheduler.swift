import Models

/// Limits of what is sent at once.
public struct BatchLimits: Sendable, Equatable {
  /// Writes a commit at the most; the scheduler goes below it when the service labours.
  public var maximumWrites: Int
  /// Bytes of a commit's body at the most: 9 MiB, below the service's 10 MiB, whose measure for JSON is not told.
  public var maximumBytes: Int
  /// Commits in flight at the most.
  public var maximumInFlight: Int
  /// A commit that takes longer than this halves the next ones, in seconds.
  public var slowCommit: Double
  /// How often a document that changed meanwhile is planned again.
  public var maximumReplans: Int

  /// Makes limits.
  public init(
    maximumWrites: Int = 100,
    maximumBytes: Int = 9 << 20,
    maximumInFlight: Int = 8,
    slowCommit: Double = 5,
    maximumReplans: Int = 5
  ) {
    self.maximumWrites = maximumWrites
    self.maximumBytes = maximumBytes
    self.maximumInFlight = maximumInFlight
    self.slowCommit = slowCommit
    self.maximumReplans = maximumReplans
  }
}

/// Decides which writes are committed together and when, and what an answer or its absence means: events in, actions
/// out, no I/O and no clock of its own.
///
/// - Chunks by count and bytes; the count is halved on RESOURCE_EXHAUSTED, ABORTED, "too big" and slow commits, and
///   grows back by a tenth with each success.
/// - Never two writes to one document in flight, and those to one document in their order.
/// - Where it is not known whether a commit was applied, or its preconditions failed, its documents are read back
///   before anything is sent again.
/// - A chunk that is refused for good is halved until the guilty documents stand alone.
struct CommitScheduler {
  /// Writes that are committed together.
  struct Chunk: Equatable, Sendable {
    let id: Int
    var writes: [PendingWrite]
    /// Attempts that have failed.
    var attempts = 0
    /// When it was first sent.
    var firstSent: Double?
    /// Read-backs in a row that found every document as expected though the service had said otherwise.
    var contradictions = 0
    /// The last error of the service.
    var lastError: FirestoreError?
    /// Whether the documents are to be read before it is sent.
    var needsReadBack = false

    static func == (a: Chunk, b: Chunk) -> Bool { a.id == b.id && a.needsReadBack == b.needsReadBack }
  }

  /// What is to be done next.
  enum Action: Equatable {
    case commit(Chunk)
    case readBack(Chunk)
    /// Nothing before this time, or before an event where it is nil.
    case wait(until: Double?)
    /// Everything is settled and no more will come.
    case finished
  }

  /// What became of a write.
  enum Settlement: Sendable {
    /// The service confirmed it, or a read-back showed it.
    case written(updateTime: Timestamp?)
    /// The service refuses it for good.
    case rejected(FirestoreError)
    /// The document is not what the write expects; as it is now, nil where there is none.
    case conflict(RawDocument?)
  }

  typealias Settled = (write: PendingWrite, settlement: Settlement)

  private let limits: BatchLimits
  private let policy: RetryPolicy
  private var pacer: WritePacer
  private var waiting: [PendingWrite] = []
  private var waitingBytes = 0
  /// Chunks that were formed and are to be sent (again) at a time, soonest first.
  private var due: [(time: Double, chunk: Chunk)] = []
  private var inFlight: [Int: Chunk] = [:]
  /// Documents of the chunks that are formed and not settled.
  private var busy: Set<DocumentPath> = []
  private var nextID = 0
  private var inputEnded = false
  private var stopping = false
  /// Writes a commit at the moment.
  private(set) var chunkSize: Double

  init(limits: BatchLimits, policy: RetryPolicy, pacer: WritePacer) {
    self.limits = limits
    self.policy = policy
    self.pacer = pacer
    chunkSize = Double(max(1, limits.maximumWrites))
  }

  /// Writes that wait to be sent for the first time.
  var waitingCount: Int { waiting.count }
  /// Bytes of them.
  var bytesWaiting: Int { waitingBytes }
  /// Writes that were sent and are not settled.
  var unsettledCount: Int {
    inFlight.values.reduce(0) { $0 + $1.writes.count } + due.reduce(0) { $0 + $1.chunk.writes.count }
  }

  // MARK: Events

  /// A write has come.
  mutating func add(_ write: PendingWrite) {
    waiting.append(write)
    waitingBytes += write.bytes
  }

  /// A write that was planned again goes before the others.
  mutating func addFirst(_ write: PendingWrite) {
    waiting.insert(write, at: 0)
    waitingBytes += write.bytes
  }

  /// No more writes will come but those planned again.
  mutating func endInput() {
    inputEnded = true
  }

  /// What was sent is settled; what waits is not sent any more, and returned.
  mutating func stop() -> [PendingWrite] {
    stopping = true
    inputEnded = true
    defer {
      waiting.removeAll()
      waitingBytes = 0
    }
    return waiting
  }

  /// A commit was answered.
  mutating func committed(_ id: Int, _ answer: CommitAnswer, took seconds: Double) -> [Settled] {
    guard let chunk = inFlight.removeValue(forKey: id) else { return [] }
    if seconds > limits.slowCommit {
      chunkSize = max(1, chunkSize / 2)
    } else {
      chunkSize = min(Double(limits.maximumWrites), chunkSize * 1.1)
    }
    return settle(
      chunk.writes.enumerated().map { index, write in
        let updateTime = index < answer.updateTimes.count ? answer.updateTimes[index] : nil
        return (write, .written(updateTime: updateTime))
      }
    )
  }

  /// A commit or a read-back failed.
  ///
  /// - Returns: What is settled by it.
  /// - Throws: A failure that ends the run.
  mutating func failed(
    _ id: Int,
    _ failure: CallFailure,
    now: Double,
    random: Double
  ) throws(Failure) -> [Settled] {
    guard var chunk = inFlight.removeValue(forKey: id) else { return [] }
    if case .service(let error) = failure { chunk.lastError = error }
    chunk.attempts += 1
    switch CommitFailure(failure) {
    case .fatal:
      release(chunk)
      throw describe(failure, chunk, now: now)
    case .notApplied(let overloaded):
      if overloaded { chunkSize = max(1, chunkSize / 2) }
      try retry(chunk, after: failure, now: now, random: random)
    case .unknown:
      for index in chunk.writes.indices { chunk.writes[index].mayBeApplied = true }
      chunk.needsReadBack = true
      try retry(chunk, after: failure, now: now, random: random)
    case .preconditionFailed:
      chunk.needsReadBack = true
      requeue(chunk, at: now)
    case .refused(let error, let tooBig):
      if tooBig { chunkSize = max(1, Double(chunk.writes.count) / 2) }
      return refuse(chunk, error, now: now)
    }
    return []
  }

  /// A chunk that was given out is not sent after all, because the run is failing.
  mutating func forget(_ id: Int) {
    if let chunk = inFlight.removeValue(forKey: id) { release(chunk) }
  }

  /// A read-back failed.
  mutating func readBackFailed(_ id: Int, _ failure: Failure) throws(Failure) {
    if let chunk = inFlight.removeValue(forKey: id) { release(chunk) }
    throw failure
  }

  /// The documents of a chunk were read back.
  mutating func readBack(
    _ id: Int,
    _ documents: [DocumentPath: RawDocument],
    now: Double
  ) -> [Settled] {
    guard var chunk = inFlight.removeValue(forKey: id) else { return [] }
    // Commits are atomic: what proves one write applied proves them all.
    let proven = chunk.writes.contains { $0.provesCommit(in: documents[$0.write.path]) }
    var settled: [Settled] = []
    var ready: [PendingWrite] = []
    for var write in chunk.writes {
      let current = documents[write.write.path]
      switch write.standing(in: current) {
      case .applied: settled.append((write, .written(updateTime: current?.updateTime)))
      case .ready where proven && write.mayBeApplied && !write.isGuarded:
        settled.append((write, .written(updateTime: current?.updateTime)))
      case .ready:
        write.mayBeApplied = false
        ready.append(write)
      case .conflict: settled.append((write, .conflict(current)))
      }
    }
    let kept = settle(settled)
    if ready.isEmpty { return kept }
    let contradicts =
      settled.isEmpty && chunk.lastError.map { CommitFailure.isPrecondition($0.status) } ?? false
    chunk.contradictions = contradicts ? chunk.contradictions + 1 : 0
    chunk.writes = ready
    chunk.needsReadBack = false
    if chunk.contradictions >= 3, let error = chunk.lastError {
      return kept + refuse(chunk, error, now: now)
    }
    requeue(chunk, at: now)
    return kept
  }

  // MARK: Actions

  /// What is to be done now.
  ///
  /// Chunks that it gives out are in flight from then on.
  mutating func next(now: Double) -> Action {
    if inFlight.count < limits.maximumInFlight {
      if let first = due.first, first.time <= now {
        if let later = first.chunk.needsReadBack ? nil : pacer.take(first.chunk.writes.count, at: now) {
          due[0].time = later
          due.sort { $0.time < $1.time }
          return .wait(until: due.first?.time)
        }
        var chunk = due.removeFirst().chunk
        chunk.firstSent = chunk.firstSent ?? now
        inFlight[chunk.id] = chunk
        return chunk.needsReadBack ? .readBack(chunk) : .commit(chunk)
      }
      if let chunk = formChunk(now: now) {
        due.append((now, chunk))
        due.sort { $0.time < $1.time }
        return next(now: now)
      }
    }
    if inputEnded, waiting.isEmpty, inFlight.isEmpty, due.isEmpty { return .finished }
    return .wait(until: inFlight.count < limits.maximumInFlight ? due.first?.time : nil)
  }

  /// Takes a full chunk from what waits, or what there is where no more will come or nothing is in flight.
  private mutating func formChunk(now: Double) -> Chunk? {
    if waiting.isEmpty { return nil }
    let room = min(max(1, Int(chunkSize)), pacer.largestChunk(at: now))
    let full = waiting.count >= room || waitingBytes >= limits.maximumBytes
    if !full, !inputEnded, !inFlight.isEmpty || !due.isEmpty { return nil }
    var taken: [PendingWrite] = []
    var bytes = 0
    var kept: [PendingWrite] = []
    var blocked: Set<DocumentPath> = []
    var index = 0
    while index < waiting.count, taken.count < room {
      let write = waiting[index]
      let path = write.write.path
      if busy.contains(path) || blocked.contains(path) {
        blocked.insert(path)
        kept.append(write)
      } else if !taken.isEmpty, bytes + write.bytes > limits.maximumBytes {
        break
      } else {
        taken.append(write)
        bytes += write.bytes
        busy.insert(path)
      }
      index += 1
    }
    if taken.isEmpty { return nil }
    waiting.replaceSubrange(0..<index, with: kept)
    waitingBytes -= bytes
    nextID += 1
    return Chunk(id: nextID, writes: taken)
  }

  // MARK: Helpers

  private mutating func settle(_ settled: [Settled]) -> [Settled] {
    for (write, _) in settled { busy.remove(write.write.path) }
    return settled
  }

  private mutating func release(_ chunk: Chunk) {
    for write in chunk.writes { busy.remove(write.write.path) }
  }

  private mutating func requeue(_ chunk: Chunk, at time: Double) {
    due.append((time, chunk))
    due.sort { $0.time < $1.time }
  }

  private mutating func retry(
    _ chunk: Chunk,
    after failure: CallFailure,
    now: Double,
    random: Double
  ) throws(Failure) {
    let elapsed = now - (chunk.firstSent ?? now)
    guard
      let delay = policy.delay(
        afterAttempt: chunk.attempts,
        elapsed: elapsed,
        asked: failure.askedDelay,
        random: random
      )
    else {
      release(chunk)
      throw describe(failure, chunk, now: now)
    }
    requeue(chunk, at: now + delay)
  }

  /// Halves a chunk that is refused for good; a write that stands alone is rejected.
  private mutating func refuse(_ chunk: Chunk, _ error: FirestoreError, now: Double) -> [Settled] {
    if chunk.writes.count == 1 { return settle([(chunk.writes[0], .rejected(error))]) }
    let middle = chunk.writes.count / 2
    for part in [chunk.writes[..<middle], chunk.writes[middle...]] {
      nextID += 1
      requeue(Chunk(id: nextID, writes: Array(part), firstSent: nil), at: now)
    }
    return []
  }

  private func describe(_ failure: CallFailure, _ chunk: Chunk, now: Double) -> Failure {
    failure.asFailure(
      operation: "commit \(chunk.writes.count) writes to",
      path: chunk.writes.first?.write.path.collection.string,
      attempts: chunk.attempts,
      elapsed: now - (chunk.firstSent ?? now)
    )
  }
}

extension PendingWrite {
  /// Whether the write is refused by the service when its document has changed.
  fileprivate var isGuarded: Bool {
    switch write.precondition {
    case .updateTime, .exists(false): true
    case .exists(true), nil: false
    }
  }
}

/// What the failure of a commit means for its writes.
enum CommitFailure: Equatable {
  /// No later attempt can succeed: the credentials, the endpoint.
  case fatal
  /// Nothing was applied, and it may be sent again; `overloaded` where the service asks for less.
  case notApplied(overloaded: Bool)
  /// It may have been applied.
  case unknown
  /// Nothing was applied because a document is not what its write expects.
  case preconditionFailed
  /// Nothing was applied, and it never will be as it is.
  case refused(FirestoreError, tooBig: Bool)

  init(_ failure: CallFailure) {
    switch failure {
    case .credentials: self = .fatal
    case .malformed: self = .unknown
    case .transport(let error):
      switch error.kind {
      case .notConnected: self = .notApplied(overloaded: false)
      case .lost, .bodyTooLarge: self = .unknown
      case .cancelled, .invalid: self = .fatal
      }
    case .service(let error):
      if !error.isFromService {
        self = error.code == 413 ? .refused(error, tooBig: true) : .unknown
        return
      }
      switch error.status {
      case .permissionDenied, .unauthenticated, .unimplemented: self = .fatal
      case .aborted, .resourceExhausted: self = .notApplied(overloaded: true)
      case .unavailable, .deadlineExceeded, .unknown, .internal, .cancelled, .dataLoss: self = .unknown
      case .alreadyExists, .notFound, .failedPrecondition: self = .preconditionFailed
      case .invalidArgument, .outOfRange: self = .refused(error, tooBig: false)
      }
    }
  }

  /// Whether a status tells of a document that is not what its write expects.
  static func isPrecondition(_ status: FirestoreError.Status) -> Bool {
    switch status {
    case .alreadyExists, .notFound, .failedPrecondition: true
    default: false
    }
  }
}
