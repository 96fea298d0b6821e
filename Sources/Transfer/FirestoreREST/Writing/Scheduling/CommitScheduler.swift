import FirestoreModels

/// Decides which writes are committed together and when, and what an answer or its absence means: events in, actions
/// out, no I/O and no clock of its own.
///
/// - Chunks by count and bytes; the count is halved on RESOURCE_EXHAUSTED, ABORTED, "too big" and slow commits, and
///   grows back by a tenth with each full chunk. (The service's limit of transforms is one of each document, so it asks
///   for no smaller chunks.)
/// - Never two writes to one document on their way, and those to one document in their order: the next one waits
///   until the caller is ``done(with:)`` the one before.
/// - No more chunks are on their way, waiting for a retry included, than may be in flight, so that a service that
///   labours is not given more and the reader is held back.
/// - Where it is not known whether a commit was applied, or its preconditions failed, its documents are read back
///   before anything is sent again.
/// - A chunk that is refused for good is halved until the guilty documents stand alone.
struct CommitScheduler {
  private let limits: BatchLimits
  private let policy: RetryPolicy
  private var pacer: WritePacer
  private var waiting: [PendingWrite] = []
  private var waitingBytes = 0
  /// Chunks that were formed and are to be sent (again) at a time, soonest first.
  private var due: [(time: Double, chunk: Chunk)] = []
  private var inFlight: [Int: Chunk] = [:]
  /// Documents whose write is in a chunk, or is settled and the caller not done with it.
  private var busy: Set<DocumentPath> = []
  private var nextID = 0
  /// The latest commit that is known, by the service's clock.
  private var serverTime: Timestamp?
  private var inputEnded = false
  private var flushes = false
  /// Whether nothing is sent any more.
  private(set) var isStopping = false
  /// Writes that were given up by ``stop()``: not sent, or not applied when they were.
  private(set) var droppedCount = 0
  /// Writes that were given up without knowing whether they were applied.
  private(set) var unknownCount = 0
  /// Writes a commit at the moment.
  private(set) var chunkSize: Double

  /// Makes a scheduler.
  ///
  /// - Parameter serverTime: A moment by the service's clock before anything is sent, where one is known.
  init(limits: BatchLimits, policy: RetryPolicy, pacer: WritePacer, serverTime: Timestamp? = nil) {
    self.serverTime = serverTime
    self.limits = limits
    self.policy = policy
    self.pacer = pacer
    chunkSize = Double(limits.maximumWrites)
  }

  /// Writes that wait to be sent for the first time.
  var waitingCount: Int { waiting.count }
  /// Bytes of them.
  var bytesWaiting: Int { waitingBytes }
  /// Whether writes were given up.
  var leavesSomething: Bool { droppedCount + unknownCount > 0 }
  /// Whether nothing waits and nothing is on its way.
  var isIdle: Bool { waiting.isEmpty && inFlight.isEmpty && due.isEmpty }
  /// Writes in chunks that are not settled.
  var unsettledCount: Int {
    inFlight.values.reduce(0) { $0 + $1.writes.count } + due.reduce(0) { $0 + $1.chunk.writes.count }
  }

  // MARK: Events

  /// A write has come.
  mutating func add(_ write: PendingWrite) {
    if isStopping {
      droppedCount += 1
      return
    }
    waiting.append(write)
    waitingBytes += write.bytes
  }

  /// The caller has dealt with a settled write; the next one to its document may go.
  mutating func done(with write: PendingWrite) {
    busy.remove(write.write.path)
  }

  /// A settled write was planned again; what it became goes before all others to its document.
  mutating func replan(_ write: PendingWrite, as new: PendingWrite) {
    busy.remove(write.write.path)
    waiting.insert(new, at: 0)
    waitingBytes += new.bytes
  }

  /// No more writes will come but those planned again.
  mutating func endInput() {
    inputEnded = true
  }

  /// What waits is sent without waiting for more of it, or no longer.
  mutating func flush(_ flushes: Bool) {
    self.flushes = flushes
  }

  /// The writes of a chunk in flight are in the journal.
  mutating func journaled(_ id: Int) {
    guard var chunk = inFlight[id] else { return }
    for index in chunk.writes.indices { chunk.writes[index].isJournaled = true }
    inFlight[id] = chunk
  }

