import Foundation
import TestSupport
import Testing

@Suite("Bad input is met with one line, the right code, and nothing changed", .timeLimit(.minutes(60)))
struct BadInputTests {
  /// Against a server whose database must be the same afterwards.
  private func withUnchanged(
    _ mini: MiniFirestore? = nil,
    _ body: (Tool, HTTPTestServer) async throws -> Void
  ) async throws {
    let mini = try mini ?? MiniFirestore.withSamples(["app_config", "exercises"])
    let before = mini.snapshot()
    try await withTool(against: mini.handler, body)
    #expect(mini.totalWrites == 0)
    #expect(mini.snapshot() == before)
  }

  // MARK: Files

  @Test("CSV that is read as JSON Lines is told from them, and its format is named; damaged JSON is not.")
  func tableAsLines() async throws {
    try await withTool { tool in
      let said = " is read as JSON Lines. For CSV, add --format csv."
      let line = ["-n", "--schema", "none"] + tool.place
      for table in ["id,n\n1,2\n", "\u{FEFF}id;n\n1;2\n", "\"id\"\t\"n\"\n1\t2\n"] {
        try await tool.bare(["import", "-"] + line, input: Array(table.utf8))
          .expectFailure(65, "Standard input\(said)")
        try tool.write(table, to: "things.jsonl")
        try await tool.bare(["import", "things.jsonl"] + line).expectFailure(65, "It\(said)")
      }
      let read = ["--format", "csv", "--collection", "things", "--id-column", "id"]
      try await tool.bare(["import", "-"] + line + read, input: Array("id,n\n1,2\n".utf8)).expect(0)
      let plain = "[\n{\"id\":\"1\",\"n\":2}\n]\n"
      for text in [plain, "{\"id\":\"1\",\"n\":2}\n"] {
        try await tool.bare(["import", "-"] + line, input: Array(text.utf8))
          .expectFailure(65, "Standard input is read as JSON Lines. For other JSON, add --format json.")
      }
      let json = ["--format", "json", "--collection", "things", "--id-column", "id"]
      try await tool.bare(["import", "-"] + line + json, input: Array(plain.utf8)).expect(0)
      let damaged = "{\"name\":\"a/b\",\"fields\":{},}\n"
      let refused = try await tool.bare(["import", "-"] + line, input: Array(damaged.utf8))
      refused.expectFailure(65, "line 1")
      #expect(!refused.errors.contains("is read as JSON Lines"), "\(refused.errors)")
    }
  }

  @Test("JSON in UTF-16 is named as such.", arguments: ["things.json", "things.jsonl"])
  func wideJSON(_ name: String) async throws {
    try await withTool { tool in
      let text = "[{\"id\":\"a\",\"n\":1}]\n"
      for mark in ["\u{FEFF}", ""] {
        let bytes = (mark + text).utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        try Data(bytes).write(to: tool.folder.appendingPathComponent(name))
        let line = ["import", name, "--schema", "none", "--id-column", "id", "-n"] + tool.place
        try await tool.bare(line).expectFailure(65, "it is UTF-16", "Save it as UTF-8")
      }
    }
  }

  @Test("A malformed line is told by file and number, and nothing is imported.")
  func malformedLine() async throws {
    try await withUnchanged { tool, server in
      let good = try Samples.first(3, of: "products")
      for bad in [
        #"{"fields":{"a":{"integerValue":"1"},"name":"products/x"}"#, "not json", #"{"fields":{}}"#,
      ] {
        try tool.write(good + bad + "\n" + (try Samples.first(1, of: "classes")), to: "bad.jsonl")
        let result = try await tool.run("import", "bad.jsonl")
        result.expectFailure(65, "bad.jsonl", "line 4")
      }
      // The second file of two: the first one, of many batches, is not imported either.
      try await tool.run("import", Samples.file("users"), "bad.jsonl").expectFailure(
        65,
        "bad.jsonl",
        "line 4"
      )
      try tool.write(Samples.text("users") + "{]\n", to: "late.jsonl")
      try await tool.run("import", "late.jsonl").expectFailure(65, "late.jsonl", "line 401")
      #expect(server.requests(.commit).isEmpty)
    }
  }

