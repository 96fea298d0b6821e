import Foundation
import TestSupport
import Testing

@Suite("What is written where", .timeLimit(.minutes(60)))
struct OutputContractTests {
  /// A server with a few collections that wants a token; the tool signs with a file.
  private func withSigned(
    _ mini: MiniFirestore,
    _ body: (Tool) async throws -> Void
  ) async throws {
    let faults = ScriptedFaults(
      { request in
        guard request.header("Authorization") == "Bearer top-secret-token" else {
          return .response(ServiceError.permissionDenied.response(for: request.kind))
        }
        return mini.handler(request)
      },
      rules: [
        FaultRule([.list, .commit], .every(4), .error(.unavailable)),
        FaultRule([.commit], .number(3), .dropAfterApplying),
      ]
    )
    try await withTool(against: faults.handler) { tool, _ in
      var tool = tool
      try tool.write("top-secret-token\n", to: "token")
      tool.place += ["--access-token-file", "token"]
      try await body(tool)
    }
  }

  @Test("With --json, standard output is the one summary, and its identity holds.")
  func summaries() async throws {
    let mini = try MiniFirestore.withSamples(["users", "user_emails", "members"])
    try await withSigned(mini) { tool in
      for (arguments, name, reads) in [
        (["count", "users", "members"], "count", 820), (["export", "users", "-o", "u.csv"], "export", 400),
        (["migrate", "plan", "users-unify"], "migrate plan users-unify", 400),
        (["import", Samples.file("exercises"), "--dry-run"], "import", 20),
        (["import", Samples.file("exercises")], "import", 20),
        (["migrate", "apply", "users-unify", "user-emails"], "migrate apply users-unify user-emails", 1005),
      ] {
        let result = try await tool.bare(arguments + tool.place + ["--json"])
        let summary = try result.summary()
        #expect(summary.command == name)
        #expect(summary.exitCode == result.exitCode)
        #expect(summary.status == (result.exitCode == 2 ? "incomplete" : "done"))
        #expect(summary.environment.project == "test-project")
        #expect(summary.environment.database == "(default)")
        #expect(summary.environment.endpoint.hasPrefix("http://127.0.0.1:"))
        #expect(summary.totals.read == reads, "\(name)")
        #expect(summary.requests > 0 && summary.bytesIn > 0)
        #expect(summary.startedAt.hasSuffix("Z"))
        #expect(summary.resumeCommand == nil)
        if name == "export" { #expect(summary.readTime != nil && summary["users"] != nil) }
        if name.hasPrefix("import") || name.contains("apply") {
          #expect(summary.totals.balance)
          #expect(summary.collections.allSatisfy { $0.counts.balance })
        }
        // The run's own copy is the same object.
        if name != "count" {
          let copy = try tool.text(".gymmigrate/runs/\(summary.runId)/summary.json")
          #expect(copy == result.output)
        }
      }
    }
  }

  @Test(
    "Without --json, standard output is data alone: nothing of an export to a file, the rows of one to -."
  )
  func data() async throws {
    try await withSigned(.withSamples(["products", "exercises"])) { tool in
      let file = try await tool.run("export", "products", "-o", "p.csv").expect(0)
      #expect(file.output.isEmpty)
      let piped = try await tool.run("export", "products", "-o", "-", "--format", "csv").expect(0)
      #expect(try piped.output == tool.text("p.csv"))
      let lines = try await tool.run("export", "products", "-o", "-", "--format", "jsonl")
      #expect(try lines.output == Samples.text("products"))
      let counted = try await tool.run("count", "products", "exercises")
      #expect(counted.output == "products\t24\nexercises\t20\n")
      let imported = try await tool.run("import", Samples.file("app_config"))
      #expect(imported.output.isEmpty)
      #expect(imported.errors.contains("1 read, 1 written"))
    }
  }

  @Test("-q says nothing when all went well, and still says what went wrong.")
  func quiet() async throws {
    try await withSigned(.withSamples(["products"])) { tool in
      let exported = try await tool.run("export", "products", "-o", "p.csv", "-q").expect(0)
      #expect(exported.errors.isEmpty)
      let imported = try await tool.run("import", Samples.file("app_config"), "-q").expect(0)
      #expect(imported.errors.isEmpty)
      try await tool.run("import", "nowhere.jsonl", "-q").expectFailure(66, "nowhere.jsonl")
      let empty = try await tool.run("export", "ghosts", "-o", "g.csv", "-q")
      #expect(empty.errors.contains("ghosts"))
    }
  }

  @Test("A database whose id the service refuses is a matter of the settings.")
  func databaseID() async throws {
    try await withTool { tool in
      for id in ["gym", "Members", "members-", "members_2", "7members", "(other)"] {
        try await tool.bare(["count", "users", "-e", "local", "--database", id])
          .expectFailure(78, "'\(id)' is not a valid database id", "4 to 63 small letters")
        let doctor = try await tool.bare(["doctor", "-e", "local", "--database", id]).expect(78)
        #expect((doctor.output + doctor.errors).contains("4 to 63 small letters"), "\(doctor.output)")
      }
      try await tool.bare(["count", "users", "-e", "local", "--database", "gyms"]).expect(0)
    }
  }

  @Test("--log-format json makes every line of the log an object, errors too.")
  func jsonLog() async throws {
    try await withSigned(.withSamples(["users", "products"])) { tool in
      for arguments in [
        ["export", "products", "ghosts", "-o", "out/", "--format", "csv"],
        ["migrate", "apply", "users-unify"],
        ["import", Samples.file("exercises"), "-v"],
        ["export", "products", "-o", "p.csv", "--database", "other"],
      ] {
        let result = try await tool.bare(
          arguments + tool.place + ["--log-format", "json", "--retry-for", "5"]
        )
        #expect(!result.errorLines.isEmpty)
        for line in result.errorLines {
          let json = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
          let object = try #require(json, "\(line)")
          #expect(object["level"] is String && object["message"] is String && object["time"] is String)
        }
      }
    }
  }

  @Test("So does it with refusals before a run begins, those of the command line, and lines beside the log.")
  func jsonRefusals() async throws {
    func levels(_ result: RunResult) throws -> [String] {
      try result.errorLines.map { line in
        let json = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let object = try #require(json, "\(line)")
        #expect(object["time"] is String && !(object["message"] as? String ?? "error: ").hasPrefix("error: "))
        return try #require(object["level"] as? String)
      }
    }
    try await withTool { tool in
      let refusals: [(Int32, [String])] = [
        (64, ["count"]), (64, ["count", "users", "-e", "local", "--frobnicate"]), (64, ["frobnicate"]),
        (66, ["import", "missing.jsonl", "-e", "local"]), (78, ["count", "users", "-e", "elsewhere"]),
        (73, ["export", "users", "-e", "local", "-o", "missing/x.csv"]),
        (77, ["import", try tool.write("{}", to: "in.jsonl"), "-e", "prod"]),
      ]
      var variable = tool
      variable.environment["GYMMIGRATE_LOG_FORMAT"] = "json"
      for (code, words) in refusals {
        for result in [
          try await tool.bare(words + ["--log-format", "json"]),
          try await tool.bare(words + ["--log-format=json", "--color", "always"]),
          try await variable.bare(words),
        ] { #expect(try levels(result.expect(code)).last == "error", "\(words): \(result.errors)") }
      }
      #expect(try levels(await variable.bare(["runs", "list"]).expect(0)) == ["notice"])
    }
  }

  @Test(
    "No token and nothing of a person in what is said, logged or summed up.",
    arguments: [["-v"], ["-vv"], []]
  )
  func secrets(_ verbosity: [String]) async throws {
    let personal = try Samples.personal()
    #expect(personal.count > 500)
    try await withSigned(.withSamples(["users", "user_emails"])) { tool in
      let users = try tool.write(
        Samples.text("users").replacingOccurrences(of: "\"isActive\"", with: "\"__bad__\""),
        to: "users.jsonl"
      )
      for arguments in [
        ["import", users, "--mode", "upsert"], ["import", Samples.file("members")],
        ["migrate", "plan", "--all", "--json"],
        ["migrate", "apply", "--all", "--json"], ["export", "users", "-o", "u.csv"],
      ] {
        let result = try await tool.bare(arguments + tool.place + verbosity)
        #expect(result.exitCode == 0 || result.exitCode == 2, "\(result.errors.suffix(1000))")
        var said = [result.errors]
        if arguments.last == "--json" { said.append(result.output) }
        let run = try #require(tool.runs().last)
        said.append(try tool.text("\(run)/operation.log"))
        said.append(try tool.text("\(run)/summary.json"))
        for text in said {
          #expect(!text.contains("top-secret-token"))
          // A document's path is no personal datum, but for the index, whose ids are addresses.
          let found = personal.filter { text.contains($0) }
          #expect(found.isEmpty, "\(arguments.prefix(3)): \(found.prefix(3))")
        }
      }
    }
  }

  @Test("A run's folder holds its log, its summary and its lists, for its owner alone.")
  func runFolder() async throws {
    try await withSigned(.withSamples(["users", "user_emails"])) { tool in
      try await tool.run("migrate", "plan", "users-unify").expect(0)
      try await tool.run("migrate", "apply", "users-unify").expect(2)
      try await tool.run("export", "users", "-o", "u.csv").expect(0)
      let runs = tool.runs()
      #expect(runs.count == 3)
      let expected = [
        [
          "findings.csv", "findings.jsonl", "operation.log", "plan.jsonl", "rejects.jsonl", "review.csv",
          "run.json",
          "summary.json",
        ],
        [
          "billed.json", "checkpoint.json", "findings.csv", "findings.jsonl", "journal.jsonl",
          "operation.log",
          "rejects.jsonl",
          "review.csv", "run.json", "summary.json",
        ],
        ["operation.log", "run.json", "summary.json"],
      ]
      for (run, names) in zip(runs, expected) {
        #expect(tool.names(in: run) == names)
        for path in [".gymmigrate", ".gymmigrate/runs", run] + names.map({ "\(run)/\($0)" }) {
          let attributes = try FileManager.default.attributesOfItem(atPath: tool.path(path))
          let mode = try #require(attributes[.posixPermissions] as? Int)
          #expect(mode & 0o077 == 0, "\(path)")
        }
      }
      // Every line of a list is what it says to be.
      for name in ["plan.jsonl", "rejects.jsonl"] {
        // A plan has an end.
        let ends = name == "plan.jsonl" ? 1 : 0
        for line in try tool.text("\(runs[0])/\(name)").split(separator: "\n").dropLast(ends) {
          let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
          #expect((json?["path"] as? String)?.hasPrefix("users/") ?? false)
        }
      }
      let rows = try await Judge.script(
        """
        import csv, sys
        rows = list(csv.reader(open(sys.argv[1], encoding="utf-8-sig", newline=""), strict=True))
        assert all(len(row) == len(rows[0]) for row in rows)
        print(",".join(rows[0])); print(len(rows) > 10)
        """,
        tool.path("\(runs[0])/review.csv")
      )
      #expect(rows.hasPrefix("document,migration,code,field,found,"))
      #expect(rows.hasSuffix("True\n"))
      // Several migrations in one run share the lists, under one header.
      try await tool.run("migrate", "plan", "--all").expect(0)
      let all = try tool.text(#require(tool.runs().last) + "/review.csv")
      #expect(all.components(separatedBy: "\"document\",").count == 2)
      #expect(all.contains("\"users-unify\"") && all.contains("\"user-emails\""))
      let findings = try tool.text(#require(tool.runs().last) + "/findings.csv")
      #expect(findings.components(separatedBy: "\"document\",\"migration\",\"code\",").count == 2)
      #expect(try tool.text("\(runs[0])/review.csv") == tool.text("\(runs[1])/review.csv"))
    }
  }

  @Test("The embedded store is told as such.")
  func localEndpoint() async throws {
    try await withTool { tool in
      let summary = try await tool.run("import", Samples.file("exercises"), "--json").summary()
      #expect(summary.environment.name == "local")
      #expect(!summary.environment.endpoint.contains("googleapis"))
    }
  }
}