  /// What is in flight is still settled, by a read-back where its answer is lost; nothing is sent any more.
  mutating func stop() {
    isStopping = true
    inputEnded = true
    droppedCount += waiting.count
    waiting.removeAll()
    waitingBytes = 0
    let chunks = due.map(\.chunk)
    due.removeAll()
    for chunk in chunks {
      if chunk.needsReadBack, chunk.writes.contains(where: \.mayBeApplied) {
        due.append((-.infinity, chunk))
      } else {
        drop(chunk)
      }
    }
  }

  /// Reading back takes too long after ``stop()``: what is in flight still tells how it ended, and nothing else is
  /// found out.
  mutating func giveUp() {
    for chunk in due.map(\.chunk) { giveUp(chunk) }
    due.removeAll()
  }

  /// The service told its time before a chunk was sent that was given out.
  ///
  /// - Returns: The chunk with it.
  mutating func learned(_ time: Timestamp?, before id: Int, now: Double) -> Chunk? {
    if let time { serverTime = max(serverTime ?? time, time) }
    inFlight[id]?.notBefore = serverTime
    inFlight[id]?.firstSent = now
    return inFlight[id]
  }

  /// A commit was answered.
  mutating func committed(_ id: Int, _ answer: CommitAnswer, took seconds: Double) -> [Settled] {
    guard let chunk = inFlight.removeValue(forKey: id) else { return [] }
    if let time = answer.commitTime { serverTime = max(serverTime ?? time, time) }
    if seconds > limits.slowCommit {
      chunkSize = max(1, chunkSize / 2)
    } else if chunk.writes.count >= Int(chunkSize) {
      // A smaller one tells nothing of what would be too much.
      chunkSize = min(Double(limits.maximumWrites), chunkSize * 1.1)
    }
    return chunk.writes.enumerated().map { index, write in
      (write, .written(updateTime: index < answer.updateTimes.count ? answer.updateTimes[index] : nil))
    }
  }

