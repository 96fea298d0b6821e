import Foundation
import TestSupport
import Testing

@Suite("--json: one JSON value on standard output, of every command", .timeLimit(.minutes(60)))
struct JSONOutputTests {
  private func value(_ result: RunResult, _ location: SourceLocation = #_sourceLocation) throws -> Any {
    #expect(result.output.hasSuffix("\n"), "\(result.errors)", sourceLocation: location)
    return try #require(
      try? JSONSerialization.jsonObject(with: Data(result.standardOutput)),
      "\(result.output)\(result.errors)",
      sourceLocation: location
    )
  }

  private func object(
    _ result: RunResult,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> [String: Any] {
    try #require(try value(result, location) as? [String: Any], sourceLocation: location)
  }

  @Test("Every command offers it.")
  func everyCommand() async throws {
    try await withTool { tool in
      let without = try await CommandLineTree.read(tool).commands.filter {
        // A script for a shell is no list and no result.
        !$0.names.contains("json") && $0.words != ["completion"]
      }
      #expect(without.map(\.words).isEmpty, "\(without.map { $0.words.joined(separator: " ") })")
    }
  }

  @Test("Commands that print lists or results for people print them as one value.")
  func lists() async throws {
    try await withMini(.withSamples(["users", "exercises"])) { tool, _ in
      try await tool.run("export", "exercises", "-o", "out/", "--format", "jsonl").expect(0)
      let objects: [([String], [String])] = [
        (["export", "users", "-o", "u.csv"] + tool.place, ["command", "collections", "totals"]),
        (["count", "users"] + tool.place, ["command", "collections", "totals"]),
        (["migrate", "plan", "users-unify"] + tool.place, ["command", "cost"]),
        (["migrate", "apply", "is-active"] + tool.place, ["command", "totals"]),
        (["migrate", "verify", "is-active"] + tool.place, ["command", "totals"]),
        (["migrate", "verify", "--run", "last"] + tool.place, ["command", "totals"]),
        (["migrate", "status"] + tool.place, ["lease", "runs"]),
        (["migrate", "undo", "last"] + tool.place, ["command", "totals"]),
        (["migrate", "unlock"] + tool.place, ["command", "lease"]),
        (["runs", "show", "last"], ["runId", "status", "totals"]),
        (["check"] + tool.place, ["findings", "rules", "command"]),
        (["doctor"] + tool.place, ["command", "exitCode", "checks"]),
        (["env", "show"] + tool.place, ["name", "protected", "signer"]),
        (["env", "init", "new.yaml"], ["command", "file"]),
        (["export-verify", "out"], ["command", "folders"]),
        (["export", "verify", "out"], ["command", "folders"]),
      ]
      for (command, members) in objects {
        let result = try await tool.bare(command + ["--json"])
        let found = try object(result)
        #expect(members.allSatisfy { found[$0] != nil }, "\(command): \(result.output)")
      }
      for command in [["runs", "list"], ["env", "list"], ["migrate", "list"], ["check", "--list-rules"]] {
        let result = try await tool.bare(command + ["--json"])
        #expect((try value(result) as? [[String: Any]])?.isEmpty == false, "\(command): \(result.output)")
      }
      #expect(
        try object(await tool.bare(["env", "init", "other.yaml", "--json"]))["file"] as? String
          == "other.yaml"
      )
    }
  }

  @Test("runs resume: the summary of the whole run, whether the run itself was to print it or not.")
  func resume() async throws {
    for given in [[], ["--json"]] {
      let mini = MiniFirestore()
      let kill = KillSwitch(mini.handler, delay: .zero)
      try await withTool(against: kill.handler) { tool, _ in
        let killed = try await kill.run(until: .commit(2, .after)) {
          try tool.startBare(
            ["import", Samples.file("exercises"), "--batch-size", "4", "--in-flight", "1"] + tool.place
              + given
          )
        }
        try #require(killed.signal == SIGKILL, "\(killed.errors)")
        let resumed = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
        let summary = try resumed.summary()
        #expect(summary.command == "import" && summary.status == "done" && summary.totals.written == 20)
        #expect(summary.runId == (try tool.lastRun()) && summary.totals.balance)
        let kept = try tool.text(".gymmigrate/runs/\(summary.runId)/summary.json")
        #expect(resumed.output.split(separator: "\n") == kept.split(separator: "\n"))
      }
    }
  }

  @Test("migrate unlock: whose lease it took away, and which run it cleared.")
  func unlock() async throws {
    let mini = try MiniFirestore.withSamples(["users"])
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, _ in
      let free = try object(await tool.run("migrate", "unlock", "--json"))
      #expect(free["lease"] is NSNull && free["cleared"] == nil && free["status"] as? String == "done")
      try await tool.runKilled(at: 5, by: kill, "migrate", "apply", "users-unify", "--batch-size", "10")
      let run = try tool.lastRun()
      let taken = try object(await tool.run("migrate", "unlock", "--json"))
      let lease = try #require(taken["lease"] as? [String: String])
      #expect(lease["runId"] == run && lease["holder"]?.contains("@") == true)
      let cleared = try object(await tool.run("migrate", "unlock", run, "--json"))
      #expect(cleared["cleared"] as? String == run && cleared["lease"] == nil)
      #expect(cleared["command"] as? String == "migrate unlock" && cleared["exitCode"] as? Int == 0)
    }
  }

  @Test("serve: where it is, once it is up.")
  func serve() async throws {
    try await withTool { tool in
      let server = try tool.startBare(["serve", "--port", "0", "--memory", "--json"])
      #expect(await server.waitForText("}\n", on: .output))
      let line = Data(server.text(.output).utf8)
      let json = try #require(JSONSerialization.jsonObject(with: line) as? [String: Any])
      var client = tool
      client.place = ["--project", "p"]
      client.environment = ["FIRESTORE_EMULATOR_HOST": try #require(json["emulatorHost"] as? String)]
      #expect(try await client.run("count", "users").output == "users\t0\n")
      #expect(json["endpoint"] as? String == "http://\(json["emulatorHost"] as? String ?? "")")
      #expect(json["file"] is NSNull && json["command"] as? String == "serve")
      server.send(SIGTERM)
      _ = await server.wait()
    }
  }
}
