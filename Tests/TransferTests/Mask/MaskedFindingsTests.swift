import Files
import FirestoreModels
import Schema
import TestSupport
import Testing

@testable import Transfer

@Suite("Findings of masked documents") struct MaskedFindingsTests {
  private static let yaml = """
    schema: s
    collections:
      c:
        mask: email
        document-id: email
        fields:
          email: { type: string, required: true, format: email, mask: email }
          phone: { type: string, format: phone, mask: digits }
          code: { type: string, format: digits, mask: digits }
          day: { type: string, format: date, mask: date(±30) }
          year: { type: string, format: date, required: true, mask: date(year) }
          page: { type: string, format: url, mask: url }
          name: { type: string, required: true, range: { min: 2, max: 6 }, mask: name }
          note: { type: string, range: { max: 10 }, mask: text }
          age: { type: integer, range: { min: 18, max: 99 }, mask: number(±50%) }
          points: { type: integer, range: { min: 1, max: 9999 }, mask: digits }
          weight: { type: double, range: { min: 1.5, max: 2.5 }, mask: number(±50%) }
          born:
            type: timestamp
            range: { min: ts(2024-01-01), max: ts(2024-03-01) }
            mask: date(±30)
          token: { type: string, required: true, mask: pseudonym }
          answers: { type: map, required: true, mask: hash }
          face: { type: vector, required: true, mask: hash }
          photo: { type: bytes, required: true, mask: hash }
    """

  private static let texts = [
    "", " ", "\n\t", "a@b.mx", " A@b.mx ", "a@b.mx\n", "a\u{200B}@b.mx", "\u{A0}a@b.mx", "a@", "ab",
    "55 1234 5678", "+52 55 1234 5678", "5512345678 ext 9", "55-12", "007", "12a", "2024-01-31", "2024-02-30",
    "31/01/2024",
    "https://x.example/a", "/img/a.jpg", "x.example", "Ana", "Ana de la Cruz", "É", "José Luis",
    "rodilla izquierda",
  ]

  private static let times: [Int64] = [
    1_704_067_200, 1_704_067_199, 1_706_000_000, 1_709_251_200, 1_709_251_201, 0,
  ]

  private static func value(_ random: inout SplitMix64, depth: Int = 0) throws -> Value {
    func any<Element>(_ values: [Element]) -> Element {
      values[Int.random(in: values.indices, using: &random)]
    }
    switch Int.random(in: 0..<(depth > 0 ? 14 : 17), using: &random) {
    case 0: return .null
    case 1: return .boolean(.random(using: &random))
    case 2: return .integer(any([18, 17, 99, 100, 1, 0, -3, 45, 9999, 10_000, .max, .min]))
    case 3: return .double(any([1.5, 1.4, 2.5, 2.6, 2, -0.0, .nan, .infinity, 1e300]))
    case 4: return try .timestamp(#require(Timestamp(seconds: any(times))))
    case 5: return .bytes([1, 2])
    case 6: return .geoPoint(GeoPoint(latitude: 19.4, longitude: -99.1))
    case 14: return .array([try value(&random, depth: 1)])
    case 15: return .map(["k": try value(&random, depth: 1)])
    case 16: return .map(["__type__": .string("__vector__"), "value": .array([.double(1), .double(2)])])
    default: return .string(any(texts))
    }
  }

  @Test("A masked document differs from its schema where its source does, and in the same ways.")
  func sameFindings() throws {
    let schema = try SchemaReader.schema(parsing: Self.yaml, path: "s.yaml")
    let collection = try #require(schema.collections.first)
    let mask = Mask(by: schema, key: MaskKey(String(repeating: "k", count: 40)))
    let names = collection.fields.map(\.path.description)
    let ids = ["ana@b.mx", "Ana@b.mx", " ana@b.mx", "É@b.mx", "ana"]
    var random = SplitMix64(seed: 40)
    var kinds: Set<SchemaViolation.Kind> = []
    for _ in 0..<4000 {
      var entries: [FieldMap.Entry] = []
      for name in names where Int.random(in: 0..<8, using: &random) > 0 {
        entries.append(.init(name: name, value: try Self.value(&random)))
      }
      let path = DocumentPath(CollectionPath(nil, "c"), ids[Int.random(in: ids.indices, using: &random)])
      let document = RawDocument(path: path, fields: FieldMap(entries))
      let masked = try mask.masked(document)
      let (before, after) = (collection.violations(in: document), collection.violations(in: masked))
      kinds.formUnion(before.map(\.kind))
      let expected = before.map { "\($0.kind.rawValue) \($0.field?.description ?? "id")" }
      #expect(
        after.map { "\($0.kind.rawValue) \($0.field?.description ?? "id")" } == expected,
        "\(document) \(masked)"
      )
    }
    #expect(kinds == [.type, .missing, .format, .range, .documentID])
  }

  @Test("An email keeps the white space around it, and an ID with capitals has one; put right, both fit.")
  func emails() {
    let text = MaskedText(key: MaskKey(String(repeating: "k", count: 40)))
    let id = text.emailID("ana@b.mx", of: "example.test")
    #expect(text.email("ana@b.mx", of: "example.test") == id)
    #expect(text.email(" \n Ana@B.mx\t", of: "example.test") == " \n \(id)\t")
    #expect(text.email(" ", of: "example.test") == " ")
    let other = text.emailID("Ana@b.mx", of: "example.test")
    #expect(other.hasPrefix("U") && other.lowercased() != id)
  }

