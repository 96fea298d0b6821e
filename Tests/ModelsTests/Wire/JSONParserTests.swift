import FirestoreModels
import Testing

@Suite("JSON parser", .bothParsers)
struct JSONParserTests {
  private func parse<T>(_ json: String, _ body: (JSONCursor) throws(WireError) -> T) throws(WireError) -> T {
    try JSONParser().parse(Array(json.utf8), body)
  }

  @Test func kindsAndScalars() throws {
    try parse(#"{"a":[1,-1,1.5,18446744073709551615,"t",true,false,null,{}]}"#) { root throws(WireError) in
      guard let list = root["a"] else { throw WireError("no member a") }
      let elements = Array(list.elements)
      #expect(
        elements.map(\.kind)
          == [.integer, .integer, .double, .integer, .string, .boolean, .boolean, .null, .object]
      )
      #expect(elements[0].integer == 1 && elements[0].double == 1)
      #expect(elements[1].integer == -1 && elements[1].double == -1)
      #expect(elements[2].integer == nil && elements[2].double == 1.5)
      #expect(elements[3].integer == nil && elements[3].double == 0x1p64)
      #expect(elements[4].string == "t" && elements[4].boolean == nil)
      #expect(elements[5].boolean == true && elements[6].boolean == false)
      #expect(elements[7].isNull && !elements[6].isNull)
      #expect(root["b"] == nil)
      #expect(Array(elements[0].elements).isEmpty && Array(elements[0].members).isEmpty)
    }
  }

  @Test func aMemberThatIsGivenTwiceIsRefused() {
    #expect(throws: WireError.self) { try parse(#"{"a":1,"b":{"a":7},"a":2}"#) { $0["a"]?.integer } }
  }

  @Test(arguments: [
    "", " ", "{", "}", "[1,]", "{\"a\"}", "{a:1}", "01", "+1", ".5", "1.", "1e", "nul", "'a'", "\"a",
    "\"\\x\"",
    "\"\u{1}\"", "1 2", "[1] x", "{\"a\":1,}", "--0", "-", "-0-0", "[-0,]",
  ])
  func malformed(_ json: String) {
    #expect(throws: WireError.self) { try parse(json) { _ in } }
  }

  @Test(arguments: [
    [UInt8]([0xFF]), [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0],
  ])
  func notUTF8(_ bytes: [UInt8]) {
    #expect(throws: WireError.self) { try JSONParser().parse(bytes) { _ throws(WireError) in } }
  }

  @Test func limitOfBytes() throws {
    let parser = JSONParser(maximumBytes: 64)
    #expect(throws: WireError("it is too large (65 bytes)")) {
      try parser.parse([UInt8](repeating: 0x20, count: 65)) { _ throws(WireError) in }
    }
    try parser.parse(Array("[\(String(repeating: "1,", count: 30))1]".utf8)) { root throws(WireError) in
      #expect(Array(root.elements).count == 31)
    }
  }

  @Test(arguments: ["[", "{\"a\":", "{\"mapValue\":{\"fields\":{\"a\":", "{\"arrayValue\":{\"values\":["])
  func deepNestingIsRefusedAndOverflowsNothing(opening: String) {
    let json = String(repeating: opening, count: 200_000)
    #expect(throws: WireError.self) { try parse(json) { _ in } }
    // Even if it is well-formed.
    let closing = String(
      opening.reversed().compactMap { $0 == "[" ? "]" : $0 == "{" ? "}" : nil }
    )
    let whole = json + "1" + String(repeating: closing, count: 200_000)
    #expect(throws: WireError("it is nested too deeply")) { try parse(whole) { _ in } }
    // The parser remains usable.
    let parser = JSONParser()
    #expect(throws: WireError.self) { try parser.parse(Array(whole.utf8)) { _ throws(WireError) in } }
    #expect(throws: Never.self) { try parser.parse(Array("[]".utf8)) { _ throws(WireError) in } }
  }

  private func nested(_ levels: Int, array: Bool) -> String {
    let open = array ? #"{"arrayValue":{"values":["# : #"{"mapValue":{"fields":{"a":"#
    return String(repeating: open, count: levels) + #"{"nullValue":null}"#
      + String(repeating: array ? "]}}" : "}}}", count: levels)
  }

  @Test(arguments: [true, false])
  func valuesAreFollowedToTheirLimit(array: Bool) throws {
    let limit = WireDecoder.maximumValueDepth
    var value = try Wire.value(nested(limit, array: array))
    var levels = 0
    while true {
      if let elements = value.array {
        value = try #require(elements.first)
      } else if let fields = value.map {
        value = try #require(fields["a"])
      } else {
        break
      }
      levels += 1
    }
    #expect(levels == limit)
    #expect(throws: WireError.self) { try Wire.value(nested(limit + 1, array: array)) }
  }

  @Test func oneParserForManyTexts() throws {
    let parser = JSONParser()
    for length in [0, 1, 100, 10_000, 3, 100_000, 0] {
      let text = String(repeating: "é", count: length)
      let read = try parser.parse(Array("\"\(text)\"".utf8)) { root throws(WireError) in root.string }
      #expect(read?.isIdentical(to: text) == true)
    }
  }
}
