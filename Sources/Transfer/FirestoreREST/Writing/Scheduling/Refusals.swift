/// Recognizes an error that affects every write.
///
/// That is the case if nothing was ever written, and several whole chunks and then many single writes were refused with the
/// same status and message. Otherwise, each of N writes would have to be isolated by about two requests. Once a write
/// succeeds, errors are known to concern documents, which are then rejected one by one.
struct Refusals {
  /// The number of refused chunks and single writes that are required.
  static let (chunks, writes) = (3, 100)

  private var error: FirestoreError?
  private var (refusedChunks, refusedWrites) = (0, 0)
  private var hasSucceeded = false

  /// Records that a commit was applied.
  mutating func noteSuccess() { hasSucceeded = true }

  /// Records a refused chunk; returns true if the error affects every write.
  mutating func isHopeless(after error: FirestoreError, of chunk: CommitScheduler.Chunk) -> Bool {
    if hasSucceeded { return false }
    if self.error?.status != error.status || self.error?.message != error.message {
      self.error = error
      (refusedChunks, refusedWrites) = (0, 0)
    }
    if !chunk.isPart { refusedChunks += 1 }
    if chunk.writes.count == 1 { refusedWrites += 1 }
    return refusedChunks >= Self.chunks && refusedWrites >= Self.writes
  }

  /// The failure that affects every write.
  static func failure(_ error: FirestoreError, _ chunk: CommitScheduler.Chunk) -> Failure {
    Failure(
      .configuration,
      "write to",
      path: chunk.writes.first?.write.path.collection.string,
      cause: "the server refuses every write, and nothing was written: \(error)",
      remedy: "Check the endpoint, the database and what is written ('gymmigrate doctor').",
      service: error
    )
  }
}
