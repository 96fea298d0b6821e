import FirestoreModels
import TestSupport
import Testing

@testable import Schema

/// A document on the tape of its text differs from a schema as the same document in memory.
@Suite struct SchemaOnTapeTests {
  private var random = SplitMix64(seed: 20_261_124)
  private static let names = ["a", "aa", "b", "b2", "longer name", "longer names", "ñ", "n\u{303}", "z"]
  private static let time = Timestamp("2026-11-24T08:00:00.000001Z")
  private static let texts = ["", " ", "\u{A0}", "x", "xy", "é", "e\u{301}", "07", "😀😀", "a@b.c"]

  @Test mutating func randomDocumentsDifferAlike() throws {
    var differing = 0
    var unordered = 0
    for _ in 0..<300 {
      let schema = collection()
      for number in 0..<20 {
        let path = DocumentPath(schema.pattern, number % 3 == 0 ? "x" : "d\(number)")
        let document = RawDocument(path: path, fields: fields(levels: 2))
        let inMemory = schema.violations(in: document)
        let isOrdered = Int.random(in: 0..<8, using: &random) > 0
        let line = isOrdered ? text(of: document) : Array(reversed(document).utf8)
        let onTape = try JSONParser().parse(line) { json throws(WireError) in
          try schema.violations(in: WireDecoder().wireDocument(json, prefix: nil))
        }
        if !inMemory.isEmpty { differing += 1 }
        if !isOrdered, document.fields.entries.count > 1 { unordered += 1 }
        #expect(onTape == inMemory, "\(String(decoding: line, as: UTF8.self))")
      }
    }
    #expect(differing > 1000 && differing < 5900 && unordered > 100)
  }

  private func text(of document: RawDocument) -> [UInt8] {
    var json = JSONWriter()
    json.document(document)
    return json.bytes
  }

  /// The text of a document whose top-level members are in the wrong order, where it has several.
  private func reversed(_ document: RawDocument) -> String {
    let members = document.fields.entries.reversed().map { entry in
      var json = JSONWriter()
      json.open("{")
      json.key(entry.name)
      json.value(entry.value)
      json.close("}")
      return String(decoding: json.bytes.dropFirst().dropLast(), as: UTF8.self)
    }
    return "{\"fields\":{\(members.joined(separator: ","))},\"name\":\"\(document.path)\"}"
  }

  // MARK: Schemas

  private mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }

  private mutating func collection() -> CollectionSchema {
    var fields: [FieldSchema] = []
    for name in Self.names where !chance(3) {
      fields.append(field([name]))
      if !chance(3) { continue }
      for inner in Self.names.prefix(4) where chance(2) { fields.append(field([name, inner])) }
    }
    var schema = CollectionSchema(CollectionPath(nil, "c"), fields: fields.shuffled(using: &random))
    schema.expectsUnknownFields = !chance(3)
    if chance(2) { schema.idField = FieldPath(field: "a") }
    if chance(4) { schema.documents = ["x", "d1"] }
    if chance(3) { schema.forbidden = [FieldPath(field: "z"), FieldPath(field: "b")] }
    if chance(4) { schema.documentID = TextPattern("[a-w][0-9]*").map { .pattern($0) } }
    return schema
  }

  private mutating func field(_ segments: [String]) -> FieldSchema {
    guard let path = FieldPath(segments: segments) else { preconditionFailure("no path") }
    var field = FieldSchema(path)
    for type in FieldType.allCases where chance(5) { field.types.append(type) }
    field.isRequired = chance(3)
    if chance(5) { field.values = (0..<3).map { _ in value(levels: 0) } }
    if chance(5) { field.format = FieldFormat.named.randomElement(using: &random)?.value }
    if chance(3) { field.range = ValueRange(minimum: .integer(1), maximum: chance(2) ? .double(2.5) : nil) }
    if chance(5) {
      field.elements = [FieldSchema(FieldPath(field: FieldSchema.elementName), [.string, .double])]
      if chance(2) { field.elements[0].values = [.string("x"), .integer(1)] }
    }
    return field
  }

  // MARK: Documents

  private mutating func fields(levels: Int) -> FieldMap {
    var entries: [FieldMap.Entry] = []
    for name in Self.names where !chance(3) {
      entries.append(FieldMap.Entry(name: name, value: value(levels: levels)))
    }
    return FieldMap(entries)
  }

  private mutating func value(levels: Int) -> Value {
    switch Int.random(in: 0..<(levels > 0 ? 14 : 10), using: &random) {
    case 0: .null
    case 1: .boolean(chance(2))
    case 2: .integer(Int64.random(in: -1...3, using: &random))
    case 3: .double([-0.0, 1, 2.5, .nan, .infinity].randomElement(using: &random) ?? 0)
    case 4: Self.time.map { .timestamp($0) } ?? .null
    case 5: .bytes([1, 2])
    case 6: .geoPoint(GeoPoint(latitude: 1, longitude: 2))
    case 7: .reference("projects/p/databases/d/documents/c/x")
    case 8, 9: .string(Self.texts.randomElement(using: &random) ?? "")
    case 10: .map(["__type__": .string("__vector__"), "value": .array([.double(1)])])
    case 11: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(levels: 0) })
    default: .map(fields(levels: levels - 1))
    }
  }
}
