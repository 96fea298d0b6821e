import FirestoreModels

// What goes in and out of the scheduler.

extension CommitScheduler {
  /// Writes that are committed together.
  struct Chunk: Equatable, Sendable {
    let id: Int
    var writes: [PendingWrite]
    /// Attempts that have failed.
    var attempts = 0
    /// When it was first sent.
    var firstSent: Double?
    /// A moment by the service's clock that was over when it was first sent.
    var notBefore: Timestamp?
    /// What the service said, where the last attempt failed because a document is not what its write expects.
    var contradiction: FirestoreError?
    /// Read-backs in a row that found every document as expected though the service had said otherwise.
    var contradictions = 0
    /// Whether the documents are to be read before it is sent.
    var needsReadBack = false

    /// Whether a document that it makes could not be told from one that was there before with the same fields.
    var needsServerTime: Bool {
      notBefore == nil && attempts == 0 && writes.contains { $0.write.precondition == .exists(false) }
    }

    static func == (a: Chunk, b: Chunk) -> Bool { a.id == b.id && a.needsReadBack == b.needsReadBack }

    /// It is not known whether the last attempt was applied.
    mutating func mayBeApplied() {
      for index in writes.indices { writes[index].mayBeApplied = true }
    }
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

  /// A write and what became of it; its document stays taken until ``done(with:)`` or ``replan(_:as:)``.
  typealias Settled = (write: PendingWrite, settlement: Settlement)
}
