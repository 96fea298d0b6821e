import Foundation
import TestSupport
import Testing

@Suite("Nothing that is printed for people steers a terminal", .timeLimit(.minutes(60)))
struct TerminalTests {
  /// A title, a cleared screen, a line that looks like the program's own, a colour, and text in another order.
  static let hostile = "x\u{1B}]0;owned\u{7}\u{1B}[2J\r\nerror: all is lost\u{9B}31m\u{202E}\u{2066}\u{7F}y"

  /// Expects that nothing of a result steers a terminal, and that what would is shown.
  private func expectTame(_ result: RunResult, shows: Bool = true, _ what: String) {
    for (name, text) in [("output", result.output), ("errors", result.errors)] {
      let steering = text.unicodeScalars.filter { scalar in
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
      }
      #expect(steering.isEmpty, "\(what): \(name): \(text.debugDescription)")
      #expect(
        !text.split(separator: "\n").contains { $0.hasPrefix("error: all is lost") },
        "\(what): \(text)"
      )
    }
    let all = result.output + result.errors
    if shows { #expect(all.contains("\\u{202E}") || all.contains("\\u202e"), "\(what): \(all)") }
  }

  /// A document whose id, fields and texts are hostile.
  private func document(_ collection: String, _ text: String = hostile) throws -> String {
    let json: [String: Any] = [
      "name": "\(collection)/\(Self.hostile)",
      "fields": ["firstName": ["stringValue": text], "f\(Self.hostile)": ["stringValue": text]],
    ]
    return String(decoding: try JSONSerialization.data(withJSONObject: json), as: UTF8.self) + "\n"
  }

