import Foundation
import TestSupport
import Testing

@Suite(
  "An import of the list of rejects does what the first import would have done",
  .timeLimit(.minutes(30))
)
struct RejectedDocumentListTests {
  private static let schema = """
    schema: s
    collections:
      c:
        fields:
          n: integer
          address: any
          name: string
          tier: { type: string, default: basic }
          vip: { type: boolean, default: false }

    """

  private func path(_ list: String, _ tool: Tool) throws -> String {
    try #require(tool.runs().last) + "/" + list
  }

  @Test(
    "Documents are listed without defaults, which take the place of no value.",
    arguments: ["csv", "jsonl"]
  )
  func defaults(_ format: String) async throws {
    try await withMini { tool, mini in
      try mini.load(
        jsonLines:
          #"{"name":"c/p1","fields":{"name":{"stringValue":"Ana"},"tier":{"stringValue":"gold"},"vip":{"booleanValue":true}}}"#
      )
      try tool.write(Self.schema, to: "s.yaml")
      try tool.write("__name__,name\np1,Eva\np2,Leo\n", to: "c.csv")
      let lines = [("p1", "Eva"), ("p2", "Leo")].map {
        #"{"name":"c/\#($0.0)","fields":{"name":{"stringValue":"\#($0.1)"}}}"#
      }
      try tool.write(lines.joined(separator: "\n"), to: "c.jsonl")
      let words = ["--schema", "s.yaml", "--defaults"] + tool.place.dropFirst(2)
      for dry in [["-n"], []] {
        try await tool.bare(["import", "c.\(format)"] + dry + words).expect(2)
        let list = try tool.list("rejects.jsonl", of: tool.lastRun())
        #expect(list.compactMap { $0["code"] as? String } == ["ALREADY_EXISTS"])
        let fields = (list.first?["document"] as? [String: Any])?["fields"] as? [String: Any]
        #expect(fields?.keys.sorted() == ["name"])
      }
      #expect(try mini.document("c/p2")?.fields().keys.sorted() == ["name", "tier", "vip"])
      try await tool.bare(["import", path("rejects.jsonl", tool), "--mode", "merge"] + words).expect(0)
      let merged = try #require(mini.document("c/p1")?.jsonLine)
      #expect(merged.contains("Eva") && merged.contains("gold") && merged.contains("true"), "\(merged)")
    }
  }

  @Test("A document without the fields that were left out is not listed for itself: its row has them.")
  func skippedFieldsOfTable() async throws {
    try await withMini { tool, mini in
      try mini.load(
        jsonLines:
          #"{"name":"c/p1","fields":{"n":{"integerValue":"9"},"address":{"mapValue":{"fields":{"city":{"stringValue":"León"}}}}}}"#
      )
      try tool.write(Self.schema, to: "s.yaml")
      try tool.write("__name__,n,address\np1,BAD,flat\n", to: "c.csv")
      let words = ["--schema", "s.yaml", "--mode", "upsert"] + tool.place.dropFirst(2)
      try await tool.bare(["import", "c.csv", "--parse-errors", "skip-field"] + words).expect(2)
      let list = try tool.list("rejects.jsonl", of: tool.lastRun())
      #expect(list.compactMap { $0["code"] as? String } == ["structure-lost"])
      #expect(list.allSatisfy { $0["document"] == nil })
      let rows = try tool.text(path("rejects.csv", tool))
      try await tool.bare(["import", path("rejects.jsonl", tool)] + words)
        .expectFailure(65, "one whose row is in rejects.csv")
      let city = #""{""mapValue"":{""fields"":{""city"":{""stringValue"":""Puebla""}}}}""#
      try tool.write(rows.replacing("BAD", with: "5").replacing("flat", with: city), to: "mended.csv")
      try await tool.bare(["import", "mended.csv", "--collection", "c"] + words).expect(0)
      let stored = try #require(mini.document("c/p1")?.jsonLine)
      #expect(stored.contains(#""n":{"integerValue":"5"}"#) && stored.contains("Puebla"), "\(stored)")
    }
  }

  @Test("Of JSON Lines, the line that names the fields has the whole document.")
  func skippedFieldsOfLines() async throws {
    try await withMini { tool, mini in
      try mini.load(jsonLines: documentLine("c/p1", 9))
      try tool.write(Self.schema, to: "s.yaml")
      let name = #""name":{"stringValue":"Ana"}"#
      try tool.write(#"{"name":"c/p1","fields":{"n":{"stringValue":"x"},\#(name)}}"#, to: "c.jsonl")
      let words = ["--schema", "s.yaml", "--validate", "reject", "--parse-errors", "skip-field"]
      try await tool.bare(["import", "c.jsonl"] + words + tool.place.dropFirst(2)).expect(2)
      let list = try tool.list("rejects.jsonl", of: tool.lastRun())
      #expect(list.compactMap { $0["code"] as? String } == ["wrong-type", "ALREADY_EXISTS"])
      #expect(list.map { $0["document"] != nil } == [true, false])
    }
  }

  @Test("References of a document that breaks the schema are listed as they are to be written.")
  func references() async throws {
    try await withStores { tool in
      func reference(_ database: String) -> String {
        #","who":{"referenceValue":"projects/p/databases/\#(database)/documents/a/b"}"#
      }
      try await tool.load([documentLine("c/x", 1, reference("prod"))], into: "prod")
      try await tool.bare(["export", "c", "-e", "prod", "--format", "jsonl", "-o", "back/", "-q"]).expect(0)
      try tool.write(
        "schema: s\ncollections:\n  c: { fields: { n: string, who: reference } }\n",
        to: "s.yaml"
      )
      let words = ["--schema", "s.yaml", "--validate", "reject", "--parse-errors", "skip-row"]
      try await tool.bare(["import", "back/", "-e", "test"] + words).expect(2)
      let run = try #require(tool.runs().last)
      try await tool.bare(["import", "\(run)/rejects.jsonl", "-e", "test", "--schema", "none"]).expect(0)
      #expect(try await tool.dump("test") == [documentLine("c/x", 1, reference("test"))])
    }
  }

  @Test("A corrected line that is rejected again is no less tied to the version that it was made for.")
  func updateTimes() async throws {
    try await withMini { tool, mini in
      try mini.load(jsonLines: documentLine("c/p1", 9))
      try tool.write(Self.schema, to: "s.yaml")
      let document =
        #"{"fields":{"n":{"stringValue":"x"}},"name":"c/p1","updateTime":"2026-01-02T03:04:05Z"}"#
      let line = #"{"code":"wrong-type","document":\#(document),"message":"m","path":"c/p1"}"#
      try tool.write(line, to: "list.jsonl")
      for (options, code) in [
        (["--validate", "reject", "--parse-errors", "skip-row"], "wrong-type"), ([], "ALREADY_EXISTS"),
      ] {
        let words = ["--schema", "s.yaml"] + options + tool.place.dropFirst(2)
        try await tool.bare(["import", "list.jsonl"] + words).expect(2)
        let list = try tool.list("rejects.jsonl", of: tool.lastRun())
        #expect(list.compactMap { $0["code"] as? String } == [code])
        let document = list.first?["document"] as? [String: Any]
        #expect(document?["updateTime"] as? String == "2026-01-02T03:04:05Z")
      }
    }
  }
}
