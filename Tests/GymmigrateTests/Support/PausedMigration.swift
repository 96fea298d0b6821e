import TestSupport
import Testing

/// The program while a migration of the samples' users is at work: the server has the first commit of users and does not
/// answer it before `body` is through.
///
/// Then the migration is released, and it ends in 2.
func withPausedMigration(
  _ migration: String,
  _ body: (Tool) async throws -> Void,
  afterwards: (Tool) async throws -> Void = { _ in }
) async throws {
  let mini = try MiniFirestore.withSamples(["users"])
  let (reached, goOn) = (Later<Bool>(), Later<Bool>())
  let handler: RequestHandler = { request in
    if request.kind == .commit, request.text.contains("/documents/users/") {
      reached.set(true)
      _ = goOn.get()
    }
    return mini.handler(request)
  }
  try await withTool(against: handler) { tool, _ in
    var tool = tool
    // The server waits for what is asked meanwhile.
    tool.isGated = false
    let process = try tool.start("migrate", "apply", migration)
    #expect(await reached.value() == true)
    defer { goOn.set(true) }
    try await body(tool)
    goOn.set(true)
    await process.wait().expect(2)
    try await afterwards(tool)
  }
}
