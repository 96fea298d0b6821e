import TestSupport
import Testing

@Suite("Migrations that run a program", .timeLimit(.minutes(60)))
struct ProgramFileTests {
  private static let people = Dictionary(
    uniqueKeysWithValues: (1...700).map { ("members/m\(1000 + $0)", ["role": s("x")]) }
  )

  private static let migration = """
    id: members-role
    summary: Writes roles.
    collection: members
    touch: false
    steps:
      - run: [python3, role.py]

    """

  /// - Parameter trap: What is done at a document `name` of which `marker` does not exist yet.
  private static func program(_ trap: String = "pass") -> String {
    """
    import json, os, signal, sys
    for line in sys.stdin:
        document = json.loads(line)
        name = document["name"]
        if not os.path.exists("marker"):
            \(trap)
        document["fields"]["role"] = {"stringValue": name[-1]}
        print(json.dumps(document))

    """
  }

  private static var done: Documents {
    Dictionary(uniqueKeysWithValues: people.keys.map { ($0, ["role": s(String($0.suffix(1)))]) })
  }

  private func withPeople(_ program: String, _ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      try await tool.load(Self.people)
      try tool.write(Self.migration, to: "m/role.yaml")
      try tool.write(program, to: "m/role.py")
      try await body(tool)
    }
  }

  private let apply = ["migrate", "apply", "m/role.yaml", "--allow-schema-breaks", "--json"]

  @Test("A plan, an apply, and one of another program, which is refused as another file is.")
  func changed() async throws {
    try await withPeople(Self.program()) { tool in
      let words = ["migrate", "plan", "m/role.yaml", "--allow-schema-breaks", "-o", "plan.jsonl"]
      try await tool.bare(words + tool.place).expect(0)
      #expect(try await tool.documents() == parsed(Self.people))
      let applied = try await tool.bare(apply + tool.place).expect(0)
      #expect(try applied.summary().totals.written == 700)
      #expect(try await tool.documents() == parsed(Self.done))
      try tool.write(Self.program("raise SystemExit(1)"), to: "m/role.py")
      try await tool.bare(apply + tool.place).expectFailure(77, "or the program that it runs, is not the one")
      try tool.write(Self.program(), to: "m/role.py")
      let again = try await tool.bare(apply + tool.place)
      #expect(try again.summary().totals.unchanged == 700)
      try await tool.run("migrate", "undo", try applied.summary().runId).expect(0)
      #expect(try await tool.documents() == parsed(Self.people))
    }
  }

  @Test(
    "Killed at a document, the run or a process of the program, and resumed, it is an uninterrupted run",
    arguments: ["os.getppid()", "os.getpid()"],
    [("m1001", "1"), ("m1299", "3"), ("m1301", "1"), ("m1450", "3"), ("m1700", "2")]
  )
  func killed(_ victim: String, _ point: (place: String, processes: String)) async throws {
    let apply = self.apply + ["--processes", point.processes]
    let trap = """
      if name.endswith("\(point.place)"):
                  open("marker", "w").close()
                  os.kill(\(victim), signal.SIGKILL)
      """
    try await withPeople(Self.program(trap)) { tool in
      let killed = try await tool.bare(apply + tool.place)
      #expect(killed.exitCode != 0)
      #expect(tool.exists("marker"))
      let resumed = try await tool.bare(apply + tool.place).expect(0)
      let totals = try resumed.summary().totals
      #expect(totals.written == 700 && totals.read == 700 && totals.balance)
      #expect(try await tool.documents() == parsed(Self.done))
    }
  }

  @Test("A run is not resumed with another program.")
  func resumedWithAnother() async throws {
    let trap = "if name.endswith('m1450'): sys.exit(1)"
    try await withPeople(Self.program(trap)) { tool in
      try await tool.bare(apply + tool.place).expectFailure(65, "members/m1450: it ended with status 1")
      try tool.write(Self.program(), to: "m/role.py")
      let run = try #require(tool.names(in: ".gymmigrate/runs").first { !$0.contains("import") })
      // A new run would be refused in the same way.
      for command in [["runs", "resume", run], apply + tool.place] {
        let refused = try await tool.bare(command)
        refused.expectFailure(65, "role.py has changed", "migrate undo \(run)", "migrate unlock \(run)")
        #expect(!refused.errors.contains("new run"))
      }
    }
  }

  @Test("A run is resumed with the same bytes of a program and a migration, whenever they were written.")
  func resumedWithTheSame() async throws {
    let trap = """
      if name.endswith("m1450"):
                  open("marker", "w").close()
                  sys.exit(1)
      """
    try await withPeople(Self.program(trap)) { tool in
      try await tool.bare(apply + tool.place).expectFailure(65, "members/m1450")
      try tool.write(Self.migration, to: "m/role.yaml")
      try tool.write(Self.program(trap), to: "m/role.py")
      let run = try #require(tool.names(in: ".gymmigrate/runs").first { !$0.contains("import") })
      let resumed = try await tool.bare(apply + tool.place).expect(0)
      #expect(try resumed.summary().runId == run)
      #expect(try await tool.documents() == parsed(Self.done))
    }
  }

  @Test(
    "What 'run' does not take, with its line",
    arguments: ["fix.py", "[]", "[[a]]", "[\"\"]", "{words: a}"]
  )
  func malformed(_ words: String) async throws {
    try await withPeople(Self.program()) { tool in
      try tool.write(Self.migration.replacing("[python3, role.py]", with: words), to: "m/role.yaml")
      try await tool.bare(apply + tool.place).expectFailure(65, "line 6")
    }
  }

  @Test func onlyStep() async throws {
    try await withPeople(Self.program()) { tool in
      try tool.write(Self.migration + "  - trim: role\n", to: "m/role.yaml")
      try await tool.bare(apply + tool.place).expectFailure(65, "a program is the only step")
    }
  }
}
