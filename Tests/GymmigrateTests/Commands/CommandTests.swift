import Foundation
import TestSupport
import Testing

@Suite("The other commands", .timeLimit(.minutes(60)))
struct CommandTests {
  @Test("count prints a line a collection, whatever the server's pages of collection ids.")
  func count() async throws {
    let mini = try MiniFirestore.withSamples(["users", "products", "app_config", "groups"])
    try mini.put("_gymmigrate_runs/r1", fields: "{}")
    try await withTool(against: mini.handler) { tool, server in
      let all = try await tool.run("count", "--all").expect(0)
      #expect(all.output == "app_config\t1\ngroups\t5\nproducts\t24\nusers\t400\n")
      let below = try await tool.run("count", "groups/nobody/members", "users")
      #expect(below.output == "groups/nobody/members\t0\nusers\t400\n")
      // One document below the parent that is missing, to say where there are some.
      #expect(
        server.requests(.list).allSatisfy { $0.target.contains("pageSize=1&") },
        "nothing is downloaded"
      )
      #expect(!tool.exists(".gymmigrate"))
    }
  }

  @Test("env list has each environment by its own name, with what guards it and why.")
  func sameDatabase() async throws {
    try await withTool { tool in
      try tool.write(
        """
        project: p
        environments:
          dev: { database: d, endpoint: "http://127.0.0.1:9" }
          prod: { database: d, endpoint: "http://localhost:9", protected: true }
          stage: { database: e }
          eu: { database: e, endpoint: "https://eur3-firestore.googleapis.com", leaves: masked }
          test: { database: f }

        """,
        to: "gymmigrate.yaml"
      )
      let list = try await tool.bare(["env", "list"]).expect(0)
      #expect(
        list.output == """
          dev\tp\td\thttp://127.0.0.1:9\tprotected\t\tsame database as prod
          prod\tp\td\thttp://localhost:9\tprotected\t\tsame database as dev
          stage\tp\te\thttps://firestore.googleapis.com\t\tleaves masked\tsame database as eu
          eu\tp\te\thttps://eur3-firestore.googleapis.com\t\tleaves masked\tsame database as stage
          test\tp\tf\thttps://firestore.googleapis.com
          local\tp\tlocal\tembedded

          """
      )
      let json = try await tool.bare(["env", "list", "--json"])
      let environments = try #require(
        JSONSerialization.jsonObject(with: Data(json.standardOutput)) as? [[String: Any]]
      )
      let names = environments.map { $0["name"] as? String }
      #expect(names == ["dev", "prod", "stage", "eu", "test", "local"])
      #expect(environments.map { $0["protected"] as? Bool } == [true, true, false, false, false, false])
      #expect(environments[0]["sameDatabaseAs"] as? String == "prod")
      #expect(environments[4]["sameDatabaseAs"] == nil)
    }
  }

  @Test("env list and env show print the environments, and no secret.")
  func environments() async throws {
    try await withTool { tool in
      let list = try await tool.bare(["env", "list"]).expect(0)
      #expect(
        list.output == """
          test\tsajarubox\ttest\thttps://firestore.googleapis.com
          stage\tsajarubox\tstage\thttps://firestore.googleapis.com
          prod\tsajarubox\tprod\thttps://firestore.googleapis.com\tprotected
          legacy\tsajarubox\t(default)\thttps://firestore.googleapis.com\tprotected
          local\tsajarubox\tlocal\tembedded

          """
      )
      #expect(try await tool.bare(["env"]).output == list.output)
      var emulated = tool
      emulated.environment["FIRESTORE_EMULATOR_HOST"] = "127.0.0.1:9"
      let lines = try await emulated.bare(["env", "list"]).output.split(separator: "\n")
      #expect(lines[0] == "test\tsajarubox\ttest\thttp://127.0.0.1:9")
      // A protected one is not used while the variable is set.
      #expect(lines[2] == "prod\tsajarubox\tprod\thttps://firestore.googleapis.com\tprotected")
      let json = try await tool.bare(["env", "list", "--json"])
      let environments = try #require(
        JSONSerialization.jsonObject(with: Data(json.standardOutput)) as? [[String: Any]]
      )
      #expect(environments.map { $0["name"] as? String } == ["test", "stage", "prod", "legacy", "local"])
      #expect(environments.map { $0["protected"] as? Bool } == [false, false, true, true, false])

      try tool.write(
        "project: p1\nenvironments:\n  mine: { database: d1, endpoint: 'http://127.0.0.1:9', protected: true }\n",
        to: "other.yaml"
      )
      let show = try await tool.bare(["env", "show", "-e", "mine", "--config", "other.yaml"]).expect(0)
      for line in [
        "name: mine", "project: p1", "database: d1", "endpoint: http://127.0.0.1:9", "protected: yes",
        "configuration: other.yaml",
      ] { #expect(show.output.contains(line + "\n"), "\(line)") }
      let one = try await tool.bare(["env", "show", "-e", "mine", "--config", "other.yaml", "--json"])
      let object = try #require(
        JSONSerialization.jsonObject(with: Data(one.standardOutput)) as? [String: Any]
      )
      #expect(object["database"] as? String == "d1")
      #expect(object["protected"] as? Bool == true)
      #expect(object["signer"] is String)
    }
  }

  @Test("serve keeps the embedded store up for another gymmigrate, and ends in 143 by TERM.")
  func serve() async throws {
    try await withTool { tool in
      let server = try tool.startBare(["serve", "--port", "0", "--data", "shared.sqlite"])
      let name = "FIRESTORE_EMULATOR_HOST="
      #expect(await server.waitForText(name, on: .errors))
      let text = server.text(.errors)
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name) })
      var client = tool
      client.isGated = false
      client.environment = ["FIRESTORE_EMULATOR_HOST": String(line.dropFirst(name.count))]
      client.place = ["-e", "test"]
      try await client.run("import", Samples.file("users"), Samples.file("user_emails")).expect(0)
      let count = try await client.run("count", "--all")
      #expect(count.output == "user_emails\t205\nusers\t400\n")
      try await client.run("migrate", "apply", "users-unify").expect(2)
      // Databases are apart.
      var other = client
      other.place = ["-e", "stage"]
      #expect(try await other.run("count", "--all").output.isEmpty)
      server.send(SIGTERM)
      let end = await server.wait()
      #expect(end.exitCode == 143 || end.exitCode == 0, "\(end.errors)")
      #expect(end.signal == nil)

      // What was written is there the next time.
      let again = try tool.startBare(["serve", "--port", "0", "--data", "shared.sqlite"])
      #expect(await again.waitForText(name, on: .errors))
      let second = try #require(again.text(.errors).split(separator: "\n").first { $0.hasPrefix(name) })
      client.environment = ["FIRESTORE_EMULATOR_HOST": String(second.dropFirst(name.count))]
      #expect(try await client.run("count", "users").output == "users\t400\n")
      again.send(SIGINT)
      _ = await again.wait()
    }
  }

  @Test("A port that is taken is one line, not a crash.")
  func portTaken() async throws {
    try await HTTPTestServer.withServer({ _ in .stall }) { taken in
      try await withTool { tool in
        let result = try await tool.bare(
          ["serve", "--port", "\(taken.port)", "--memory"],
          timeout: .seconds(1800)
        )
        #expect(result.complaints.count == 1, "\(result.errors)")
        #expect(result.complaints.first?.contains("\(taken.port)") ?? false)
        #expect(result.signal == nil && result.exitCode != 0)
      }
    }
  }

  @Test("--version is one line on standard output.")
  func version() async throws {
    try await withTool { tool in
      let result = try await tool.bare(["--version"]).expect(0)
      #expect(result.output.split(separator: "\n").count == 1)
      #expect(result.output.contains { $0.isNumber })
      #expect(result.errors.isEmpty)
    }
  }

  @Test(
    "--help of every command goes to standard output and ends in 0.",
    arguments: [
      ["export"], ["import"], ["migrate"], ["migrate", "list"], ["migrate", "plan"],
      ["migrate", "apply"], ["fix"], ["delete"], ["count"], ["find"],
      ["env"], ["env", "list"], ["env", "show"], ["serve"],
    ]
  )
  func help(_ command: [String]) async throws {
    try await withTool { tool in
      let result = try await tool.bare(command + ["--help"]).expect(0)
      #expect(result.output.contains("USAGE: gymmigrate" + command.map { " \($0)" }.joined()))
      #expect(result.errors.isEmpty)
      #expect(tool.names(in: ".").isEmpty)
    }
  }

  @Test(
    "The overview has every command in one line of a group, and fits on a page."
  )
  func overview() async throws {
    try await withTool { tool in
      let result = try await tool.bare([]).expect(0)
      for words in ["--help", "-h", "help"] {
        let same = try await tool.bare([words])
        #expect(same.output == result.output)
      }
      let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count <= 41 && lines.allSatisfy { $0.count <= 80 })
      let names = lines.filter { $0.hasPrefix("  ") && !$0.contains("  gymmigrate ") }.compactMap {
        $0.split(separator: " ").first.map(String.init)
      }
      let known = try await CommandLineTree.read(tool).commands.compactMap(\.words.first)
      #expect(Set(names).union(["export-verify", "export-prune"]) == Set(known))
      #expect(Set(names).count == names.count)
    }
  }

  @Test("At 80 columns no help breaks an example, so that a copied line is the whole command.")
  func examples() async throws {
    try await withTool { tool in
      for words in try await CommandLineTree.read(tool).commands.map(\.words) {
        let lines = try await tool.bare(words + ["--help"]).output.components(separatedBy: "\n")
        for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix("  gymmigrate ") {
          let isWhole = next.isEmpty || next.hasPrefix("  ")
          #expect(line.count <= 80 && isWhole, "\(words): \(line)")
          #expect(next.hasPrefix("      ") == line.hasSuffix(" \\"), "\(words): \(line)")
        }
      }
    }
  }

  @Test("What commands have in common is said once.")
  func topics() async throws {
    try await withTool { tool in
      let codes = try await tool.bare(["help", "exit-codes"]).output
      for code in ["64 ", "65 ", "66 ", "69 ", "70 ", "73 ", "75 ", "77 ", "78 ", "130"] {
        #expect(codes.contains(code), "\(code)")
      }
      #expect(try await tool.bare(["help", "variables"]).output.contains("GYMMIGRATE_PAGE_SIZE"))
      try await tool.bare(["help", "migrate", "aply"]).expectFailure(64, "apply")
      try await tool.bare(["help", "migrate", "apply"]).expect(0)
      // What a command finds out when it runs names its help.
      let number = [
        "fix", "members", "--all-documents", "--set", "phone=7", "-e", "local", "--schema", "gym",
      ]
      try await tool.bare(number).expectFailure(64, "See 'gymmigrate fix --help'")
      try await tool.bare(["fix", "members", "--set", "phone=7", "-e", "local", "-n"])
        .expectFailure(64, "--all-documents")
      let export = try await tool.bare(["export", "--help"]).output
      for (topic, options) in [
        ("connection", ["--project", "--credentials", "--impersonate-service-account", "--retry-for"]),
        ("reading", ["--page-size"]), ("output", ["--verbose", "--log-format", "--no-progress"]),
      ] {
        let text = try await tool.bare(["help", topic]).output
        for option in options { #expect(text.contains(option) && !export.contains(option), "\(option)") }
      }
      let writing = try await tool.bare(["help", "writing"]).output
      #expect(writing.contains("--max-writes-per-second") && writing.contains("--confirm"))
      #expect(try await tool.bare(["version"]).output == tool.bare(["--version"]).output)
      for shell in ["bash", "zsh", "fish"] {
        #expect(try await tool.bare(["completion", shell]).output.contains("gymmigrate"))
      }
    }
  }

  @Test(
    "A word that does not exist is said before anything else, with the one that was probably meant.",
    arguments: [
      ("exprt users", "run exprt", "export"), ("migrate aply", "run migrate aply", "migrate apply"),
      ("export verfy nightly", "run export verfy", "export verify"),
      ("env shw", "run env shw", "env show"), ("undo last", "run undo", "migrate undo"),
      ("help rollback", "on rollback", "migrate undo"), ("schema qqq", "'gymmigrate schema' has", nil),
      ("help expotr", "on expotr", "export"), ("class week", "run class", "classes"),
      ("status", "run status", "migrate status"), ("fix users --set a=1 --dry", "option --dry", "--dry-run"),
      ("export users --feilds a -o x.csv", "option --feilds", "--fields"),
      ("export users --select a -o x.csv", "option --select", "--fields"),
      ("export users -o x.csv --proyect p", "option --proyect", "--project"),
      ("class week", "run class", "classes"), ("status", "run status", "migrate status"),
      ("fix users --dry", "option --dry", "--dry-run"), ("costs -q", "option -q", nil),
      ("count users --where=a --wher=b", "option --wher", "--where"), ("qqqqq", "run qqqqq", nil),
      ("class week", "run class", "classes"), ("migrate apply is-active --dry", "option --dry", "--dry-run"),
      // Behind a group its own commands come first, and then all of them.
      ("schema check", "'gymmigrate schema' has show", "schema validate or check --schema"),
      ("schema valdate x", "'gymmigrate schema' has show", "schema validate"),
      ("mirror query", "'gymmigrate mirror' has pull", "find --mirror or export --mirror --where"),
      ("copy check", "run copy check", "copy --verify or diff"), ("env check", "run env check", "doctor"),
      ("groups week", "'gymmigrate groups' has", nil), ("runs rollback", "run runs rollback", "runs undo"),
      ("help mirror query", "on mirror query", "find --mirror or export --mirror --where"),
    ] as [(String, String, String?)]
  )
  func misspelt(_ line: String, _ what: String, _ near: String?) async throws {
    try await withTool { tool in
      let result = try await tool.bare(line.split(separator: " ").map(String.init))
      result.expectFailure(64)
      #expect(result.errors.contains(what), "\(result.errors)")
      #expect(result.errors.contains("Did you mean") == (near != nil), "\(result.errors)")
      if let near { #expect(result.errors.contains("Did you mean \(near)?"), "\(result.errors)") }
    }
  }

  @Test(
    "Of an option that no other one is near the help of its command is named.",
    arguments: ["export users --skip-columns", "runs resume last --max-writes-per-second 9", "costs -q"]
  )
  func unknown(_ line: String) async throws {
    try await withTool { tool in
      let words = line.split(separator: " ").map(String.init)
      let command = words[0] == "runs" ? "runs resume" : words[0]
      try await tool.bare(words).expectFailure(64, "'gymmigrate \(command) --help' says what there is.")
    }
  }

  @Test("A value is no option, and what stands behind two hyphens is none.")
  func values() async throws {
    try await withTool { tool in
      let result = try await tool.bare(["get", "-e", "local", "--schema", "none", "--", "--users/--a"])
      #expect(!result.errors.contains("no such option"), "\(result.errors)")
      let export = try await tool.bare([
        "export", "users", "orders", "-e", "local", "-o", "x.csv", "--null", "-",
      ])
      export.expectFailure(64)
      #expect(export.errors.contains("one CSV file holds one collection"), "\(export.errors)")
    }
  }

  @Test("migrate list names the migrations in the order in which --all applies them, and those by name only.")
  func migrations() async throws {
    try await withTool { tool in
      let result = try await tool.bare(["migrate", "list"]).expect(0)
      let names = result.output.split(separator: "\n").map {
        $0.split(separator: "\t").first.map(String.init)
      }
      let all = [
        "users-unify", "user-emails", "is-active", "ids", "members-link", "snapshot-backfill",
        "groups-recount",
      ]
      let byNameOnly = ["group-members-is-active", "users-drop-legacy"]
      #expect(names == all + byNameOnly)
      let json = try await tool.bare(["migrate", "list", "--json"])
      let list = try #require(
        JSONSerialization.jsonObject(with: Data(json.standardOutput)) as? [[String: Any]]
      )
      #expect(list.map { $0["id"] as? String } == names)
      #expect(list.map { $0["byNameOnly"] as? Bool } == names.map { $0.map(byNameOnly.contains) })
      #expect(
        list.allSatisfy { $0["reads"] is [String] && $0["writes"] is [String] && $0["summary"] is String }
      )
    }
  }
}
