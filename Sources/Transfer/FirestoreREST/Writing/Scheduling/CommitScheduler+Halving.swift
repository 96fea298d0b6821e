// Commits that are halved because one of their writes is refused, or contended.

extension CommitScheduler {
  /// Halves a chunk that is permanently refused; a single write is rejected.
  ///
  /// - Throws: The failure that affects every write, if every write so far met it.
  mutating func refuse(
    _ chunk: Chunk,
    _ error: FirestoreError,
    now: Double
  ) throws(Failure) -> [Settled] {
    if refusals.isHopeless(after: error, of: chunk) {
      giveUp(chunk)
      throw Refusals.failure(error, chunk)
    }
    if chunk.writes.count == 1 { return [(chunk.writes[0], .rejected(error))] }
    // The first part precedes everything that waits, so that single writes soon show whether the error affects every one.
    for var part in halve(chunk, at: chunk.writes.count / 2).reversed() {
      part.contradictions = max(0, chunk.contradictions - 1)
      requeue(part, at: min(now, due.first?.time ?? now), isFirst: true)
    }
    return []
  }

  /// Halves a chunk because others keep changing one of its documents; a single write is retried, and eventually given up.
  mutating func contend(
    _ chunk: Chunk,
    after failure: CallFailure,
    now: Double,
    random: Double
  ) -> [Settled] {
    let sent = chunk.firstSent ?? now
    let delay = policy.delay(
      afterAttempt: chunk.attempts,
      elapsed: now - sent,
      asked: failure.askedDelay,
      random: random
    )
    if chunk.writes.count > 1 {
      for var part in halve(chunk, at: chunk.writes.count / 2) {
        (part.firstSent, part.attempts) = (sent, 1)
        requeue(part, at: now + (delay ?? 0))
      }
      return []
    }
    let isHot = lastSuccess > sent && now - sent >= limits.contention
    guard let delay, !isHot else { return [(chunk.writes[0], .contended)] }
    var chunk = chunk
    chunk.isContended = true
    requeue(chunk, at: now + delay)
    return []
  }

  mutating func halve(_ chunk: Chunk, at middle: Int) -> [Chunk] {
    [chunk.writes[..<middle], chunk.writes[middle...]].map { writes in
      nextID += 1
      var part = Chunk(id: nextID, writes: Array(writes), isPart: true)
      part.notBefore = chunk.notBefore
      return part
    }
  }
}
