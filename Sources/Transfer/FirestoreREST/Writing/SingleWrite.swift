import Files

extension FirestoreClient {
  /// Performs a single write, with the retries of ``BatchWriter``; the document is read back if a response is lost.
  ///
  /// - Returns: Written, rejected, or conflicted if the document does not match the precondition.
  /// - Throws: ``Failure`` after all retries.
  package func perform(_ write: Write) async throws -> WriteResult {
    let delegate = SingleWriteDelegate()
    try await BatchWriter.run(
      self,
      limits: BatchLimits(maximumWrites: 1, maximumInFlight: 1, interruptionGrace: 1),
      pacer: WritePacer(ramp: false),
      delegate: delegate
    ) { writer in try await writer.submit(write) }
    return delegate.result.withLock { $0 } ?? .conflicted
  }
}

private struct SingleWriteDelegate: BatchDelegate {
  let result = Locked<WriteResult?>(nil)

  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure) {
    self.result.withLock { $0 = result }
  }

  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution { .settle(.conflicted) }
}
