import Foundation
import Synchronization
import TestSupport
import Testing

/// What `last` means, what is offered at the end, and what is counted, of runs that were interrupted or undone.
@Suite("The last run", .timeLimit(.minutes(30)))
struct LastRunTests {
  static func withMembers(
    _ count: Int = 9,
    _ body: (Tool, MiniFirestore, _ commits: CommitLimit) async throws -> Void
  ) async throws {
    let mini = MiniFirestore()
    try mini.load(
      jsonLines: (0..<count).map {
        #"{"fields":{"unit":{"stringValue":"mgdl"}},"name":"members/m\#($0)"}"#
      }.joined(separator: "\n")
    )
    let commits = CommitLimit()
    let refusal = Reaction.json(
      #"{"error":{"code":403,"status":"PERMISSION_DENIED","message":"not now"}}"#,
      status: 403
    )
    let handler: RequestHandler = { request in
      let isChange = request.kind == .commit && request.text.contains("documents/members/")
      return isChange && !commits.pass() ? refusal : mini.handler(request)
    }
    try await withTool(against: handler) { tool, _ in try await body(tool, mini, commits) }
  }

  static func members(_ mini: MiniFirestore) -> [String: String] {
    mini.lines().filter { $0.key.hasPrefix("members/") }
  }

  private func fix(_ set: String, _ more: String...) -> [String] {
    ["fix", "members", "--set", set, "--no-touch", "--schema", "none"] + more
  }

  @Test(
    "'undo last' is the newest run that wrote and is not undone: idle ones and those undone are passed over."
  )
  func undoLast() async throws {
    try await Self.withMembers { tool, mini, _ in
      var states = [Self.members(mini)]
      var runs: [String] = []
      for set in ["a=1", "a=2"] {
        try await tool.bare(fix(set, "--all-documents") + tool.place).expect(0)
        runs.append(try tool.lastRun())
        states.append(Self.members(mini))
      }
      // Neither writes: one finds nothing to do, the other is refused by its bound.
      try await tool.bare(fix("a=2", "--all-documents") + tool.place).expect(0)
      try await tool.bare(
        ["delete", "members", "--all-documents", "--hard", "--max-delete", "3", "--schema", "none"]
          + tool.place
      ).expect(77)
      let second = try await tool.run("runs", "undo", "last").expect(0)
      #expect(second.errors.hasPrefix("The last run is \(runs[1]) (fix members); of the newer runs, as "))
      #expect(second.errors.contains("\nRun \(runs[1]): fix members, begun 20"), "\(second.errors)")
      #expect(second.errors.contains(", 9 documents.\n"))
      #expect(Self.members(mini) == states[1])
      // What the undo wrote is nobody's edit.
      let first = try await tool.run("migrate", "undo", "last").expect(0)
      #expect(first.errors.contains("\nRun \(runs[0]): fix members"), "\(first.errors)")
      #expect(Self.members(mini) == states[0])
      try await tool.run("migrate", "undo", "last").expectFailure(64)
      #expect(Self.members(mini) == states[0])
    }
  }

  @Test("On a terminal, 'undo last' asks before it deletes what a run made that is no longer the newest.")
  func undoOfCreations() async throws {
    try await Self.withMembers { tool, mini, _ in
      let beginning = Self.members(mini)
      try tool.write(documentLine("members/new", 1), to: "in.jsonl")
      func load() async throws {
        try await tool.bare(["import", "in.jsonl", "--schema", "none"] + tool.place).expect(0)
      }
      func undo(typing answer: String) async throws -> RunResult {
        try await tool.onTerminal(["migrate", "undo", "last"] + tool.place, typing: answer)
      }
      try await load()
      // Nothing came later, so nothing is asked.
      let plain = try await undo(typing: "n")
      #expect(plain.exitCode == 0 && !plain.output.contains("[y/N]"), "\(plain.output)")
      #expect(Self.members(mini) == beginning)
      try await load()
      let loaded = Self.members(mini)
      try await tool.bare(fix("n=1", "--where", "n == 1") + tool.place).expect(0)
      let refused = try await undo(typing: "n")
      #expect(refused.exitCode == 77 && refused.output.contains("Delete the 1 document that it made? [y/N]"))
      #expect(Self.members(mini) == loaded)
      #expect(try await undo(typing: "y").exitCode == 0)
      #expect(Self.members(mini) == beginning)
    }
  }

