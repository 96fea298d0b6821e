import Foundation
import TestSupport
import Testing

@Suite("Past runs", .timeLimit(.minutes(10)))
struct RunsListTests {
  /// A run that imports one document.
  private func imported(_ path: String, _ tool: Tool) async throws -> String {
    try tool.write(#"{"name":"\#(path)","fields":{}}"# + "\n", to: "in.jsonl")
    try await tool.run("import", "in.jsonl", "--schema", "none").expect(0)
    return try tool.lastRun()
  }

  /// Makes a run one of 2020.
  private func age(_ run: String, _ tool: Tool) throws {
    let record = ".gymmigrate/runs/\(run)/run.json"
    let text = try tool.text(record)
    try tool.write(text.replacing(#/"startedAt":"\d{4}/#, with: #""startedAt":"2020"#), to: record)
  }

  private func left(_ tool: Tool) -> Set<String> { Set(tool.names(in: ".gymmigrate/runs")) }

  @Test("'list' shows the ten latest in a table, the latest first, or those that are asked for.")
  func list() async throws {
    try await withTool { tool in
      var runs: [String] = []
      for number in 0..<11 { runs.append(try await imported("c/d\(number)", tool)) }
      try await tool.run("export", "c", "-o", "c.jsonl", "--format", "jsonl").expect(0)
      runs.append(try tool.lastRun())

      let list = try await tool.bare(["runs", "list"])
      let rows = list.output.split(separator: "\n")
      #expect(rows.first?.split(separator: " ") == ["run", "environment", "status", "documents", "command"])
      #expect(rows.dropFirst().map { $0.prefix { $0 != " " } } == runs.suffix(10).reversed().map { $0[...] })
      #expect(list.errorLines == ["10 of 12 runs; --limit 12 lists all."])

      let all = try await tool.bare(["runs", "list", "--limit", "12"])
      #expect(all.output.split(separator: "\n").count == 13 && all.errors.isEmpty)
      let exports = try await tool.bare(["runs", "list", "--command", "export", "--env", "local"])
      #expect(
        exports.output.split(separator: "\n").dropFirst().map { $0.prefix { $0 != " " } } == [runs[11][...]]
      )
      for nothing in [["--env", "prod"], ["--command", "exp"], ["--command", "migrate"]] {
        let none = try await tool.bare(["runs", "list"] + nothing).expect(0)
        #expect(none.output.isEmpty && none.errors.contains("There are no such runs in "))
      }
      let near = try await tool.bare(["runs", "list", "--env", "locla"])
      #expect(near.errors.contains("Did you mean 'local'?"), "\(near.errors)")
      // The configuration knows environments that nothing was run on.
      try tool.write("project: p\nenvironments:\n  stage: { database: d }\n", to: "gymmigrate.yaml")
      for (typed, said) in [
        ("stge", "No environment is called 'stge'. Did you mean 'stage'?\n"),
        ("qqqqqq", "No environment is called 'qqqqqq'.\n"), ("stage", "runs.\n"),
      ] {
        for json in [[], ["--json"]] {
          let none = try await tool.bare(["runs", "list", "--env", typed] + json)
          #expect(none.errors.hasSuffix(said), "\(none.errors)")
        }
      }
      let unknown = try await tool.bare(["runs", "list", "--command", "qqqqqq"])
      #expect(unknown.errors.contains("There is no command 'qqqqqq'."), "\(unknown.errors)")
      for (typed, meant) in [("exprt", "export"), ("migrate aply", "migrate apply")] {
        let none = try await tool.bare(["runs", "list", "--command", typed])
        #expect(none.errors.contains("Did you mean '\(meant)'?"), "\(none.errors)")
      }
      let json = try await tool.bare(["runs", "list", "--json"])
      let found = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
      #expect(found?.compactMap { $0["runId"] as? String } == runs)
    }
  }

  @Test("'list' names the first file of an import, and the other environment of a comparison.")
  func inputs() async throws {
    try await withStores { tool in
      for name in ["a", "b"] { try tool.write(documentLine("\(name)/1", 1), to: "in/\(name).jsonl") }
      let line = ["import", "-e", "test", "--schema", "none", "-q"]
      try await tool.bare(line + ["in/a.jsonl"]).expect(0)
      try await tool.bare(line + ["in/a.jsonl", "in/b.jsonl", "--mode", "upsert", "-n"]).expect(0)
      try await tool.bare(["diff", "a", "--from", "stage", "--to", "test", "--schema", "none"]).expect(1)
      let rows = try await tool.bare(["runs", "list"]).output.split(separator: "\n").dropFirst()
      let ends = ["  diff, from stage", "  import, a.jsonl and 1 more (dry run)", "  import, a.jsonl"]
      for (row, end) in zip(rows, ends) { #expect(row.hasSuffix(end), "\(row)") }
      #expect(rows.count == 3)
    }
  }

  @Test("'list' tells a dry run, however it is asked for, from a run and from what only reads.")
  func dryRuns() async throws {
    try await withTool { tool in
      _ = try await imported("c/d", tool)
      for words in [["--dry-run"], ["-n"], ["-qn"]] {
        let fix = ["fix", "c", "--all-documents", "--set", "a=1", "--schema", "none"]
        try await tool.bare(fix + words + tool.place).expect(0)
      }
      try await tool.run("export", "c", "-o", "c.jsonl", "--format", "jsonl").expect(0)
      let rows = try await tool.bare(["runs", "list"]).output.split(separator: "\n").dropFirst()
      #expect(rows.map { $0.hasSuffix(" (dry run)") } == [false, true, true, true, false])
    }
  }

  @Test(
    "'prune' removes old runs, but no old one that can be undone or resumed unless that is said, nor its later undos."
  )
  func prune() async throws {
    try await withTool { tool in
      let useful = try await imported("c/useful", tool)
      let undone = try await imported("c/undone", tool)
      try await tool.run("runs", "undo", undone).expect(0)
      let undo = try tool.lastRun()
      try await tool.run("export", "c", "-o", "c.jsonl", "--format", "jsonl").expect(0)
      let export = try tool.lastRun()
      for run in [useful, undone, undo, export] { try age(run, tool) }
      let new = try await imported("c/new", tool)
      let before = left(tool)

      let plan = try await tool.bare(["runs", "prune", "--older-than", "90d", "-n"]).expect(0)
      #expect(plan.output.contains(undone) && plan.output.contains(export) && !plan.output.contains(useful))
      #expect(plan.errors.contains("2 runs that are older can still be undone or resumed, or are needed"))
      #expect(left(tool) == before)

      let pruned = try await tool.bare(["runs", "prune", "--older-than", "90d", "--json"])
      let json = try JSONSerialization.jsonObject(with: Data(pruned.output.utf8)) as? [String: Any]
      #expect(json?["removed"] as? [String] == [undone, export] && json?["useful"] as? Int == 1)
      #expect(left(tool) == [useful, undo, new])

      // What a removal that was interrupted has left goes with the next.
      try tool.createFolder(".gymmigrate/runs/.half.removed/deep")
      try await tool.bare(["runs", "prune", "--older-than", "90d", "--yes"]).expect(0)
      #expect(left(tool) == [new])
      try await tool.run("runs", "undo", "last").expect(0)
      try await tool.bare(["runs", "prune"]).expect(64)
      try await tool.bare(["runs", "prune", "--older-than", "soon"]).expect(64)
    }
  }

  @Test("'prune' keeps an undone run as long as an older one that wrote the same documents can be undone.")
  func pruneOfShared() async throws {
    try await withTool { tool in
      _ = try await imported("c/a", tool)
      var runs: [String] = []
      for number in 1...2 {
        try await tool.run("fix", "c", "--all-documents", "--set", "q=\(number)", "--schema", "none").expect(
          0
        )
        runs.append(try tool.lastRun())
      }
      try await tool.run("runs", "undo", "last").expect(0)
      runs.append(try tool.lastRun())
      for run in runs { try age(run, tool) }
      try await tool.bare(["runs", "prune", "--older-than", "90d"]).expect(0)
      #expect(runs.allSatisfy { left(tool).contains($0) })
      try await tool.run("runs", "undo", runs[0]).expect(0)
      let document = try await tool.run("get", "c/a")
      #expect(!document.output.contains("\"q\""))
    }
  }
}
