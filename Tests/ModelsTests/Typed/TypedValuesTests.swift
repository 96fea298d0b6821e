import FirestoreModels
import Foundation
import Testing
import TypedDocuments

@Suite("Typed values", .bothParsers)
struct TypedValuesTests {
  private func decode<T: Decodable>(_ json: String, _ type: T.Type = T.self) throws -> T {
    try JSONDecoder().decode(T.self, from: Data(json.utf8))
  }

  private func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func check<T: Codable & Equatable>(_ value: T, _ json: String) throws {
    #expect(try encode(value) == json)
    #expect(try decode(json) == value)
  }

  @Test func theWiresOwnJSON() throws {
    try check(IntegerValue(4), #"{"integerValue":"4"}"#)
    try check(IntegerValue(.max), #"{"integerValue":"9223372036854775807"}"#)
    try check(IntegerValue(.min), #"{"integerValue":"-9223372036854775808"}"#)
    try check(StringValue(""), #"{"stringValue":""}"#)
    try check(BooleanValue(false), #"{"booleanValue":false}"#)
    try check(DoubleValue(1.5), #"{"doubleValue":1.5}"#)
    try check(DoubleValue(.nan), #"{"doubleValue":"NaN"}"#)
    try check(DoubleValue(.infinity), #"{"doubleValue":"Infinity"}"#)
    try check(DoubleValue(-.infinity), #"{"doubleValue":"-Infinity"}"#)
    try check(NullValue(), #"{"nullValue":null}"#)
    try check(BytesValue([0, 1]), #"{"bytesValue":"AAE="}"#)
    try check(
      GeoPointValue(latitude: 1.5, longitude: -2),
      #"{"geoPointValue":{"latitude":1.5,"longitude":-2}}"#
    )
    try check(GeoPointValue(latitude: 0, longitude: 0), #"{"geoPointValue":{}}"#)
    try check(
      ReferenceValue("projects/p/databases/d/documents/a/b"),
      #"{"referenceValue":"projects/p/databases/d/documents/a/b"}"#
    )
    try check(
      ArrayValue<StringValue>(["a", "b"]),
      #"{"arrayValue":{"values":[{"stringValue":"a"},{"stringValue":"b"}]}}"#
    )
    try check(ArrayValue<StringValue>(values: []), #"{"arrayValue":{}}"#)
    try check(MapValue(fields: FieldMap()), #"{"mapValue":{}}"#)
    try check(
      MapValue(fields: ["a": .null] as FieldMap),
      #"{"mapValue":{"fields":{"a":{"nullValue":null}}}}"#
    )
    let moment = try #require(Timestamp(seconds: 1, nanoseconds: 123_456_789))
    try check(TimestampValue(moment), #"{"timestampValue":"1970-01-01T00:00:01.123456789Z"}"#)
    let url = try #require(URL(string: "https://example.org/a"))
    try check(URLValue(url), #"{"stringValue":"https://example.org/a"}"#)
  }

  @Test(arguments: ["5", "5.0", #""5""#, "0.5e1"])
  func integersAreReadLiberally(_ token: String) throws {
    #expect(try decode(#"{"integerValue":\#(token)}"#) == IntegerValue(5))
  }

  @Test(arguments: [
    "5.5", #""5.5""#, #""9223372036854775808""#, #""+5""#, #""""#, #"" 5""#, "1e19", "true", "null",
  ])
  func noIntegers(_ token: String) {
    #expect(throws: DecodingError.self) { try decode(#"{"integerValue":\#(token)}"#, IntegerValue.self) }
  }

  @Test(arguments: [
    ("1", 1.0), ("1.0", 1), ("1.0E7", 1e7), (#""5""#, 5), ("-0.0", -0.0), ("0.1", 0.1),
    ("9007199254740993", 9_007_199_254_740_992),
  ])
  func doubles(token: String, number: Double) throws {
    #expect(try decode(#"{"doubleValue":\#(token)}"#) == DoubleValue(number))
    let again: DoubleValue = try decode(try encode(DoubleValue(number)))
    #expect(again.doubleValue.bitPattern == number.bitPattern)
  }

  @Test(arguments: [#""infinity""#, #""0x10""#, #""1e400""#, "true", #""""#])
  func noDoubles(_ token: String) {
    #expect(throws: DecodingError.self) { try decode(#"{"doubleValue":\#(token)}"#, DoubleValue.self) }
  }

  @Test func bothAlphabets() throws {
    for text in ["-_8", "+/8=", "-_8=", "+/8"] {
      #expect(try decode(#"{"bytesValue":"\#(text)"}"#) == BytesValue([0xFB, 0xFF]))
    }
    #expect(throws: DecodingError.self) { try decode(#"{"bytesValue":"*"}"#, BytesValue.self) }
  }

  @Test func emptyThings() throws {
    for content in ["{}", #"{"values":[]}"#, #"{"values":null,"x":1}"#] {
      #expect(try decode(#"{"arrayValue":\#(content)}"#, ArrayValue<Value>.self).values.isEmpty)
    }
    for content in ["{}", #"{"fields":{}}"#, #"{"fields":null}"#] {
      #expect(try decode(#"{"mapValue":\#(content)}"#, MapValue<FieldMap>.self).fields.isEmpty)
    }
    #expect(
      try decode(#"{"geoPointValue":{"longitude":"-0.0"}}"#) == GeoPointValue(latitude: 0, longitude: -0.0)
    )
  }

  @Test func oneTypeAndUnknownMembers() throws {
    #expect(try decode(#"{"new":[1],"integerValue":"4"}"#) == IntegerValue(4))
    for json in [#"{"integerValue":"4","stringValue":"4"}"#, "{}", #"{"new":1}"#, "4", "null", #""4""#] {
      #expect(throws: DecodingError.self) { try decode(json, IntegerValue.self) }
      #expect(throws: DecodingError.self) { try decode(json, Value.self) }
    }
  }

  @Test func noTypeBecomesAnother() {
    let integer = #"{"integerValue":"4"}"#
    #expect(throws: DecodingError.self) { try decode(integer, StringValue.self) }
    #expect(throws: DecodingError.self) { try decode(integer, DoubleValue.self) }
    #expect(throws: DecodingError.self) { try decode(integer, ArrayValue<IntegerValue>.self) }
    #expect(throws: DecodingError.self) { try decode(integer, MapValue<FieldMap>.self) }
    #expect(throws: DecodingError.self) { try decode(#"{"doubleValue":4}"#, IntegerValue.self) }
    #expect(throws: DecodingError.self) { try decode(#"{"nullValue":null}"#, IntegerValue.self) }
    #expect(throws: DecodingError.self) {
      try decode(#"{"stringValue":"2026-01-01T00:00:00Z"}"#, TimestampValue.self)
    }
    #expect(throws: DecodingError.self) {
      try decode(#"{"timestampValue":"2026-01-01T00:00:00"}"#, TimestampValue.self)
    }
  }

  @Test func textIsItsBytes() throws {
    #expect(StringValue("\u{E9}") != StringValue("e\u{301}"))
    #expect(ReferenceValue("c/\u{E9}") != ReferenceValue("c/e\u{301}"))
    let read: StringValue = try decode("{\"stringValue\":\"e\u{301}\"}")
    #expect(read.stringValue.utf8.elementsEqual("e\u{301}".utf8))
    // Names that Foundation's encoder would merge are refused.
    let names: FieldMap = ["\u{E9}": .null, "e\u{301}": .null]
    #expect(throws: EncodingError.self) { try encode(names) }
  }

  @Test func urlsKeepTheirBytes() throws {
    let json = #"{"stringValue":"https://example.org/á b"}"#
    let url: URLValue = try decode(json)
    #expect(url.urlValue.absoluteString == "https://example.org/%C3%A1%20b")
    #expect(try encode(url) == json)
    var changed = url
    changed.urlValue = try #require(URL(string: "https://example.org/c"))
    #expect(changed.value == .string("https://example.org/c"))
    #expect(throws: DecodingError.self) { try decode(#"{"stringValue":""}"#, URLValue.self) }
  }

  @Test func tooDeep() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: #"{"mapValue":{"fields":{"a":"#, count: levels) + #"{"nullValue":null}"#
        + String(repeating: "}}}", count: levels)
    }
    #expect(try decode(nested(20), Value.self).map != nil)
    #expect(throws: DecodingError.self) { try decode(nested(150), Value.self) }
  }

  @Test func dates() throws {
    let moment = try #require(Timestamp("2019-11-26T09:13:39.969797Z"))
    #expect(Timestamp(moment.date) == moment)
    #expect(TimestampValue(moment.date) == TimestampValue(moment))
    // Only the explicit conversion loses what a Date cannot represent.
    let fine = try #require(Timestamp("2019-11-26T09:13:39.969797123Z"))
    #expect(Timestamp(fine.date) == moment)
    #expect(Timestamp(Date(timeIntervalSince1970: -0.5))?.description == "1969-12-31T23:59:59.500Z")
    #expect(Timestamp(Date(timeIntervalSinceReferenceDate: 0.9999999))?.description == "2001-01-01T00:00:01Z")
    // The year 1 begins 2 days after Foundation's distant past.
    let first = Date.distantPast.addingTimeInterval(2 * 86_400)
    #expect(Timestamp(first)?.description == "0001-01-01T00:00:00Z")
    #expect(Timestamp(Date.distantPast) == nil)
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, 2.6e11, -1e11] {
      #expect(Timestamp(Date(timeIntervalSinceReferenceDate: seconds)) == nil)
    }
  }

  @Test func vectors() throws {
    let json =
      #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"#
      + #""value":{"arrayValue":{"values":[{"doubleValue":1},{"doubleValue":-0.5}]}}}}}"#
    try check([1, -0.5] as VectorValue, json)
    #expect(VectorValue(value: .map(["a": .null])) == nil)
    let mixed: FieldMap = ["__type__": .string("__vector__"), "value": .array([.integer(1)])]
    #expect(VectorValue(value: .map(mixed)) == nil)
  }

  @Test func nilAndNull() throws {
    struct Fields: Codable, Equatable {
      var url: URLValue?
      var null: NullValue?
      var any: Value?
      @ExplicitNull var note: StringValue?
    }
    let nulls =
      #"{"any":{"nullValue":null},"note":{"nullValue":null},"null":{"nullValue":null},"url":{"nullValue":null}}"#
    let read: Fields = try decode(nulls)
    #expect(read == Fields(url: nil, null: NullValue(), any: .null, note: nil))
    let absent: Fields = try decode("{}")
    #expect(absent == Fields())
    #expect(try encode(absent) == #"{"note":{"nullValue":null}}"#)
    // The same with untyped fields.
    let map: FieldMap = ["url": .null, "null": .null, "any": .null, "note": .null]
    #expect(try FirestoreDecoder().decode(Fields.self, from: map) == read)
    #expect(try FirestoreDecoder().decode(Fields.self, from: [:]) == absent)
    #expect(try FirestoreEncoder().encode(read) == ["null": .null, "any": .null, "note": .null])
    #expect(
      try encode(read) == #"{"any":{"nullValue":null},"note":{"nullValue":null},"null":{"nullValue":null}}"#
    )
  }

  @Test func membersOfMapsAndArrays() throws {
    struct Inner: Codable, Equatable { var planName: StringValue }
    struct Outer: Codable, Equatable {
      var name: StringValue
      var plan: MapValue<Inner>?
      var tags: ArrayValue<StringValue>
      let fixed: IntegerValue
      var plain = 7
      private enum CodingKeys: CodingKey { case name, plan, tags, fixed }
    }
    var document = FieldsOnlyDocument(fields: Outer(name: "a", tags: ["x"], fixed: 3))
    #expect(document.plan?.planName == nil)
    document.plan = MapValue(fields: Inner(planName: "Mensual"))
    document.plan?.planName += " Plus"
    document.tags.append("y")
    document.plain += 1
    let planName: String? = document.plan?.planName
    let tags: [String] = document.tags
    let fixed: Int = document.fixed
    let plain: Int = document.plain
    #expect(planName == "Mensual Plus")
    #expect(tags == ["x", "y"])
    #expect(fixed == 3)
    #expect(plain == 8)
    let expected: FieldMap = [
      "name": .string("a"), "plan": .map(["planName": .string("Mensual Plus")]),
      "tags": .array([.string("x"), .string("y")]), "fixed": .integer(3),
    ]
    #expect(try document.encoded() == expected)
    #expect(try FieldsOnlyDocument<Outer>(decoding: expected).plan?.planName == "Mensual Plus")
  }
}
