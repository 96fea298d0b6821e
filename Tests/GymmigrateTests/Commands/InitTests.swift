import Foundation
import TestSupport
import Testing

@Suite("init", .timeLimit(.minutes(60)))
struct InitTests {
  @Test("In a script it writes the configuration and the schema, and says what comes next.")
  func script() async throws {
    let mini = try MiniFirestore.withSamples(["products"])
    try await withTool(against: mini.handler) { tool, server in
      let place = ["--project", "test-project", "--name", "shop", "--endpoint", server.url]
      let result = try await tool.bare(["init"] + place).expect(0)
      #expect(result.output.contains("ok       database"))
      #expect(result.errors.contains("Next:\n  gymmigrate count --all -e shop\n"))
      #expect(try tool.text("schema.yaml").contains("products:"))
      let count = try await tool.bare(["count", "--all", "-e", "shop"]).expect(0)
      #expect(count.output.contains("products\t"))
      #expect(try tool.text("gymmigrate.yaml").contains("schema: schema.yaml\n"))
      // Protected, unless somebody says that it is not.
      try await tool.bare(["delete", "products", "--where", "stock == 0", "-y", "-e", "shop"])
        .expectFailure(77, "--confirm shop")
      // A schema is inferred again without the one that is gone.
      try FileManager.default.removeItem(atPath: tool.path("schema.yaml"))
      let infer = ["schema", "infer", "-e", "shop", "-o", "schema.yaml"]
      let lost = try await tool.bare(infer)
      #expect(lost.exitCode != 0 && lost.errors.contains("--schema none"), "\(lost.errors)")
      try await tool.bare(infer + ["--schema", "none"]).expect(0)
      for file in ["gymmigrate.yaml", "schema.yaml"] {
        try FileManager.default.removeItem(atPath: tool.path(file))
      }
      let again = try await tool.bare(["init", "--json"] + place).expect(0)
      let json = try JSONSerialization.jsonObject(with: Data(again.standardOutput)) as? [String: Any]
      #expect(json?["exitCode"] as? Int == 0 && json?["checks"] != nil)
      // The bill is that of all steps, as standard error has it.
      let reads = try #require((json?["billed"] as? [String: Int])?["reads"])
      let products = try #require(Int(count.output.split(whereSeparator: \.isWhitespace).last ?? ""))
      #expect(
        reads >= products && again.errors.contains("Billed: \(reads) read"),
        "\(reads)\n\(again.errors)"
      )
      let before = try tool.text("gymmigrate.yaml")
      try await tool.bare(["init"] + place).expectFailure(
        73,
        "gymmigrate.yaml",
        "it exists. For a second environment, add it to 'environments'"
      )
      #expect(try tool.text("gymmigrate.yaml") == before)
      #expect(mini.totalChanges == 0)
    }
  }

  @Test("What it reads is named among the costs.")
  func costs() async throws {
    let mini = try MiniFirestore.withSamples(["products"])
    try await withTool(against: mini.handler) { tool, server in
      try FileManager.default.createDirectory(
        atPath: tool.path(".gymmigrate"),
        withIntermediateDirectories: false
      )
      let place = ["--project", "test-project", "--name", "shop", "--endpoint", server.url]
      try await tool.bare(["init"] + place).expect(0)
      let costs = try await tool.bare(["costs", "--json"])
      let json = try JSONSerialization.jsonObject(with: Data(costs.standardOutput)) as? [String: Any]
      let commands = (json?["costs"] as? [[String: Any]])?.map { $0["command"] as? String ?? "" } ?? []
      #expect(commands.contains("schema infer") && !commands.contains(""), "\(commands)")
    }
  }

  @Test("What is missing or impossible is said before anything is written.")
  func refused() async throws {
    try await withTool { tool in
      try await tool.bare(["init"]).expectFailure(64, "no project was given", "--project")
      try await tool.bare(["init", "--project", "p/q"]).expect(64)
      try await tool.bare(["init", "--project", "p", "--name", "local"]).expect(64)
      for endpoint in ["127.0.0.1:8080", "http://h/v1", "localhost"] {
        try await tool.bare(["init", "--project", "p", "--endpoint", endpoint])
          .expectFailure(64, "--endpoint", "give scheme, host and port")
      }
      // --env takes these for a mirror, for a moment, or for nothing.
      for name in ["mirror:x", "a@2026-01-01", "", "a b", "x/y"] {
        try await tool.bare(["init", "--project", "p", "--name", name]).expectFailure(64, "--name")
      }
      try tool.write("mine", to: "schema.yaml")
      try await tool.bare(["init", "--project", "p"]).expectFailure(73, "schema.yaml", "it exists")
      #expect(tool.names(in: ".") == ["schema.yaml"])
    }
  }

  @Test(
    "Where the database cannot be reached, the configuration is left to be corrected, and the schema is not."
  )
  func unreachable() async throws {
    try await withTool { tool in
      let place = ["--project", "p", "--endpoint", "http://127.0.0.1:1", "--no-protected"]
      try await tool.bare(["init"] + place).expect(69)
      #expect(try tool.text("gymmigrate.yaml").contains("schema: none\n"))
      #expect(!tool.exists("schema.yaml"))
    }
  }

  @Test("An empty database has no schema yet.")
  func empty() async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, server in
      let result = try await tool.bare(["init", "--project", "test-project", "--endpoint", server.url])
      result.expect(0)
      #expect(result.errors.contains("There is no document yet."))
      let infer = "gymmigrate schema infer -e prod -o schema.yaml"
      #expect(result.errors.contains("  \(infer)\n"), "\(result.errors)")
      let configuration = try tool.text("gymmigrate.yaml")
      #expect(
        configuration.contains("schema: none\n") && result.errors.contains("in place of 'schema: none'")
      )
      let words = infer.split(separator: " ").dropFirst().map(String.init)
      try await tool.bare(words).expectFailure(66, "'\(infer)'")
      try mini.load(jsonLines: documentLine("a/1", 1))
      let inferred = try await tool.bare(words).expect(0)
      #expect(inferred.errors.contains("in place of the 'schema:'"))
    }
  }

  @Test("On a terminal it asks for what is not given, and an empty answer takes what it proposes.")
  func asks() async throws {
    try await withTool { tool in
      let told = try await Judge.python(
        [
          "-c",
          """
          import os, pty, sys
          answers = [b"clinic", b"", b"ward", b"n", b""]
          process, terminal = pty.fork()
          if process == 0: os.execv(sys.argv[1], sys.argv[1:])
          said = b""
          while True:
              try: some = os.read(terminal, 4096)
              except OSError: break
              if not some: break
              said += some
              while answers and said.count(b":\\r\\n") + said.count(b"[Y/n]") > 5 - len(answers):
                  os.write(terminal, answers.pop(0) + b"\\n")
          os.waitpid(process, 0)
          print(len(answers))
          """,
          tool.runner.executable, "init",
        ],
        in: tool.folder
      )
      #expect(told.output == "0\n", "\(told.errors)")
      let text = try tool.text("gymmigrate.yaml")
      #expect(text.contains("project: \"clinic\"\n"))
      #expect(text.contains("  \"ward\":\n    database: \"(default)\"\n"))
      #expect(!text.contains("protected"))
    }
  }
}