  /// A commit failed.
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
    chunk.contradiction = nil
    chunk.attempts += 1
    switch CommitFailure(failure) {
    case .fatal:
      if case .transport(let error) = failure, error.kind == .cancelled { chunk.mayBeApplied() }
      giveUp(chunk)
      throw describe(failure, chunk, now: now)
    case .notApplied(let overloaded):
      if overloaded { chunkSize = max(1, chunkSize / 2) }
      try retry(chunk, after: failure, now: now, random: random)
    case .unknown:
      chunk.mayBeApplied()
      chunk.needsReadBack = true
      try retry(chunk, after: failure, now: now, random: random)
    case .preconditionFailed(let error):
      chunk.contradiction = error
      chunk.needsReadBack = true
      requeue(chunk, at: now)
    case .refused(let error, let tooBig):
      if tooBig, chunk.writes.count > 1 { chunkSize = min(chunkSize, Double(chunk.writes.count) / 2) }
      return refuse(chunk, error, now: now)
    }
    return []
  }

  /// A chunk that was given out is not sent after all, because the run is failing.
  mutating func forget(_ id: Int) {
    if let chunk = inFlight.removeValue(forKey: id) { drop(chunk) }
  }

  /// A read-back failed after all its retries.
  mutating func readBackFailed(_ id: Int) {
    if let chunk = inFlight.removeValue(forKey: id) { giveUp(chunk) }
  }

  /// The documents of a chunk were read back.
  mutating func readBack(
    _ id: Int,
    _ documents: [DocumentPath: RawDocument],
    now: Double
  ) -> [Settled] {
    guard var chunk = inFlight.removeValue(forKey: id) else { return [] }
    let verdict = CommitVerdict(on: chunk, documents)
    var settled: [Settled] = []
    var ready: [PendingWrite] = []
    for write in chunk.writes {
      let current = documents[write.write.path]
      switch write.state(in: current) {
      // It was so already, or somebody else made it so.
      case .applied where verdict == .notApplied && write.isGuarded:
        settled.append((write, .conflict(current)))
      case .applied: settled.append((write, .written(updateTime: current?.updateTime)))
      case .ready where verdict == .applied && write.mayBeApplied && !write.isGuarded:
        settled.append((write, .written(updateTime: current?.updateTime)))
      case .ready: ready.append(write)
      // Applied, and changed by somebody else since.
      case .conflict where verdict == .applied && write.mayBeApplied:
        settled.append((write, .written(updateTime: nil)))
      case .conflict: settled.append((write, .conflict(current)))
      }
    }
    if ready.isEmpty { return settled }
    chunk.contradictions = settled.isEmpty && chunk.contradiction != nil ? chunk.contradictions + 1 : 0
    chunk.writes = ready
    chunk.needsReadBack = false
    if chunk.contradictions >= 3, let error = chunk.contradiction {
      return settled + refuse(chunk, error, now: now)
    }
    requeue(chunk, at: now)
    return settled
  }

  // MARK: Actions

  /// What is to be done now.
  ///
  /// Chunks that it gives out are in flight from then on.
  mutating func next(now: Double) -> Action {
    guard inFlight.count < limits.maximumInFlight else { return .wait(until: nil) }
    // Reading back is no write, so the pace of writes does not hold it up.
    if let index = due.firstIndex(where: { $0.time <= now && $0.chunk.needsReadBack }) {
      return .readBack(give(at: index, now: now))
    }
    if due.first.map({ $0.time > now }) ?? true, let chunk = formChunk(now: now) {
      requeue(chunk, at: now)
    }
    if let first = due.first, first.time <= now {
      if let later = pacer.take(first.chunk.writes.count, at: now) {
        let other = due.first { $0.time > now }?.time
        return .wait(until: min(later, other ?? later))
      }
      return .commit(give(at: 0, now: now))
    }
    if inputEnded, waiting.isEmpty, inFlight.isEmpty, due.isEmpty { return .finished }
    return .wait(until: due.first?.time)
  }

  private mutating func give(at index: Int, now: Double) -> Chunk {
    var chunk = due.remove(at: index).chunk
    if chunk.firstSent == nil {
      chunk.firstSent = now
      chunk.notBefore = serverTime
    }
    inFlight[chunk.id] = chunk
    return chunk
  }

  /// Takes a full chunk from what waits, or what there is where no more will come or nothing is on its way.
  private mutating func formChunk(now: Double) -> Chunk? {
    if waiting.isEmpty || inFlight.count + due.count >= limits.maximumInFlight { return nil }
    let room = min(max(1, Int(chunkSize)), pacer.largestChunk(at: now))
    let full = waiting.count >= room || waitingBytes >= limits.maximumBytes
    if !full, !inputEnded, !flushes, !inFlight.isEmpty || !due.isEmpty { return nil }
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

  private mutating func release(_ chunk: Chunk) {
    for write in chunk.writes { busy.remove(write.write.path) }
  }

  /// Counts each write by whether an attempt may have applied it.
  private mutating func giveUp(_ chunk: Chunk) {
    release(chunk)
    let unknown = chunk.writes.count(where: \.mayBeApplied)
    unknownCount += unknown
    droppedCount += chunk.writes.count - unknown
  }

  private mutating func drop(_ chunk: Chunk) {
    release(chunk)
    droppedCount += chunk.writes.count
  }

  private mutating func requeue(_ chunk: Chunk, at time: Double) {
    if isStopping {
      if chunk.needsReadBack, chunk.writes.contains(where: \.mayBeApplied) {
        due.append((-.infinity, chunk))
      } else {
        drop(chunk)
      }
      return
    }
    let index = due.firstIndex { $0.time > time } ?? due.endIndex
    due.insert((time, chunk), at: index)
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
      giveUp(chunk)
      throw describe(failure, chunk, now: now)
    }
    requeue(chunk, at: now + delay)
  }

  /// Halves a chunk that is refused for good; a write that stands alone is rejected.
  private mutating func refuse(_ chunk: Chunk, _ error: FirestoreError, now: Double) -> [Settled] {
    if chunk.writes.count == 1 { return [(chunk.writes[0], .rejected(error))] }
    let middle = chunk.writes.count / 2
    for part in [chunk.writes[..<middle], chunk.writes[middle...]] {
      nextID += 1
      requeue(Chunk(id: nextID, writes: Array(part)), at: now)
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
