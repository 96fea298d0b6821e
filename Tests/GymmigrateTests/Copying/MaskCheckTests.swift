import Foundation
import TestSupport
import Testing

@Suite("What mask check finds", .timeLimit(.minutes(60)))
struct MaskCheckTests {
  /// What `mask check --json` prints.
  private struct Report: Decodable {
    struct Finding: Decodable {
      var what, add: String
      var documents, referring: Int
    }

    var findings: [Finding]
    var exitCode: Int32
  }

  private static let lines = [
    #"{"name":"p/1","fields":{"r":{"referenceValue":"projects/p/databases/test/documents/q/1"},"a b":{"integerValue":"7"},"c.d":{"integerValue":"7"},"list":{"arrayValue":{"values":[{"stringValue":"x"},{"stringValue":"y"}]}}}}"#,
    #"{"name":"p/2","fields":{}}"#,
    #"{"name":"q/1","fields":{"m":{"mapValue":{"fields":{"k":{"stringValue":"v"}}}},"v":{"integerValue":"1"}}}"#,
    #"{"name":"q/1/n/1","fields":{"x":{"stringValue":"y"}}}"#,
    #"{"name":"q/2","fields":{"v":{"stringValue":"1"},"Ana Cruz":{"stringValue":"1"},"new":{"stringValue":"1"}}}"#,
  ]

  private static let schema = """
    schema: x
    collections:
      p:
        fields:
          a b: integer
          c.d: integer
          r: { type: reference, mask: reference(q) }
          list: { type: array, elements: string }
      q:
        fields:
          m: { type: map, fields: { k: string } }
          v: [integer, string]
      q/*/n:
        mask: keep
        fields:
          x: { type: string, mask: pseudonym }
    """

