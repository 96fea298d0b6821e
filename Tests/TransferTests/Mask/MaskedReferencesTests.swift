import FirestoreModels
import Schema
import TestSupport
import Testing

@testable import Transfer

@Suite("IDs that are masked as those of another collection") struct MaskedReferencesTests {
  private func schema(_ yaml: String) throws -> DatabaseSchema {
    try SchemaReader.schema(parsing: "schema: s\ncollections:\n\(yaml)", path: "s.yaml")
  }

  @Test(
    "Keys that are IDs of a collection become its masked IDs, and nothing if these have no rule.",
    arguments: ["pseudonym", "hash", "email", "email(b.mx)", "keep", "pseudonym(a@b.mx)", nil]
  )
  func keys(_ rule: String?) throws {
    let people = rule.map { "    mask: \"\($0)\"\n" } ?? ""
    let fields =
      "      f: { type: map, keys: { mask: reference(people) }, mask: keep }\n"
      + "      list: { type: array, elements: { type: map, keys: { mask: reference(people) }, mask: keep } }\n"
    let schema = try schema(
      "  people:\n\(people)    fields: { n: boolean }\n  c:\n    mask: reference(people)\n    fields:\n\(fields)"
    )
    let mask = Mask(by: schema, key: MaskKey(String(repeating: "k", count: 40)))
    let map = Value.map(["a@b.mx": .string("x")])
    let path = try #require(DocumentPath("c/a@b.mx"))
    let document = RawDocument(path: path, fields: ["f": map, "list": .array([map])])
    guard rule != nil else {
      let failure = #expect(throws: Failure.self) { try mask.assertCovers([CollectionPath(nil, "c")]) }
      return #expect(failure?.cause == "no rule covers the IDs of c, the IDs of people")
    }
    let masked = try mask.masked(document)
    let person = try mask.path(try #require(DocumentPath("people/a@b.mx")))
    #expect(masked.path.id == person.id)
    #expect(masked.fields["f"]?.map?.entries.map(\.name) == [person.id])
    #expect(masked.fields["list"] == .array([.map([person.id: .string("x")])]))
    let decided = mask.decisions(on: document).compactMap { $0.keys?.text }
    #expect(decided == [rule, rule])
  }

  @Test(
    "In a collection without personal data, what stands in place of masked elements, fields or keys is masked, too."
  )
  func places() throws {
    let schema = try schema(
      """
        people: { mask: pseudonym, fields: { n: boolean } }
        free: { personal-data: none, fields: { n: integer } }
        teams:
          personal-data: none
          fields:
            all: { type: array, elements: { type: string, reference: people } }
            deep: { type: array, elements: { type: map, fields: { who: { type: string, reference: people } } } }
            of: { type: map, fields: { who: { type: string, reference: people }, n: integer } }
            keys: { type: map, keys: { mask: reference(people) } }
            names: { type: array, elements: { type: string, mask: name } }
            open: { type: array, elements: { type: string, reference: free } }
            kept: { type: array, mask: keep, elements: { type: string, reference: people } }
            tags: { type: array, elements: string }
      """
    )
    let mask = Mask(by: schema, key: MaskKey(String(repeating: "k", count: 40)))
    try mask.assertCovers([CollectionPath(nil, "teams")])
    func masked(_ value: Value, _ field: String) throws -> Value? {
      let path = try #require(DocumentPath("teams/t"))
      return try mask.masked(RawDocument(path: path, fields: [field: value])).fields[field]
    }
    let id = "zqbbbbbbbb"
    let person = Value.string(try mask.path(try #require(DocumentPath("people/\(id)"))).id)
    for field in ["all", "deep", "of", "keys", "names"] {
      #expect(try masked(.string(id), field) == person, "\(field)")
      #expect(try masked(.integer(5_550_831_234), field) != .integer(5_550_831_234), "\(field)")
    }
    for field in ["all", "names"] {
      #expect(try masked(.map([id: .boolean(true)]), field) == .map([:]))
    }
    for field in ["deep", "of"] {
      #expect(try masked(.array([.string(id)]), field) == .array([person]), "\(field)")
    }
    // What is as the schema declares it is masked as before, and nothing else is.
    #expect(try masked(.array([.string(id)]), "all") == .array([person]))
    #expect(
      try masked(.map(["who": .string(id), "n": .integer(7)]), "of")
        == .map(["who": person, "n": .integer(7)])
    )
    #expect(try masked(.map([id: .string("x")]), "keys") == .map([person.string ?? "": .string("x")]))
    for field in ["open", "kept", "tags"] {
      #expect(try masked(.string(id), field) == .string(id), "\(field)")
    }
    let document = RawDocument(path: try #require(DocumentPath("teams/t")), fields: ["all": .string(id)])
    #expect(mask.decisions(on: document).map(\.rule.text) == ["pseudonym"])
  }

  @Test("IDs that are those of another collection follow it to the end, and have no rule in a circle.")
  func chains() throws {
    let schema = try schema(
      """
        a: { mask: email }
        b: { mask: reference(a) }
        c: { mask: reference(b) }
        d: { mask: reference(e) }
        e: { mask: reference(d) }
        free: { personal-data: none }
        f: { mask: reference(free) }
      """
    )
    let mask = Mask(by: schema, key: MaskKey(String(repeating: "k", count: 40)))
    let rules = ["c", "d", "f"].map { mask.idRule(of: CollectionPath(nil, $0))?.text }
    #expect(rules == ["email", nil, "keep"])
  }
}
