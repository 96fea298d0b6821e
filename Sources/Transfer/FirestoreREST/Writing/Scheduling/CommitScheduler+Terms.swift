// The inputs and outputs of the scheduler.

extension CommitScheduler {
  /// The writes of one commit.
  struct Chunk: Equatable, Sendable {
    let id: Int
    var writes: [PendingWrite]
    /// The number of bytes that its writes held originally.
    let bytes: Int
    /// Whether it was split off another chunk.
    var isPart = false
    /// The number of failed attempts.
    var attempts = 0
    /// The time at which it was first sent.
    var firstSent: Double?
    /// A time by the service's clock before it was first sent.
    var notBefore: Timestamp?
    /// The service's error, if the last attempt failed because of a precondition.
    var contradiction: FirestoreError?
    /// The number of consecutive read-backs that found all preconditions met although the service reported otherwise.
    var contradictions = 0
    /// Whether it is a single write that waits because others keep changing its document.
    var isContended = false
    /// Whether to read the documents before sending it.
    var needsReadBack = false

    init(id: Int, writes: [PendingWrite], isPart: Bool = false) {
      (self.id, self.writes, self.isPart) = (id, writes, isPart)
      bytes = writes.heldBytes
    }

    /// Whether a created document could not be distinguished from an existing one with the same fields.
    var needsServerTime: Bool {
      notBefore == nil && attempts == 0 && writes.contains { $0.write.precondition == .exists(false) }
    }

    static func == (a: Chunk, b: Chunk) -> Bool { a.id == b.id && a.needsReadBack == b.needsReadBack }

    /// The failure of this chunk if it ends the run.
    func failure(_ failure: CallFailure, now: Double) -> Failure {
      failure.asFailure(
        operation: "commit \(NumberText.counted(writes.count, "write")) to",
        path: writes.first?.write.path.collection.string,
        attempts: attempts,
        elapsed: now - (firstSent ?? now)
      )
    }

    /// Where to split it so that each part has half of the bytes, as far as whole writes allow.
    var byteMiddle: Int {
      let half = writes.reduce(0) { $0 + $1.bytes } / 2
      var bytes = 0
      let middle = writes.firstIndex {
        bytes += $0.bytes
        return bytes > half
      }
      return min(max(1, middle ?? 1), writes.count - 1)
    }
  }

  enum Action: Equatable {
    case commit(Chunk)
    case readBack(Chunk)
    /// Wait until this time, or for an event if nil.
    case wait(until: Double?)
    /// Everything is settled, and no more writes will be submitted.
    case finished
  }

  enum Settlement: Sendable {
    /// Confirmed by the service or by reading back.
    case written(updateTime: Timestamp?)
    /// Permanently refused by the service.
    case rejected(FirestoreError)
    /// Others kept changing the document, so that the service never accepted the write.
    case contended
    /// The document does not match the precondition; with its current state, nil if it does not exist.
    case conflict(RawDocument?)
  }

  /// A write and its result; its document stays locked until ``done(with:)`` or ``replan(_:as:)``.
  typealias Settled = (write: PendingWrite, settlement: Settlement)
}
