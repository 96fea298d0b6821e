import Foundation
import TestSupport
import Testing

@Suite("A JSON member given twice in a file", .timeLimit(.minutes(60)))
struct RepeatedMemberInputTests {
  /// A file with one, the command that reads it, and what is said of it.
  struct Input: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var file: String
    var text: String
    var parts: [String]

    init(_ name: String, _ file: String, _ text: String, _ parts: String...) {
      (testDescription, self.file, self.text, self.parts) = (name, file, text, parts)
    }
  }

  private static let inputs = [
    Input(
      "a field",
      "t.jsonl",
      #"{"name":"t/a","fields":{"n":{"nullValue":null},"n":{"integerValue":"2"}}}"#,
      "line 2",
      "fields.n"
    ),
    Input("the name", "t.jsonl", #"{"name":"t/a","name":"t/b"}"#, "line 2", "name: it is given twice"),
    Input(
      "the fields",
      "t.jsonl",
      #"{"name":"t/a","fields":{"n":{"nullValue":null}},"fields":{}}"#,
      "line 2",
      "fields: it"
    ),
    Input(
      "a coordinate",
      "t.jsonl",
      #"{"name":"t/a","fields":{"p":{"geoPointValue":{"latitude":1,"latitude":2,"longitude":3}}}}"#,
      "line 2",
      "fields.p.geoPointValue.latitude"
    ),
    Input(
      "two types",
      "t.jsonl",
      #"{"name":"t/a","fields":{"n":{"stringValue":"a","integerValue":"1"}}}"#,
      "line 2",
      "fields.n"
    ),
    Input(
      "a line of rejects",
      "t.jsonl",
      #"{"code":"X","document":{"name":"t/a"},"document":{"name":"t/b"},"message":"m","path":"t/a"}"#,
      "line 2",
      "document"
    ),
    Input(
      "a map in a cell",
      "t.csv",
      #"a,"{""mapValue"":{""fields"":{""x"":{""integerValue"":""1""},""x"":{""integerValue"":""2""}}}}""#,
      "row 3",
      "with mapValue.fields.x given once"
    ),
    Input(
      "a map in a list in a cell",
      "t.csv",
      #"a,"[{""mapValue"":{},""mapValue"":{}}]""#,
      "row 3",
      "with [0].mapValue given once"
    ),
  ]

  @Test("It is refused with line and member, and nothing is written.", arguments: inputs)
  func refused(_ input: Input) async throws {
    try await withMini { tool, mini in
      let head = input.file == "t.csv" ? "__name__,n\nz,1\n" : documentLine("t/z", 1) + "\n"
      try tool.write(head + input.text + "\n", to: input.file)
      for more in [[], ["--validate", "off"], ["--validate", "reject"]] {
        let result = try await tool.bare(["import", input.file] + more + tool.place).expect(65)
        let complaint = try #require(result.complaints.first)
        for part in input.parts { #expect(complaint.contains(part), "\(result.errors)") }
      }
      #expect(mini.everything().isEmpty)
    }
  }

  @Test("So is a manifest.")
  func manifest() async throws {
    try await withMini { tool, mini in
      try tool.createFolder("in")
      for name in ["a", "b"] { try tool.write(documentLine("t/\(name)", 1) + "\n", to: "in/\(name).jsonl") }
      func file(_ name: String) -> String {
        #""files":[{"file":"\#(name).jsonl","collection":"t","documents":1,"bytes":1,"sha256":"0"}]"#
      }
      try tool.write(
        #"{"toolVersion":"1","environment":"e","database":"projects/p/databases/d","readTime":null,\#(file("a")),\#(file("b"))}"#,
        to: "in/manifest.json"
      )
      try await tool.run("import", "in").expectFailure(65, "manifest.json", "files: it is given twice")
      #expect(mini.everything().isEmpty)
    }
  }
}