  private func withData(_ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      try await tool.load(Self.lines, into: "test")
      try tool.write(Self.schema, to: "x.yaml")
      try await body(tool)
    }
  }

  private static let check = ["mask", "check", "p", "q", "-e", "test", "--schema", "x.yaml"]

  @Test("A finding is about what it names, counts its documents, and can be added to the schema as it is.")
  func rows() async throws {
    try await withData { tool in
      let result = try await tool.bare(Self.check).expect(1)
      let rows = Set(result.output.split(separator: "\n").map(String.init))
      #expect(
        rows == [
          "the IDs of p\t2 documents\tp: { mask: pseudonym }",
          "the IDs of q\t2 documents, 2 documents that refer to them\tq: { mask: pseudonym }",
          "`a b` of p\t1 document\tp: { fields: { a b: { type: integer, mask: number(±10%) } } }",
          "`c.d` of p\t1 document\tp: { fields: { c.d: { type: integer, mask: number(±10%) } } }",
          "list[] of p\t1 document\tp: { fields: { list: { type: array, elements: { type: string, mask: pseudonym } } } }",
          "m.k of q\t1 document\tq: { fields: { m: { type: map, fields: { k: { type: string, mask: pseudonym } } } } }",
          "v of q\t2 documents\tq: { fields: { v: { type: [integer, string], mask: drop } } }",
          "(a key that is not shown) of q\t1 document\tq: { fields: { (a key that is not shown): { type: string, mask: pseudonym } } }",
          "new of q\t1 document\tq: { fields: { new: { type: string, mask: pseudonym } } }",
        ],
        "\(result.output)"
      )
    }
  }

  @Test("What is added as it says is found no more.")
  func added() async throws {
    try await withData { tool in
      try tool.write(
        """
        schema: x
        collections:
          p:
            mask: pseudonym
            fields:
              a b: { type: integer, mask: number(±10%) }
              c.d: { type: integer, mask: number(±10%) }
              r: { type: reference, mask: reference(q) }
              list: { type: array, elements: { type: string, mask: pseudonym } }
          q:
            mask: pseudonym
            fields:
              m: { type: map, fields: { k: { type: string, mask: pseudonym } } }
              v: { type: [integer, string], mask: drop }
              new: { type: string, mask: pseudonym }
              Ana Cruz: { type: string, mask: drop }
          q/*/n:
            mask: keep
            fields:
              x: { type: string, mask: pseudonym }
        """,
        to: "x.yaml"
      )
      let result = try await tool.bare(Self.check).expect(0)
      #expect(result.output.isEmpty)
    }
  }

  /// Fields, what the schema says of them, and the rules that are proposed.
  private static let proposed: [(String, String, String)] = [
    ("mail", "{ type: string, format: email }", "email"),
    ("tel", "{ type: string, format: phone }", "digits"),
    ("web", "{ type: string, format: url }", "url"),
    ("day", "{ type: string, format: date }", "constant(2000-01-01)"),
    ("state", "{ type: string, values: [open, closed] }", "keep"),
    ("short", "{ type: string, range: { max: 3 } }", "constant(xxx)"),
    ("note", "{ type: string, range: { max: 50 } }", "pseudonym"),
    ("any", "{ type: [integer, string] }", "drop"),
    ("tags", "{ type: array, required: true }", "pseudonym"),
    ("mixed", "{ type: [integer, string], required: true }", "constant(x)"),
    ("more", "{ type: map, required: true }", "pseudonym, keys: { mask: pseudonym }"),
  ]

  private static func schema(_ mask: (String) -> String) -> String {
    var text = "schema: s\ncollections:\n  p:\n    mask: email\n    document-id: email\n    fields:\n"
    for (name, type, rule) in proposed {
      let members = type.dropFirst("{ ".count).dropLast(" }".count)
      text += "      \(name): { \(members)\(mask(rule)) }\n"
    }
    return text
  }

  @Test("What is proposed keeps the schema: formats, closed values, lengths, and what is required.")
  func proposals() async throws {
    try await withStores { tool in
      let fields =
        #""mail":{"stringValue":"a@b.mx"},"tel":{"stringValue":"55 5000 1234"},"web":{"stringValue":"https://b.mx/a"},"day":{"stringValue":"2026-01-31"},"state":{"stringValue":"open"},"short":{"stringValue":"abc"},"note":{"stringValue":"x y"},"any":{"integerValue":"7"},"tags":{"arrayValue":{"values":[{"stringValue":"t"}]}},"mixed":{"integerValue":"7"},"more":{"mapValue":{"fields":{"k":{"stringValue":"v"}}}}"#
      try await tool.load([#"{"name":"p/a@b.mx","fields":{\#(fields)}}"#], into: "test")
      try tool.write(Self.schema { _ in "" }, to: "s.yaml")
      let found = try await tool.bare(["mask", "check", "p", "-e", "test", "--schema", "s.yaml"]).expect(1)
      for (name, _, rule) in Self.proposed {
        #expect(
          found.output.contains("\(name) of p\t1 document") && found.output.contains("mask: \(rule) }"),
          "\(name)"
        )
      }
      try tool.write(Self.schema { ", mask: \($0)" }, to: "s.yaml")
      try await tool.bare(["mask", "key", "new", "key"]).expect(0)
      let copy = [
        "copy", "p", "--from", "test", "--to", "stage", "--mask", "--mask-key-file", "key", "--yes",
        "--schema", "s.yaml",
      ]
      try await tool.bare(copy).expect(0)
      try await tool.bare(["check", "p", "-e", "stage", "--schema", "s.yaml"]).expect(0)
    }
  }

  @Test("With --json the findings are in the object.")
  func json() async throws {
    try await withData { tool in
      let result = try await tool.bare(Self.check + ["--json"]).expect(1)
      let report = try JSONDecoder().decode(Report.self, from: Data(result.standardOutput))
      #expect(report.exitCode == 1 && report.findings.count == 9)
      let own = try #require(report.findings.first { $0.what == "the IDs of q" })
      #expect(own.documents == 2 && own.referring == 2 && own.add == "q: { mask: pseudonym }")
    }
  }

  @Test("The error of a copy names each thing once, and a part of many.")
  func copies() async throws {
    try await withData { tool in
      let fields = (1...40).map { "f\($0): string" }.joined(separator: ", ")
      try tool.write("schema: y\ncollections:\n  p: { fields: { \(fields) } }\n", to: "y.yaml")
      try await tool.bare(["mask", "key", "new", "key"]).expect(0)
      let words = [
        "copy", "p", "--from", "test", "--to", "stage", "--mask", "--mask-key-file", "key", "--yes",
      ]
      let many = try await tool.bare(words + ["--schema", "y.yaml"])
      many.expectFailure(78, "f19 of p, and 21 more", "'gymmigrate mask check' lists all")
      #expect(!many.errors.contains("f20 of p"))
    }
  }
}
