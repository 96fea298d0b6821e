import Foundation
import TestSupport
import Testing

/// Journals that lost whole lines at their end, as in a copy of a state folder that was cut short.
@Suite("Journals that lost their end", .timeLimit(.minutes(30)))
struct LostJournalTests {
  private func fix(_ set: String, _ more: String...) -> [String] {
    ["fix", "members", "--set", set, "--all-documents", "--no-touch", "--schema", "none"] + more
  }

  /// Removes lines of a journal at its end; returns what it was.
  private func cut(_ run: String, to lines: Int, in tool: Tool) throws -> String {
    let file = ".gymmigrate/runs/\(run)/journal.jsonl"
    let whole = try tool.text(file)
    let kept = whole.split(separator: "\n", omittingEmptySubsequences: false).prefix(lines)
    try tool.write(kept.map { "\($0)\n" }.joined(), to: file)
    return whole
  }

  @Test(
    "Nothing is undone or verified from a part of a journal, and 'last' means no earlier run; from all of it, all is.",
    arguments: [1, 10]
  )
  func undo(_ lines: Int) async throws {
    try await LastRunTests.withMembers { tool, mini, _ in
      try await tool.bare(fix("a=1") + tool.place).expect(0)
      let before = LastRunTests.members(mini)
      try await tool.bare(fix("a=2") + tool.place).expect(0)
      let run = try tool.lastRun()
      let after = LastRunTests.members(mini)
      let journal = try cut(run, to: lines, in: tool)
      for name in [run, "last"] {
        for command in [["undo", name], ["undo", name, "-n"], ["verify", "--run", name]] {
          try await tool.bare(["migrate"] + command + tool.place)
            .expectFailure(65, "\(run)/journal.jsonl", "it has lost its end")
        }
      }
      #expect(LastRunTests.members(mini) == after)
      let list = try await tool.bare(["runs", "list"]).output.split(separator: "\n")
      #expect(list.contains { $0.hasPrefix(run) && $0.contains("  done  ") }, "\(list)")
      try tool.write(journal, to: ".gymmigrate/runs/\(run)/journal.jsonl")
      try await tool.run("migrate", "verify", "--run", run).expect(0)
      try await tool.run("migrate", "undo", run).expect(0)
      #expect(LastRunTests.members(mini) == before)
    }
  }

  @Test(
    "A run that was stopped, and resumed: it is not resumed from a part of its journal, nor undone from one."
  )
  func resumed() async throws {
    try await LastRunTests.withMembers { tool, mini, commits in
      let before = LastRunTests.members(mini)
      commits.allow(1)
      try await tool.bare(fix("a=1", "--batch-size", "4", "--in-flight", "1") + tool.place).expect(77)
      commits.allow(.max)
      let run = try tool.lastRun()
      let journal = try cut(run, to: 1, in: tool)
      for command in ["runs resume \(run)", "migrate undo \(run)"] {
        let words = command.split(separator: " ").map(String.init)
        try await tool.bare(words + (words[1] == "undo" ? tool.place : []))
          .expectFailure(65, "\(run)/journal.jsonl")
      }
      try tool.write(journal, to: ".gymmigrate/runs/\(run)/journal.jsonl")
      try await tool.bare(["runs", "resume", run]).expect(0)
      let after = LastRunTests.members(mini)
      // What the first process had recorded is whole.
      let whole = try cut(run, to: journal.split(separator: "\n").count, in: tool)
      try await tool.run("migrate", "undo", run).expectFailure(65, "it has lost its end")
      #expect(LastRunTests.members(mini) == after)
      try tool.write(whole, to: ".gymmigrate/runs/\(run)/journal.jsonl")
      try await tool.run("migrate", "undo", run).expect(0)
      #expect(LastRunTests.members(mini) == before)
    }
  }

