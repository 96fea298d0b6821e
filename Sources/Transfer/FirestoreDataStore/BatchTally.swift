import Files
import FirestoreREST

/// Counts the writes of a batch, and collects those that were refused.
struct BatchTally: BatchDelegate {
  static let conflict = FirestoreError(.aborted, "the document changed each time that it was to be written")

  private let state = Locked((written: 0, rejections: [FirestoreWriteError.Rejection]()))

  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure) {
    state.withLock { state in
      switch result {
      case .written, .unchanged, .skipped: state.written += 1
      case .rejected(let error): state.rejections.append(.init(id: write.path.id, error: error))
      case .conflicted: state.rejections.append(.init(id: write.path.id, error: Self.conflict))
      }
    }
  }

  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution { .settle(.conflicted) }

  /// Returns the number of writes that were made.
  ///
  /// - Throws: ``FirestoreWriteError`` if others were refused.
  func result() throws -> Int {
    let (written, rejections) = state.withLock { $0 }
    if rejections.isEmpty { return written }
    throw FirestoreWriteError(written: written, rejections: rejections)
  }
}
