import FirestoreModels
import Foundation
import TestSupport
import Testing
import TypedDocuments

/// A field of every type.
private struct Every: Codable, Equatable {
  struct Inner: Codable, Equatable {
    var text: StringValue
    var any: Value?
  }

  var integer: IntegerValue
  var double: DoubleValue
  var boolean: BooleanValue
  var string: StringValue
  var timestamp: TimestampValue
  var geoPoint: GeoPointValue
  var reference: ReferenceValue
  var bytes: BytesValue
  var array: ArrayValue<MapValue<Inner>>
  var map: MapValue<Inner>?
  var null: NullValue?
  @ExplicitNull var explicit: DoubleValue?
  var any: Value
  var map2: MapValue<[UTF8Key: Int64]>

  init(_ random: inout RandomDocuments) {
    integer = IntegerValue(Int(random.integer()))
    double = DoubleValue(random.double())
    boolean = BooleanValue(random.integer() & 1 == 0)
    string = StringValue(random.text())
    timestamp = TimestampValue(random.timestamp())
    geoPoint = GeoPointValue(latitude: random.double(), longitude: random.double())
    reference = ReferenceValue(random.text())
    bytes = BytesValue(Array(random.text().utf8))
    array = ArrayValue(values: (0..<Int(random.integer() & 3)).map { _ in Self.inner(&random) })
    map = random.integer() & 1 == 0 ? nil : Self.inner(&random)
    null = random.integer() & 1 == 0 ? nil : NullValue()
    explicit = random.integer() & 1 == 0 ? nil : DoubleValue(random.double())
    any = random.value(levels: 3)
    var numbers: [UTF8Key: Int64] = [:]
    for _ in 0..<3 { numbers[UTF8Key(random.text(upTo: 2))] = random.integer() }
    map2 = MapValue(fields: numbers)
  }

  private static func inner(_ random: inout RandomDocuments) -> MapValue<Inner> {
    let any = random.integer() & 1 == 0 ? nil : random.value(levels: 2)
    return MapValue(fields: Inner(text: StringValue(random.text()), any: any))
  }
}

@Suite("Typed documents from seeds", .bothParsers)
struct TypedPropertyTests {
  /// Whether Foundation's coders would lose a member, because they compare names by canonical equivalence.
  private func hasEquivalentNames(_ value: Value) -> Bool {
    switch value {
    case .array(let values): values.contains(where: hasEquivalentNames)
    case .map(let fields):
      Set(fields.entries.map(\.name)).count != fields.count
        || fields.entries.contains { hasEquivalentNames($0.value) }
    default: false
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func typedStructs(seed: UInt64) throws {
    var random = RandomDocuments(seed: seed)
    for round in 0..<20 {
      let every = Every(&random)
      let place: Comment = "seed \(seed), round \(round)"
      let fields = try FirestoreEncoder().encode(every)
      #expect(try FirestoreDecoder().decode(Every.self, from: fields) == every, place)
      #expect(try FieldsOnlyDocument<Every>(decoding: fields).encoded() == fields, place)

      // The service's encoding, through the JSON writer and decoder.
      var json = JSONWriter()
      let path = try #require(DocumentPath("c/d"))
      json.document(RawDocument(path: path, fields: fields), in: DatabaseName(project: "p"))
      let answer: Result<FieldsOnlyDocument<Every>, FirestoreError> =
        try JSONDecoder().decodeGetResult(from: Data(json.bytes))
      #expect(try answer.get().fields == every, place)

      // Foundation's JSON of the struct, checked with our decoder.
      if hasEquivalentNames(.map(fields)) {
        #expect(throws: EncodingError.self, place) { try JSONEncoder().encode(every) }
        continue
      }
      let plain = try JSONEncoder().encode(every)
      var wire = WireDecoder(unknownMembers: .refused)
      let judged = try JSONParser().parse(Array(plain)) { root throws(WireError) in try wire.fields(root) }
      #expect(judged == fields, place)
      #expect(try JSONDecoder().decode(Every.self, from: plain) == every, place)
      let document = try JSONEncoder().encode(FieldsOnlyDocument(fields: every))
      #expect(try JSONDecoder().decode(FieldsOnlyDocument<Every>.self, from: document).fields == every, place)
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func untypedDocuments(seed: UInt64) throws {
    var random = RandomDocuments(seed: seed)
    let database = DatabaseName(project: "p", database: "d")
    for round in 0..<20 {
      let place: Comment = "seed \(seed), round \(round)"
      var raw = random.document()
      raw.createTime = random.timestamp()
      raw.updateTime = random.timestamp()
      var json = JSONWriter()
      json.document(raw, in: database)
      let answer: Result<Document<FieldMap>, FirestoreError> =
        try JSONDecoder().decodeGetResult(from: Data(json.bytes))
      let document = try answer.get()
      #expect(try document.encoded() == raw, place)
      #expect(try Document<FieldMap>(decoding: raw, in: database) == document, place)

      let value = Value.map(raw.fields)
      if hasEquivalentNames(value) {
        #expect(throws: EncodingError.self, place) { try JSONEncoder().encode(value) }
      } else {
        #expect(try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value, place)
      }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func dates(seed: UInt64) throws {
    // A Date distinguishes all microseconds between 1729 and 2273.
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let seconds = Int64.random(in: -7_600_000_000...9_560_000_000, using: &random)
      let microseconds = Int32.random(in: 0..<1_000_000, using: &random)
      let moment = try #require(Timestamp(seconds: seconds, nanoseconds: microseconds * 1000))
      #expect(Timestamp(moment.date) == moment, "seed \(seed)")
    }
  }
}
