import Foundation
import TestSupport
import Testing

@Suite("check", .timeLimit(.minutes(60)))
struct CheckTests {
  /// Documents in which nothing is wrong.
  private static let sound = """
    {"name":"app_config/setup","fields":{"adminUserId":{"stringValue":"u1"},\
    "createdAt":{"timestampValue":"2026-01-01T00:00:00Z"}}}
    {"name":"users/u1","fields":{"id":{"stringValue":"u1"},"role":{"stringValue":"admin"},\
    "email":{"stringValue":"ana@example.com"},"createdAt":{"timestampValue":"2026-01-01T00:00:00Z"},\
    "updatedAt":{"timestampValue":"2026-01-01T00:00:00Z"}}}

    """

  private func checked(_ result: RunResult) throws -> Checked {
    try JSONDecoder().decode(Checked.self, from: Data(result.standardOutput))
  }

  @Test("A sound gym ends in 0, with a table of zeros.")
  func nothing() async throws {
    try await withTool { tool in
      let file = try tool.write(Self.sound, to: "sound.jsonl")
      try await tool.run("import", file, "-q").expect(0)
      let result = try await tool.run("check").expect(0)
      let lines = result.output.split(separator: "\n")
      // The rule about buckets is for environments that have one.
      #expect(lines.count == 33)
      #expect(lines.dropFirst().allSatisfy { $0.contains(" 0  ") })
      // Two runs of one second stand in the order of their names.
      let run = try #require(tool.runs().first { $0.contains("-check-") })
      #expect(tool.names(in: run) == ["operation.log", "run.json", "summary.json"])
      let json = try await tool.run("check", "--json", "-o", "findings.json").expect(0)
      let object = try checked(json)
      #expect(object.findings.isEmpty)
      #expect(object.rules.values.allSatisfy { $0 == 0 })
      #expect(object.rules.count == 32)
      #expect(object.status == "done")
      #expect(try tool.text("findings.json") == "[\n]\n")
    }
  }

