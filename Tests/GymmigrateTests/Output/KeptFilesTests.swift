import Foundation
import TestSupport
import Testing

@Suite("Files that no output replaces", .timeLimit(.minutes(60)))
struct KeptFilesTests {
  @Test("The embedded store, what SQLite keeps beside it, a mirror, and the files of a run")
  func kept() async throws {
    try await withTool { tool in
      let here = ["-e", "local", "--schema", "none"]
      try tool.write(documentLine("things/t1", 1) + "\n", to: "in.jsonl")
      try await tool.bare(["import", "in.jsonl"] + here).expect(0)
      try await tool.bare(["mirror", "pull", "-o", "mirror.sqlite"] + here).expect(0)
      let run = try #require(tool.runs().first?.split(separator: "/").last.map(String.init))
      let store = ".gymmigrate/local.sqlite"
      try FileManager.default.createSymbolicLink(
        atPath: tool.path("link.csv"),
        withDestinationPath: tool.path(store)
      )
      let kept = [
        store, "\(store)-wal", "\(store)-shm", "\(store)-journal", "link.csv", "mirror.sqlite",
        ".gymmigrate/runs/\(run)/journal.jsonl", ".gymmigrate/runs/\(run)/run.json",
      ]
      for path in kept {
        for command in [
          ["export", "things", "--format", "csv", "-o", path],
          ["export", "things", "--format", "xlsx", "-o", path],
          ["schema", "infer", "things", "-o", path],
        ] {
          try await tool.bare(command + here).expectFailure(73, "Name another file")
        }
      }
      for path in kept where path != "mirror.sqlite" {
        for command in [
          ["mirror", "pull", "-o", path], ["export", "things", "--format", "sqlite", "-o", path],
        ] {
          let result = try await tool.bare(command + here)
          #expect(result.exitCode != 0, "\(command)")
        }
      }
      try await tool.bare(["count", "things"] + here).expect(0)
      try await tool.bare(["mirror", "verify", "mirror.sqlite"] + here).expect(0)
      try await tool.bare(["runs", "undo", run, "-y"]).expect(0)
      // What only has such a name is an output as any other.
      try await tool.bare(["export", "things", "--format", "csv", "-o", "journal.jsonl"] + here).expect(0)
    }
  }

  @Test("A file that an export reads, in the folder that it writes")
  func inputInFolder() async throws {
    try await withTool { tool in
      let line = documentLine("things/t1", 1) + "\n"
      try FileManager.default.createDirectory(atPath: tool.path("e"), withIntermediateDirectories: false)
      try tool.write(line, to: "e/things.jsonl")
      let command = ["export", "things", "--from", "e/things.jsonl", "--schema", "none", "--format", "jsonl"]
      try await tool.bare(command + ["-o", "e/"]).expectFailure(73, "Name another file")
      #expect(try tool.text("e/things.jsonl") == line)
      try await tool.bare(command + ["-o", "f/"]).expect(0)
    }
  }
}
