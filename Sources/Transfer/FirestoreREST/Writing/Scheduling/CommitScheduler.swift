/// Decides which writes are committed together and when, and what a response or its absence means.
///
/// It is pure: events in, actions out, without I/O or a clock.
///
/// - Chunks are limited by count and bytes. The count is halved on RESOURCE_EXHAUSTED, ABORTED, "too big" and slow commits,
///   and grows by a tenth with each full chunk. (The service's limit of transforms applies to each document, so it requires
///   no smaller chunks.)
/// - Two writes to the same document are never in flight together. They keep their order: the next one waits until the
///   caller is ``done(with:)`` the one before.
/// - The limits of commits in flight, in number and in bytes, include those waiting for a retry, so that a slow service
///   gets no more and the reader is slowed down; the limit in bytes also includes those that are being settled.
/// - After an unknown result or a failed precondition, the documents are read back before anything is sent again.
/// - A chunk that meets RESOURCE_EXHAUSTED again is halved by its bytes, because its size may be the reason.
/// - A chunk that is permanently refused is halved until the rejected writes are isolated. An error that affects every
///   write ends the run (``Refusals``).
/// - A chunk that is ABORTED is halved, too, so that few writes wait for a document that others keep changing. On its own,
///   such a write is conflicted after ``BatchLimits/contention``, or after the retry budget if nothing else was written
///   meanwhile.
struct CommitScheduler {
  let limits: BatchLimits
  let policy: RetryPolicy
  private var pacer: WritePacer
  private var waiting = WriteQueue()
  /// The chunks to send (again) at a given time, earliest first.
  private(set) var due: [(time: Double, chunk: Chunk)] = []
  private(set) var inFlight: [Int: Chunk] = [:]
  var nextID = 0
  /// The latest known commit time, by the service's clock.
  private var serverTime: Timestamp?
  var refusals = Refusals()
  /// The time of the last successful commit.
  var lastSuccess = -Double.infinity
  private var inputEnded = false
  private var flushes = false
  private(set) var isStopping = false
  /// The number of writes dropped by ``stop()``: not sent, or not applied.
  private(set) var droppedCount = 0
  /// The number of writes given up with an unknown result.
  private(set) var unknownCount = 0
  /// The paths of the writes in the journal that were dropped before any attempt was sent.
  private(set) var unmade: [DocumentPath] = []
  /// The bytes held by commits that are being settled, each of which counts as a whole until all of its writes are done.
  var settlingBytes = 0
  /// The current number of writes per commit.
  private(set) var chunkSize: Double

  /// - Parameter serverTime: A time by the service's clock before the first commit, if known.
  init(limits: BatchLimits, policy: RetryPolicy, pacer: WritePacer, serverTime: Timestamp? = nil) {
    self.serverTime = serverTime
    self.limits = limits
    self.policy = policy
    self.pacer = pacer
    chunkSize = Double(limits.maximumWrites)
  }

  /// The number of writes not yet sent.
  var waitingCount: Int { waiting.count }
  var waitingBytes: Int { waiting.bytes }
  var leavesSomething: Bool { droppedCount + unknownCount > 0 }
  /// Whether no writes are pending or in flight.
  var isIdle: Bool { waiting.count == 0 && inFlight.isEmpty && due.isEmpty }

  // MARK: Events

  /// Adds a write.
  mutating func add(_ write: PendingWrite) {
    if isStopping {
      droppedCount += 1
      return
    }
    waiting.append(write)
  }

  /// Releases the document of a settled write for its next write.
  mutating func done(with write: PendingWrite) { waiting.release([write]) }

  /// Replaces a settled write with a new one, which precedes all others to its document.
  mutating func replan(_ write: PendingWrite, as new: PendingWrite) {
    waiting.release([write])
    waiting.prepend(new)
  }

  /// Declares that no more writes will be added, except replanned ones.
  mutating func endInput() { inputEnded = true }

  /// Sets whether pending writes are sent without waiting for a full chunk.
  mutating func flush(_ flushes: Bool) { self.flushes = flushes }

  /// Records that the writes of a chunk in flight are in the journal.
  mutating func journaled(_ id: Int) {
    guard var chunk = inFlight[id] else { return }
    for index in chunk.writes.indices { chunk.writes[index].isJournaled = true }
    inFlight[id] = chunk
  }

  /// Stops sending; commits in flight are still settled, by reading back if necessary.
  mutating func stop() {
    isStopping = true
    inputEnded = true
    droppedCount += waiting.count
    waiting.removeAll()
    let chunks = due.map(\.chunk)
    due.removeAll()
    for chunk in chunks { requeue(chunk, at: -.infinity) }
  }

