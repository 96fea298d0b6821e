import Foundation
import TestSupport
import Testing

@Suite("find does what its help says", .timeLimit(.minutes(60)))
struct FindTests {
  @Test("What finds nothing says where it looked.")
  func nothing() async throws {
    try await withTool { tool in
      try tool.write(
        """
        schema: x
        collections:
          things:
            fields: { name: string, kind: { type: string, values: [a, b] }, count: integer }
        """,
        to: "x.yaml"
      )
      try tool.write(documentLine("things/t", 1) + "\n" + documentLine("others/o", 1), to: "in.jsonl")
      try await tool.run("import", "in.jsonl", "-q", "--schema", "none").expect(0)
      let words = ["find", "ana", "--collection", "things,others", "--schema", "x.yaml"]
      let result = try await tool.bare(words + tool.place).expect(0)
      #expect(
        result.errors.contains("Nothing was found. Looked in name of things; every text of others."),
        "\(result.errors)"
      )
      #expect(!result.errors.contains("phones"), "\(result.errors)")
      let digits = try await tool.bare(["find", "9595662"] + words.dropFirst(2) + tool.place)
      #expect(digits.errors.contains("The schema names no phones of things, others"), "\(digits.errors)")
    }
  }

  @Test("The help says what is searched, of which documents, and nothing of another search.")
  func help() async throws {
    try await withTool { tool in
      let help = try await tool.bare(["find", "--help"]).output.split(whereSeparator: \.isWhitespace).joined(
        separator: " "
      )
      for claim in [
        "deleted documents included", "ignores case, accents,", "every word of the text",
        "the words may be in several", "also in maps and arrays", "Three digits or more",
      ] {
        #expect(help.contains(claim), "\(claim)")
      }
      #expect(!help.contains("the app"))
    }
  }

  @Test("Each claim of the help, by a search")
  func claims() async throws {
    let mini = MiniFirestore()
    func put(_ name: String, _ fields: [String: String]) throws {
      let members = fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
      try mini.put(name, fields: "{\(members.joined(separator: ","))}")
    }
    func text(_ text: String) -> String { "{\"stringValue\":\"\(text)\"}" }
    try put(
      "members/active",
      [
        "firstName": text("Núria"), "paternalLastName": text("Peña Gil"),
        "isActive": #"{"booleanValue":true}"#,
        "notes": text("searched nowhere"),
      ]
    )
    try put("members/inactive", ["firstName": text("nuria"), "isActive": #"{"booleanValue":false}"#])
    try put("users/old", ["nombre": text("NURIA"), "telefono": #"{"integerValue":"7299595662"}"#])
    try put(
      "products/p",
      [
        "name": text("Barra de nuez"), "currency": text("nuez"),
        "tags": #"{"arrayValue":{"values":[\#(text("caja"))]}}"#,
        "size": #"{"mapValue":{"fields":{"unit":\#(text("caja"))}}}"#,
      ]
    )
    try put("things/t", ["name": text("Barra de nuez"), "phone": text("nuez")])
    try put("classes/box", ["nombre": text("Box"), "gymId": text("sajarubox")])
    try put("classes/yoga", ["nombre": text("Yoga"), "gymId": text("sajarubox")])
    try await withTool(against: mini.handler) { tool, _ in
      func found(_ text: String, _ more: String...) async throws -> [String] {
        let result = try await tool.bare(["find", text] + more + tool.place).expect(0)
        return result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
      }
      #expect(try await found("nuria") == ["users/old", "members/active", "members/inactive"])
      #expect(try await found("pena NÚRIA") == ["members/active"], "words in two fields, in any order")
      #expect(try await found("uri il") == ["members/active"], "parts of words")
      #expect(try await found("searched") == [], "a field that is no name")
      #expect(try await found("(995) 95") == ["users/old"])
      #expect(try await found("66") == [], "two digits")
      #expect(try await found("+52 1 729 959 5662") == ["users/old"], "with a country code")
      let products = ["--collection", "products"]
      #expect(try await found("nuez", products[0], products[1]) == ["products/p"])
      #expect(try await found("caja", products[0], products[1]) == [], "in a map and an array")
      let nut = try await tool.run("find", "nuez", "--collection", "products")
      #expect(nut.output == "products/p\tname=\"Barra de nuez\"\n", "what the schema says is searched")
      let thing = try await tool.run("find", "nuez", "--collection", "things")
      #expect(
        thing.output == "things/t\tname=\"Barra de nuez\"\tphone=\"nuez\"\n",
        "what the schema does not call a phone is a text"
      )
      #expect(try await found("box", "--collection", "classes") == ["classes/box"], "not the gym's id")
    }
  }
}
