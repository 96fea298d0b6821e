import FirestoreModels
import TestSupport
import Testing

@testable import Schema

/// Random schemas, and documents that obey them or break them in one point.
private struct Generator {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func letters(_ count: Int) -> String {
    String((0..<count).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement(using: &random) ?? "a" })
  }

  // MARK: Schemas

  mutating func schema() -> CollectionSchema {
    var fields: [FieldSchema] = []
    for index in 0..<int(1...8) {
      let name = "f\(index)\(letters(2))"
      if random.chance(percent: 15) {
        let map = FieldSchema(FieldPath(field: name), [.map])
        fields.append(map)
        for inner in 0..<int(1...3) {
          if let path = FieldPath(segments: [name, "g\(inner)"]) { fields.append(field(path)) }
        }
      } else {
        fields.append(field(FieldPath(field: name)))
      }
    }
    var schema = CollectionSchema(CollectionPath(nil, "things"), fields: fields)
    if random.chance(percent: 30) {
      fields.insert(FieldSchema(FieldPath(field: "id"), [.string]), at: 0)
      schema.idField = FieldPath(field: "id")
      schema.set(fields)
    }
    schema.documentID = [nil, .uuid, .email].randomElement(using: &random) ?? nil
    schema.expectsUnknownFields = random.chance(percent: 50)
    return schema
  }

  private mutating func field(_ path: FieldPath) -> FieldSchema {
    var field = FieldSchema(path)
    field.isRequired = random.chance(percent: 50)
    switch int(0...9) {
    case 0: field.types = [.boolean]
    case 1: field.types = [.timestamp]
    case 2: field.types = [.array]
    case 3:
      field.types = [.integer]
      let low = int(-5...5)
      field.range = ValueRange(minimum: .integer(Int64(low)), maximum: .integer(Int64(low + int(0...9))))
    case 4:
      field.types = [.double]
      field.range = ValueRange(minimum: .double(0))
    case 5:
      field.types = [.string]
      field.values = (0..<int(1...6)).map { .string("v\($0)") }
    case 6:
      field.types = [.string]
      field.format = [.email, .time, .date, .url, .uuid, .digits, .phone].randomElement(using: &random)
    case 7: field.types = [.geopoint]
    case 8: field.types = [.string, .integer]
    default: field.types = [.string]
    }
    return field
  }

  // MARK: Documents

  mutating func document(_ schema: CollectionSchema, number: Int) -> RawDocument {
    let id =
      switch schema.documentID {
      case .uuid?: uuid()
      case .email?: "p\(number)@example.com"
      default: "d\(number)\(letters(6))"
      }
    var fields = FieldMap()
    for field in schema.fields {
      if field.path == schema.idField {
        fields[field.path] = .string(id)
        continue
      }
      // The first document has all of them.
      let parent = FieldPath(segments: Array(field.path.segments.dropLast()))
      if let parent, fields[parent]?.map == nil { continue }
      guard field.isRequired || number == 0 || random.chance(percent: 70) else { continue }
      if field.types == [.map] {
        fields[field.path] = .map([:])
      } else {
        fields[field.path] = value(field)
      }
    }
    return RawDocument(path: DocumentPath(schema.pattern, id), fields: fields)
  }

  private mutating func uuid() -> String {
    func hex(_ count: Int, _ random: inout SplitMix64) -> String {
      String((0..<count).map { _ in "0123456789ABCDEF".randomElement(using: &random) ?? "0" })
    }
    return [8, 4, 4, 4, 12].map { hex($0, &random) }.joined(separator: "-")
  }

  private mutating func value(_ field: FieldSchema) -> Value {
    if let values = field.values { return values.randomElement(using: &random) ?? .null }
    if let format = field.format {
      switch format {
      case .email: return .string("\(letters(int(1...8)))@example.com")
      case .time: return .string("1\(int(0...9)):\(int(0...5))\(int(0...9))")
      case .date: return .string("2026-0\(int(1...9))-1\(int(0...9))")
      case .url: return .string("https://example.com/\(letters(4))")
      case .uuid: return .string(uuid())
      case .digits: return .string(String((0..<int(6...12)).map { _ in Character("\(int(0...9))") }))
      default: return .string("+52 \(int(1_000_000...9_999_999))")
      }
    }
    switch field.types.randomElement(using: &random) {
    case .boolean?: return .boolean(random.chance(percent: 50))
    case .timestamp?:
      return Timestamp(seconds: Int64(1_700_000_000 + int(0...1_000_000))).map { .timestamp($0) } ?? .null
    case .array?: return .array([.integer(1)])
    case .geopoint?: return .geoPoint(GeoPoint(latitude: 1, longitude: 2))
    case .integer?:
      guard case .integer(let low)? = field.range.minimum, case .integer(let high)? = field.range.maximum
      else {
        return .integer(Int64(int(0...1000)))
      }
      return .integer(Int64.random(in: low...high, using: &random))
    case .double?:
      return random.chance(percent: 20) ? .integer(Int64(int(0...9))) : .double(Double(int(0...900)) / 7)
    default: return .string("\(letters(int(3...12))) \(letters(3))")
    }
  }

  // MARK: Mutations

  /// A document that breaks the schema in one point, of those that it can be broken in.
  mutating func mutated(_ document: RawDocument, _ schema: CollectionSchema) -> (RawDocument, String)? {
    var document = document
    guard let field = schema.fields.randomElement(using: &random) else { return nil }
    if field.path == schema.idField {
      document.fields[field.path] = .string("another")
      return (document, "id")
    }
    let parent = FieldPath(segments: Array(field.path.segments.dropLast()))
    if let parent, document.fields[parent]?.map == nil { return nil }
    switch int(0...3) {
    case 0 where field.isRequired:
      document.fields[field.path] = random.chance(percent: 50) ? nil : .null
      return (document, "missing \(field.path)")
    case 1 where field.values != nil:
      document.fields[field.path] = .string("other")
      return (document, "value of \(field.path)")
    case 2 where field.format != nil:
      document.fields[field.path] = .string("no format @ all")
      return (document, "format of \(field.path)")
    case 3 where field.types == [.integer] || field.types == [.double]:
      document.fields[field.path] = .integer(-100)
      return (document, "range of \(field.path)")
    default:
      // Of a type that no field has.
      document.fields[field.path] = .bytes([1])
      return (document, "type of \(field.path)")
    }
  }
}

