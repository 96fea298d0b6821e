import TestSupport
import Testing

@Suite("Several processes of a program", .timeLimit(.minutes(60)))
struct ProgramProcessTests {
  private static let people = Dictionary(
    uniqueKeysWithValues: (1...700).map { ("members/m\(1000 + $0)", ["role": s("x")]) }
  )

  private static let fix = [
    "fix", "members", "--all-documents", "--run", "python3 fix.py", "--allow-schema-breaks", "--no-touch",
  ]

  private func withPeople(_ program: String, _ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      try await tool.load(Self.people)
      try tool.write(ProgramTests.head + program, to: "fix.py")
      try await body(tool)
    }
  }

  private func fix(_ tool: Tool, _ flags: String...) async throws -> RunResult {
    try await tool.bare(Self.fix + flags + tool.place)
  }

  @Test("Each gets its documents in order, and no document is asked of two.")
  func shares() async throws {
    let program = """
      for name, fields in lines():
        with open('asked-' + str(os.getpid()), 'a') as log: print(name, file=log)
        say({'same': True})
      """
    try await withPeople(program) { tool in
      let result = try await fix(tool, "--processes", "3", "--allow-nondeterministic", "--json")
      result.expect(0)
      let asked = try tool.names(in: ".").filter { $0.hasPrefix("asked-") }.map { file in
        try tool.text(file).split(separator: "\n").map(String.init)
      }
      #expect(asked.count == 3)
      for names in asked { #expect(names == names.sorted()) }
      #expect(asked.joined().sorted() == Self.people.keys.sorted())
    }
  }

  @Test("What several decide is in the plan as one would have decided, is applied and undone.")
  func sameAsOne() async throws {
    let program = """
      for name, fields in lines():
        number = int(name[-3:])
        # The first of each page come last.
        time.sleep(0.2 if number % 300 == 1 else 0)
        if number % 10 == 0: say({'review': 'number ' + str(number)})
        elif number % 10 == 1: say({'same': True})
        elif number % 10 == 2: say({'delete': True})
        else:
          fields['n'] = {'integerValue': str(number)}
          change(name, fields)
      """
    try await withPeople(program) { tool in
      let before = try await tool.documents()
      let one = try await fix(tool, "-n", "--examples", "700")
      let several = try await fix(tool, "-n", "--examples", "700", "--processes", "4")
      #expect(several.exitCode == one.exitCode && several.output == one.output)
      let applied = try await fix(tool, "--processes", "4", "--max-delete", "70", "--json")
      applied.expect(2)
      let totals = try applied.summary().totals
      #expect(totals.balance && totals.read == 700 && totals.written == 560 && totals.deleted == 70)
      #expect(totals.review == 70)
      try await tool.run("migrate", "undo", try applied.summary().runId).expect(0)
      #expect(try await tool.documents() == before)
    }
  }

  /// At `m1150`, which is of the second of three processes.
  private static let bad: [BadProgram] = [
    BadProgram("dies", "sys.exit(3)", "members/m1150: it ended with status 3"),
    BadProgram("is killed", "os.kill(os.getpid(), 9)", "members/m1150: it ended"),
    BadProgram(
      "hangs",
      "time.sleep(600)",
      "members/m1150: it did not answer within 5 s",
      ["--program-timeout", "5"]
    ),
    BadProgram("talks rubbish", "print('hello', flush=True)", "members/m1150: it answers what is no answer"),
    BadProgram(
      "answers twice",
      "say({'same': True})\n    say({'same': True})",
      "members/m1152: it answers what is no answer: it is about members/m1150"
    ),
    BadProgram(
      "is of another mind the second time",
      "say({'skip': str(os.getpid())})\n    continue",
      "members/m1150: asked twice, the program answers differently",
      exitCode: 77
    ),
  ]

  @Test("Where one is no good, the run stops with the document named, and nothing is written", arguments: bad)
  func stops(_ bad: BadProgram) async throws {
    let program = """
      for name, fields in lines():
        if name.endswith('m1150'):
          \(bad.text)
        change(name, fields)
      """
    try await withPeople(program) { tool in
      let result = try await fix(tool, "--processes", "3", "--program-timeout", bad.flags.last ?? "120")
      result.expectFailure(bad.exitCode, bad.cause)
      #expect(try await tool.documents() == parsed(Self.people))
    }
  }

  @Test("The bound on answers is of all of them together, and so many processes there are at most.")
  func bounds() async throws {
    let program = "sys.stdout.write('x' * (13 << 20))\nsys.stdout.flush()\ntime.sleep(600)"
    try await withPeople(program) { tool in
      let result = try await fix(tool, "--processes", "4", "--program-timeout", "300")
      result.expectFailure(65, "its answer is too long")
      for count in ["0", "65", "x"] { try await fix(tool, "--processes", count).expect(64) }
      #expect(try await tool.documents() == parsed(Self.people))
    }
  }
}
