import Foundation
import TestSupport
import Testing

@Suite("Environments at a moment", .timeLimit(.minutes(60)))
struct EnvironmentMomentTests {
  /// A database in which one document changed, one is gone and one is new since the moment.
  private func database(_ mini: MiniFirestore) throws -> (before: [MiniDocument], moment: String) {
    try mini.load(jsonLines: (1...3).map { documentLine("products/\($0)", $0) }.joined(separator: "\n"))
    let before = mini.snapshot()
    let moment = try #require(before.map(\.updateTime).max())
    try mini.put("products/1", fields: #"{"n":{"integerValue":"0"}}"#)
    mini.remove("products/2")
    try mini.put("products/4", fields: "{}")
    return (before, moment)
  }

  @Test(
    "A diff of an environment at a moment with itself shows what happened since; a copy takes what was there then."
  )
  func diffAndCopy() async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    let (before, moment) = try database(source)
    try await withTwoServers(source.handler, target.handler) { tool in
      let diff = ["diff", "--all", "--from", "prod@\(moment)", "--to"]
      let changes = try await tool.bare(diff + ["prod"]).expect(1)
      #expect(changes.output == "* products/1\n+ products/2\n- products/4\n")
      try await tool.bare(diff + ["prod@\(moment)"]).expect(0)
      try await tool.bare(["copy", "products", "--from", "prod@\(moment)", "--to", "test"]).expect(0)
      #expect(target.snapshot() == before)
      for (code, words, time) in [
        (64, "'noon' is no moment", "noon"), (64, "in the future", "2199-01-01T00:00:00Z"),
        (66, "The earliest moment that works is", "2020-01-01T00:00:00Z"),
      ] as [(Int32, String, String)] {
        for command in [
          ["diff", "--all", "--from", "prod@\(time)", "--to", "prod"],
          ["diff", "--all", "--from", "prod", "--to", "prod@\(time)"],
          ["copy", "products", "--from", "prod@\(time)", "--to", "test"],
        ] { try await tool.bare(command).expectFailure(code, words) }
      }
      try await tool.bare(diff + ["prod", "--read-time", "now"]).expectFailure(64, "not both")
      // A name that is no environment is a file's.
      try tool.write(documentLine("a/1", 1), to: "x@y.jsonl")
      try await tool.bare(["diff", "--all", "--from", "x@y.jsonl", "--to", "x@y.jsonl"]).expect(0)
    }
  }

  @Test("A restore from the environment itself at a moment is one to that moment; from another it is a copy.")
  func restore() async throws {
    let (source, other) = (MiniFirestore.environment("stage"), MiniFirestore.environment("prod"))
    let (before, moment) = try database(source)
    try await withTwoServers(other.handler, source.handler) { tool in
      let restore = ["restore", "products", "-e", "stage", "--max-delete", "1", "--from"]
      for wrong in [["stage"], ["prod@\(moment)"], ["stage@\(moment)", "--from", "stage@\(moment)"]] {
        try await tool.bare(restore + wrong).expectFailure(64, "is an environment: 'copy'")
      }
      try await tool.bare(restore + ["stage@2020-01-01T00:00:00Z"]).expectFailure(66, "The earliest moment")
      #expect(source.requestCount(.commit) == 0)
      try await tool.bare(restore + ["stage@\(moment)"]).expect(0)
      #expect(source.snapshot() == before)
    }
  }

  @Test("get, find, count and check read at a moment.")
  func reading() async throws {
    let mini = MiniFirestore()
    let (before, moment) = try database(mini)
    try await withTool(against: mini.handler) { tool, _ in
      let at = ["--read-time", moment] + tool.place
      let found = try await tool.bare(["get", "products/1", "products/2", "products/3"] + at).expect(0)
      #expect(found.output == before.map { $0.jsonLine + "\n" }.joined())
      let count = try await tool.bare(["count", "products", "--where", "n >= 1"] + at)
      #expect(count.output == "products\t3\n")
      #expect(try await tool.run("count", "products", "--where", "n >= 1").output == "products\t1\n")
      try mini.put("users/u", fields: #"{"firstName":{"stringValue":"Ana"}}"#)
      let later = try #require(mini.document("users/u")).updateTime
      mini.remove("users/u")
      let people = try await tool.bare(
        ["find", "ana", "--collection", "users", "--read-time", later] + tool.place
      )
      #expect(people.output.hasPrefix("users/u\t"))
      for command in [["get", "products/1"], ["count", "products"], ["find", "ana"], ["check"]] {
        let old = ["--read-time", "2020-01-01T00:00:00Z"] + tool.place
        try await tool.bare(command + old).expectFailure(66, "The earliest moment that works is")
      }
    }
  }

  @Test("The history of a document has its versions and what changed between them; it keeps to its reads.")
  func history() async throws {
    let mini = MiniFirestore()
    try mini.put("a/1", fields: #"{"n":{"integerValue":"1"}}"#)
    try mini.put("a/1", fields: #"{"n":{"integerValue":"2"}}"#)
    try mini.put("a/1", fields: #"{"n":{"integerValue":"2"},"m":{"nullValue":null}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      let text = try await tool.run("history", "a/1").expect(0)
      let lines = text.output.split(separator: "\n").map(String.init)
      #expect(lines.first == "a/1" && lines.count { $0.hasSuffix("  changed") } == 2)
      #expect(lines.contains("    n: 1 -> 2"))
      #expect(lines.contains("    m: (none) -> null"))
      let before = mini.requestCount(.batchGet)
      // One of them is for the service's time.
      let few = try await tool.run("history", "a/1", "--max-reads", "4", "--json").expect(0)
      #expect(few.errors.contains("--max-reads"))
      #expect(mini.requestCount(.batchGet) - before <= 4)
      let json = try JSONSerialization.jsonObject(with: Data(few.standardOutput)) as? [String: Any]
      #expect(json?["reads"] as? Int == 3 && json?["isComplete"] as? Bool == false)
      // The version before the first change is not found.
      let events = (json?["versions"] as? [[String: Any]])?.map { $0["event"] as? String ?? "" }
      #expect(events == ["missing", "changed", "changed"])
      try await tool.run("history", "a/none", "--max-reads", "7").expectFailure(66, "a/none")
    }
  }

  @Test("A history whose bound is too small claims nothing about what it did not look at.")
  func shortHistory() async throws {
    let mini = MiniFirestore()
    try mini.put("a/1", fields: #"{"n":{"integerValue":"1"}}"#)
    try mini.put("a/2", fields: #"{"n":{"integerValue":"1"}}"#)
    try mini.put("a/2", fields: #"{"n":{"integerValue":"2"}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      for path in ["a/1", "a/none"] {
        let none = try await tool.run("history", path, "--max-reads", "1")
        none.expectFailure(75, "--max-reads 1")
        #expect(!none.errors.contains("there is none"), "\(none.errors)")
      }
      for (path, event) in [("a/1", "created"), ("a/2", "changed")] {
        let one = try await tool.run("history", path, "--max-reads", "2").expect(0)
        #expect(one.output.contains("  \(event)\n"), "\(one.output)")
      }
      let missing = try await tool.run("history", "a/none", "--max-reads", "2")
      missing.expectFailure(66, "there is none now")
      #expect(!missing.errors.contains("since"), "\(missing.errors)")
    }
  }
}
