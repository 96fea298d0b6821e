import Foundation
import TestSupport
import Testing

@Suite("A managed export stands where the folder of an export may", .timeLimit(.minutes(60)))
struct ManagedFolderTests {
  private static func resource(_ name: String) -> String {
    Samples.repository.appendingPathComponent("Tests/Resources/managed-exports/\(name)").path
  }

  @Test("It is said what it is, imported, compared, written and imported again, and stays the same.")
  func wholeWay() async throws {
    try await withTool { tool in
      let source = Self.resource("every-value")
      let said = try await tool.run("import", source, "-n").expect(0)
      let database = "projects/demo-project/databases/(default)"
      #expect(
        said.errors.contains(
          "every-value: 110 documents of a managed export of \(database), which ended at 2026-11-25T14:23:10Z."
        )
      )
      #expect(said.errors.contains("has no times of its documents"))
      try await tool.run("import", source).expect(0)
      try await tool.run("diff", "--all", "--from", source, "--to", "local").expect(64)
      try await tool.bare(["diff", "--all", "--from", source, "--to", "local"]).expect(0)
      try await tool.run("export", "--all", "-o", "seed/", "--format", "managed").expect(0)
      try await tool.bare(["diff", "--all", "--from", "seed", "--to", source]).expect(0)
      var copy = tool
      copy.place = ["-e", "local", "--database", "copy"]
      try await copy.run("import", "seed").expect(0)
      for (tool, name) in [(tool, "a.jsonl"), (copy, "b.jsonl")] {
        try await tool.run("export", "--all", "-o", name).expect(0)
      }
      let text = try tool.text("a.jsonl")
      #expect(text.split(separator: "\n").count == 110)
      #expect(
        try text.replacingOccurrences(of: "/databases/local/", with: "/databases/copy/")
          == tool.text("b.jsonl")
      )
      let again = try await tool.run("export", "--all", "-o", "seed", "--format", "managed").expect(73)
      #expect(again.errors.contains("it holds an export"))
    }
  }

  @Test("What is damaged or not whole is refused before anything is written, and a part of it is named.")
  func damage() async throws {
    try await withTool { tool in
      try FileManager.default.copyItem(atPath: Self.resource("small"), toPath: tool.path("e"))
      let output = tool.path("e/all_namespaces/all_kinds/output-0")
      let part = try await tool.run("import", output).expect(65)
      #expect(part.errors.contains("Name the folder with *.overall_export_metadata"))
      var bytes = try Data(contentsOf: URL(fileURLWithPath: output))
      bytes[bytes.count - 1] ^= 1
      try bytes.write(to: URL(fileURLWithPath: output))
      let damaged = try await tool.run("import", "e").expect(65)
      #expect(damaged.errors.contains("output-0: block 3, byte "))
      try await tool.bare(["diff", "--all", "--from", "e", "--to", "local"]).expect(65)
      try FileManager.default.removeItem(atPath: output)
      try await tool.run("import", "e").expect(66)
      let count = try await tool.run("count", "--all")
      #expect(!count.output.contains("gente"))
    }
  }

  @Test("A file of another export with as many documents is noticed by its size.")
  func otherFile() async throws {
    try await withTool { tool in
      for (night, text) in [("mon", "a"), ("tue", "another")] {
        try tool.write(
          "{\"name\":\"u/1\",\"fields\":{\"t\":{\"stringValue\":\"\(text)\"}}}\n",
          to: "\(night).jsonl"
        )
        try await tool.run("import", "\(night).jsonl", "--mode", "upsert").expect(0)
        try await tool.run("export", "u", "-o", night, "--format", "managed").expect(0)
      }
      let whole = try await tool.run("import", "tue", "--mode", "upsert")
      #expect(!whole.errors.contains("another export"), "\(whole.errors)")
      let output = "all_namespaces/all_kinds/output-0"
      try Data(contentsOf: URL(fileURLWithPath: tool.path("mon/\(output)")))
        .write(to: URL(fileURLWithPath: tool.path("tue/\(output)")))
      let mixed = try await tool.run("import", "tue", "--mode", "upsert", "-q")
      #expect(mixed.errors.contains("one of them may be of another export"), "\(mixed.errors)")
      let compared = try await tool.bare(["diff", "--all", "--from", "tue", "--to", "local", "-q"])
      #expect(compared.errors.contains("one of them may be of another export"), "\(compared.errors)")
    }
  }

  @Test("Documents go into another collection, and some of them into none.")
  func collection() async throws {
    try await withTool { tool in
      let source = Self.resource("small")
      try await tool.run("import", source, "--collection", "people").expect(0)
      let count = try await tool.run("count", "people")
      #expect(count.output.contains("40"))
      let several = try await tool.run("import", Self.resource("every-value"), "--collection", "people")
      several.expect(65)
      #expect(several.errors.contains("whose place --collection takes"))
    }
  }
}
