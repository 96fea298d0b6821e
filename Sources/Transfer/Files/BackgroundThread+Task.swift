import Platform

extension BackgroundThread {
  /// Runs blocking work on a separate thread, passing a function that returns whether the task was cancelled.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: () -> Bool) -> Value
  ) async -> Value {
    let isCancelled = Locked(false)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        start { continuation.resume(returning: body { isCancelled.withLock { $0 } }) }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }
}
