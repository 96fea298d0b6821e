import FirestoreREST
import Runs

/// Acquires, renews and releases the lease of one run, and checks that the run may still write.
actor LeaseKeeper {
  /// A point in time by this machine's clock, which may stop while the machine sleeps, and by the server's.
  private struct Moment {
    var local: Double
    var server: Int64?

    func age(at now: Moment) -> Double {
      let served = server.flatMap { then in now.server.map { Double($0 - then) } } ?? 0
      return max(now.local - local, served)
    }
  }

  private let client: FirestoreClient
  private let lease: Lease
  /// Whether other processes of the run also hold the lease.
  private let isShared: Bool
  /// As ``MigrationLedger/place``.
  private let place: CommandPlace
  /// The document as this run wrote it.
  private var held: RawDocument?
  /// A time before the last renewal was sent.
  private var renewed: Moment?
  /// Serializes the requests for the lease.
  private let turns = Turns()

  init(
    _ client: FirestoreClient,
    of run: LedgerEntry,
    isShared: Bool = false,
    offering place: CommandPlace
  ) {
    (self.client, self.place) = (client, place)
    lease = Lease(run: run.run, holder: run.holder, command: run.command)
    self.isShared = isShared
  }

  private var now: Moment { Moment(local: client.caller.clock.now(), server: client.caller.serverClock.now) }

  /// Acquires the lease.
  ///
  /// - Parameter runs: Runs whose lease may be taken over at once.
  /// - Throws: `.tryLater` naming the holder.
  func take(overFrom runs: [String]) async throws {
    // If two runs try at once, the second attempt of one of them finds the other's lease.
    for _ in 0..<3 where try await tryToTake(overFrom: runs) != .lost { return }
    throw contended
  }

  /// Acquires the lease for a run with several processes, or joins the lease if another of them holds it.
  ///
  /// - Throws: `.tryLater` naming the holder.
  func takeTogether() async throws {
    var isContended = false
    for _ in 0..<20 {
      switch try await tryToTake(overFrom: [lease.run], joins: isContended) {
      case .taken, .joined: return
      case .lost: isContended = true
      }
    }
    throw contended
  }

  private enum Attempt { case taken, joined, lost }

  private func tryToTake(overFrom runs: [String], joins: Bool = false) async throws -> Attempt {
    let (document, now) = try await client.get(Lease.path)
    let state = Lease.state(of: document, now: now ?? .now, for: runs)
    if case .held(let lease, let seconds) = state {
      let entry = try? await client.get(LedgerEntry.path(of: lease.run)).document.map { LedgerEntry($0) }
      throw Failure(
        .tryLater,
        "change \(client.database)",
        cause: "\(lease.holder) holds the lock: run \(lease.run), \(lease.command)",
        remedy: entry.flatMap { place.endOfTasks(of: $0) }
          ?? "Wait for its end. Should it be dead, its lease runs out in \(Int(seconds.rounded(.up))) s; '\(place.unlock())' takes it away."
      )
    }
    if joins, state == .own {
      renewed = nil
      return .joined
    }
    return try await write(over: document) ? .taken : .lost
  }

  private var contended: Failure {
    Failure(
      .tryLater,
      "change \(client.database)",
      cause: "others try at the same time",
      remedy: "Try again."
    )
  }

  /// - Throws: `.tryLater` if another run now holds the lease, or none.
  func renew() async throws { try await turns.take { try await self.write() } }

  /// Checks that the run may write.
  ///
  /// A commit requires a recent renewal, so that it reaches the server before the lease expires. A conflict may have been caused
  /// by a run that took the lease, so the lease is read.
  ///
  /// - Throws: As ``renew()``.
  func check(_ occasion: CommitGate.Occasion) async throws {
    switch occasion {
    case .commit where isFresh: return
    case .commit: try await turns.take { if await !self.isFresh { try await self.write() } }
    case .conflict:
      try await turns.take {
        try await self.look()
        if await !self.isFresh { try await self.write() }
      }
    }
  }

  private var isFresh: Bool { renewed.map { $0.age(at: now) <= Lease.duration / 2 } ?? false }

  /// - Throws: `.tryLater` if the document is no longer this run's.
  private func look() async throws {
    guard let document = try await client.get(Lease.path).document,
      Lease(document).run.isIdentical(to: lease.run), isShared || document.updateTime == held?.updateTime
    else { throw lost }
  }

  /// Checks that this process holds the lease, and will until the transaction ends.
  ///
  /// - Throws: `.tryLater` if it does not.
  func confirm(in transaction: Transaction) async throws {
    guard let document = try await transaction.document(Lease.path), document.updateTime == held?.updateTime
    else { throw lost }
  }

  /// Writes the document over the one this process wrote, or, if the lease is shared, over that of any process of the run.
  ///
  /// - Throws: `.tryLater` if another run now holds the lease, or none.
  private func write() async throws {
    guard isShared else {
      if try await !write(over: held) { throw lost }
      return
    }
    for _ in 0..<5 {
      let document = try await client.get(Lease.path).document
      guard let document, Lease(document).run.isIdentical(to: lease.run) else { break }
      if try await write(over: document) { return }
    }
    throw lost
  }

  nonisolated var lost: Failure {
    Failure(
      .tryLater,
      "keep changing \(client.database)",
      cause: "the lease was taken away",
      remedy:
        "See who holds the lock with '\(place.status)', then \(isShared ? "start this task again" : "resume this run, or give the command again if it wrote nothing")."
    )
  }

  /// Deletes the lease, whichever process of this run renewed it last.
  func giveBackTogether() async throws {
    for _ in 0..<5 {
      guard let document = try await client.get(Lease.path).document,
        Lease(document).run.isIdentical(to: lease.run)
      else { return }
      if case .written = try await client.perform(Lease.removal(of: document)) { return }
    }
  }

  /// Deletes the lease if it is still this run's.
  func giveBack() async throws {
    guard let document = held, document.updateTime != nil else { return }
    _ = try await client.perform(Lease.removal(of: document))
    held = nil
  }

  private func write(over document: RawDocument?) async throws -> Bool {
    let before = now
    guard case .written(let updateTime) = try await client.perform(lease.write(over: document)) else {
      return false
    }
    held = RawDocument(path: Lease.path, fields: lease.fields, updateTime: updateTime)
    renewed = before
    return true
  }
}