  @Test("On a terminal, 'undo last' asks before it undoes a run behind one that wrote nothing, also with -q.")
  func undoBehindAnIdleRun() async throws {
    try await Self.withMembers { tool, mini, _ in
      let beginning = Self.members(mini)
      try await tool.bare(fix("a=1", "--all-documents") + tool.place).expect(0)
      let run = try tool.lastRun()
      let quiet = try await tool.bare(["migrate", "undo", "last", "-q", "-n"] + tool.place)
      #expect(quiet.errors.hasPrefix("The last run is \(run) (fix members).\n"), "\(quiet.errors)")
      try await tool.bare(fix("n=1", "--where", "n == 1") + tool.place).expect(0)
      let changed = Self.members(mini)
      let undo = ["migrate", "undo", "last", "-q"] + tool.place
      let refused = try await tool.onTerminal(undo, typing: "n")
      #expect(refused.exitCode == 77 && refused.output.contains("Undo it? [y/N]"), "\(refused.output)")
      #expect(refused.output.contains("The last run is \(run) (fix members); of the newer runs, as "))
      #expect(Self.members(mini) == changed)
      let plan = try await tool.bare(["migrate", "undo", "last", "-n"] + tool.place)
      #expect(plan.lastLine.hasPrefix("To carry this out: gymmigrate migrate undo \(run)"), "\(plan.errors)")
      #expect(try await tool.onTerminal(undo + ["--yes"], typing: "n").exitCode == 0)
      #expect(Self.members(mini) == beginning)
    }
  }

