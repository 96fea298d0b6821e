import Foundation
import TestSupport
import Testing

@Suite(
  "A database that is called prod is guarded, whether an environment names it or not",
  .timeLimit(.minutes(60))
)
struct ProductionGuardTests {
  /// A configuration without prod, and a file to import; nobody signs, and nothing answers.
  private func withoutProd(_ more: String = "", _ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      var tool = tool
      tool.environment = ["NO_GCE_CHECK": "true"]
      try tool.write(
        "project: sajarubox\nenvironments:\n  test: { database: test }\n" + more,
        to: "gymmigrate.yaml"
      )
      try tool.write(documentLine("things/t1", 1) + "\n", to: "in.jsonl")
      try await body(tool)
    }
  }

  /// The commands that write and need no run before.
  private static let writers = [
    ["import", "in.jsonl"], ["migrate", "apply", "is-active", "--schema", "gym"], ["migrate", "unlock"],
    ["fix", "things", "--all-documents", "--set", "n=2"],
    ["delete", "members", "--all-documents", "--schema", "gym"],
  ]

  /// Nobody who would sign was found: the guard let it pass.
  private static let passed: Int32 = 78

  @Test("By --project and --database, by a variable, and by an environment whose database is replaced")
  func everyWay() async throws {
    try await withoutProd { tool in
      let name = "projects/sajarubox/databases/prod"
      let ways = [["--project", "sajarubox", "--database", "prod"], ["-e", "test", "--database", "prod"]]
      for writer in Self.writers {
        for way in ways {
          let refused = try await tool.bare(writer + way)
          refused.expectFailure(77, name, "'prod'", "Give --confirm \(name) if", "gymmigrate.yaml")
          #expect(tool.runs().isEmpty)
          for other in [["--yes"], ["--confirm", "prod"], ["--confirm", "test"], ["--confirm", ""]] {
            try await tool.bare(writer + way + other).expectFailure(77, name)
          }
          try await tool.bare(writer + way + ["--confirm", name]).expectFailure(Self.passed, "credentials")
          try? FileManager.default.removeItem(atPath: tool.path(".gymmigrate"))
        }
      }
      try await tool.bare([
        "copy", "things", "--from", "test", "--project", "sajarubox", "--database", "prod",
      ]).expectFailure(77, name)
      var variable = tool
      variable.environment["GOOGLE_CLOUD_PROJECT"] = "elsewhere"
      try await variable.bare(["import", "in.jsonl"])
        .expectFailure(77, "Give --confirm 'projects/elsewhere/databases/(default)' if")
      variable.environment["GYMMIGRATE_CONFIRM"] = "projects/elsewhere/databases/(default)"
      try await variable.bare(["import", "in.jsonl"]).expect(77)
      for id in ["production", "live", "PROD", "prod-eu"] {
        try await tool.bare(["import", "in.jsonl", "-e", "test", "--database", id]).expectFailure(
          77,
          "'\(id)'"
        )
      }
    }
  }

  /// A configuration in the home folder that protects a database under a name that says nothing.
  private func withHome(_ body: (Tool) async throws -> Void) async throws {
    try await withoutProd { tool in
      try tool.createFolder(".config/gymmigrate")
      try tool.write(
        "project: sajarubox\nenvironments:\n  safe: { database: main, protected: true }\n",
        to: ".config/gymmigrate/gymmigrate.yaml"
      )
      try await body(tool)
    }
  }

  private static let toMain = ["import", "in.jsonl", "--project", "sajarubox", "--database", "main"]

  @Test("What the user's configuration protects, one in the working folder or --config does not open.")
  func shadowed() async throws {
    try await withHome { tool in
      let open = "project: sajarubox\nenvironments:\n  safe: { database: main, protected: false }\n"
      for file in ["gymmigrate.yaml", "other.yaml"] { try tool.write(open, to: file) }
      for way in [["-e", "safe"], ["-e", "safe", "--config", "other.yaml"]] {
        try await tool.bare(["import", "in.jsonl"] + way)
          .expectFailure(77, "safe", "/.config/gymmigrate/gymmigrate.yaml protects it")
      }
      try await tool.bare(Self.toMain).expectFailure(77, "Give --confirm safe")
      try await tool.bare(Self.toMain + ["--endpoint", "https://proxy.example"]).expectFailure(77, "safe")
      try await tool.bare(Self.toMain + ["--confirm", "safe"]).expectFailure(Self.passed, "credentials")
      // The working folder's protects beside --config, too.
      try tool.write(
        "project: p\nenvironments:\n  a: { database: x, protected: true }\n",
        to: "gymmigrate.yaml"
      )
      try await tool.bare([
        "import", "in.jsonl", "--project", "p", "--database", "x", "--config", "other.yaml",
      ])
      .expectFailure(77, "gymmigrate.yaml protects it")
    }
  }

  @Test("env show prints where the parts of an environment are from that another configuration protects.")
  func shadowedOrigins() async throws {
    try await withHome { tool in
      try tool.write("environments:\n  mine: { project: sajarubox, database: main }\n", to: "gymmigrate.yaml")
      let token = ["--access-token-file", try tool.write("token", to: "token")]
      let shown = try await tool.bare(["env", "show", "-e", "mine", "--origin"] + token).expect(0)
      for part in ["project\tsajarubox", "database\tmain"] {
        #expect(shown.output.contains("\(part)\tfile gymmigrate.yaml\n"), "\(shown.output)")
      }
    }
  }

  @Test("Another spelling of a protected environment's endpoint leads to the same guard.")
  func spellings() async throws {
    try await withoutProd("  safe: { database: main, endpoint: 'http://127.0.0.1:9', protected: true }\n") {
      tool in
      for endpoint in [
        "http://0:9", "http://[::ffff:127.0.0.1]:9/", "http://127.1:09", "https://proxy.example",
      ] {
        try await tool.bare(Self.toMain + ["--endpoint", endpoint, "--retry-for", "1"])
          .expectFailure(77, "Give --confirm safe")
      }
    }
  }

  @Test("An empty or relative XDG_CONFIG_HOME, or no HOME, does not take the user's configuration away.")
  func emptyVariables() async throws {
    try await withHome { tool in
      try FileManager.default.removeItem(atPath: tool.path("gymmigrate.yaml"))
      for value in ["", ".", "elsewhere"] {
        var tool = tool
        tool.environment["XDG_CONFIG_HOME"] = value
        try await tool.bare(Self.toMain).expectFailure(77, "safe")
        try await tool.bare(["import", "in.jsonl", "-e", "safe"]).expectFailure(77, "safe")
      }
      var empty = tool
      for name in [
        "CURL_CA_BUNDLE", "SSL_CERT_FILE", "FIRESTORE_EMULATOR_HOST", "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG", "GYMMIGRATE_CONFIG", "GYMMIGRATE_ENV",
      ] { empty.environment[name] = "" }
      let show = [
        "env", "show", "-e", "safe", "--origin", "--access-token-file", try tool.write("token", to: "token"),
      ]
      let shown = try await empty.bare(show).expect(0)
      #expect(try await tool.bare(show).output == shown.output)
      try await empty.bare(Self.toMain).expectFailure(77, "safe")
      empty.environment["HTTP_PROXY"] = "http://proxy.example"
      let doctor = try await empty.bare(["doctor", "-e", "local"])
      empty.environment["http_proxy"] = ""
      #expect(try await empty.bare(["doctor", "-e", "local"]).output == doctor.output)
      #expect(doctor.output.contains("HTTP_PROXY"))
    }
  }

  @Test("A configuration that cannot be read is told as one, and refuses what it might protect.")
  func unreadable() async throws {
    try await withHome { tool in
      try tool.write("environments: [", to: ".config/gymmigrate/gymmigrate.yaml")
      try await tool.bare(Self.toMain)
        .expectFailure(78, "read the configuration /", ".config/gymmigrate/gymmigrate.yaml")
      // A folder opens and cannot be read, whoever asks.
      try FileManager.default.removeItem(atPath: tool.path("gymmigrate.yaml"))
      try tool.createFolder("gymmigrate.yaml")
      let refused = try await tool.bare(["count", "things", "-e", "test"])
      refused.expectFailure(78, "read the configuration gymmigrate.yaml")
      #expect(!refused.errors.contains("credentials"))
    }
  }

  /// Puts a symbolic link to nothing in the place of a file or a folder.
  private func unlink(_ name: String, in tool: Tool) throws {
    try? FileManager.default.removeItem(atPath: tool.path(name))
    try FileManager.default.createSymbolicLink(
      atPath: tool.path(name),
      withDestinationPath: tool.path("not-mounted/x")
    )
  }

  @Test(
    "A configuration, or a folder above it, that is a link to nothing is not taken for none.",
    arguments: [".config/gymmigrate/gymmigrate.yaml", ".config/gymmigrate", ".config", "gymmigrate.yaml"]
  )
  func unmounted(_ name: String) async throws {
    try await withHome { tool in
      try unlink(name, in: tool)
      for command in [Self.toMain, ["count", "things", "-e", "test"], ["env", "list"]] {
        try await tool.bare(command).expectFailure(78, "gymmigrate.yaml", "a symbolic link leads to nothing")
      }
      let other = try tool.write("project: p\nenvironments: { test: {} }\n", to: "other.yaml")
      try await tool.bare(Self.toMain + ["--config", other]).expectFailure(78, "leads to nothing")
    }
  }

  @Test("Nor is a folder of migrations, or the state folder that a limit of a day needs.")
  func unmountedFolders() async throws {
    let limited = "  day: { database: d, endpoint: 'http://127.0.0.1:9', limits: { day: { reads: 1 } } }\n"
    try await withoutProd(limited + "schema: gym\n") { tool in
      try unlink("migrations", in: tool)
      try await tool.bare(["migrate", "pending", "-e", "local"]).expectFailure(66, "read migrations")
      try unlink("state", in: tool)
      try await tool.bare(["count", "things", "-e", "day", "--state-dir", "state"])
        .expectFailure(66, "state/costs.jsonl")
    }
  }

  @Test("Reading, a dry run, and a database of another name want no confirmation.")
  func free() async throws {
    try await withoutProd { tool in
      let prod = ["--project", "sajarubox", "--database", "prod"]
      let plan = ["migrate", "plan", "is-active", "--schema", "gym"]
      for command in [["count", "things"], ["import", "in.jsonl", "-n"], plan] {
        try await tool.bare(command + prod).expectFailure(Self.passed, "credentials")
      }
      try await tool.bare(["import", "in.jsonl", "--project", "sajarubox", "--database", "test2"])
        .expectFailure(Self.passed, "credentials")
      try await tool.bare(["import", "in.jsonl", "-e", "test"]).expectFailure(Self.passed, "credentials")
    }
  }

  @Test("An environment that names the database decides, with protected: false also against the guard.")
  func named() async throws {
    for more in ["  big: { database: prod, protected: false }\n", "  big: { database: prod }\n"] {
      try await withoutProd(more) { tool in
        for way in [
          ["--project", "sajarubox", "--database", "prod"], ["-e", "test", "--database", "prod"],
          ["-e", "big"],
        ] {
          try await tool.bare(["import", "in.jsonl"] + way).expectFailure(Self.passed, "credentials")
        }
      }
    }
    try await withoutProd("  big: { database: prod, protected: true }\n") { tool in
      try await tool.bare(["import", "in.jsonl", "-e", "test", "--database", "prod"])
        .expectFailure(77, "write to big", "--confirm big")
    }
  }

  @Test("env show says so, and from where each part is.")
  func shown() async throws {
    try await withoutProd { tool in
      let place = ["-e", "test", "--database", "prod", "--endpoint", "http://db.invalid:80"]
      let shown = try await tool.bare(["env", "show", "--origin", "--json"] + place).expect(0)
      let json = try #require(
        JSONSerialization.jsonObject(with: Data(shown.standardOutput)) as? [String: Any]
      )
      #expect(
        json["name"] as? String == "projects/sajarubox/databases/prod" && json["protected"] as? Bool == true
      )
      #expect(shown.output.contains(#""name":"project","origin":"file gymmigrate.yaml","value":"sajarubox""#))
    }
  }

  @Test("An emulator's (default) is written without a word, by its variable and by its address.")
  func emulator() async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, server in
      try tool.write(documentLine("things/t1", 1) + "\n", to: "in.jsonl")
      try await tool.run("import", "in.jsonl").expect(0)
      var variable = tool
      variable.environment = ["FIRESTORE_EMULATOR_HOST": server.host, "GOOGLE_CLOUD_PROJECT": "test-project"]
      try await variable.bare(["import", "in.jsonl", "--mode", "upsert"]).expect(0)
      try await variable.bare(["fix", "things", "--all-documents", "--set", "n=2", "--no-touch"]).expect(0)
    }
  }

  @Test("On a terminal the full name is typed, and nothing else will do.")
  func typed() async throws {
    try await withoutProd { tool in
      let arguments = [
        "import", "in.jsonl", "-e", "test", "--database", "prod", "--endpoint", "http://db.invalid:80",
      ]
      let name = "projects/sajarubox/databases/prod"
      for (typed, code) in [("prod", 77), ("test", 77), ("", 77), (name, 69)] as [(String, Int32)] {
        let result = try await tool.onTerminal(arguments + ["--retry-for", "10ms"], typing: typed)
        #expect(result.exitCode == code, "\(typed): \(result.output)")
        #expect(result.output.contains("\(name) is protected"), "\(result.output)")
      }
      // Nobody is asked where --yes says so.
      try await tool.bare(arguments + ["--yes"]).expectFailure(77, name)
    }
  }
}
