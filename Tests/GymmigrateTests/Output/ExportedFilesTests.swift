import Foundation
import TestSupport
import Testing

@Suite("The files of an export, also of a database without collections", .timeLimit(.minutes(60)))
struct ExportedFilesTests {
  @Test("Its export takes the place of an earlier file, or fails; it never passes in silence.")
  func export() async throws {
    try await withTool { tool in
      for (file, code) in [("e.jsonl", Int32(0)), ("e.jsonl.gz", 0), ("e.xlsx", 66)] {
        try tool.write("old", to: file)
        let result = try await tool.run("export", "--all", "-o", file)
        result.expect(code)
        #expect(result.errors.contains("warning: local has no collections"), "\(result.errors)")
        let left = try Data(contentsOf: URL(fileURLWithPath: tool.path(file)))
        #expect((left == Data("old".utf8)) == (code != 0), "\(file)")
      }
      #expect(try tool.text("e.jsonl").isEmpty)
      for words in [
        ["--format", "managed", "-o", "m"], ["--format", "csv", "-o", "c/"],
        ["--format", "jsonl", "-o", "-"],
      ] {
        let result = try await tool.bare(["export", "--all"] + words + tool.place)
        result.expect(0)
        #expect(result.output.isEmpty && result.errors.contains("has no collections"), "\(words)")
      }
      #expect(tool.exists("c/manifest.json"))
      #expect(tool.names(in: "m").contains { $0.hasSuffix(".overall_export_metadata") })
      try await tool.run("import", "m").expect(0)
    }
  }

  @Test("The file of a collection is that of what is below it, unless that has its own.")
  func below() async throws {
    try await withTool { tool in
      try tool.write(
        [documentLine("a/1", 1), documentLine("a/1/b/1", 1)].joined(separator: "\n"),
        to: "in.jsonl"
      )
      try await tool.run("import", "in.jsonl", "-q").expect(0)
      for (output, files) in [
        ("x/", ["a": "x/a.jsonl", "a/*/b": "x/a.jsonl"]), ("x.jsonl", ["a": "x.jsonl", "a/*/b": "x.jsonl"]),
        ("c/", ["a": "c/a.csv", "a/*/b": "c/a~b.csv"]), ("x.xlsx", ["a": "x.xlsx", "a/*/b": "x.xlsx"]),
      ] {
        let format = output == "c/" ? "csv" : output == "x.xlsx" ? "xlsx" : "jsonl"
        let words = ["export", "a", "--subcollections", "-o", output, "--format", format, "--json"]
        let summary = try await tool.bare(words + tool.place).summary()
        for collection in summary.collections {
          #expect(collection.file == files[collection.name], "\(output)")
        }
        #expect(summary.collections.count == 2)
      }
    }
  }

  @Test("Other commands that are to read all of it say so, too.")
  func others() async throws {
    try await withStores { tool in
      for words in [
        ["count", "--all", "-e", "test"], ["copy", "--all", "--from", "stage", "--to", "test", "-y"],
      ] {
        let result = try await tool.bare(words)
        result.expect(0)
        #expect(result.errors.contains("has no collections"), "\(words): \(result.errors)")
      }
    }
  }
}