  @Test(
    "Malformed lines are skipped where it is asked for: the others are imported, and the command ends in 2."
  )
  func skippedLine() async throws {
    try await withMini { tool, mini in
      try tool.write(
        Samples.first(2, of: "products") + "{\n" + Samples.first(1, of: "classes"),
        to: "bad.jsonl"
      )
      let result = try await tool.run("import", "bad.jsonl", "--parse-errors", "skip-row", "--json").expect(2)
      #expect(
        try result.summary().totals
          == .init(
            read: 4,
            created: 0,
            written: 3,
            unchanged: 0,
            skipped: 0,
            superseded: 0,
            rejected: 1,
            conflicted: 0,
            review: 0,
            deleted: 0,
            new: 3
          )
      )
      #expect(mini.snapshot().count == 3)
      let rejects = try tool.text(#require(tool.runs().last) + "/rejects.jsonl")
      #expect(rejects.contains("line-3") && rejects.contains("MALFORMED"))
    }
  }

  @Test("Of plain JSON a member is left out, or its object, and both are listed by the document.")
  func skippedMembers() async throws {
    let mini = MiniFirestore()
    for id in ["a", "b"] { try mini.put("t/\(id)", fields: #"{"y":{"integerValue":"5"}}"#) }
    try await withTool(against: mini.handler) { tool, _ in
      // The second object is read to its end in spite of its first member.
      try tool.write(
        #"[{"id":"a","y":1,"n":1},{"id":"b","y":"eight","m":{"k":"x"},"o":{"k":"x","l":1},"z":2},{"id":"c","n":3}]"#,
        to: "t.json"
      )
      func run(_ policy: String, _ more: String...) async throws -> RunResult {
        let types = ["--types", "y=integer,z=double,m.k=integer,o.k=integer"]
        let reading = ["--id-column", "id", "--parse-errors", policy] + types
        let words = ["import", "t.json", "--schema", "none", "--mode", "upsert", "--json"] + reading
        return try await tool.bare(words + more + tool.place.dropFirst(2))
      }
      func rejected() throws -> [String?] {
        let list = try tool.list("rejects.jsonl", of: tool.lastRun())
        #expect(list.allSatisfy { "\($0["message"] ?? "")".contains("y: expected a whole number") })
        #expect(list.allSatisfy { "\($0["message"] ?? "")".contains("m.k: expected a whole number") })
        return list.map { $0["path"] as? String }
      }
      let rows = try await run("skip-row", "-n")
      rows.expect(2)
      #expect(try rows.summary().totals.rejected == 1 && rejected() == ["t/b"])

      let fields = try await run("skip-field")
      fields.expect(2)
      let totals = try fields.summary().totals
      #expect(totals.written == 3 && totals.review == 1 && totals.rejected == 0, "\(fields.output)")
      #expect(try rejected() == ["t/b"])
      let kept = try #require(mini.document("t/b")).fields()
      // What else is in a map stays in it.
      #expect("\(kept["o"] ?? "")".contains("l") && !"\(kept["o"] ?? "")".contains("x"))
      // The stored value stays, as it does of a table.
      #expect("\(kept["y"] ?? "")".contains("5") && "\(kept["z"] ?? "")".contains("2") && kept["m"] == nil)
    }
  }

  @Test("A type for a member that no object has is refused, also beside an object without an id.")
  func misspeltType() async throws {
    try await withTool { tool in
      try tool.write(#"[{"id":"a","y":6},{"y":9}]"#, to: "t.json")
      let words = [
        "--schema", "none", "--id-column", "id", "--types", "q=integer", "--parse-errors", "skip-row",
      ]
      try await tool.bare(["import", "t.json"] + words + ["-e", "local"]).expectFailure(
        65,
        "no object has a member 'q'"
      )
    }
  }

  @Test("What skip-field leaves out of JSON Lines is listed with the whole document.")
  func skippedFields() async throws {
    try await withTool { tool in
      let products = try Samples.first(2, of: "products")
      try tool.write(products.replacing(#""integerValue""#, with: #""stringValue""#), to: "a.jsonl")
      let words = ["--validate", "reject", "--parse-errors", "skip-field", "--json"]
      let result = try await tool.bare(["import", "a.jsonl"] + words + tool.place).expect(2)
      let totals = try result.summary().totals
      let list = try tool.list("rejects.jsonl", of: tool.lastRun())
      #expect(list.count == 2 && totals.review + totals.rejected == 2, "\(result.output)")
      #expect(list.allSatisfy { $0["document"] != nil })
    }
  }

  @Test("A missing input file")
  func missingInput() async throws {
    try await withUnchanged { tool, server in
      try tool.write(Samples.first(1, of: "classes"), to: "good.jsonl")
      try await tool.run("import", "good.jsonl", "nowhere.jsonl").expectFailure(66, "nowhere.jsonl")
      #expect(server.requests.isEmpty)
    }
  }

  @Test(
    "An output that cannot be written is found out before anything is asked of the server.",
    arguments: [
      ["users", "-o", "missing/users.csv"], ["--all", "-o", "missing/gym.xlsx"],
      ["--all", "-o", "file.txt/", "--format", "jsonl"], ["users", "-o", "file.txt/users.csv"],
      ["--all", "-o", "file.txt", "--format", "csv"],
    ]
  )
  func unwritableOutput(_ arguments: [String]) async throws {
    try await withUnchanged { tool, server in
      try tool.write("here already", to: "file.txt")
      let result = try await tool.bare(["export"] + arguments + tool.place)
      result.expectFailure(73, arguments.contains("missing/gym.xlsx") ? "missing" : "")
      #expect(server.requests.isEmpty)
      #expect(try tool.text("file.txt") == "here already")
    }
  }

  @Test("An export that fails leaves the file of before as it was, and nothing beside it.")
  func failedExport() async throws {
    let mini = try MiniFirestore.withSamples(["users"])
    let faults = mini.faults(FaultRule([.list], .numbers([4, 5, 6, 7, 8]), .error(.permissionDenied)))
    try await withTool(against: faults.handler) { tool, _ in
      for format in ["csv", "xlsx", "jsonl"] {
        try tool.write("of yesterday", to: "users.\(format)")
        try await tool.run("export", "users", "-o", "users.\(format)", "--page-size", "50").expectFailure(77)
        #expect(try tool.text("users.\(format)") == "of yesterday")
      }
      #expect(tool.names(in: ".") == [".gymmigrate", "users.csv", "users.jsonl", "users.xlsx"])
    }
  }

  @Test("A state folder that cannot be made")
  func stateDirectory() async throws {
    try await withUnchanged { tool, server in
      try tool.write("a file", to: "state")
      let file = try tool.write(Samples.first(1, of: "classes"), to: "good.jsonl")
      try await tool.run("import", file, "--state-dir", "state").expectFailure(73, "state")
      try await tool.run("export", "users", "-o", "u.csv", "--state-dir", "no/such").expectFailure(
        73,
        "no/such"
      )
      #expect(server.requests.isEmpty)
    }
  }

  // MARK: Environments and credentials

  @Test("An unknown environment: the known ones are listed.")
  func unknownEnvironment() async throws {
    try await withTool { tool in
      for command in [
        ["count", "users"], ["migrate", "apply", "--all"], ["export", "users", "-o", "u.csv"],
      ] {
        let result = try await tool.bare(command + ["-e", "nowhere"])
        result.expectFailure(78, "nowhere", "test", "stage", "prod", "legacy", "local")
      }
    }
  }

  @Test("No environment at all")
  func noEnvironment() async throws {
    try await withTool { tool in
      try await tool.bare(["count", "users"]).expectFailure(64, "test", "local")
    }
  }

  @Test("A credentials file that is not there")
  func missingCredentials() async throws {
    try await withUnchanged { tool, server in
      let file = try tool.write(Samples.first(1, of: "classes"), to: "good.jsonl")
      try await tool.run("import", file, "--credentials", "no-key.json").expectFailure(78, "no-key.json")
      var named = tool
      named.environment = ["GOOGLE_APPLICATION_CREDENTIALS": "other-key.json"]
      try await named.run("import", file).expectFailure(
        78,
        "other-key.json",
        "GOOGLE_APPLICATION_CREDENTIALS"
      )
      #expect(server.requests.isEmpty)
    }
  }

  @Test(
    "Credentials that cannot be used",
    arguments: [
      ("not json", ""), ("[]", ""), ("{}", "'type'"), (#"{"type":"external_account"}"#, "'audience'"),
      (#"{"type":"gdch_service_account"}"#, "gdch_service_account"),
      (#"{"type":"service_account","client_email":"a@b"}"#, "'private_key'"),
      (
        #"{"type":"service_account","client_email":"a@b","private_key":"PRIVATE","token_uri":"https://x.invalid/t"}"#,
        "key"
      ),
    ]
  )
  func malformedCredentials(_ text: String, _ says: String) async throws {
    try await withUnchanged { tool, server in
      try tool.write(text, to: "key.json")
      let result = try await tool.run("count", "users", "--credentials", "key.json")
      result.expectFailure(78, "key.json", says)
      #expect(!result.errors.contains("PRIVATE"))
      #expect(server.requests.isEmpty)
    }
  }

  @Test("Credentials are not sent over plain HTTP to another machine.")
  func plainCredentials() async throws {
    try await withTool { tool in
      try tool.write("token", to: "token")
      // A name may begin as an address of this machine does.
      for endpoint in ["http://db.invalid:80", "http://127.db.invalid:80", "http://localhost.invalid:80"] {
        let result = try await tool.bare([
          "count", "users", "--project", "p", "--endpoint", endpoint, "--access-token-file", "token",
        ])
        result.expectFailure(78, endpoint)
      }
    }
  }

  private func withProtected(
    _ body: (Tool, HTTPTestServer, MiniFirestore, String) async throws -> Void
  ) async throws {
    let mini = try MiniFirestore.withSamples(["users"])
    try await withTool(against: mini.handler) { tool, server in
      var tool = tool
      try tool.write(
        """
        project: test-project
        schema: gym
        environments:
          prod:
            database: (default)
            endpoint: \(server.url)
            protected: true
          test: { database: test }
        """,
        to: "gymmigrate.yaml"
      )
      tool.place = ["-e", "prod"]
      let file = try tool.write(Samples.text("exercises"), to: "exercises.jsonl")
      try await body(tool, server, mini, file)
    }
  }

  @Test("A protected environment wants its name, and takes no other.")
  func protected() async throws {
    try await withProtected { tool, server, mini, file in
      let before = mini.snapshot()
      for command in [["import", file], ["migrate", "apply", "--all"]] {
        try await tool.bare(command + tool.place).expectFailure(77, "prod", "--confirm prod")
        try await tool.bare(command + tool.place + ["--confirm", "test"]).expectFailure(77, "prod", "'test'")
        try await tool.bare(command + tool.place + ["--yes"]).expectFailure(77, "prod")
      }
      #expect(server.requests.isEmpty)
      #expect(mini.snapshot() == before)
      // Reading is free, and the right name opens it.
      try await tool.run("count", "users").expect(0)
      try await tool.run("migrate", "plan", "--all").expect(0)
      try await tool.run("import", file, "--dry-run").expect(0)
      #expect(mini.totalWrites == 0)
      let result = try await tool.run("import", file, "--confirm", "prod").expect(0)
      #expect(mini.totalWrites == 20)
      #expect(result.errors.contains("prod") && result.errors.contains("(default)"))
    }
  }

  @Test("The emulator's variable does not redirect a protected environment.")
  func emulatorVariable() async throws {
    try await withUnchanged { tool, server in
      var tool = tool
      tool.environment = ["FIRESTORE_EMULATOR_HOST": server.host]
      let file = try tool.write(Samples.first(1, of: "classes"), to: "good.jsonl")
      let result = try await tool.bare(["import", file, "-e", "prod", "--confirm", "prod"])
      result.expectFailure(77, "prod", "FIRESTORE_EMULATOR_HOST")
      #expect(server.requests.isEmpty)
    }
  }

  @Test("gymmigrate.yaml with an unknown key: line and column")
  func unknownKey() async throws {
    try await withTool { tool in
      try tool.write("project: p\nenvironments:\n  test:\n    databse: test\n", to: "gymmigrate.yaml")
      try await tool.bare(["count", "users", "-e", "test"])
        .expectFailure(78, "gymmigrate.yaml", "line 4", "column 5", "databse")
      try tool.write("environments: [\n", to: "gymmigrate.yaml")
      try await tool.bare(["env", "list"]).expectFailure(78, "gymmigrate.yaml", "line")
      try await tool.bare(["env", "list", "--config", "none.yaml"]).expectFailure(78, "none.yaml")
    }
  }

  // MARK: The command line

  @Test(
    "Flags that are wrong are usage errors, with the usage.",
    arguments: [
      ["import", "x.jsonl", "-e", "local", "--batch-size", "501"], ["import", "-e", "local"],
      ["import", "x.jsonl", "-e", "local", "--mode", "overwrite"], ["export", "users", "-e", "local"],
      ["export", "-o", "x.csv", "-e", "local"], ["export", "users", "--all", "-o", "x.csv", "-e", "local"],
      ["export", "users", "-o", "x", "-e", "local"], ["export", "users/u1", "-o", "x.csv", "-e", "local"],
      ["export", "users", "-o", "x.csv", "-e", "local", "--page-size", "301"],
      ["export", "users", "-o", "x.csv", "-e", "local", "--parallel", "0"],
      ["migrate", "plan", "ids", "-e", "local", "--parallel", "17"],
      ["check", "-e", "local", "--parallel", "many"],
      ["migrate", "apply", "-e", "local"],
      ["export", "users", "-o", "-", "--format", "csv", "--json", "-e", "local"],
      ["count", "users", "-e", "local", "-q", "-v"],
      ["count", "users", "-e", "local", "--retry-for", "0"],
    ]
  )
  func usage(_ arguments: [String]) async throws {
    try await withTool { tool in
      let result = try await tool.bare(arguments)
      result.expectFailure(64)
      #expect(result.errorLines.count == 1 && result.errors.contains(" See 'gymmigrate "), "\(result.errors)")
      #expect(result.output.isEmpty)
      #expect(tool.names(in: ".").isEmpty, "nothing is left behind")
    }
  }

  @Test("An endpoint with a path")
  func endpointPath() async throws {
    try await withUnchanged { tool, server in
      for endpoint in ["\(server.url)/v1", "127.0.0.1:\(server.port)", "ftp://x", "http://u@h:1"] {
        let result = try await tool.bare(["count", "users", "--project", "p", "--endpoint", endpoint])
        result.expectFailure(64, endpoint)
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test("An unknown migration: the known ones are listed.")
  func unknownMigration() async throws {
    try await withUnchanged { tool, server in
      for command in ["plan", "apply"] {
        let result = try await tool.run("migrate", command, "users-unfy")
        result.expectFailure(64, "users-unfy", "users-unify", "user-emails", "is-active")
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test("A collection that does not exist has 0 documents, and that is said.")
  func missingCollection() async throws {
    try await withUnchanged { tool, _ in
      for format in ["csv", "xlsx", "jsonl"] {
        let result = try await tool.run("export", "ghosts", "-o", "ghosts.\(format)", "--json").expect(0)
        #expect(result.errors.contains("ghosts has no documents"))
        #expect(try result.summary()["ghosts"]?.read == 0)
        #expect(tool.exists("ghosts.\(format)"))
      }
      #expect(try tool.text("ghosts.jsonl").isEmpty)
      let count = try await tool.run("count", "ghosts").expect(0)
      #expect(count.output == "ghosts\t0\n")
    }
  }
}
