import Foundation
import TestSupport
import Testing

@Suite("Runs that stopped, and what their messages advise", .timeLimit(.minutes(60)))
struct StoppedRunTests {
  private func withThings(_ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      try await tool.load((1...40).map { documentLine("things/t\($0)", $0) }, into: "test")
      try await body(tool)
    }
  }

  private static func refusal(_ code: Int, _ status: String) -> Reaction {
    .json(#"{"error":{"code":\#(code),"status":"\#(status)","message":"refused"}}"#, status: code)
  }

  private func fix(_ value: Int, _ more: String...) -> [String] {
    ["fix", "things", "--all-documents", "--set", "k=\(value)", "-e", "test", "-y"] + more
  }

  @Test("A run that reached its bound before it wrote a document can be resumed, and nothing waits for it.")
  func nothingSent() async throws {
    try await withThings { tool in
      var tool = tool
      tool.place = ["-e", "test"]
      let load = try tool.lastRun()
      let before = try await tool.dump("test")
      // The lease and the record of the run take six, and that of the times that it sets back one, so no document is written
      // with these. The first is a new run, which the others resume.
      for bound in [7] + Array(0...7) {
        try await tool.bare(fix(1, "--max-writes", "\(bound)")).expect(75)
        let runs = try await tool.ledger().runs
        #expect(runs.allSatisfy { !$0.isHalfWay }, "\(bound): \(runs)")
      }
      #expect(try await tool.dump("test") == before)
      let stopped = try #require(tool.runs().last { $0.contains("-fix-") }?.components(separatedBy: "/").last)
      let undo = try await tool.run("runs", "undo", "last", "-n").expect(0)
      #expect(undo.errors.contains("Run \(load): import"), "\(undo.errors)")
      try await tool.bare(fix(2)).expect(0)
      try await tool.bare(["runs", "resume", stopped, "--max-writes", "1000"]).expect(0)
      #expect(try await tool.dump("test").allSatisfy { $0.contains(#""k":{"integerValue":"1"}"#) })
    }
  }

  @Test("A run of which the service refused every write keeps no other from beginning, and is not resumed.")
  func allRefused() async throws {
    let mini = MiniFirestore()
    for index in 0..<3 { try mini.put("c/d\(index)", fields: "{}") }
    let handler: RequestHandler = { request in
      request.kind == .commit && request.text.contains("documents/c/")
        ? Self.refusal(400, "INVALID_ARGUMENT") : mini.handler(request)
    }
    try await withTool(against: handler) { tool, _ in
      let few = ["--schema", "none", "--batch-size", "1", "--in-flight", "1", "--max-errors", "0"]
      try await tool.bare(["fix", "c", "--all-documents", "--set", "k=1"] + few + tool.place)
        .expectFailure(65, "allow more with --max-errors")
      try await tool.bare(["runs", "resume", "last"]).expectFailure(64, "before it wrote anything")
      #expect(try await tool.ledger().runs.map(\.isHalfWay) == [false])
    }
  }

  @Test(
    "A run that ended before it had a journal, or all of its first line, has nothing to undo.",
    arguments: [nil, "", "{\"datab"]
  )
  func noJournal(_ journal: String?) async throws {
    try await withTool(against: { _ in Self.refusal(403, "PERMISSION_DENIED") }) { tool, _ in
      try tool.write(documentLine("a/1", 1), to: "a.jsonl")
      try await tool.run("import", "a.jsonl", "--schema", "none").expect(77)
      let run = try tool.lastRun()
      try #require(!tool.exists(".gymmigrate/runs/\(run)/journal.jsonl"))
      // As a process that is killed leaves it.
      try FileManager.default.removeItem(atPath: tool.path(".gymmigrate/runs/\(run)/summary.json"))
      if let journal { try tool.write(journal, to: ".gymmigrate/runs/\(run)/journal.jsonl") }
      for more in [[], ["-n"]] {
        try await tool.bare(["runs", "undo", run] + more + tool.place)
          .expectFailure(64, "it ended before its first write")
      }
    }
  }

  @Test("Of a run whose folder is a copy, the commands are named that work, and they do.")
  func copied() async throws {
    try await withThings { tool in
      let text = "id: set-a\nsummary: Sets a.\ncollection: things\nsteps:\n  - set: {a: 1}\n"
      try tool.write(text, to: "migrations/1-a.yaml")
      try await tool.bare(["migrate", "up", "-e", "test"]).expect(0)
      let run = try tool.lastRun(of: "migrate")
      try FileManager.default.copyItem(atPath: tool.path(".gymmigrate"), toPath: tool.path("unpacked"))
      let refused = try await tool.bare(["runs", "resume", run, "--state-dir", "unpacked"])
      refused.expectFailure(
        77,
        "it was not made here",
        "gymmigrate migrate undo \(run) --state-dir unpacked -e test",
        "gymmigrate migrate unlock \(run) -e test"
      )
      try await tool.bare(["migrate", "undo", run, "--state-dir", "unpacked", "-e", "test"]).expect(0)
    }
  }

  @Test("An import whose input changes after it wrote cannot be resumed, and names its undo.")
  func changedInput() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("in.jsonl").path
      let long = String(repeating: "x", count: 2_000)
      let lines = (0..<6_000).map { #"{"name":"a/\#($0)","fields":{"n":{"stringValue":"\#(long)"}}}"# }
      try (lines.joined(separator: "\n") + "\n").write(toFile: file, atomically: false, encoding: .utf8)
      let mini = MiniFirestore()
      let handler: RequestHandler = { request in
        if request.kind == .commit, let handle = FileHandle(forWritingAtPath: file) {
          // The last line is no longer JSON.
          if let end = try? handle.seekToEnd(), (try? handle.seek(toOffset: end - 2)) != nil {
            try? handle.write(contentsOf: Data("!".utf8))
          }
          try? handle.close()
        }
        return mini.handler(request)
      }
      try await withTool(against: handler) { tool, _ in
        let few = ["--schema", "none", "--in-flight", "1", "--batch-size", "20"]
        let failed = try await tool.bare(["import", file] + few + tool.place).expect(65)
        let run = try tool.lastRun()
        #expect(failed.errors.contains("What the run wrote may be damaged"), "\(failed.errors)")
        #expect(failed.lastLine == "To undo: gymmigrate runs undo \(run)", "\(failed.errors)")
        let resumed = try await tool.bare(["runs", "resume", run])
        resumed.expectFailure(64, "damaged or changed", "Undo it (gymmigrate runs undo \(run)")
      }
    }
  }

  @Test("A program that fails is corrected, the run is undone, and the same command begins anew, as is said.")
  func program() async throws {
    try await withThings { tool in
      let program = """
        import json, sys
        for line in sys.stdin:
            document = json.loads(line)
            if document["fields"]["n"]["integerValue"] == "40": sys.exit(3)
            document["fields"]["a"] = {"integerValue": "1"}
            print(json.dumps(document), flush=True)

        """
      try tool.write(program, to: "migrations/crash.py")
      try tool.write(
        "id: crash\nsummary: Crashes.\ncollection: things\nsteps:\n  - run: [python3, crash.py]\n",
        to: "migrations/1-crash.yaml"
      )
      let apply = ["migrate", "apply", "1-crash", "-e", "test"]
      let failed = try await tool.bare(apply).expect(65)
      let run = try tool.lastRun(of: "migrate")
      #expect(failed.errors.contains("gymmigrate migrate undo \(run)"), "\(failed.errors)")
      try tool.write(program.replacingOccurrences(of: "sys.exit(3)", with: "pass"), to: "migrations/crash.py")
      try await tool.bare(["migrate", "undo", run]).expect(0)
      try await tool.bare(apply).expect(0)
      #expect(try await tool.dump("test").allSatisfy { $0.contains("\"a\":") })
    }
  }

  @Test("An irreversible migration is undone with a warning.")
  func irreversible() async throws {
    try await withThings { tool in
      try tool.write(
        "id: set-a\nsummary: Sets a.\nirreversible: Others read it.\ncollection: things\nsteps:\n  - set: {a: 1}\n",
        to: "migrations/1-a.yaml"
      )
      try await tool.bare(["migrate", "up", "-e", "test"]).expect(0)
      let run = try tool.lastRun(of: "migrate")
      for more in [["-n"], []] {
        let undone = try await tool.bare(["runs", "undo", run, "-e", "test"] + more).expect(0)
        #expect(undone.errors.contains("though its file says that it is irreversible: Others read it."))
      }
    }
  }

  @Test("'down' says that what a cleared run of the same migration wrote stays.")
  func cleared() async throws {
    try await withThings { tool in
      let text = "id: set-a\nsummary: Sets a.\ncollection: things\nsteps:\n  - set: {a: 1}\n"
      try tool.write(text, to: "migrations/1-a.yaml")
      let up = ["migrate", "up", "-e", "test", "-q"]
      try await tool.bare(up + ["--batch-size", "5", "--max-writes", "25"]).expect(75)
      let run = try tool.lastRun(of: "migrate")
      try await tool.bare(["migrate", "unlock", run, "-e", "test"]).expect(0)
      try await tool.bare(up).expect(0)
      let down = try await tool.bare(["migrate", "down", "-e", "test", "-y"]).expect(0)
      #expect(down.errors.contains("was cleared: what it wrote stays"), "\(down.errors)")
      let undo = ["migrate", "undo", run, "-e", "test"]
      #expect(down.errors.contains("gymmigrate \(undo.joined(separator: " "))"), "\(down.errors)")
      try await tool.bare(undo).expect(0)
      #expect(try await tool.dump("test").allSatisfy { !$0.contains("\"a\":") })
    }
  }

  @Test(
    "Of several migrations, one that was complete is not applied to what a later one wrote, however the run is continued.",
    arguments: [16, 24, 40],
    [true, false]
  )
  func several(bound: Int, isResumed: Bool) async throws {
    try await withThings { tool in
      for (name, most, value) in [("first", 10, 100), ("second", 40, 5)] {
        let text =
          "id: \(name)\nsummary: Sets n.\ncollection: things\nwhere: n <= \(most)\nsteps:\n  - set: {n: \(value)}\n"
        try tool.write(text, to: "\(name).yaml")
      }
      let apply = ["migrate", "apply", "first.yaml", "second.yaml", "-e", "test", "--batch-size", "5"]
      try await tool.bare(apply + ["--max-writes", "\(bound)"]).expect(75)
      let resume = ["runs", "resume", "last", "--max-writes", "1000"]
      let result = try await tool.bare((isResumed ? resume : apply) + ["--json"]).expect(0)
      if bound > 16 {
        #expect(
          result.errors.contains("Continuing with second. Already complete: first."),
          "\(result.errors)"
        )
      }
      let totals = try result.summary().totals
      #expect(totals.written == 40 && totals.read == 40 && totals.balance, "\(totals)")
      let written = try await tool.dump("test").map { $0.contains("\"100\"") ? 100 : 5 }
      #expect(written.count { $0 == 100 } == 10)
    }
  }

  @Test("The list of runs names a file of migrations once.")
  func listed() async throws {
    try await withThings { tool in
      let text = "id: set-a\nsummary: Sets a.\ncollection: things\nsteps:\n  - set: {a: 1}\n"
      try tool.write(text, to: "migrations/1-a.yaml")
      // The file of the folder, by its name alone.
      try await tool.bare(["migrate", "plan", "1-a.yaml", "-e", "test"]).expect(0)
      for name in ["1-a", "migrations/1-a.yaml"] {
        try await tool.bare(["migrate", "apply", name, "-e", "test"]).expect(0)
        let list = try await tool.bare(["runs", "list", "--command", "migrate apply"])
        #expect(list.output.contains("  migrate apply \(name)\n"), "\(list.output)")
      }
    }
  }
}

extension Tool {
  /// The id of the newest run of a command that has written.
  fileprivate func lastRun(of command: String) throws -> String {
    let names = runs().compactMap { $0.components(separatedBy: "/").last }
    let written = names.filter { name in
      name.contains("-\(command)-") && exists(".gymmigrate/runs/\(name)/journal.jsonl")
    }
    return try #require(written.last)
  }
}
