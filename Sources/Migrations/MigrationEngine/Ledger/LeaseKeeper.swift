import FirestoreModels
import FirestoreREST
import Runs

/// Acquires, renews and releases the lease of one run.
actor LeaseKeeper {
  private let client: FirestoreClient
  private let lease: Lease
  /// The document as this run wrote it.
  private var held: RawDocument?

  init(_ client: FirestoreClient, _ lease: Lease) {
    self.client = client
    self.lease = lease
  }

  /// - Parameter runs: Runs whose lease is taken over at once.
  /// - Throws: `.tryLater` naming the holder.
  func take(overFrom runs: [String]) async throws {
    // Of two runs that try at once, one finds the lease of the other at its second attempt.
    for _ in 0..<3 where try await tryToTake(overFrom: runs) != .lost { return }
    throw contended
  }

  /// Takes the lease for a run that works in several processes, or joins one that another of them has taken.
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
      throw Failure(
        .tryLater,
        "change \(client.database)",
        cause: "\(lease.holder) holds the lock: run \(lease.run), \(lease.command)",
        remedy:
          "Wait for its end. Should it be dead, its lease runs out in \(Int(seconds.rounded(.up))) s; 'gymmigrate migrate unlock' takes it away."
      )
    }
    if joins, state == .own { return .joined }
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

  /// - Throws: `.tryLater` where another run holds it by now.
  func renew() async throws {
    if try await !write(over: held) { throw lost("resume this run") }
  }

  /// Renews the lease of a run that works in several processes: any of them may have renewed it.
  ///
  /// - Throws: `.tryLater` where another run, or none, holds it by now.
  func renewTogether() async throws {
    for _ in 0..<5 {
      let document = try await client.get(Lease.path).document
      guard let document, Lease(document).run.isIdentical(to: lease.run) else { break }
      if try await write(over: document) { return }
    }
    throw lost("start this task again")
  }

  private func lost(_ next: String) -> Failure {
    Failure(
      .tryLater,
      "keep changing \(client.database)",
      cause: "the lease was taken away",
      remedy: "See who holds the lock with 'gymmigrate migrate status', then \(next)."
    )
  }

  /// Deletes the lease, whichever process of this run renewed it last.
  func giveBackTogether() async throws {
    for _ in 0..<5 {
      guard let document = try await client.get(Lease.path).document,
        Lease(document).run.isIdentical(to: lease.run), let time = document.updateTime
      else { return }
      let removal = Write(path: Lease.path, operation: .delete, precondition: .updateTime(time))
      if case .written = try await client.perform(removal) { return }
    }
  }

  /// Deletes the lease, if it is still this run's.
  func giveBack() async throws {
    guard let time = held?.updateTime else { return }
    _ = try await client.perform(
      Write(path: Lease.path, operation: .delete, precondition: .updateTime(time))
    )
    held = nil
  }

  private func write(over document: RawDocument?) async throws -> Bool {
    guard case .written(let updateTime) = try await client.perform(lease.write(over: document)) else {
      return false
    }
    held = RawDocument(path: Lease.path, fields: lease.fields, updateTime: updateTime)
    return true
  }
}