  /// Stops reading back after ``stop()``; only responses in flight still count.
  mutating func giveUp() {
    for chunk in due.map(\.chunk) { giveUp(chunk) }
    due.removeAll()
  }

  /// Records the service's time before a chunk is sent.
  ///
  /// - Returns: The chunk with that time.
  mutating func learned(_ time: Timestamp?, before id: Int, now: Double) -> Chunk? {
    if let time { serverTime = max(serverTime ?? time, time) }
    inFlight[id]?.notBefore = serverTime
    inFlight[id]?.firstSent = now
    return inFlight[id]
  }

  /// Records a successful commit.
  mutating func committed(
    _ id: Int,
    _ answer: CommitAnswer,
    took seconds: Double,
    now: Double
  ) -> [Settled] {
    guard let chunk = inFlight.removeValue(forKey: id) else { return [] }
    lastSuccess = now
    refusals.noteSuccess()
    if let time = answer.commitTime { serverTime = max(serverTime ?? time, time) }
    if seconds > limits.slowCommit {
      chunkSize = max(1, chunkSize / 2)
    } else if chunk.writes.count >= Int(chunkSize) {
      // A smaller chunk says nothing about the limit.
      chunkSize = min(Double(limits.maximumWrites), chunkSize * 1.1)
    }
    return chunk.writes.enumerated().map { index, write in
      (write, .written(updateTime: index < answer.updateTimes.count ? answer.updateTimes[index] : nil))
    }
  }