  @Test(
    "What somebody changed after an interrupted run had written it stays as they left it: resumed, and undone.",
    arguments: [false, true]
  )
  func changedAfterWrite(_ isDeleted: Bool) async throws {
    try await Self.withMembers { tool, mini, commits in
      commits.allow(1)
      let command = fix("a=1", "--all-documents", "--batch-size", "4", "--in-flight", "1")
      try await tool.bare(command + tool.place).expect(77)
      let written = Self.members(mini).filter { $0.value.contains(#""a""#) }.keys.sorted()
      let theirs = try #require(written.first)
      let fields = #"{"a":{"integerValue":"99"},"unit":{"stringValue":"mgdl"}}"#
      if isDeleted { mini.remove(theirs) } else { try mini.put(theirs, fields: fields) }
      let line = Self.members(mini)[theirs]
      commits.allow(.max)
      let resumed = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
      let totals = try resumed.summary().totals
      #expect(totals.read == 9 && totals.written == 9 && totals.balance, "\(totals)")
      #expect(Self.members(mini)[theirs] == line)
      #expect(Self.members(mini).values.count { $0.contains(#""a":{"integerValue":"1"}"#) } == 8)
      #expect(
        try await tool.findings(of: tool.lastRun()) == [ListedFinding(theirs, "fix", "changed-since")]
      )
      try await tool.run("migrate", "undo", "last").expect(2)
      #expect(Self.members(mini)[theirs] == line)
      #expect(Self.members(mini).values.count { $0.contains(#""a""#) } == (isDeleted ? 0 : 1))
    }
  }

  @Test("So does what an interrupted import had written, in every mode.", arguments: modes, [false, true])
  func changedAfterImport(_ mode: String, _ isDeleted: Bool) async throws {
    try await Self.withMembers { tool, mini, commits in
      // Only new documents can be written in the mode create.
      let names = (0..<9).map { "members/\(mode == "create" ? "new" : "m")\($0)" }
      try tool.write(names.map { documentLine($0, 1) }.joined(separator: "\n"), to: "in.jsonl")
      func written() -> [String] {
        Self.members(mini).filter { $0.value.contains(#""n":{"integerValue":"1"}"#) }.keys.sorted()
      }
      commits.allow(1)
      let command = ["import", "in.jsonl", "--mode", mode, "--batch-size", "4", "--in-flight", "1"]
      // The place names the gym's schema.
      try await tool.bare(command + ["--schema", "none"] + tool.place.dropFirst(2)).expect(77)
      let theirs = try #require(written().first)
      if isDeleted {
        mini.remove(theirs)
      } else {
        try mini.put(theirs, fields: #"{"n":{"integerValue":"2"}}"#)
      }
      let line = Self.members(mini)[theirs]
      commits.allow(.max)
      let resumed = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
      let totals = try resumed.summary().totals
      #expect(totals.read == 9 && totals.written == 9 && totals.balance, "\(totals)")
      #expect(Self.members(mini)[theirs] == line)
      #expect(written().count == 8)
      let findings = try await tool.findings(of: tool.lastRun())
      #expect(findings == [ListedFinding(theirs, "import", "changed-since")])
      _ = try await tool.run("migrate", "undo", "last")
      #expect(Self.members(mini)[theirs] == line)
    }
  }

  private static let modes = ["create", "upsert", "merge", "replace"]

  @Test("So does what an interrupted undo had put back: it is no conflict.", arguments: [false, true])
  func changedAfterUndo(_ isDeleted: Bool) async throws {
    try await Self.withMembers { tool, mini, commits in
      try await tool.bare(fix("a=1", "--all-documents") + tool.place).expect(0)
      let run = try tool.lastRun()
      commits.allow(1)
      try await tool.run("migrate", "undo", run, "--batch-size", "4", "--in-flight", "1").expectFailure(77)
      let restored = Self.members(mini).filter { !$0.value.contains(#""a""#) }.keys.sorted()
      let theirs = try #require(restored.first)
      if isDeleted { mini.remove(theirs) } else { try mini.put(theirs, fields: "{}") }
      let line = Self.members(mini)[theirs]
      commits.allow(.max)
      let resumed = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
      let totals = try resumed.summary().totals
      #expect(totals.read == 9 && totals.written == 9 && totals.balance, "\(totals)")
      #expect(Self.members(mini)[theirs] == line)
      #expect(try tool.text("\(tool.runs()[1])/findings.csv").contains("changed-since"))
      let status = try await tool.ledger().runs.first { $0.runId == run }?.status
      #expect(status == "undone")
    }
  }

  @Test("Nobody has changed what an undo wrote, so it verifies")
  func undoVerifies() async throws {
    try await Self.withMembers { tool, mini, _ in
      try await tool.bare(fix("a=1", "--all-documents") + tool.place).expect(0)
      try await tool.run("migrate", "verify", "--run", "last").expect(0)
      try await tool.run("migrate", "undo", "last").expect(0)
      try await tool.run("migrate", "verify", "--run", "last").expect(0)
      try mini.put("members/m0", fields: "{}")
      try await tool.run("migrate", "verify", "--run", "last").expect(1)
    }
  }

  @Test("A run that wrote ends with the command that undoes it, and one that did not, does not.")
  func undoIsOffered() async throws {
    try await Self.withMembers { tool, mini, _ in
      let before = Self.members(mini)
      let result = try await tool.bare(fix("a=1", "--all-documents") + tool.place)
      #expect(result.lastLine == "To undo: gymmigrate migrate undo \(try tool.lastRun())", "\(result.errors)")
      let idle = try await tool.bare(fix("a=1", "--all-documents") + tool.place)
      #expect(!idle.errors.contains("To undo"))
      let words = result.lastLine.split(separator: " ").dropFirst(3).map(String.init)
      let undone = try await tool.bare(words).expect(0)
      #expect(!undone.errors.contains("To undo"))
      #expect(Self.members(mini) == before)
    }
  }

  @Test("'resume last' is the newest run that can go on; refused and malformed ones cannot.")
  func resumeLast() async throws {
    try await Self.withMembers { tool, mini, commits in
      commits.allow(1)
      let small = ["--batch-size", "4", "--in-flight", "1"]
      let stopped = try await tool.bare(fix("a=1", "--all-documents") + small + tool.place).expect(77)
      let run = try tool.lastRun()
      #expect(stopped.lastLine == "To resume: gymmigrate runs resume \(run)")
      commits.allow(.max)
      // None of these leaves anything to go on with.
      try tool.write("{\n", to: "bad.jsonl")
      for (command, code) in [
        (["import", "bad.jsonl"], Int32(65)),
        // Another run is half-way.
        (fix("a=2", "--all-documents"), 75),
        (["delete", "members", "--all-documents", "--hard", "--max-delete", "1", "--schema", "none"], 77),
      ] {
        let result = try await tool.bare(command + tool.place).expect(code)
        #expect(!result.errors.contains("To resume"), "\(result.errors)")
      }
      let list = try await tool.bare(["runs", "list", "--json"])
      let entries = try #require(
        JSONSerialization.jsonObject(with: Data(list.standardOutput)) as? [[String: Any]]
      )
      #expect(entries.filter { $0["canGoOn"] as? Bool == true }.map { $0["runId"] as? String } == [run])
      let resumed = try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(resumed.errors.hasPrefix("Resuming \(run) ("), "\(resumed.errors)")
      #expect(Self.members(mini).values.allSatisfy { $0.contains(#""a":{"integerValue":"1"}"#) })
    }
  }

  @Test(
    "The counts of a run that was resumed are those of all of it, though a filter leaves out what is done"
  )
  func counts() async throws {
    try await Self.withMembers(23) { tool, mini, commits in
      commits.allow(2)
      let command = fix("unit=mg/dL", "--where", "unit == mgdl", "--batch-size", "4", "--in-flight", "1")
      try await tool.bare(command + tool.place).expect(77)
      // A commit is sent with what waits as soon as none is in flight.
      #expect((2...8).contains(Self.members(mini).values.count { $0.contains("mg/dL") }))
      commits.allow(1)
      try await tool.bare(["runs", "resume", "last"]).expect(77)
      commits.allow(.max)
      let result = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
      let totals = try result.summary().totals
      #expect(totals.read == 23 && totals.written == 23 && totals.balance, "\(totals)")
    }
  }

  @Test("So are the reasons of its changes, of programs and of deletions, too.")
  func reasons() async throws {
    let program = """
      import json, sys
      for line in sys.stdin:
          document = json.loads(line)
          number = int(document["name"][9:])
          if number % 3 == 0: print('{"delete": true, "name": "%s"}' % document["name"], flush=True)
          elif "seen" in document["fields"]: print('{"same": true}', flush=True)
          else:
              document["fields"]["seen"] = {"booleanValue": True}
              print(json.dumps(document), flush=True)
      """
    try await Self.withMembers(24) { tool, mini, commits in
      try tool.write(program, to: "fix.py")
      commits.allow(2)
      let words = ["--run", "python3 fix.py", "--no-touch", "--schema", "none", "--max-delete", "24"]
      let small = ["--batch-size", "4", "--in-flight", "1", "--program-timeout", "120"]
      let command = ["fix", "members", "--all-documents"] + words + small
      try await tool.bare(command + tool.place).expect(77)
      #expect((1..<24).contains(Self.members(mini).values.count { !$0.contains("seen") }))
      commits.allow(.max)
      let result = try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(result.output.contains("fix: 24 documents changed"), "\(result.output)")
      #expect(result.output.contains("run fix.py: 24\n"), "\(result.output)")
      #expect(Self.members(mini).count == 16 && Self.members(mini).values.allSatisfy { $0.contains("seen") })
    }
  }
}

/// How many commits may pass.
final class CommitLimit: Sendable {
  private let left = Mutex(Int.max)

  func allow(_ count: Int) { left.withLock { $0 = count } }

  func pass() -> Bool {
    left.withLock { left in
      if left == 0 { return false }
      left -= 1
      return true
    }
  }
}
