import FirestoreModels
import Testing

/// Runs every test of a suite twice: with the parser of this platform, and with the one of platforms without simdjson.
struct BothParsers: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await function()
    try await JSONParser.$isPortable.withValue(true) { try await function() }
  }
}

extension Trait where Self == BothParsers {
  static var bothParsers: BothParsers { BothParsers() }
}
