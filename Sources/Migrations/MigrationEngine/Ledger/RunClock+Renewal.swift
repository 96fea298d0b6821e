package import FirestoreREST

extension RunClock {
  /// Runs `body`, calling `renew` at regular intervals meanwhile.
  ///
  /// - Throws: The first error of either.
  package func renewing<Result: Sendable>(
    every seconds: Double,
    _ renew: @escaping @Sendable () async throws -> Void,
    while body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        do {
          while true {
            try await sleep(seconds)
            try await renew()
          }
        } catch  where Task.isCancelled {
          // The body reports an interruption.
          return nil
        }
      }
      defer { group.cancelAll() }
      while let result = try await group.next() {
        if let result { return result }
      }
      throw CancellationError()
    }
  }
}