  /// Records a failed commit.
  ///
  /// - Returns: The writes that it settles.
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
    if !failure.isUnsent { chunk.writes.noteSent() }
    switch CommitFailure(failure) {
    case .fatal:
      if case .transport(let error) = failure, error.kind == .cancelled { chunk.writes.mayBeApplied() }
      giveUp(chunk)
      throw chunk.failure(failure, now: now)
    case .contended:
      // Another part of the same chunk says nothing new.
      if !chunk.isPart { chunkSize = max(1, chunkSize / 2) }
      return contend(chunk, after: failure, now: now, random: random)
    case .notApplied(let overloaded):
      if overloaded, !chunk.isPart { chunkSize = max(1, chunkSize / 2) }
      guard overloaded, chunk.attempts > 1, chunk.writes.count > 1 else {
        try retry(chunk, after: failure, now: now, random: random)
        break
      }
      for var part in halve(chunk, at: chunk.byteMiddle) {
        (part.firstSent, part.attempts) = (chunk.firstSent, chunk.attempts)
        try retry(part, after: failure, now: now, random: random)
      }
    case .unknown:
      chunk.writes.mayBeApplied()
      chunk.needsReadBack = true
      try retry(chunk, after: failure, now: now, random: random)
    case .preconditionFailed(let error):
      chunk.contradiction = error
      chunk.needsReadBack = true
      requeue(chunk, at: now)
    case .refused(let error, let tooBig):
      if tooBig, chunk.writes.count > 1 { chunkSize = min(chunkSize, Double(chunk.writes.count) / 2) }
      return try refuse(chunk, error, now: now)
    }
    return []
  }

  /// Drops a chunk that will not be sent, because the run is failing.
  mutating func forget(_ id: Int) {
    if let chunk = inFlight.removeValue(forKey: id) { drop(chunk) }
  }

  /// Records that reading back failed after all retries.
  mutating func readBackFailed(_ id: Int) {
    if let chunk = inFlight.removeValue(forKey: id) { giveUp(chunk) }
  }

  /// Records the documents of a chunk that were read back.
  ///
  /// - Returns: The writes that it settles.
  /// - Throws: A failure that ends the run; writes that it would settle stay unsettled.
  mutating func readBack(
    _ id: Int,
    _ documents: [DocumentPath: RawDocument],
    now: Double
  ) throws(Failure) -> [Settled] {
    guard var chunk = inFlight.removeValue(forKey: id) else { return [] }
    let lost = LostCommit(on: chunk, documents)
    let time = LostCommit.time(of: chunk.writes, documents)
    var settled: [Settled] = []
    var ready: [PendingWrite] = []
    for write in chunk.writes {
      let current = documents[write.write.path]
      switch write.state(in: current) {
      // The document was like this before, or another writer changed it.
      case .applied where lost == .notApplied && write.isGuarded:
        settled.append((write, .conflict(current)))
      case .applied:
        settled.append((write, .written(updateTime: write.updateTime(in: current, committedAt: time))))
      case .ready where lost == .applied && write.mayBeApplied && !write.isGuarded:
        settled.append((write, .written(updateTime: write.updateTime(in: current, committedAt: nil))))
      case .ready: ready.append(write)
      // The write was applied, and the document changed by another writer since.
      case .conflict where lost == .applied && write.mayBeApplied:
        settled.append((write, .written(updateTime: nil)))
      case .conflict: settled.append((write, .conflict(current)))
      }
    }
    if ready.isEmpty { return settled }
    chunk.contradictions = settled.isEmpty && chunk.contradiction != nil ? chunk.contradictions + 1 : 0
    chunk.writes = ready
    chunk.needsReadBack = false
    // None of its writes are settled here, so nothing is lost if this ends the run.
    if chunk.contradictions >= 3, let error = chunk.contradiction {
      return try refuse(chunk, error, now: now)
    }
    requeue(chunk, at: now)
    return settled
  }

  // MARK: Actions

  /// Returns the next action; a returned chunk counts as in flight.
  mutating func next(now: Double) -> Action {
    guard inFlight.count < limits.maximumInFlight else { return .wait(until: nil) }
    // Reading back is not a write, so the pacer does not delay it.
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
    if inputEnded, isIdle { return .finished }
    return .wait(until: due.first?.time)
  }

  private mutating func give(at index: Int, now: Double) -> Chunk {
    var chunk = due.remove(at: index).chunk
    if chunk.firstSent == nil {
      chunk.firstSent = now
      chunk.notBefore = chunk.notBefore ?? serverTime
    }
    inFlight[chunk.id] = chunk
    return chunk
  }

  /// Forms a full chunk, or a partial one if no more writes will be added or nothing is in flight.
  private mutating func formChunk(now: Double) -> Chunk? {
    // Writes that wait for a document on their own do not make others wait, as long as they are few.
    let parked = min(due.count { $0.chunk.isContended && $0.time > now }, limits.maximumInFlight)
    if waiting.count == 0 || inFlight.count + due.count - parked >= limits.maximumInFlight { return nil }
    let room = min(max(1, Int(chunkSize)), pacer.largestChunk(at: now))
    let full = waiting.count >= room || waiting.bytes >= limits.maximumBytes
    if !full, !inputEnded, !flushes, !inFlight.isEmpty || !due.isEmpty { return nil }
    let left = limits.maximumBytesInFlight - bytesInFlight
    if left <= 0 { return nil }
    let taken = waiting.take(
      atMost: room,
      bytes: min(limits.maximumBytes, left),
      // A write that is larger than all of them is sent alone.
      orOne: left >= min(waiting.bytesOfFirst, limits.maximumBytesInFlight)
    )
    if taken.isEmpty { return nil }
    nextID += 1
    return Chunk(id: nextID, writes: taken)
  }

  // MARK: Helpers

  /// The bytes held by commits in flight, except single writes that wait for a document on their own.
  private var bytesInFlight: Int {
    due.reduce(inFlight.values.reduce(settlingBytes) { $0 + $1.bytes }) {
      $0 + ($1.chunk.isContended ? 0 : $1.chunk.bytes)
    }
  }

  /// Gives up a chunk, counting each write by whether it may have been applied.
  mutating func giveUp(_ chunk: Chunk) {
    waiting.release(chunk.writes)
    let unknown = chunk.writes.count(where: \.mayBeApplied)
    unknownCount += unknown
    droppedCount += chunk.writes.count - unknown
    noteUnmade(chunk)
  }

  private mutating func drop(_ chunk: Chunk) {
    waiting.release(chunk.writes)
    droppedCount += chunk.writes.count
    noteUnmade(chunk)
  }

  private mutating func noteUnmade(_ chunk: Chunk) {
    unmade += chunk.writes.filter { $0.isJournaled && !$0.wasSent }.map(\.write.path)
  }

  /// - Parameter isFirst: Whether it comes before others that are due at the same time.
  mutating func requeue(_ chunk: Chunk, at time: Double, isFirst: Bool = false) {
    if isStopping {
      if chunk.needsReadBack, chunk.writes.contains(where: \.mayBeApplied) {
        due.append((-.infinity, chunk))
      } else {
        drop(chunk)
      }
      return
    }
    let index = due.firstIndex { isFirst ? $0.time >= time : $0.time > time } ?? due.endIndex
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
      let delay = policy.after(failure).delay(
        afterAttempt: chunk.attempts,
        elapsed: elapsed,
        asked: failure.askedDelay,
        random: random
      )
    else {
      giveUp(chunk)
      throw chunk.failure(failure, now: now)
    }
    requeue(chunk, at: now + delay)
  }
}
