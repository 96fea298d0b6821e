import Files

/// Runs bodies one after the other, in the order of the calls.
package final class Turns: Sendable {
  private let last = Locked<Task<Void, any Error>?>(nil)

  package init() {}

  /// - Throws: The errors of `body`; `CancellationError` if the task was cancelled before its turn.
  package func take(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = last.withLock { last in
      let before = last
      let task = Task {
        _ = await before?.result
        try Task.checkCancellation()
        try await body()
      }
      last = task
      return task
    }
    try await task.cancellingValue
  }
}