@Suite("Inference of schemas") struct InferenceTests {
  @Test(
    "The schema inferred from documents of a schema takes all of them, and refuses each mutation that the declared one refuses.",
    arguments: 0..<300
  )
  func property(_ seed: Int) throws {
    var generator = Generator(seed: UInt64(seed))
    let declared = generator.schema()
    let documents = (0..<150).map { generator.document(declared, number: $0) }
    for document in documents {
      try #require(declared.violations(in: document).isEmpty, "\(declared.violations(in: document))")
    }
    var profile = CollectionProfile(declared.pattern)
    for document in documents { profile.add(document) }
    let written = SchemaWriter.yaml(DatabaseSchema(name: "inferred", collections: [profile.schema()]))
    let inferred = try #require(try SchemaReader.schema(parsing: written, path: "i.yaml").collections.first)
    for document in documents {
      #expect(inferred.violations(in: document).isEmpty, "\(inferred.violations(in: document))\n\(written)")
    }
    for document in documents.prefix(60) {
      guard let (broken, what) = generator.mutated(document, declared) else { continue }
      if declared.violations(in: broken).isEmpty { continue }
      #expect(!inferred.violations(in: broken).isEmpty, "\(what)\n\(written)")
    }
  }

  private func profile(_ values: [FieldMap]) -> CollectionProfile {
    var profile = CollectionProfile(CollectionPath(nil, "c"))
    for (number, fields) in values.enumerated() {
      profile.add(RawDocument(path: DocumentPath(CollectionPath(nil, "c"), "d\(number)"), fields: fields))
    }
    return profile
  }

