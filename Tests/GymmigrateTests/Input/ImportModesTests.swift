import Foundation
import TestSupport
import Testing

@Suite("Import", .timeLimit(.minutes(60)))
struct ImportModesTests {
  /// Three documents: one as it exists, one that differs, one that is new.
  private static let file = """
    {"fields":{"a":{"integerValue":"1"},"m":{"mapValue":{"fields":{"x":{"integerValue":"1"}}}}},"name":"things/same"}
    {"fields":{"a":{"integerValue":"2"},"m":{"mapValue":{"fields":{"x":{"integerValue":"2"}}}}},"name":"things/other"}
    {"fields":{"a":{"integerValue":"3"}},"name":"things/new"}

    """

  private static let same =
    #"{"a":{"integerValue":"1"},"m":{"mapValue":{"fields":{"x":{"integerValue":"1"}}}}}"#
  private static let other =
    #"{"a":{"integerValue":"1"},"kept":{"nullValue":null},"m":{"mapValue":{"fields":{"x":{"integerValue":"1"},"y":{"integerValue":"7"}}}}}"#

  private func database() throws -> MiniFirestore {
    let mini = MiniFirestore()
    try mini.put("things/same", fields: Self.same)
    try mini.put("things/other", fields: Self.other)
    try mini.put("elsewhere/untouched", fields: #"{"a":{"integerValue":"9"}}"#)
    return mini
  }

  @Test(
    "A dry run says which fields change, of how many documents, and shows the first; a run does not.",
    arguments: ["upsert", "merge", "replace", "create"]
  )
  func foreseen(mode: String) async throws {
    let mini = try database()
    for number in 1...5 { try mini.put("things/t\(number)", fields: #"{"a":{"integerValue":"1"}}"#) }
    try await withTool(against: mini.handler) { tool, _ in
      let more = (1...5).map { #"{"fields":{"a":{"integerValue":"2"}},"name":"things/t\#($0)"}"# }
      try tool.write(Self.file + more.joined(separator: "\n"), to: "things.jsonl")
      let dry = try await tool.run("import", "things.jsonl", "--mode", mode, "-n")
      let rejects = mode == "create" ? 6 : mode == "replace" ? 1 : 0
      dry.expect(rejects > 0 ? 2 : 0)
      let reason = mode == "create" ? "ALREADY_EXISTS" : "NOT_FOUND"
      let advice = mode == "create" ? "--mode merge sets" : "--mode upsert or merge makes"
      #expect(dry.output.contains("  left alone, \(reason): \(rejects) (\(advice)") == (rejects > 0))
      if mode == "create" {
        #expect(dry.output.hasPrefix("import: 6 documents left alone\n"), "\(dry.output)")
      } else {
        let fields = mode == "merge" ? "  a: 6\n  m.x: 1\n" : "  a: 6\n  kept: 1\n  m.x: 1\n  m.y: 1\n"
        #expect(dry.output.hasPrefix("import: 6 documents to update\n\(fields)"), "\(dry.output)")
        #expect(dry.output.contains("  ~ things/other\n      a: 1 -> 2\n"), "\(dry.output)")
        #expect(dry.output.components(separatedBy: "  ~ ").count == 4, "\(dry.output)")
      }
      #expect(dry.output.contains("  + things/new\n") == (mode != "replace"), "\(dry.output)")
      let json = try await tool.run("import", "things.jsonl", "--mode", mode, "-n", "--json")
      #expect(json.output.hasPrefix("{") && !json.output.contains(" -> "))
      let run = try await tool.run("import", "things.jsonl", "--mode", mode, "-q")
      #expect(!run.output.contains(" -> "), "\(run.output)")
      #expect(run.output.contains("left alone, \(reason): \(rejects)") == (rejects > 0), "\(run.output)")
    }
  }

  @Test("A dry run names the first documents that are new, so that an id that is mistyped is seen.")
  func new() async throws {
    let mini = try database()
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write("id,a\notehr,1\n", to: "one.csv")
      try tool.write("id,a\nn1,1\nn2,1\nn3,1\nn4,1\nn5,1\n", to: "five.csv")
      for (file, expected) in [
        ("one.csv", "import: 1 document to create\n  + things/otehr\n"),
        (
          "five.csv",
          "import: 5 documents to create\n  + things/n1\n  + things/n2\n  + things/n3\n  and 2 more that are new\n"
        ),
      ] {
        let words = ["import", file, "--collection", "things", "--id-column", "id", "--mode", "merge"]
        let dry = try await tool.bare(words + ["-n"] + tool.place).expect(0)
        #expect(dry.output == expected)
        let run = try await tool.bare(words + tool.place).expect(0)
        #expect(run.output.isEmpty, "\(run.output)")
      }
    }
  }

  @Test("Rows that are rejected are counted by what is wrong with them, with what helps.")
  func reasonsOfRows() async throws {
    try await withTool { tool in
      let header = "__name__,remainingVisits,status\n"
      try tool.write(header + "m1,dos,active\nm2,1,bogus\nm3,tres,active\n", to: "members.csv")
      let result = try await tool.run("import", "members.csv", "--parse-errors", "skip-row", "-n").expect(2)
      #expect(result.output.hasPrefix("import: 3 documents left alone\n"), "\(result.output)")
      #expect(result.output.contains("  left alone, MALFORMED: 2\n"), "\(result.output)")
      #expect(result.output.contains(": 1 (--validate warn imports such all the same)\n"), "\(result.output)")
    }
  }

  struct Mode: Sendable, CustomTestStringConvertible {
    var name: String
    var code: Int32
    var written, unchanged, rejected: Int
    /// The fields afterwards of the document that differs, and whether the new one is made.
    var other: String
    var makesNew: Bool
    var testDescription: String { name }
  }

  @Test(
    "Each mode does to documents that are there what it says.",
    arguments: [
      Mode(name: "create", code: 2, written: 1, unchanged: 1, rejected: 1, other: other, makesNew: true),
      Mode(
        name: "upsert",
        code: 0,
        written: 2,
        unchanged: 1,
        rejected: 0,
        other: #"{"a":{"integerValue":"2"},"m":{"mapValue":{"fields":{"x":{"integerValue":"2"}}}}}"#,
        makesNew: true
      ),
      Mode(
        name: "merge",
        code: 0,
        written: 2,
        unchanged: 1,
        rejected: 0,
        other:
          #"{"a":{"integerValue":"2"},"kept":{"nullValue":null},"m":{"mapValue":{"fields":{"x":{"integerValue":"2"},"y":{"integerValue":"7"}}}}}"#,
        makesNew: true
      ),
      Mode(
        name: "replace",
        code: 2,
        written: 1,
        unchanged: 1,
        rejected: 1,
        other: #"{"a":{"integerValue":"2"},"m":{"mapValue":{"fields":{"x":{"integerValue":"2"}}}}}"#,
        makesNew: false
      ),
    ]
  )
  func modes(_ mode: Mode) async throws {
    let mini = try database()
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write(Self.file, to: "things.jsonl")
      let result = try await tool.run("import", "things.jsonl", "--mode", mode.name, "--json")
      result.expect(mode.code)
      let counts = try #require(result.summary()["things"])
      #expect(counts.read == 3)
      #expect(counts.written == mode.written)
      #expect(counts.unchanged == mode.unchanged)
      #expect(counts.rejected == mode.rejected)
      #expect(counts.balance)
      #expect(mini.document("things/same")?.fieldsJSON == Self.same)
      #expect(mini.document("things/other")?.fieldsJSON == mode.other)
      #expect((mini.document("things/new") != nil) == mode.makesNew)
      #expect(mini.writeCount("things/same") == 0)
      #expect(mini.document("elsewhere/untouched")?.fieldsJSON == #"{"a":{"integerValue":"9"}}"#)
      if mode.rejected > 0 {
        let reject = try tool.text(#require(tool.runs().last) + "/rejects.jsonl")
        let guilty = mode.name == "create" ? "things/other" : "things/new"
        #expect(reject.contains("\"path\":\"\(guilty)\""))
        #expect(reject.contains(mode.name == "create" ? "ALREADY_EXISTS" : "NOT_FOUND"))
        // Mended (here: by the mode), the list is imported as it is.
        try tool.write(reject, to: "again.jsonl")
        try await tool.run("import", "again.jsonl", "--mode", "upsert").expect(0)
        #expect(mini.document(guilty) != nil)
      }
      // The same once more changes nothing.
      mini.resetCounts()
      let again = try await tool.run("import", "things.jsonl", "--mode", mode.name, "--json")
      #expect(try again.summary().totals.written == 0 || mode.name == "create")
      #expect(mini.totalWrites == 0)
    }
  }

  @Test(
    "A dry run reads and checks, and writes nothing.",
    arguments: ["create", "upsert", "merge", "replace"]
  )
  func dryRun(_ mode: String) async throws {
    let mini = try database()
    let before = mini.snapshot()
    try await withTool(against: mini.handler) { tool, server in
      try tool.write(Self.file, to: "things.jsonl")
      let result = try await tool.run("import", "things.jsonl", "--mode", mode, "-n", "--json")
      // One document is there with other fields, and two are not.
      result.expect(mode == "create" || mode == "replace" ? 2 : 0)
      #expect(try result.summary().totals.read == 3)
      #expect(try result.summary().totals.written == 0)
      #expect(mini.snapshot() == before)
      #expect(server.requests(.commit).isEmpty)
    }
  }

  @Test("A document that cannot be stored stands aside with its reason; the others are imported.")
  func rejects() async throws {
    try await withMini { tool, mini in
      let long = String(repeating: "x", count: 1_048_600)
      try tool.write(
        """
        {"fields":{"a":{"integerValue":"1"}},"name":"things/good"}
        {"fields":{"__bad__":{"integerValue":"1"}},"name":"things/name"}
        {"fields":{"a":{"arrayValue":{"values":[{"arrayValue":{"values":[{"integerValue":"1"}]}}]}}},"name":"things/nested"}
        {"fields":{"a":{"bytesValue":"\(Data(long.utf8).base64EncodedString())"}},"name":"things/large"}
        {"fields":{"a":{"integerValue":"2"}},"name":"things/fine"}

        """,
        to: "things.jsonl"
      )
      let result = try await tool.run("import", "things.jsonl", "--json").expect(2)
      let summary = try result.summary()
      #expect(summary.status == "incomplete")
      #expect(summary.totals.written == 2)
      #expect(summary.totals.rejected == 3)
      #expect(mini.snapshot().map(\.name) == ["things/fine", "things/good"])
      #expect(result.errors.contains("rejects.jsonl"))
      let list = try tool.text(".gymmigrate/runs/\(summary.runId)/rejects.jsonl").split(separator: "\n")
      var found: [String: String] = [:]
      for line in list {
        let json = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(json["code"] as? String == "INVALID_ARGUMENT")
        let path = try #require(json["path"] as? String)
        found[path] = json["message"] as? String
        let document = try #require(json["document"] as? [String: Any])
        #expect(document["name"] as? String == path)
        #expect(document["fields"] is [String: Any])
      }
      #expect(Set(found.keys) == ["things/name", "things/nested", "things/large"])
      #expect(found["things/large"]?.contains("bytes") ?? false)
      #expect(found["things/name"]?.contains("__bad__") ?? false)
      // A dry run finds the same ones.
      let dry = try await tool.run("import", "things.jsonl", "-n", "--json")
      #expect(try dry.summary().totals.rejected == 3)
    }
  }

  @Test("What only the server refuses is found out by halving, and stands aside alone.")
  func bisected() async throws {
    let mini = MiniFirestore()
    let refusing: RequestHandler = { request in
      if request.kind == .commit, ["u17", "u40"].contains(where: { request.text.contains("things/\($0)\"") })
      {
        return .response(ServiceError.invalidArgument("a rule of the server's own").response(for: .commit))
      }
      return mini.handler(request)
    }
    try await withTool(against: refusing) { tool, _ in
      let lines = (0..<60).map {
        #"{"fields":{"n":{"integerValue":"\#($0)"}},"name":"things/u\#($0)"}"# + "\n"
      }
      try tool.write(lines.joined(), to: "things.jsonl")
      let result = try await tool.run("import", "things.jsonl", "--json").expect(2)
      #expect(try result.summary().totals.written == 58)
      #expect(mini.snapshot().count == 58)
      #expect(mini.writtenDocuments.allSatisfy { $0.writes == 1 })
      let list = try tool.text(#require(tool.runs().last) + "/rejects.jsonl").split(separator: "\n")
      #expect(list.count == 2)
      #expect(list.contains { $0.contains("things/u17") } && list.contains { $0.contains("things/u40") })
    }
  }

  @Test("References into the source become references into the target; others stay and are counted.")
  func references() async throws {
    let mini = MiniFirestore()
    let source = "projects/sajarubox/databases/prod"
    let line = """
      {"fields":{"deep":{"arrayValue":{"values":[{"mapValue":{"fields":{"r":{"referenceValue":"\(source)/documents/users/u2"}}}}]}},\
      "else":{"referenceValue":"projects/p/databases/d/documents/users/u3"},\
      "r":{"referenceValue":"\(source)/documents/users/u1"}},"name":"things/t"}

      """
    let kept = #""else":{"referenceValue":"projects/p/databases/d/documents/users/u3"}"#
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write(line, to: "things.jsonl")
      let unknown = try await tool.run("import", "things.jsonl").expect(0)
      #expect(
        unknown.errors.contains("Kept as they are: 3 references") && unknown.errors.contains("--source")
      )
      #expect(mini.document("things/t")?.fieldsJSON.contains("\(source)/documents/users/u1") ?? false)

      let given = try await tool.run("import", "things.jsonl", "--mode", "upsert", "--source", source)
      given.expect(0)
      #expect(
        given.errors.contains(": 2 references.")
          && given.errors.contains("Kept as it is: 1 reference.")
      )
      let fields = try #require(mini.document("things/t")?.fieldsJSON)
      #expect(fields.contains("\(mini.root)/users/u1") && fields.contains("\(mini.root)/users/u2"))
      #expect(fields.contains(kept) && !fields.contains(source))

      // The manifest of a folder says where its documents are from.
      try await tool.run("export", "things", "-o", "out/", "--format", "jsonl").expect(0)
      var store = tool
      store.place = ["-e", "local"]
      try await store.run("import", "out/things.jsonl").expect(0)
      let copied = try await store.run("export", "things", "-o", "-", "--format", "jsonl")
      #expect(copied.output.contains("projects/sajarubox/databases/local/documents/users/u1"))
      #expect(copied.output.contains(kept))
    }
  }

  @Test("--collection puts documents elsewhere under their own ids; standard input and gzip are read, too.")
  func places() async throws {
    try await withMini { tool, mini in
      let text = try Samples.first(5, of: "products")
      let expected = try MiniFirestore.canonical(
        jsonLines: text.replacingOccurrences(of: "\"products/", with: "\"groups/g 1/wares/")
      )
      let result = try await tool.bare(
        ["import", "-", "--collection", "groups/g 1/wares", "--json"] + tool.place,
        input: Array(text.utf8)
      ).expect(0)
      #expect(try result.summary().collections.map(\.name) == ["groups/g 1/wares"])
      #expect(mini.snapshot() == expected)

      try await Judge.script(
        "import gzip,sys; gzip.open(sys.argv[1], 'wb').write(open(sys.argv[2], 'rb').read())",
        tool.path("p.jsonl.gz"),
        Samples.file("products")
      )
      try await tool.run("import", "p.jsonl.gz").expect(0)
      #expect(mini.snapshot().count == 29)
      let broken = try Data(contentsOf: tool.folder.appendingPathComponent("p.jsonl.gz")).dropLast(20)
      try Data(broken).write(to: tool.folder.appendingPathComponent("q.jsonl.gz"))
      mini.resetCounts()
      try await tool.run("import", "q.jsonl.gz", "--mode", "upsert").expectFailure(65, "q.jsonl.gz")
      #expect(mini.totalWrites == 0)
    }
  }

  @Test("A malformed line on standard input ends the import with its number.")
  func malformedInput() async throws {
    try await withMini { tool, _ in
      let text = try Samples.first(2, of: "products") + "oops\n"
      try await tool.bare(["import", "-"] + tool.place, input: Array(text.utf8)).expectFailure(65, "line 3")
    }
  }

  @Test("--limit imports the first documents alone.")
  func limit() async throws {
    try await withMini { tool, mini in
      try await tool.run("import", Samples.file("products"), "--limit", "7").expect(0)
      #expect(try mini.snapshot() == MiniFirestore.canonical(jsonLines: Samples.first(7, of: "products")))
    }
  }

  @Test(
    "The summary says how many documents were not there before.",
    arguments: ["merge", "upsert", "create"]
  )
  func creations(_ mode: String) async throws {
    let mini = MiniFirestore()
    try mini.put("t/a", fields: mode == "create" ? #"{"n":{"integerValue":"1"}}"# : "{}")
    try await withTool(against: mini.handler) { tool, _ in
      let lines = ["a", "b", "c"].map { documentLine("t/\($0)", 1) }
      try tool.write(lines.joined(separator: "\n"), to: "t.jsonl")
      let result = try await tool.run("import", "t.jsonl", "--mode", mode, "--json").expect(0)
      let totals = try result.summary().totals
      #expect(totals.new == 2 && totals.created == 0 && totals.read == 3 && totals.balance)
      #expect(totals.written == (mode == "create" ? 2 : 3))
      try tool.write(documentLine("t/d", 1), to: "t.jsonl")
      let text = try await tool.run("import", "t.jsonl", "--mode", mode)
      #expect(text.errors.contains("t: 1 read, 1 written, 1 new"), "\(text.errors)")
    }
  }
}
