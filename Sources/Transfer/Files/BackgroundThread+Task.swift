import Platform

extension BackgroundThread {
  /// Does what blocks on a thread of its own, which learns from its argument that the task was cancelled.
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