  private func masked(_ value: Value, _ field: String, in id: Int) throws -> Value? {
    let yaml = "schema: s\ncollections:\n  c:\n    mask: keep\n    fields: { f: \(field) }\n"
    let schema = try SchemaReader.schema(parsing: yaml, path: "s.yaml")
    let mask = Mask(by: schema, key: MaskKey(String(repeating: "k", count: 40)))
    let document = RawDocument(path: DocumentPath(CollectionPath(nil, "c"), "\(id)"), fields: ["f": value])
    return try mask.masked(document).fields["f"]
  }

  @Test("A value of another type in place of a map or an array that is declared keeps its type, too.")
  func structures() throws {
    let fields = "{ type: map, fields: { given: { type: string, mask: name } } }"
    let elements = "{ type: array, elements: { type: map, fields: { icd: { type: string, mask: keep } } } }"
    for field in [fields, elements] {
      let text = try masked(.string("Ana López"), field, in: 1)?.string
      #expect(text.map { !$0.isEmpty && !$0.contains("Ana") } == true, "\(field)")
      #expect(try masked(.integer(17), field, in: 1)?.integer != nil, "\(field)")
    }
    let inside = try masked(.array([.string("J06"), .map(["icd": .string("J07")])]), elements, in: 1)
    guard case .array(let values)? = inside, values.count == 2 else {
      Issue.record("\(String(describing: inside))")
      return
    }
    #expect(values[0].string != nil && values[0].string != "J06")
    #expect(values[1] == .map(["icd": .string("J07")]))
    guard case .array(let texts)? = try masked(.array([.string("Ana")]), fields, in: 1) else {
      Issue.record("an array in place of a map")
      return
    }
    #expect(texts.count == 1 && texts[0].string != "Ana")
  }

  @Test("What a rule moves beyond a bound comes back, and not to what it was.")
  func bounds() throws {
    let time = try #require(Timestamp(seconds: 1_709_251_200))
    var unmoved = 0
    for id in 0..<100 {
      let most = "{ type: double, range: { max: 100 }, mask: number(±10%) }"
      let percent = try masked(.double(100), most, in: id)
      guard case .double(let number)? = percent, (90..<100).contains(number) else {
        Issue.record("\(String(describing: percent))")
        continue
      }
      let adult = "{ type: integer, range: { min: 18 }, mask: number(±50%) }"
      let least = try #require(try masked(.integer(18), adult, in: id)?.integer)
      #expect(least >= 18)
      if least == 18 { unmoved += 1 }
      let born = try masked(
        .timestamp(time),
        "{ type: timestamp, range: { max: ts(2024-03-01) }, mask: date(±9) }",
        in: id
      )
      #expect(try #require(born?.timestamp) < time)
    }
    // Of a number so small, a few per cent are nothing.
    #expect(unmoved < 15)
    for value in 1...3 {
      let narrow = "{ type: integer, range: { min: 1, max: 3 }, mask: digits }"
      let number = try #require(try masked(.integer(Int64(value)), narrow, in: value)?.integer)
      #expect((1...3).contains(number) && number != Int64(value))
    }
  }

  @Test("The bounds of an array are those of its length, and not of its elements.")
  func arrays() throws {
    let scores = "{ type: array, range: { min: 1, max: 5 }, mask: number(±20%) }"
    for id in 0..<50 {
      let masked = try masked(.array([.double(5)]), scores, in: id)?.array
      #expect(masked?.count == 1 && masked != [.double(5)])
    }
    let tags = try masked(.array([.string("Ana")]), "{ type: array, range: { max: 5 }, mask: hash }", in: 1)
    #expect(tags?.array?.first?.string?.count == 64)
  }

  @Test(
    "A rule of IDs is taken where it keeps the form that document-id wants.",
    arguments: [
      ("pseudonym", "[0-9A-F]{8}-[0-9A-F-]{27}", true), ("pseudonym", "[0-9a-f]{8}-[0-9a-f-]{27}", true),
      ("pseudonym(admin:*)", "admin:[0-9a-f]{8}-[0-9a-f-]{27}", true), ("pseudonym", "p[0-9]{5}", false),
      ("pseudonym(admin:*)", "admin:.{28}", true), ("hash", "[0-9a-f]{64}", true),
      ("keep", "p[0-9]{5}", true),
    ]
  )
  func identifiers(_ rule: String, _ pattern: String, _ isTaken: Bool) throws {
    let yaml = """
      schema: s
      collections:
        c:
          mask: "\(rule)"
          document-id: { pattern: "\(pattern)" }
          fields: { n: { type: integer, mask: keep } }
      """
    let schema = try SchemaReader.schema(parsing: yaml, path: "s.yaml")
    let mask = Mask(by: schema, key: MaskKey(String(repeating: "k", count: 40)))
    do throws(Failure) {
      try mask.assertCovers([CollectionPath(nil, "c")])
      #expect(isTaken)
    } catch {
      #expect(!isTaken, "\(error)")
    }
  }
}