  @Test(
    "The gym of the samples has what its README lists: users of wrong types, and entries of users who are gone."
  )
  func samples() async throws {
    try await withTool { tool in
      let files = try Samples.all().map { Samples.file($0) }
      try await tool.bare(["import"] + files + ["-q"] + tool.place).expect(0)
      try await tool.run(
        "export",
        "--all",
        "--subcollections",
        "-o",
        "before/",
        "--format",
        "jsonl",
        "-q"
      ).expect(0)
      let result = try await tool.run("check", "-o", "findings.csv").expect(1)
      #expect(
        result.output.contains(
          "\n      14  wrong-type                     users/8KpVC8hy1FGVvoS1zdtrYy57PqwG, "
        )
      )
      #expect(
        result.output.contains(
          "\n       2  foreign-key-dangling           user_emails/heredado@example.com, user_emails/se.fue@example.com\n"
        )
      )
      #expect(!result.output.contains("Aa1SeFueYSinDocumento0000000"), "a value is on the table")
      #expect(result.lastLine == "See findings.csv (every finding).")
      let rows = try await Judge.script(
        """
        import csv, sys
        rows = list(csv.reader(open(sys.argv[1], encoding="utf-8-sig", newline=""), strict=True))
        assert rows[0] == ["rule", "path", "field", "value", "message"], rows[0]
        print(len(rows) - 1)
        """,
        tool.path("findings.csv")
      )
      // As many as the oracle finds.
      #expect(rows == "107\n")
      let run = try #require(tool.runs().last)
      #expect(tool.names(in: run) == ["findings.csv", "operation.log", "run.json", "summary.json"])
      #expect(try tool.text("\(run)/findings.csv") == tool.text("findings.csv"))
      let some = try await tool.run(
        "check",
        "--rule",
        "foreign-key-dangling",
        "--rule",
        "id-missing",
        "--examples",
        "0"
      ).expect(1)
      #expect(
        some.output
          == "FINDINGS  RULE                  DOCUMENTS\n       0  id-missing\n       2  foreign-key-dangling\n"
      )
      try await tool.run("export", "--all", "--subcollections", "-o", "after/", "--format", "jsonl", "-q")
        .expect(0)
      for name in tool.names(in: "before") where name != "manifest.json" {
        #expect(try tool.text("before/\(name)") == tool.text("after/\(name)"), "check wrote to \(name)")
      }
    }
  }

  @Test(
    "Another program, written from the domain page, finds the same in a gym that was broken at random.",
    arguments: 1...6
  )
  func oracle(_ seed: Int) async throws {
    try await withTool { tool in
      let root = Samples.repository.path
      let users = 20 + seed * 7
      let made = try await Judge.python([
        "\(root)/samples/gym/generate.py", "--out", tool.path("gym"), "--users", "\(users)", "--seed",
        "\(seed)",
      ])
      try #require(made.exitCode == 0, "\(made.errors)")
      let broken = try await Judge.python([
        "\(root)/Tests/Oracle/check_damage.py", tool.path("gym"), "-o", tool.path("broken"), "--seed",
        "\(seed)",
      ])
      try #require(broken.exitCode == 0, "\(broken.errors)")
      try await tool.run("import", "broken/all.jsonl", "-q").expect(0)
      let result = try await tool.run("check", "--json", "--page-size", "\(seed * 3)").expect(1)
      try tool.write(result.output, to: "found.json")
      let judged = try await Judge.python([
        "\(root)/Tests/Oracle/check_expected.py", tool.path("broken"), "--compare", tool.path("found.json"),
      ])
      #expect(
        judged.exitCode == 0,
        "seed \(seed), \(users) users:\n\(judged.output.suffix(3000))\(judged.errors)"
      )
      #expect(judged.output.contains(" findings of "))
    }
  }

  @Test("A server that is down is unavailable, told as JSON all the same; nothing is left of the file.")
  func unavailable() async throws {
    try await withTool { tool in
      var tool = tool
      tool.place = [
        "--schema", "gym", "--project", "p", "--endpoint", "http://127.0.0.1:1", "--retry-for", "0.2",
      ]
      try await tool.run("check").expectFailure(69)
      let result = try await tool.run("check", "--json", "-o", "findings.csv")
      result.expectFailure(69)
      let object = try checked(result)
      #expect(object.exitCode == 69)
      #expect(object.status == "failed")
      #expect(object.findings.isEmpty)
      #expect(object.error?.isEmpty == false)
      #expect(!tool.exists("findings.csv"))
    }
  }

  @Test("A service that breaks in the middle: what was found is told, and that it failed.")
  func broken() async throws {
    let mini = MiniFirestore()
    try mini.put("users/u1", fields: "{}")
    let handler = mini.handler
    let failing: RequestHandler = { request in
      if request.kind == .list, request.path.hasSuffix("/payments") {
        return .json(
          #"{"error":{"code":403,"message":"Missing or insufficient permissions.","status":"PERMISSION_DENIED"}}"#,
          status: 403
        )
      }
      return handler(request)
    }
    try await withTool(against: failing) { tool, _ in
      let rules = ["--rule", "id-missing", "--rule", "id-mismatch"]
      let result = try await tool.bare(["check", "--json", "-o", "findings.jsonl"] + rules + tool.place)
      result.expectFailure(77)
      let object = try checked(result)
      #expect(object.exitCode == 77)
      #expect(object.findings.map(\.rule) == ["id-missing"])
      #expect(!tool.exists("findings.jsonl"))
      let plain = try await tool.run("check")
      plain.expectFailure(77)
      #expect(plain.output.isEmpty, "a table of half a check")
    }
  }

  @Test("Everything is read once and at one moment, the fields of the rules alone.")
  func reading() async throws {
    let mini = try MiniFirestore.withSamples(["users", "members", "groups", "app_config"])
    try await withTool(against: mini.handler) { tool, server in
      let result = try await tool.run(
        "check",
        "--rule",
        "group-admin-missing",
        "--rule",
        "link-not-mirrored",
        "--json"
      ).expect(0)
      let object = try checked(result)
      let moment = try #require(object.readTime)
      let lists = server.requests(.list).filter { !$0.target.contains("pageSize=1&") }
      #expect(!lists.isEmpty)
      #expect(lists.allSatisfy { $0.query.contains { $0.name == "readTime" && $0.value == moment } })
      #expect(
        Set(lists.flatMap(\.query).filter { $0.name == "mask.fieldPaths" }.map(\.value)) == [
          "linkedMemberId", "linkedUserId",
        ]
      )
      #expect(Set(lists.map { $0.path.split(separator: "/").last }) == ["users", "members"])
      let queries = server.requests(.runQuery)
      #expect(queries.allSatisfy { String(decoding: $0.body, as: UTF8.self).contains(moment) })
      #expect(object.collections.map(\.name) == ["users", "members", "groups", "groups/*/members"])
      #expect(object.collections.map(\.read) == [400, 420, 5, 20])
      let present = try await tool.run(
        "check",
        "--rule",
        "group-admin-missing",
        "--read-time",
        "none",
        "--json"
      ).expect(0)
      #expect(try checked(present).readTime == nil)
    }
  }

  @Test("What is wrong with the command line is told at once, and nothing is asked.")
  func usage() async throws {
    try await withTool { tool in
      var tool = tool
      tool.place = ["--schema", "gym", "--project", "p", "--endpoint", "http://127.0.0.1:1"]
      for arguments in [
        ["--rule", "id"], ["--rule", "ID-MISSING"], ["-o", "findings.txt"], ["-o", "-"],
        ["--read-time", "soon"],
        ["--page-size", "301"], ["--examples", "-1"], ["users/u1"], ["nobody"],
      ] {
        let result = try await tool.bare(["check"] + arguments + tool.place)
        #expect(result.exitCode == 64, "\(arguments)")
        #expect(result.output.isEmpty, "\(arguments)")
      }
      let result = try await tool.run("check", "-o", "nowhere/findings.csv", "--json")
      result.expectFailure(73, "nowhere/findings.csv")
      #expect(result.output.isEmpty)
      #expect(!tool.exists(".gymmigrate"))
    }
  }

  @Test(
    "The same of groups, their members, current groups, and URLs of files in other buckets.",
    arguments: 1...4
  )
  func groupsOracle(_ seed: Int) async throws {
    try await withTool { tool in
      let oracle = Samples.repository.appendingPathComponent("Tests/Oracle").path
      let generator = Samples.repository.appendingPathComponent("samples/gym/generate.py").path
      try tool.write(
        """
        project: sajarubox
        schema: gym
        environments:
          local: { database: local, storageBucket: sajarubox_prod }
          test: { database: test, storageBucket: sajarubox_test }
          stage: { database: stage, storageBucket: sajarubox_stage }
        """,
        to: "gymmigrate.yaml"
      )
      let made = try await Judge.python(
        [generator, "--out", "gym", "--users", "\(30 + seed * 9)", "--seed", "\(seed)"],
        in: tool.folder
      )
      try #require(made.exitCode == 0, "\(made.errors)")
      let broken = try await Judge.python(
        ["\(oracle)/check_damage_groups.py", "gym", "\(seed)", "broken", "--count", "120"],
        in: tool.folder
      )
      try #require(broken.exitCode == 0, "\(broken.errors)")
      let files = tool.names(in: "broken").filter { $0.hasSuffix(".jsonl") }.map { "broken/\($0)" }
      try await tool.bare(["import"] + files + ["-q", "--validate", "off"] + tool.place).expect(0)
      let result = try await tool.run("check", "--json").expect(1)
      try tool.write(result.output, to: "found.json")
      let judged = try await Judge.python(
        [
          "\(oracle)/check_expected.py", "broken", "--compare", "found.json", "--bucket", "sajarubox_prod",
          "--foreign", "sajarubox_test,sajarubox_stage",
        ],
        in: tool.folder
      )
      #expect(judged.exitCode == 0, "seed \(seed): \(judged.output.suffix(2000))\(judged.errors)")
      #expect(judged.output.contains("foreign-bucket") && judged.output.contains("current-group"))
    }
  }

  @Test func listOfRules() async throws {
    try await withTool { tool in
      let result = try await tool.bare(["check", "--list-rules"]).expect(0)
      let lines = result.output.split(separator: "\n").map { $0.split(separator: "\t") }
      #expect(lines.count == 33)
      #expect(lines.allSatisfy { $0.count == 2 && $0[1].hasSuffix(".") })
      let json = try await tool.bare(["check", "--list-rules", "--json"])
      let array = try #require(
        JSONSerialization.jsonObject(with: Data(json.standardOutput)) as? [[String: String]]
      )
      #expect(array.map { $0["rule"] } == lines.map { String($0[0]) })
    }
  }

  // MARK: Memory

  /// Members, each with a user who does not exist and a family without an owner, made as they are asked for.
  private static func members(_ total: Int) -> RequestHandler {
    { request in
      switch request.kind {
      case .aggregation:
        return .json(
          #"[{"result":{"aggregateFields":{"n":{"integerValue":"\#(total)"}}},"readTime":"2026-01-02T03:04:05.000001Z"}]"#
        )
      case .runQuery: return .json(#"[{"readTime":"2026-01-02T03:04:05.000001Z"}]"#)
      case .list where request.path.hasSuffix("/members"):
        func number(_ name: String) -> Int? {
          request.query.first { $0.name == name }.flatMap { Int($0.value) }
        }
        let start = number("pageToken") ?? 0
        let end = min(total, start + (number("pageSize") ?? 20))
        let documents = (start..<end).map { index in
          let id = String(1_000_000_000 + index)
          return """
            {"name":"projects/test-project/databases/(default)/documents/members/\(id)","fields":{\
            "id":{"stringValue":"\(id)"},"linkedUserId":{"stringValue":"Zz0BorradoHaceMucho-\(id)"},\
            "familyGroupId":{"stringValue":"familia-\(id)"}},\
            "createTime":"2025-01-02T03:04:05.678Z","updateTime":"2025-01-02T03:04:05.678Z"}
            """
        }
        let token = end < total ? #","nextPageToken":"\#(end)""# : ""
        return .json(#"{"documents":[\#(documents.joined(separator: ","))]\#(token)}"#)
      case .list: return .json("{}")
      default: return .html(404)
      }
    }
  }

  /// Checks so many members and returns the peak of the program's resident memory in KiB, as packaged.
  private func peak(_ total: Int) async throws -> Int {
    var peak = 0
    try await withTool(against: Self.members(total)) { tool, _ in
      // wait4's figure for the child, in KiB on Linux and in bytes on a Mac.
      let script = """
        import json, os, resource, subprocess, sys
        with open("found.json", "wb") as file:
            code = subprocess.run(sys.argv[1:], stdout=file).returncode
        assert code == 1, code
        found = json.load(open("found.json"))
        assert found["rules"]["foreign-key-dangling"] == found["rules"]["family-group-owner"]
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        # The build of the tests has its libraries apart, which takes more than the 30 MiB of the packaged program.
        pid = subprocess.Popen([sys.argv[1], "--version"], stdout=subprocess.DEVNULL).pid
        own = os.wait4(pid, 0)[2].ru_maxrss
        unit = 1024 if sys.platform == "darwin" else 1
        print(len(found["findings"]), peak // unit - max(0, own // unit - 30 * 1024))
        """
      let result = try await Gate.shared.pass {
        try await Judge.python(
          [
            "-c", script, tool.runner.executable, "check", "--json", "-q", "-o", "all.csv", "--rule",
            "foreign-key-dangling", "--rule", "family-group-owner", "--rule", "setup-missing",
          ] + tool.place,
          in: tool.folder
        )
      }
      result.expect(0)
      let numbers = result.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      // And the setup, which is missing.
      #expect(numbers.first == total * 2 + 1)
      peak = try #require(numbers.last)
    }
    return peak
  }

  @Test(
    "Memory grows neither with the documents nor with the findings.",
    .disabled(if: Sanitizer.isOn, "It would measure the sanitizer's own memory.")
  )
  func memory() async throws {
    let large = ProcessInfo.processInfo.environment["GYMMIGRATE_TEST_DOCUMENTS"].flatMap { Int($0) } ?? 80_000
    let small = try await peak(large / 4)
    let grown = try await peak(large)
    print("peak of a check: \(small) KiB for \(large / 4) documents, \(grown) KiB for \(large)")
    #expect(grown <= 64 << 10)
    #expect(Double(grown) <= Double(small) * 1.1)
  }
}

/// What `check --json` prints.
private struct Checked: Decodable {
  struct Finding: Decodable {
    var rule, path, message: String
    var field: String?
  }

  struct Collection: Decodable {
    var name: String
    var read: Int
  }

  var findings: [Finding]
  var rules: [String: Int]
  var command, status, runId: String
  var exitCode: Int32
  var readTime: String?
  var collections: [Collection]
  var error: String?
}
