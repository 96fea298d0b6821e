import Foundation
import TestSupport
import Testing

/// Folders and a store that version 0.1.0 left, in the hands of this one: `Tests/Resources/old-state/` says what they
/// hold, and how they were made.
@Suite("What an older version left", .timeLimit(.minutes(30)))
struct OldStateTests {
  /// A folder in which 0.1.0 worked, unpacked for one test.
  private func withOldState(_ body: (Tool, [String: String]) async throws -> Void) async throws {
    try await withTool { tool in
      let archive = Samples.repository.appendingPathComponent("Tests/Resources/old-state/state-0.1.0.tar.gz")
        .path
      let unpacked = try await BinaryRunner(executable: "/bin/tar").run(
        ["-xzf", archive],
        directory: tool.folder
      )
      try #require(unpacked.exitCode == 0, "\(unpacked.errors)")
      var runs: [String: String] = [:]
      for run in tool.runs() {
        let record = tool.folder.appendingPathComponent("\(run)/run.json")
        var members = try #require(
          try JSONSerialization.jsonObject(with: Data(contentsOf: record)) as? [String: Any]
        )
        // A run belongs to the folder that it was made in, and is refused in a copy: this makes the copy the original.
        let folder = try FileManager.default.attributesOfItem(atPath: tool.path(run))
        members["folder"] = "\(try #require(folder[.systemFileNumber] as? Int))"
        members["workingDirectory"] = tool.folder.path
        try JSONSerialization.data(withJSONObject: members, options: .sortedKeys).write(to: record)
        let command = try #require(members["command"] as? String)
        let state = tool.exists("\(run)/summary.json") ? "" : " (killed)"
        runs[command + state] = String(run.split(separator: "/").last ?? "")
      }
      try await body(tool, runs)
    }
  }

  /// The documents of a file or an export, by name, without the times that the service sets.
  private func documents(
    _ tool: Tool,
    _ file: String,
    dropping: Set<String> = []
  ) throws -> [String: NSDictionary] {
    var documents: [String: NSDictionary] = [:]
    for line in try tool.text(file).split(separator: "\n") {
      let document = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let name = try #require(document["name"] as? String)
      var fields = document["fields"] as? [String: Any] ?? [:]
      for field in dropping { fields[field] = nil }
      documents[name] = fields as NSDictionary
    }
    return documents
  }

  private func exported(
    _ tool: Tool,
    _ collection: String,
    dropping: Set<String> = []
  ) async throws -> [String: NSDictionary] {
    try await tool.run("export", collection, "-o", "\(collection)-now.jsonl", "-q").expect(0)
    return try documents(tool, "\(collection)-now.jsonl", dropping: dropping)
  }

  @Test(
    "A killed run is shown, and left to the version that began it, which kept words alone",
    arguments: ["import (killed)", "migrate apply user-emails is-active (killed)"]
  )
  func killedRuns(_ name: String) async throws {
    try await withOldState { tool, runs in
      let run = try #require(runs[name])
      try await tool.bare(["runs", "resume", run]).expectFailure(78, "version 0.1.0 began it", "migrate undo")
      let shown = try await tool.bare(["runs", "show", run])
      #expect(shown.output.contains("killed") && !shown.output.contains("\nresume"))
      // A new run is begun, and does the rest; a migration waits until it is decided what becomes of the other.
      guard name.hasPrefix("import") else { return try await undoKilledMigration(tool, runs) }
      try await tool.run("import", "members.jsonl", "check_ins.jsonl", "-q").expect(0)
      #expect(try await exported(tool, "members") == documents(tool, "members.jsonl"))
      #expect(try await exported(tool, "check_ins") == documents(tool, "check_ins.jsonl"))
    }
  }

  /// Undoes the migration that was killed before its end, so that others may begin.
  private func undoKilledMigration(_ tool: Tool, _ runs: [String: String]) async throws {
    let killed = try #require(runs["migrate apply user-emails is-active (killed)"])
    try await tool.run("migrate", "undo", killed, "-q").expect(0)
    #expect(try await exported(tool, "user_emails").isEmpty)
  }

  @Test("A finished migration is undone, to the fields that were imported")
  func migrationIsUndone() async throws {
    try await withOldState { tool, runs in
      let run = try #require(runs["migrate apply users-unify"])
      try await undoKilledMigration(tool, runs)
      #expect(try await exported(tool, "users") != documents(tool, "users.jsonl"))
      let result = try await tool.run("migrate", "undo", run, "--json").expect(0)
      #expect(try result.summary().totals.written == 78)
      #expect(try await exported(tool, "users") == documents(tool, "users.jsonl"))
    }
  }

  @Test("A plan is applied as it was made")
  func planIsApplied() async throws {
    try await withOldState { tool, runs in
      try await undoKilledMigration(tool, runs)
      let before = try await exported(tool, "users")
      let result = try await tool.run("migrate", "apply", "--plan", "plan.jsonl", "--json")
      #expect([0, 2].contains(result.exitCode), "\(result.errors)")
      let totals = try result.summary().totals
      #expect(totals.balance && totals.written == 46 && totals.conflicted == 0, "\(totals)")
      let after = try await exported(tool, "users")
      let changed = before.keys.filter { before[$0] != after[$0] }
      #expect(changed.count == 46 && before.count == after.count)
      for name in changed {
        let legacy = ["nombre", "primerApellido", "segundoApellido", "telefono", "activo"]
        #expect(legacy.allSatisfy { after[name]?[$0] == nil }, "\(name)")
      }
    }
  }

  @Test("Scheduled exports continue")
  func scheduledExportsContinue() async throws {
    try await withOldState { tool, _ in
      let folder = try #require(tool.names(in: "nightly").first { $0.hasPrefix("2026-") })
      try await tool.bare(["export", "verify", "nightly/\(folder)"]).expect(0)
      let increment = try await tool.run(
        "export",
        "users",
        "-o",
        "nightly",
        "--format",
        "jsonl",
        "--dated",
        "--since",
        "last",
        "--json"
      ).expect(0)
      #expect(try increment.summary().totals.read <= 120)
      #expect(tool.names(in: "nightly").filter { $0.hasPrefix("20") }.count == 2)
    }
  }

  @Test("The list of runs shows each as it ended")
  func runsAreListed() async throws {
    try await withOldState { tool, runs in
      #expect(runs.count == 6)
      let list = try await tool.bare(["runs", "list", "--json"]).expect(0)
      for (command, run) in runs {
        let line = try #require(list.output.split(whereSeparator: "\n,{".contains).first { $0.contains(run) })
        #expect(!line.isEmpty, "\(command)")
        try await tool.bare(["runs", "show", run]).expect(0)
      }
    }
  }
}
