import FirestoreModels
import Testing

/// An input, its value and its output, including vectors of protobuf's JSON codec.
struct CodecVector: Sendable, CustomTestStringConvertible {
  let input: String
  let value: Value
  let output: String

  init(_ input: String, _ value: Value, _ output: String? = nil) {
    self.input = input
    self.value = value
    self.output = output ?? input
  }

  var testDescription: String { String(input.prefix(80)) }
}

@Suite("Values on the wire", .bothParsers)
struct ValueCodecTests {

  @Test(arguments: [
    CodecVector(#"{"nullValue":null}"#, .null),
    CodecVector(#"{"nullValue":"NULL_VALUE"}"#, .null, #"{"nullValue":null}"#),
    CodecVector(#"{"booleanValue":false}"#, .boolean(false)),
    CodecVector(#"{"booleanValue":true}"#, .boolean(true)),
    CodecVector(#"{"stringValue":""}"#, .string("")),
    CodecVector(#"{"stringValue":"\u0000"}"#, .string("\0")),
    CodecVector(#"{"stringValue":"\ud83d\ude00"}"#, .string("😀"), #"{"stringValue":"😀"}"#),
    CodecVector(#"{"stringValue":"a\/b"}"#, .string("a/b"), #"{"stringValue":"a/b"}"#),
    CodecVector(#"{"bytesValue":""}"#, .bytes([])),
    CodecVector(#"{"bytesValue":"AAE="}"#, .bytes([0, 1])),
    CodecVector(#"{"bytesValue":"AAE"}"#, .bytes([0, 1]), #"{"bytesValue":"AAE="}"#),
    CodecVector(#"{"bytesValue":"-_8"}"#, .bytes([0xFB, 0xFF]), #"{"bytesValue":"+/8="}"#),
    CodecVector(
      #"{"referenceValue":"projects/p/databases/(default)/documents/c/d"}"#,
      .reference("projects/p/databases/(default)/documents/c/d")
    ),
    CodecVector(
      #"{"geoPointValue":{"latitude":1.5,"longitude":-2}}"#,
      .geoPoint(GeoPoint(latitude: 1.5, longitude: -2)),
      #"{"geoPointValue":{"latitude":1.5,"longitude":-2.0}}"#
    ),
    CodecVector(#"{"geoPointValue":{}}"#, .geoPoint(GeoPoint(latitude: 0, longitude: 0))),
    CodecVector(
      #"{"geoPointValue":{"latitude":0,"longitude":-0.0}}"#,
      .geoPoint(GeoPoint(latitude: 0, longitude: -0.0)),
      #"{"geoPointValue":{"longitude":-0.0}}"#
    ),
    CodecVector(#"{"arrayValue":{}}"#, .array([])),
    CodecVector(#"{"arrayValue":{"values":[]}}"#, .array([]), #"{"arrayValue":{}}"#),
    CodecVector(#"{"arrayValue":{"values":null}}"#, .array([]), #"{"arrayValue":{}}"#),
    CodecVector(
      #"{"arrayValue":{"values":[{"integerValue":"1"},{"arrayValue":{}}]}}"#,
      .array([.integer(1), .array([])])
    ),
    CodecVector(#"{"mapValue":{}}"#, .map([:])),
    CodecVector(#"{"mapValue":{"fields":{}}}"#, .map([:]), #"{"mapValue":{}}"#),
    CodecVector(#"{"mapValue":{"fields":null}}"#, .map([:]), #"{"mapValue":{}}"#),
    CodecVector(
      #"{"mapValue":{"fields":{"b":{"nullValue":null},"a":{"booleanValue":true}}}}"#,
      .map(["a": .boolean(true), "b": .null]),
      #"{"mapValue":{"fields":{"a":{"booleanValue":true},"b":{"nullValue":null}}}}"#
    ),
    CodecVector(
      #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"#
        + #""value":{"arrayValue":{"values":[{"doubleValue":1}]}}}}}"#,
      .map(["__type__": .string("__vector__"), "value": .array([.double(1)])]),
      #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"#
        + #""value":{"arrayValue":{"values":[{"doubleValue":1.0}]}}}}}"#
    ),
  ])
  func everyType(_ vector: CodecVector) throws {
    try check(vector)
  }

  @Test(arguments: [
    CodecVector(#"{"integerValue":"5"}"#, .integer(5)),
    CodecVector(#"{"integerValue":5}"#, .integer(5), #"{"integerValue":"5"}"#),
    CodecVector(#"{"integerValue":5.0}"#, .integer(5), #"{"integerValue":"5"}"#),
    CodecVector(#"{"integerValue":1e3}"#, .integer(1000), #"{"integerValue":"1000"}"#),
    CodecVector(#"{"integerValue":"-0"}"#, .integer(0), #"{"integerValue":"0"}"#),
    CodecVector(#"{"integerValue":-0}"#, .integer(0), #"{"integerValue":"0"}"#),
    CodecVector(#"{"integerValue":"9007199254740993"}"#, .integer(9_007_199_254_740_993)),
    CodecVector(
      #"{"integerValue":9007199254740993}"#,
      .integer(9_007_199_254_740_993),
      #"{"integerValue":"9007199254740993"}"#
    ),
    CodecVector(#"{"integerValue":"9223372036854775807"}"#, .integer(.max)),
    CodecVector(#"{"integerValue":"-9223372036854775808"}"#, .integer(.min)),
    CodecVector(
      #"{"integerValue":-9223372036854775808}"#,
      .integer(.min),
      #"{"integerValue":"-9223372036854775808"}"#
    ),
  ])
  func integers(_ vector: CodecVector) throws {
    try check(vector)
  }

  @Test(arguments: [
    CodecVector(#"{"doubleValue":1.5}"#, .double(1.5)),
    CodecVector(#"{"doubleValue":1}"#, .double(1), #"{"doubleValue":1.0}"#),
    CodecVector(#"{"doubleValue":1.0}"#, .double(1)),
    CodecVector(#"{"doubleValue":1.0E7}"#, .double(10_000_000), #"{"doubleValue":10000000.0}"#),
    CodecVector(#"{"doubleValue":1.0E-7}"#, .double(1e-7), #"{"doubleValue":1e-07}"#),
    CodecVector(#"{"doubleValue":"5"}"#, .double(5), #"{"doubleValue":5.0}"#),
    CodecVector(#"{"doubleValue":-0}"#, .double(-0.0), #"{"doubleValue":-0.0}"#),
    CodecVector(#"{"doubleValue":-0.0}"#, .double(-0.0)),
    CodecVector(#"{"doubleValue":-0e5}"#, .double(-0.0), #"{"doubleValue":-0.0}"#),
    CodecVector(#"{"doubleValue":0}"#, .double(0), #"{"doubleValue":0.0}"#),
    CodecVector(
      #"{"doubleValue":9223372036854775807}"#,
      .double(0x1p63),
      #"{"doubleValue":9.223372036854776e+18}"#
    ),
    CodecVector(
      #"{"doubleValue":18446744073709551615}"#,
      .double(0x1p64),
      #"{"doubleValue":1.8446744073709552e+19}"#
    ),
    CodecVector(
      #"{"doubleValue":18446744073709551616}"#,
      .double(0x1p64),
      #"{"doubleValue":1.8446744073709552e+19}"#
    ),
    CodecVector(
      #"{"doubleValue":-9223372036854775809}"#,
      .double(-0x1p63),
      #"{"doubleValue":-9.223372036854776e+18}"#
    ),
    CodecVector(#"{"doubleValue":10000000000000000000000}"#, .double(1e22), #"{"doubleValue":1e+22}"#),
    CodecVector(#"{"doubleValue":-10000000000000000000000}"#, .double(-1e22), #"{"doubleValue":-1e+22}"#),
    CodecVector(#"{"doubleValue":5e-324}"#, .double(.leastNonzeroMagnitude)),
    CodecVector(#"{"doubleValue":"NaN"}"#, .double(.nan)),
    CodecVector(#"{"doubleValue":"Infinity"}"#, .double(.infinity)),
    CodecVector(#"{"doubleValue":"-Infinity"}"#, .double(-.infinity)),
  ])
  func doubles(_ vector: CodecVector) throws {
    try check(vector)
  }

  @Test func exactIntegersStayExactBesideOnesThatAreNot() throws {
    // Correcting -0 or an integer beyond 64 bits must not change the integers that fit.
    let json = #"""
      {"arrayValue":{"values":[{"doubleValue":-0},{"doubleValue":99999999999999999999},
      {"integerValue":1234567890123456789},{"integerValue":-9223372036854775808},
      {"integerValue":9223372036854775807},{"stringValue":"-0, \"-0\" 99999999999999999999"}]}}
      """#
    #expect(
      try Wire.value(json)
        == .array([
          .double(-0.0), .double(1e20), .integer(1_234_567_890_123_456_789), .integer(.min), .integer(.max),
          .string("-0, \"-0\" 99999999999999999999"),
        ])
    )
  }

  @Test(arguments: [
    ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
    ("2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.100Z"),
    ("2026-01-02T03:04:05.123456789+05:30", "2026-01-01T21:34:05.123456789Z"),
  ])
  func timestamps(input: String, output: String) throws {
    let value = try Wire.value("{\"timestampValue\":\"\(input)\"}")
    #expect(Wire.encoded(value) == "{\"timestampValue\":\"\(output)\"}")
  }

  @Test(arguments: [
    "{}", #"{"other":1}"#, "null", "1", "[]", #""text""#,
    #"{"integerValue":"1","stringValue":"a"}"#, #"{"stringValue":"a","stringValue":"a"}"#,
    #"{"nullValue":1}"#, #"{"booleanValue":"true"}"#, #"{"booleanValue":null}"#,
    #"{"integerValue":5.5}"#, #"{"integerValue":"5.0"}"#, #"{"integerValue":""}"#, #"{"integerValue":"-"}"#,
    #"{"integerValue":"+5"}"#, #"{"integerValue":" 5"}"#, #"{"integerValue":"9223372036854775808"}"#,
    #"{"integerValue":"-9223372036854775809"}"#, #"{"integerValue":9223372036854775808}"#,
    #"{"integerValue":"99999999999999999999"}"#, #"{"integerValue":true}"#,
    #"{"doubleValue":1e400}"#, #"{"doubleValue":"1e400"}"#, #"{"doubleValue":"inf"}"#,
    #"{"doubleValue":"nan"}"#,
    #"{"doubleValue":"0x1p3"}"#, #"{"doubleValue":""}"#, #"{"doubleValue":null}"#, #"{"doubleValue":"1 "}"#,
    #"{"stringValue":5}"#, #"{"stringValue":null}"#, #"{"stringValue":"\ud800"}"#,
    #"{"stringValue":"\udc00a"}"#,
    #"{"bytesValue":"A"}"#, #"{"bytesValue":"AA=A"}"#, #"{"bytesValue":"AA E"}"#, #"{"bytesValue":1}"#,
    #"{"timestampValue":"2026-01-02T03:04:05"}"#, #"{"timestampValue":1}"#,
    #"{"referenceValue":{}}"#, #"{"geoPointValue":[]}"#, #"{"geoPointValue":{"latitude":"north"}}"#,
    #"{"geoPointValue":{"longitude":null}}"#,
    #"{"arrayValue":null}"#, #"{"arrayValue":[]}"#, #"{"arrayValue":{"values":{}}}"#,
    #"{"arrayValue":{"values":[1]}}"#, #"{"mapValue":null}"#, #"{"mapValue":[]}"#,
    #"{"mapValue":{"fields":[]}}"#,
    #"{"mapValue":{"fields":{"a":null}}}"#,
    // Part of the schema, but refused by the service in stored values.
    #"{"fieldReferenceValue":"a"}"#, #"{"functionValue":{}}"#, #"{"pipelineValue":{}}"#,
  ])
  func refused(_ json: String) {
    #expect(throws: WireError.self) { try Wire.value(json) }
  }

  @Test(arguments: [
    #"{"stringValue":"a","newMember":1}"#, #"{"mapValue":{"fields":{},"extra":{}}}"#,
    #"{"arrayValue":{"extra":1}}"#, #"{"geoPointValue":{"altitude":1}}"#,
  ])
  func unknownMembers(_ json: String) throws {
    _ = try Wire.value(json, unknownMembers: .ignored)
    #expect(throws: WireError.self) { try Wire.value(json, unknownMembers: .refused) }
  }

  @Test func anErrorSaysWhere() {
    let json =
      #"{"mapValue":{"fields":{"tags":{"arrayValue":{"values":[{"nullValue":null},{"integerValue":"x"}]}}}}}"#
    let error = #expect(throws: WireError.self) { try Wire.value(json) }
    #expect(error?.location == ["tags", "[1]"])
  }

  private func check(_ vector: CodecVector) throws {
    let value = try Wire.value(vector.input)
    #expect(value == vector.value)
    #expect(Wire.encoded(value).isIdentical(to: vector.output))
    #expect(try Wire.value(vector.output, unknownMembers: .refused) == vector.value)
  }
}