  @Test(
    "Colors are shown where they are asked for, and by themselves on a terminal alone, unless NO_COLOR is set."
  )
  func colors() async throws {
    try await withTool { tool in
      try tool.write(#"{"name":"c/d","fields":{}}"# + "\n", to: "in.jsonl")
      try await tool.run("import", "in.jsonl").expect(0)
      let fix = ["fix", "c", "--all-documents", "--set", "n=1", "-n"] + tool.place
      for (words, isColored) in [(["--color", "always"], true), (["--color=never"], false), ([], false)] {
        let plan = try await tool.bare(fix + words)
        #expect(plan.output.contains("\u{1B}[33m~ c/d\u{1B}[0m") == isColored, "\(plan.output)")
        let missing = try await tool.bare(["get", "c/none"] + tool.place + words)
        #expect(missing.errors.contains("\u{1B}[31merror:\u{1B}[0m ") == isColored, "\(missing.errors)")
        let diff = try await tool.bare(["diff", "c", "--from", "in.jsonl", "--to", "none.jsonl"] + words)
        diff.expect(66)
      }
      try await tool.bare(fix + ["--color", "sometimes"]).expectFailure(64, "give auto, always or never.")
      for (variables, isColored) in [("", true), ("NO_COLOR=1", false), ("TERM=dumb", false)] {
        let script = """
          import os, pty, subprocess, sys
          leader, follower = pty.openpty()
          environment = {**os.environ, "TERM": "xterm", **dict(word.split("=") for word in sys.argv[1].split())}
          subprocess.run(sys.argv[2:], env=environment, stdout=follower, stderr=subprocess.DEVNULL)
          print(os.read(leader, 100000).decode())
          """
        let program = [tool.runner.executable] + fix
        let shown = try await Judge.python(["-c", script, variables] + program, in: tool.folder).output
        #expect(shown.contains("\u{1B}[33m~ c/d\u{1B}[0m") == isColored, "\(variables): \(shown)")
      }
    }
  }

  @Test("Ids, fields, values and collections from a database, in all that shows them")
  func database() async throws {
    try await withTool { tool in
      let place = "c\(Self.hostile)"
      try tool.write(try document("users") + document(place), to: "in.jsonl")
      expectTame(try await tool.run("import", "in.jsonl"), "import")
      for arguments in [
        ["count", place], ["count", "--all"], ["find", "owned", "--collection", "users"],
        ["fix", place, "--all-documents", "--set", "n=1", "-n"],
        ["fix", place, "--all-documents", "--unset", "`f\(Self.hostile)`", "-n"],
        ["fix", place, "--all-documents", "--set", "firstName=other", "-n", "--examples", "5"],
        ["delete", place, "--all-documents", "-n"], ["export", place, "-o", "out.jsonl"],
        ["export", place, "-o", "out.jsonl", "--log-format", "json"],
        ["fix", place, "--all-documents", "--set", "n=2"], ["check"], ["migrate", "status"],
      ] {
        let result = try await tool.bare(arguments + tool.place)
        expectTame(result, shows: !["check", "migrate"].contains(arguments[0]), "\(arguments)")
      }
      try tool.write(try document(place, "another\u{202E}"), to: "other.jsonl")
      for format in ["text"] {
        let result = try await tool.bare([
          "diff", place, "--from", "out.jsonl", "--to", "other.jsonl", "--detail", "--format", format,
        ])
        expectTame(result, "diff \(format)")
      }
      for arguments in [["runs", "list"], ["runs", "show", "last"]] {
        expectTame(try await tool.bare(arguments), shows: false, "\(arguments)")
      }
      for run in tool.runs() {
        let log = try tool.text("\(run)/operation.log")
        #expect(
          !log.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E || $0.value == 0x9B },
          "\(log)"
        )
      }
    }
  }

  @Test("Records for machines keep what they hold.")
  func records() async throws {
    try await withTool { tool in
      let line = try document("users")
      try tool.write(line, to: "in.jsonl")
      try await tool.run("import", "in.jsonl").expect(0)
      let lines = try await tool.run("export", "users", "-o", "-", "--format", "jsonl", "-q")
      let object = try JSONSerialization.jsonObject(with: Data(lines.standardOutput)) as? NSDictionary
      #expect(object == (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary))
      #expect(lines.output.contains("\u{202E}"))
      let table = try await tool.run("export", "users", "-o", "-", "--format", "csv", "-q")
      #expect(table.output.contains("\"\(Self.hostile)\""), "\(table.output.debugDescription)")
      let found = try await tool.run("find", "owned", "--collection", "users", "--json")
      let match = try JSONSerialization.jsonObject(with: Data(found.standardOutput)) as? [String: Any]
      #expect(match?["path"] as? String == "users/\(Self.hostile)")
    }
  }

  @Test("What a server says, in errors, in the log, and in what is told of the run later")
  func server() async throws {
    let error = [
      "error": ["code": 403, "status": "PERMISSION_DENIED", "message": Self.hostile] as [String: Any]
    ]
    let body = try JSONSerialization.data(withJSONObject: error)
    try await withTool(against: { _ in .respond(403, body: Array(body)) }) { tool, _ in
      for format in ["text", "json"] {
        let result = try await tool.run("export", "users", "-o", "u.jsonl", "-v", "--log-format", format)
        result.expect(77)
        expectTame(result, "export \(format)")
      }
      expectTame(try await tool.run("doctor"), "doctor")
      expectTame(try await tool.bare(["runs", "show", "last"]), "runs show")
      let log = try tool.text("\(tool.runs()[0])/operation.log")
      #expect(log.contains("\\u{1B}]0;owned") && !log.contains("\u{1B}"), "\(log)")
    }
  }

  @Test("Names of the configuration")
  func configuration() async throws {
    try await withTool { tool in
      try tool.write(
        #"environments: { "e\e]0;owned\a\r\n\u009b31m\u202ex": { project: p, database: test, endpoint: "http://127.0.0.1:9" } }"#,
        to: "gymmigrate.yaml"
      )
      expectTame(try await tool.bare(["env", "list"]), "env list")
      let name = "e\u{1B}]0;owned\u{7}\r\n\u{9B}31m\u{202E}x"
      expectTame(try await tool.bare(["env", "show", "-e", name]), "env show")
      expectTame(try await tool.bare(["env", "show", "--origin", "-e", name]), "env show --origin")
      expectTame(try await tool.bare(["count", "users", "-e", "missing"]), "a name that is missing")
      let json = try await tool.bare(["env", "list", "--json"])
      let list = try JSONSerialization.jsonObject(with: Data(json.standardOutput)) as? [[String: Any]]
      #expect(list?.first?["name"] as? String == name)
    }
  }
}
