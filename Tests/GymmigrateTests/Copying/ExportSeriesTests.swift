import FirestoreModels
import Foundation
import TestSupport
import Testing
import Transfer

@Suite("A whole export and its increments, and what is missing of them", .timeLimit(.minutes(60)))
struct ExportSeriesTests {
  private static let old = #","updatedAt":{"timestampValue":"2020-01-01T00:00:00Z"}"#
  private static let new = #"{"updatedAt":{"timestampValue":"2125-01-01T00:00:00Z"}}"#
  private static let export = ["export", "--all", "-e", "prod", "-o", "n", "--dated"]

  private func withSource(
    _ body: (Tool, MiniFirestore, _ target: MiniFirestore) async throws -> Void
  ) async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    let names = (1...9).map { "users/\($0)" } + ["logs/1"]
    try source.load(jsonLines: names.map { documentLine($0, 1, Self.old) }.joined(separator: "\n"))
    try await withTwoServers(source.handler, target.handler) { tool in
      try await tool.bare(Self.export).expect(0)
      try await body(tool, source, target)
    }
  }

  private func increment(
    _ tool: Tool,
    _ command: [String] = ExportSeriesTests.export
  ) async throws -> (path: String, errors: String) {
    let result = try await tool.bare(command + ["--since", "last"]).expect(0)
    return ("n/\(try #require(tool.exports("n").last))", result.errors)
  }

  private func manifest(_ folder: String, _ tool: Tool) throws -> Manifest {
    try #require(try Manifest.read(from: tool.path(folder)))
  }

  private func lines(_ file: String, _ tool: Tool) throws -> Int {
    try tool.text(file).split(separator: "\n").count
  }

  @Test("Where the whole export is gone, the next one is whole, and verify says that an increment lacks it.")
  func missingWhole() async throws {
    try await withSource { tool, source, _ in
      let whole = "n/\(try #require(tool.exports("n").first))"
      let first = try await increment(tool)
      #expect(!first.errors.contains("lacks the whole export"))
      try await tool.bare(["export", "verify", "n"]).expect(0)
      try FileManager.default.moveItem(atPath: tool.path(whole), toPath: tool.path("away"))
      let verified = try await tool.bare(["export", "verify", "n"]).expect(1)
      #expect(verified.output.contains("\(first.path)\tit is an increment, and the whole export"))
      let again = try await increment(tool)
      #expect(again.errors.contains("n lacks the whole export"))
      #expect(try lines("\(again.path)/users.jsonl", tool) == 9)
      #expect(try !tool.text("\(again.path)/manifest.json").contains("\"since\""))
      // What follows adds to that one.
      try source.put("users/1", fields: Self.new)
      let last = try await increment(tool)
      #expect(!last.errors.contains("lacks the whole export"))
      #expect(try lines("\(last.path)/users.jsonl", tool) == 1)
    }
  }

  @Test(
    "What is exported in full for want of an earlier export has everything below it.",
    arguments: [["--all"], ["us*", "l*"], ["users", "labs"]]
  )
  func everythingBelow(_ collections: [String]) async throws {
    try await withSource { tool, source, _ in
      let export = ["export"] + collections + ["-e", "prod", "-o", "m", "--dated", "--since", "last"]
      try source.put("users/1/notes/a", fields: Self.new)
      try await tool.bare(export).expect(0)
      let whole = "m/\(try #require(tool.exports("m").last))"
      #expect(try !manifest(whole, tool).isIncrement)
      // Nor does a collection that is new to the folder lack anything.
      for name in ["labs/1", "labs/1/benches/b"] { try source.put(name, fields: Self.new) }
      try await tool.bare(export).expect(0)
      #expect(try manifest("m/latest", tool).files.contains { $0.since != nil })
      let diff = ["diff"] + collections + ["--from", whole, "--from", "m/latest", "--to", "prod"]
      try await tool.bare(diff).expect(0)
    }
  }

  @Test(
    "What is below a nested collection or a pattern is in each increment, and not listed as deleted.",
    arguments: ["users/*/notes", "users/1/notes"],
    [new, #"{"n":{"integerValue":"1"}}"#]
  )
  func belowNested(_ collection: String, _ fields: String) async throws {
    try await withSource { tool, source, _ in
      let export = Self.export.map { $0 == "--all" ? collection : $0 }
      for name in ["users/1/notes/a", "users/1/notes/a/parts/p"] { try source.put(name, fields: fields) }
      try await tool.bare(export).expect(0)
      let whole = "n/\(try #require(tool.exports("n").last))"
      try source.put("users/1/notes/a/parts/q", fields: fields)
      let next = try await increment(tool, export + ["-q"])
      #expect(try manifest(next.path, tool).deleted?.documents == 0)
      let isUncounted = collection.contains("*") && fields == Self.new
      #expect(next.errors.contains("how many documents have no updatedAt") == isUncounted, "\(next.errors)")
      let diff = ["diff", collection, "--from", whole, "--from", next.path, "--to", "prod"]
      try await tool.bare(diff).expect(0)
    }
  }

  @Test("A list of deleted documents that lost lines is refused, and a file of another night is named.")
  func altered() async throws {
    try await withSource { tool, source, _ in
      let whole = "n/\(try #require(tool.exports("n").first))"
      for id in 1...2 { source.remove("users/\(id)") }
      let next = try await increment(tool).path
      let target = ["-e", "test", "--mode", "upsert", "-q"]
      try await tool.bare(["import", whole, next] + target).expect(0)
      let list = try tool.text("\(next)/deleted.jsonl")
      for altered in ["", String(list.prefix { $0 != "\n" }) + "\n"] {
        try tool.write(altered, to: "\(next)/deleted.jsonl")
        let imported = try await tool.bare(["import", whole, next] + target)
        imported.expectFailure(65, "deleted documents would come back")
        try await tool.bare(["count", "--all", "--from", whole, "--from", next]).expect(65)
      }
      try tool.write(list, to: "\(next)/deleted.jsonl")
      try tool.write(documentLine("logs/1", 2) + "\n", to: "\(whole)/logs.jsonl")
      for command in [["import", whole] + target, ["count", "--all", "--from", whole, "-q"]] {
        let result = try await tool.bare(command)
        result.expect(0)
        #expect(result.errors.contains("logs.jsonl: it is not as the export wrote it"), "\(result.errors)")
      }
    }
  }

  @Test("A dated export without its manifest is refused, and its files can be named.")
  func unfinished() async throws {
    try await withSource { tool, _, _ in
      let whole = "n/\(try #require(tool.exports("n").first))"
      try FileManager.default.removeItem(atPath: tool.path("\(whole)/manifest.json"))
      for command in [["import", whole, "-e", "test"], ["count", "--all", "--from", whole]] {
        try await tool.bare(command).expectFailure(66, "without a manifest.json")
      }
      try await tool.bare(["import", "\(whole)/users.jsonl", "-e", "test"]).expect(0)
    }
  }

  @Test("The export of one collection adds to no export of everything.")
  func otherScope() async throws {
    try await withSource { tool, _, _ in
      let single = Self.export.map { $0 == "--all" ? "users" : $0 }
      let export = try await increment(tool, single)
      #expect(export.errors.contains("n lacks the whole export"))
      #expect(try lines("\(export.path)/users.jsonl", tool) == 9)
    }
  }

  @Test(
    "What was asked for in another way in between is no base of an increment, and takes none away.",
    arguments: [["--format", "csv"], ["--format", "xlsx"], ["--no-subcollections"]]
  )
  func otherWays(_ other: [String]) async throws {
    try await withSource { tool, source, target in
      try source.put("users/1", fields: Self.new)
      source.remove("users/9")
      try await tool.bare(Self.export + other).expect(0)
      let next = try await increment(tool)
      #expect(!next.errors.contains("lacks the whole export"))
      #expect(try lines("\(next.path)/users.jsonl", tool) == 1)
      #expect(try tool.text("\(next.path)/deleted.jsonl").contains("users/9"))
      try await tool.bare(["export", "verify", "n"]).expect(0)
      let series = ["n/\(try #require(tool.exports("n").first))", next.path]
      try await tool.bare(["import", "-e", "test", "--mode", "upsert"] + series).expect(0)
      #expect(target.snapshot() == source.snapshot())
      // Neither do those of the other way go with those of this one.
      try await tool.bare(Self.export + other + ["--keep", "1"]).expect(0)
      #expect(series.allSatisfy { tool.exists("\($0)/manifest.json") })
    }
  }

  @Test("An increment without subcollections adds to no whole export with them.")
  func shallow() async throws {
    try await withSource { tool, _, _ in
      let shallow = Self.export + ["--no-subcollections"]
      let whole = try await increment(tool, shallow)
      #expect(whole.errors.contains("n lacks the whole export"))
      #expect(try lines("\(whole.path)/users.jsonl", tool) == 9)
      let next = try await increment(tool, shallow)
      #expect(!next.errors.contains("lacks the whole export"))
      #expect(try tool.text("\(next.path)/manifest.json").contains("\"since\""))
    }
  }

  @Test(
    "An increment of tables adds to the whole export of them, and has its subcollections.",
    arguments: ["csv", "xlsx"]
  )
  func tables(format: String) async throws {
    try await withSource { tool, source, _ in
      try source.put("users/1/notes/a", fields: Self.new)
      let export = Self.export + ["--format", format]
      try await tool.bare(export).expect(0)
      source.remove("users/1/notes/a")
      try source.put("users/2/notes/b", fields: Self.new)
      for _ in 1...2 {
        let next = try await increment(tool, export)
        #expect(!next.errors.contains("lacks the whole export") && !next.errors.contains("has no documents"))
        #expect(try tool.text("\(next.path)/manifest.json").contains("\"since\""))
        #expect(tool.exists("\(next.path)/users~notes.\(format)"))
      }
      try await tool.bare(["export", "verify", "n"]).expect(0)
    }
  }

  @Test("Marks that other exports moved put off no increment.")
  func marks() async throws {
    try await withSource { tool, _, _ in
      let single = Self.export.map { $0 == "--all" ? "users" : $0 }
      let first = try #require(manifest("n/latest", tool).readTime)
      try await tool.bare(single).expect(0)
      let next = try await manifest(increment(tool).path, tool)
      #expect(next.after == first)
      let mark = try #require(HighWaterMarks.mark(exportedAt: first))
      #expect(Set(next.files.compactMap(\.since)) == [mark])
      // Those of others are not the moment of an export that has none.
      try await tool.bare(Self.export + ["--read-time", "none"]).expect(0)
      try await tool.bare(single).expect(0)
      let whole = try await increment(tool)
      #expect(whole.errors.contains("n lacks the whole export"))
      #expect(try lines("\(whole.path)/users.jsonl", tool) == 9)
    }
  }

  @Test("An increment that an earlier version added to an export without its subcollections is found.")
  func addedToShallow() async throws {
    try await withSource { tool, _, _ in
      try await tool.bare(Self.export + ["--no-subcollections"]).expect(0)
      let shallow = try #require(manifest("n/latest", tool).readTime)
      let folder = try await increment(tool).path
      var added = try manifest(folder, tool)
      added.after = shallow
      try added.write(to: tool.path(folder))
      let verified = try await tool.bare(["export", "verify", "n"]).expect(1)
      #expect(verified.output.contains("\(folder)\tthe increment before it is missing"))
    }
  }

  @Test("A series out of order is refused, whatever --duplicates says, and so is one with a gap.")
  func order() async throws {
    try await withSource { tool, source, target in
      for (changed, deleted) in [("users/1", "users/2"), ("users/3", "users/4")] {
        try source.put(changed, fields: Self.new)
        source.remove(deleted)
        _ = try await increment(tool)
      }
      let folders = tool.exports("n").map { "n/\($0)" }
      try #require(folders.count == 3)
      let empty = target.snapshot()
      let wrong = Array(folders.reversed())
      for choice in [[], ["--duplicates", "last"]] {
        let result = try await tool.bare(["import", "-e", "test", "--mode", "upsert"] + wrong + choice)
        result.expectFailure(64, "it is older than an export", "Name the whole export first")
      }
      let gap = [folders[0], folders[2]]
      try await tool.bare(["import", "-e", "test", "--mode", "upsert"] + gap)
        .expectFailure(64, "the increment before it is missing", "Name that one, too.")
      try await tool.bare(["restore", "--all", "-n", "-e", "prod"] + gap.flatMap { ["--from", $0] })
        .expectFailure(64, "the increment before it is missing", "Name that one, too.")
      #expect(target.snapshot() == empty)
      // The newest state of a document counts in a series, whichever of other duplicates does.
      let command = ["import", "-e", "test", "--mode", "upsert", "--duplicates", "first"]
      try await tool.bare(command + folders).expect(0)
      #expect(target.snapshot() == source.snapshot())
    }
  }

  @Test(
    "An increment of a copy of the folder is refused beside those that were made since, and the next export is whole."
  )
  func branch() async throws {
    try await withSource { tool, source, target in
      try FileManager.default.copyItem(atPath: tool.path("n"), toPath: tool.path("copy"))
      try source.put("users/new", fields: Self.new)
      _ = try await increment(tool)
      source.remove("users/new")
      try await tool.bare(Self.export.map { $0 == "n" ? "copy" : $0 } + ["--since", "last"]).expect(0)
      let other = try #require(tool.exports("copy").last)
      let name = "2999-01-01T000000Z"
      try FileManager.default.copyItem(atPath: tool.path("copy/\(other)"), toPath: tool.path("n/\(name)"))
      let verified = try await tool.bare(["export", "verify", "n"])
      verified.expect(1)
      #expect(verified.output.contains("n/\(name)\tit does not continue the export before it"))
      let folders = tool.exports("n").map { "n/\($0)" }
      let empty = target.snapshot()
      try await tool.bare(["import", "-e", "test", "--mode", "upsert"] + folders)
        .expectFailure(64, "it does not continue the export before it")
      try await tool.bare(["restore", "--all", "-n", "-e", "prod"] + folders.flatMap { ["--from", $0] })
        .expectFailure(64, "it does not continue the export before it")
      #expect(target.snapshot() == empty)
      #expect(try await increment(tool).errors.contains("n lacks the whole export"))
    }
  }

  @Test("A copy of an export under a later name is reported, and a manifest that names a file twice is none.")
  func copies() async throws {
    try await withSource { tool, source, _ in
      try source.put("users/new", fields: Self.new)
      _ = try await increment(tool)
      let names = tool.exports("n")
      for (name, copy) in zip(names, ["2999-01-01T000000Z", "2999-01-01T000001Z"]) {
        try FileManager.default.copyItem(atPath: tool.path("n/\(name)"), toPath: tool.path("n/\(copy)"))
        let verified = try await tool.bare(["export", "verify", "n"])
        verified.expect(1)
        #expect(
          verified.output.contains("n/\(copy)\tit has the readTime of \(name), so one of them is a copy\n")
        )
        try FileManager.default.removeItem(atPath: tool.path("n/\(copy)"))
      }
      var twice = try manifest("n/\(names[0])", tool)
      twice.files.append(twice.files[0])
      try twice.write(to: tool.path("n/\(names[0])"))
      try await tool.bare(["export", "verify", "n"]).expectFailure(65, "is there twice")
      try await tool.bare(["import", "n/\(names[0])", "-e", "test"]).expectFailure(65, "is there twice")
    }
  }

  @Test(
    "Where a file of the series has one other byte, whichever it is and in whatever format, the next export is whole.",
    arguments: [
      ("jsonl", 0, "users"), ("jsonl", 1, "users"), ("jsonl", 1, "users~notes"), ("jsonl", 1, "deleted"),
      ("csv", 0, "users"), ("csv", 1, "users~notes"), ("xlsx", 1, "users"),
    ]
  )
  func changedByte(_ format: String, _ night: Int, _ file: String) async throws {
    try await withSource { tool, source, _ in
      let export = Self.export + ["--format", format]
      try source.put("users/1/notes/a", fields: Self.new)
      try await tool.bare(export).expect(0)
      try source.put("users/2", fields: Self.new)
      source.remove("users/9")
      _ = try await increment(tool, export)
      #expect(try await manifest(increment(tool, export).path, tool).isIncrement)
      let folder = tool.exports("n").suffix(3).map { "n/\($0)" }[night]
      try changeDigit(of: "\(folder)/\(file).\(format)", tool)
      let next = try await increment(tool, export)
      #expect(next.errors.contains("warning: Everything is exported"), "\(next.errors)")
      #expect(next.errors.contains("\(file).\(format)"), "\(next.errors)")
      #expect(try !manifest(next.path, tool).isIncrement)
    }
  }

  /// Changes the first digit of a file, which keeps its size.
  private func changeDigit(of file: String, _ tool: Tool) throws {
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: tool.path(file))))
    let first = try #require(bytes.firstIndex { (0x30...0x39).contains($0) })
    bytes[first] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: tool.path(file)))
  }

  @Test("An increment without a change is imported without a warning.")
  func nothingChanged() async throws {
    try await withSource { tool, _, _ in
      let empty = try await increment(tool)
      let result = try await tool.bare(["import", empty.path, "-e", "test", "--mode", "upsert"]).expect(0)
      #expect(!result.errors.contains("it has no documents"), "\(result.errors)")
    }
  }

  @Test("Where an increment is gone, the next export is whole, too.")
  func missingIncrement() async throws {
    try await withSource { tool, source, _ in
      try source.put("users/1", fields: Self.new)
      let first = try await increment(tool)
      _ = try await increment(tool)
      try FileManager.default.moveItem(atPath: tool.path(first.path), toPath: tool.path("away"))
      let verified = try await tool.bare(["export", "verify", "n", "--json"]).expect(1)
      #expect(verified.output.contains(#""problem":"the increment before it is missing""#))
      let next = try await increment(tool)
      #expect(try lines("\(next.path)/users.jsonl", tool) == 9)
    }
  }
}