  @Test(
    "A second undo needs the whole journal of the first: what somebody deleted after that one stays deleted.",
    arguments: ["short", "gone", "damaged"]
  )
  func secondUndo(_ damage: String) async throws {
    try await LastRunTests.withMembers { tool, mini, _ in
      for id in ["a", "b"] { try mini.put("c/\(id)", fields: "{}") }
      let delete = ["delete", "c", "--all-documents", "--hard", "--max-delete", "2"]
      try await tool.bare(delete + ["--schema", "none"] + tool.place).expect(0)
      let run = try tool.lastRun()
      try mini.put("c/b", fields: #"{"theirs":{"booleanValue":true}}"#)
      try await tool.run("runs", "undo", run).expect(2)
      let undo = try tool.lastRun()
      #expect(mini.document("c/a") != nil)
      mini.remove("c/a")
      let file = ".gymmigrate/runs/\(undo)/journal.jsonl"
      let journal = try tool.text(file)
      switch damage {
      case "short": _ = try cut(undo, to: 1, in: tool)
      case "gone": try FileManager.default.removeItem(atPath: tool.path(file))
      default: try tool.write("{}\n" + journal, to: file)
      }
      for more in [[], ["-n"]] {
        let again = ["runs", "undo", run] + more + tool.place
        try await tool.bare(again).expectFailure(65, undo, "gymmigrate restore")
      }
      #expect(mini.document("c/a") == nil)
      try tool.write(journal, to: file)
      try await tool.run("runs", "undo", run).expect(2)
      #expect(mini.document("c/a") == nil)
    }
  }

  @Test("A divided run of which the folder of a range, its journal or a result is missing is left as it is.")
  func divided() async throws {
    try await withStores { tool in
      var tool = tool
      tool.place = ["-e", "test"]
      try tool.write(
        (0..<200).map { documentLine("things/t\($0)", $0) }.joined(separator: "\n"),
        to: "in.jsonl"
      )
      let before = try await tool.dump("test")
      let load = ["import", "in.jsonl", "--schema", "none", "-e", "test"]
      try await tool.bare(["shard", "plan", "--shards", "2", "--to", "W", "--"] + load).expect(0)
      let run = try #require(tool.names(in: "W/runs").first)
      for task in ["0", "1"] { try await tool.bare(["shard", "work", "W", "--task", task]).expect(0) }
      try await tool.bare(["shard", "finish", "W"]).expect(0)
      let after = try await tool.dump("test")
      let range = "W/tasks/00001/00001"
      let part = "\(range)/runs/\(try #require(tool.names(in: "\(range)/runs").first))"
      for (lost, code) in [
        ("W/tasks/00001", 66), (range, 66), (part, 66), ("\(part)/journal.jsonl", 65),
        ("W/ranges/00001.json", 66), ("W/plan.json", 66),
      ] {
        try FileManager.default.moveItem(atPath: tool.path(lost), toPath: tool.path("lost"))
        for command in [["undo", run], ["verify", "--run", run]] {
          let words = ["migrate"] + command + ["--state-dir", "W"] + tool.place
          let name = lost.hasSuffix("json") || lost.hasSuffix("jsonl") ? lost : range
          try await tool.bare(words).expectFailure(Int32(code), name)
        }
        try FileManager.default.moveItem(atPath: tool.path("lost"), toPath: tool.path(lost))
      }
      // A journal whose record is lost is no run that wrote nothing.
      try FileManager.default.moveItem(atPath: tool.path("\(part)/run.json"), toPath: tool.path("lost"))
      try await tool.run("migrate", "undo", run, "--state-dir", "W").expectFailure(66, "\(range)/runs")
      try FileManager.default.moveItem(atPath: tool.path("lost"), toPath: tool.path("\(part)/run.json"))
      // The run's own summary is lost with the end of its journal, and the result of the range still knows its length.
      let journal = try tool.text("\(part)/journal.jsonl")
      try FileManager.default.removeItem(atPath: tool.path("\(part)/summary.json"))
      try FileManager.default.removeItem(atPath: tool.path("\(part)/checkpoint.json"))
      try tool.write("\(journal.split(separator: "\n")[0])\n", to: "\(part)/journal.jsonl")
      try await tool.run("migrate", "undo", run, "--state-dir", "W").expectFailure(65, "it has lost its end")
      #expect(try await tool.dump("test") == after)
      try tool.write(journal, to: "\(part)/journal.jsonl")
      try await tool.run("migrate", "undo", run, "--state-dir", "W").expect(0)
      #expect(try await tool.dump("test") == before)
    }
  }
}
