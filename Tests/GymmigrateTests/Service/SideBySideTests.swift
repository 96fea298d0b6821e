import FirestoreModels
import Foundation
import TestSupport
import Testing

/// What commands read side by side is what they read one page after the other.
@Suite("Reading side by side", .timeLimit(.minutes(60)))
struct SideBySideTests {
  /// Documents of several collections with odd IDs, missing parents and nested collections.
  private static func database(seed: UInt64) throws -> MiniFirestore {
    var random = RandomDatabase(seed: seed, database: DatabaseName(project: "test-project"))
    var lines: [UInt8] = []
    for _ in 0..<300 {
      var json = JSONWriter()
      json.document(random.next())
      lines += json.bytes + [0x0A]
    }
    let mini = MiniFirestore()
    try mini.load(jsonLines: String(decoding: lines, as: UTF8.self))
    for number in 0..<40 {
      try mini.put("orders/o\(number / 8)/items/\(number)", fields: #"{"n":{"integerValue":"\#(number)"}}"#)
      try mini.put("orders/missing/items/x\(number)", fields: "{}")
      try mini.put("counted/user\(number)", fields: "{}")
    }
    return mini
  }

  @Test(
    "Exports of everything, of a group and of a pattern are the same to the byte.",
    arguments: [UInt64(1), 2]
  )
  func exports(seed: UInt64) async throws {
    let mini = try Self.database(seed: seed)
    try await withTool(against: mini.handler) { tool, _ in
      for (name, what) in [
        ("all", ["--all", "--subcollections"]), ("roots", ["--all", "--no-subcollections"]),
        ("group", ["items", "--group"]), ("pattern", ["orders/*/items"]),
        ("limit", ["--all", "--limit", "3"]),
      ] {
        for parallel in ["1", "2", "7", "16"] {
          let options = ["--page-size", "6", "--parallel", parallel, "-o", "\(name)-\(parallel).jsonl"]
          try await tool.bare(["export"] + what + options + tool.place).expect(0)
        }
        let wanted = try tool.text("\(name)-1.jsonl")
        #expect(!wanted.isEmpty)
        for parallel in ["2", "7", "16"] {
          #expect(try tool.text("\(name)-\(parallel).jsonl") == wanted, "seed \(seed), \(name), \(parallel)")
        }
      }
      for parallel in ["1", "8"] {
        let options = [
          "--page-size", "6", "--parallel", parallel, "--format", "csv", "-o", "csv-\(parallel)/",
        ]
        try await tool.bare(["export", "counted", "orders/*/items"] + options + tool.place).expect(0)
      }
      for file in ["counted.csv", "orders~items.csv"] {
        #expect(try tool.text("csv-8/\(file)") == tool.text("csv-1/\(file)"))
      }
    }
  }

  @Test("A copy writes the same, and a comparison finds the same.", arguments: [UInt64(4), 5])
  func twoSides(seed: UInt64) async throws {
    let mini = try Self.database(seed: seed)
    var copies: [[String]] = []
    for parallel in ["1", "8"] {
      let target = MiniFirestore()
      try target.put("counted/only", fields: "{}")
      try await HTTPTestServer.withServer(target.handler) { copy in
        try await withTool(against: mini.handler) { tool, server in
          let from = ["--from-project", "test-project", "--from-endpoint", server.url]
          let to = ["--project", "test-project", "--endpoint", copy.url]
          let reading = ["--page-size", "5", "--parallel", parallel]
          let yaml = """
            project: test-project
            environments:
              one: { endpoint: "\(server.url)" }
              two: { endpoint: "\(copy.url)" }
            """
          try tool.write(yaml, to: "gymmigrate.yaml")
          let compare = ["diff", "--all", "--from", "one", "--to", "two"] + reading
          let before = try await tool.bare(compare).expect(1)
          let removal = ["--delete-extraneous", "--max-delete", "5"]
          try await tool.bare(["copy", "--all", "--yes"] + removal + reading + from + to).expect(0)
          try await tool.bare(compare).expect(0)
          copies.append([before.output] + target.snapshot().map(\.name))
        }
      }
    }
    #expect(copies[0] == copies[1] && copies[0].count > 300, "seed \(seed)")
  }

  @Test("Fifteen collections are asked for together, and nothing is asked before that no page needs.")
  func noRequestBefore() async throws {
    let mini = MiniFirestore()
    for number in 0..<15 {
      for id in 0..<20 { try mini.put("c\(10 + number)/\(100 + id)", fields: "{}") }
    }
    for parallel in ["1", "16"] {
      try await withTool(against: mini.handler) { tool, server in
        let options = ["--no-subcollections", "--read-time", "none", "--parallel", parallel, "-o", "all/"]
        try await tool.bare(["export", "--all", "--format", "jsonl"] + options + tool.place).expect(0)
        let kinds = server.requests.map(\.kind)
        let pages = kinds.indices.filter { kinds[$0] == .list || kinds[$0] == .runQuery }
        // Pages of a list may be short, those of a query are not.
        if parallel == "16" { #expect(pages.count == 15) }
        let first = try #require(pages.first)
        #expect(Set(kinds[..<first]) == [.listCollectionIds])
      }
    }
  }
}
