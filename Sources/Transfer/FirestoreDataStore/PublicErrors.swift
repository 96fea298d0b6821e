extension Failure {
  /// The error for users of the library.
  ///
  /// Remedies are left out, because they refer to the command line.
  fileprivate var asPublic: any Error {
    if kind == .interrupted { return CancellationError() }
    if let service { return service }
    let text = ["cannot", operation, path].compactMap { $0 }.joined(separator: " ") + ": " + cause
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    switch kind {
    case .unavailable, .tryLater: return FirestoreConnectionError(.unavailable, line)
    case .internal, .inputMalformed: return FirestoreConnectionError(.unexpectedAnswer, line)
    default: return FirestoreConnectionError(.configuration, line)
    }
  }
}

/// Calls `body`, and throws a public error or `CancellationError` instead of a ``Failure``.
func rethrowingPublicErrors<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let failure as Failure {
    throw failure.asPublic
  }
}

/// Calls `body`, and throws a public error or `CancellationError` instead of a ``Failure``.
func rethrowingPublicErrors<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Result
) async throws -> Result {
  do {
    return try await body()
  } catch let failure as Failure {
    throw failure.asPublic
  }
}
