import Foundation
import TestSupport
import Testing

@Suite("A service that does not serve", .timeLimit(.minutes(60)))
struct BadServiceTests {
  /// The commands that call a service, each with what it leaves to resume.
  private func commands(_ tool: Tool) throws -> [[String]] {
    let file = try tool.write(Samples.first(3, of: "exercises"), to: "few.jsonl")
    return [
      ["import", file], ["migrate", "apply", "users-unify"], ["migrate", "plan", "users-unify"],
      ["export", "users", "-o", "users.csv"], ["count", "users"],
    ]
  }

  /// Runs every command, each of which must fail with a code and one line.
  private func expectAll(
    _ code: Int32,
    _ texts: String...,
    handler: @escaping RequestHandler,
    options: [String] = ["--retry-for", "3"]
  ) async throws {
    try await withTool(against: handler) { tool, _ in
      for command in try commands(tool) {
        // Less than any timeout of a single request.
        let result = try await tool.bare(command + tool.place + options, timeout: .seconds(1800)).expect(code)
        #expect(result.complaints.count == 1, "\(command): \(result.errors)")
        for text in texts {
          #expect(result.complaints.first?.contains(text) ?? false, "\(text): \(result.errors)")
        }
        if command[0] != "count" {
          // What writes is resumed; what reads begins again.
          let writes = command[0] == "import" || command.contains("apply")
          let again =
            writes ? "runs resume \(tool.runs().last?.split(separator: "/").last ?? "?")" : command[0]
          #expect(result.lastLine.hasPrefix("To resume: gymmigrate \(again)"), "\(result.errors)")
        }
        #expect(!tool.exists("users.csv"))
      }
    }
  }

  @Test("A server that is down is unavailable once the budget is spent.")
  func down() async throws {
    try await withTool { tool in
      var tool = tool
      // A port that was free a moment ago.
      let gone = try await HTTPTestServer.withServer({ _ in .stall }) { $0.url }
      tool.place = ["--project", "p", "--endpoint", gone, "--retry-for", "2"]
      let result = try await tool.run("count", "users")
      result.expectFailure(69, "users")
      let file = try tool.write(Samples.first(1, of: "exercises"), to: "few.jsonl")
      let imported = try await tool.run("import", file)
      imported.expectFailure(69)
      let run = tool.runs().last?.split(separator: "/").last ?? "?"
      #expect(imported.lastLine == "To resume: gymmigrate runs resume \(run)")
    }
  }

  @Test("A server that takes requests and never answers costs no more than the budget.")
  func stalled() async throws {
    try await expectAll(69, handler: { _ in .stall }, options: ["--retry-for", "2"])
  }

  @Test(
    "A server that goes silent in the middle costs no more than the budget, and the command of the last line resumes."
  )
  func silent() async throws {
    let cases: [(arguments: [String], kind: RequestKind, from: Int, exitCode: Int32)] = [
      (["import", Samples.file("users"), "--batch-size", "20", "--in-flight", "3"], .commit, 3, 0),
      (["migrate", "apply", "users-unify", "--batch-size", "20", "--in-flight", "3"], .commit, 6, 2),
      (["export", "users", "-o", "users.jsonl", "--page-size", "100"], .list, 3, 0),
    ]
    for (arguments, kind, from, exitCode) in cases {
      for fault in [Fault.stall, .stallAfterApplying] {
        let mini = try arguments[0] == "import" ? MiniFirestore() : MiniFirestore.withSamples(["users"])
        let faults = mini.faults(FaultRule([kind], .from(from), fault), maximumConsecutive: .max)
        try await withTool(against: faults.handler) { tool, _ in
          let result = try await tool.bare(arguments + tool.place + ["--json", "--retry-for", "4"]).expect(69)
          let summary = try result.summary()
          // One request alone would be waited for for 75 s.
          #expect(summary.durationSeconds < 60)
          #expect(result.lastLine == "To resume: \(summary.resumeCommand ?? "?")")
          #expect(summary.totals.written <= mini.totalChanges)
          if summary.totals.written < mini.totalChanges {
            #expect(
              summary.error?.contains("it is not known whether") == true,
              "\(result.errors)"
            )
          }
          #expect(!tool.exists("users.jsonl"))
          faults.setOn(false)
          // Quoted for a shell, and nothing of it has a space.
          let words = (summary.resumeCommand ?? "").filter { $0 != "'" && $0 != "\\" }.split(separator: " ")
          let again = words.dropFirst().map(String.init)
          try await tool.bare(again).expect(exitCode)
          for (name, changes) in mini.changedDocuments { #expect(changes == 1, "\(name)") }
        }
      }
    }
  }

  @Test("A proxy's page instead of an answer", arguments: [200, 403, 407, 502, 503])
  func html(_ status: Int) async throws {
    try await expectAll(69, handler: { _ in .html(status) })
  }

  @Test("PERMISSION_DENIED is not permitted, and not asked for again.")
  func permissionDenied() async throws {
    let mini = MiniFirestore()
    let faults = mini.faults(FaultRule([], .always, .error(.permissionDenied)), maximumConsecutive: .max)
    try await expectAll(77, "PERMISSION_DENIED", handler: faults.handler, options: [])
  }

  @Test("A database that does not exist")
  func missingDatabase() async throws {
    var options = MiniFirestore.Options()
    options.database = "another"
    try await expectAll(78, "NOT_FOUND", handler: MiniFirestore(options).handler, options: [])
  }

  @Test("A quota that stays spent is for another time.")
  func quota() async throws {
    let mini = MiniFirestore()
    let faults = mini.faults(FaultRule([], .always, .error(.resourceExhausted)), maximumConsecutive: .max)
    try await expectAll(75, "RESOURCE_EXHAUSTED", handler: faults.handler)
  }

  @Test("Only the writes are refused: nothing is said to be done.")
  func writesRefused() async throws {
    let mini = try MiniFirestore.withSamples(["users"])
    let faults = mini.faults(
      FaultRule([.commit], .always, .error(.permissionDenied)),
      maximumConsecutive: .max
    )
    let before = mini.snapshot()
    try await withTool(against: faults.handler) { tool, _ in
      let result = try await tool.run("migrate", "apply", "users-unify", "--json")
      result.expectFailure(77)
      let summary = try result.summary()
      #expect(summary.status == "failed")
      #expect(summary.exitCode == 77)
      #expect(summary.totals.written == 0)
      #expect(summary.error != nil)
      #expect(mini.snapshot() == before)
    }
  }

  @Test("A token that is refused for good is a matter of configuration.")
  func unauthenticated() async throws {
    let mini = MiniFirestore()
    let faults = mini.faults(FaultRule([], .always, .error(.tokenExpired)), maximumConsecutive: .max)
    try await expectAll(78, handler: faults.handler, options: [])
  }
}
