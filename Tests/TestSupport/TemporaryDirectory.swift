package import Foundation

/// Runs `body` with an empty temporary directory that is removed afterwards.
package func withTemporaryDirectory<R>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: (URL) async throws -> R
) async throws -> R {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("gymmigrate-test-\(UUID().uuidString)", isDirectory: true)
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  return try await body(url)
}
