import Foundation
import TestSupport
import Testing

@Suite("The proof of a mask in files of every kind", .timeLimit(.minutes(10)))
struct MaskProofFileTests {
  private static let schema = """
    schema: small
    collections:
      people:
        mask: pseudonym
        fields:
          email: { type: string, mask: email }
          fullName: { type: string, mask: name }
          phone: { type: string, mask: digits }
    """

  private static let name = "Zoraida Cañedo Zubizarreta"
  private static let person = #"""
    {"fields":{"email":{"stringValue":"zoraida@clinic.example"},"fullName":{"stringValue":"\#(name)"},\#
    "phone":{"stringValue":"+52 55 5083 1234"}},"name":"people/patient-0001"}
    """#

  private func withPerson(_ body: (Tool, [String]) async throws -> Void) async throws {
    try await withStores { tool in
      try Data(Self.schema.utf8).write(to: URL(fileURLWithPath: tool.path("small.yaml")))
      try await tool.load([Self.person], into: "prod")
      try await body(tool, ["mask", "prove", "--from", "prod", "--to", "test", "--schema", "small.yaml"])
    }
  }

  @Test(
    "An export without a mask is found out in every format.",
    arguments: ["managed", "sqlite", "jsonl", "csv", "xlsx", "json"]
  )
  func exports(_ format: String) async throws {
    try await withPerson { tool, proof in
      let place = ["managed": "out", "json": "out.json"][format] ?? "out.\(format)"
      let export = ["export", "people", "-e", "prod", "-o", place, "--format", format]
      try await tool.bare(export + ["--schema", "small.yaml", "-q"]).expect(0)
      try FileManager.default.removeItem(atPath: tool.path("load.jsonl"))
      let result = try await tool.bare(proof + ["--also", place]).expect(1)
      for field in ["(ids)", "email", "fullName", "phone"] {
        #expect(result.output.contains("people: \(field)\t1 of 1"), "\(field)")
      }
    }
  }

  @Test("A phone that became a number is found in every form of a file.", arguments: ["managed", "sqlite"])
  func numbers(_ format: String) async throws {
    for value in [#"{"integerValue":"5550831234"}"#, #"{"doubleValue":5550831234.0}"#] {
      try await withPerson { tool, proof in
        try await tool.load([#"{"fields":{"n":\#(value)},"name":"notes/n1"}"#], into: "stage")
        let export = ["export", "notes", "-e", "stage", "-o", "out", "--format", format, "--schema", "none"]
        try await tool.bare(export + ["-q"]).expect(0)
        try FileManager.default.removeItem(atPath: tool.path("load.jsonl"))
        let result = try await tool.bare(proof + ["--also", "out"]).expect(1)
        #expect(result.output.contains("people: phone\t1 of 1"), "\(value): \(result.output)")
      }
    }
  }

  @Test(
    "A text in another encoding is read in it.",
    arguments: [String.Encoding.utf16LittleEndian, .windowsCP1252]
  )
  func encodings(_ encoding: String.Encoding) async throws {
    try await withPerson { tool, proof in
      let text = try #require("id;nombre\r\n1;\(Self.name)\r\n".data(using: encoding))
      try text.write(to: URL(fileURLWithPath: tool.path("list.csv")))
      let result = try await tool.bare(proof + ["--also", "list.csv"]).expect(1)
      #expect(result.output.contains("people: fullName\t1 of 1"))
    }
  }

  @Test("Letters of another encoding are read wherever in a file they begin.")
  func late() async throws {
    try await withPerson { tool, proof in
      let text = String(repeating: "1;nadie\r\n", count: 20_000) + "2;\(Self.name)\r\n"
      try #require(text.data(using: .windowsCP1252)).write(to: URL(fileURLWithPath: tool.path("list.csv")))
      let result = try await tool.bare(proof + ["--also", "list.csv"]).expect(1)
      #expect(result.output.contains("people: fullName\t1 of 1"))
    }
  }

  @Test("Where there is nothing to look for, nothing is proven.")
  func nothing() async throws {
    try await withPerson { tool, proof in
      for more in [[], ["--also", "small.yaml"]] {
        try await tool.bare(proof + more).expectFailure(66, "test", "it has no documents")
      }
      try await tool.load([#"{"fields":{},"name":"notes/n1"}"#], into: "test")
      try await tool.bare(proof).expect(0)
      try await tool.bare(proof + ["peple"]).expectFailure(64, "Did you mean 'people'?")
      try await tool.bare(proof + ["payments"]).expectFailure(66, "prod", "no value that a rule masks")
      let swapped = ["mask", "prove", "--from", "test", "--to", "prod", "--schema", "small.yaml"]
      try await tool.bare(swapped).expectFailure(66, "--from is what was masked")
    }
  }

  @Test("A proof whose sides are swapped is refused, though nothing of the copy is in its source.")
  func swapped() async throws {
    try await withPerson { tool, proof in
      try await tool.bare(["mask", "key", "new", "a"]).expect(0)
      let copy = ["copy", "people", "--from", "prod", "--to", "test", "--schema", "small.yaml", "--yes"]
      try await tool.bare(copy + ["--mask", "--mask-key-file", "a", "-q"]).expect(0)
      try FileManager.default.removeItem(atPath: tool.path("load.jsonl"))
      try await tool.bare(proof).expect(0)
      let swapped = ["mask", "prove", "--from", "test", "--to", "prod", "--schema", "small.yaml"]
      try await tool.bare(swapped).expectFailure(66, "test", "Swap --from and --to")
    }
  }

  @Test("A damaged export is searched all the same, and named.")
  func damaged() async throws {
    try await withPerson { tool, proof in
      let export = ["export", "people", "-e", "prod", "-o", "out", "--format", "managed"]
      try await tool.bare(export + ["--schema", "small.yaml", "-q"]).expect(0)
      let output = URL(fileURLWithPath: tool.path("out/all_namespaces/all_kinds/output-0"))
      var data = try Data(contentsOf: output)
      data.append(contentsOf: [1, 2, 3, 4, 9, 0, 1])
      try data.write(to: output)
      let result = try await tool.bare(proof + ["--also", "out"]).expect(1)
      #expect(result.output.contains("people: email\t1 of 1"))
      #expect(result.errors.contains("Not all of a file was searched."))
    }
  }

  @Test("A file that cannot be looked into is named.")
  func unread() async throws {
    try await withPerson { tool, proof in
      try await tool.load([#"{"fields":{},"name":"notes/n1"}"#], into: "test")
      try Data([0x89, 0x50, 0x4E, 0x47, 0, 1, 2]).write(to: URL(fileURLWithPath: tool.path("photo.png")))
      let result = try await tool.bare(proof + ["--also", "photo.png"]).expect(0)
      #expect(result.errors.contains("Not all of a file was searched. photo.png: it is compressed"))
    }
  }
}