  @Test("What is inferred from the deepest documents, and from very wide ones, can be read again.")
  func extent() throws {
    // A map of 20 levels, as many as Firestore allows, in values that get all that can be declared.
    func deep(_ levels: Int, _ leaf: Value) -> Value {
      levels == 0 ? leaf : .map(["k": deep(levels - 1, leaf)])
    }
    let texts = (0..<20).map { deep(20, .string("v\($0 % 10)")) }
    let inner = profile(texts.map { ["d": $0] }).schema()
    // Eight collections of a thousand fields, each with ten values.
    let wide = (0..<8).map { collection in
      let names = (0..<1000).map { "f\($0)" }
      var profile = CollectionProfile(CollectionPath(nil, "w\(collection)"))
      for number in 0..<20 {
        let fields = FieldMap(names.map { FieldMap.Entry(name: $0, value: .string("v\(number % 10)")) })
        profile.add(RawDocument(path: DocumentPath(profile.pattern, "d\(number)"), fields: fields))
      }
      return profile.schema()
    }
    for collections in [[inner], wide] {
      let text = SchemaWriter.yaml(DatabaseSchema(name: "inferred", collections: collections))
      let read = try SchemaReader.schema(parsing: text, path: "i.yaml")
      #expect(SchemaWriter.yaml(read) == text)
    }
    #expect(inner.fields.count == 21)
  }

  @Test("Ten values in twenty documents are closed; eleven, or nineteen documents, are not.")
  func closedValues() {
    func values(_ distinct: Int, _ documents: Int) -> [Value]? {
      profile((0..<documents).map { ["a": .string("v\($0 % distinct)")] }).schema().field(
        FieldPath(field: "a")
      )?.values
    }
    #expect(values(10, 20)?.count == 10)
    #expect(values(11, 200) == nil)
    #expect(values(2, 19) == nil)
    #expect(values(1, 20) == [.string("v0")])
  }

  @Test("Numbers of a series are no phones.", arguments: ["2025-00%d", "19%d-7001234", "12-3%d"])
  func series(_ form: String) {
    func format(_ form: String) -> FieldFormat? {
      let texts = (10..<60).map { form.replacing("%d", with: "\($0)") }
      return profile(texts.map { ["a": .string($0)] }).schema().field(FieldPath(field: "a"))?.format
    }
    #expect(format(form) == nil)
    #expect(format("+52 55 1234 56%d") == .phone && format("555-01%d") == .phone)
  }

  @Test("A field is required where every document has it, and null and blank are none.")
  func presence() {
    func isRequired(_ values: [Value?]) -> Bool? {
      profile(
        values.map { value in
          var fields = FieldMap()
          fields["a"] = value
          fields["b"] = .boolean(true)
          return fields
        }
      ).schema().field(FieldPath(field: "a"))?.isRequired
    }
    #expect(isRequired([.string("x"), .string("y")]) == true)
    #expect(isRequired([.string("x"), nil]) == false)
    #expect(isRequired([.string("x"), .null]) == false)
    #expect(isRequired([.string("x"), .string(" ")]) == false)
  }

  @Test("Maps with keys that are data have no fields, and a collection has a thousand at most.")
  func bounds() {
    let dynamic = profile((0..<300).map { ["m": .map(["k\($0)": .integer(1)])] })
    #expect(dynamic.fields.map(\.path.description) == ["m"])
    #expect(dynamic.fields.first?.isOpaque == true)
    let wide = profile((0..<3000).map { ["f\($0)": .integer(1)] })
    #expect(wide.fields.count == CollectionProfile.maximumFields)
  }

  @Test("Names suggest the times and the soft delete, types decide.")
  func proposals() {
    let time = Timestamp(seconds: 1_700_000_000).map { Value.timestamp($0) } ?? .null
    let schema = profile([["createdAt": time, "updatedAt": time, "isActive": .boolean(true)]]).schema()
    #expect(
      schema.createTime?.path.description == "createdAt" && schema.updateTime?.path.description == "updatedAt"
    )
    #expect(schema.softDelete?.path.description == "isActive" && schema.softDelete?.deleted == false)
    let other = profile([["updatedAt": .string("now"), "deleted": .boolean(false)]]).schema()
    #expect(other.updateTime == nil && other.softDelete?.deleted == true)
  }
}
