import FirestoreModels
import TestSupport
import Testing

/// simdjson and our own parser read the same, or both refuse.
@Suite("Two parsers of JSON")
struct ParserComparisonTests {
  /// What a parser made of a text, exactly; nil if it refused it.
  private static func reading(_ json: [UInt8], _ parser: JSONParser) -> String? {
    try? parser.parse(json) { root throws(WireError) in describe(root) }
  }

  private static func describe(_ json: JSONCursor) -> String {
    switch json.kind {
    case .object:
      "{" + json.members.map { "\(bytes($0.name.utf8)):\(describe($0.value))" }.joined(separator: ",") + "}"
    case .array: "[" + json.elements.map(describe).joined(separator: ",") + "]"
    case .string: "s" + (json.utf8.map(bytes) ?? "-")
    case .integer: "i\(json.integer.map(String.init) ?? "-"):\(json.double?.bitPattern ?? 0)"
    case .double: "d\(json.double?.bitPattern ?? 0)"
    case .boolean: "b\(json.boolean == true)"
    case .null: "n"
    }
  }

  private static func bytes(_ utf8: UnsafeBufferPointer<UInt8>) -> String {
    utf8.map { String($0, radix: 16) }.joined(separator: " ")
  }

  private struct Pair {
    let library: JSONParser
    let portable: JSONParser

    init(maximumDepth: Int = 512, keepsNumbers: Bool) {
      func parser() -> JSONParser { JSONParser(maximumDepth: maximumDepth, keepsNumbers: keepsNumbers) }
      library = parser()
      portable = JSONParser.$isPortable.withValue(true) { parser() }
    }

    /// What both read; nil if both refused.
    func reading(_ json: [UInt8]) -> String? {
      let (expected, actual) = (
        ParserComparisonTests.reading(json, library), ParserComparisonTests.reading(json, portable)
      )
      #expect(actual == expected, "\(String(decoding: json, as: UTF8.self)) as \(json)")
      return expected
    }
  }

  private static let scalars = [
    "0", "-0", "-0.0", "1", "-1", "01", "-01", "00", "+1", ".5", "1.", "1.e5", "-", "--1", "-.5", "1e", "1e+",
    "1e-5", "1E+05",
    "1.5e", "0e0", "0e999999999999999999999", "1e999999999999999999999", "1e-999999999999999999999", "1e308",
    "1e309",
    "-1e309", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
    "2.2250738585072011e-308",
    "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-400", "-1e-400", "0.00000000e-400",
    "0.1", "0.30000000000000004", "9007199254740993", "9007199254740993.0", "9223372036854775807",
    "-9007199254740993.5", "9007199254740992.0", "9007199254740993e0", "9223372036854775807.0",
    "9223372036854775808.0", "9223372036854775809.0", "12345678901234567890.0",
    "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
    "123456789012345678901234567890", "-99999999999999999999", "NaN", "Infinity", "-Infinity", "nan", "0x10",
    "1_000", "1,", "1 2",
    "true", "false", "null", "True", "tru", "truee", "nulll", "fals", "t", "", " ", "\u{FEFF}1", "\u{A0}1",
    "\u{2028}", "\u{0B}1",
    "\"\"", "\"a", "\"\\\"", "\"\\\\\"", "\"\\/\\b\\f\\n\\r\\t\"", "\"\\a\"", "\"\\u\"", "\"\\u12\"",
    "\"\\u12g4\"", "\"\\u0000\"",
    "\"\\uD800\"", "\"\\uDC00\"", "\"\\uD800\\uD800\"", "\"\\uD83D\\uDE00\"", "\"\\uDE00\\uD83D\"",
    "\"\\uD83D\\n\"",
    "\"\\uD83Dx\"", "\"\\uD83D\\u0041\"", "\"\\uFFFE\\uffff\"", "\"\\U0041\"", "\"\u{7F}\"", "\"\u{1F}\"",
    "\"\t\"", "\"\n\"", "'a'",
    "\"\\u\u{FF10}041\"",
    "\"é\"", "\"e\u{301}\"", "\"\u{10FFFF}\"", "a", "/", "//", "/**/1", "\\", "\\n",
  ]

  private static let frames = [
    "%", " %\t\r\n", "[%]", "[ % ]", "[%,%]", "[%,]", "[,%]", "[%", "%]", "[[%]", "{\"a\":%}",
    "{ \"a\" : % , \"b\" : % }",
    "{\"a\":%,}", "{\"a\" %}", "{\"a\":%", "{%:1}", "{%}", "{\"a\":%]", "[%}", "{\"\":%,\"\\u0061\":%}",
    "[{},[],%]", "%%", "% %",
  ]

  @Test("Every kind of token reads the same wherever it stands.", arguments: [false, true])
  func tokens(keepsNumbers: Bool) {
    let parsers = Pair(keepsNumbers: keepsNumbers)
    var read = 0
    for frame in Self.frames {
      for scalar in Self.scalars {
        let text = frame.split(separator: "%", omittingEmptySubsequences: false).joined(separator: scalar)
        if parsers.reading(Array(text.utf8)) != nil { read += 1 }
      }
    }
    #expect(read > 300)
  }

  @Test("Nesting is followed as deep.", arguments: 1...6)
  func nesting(_ levels: Int) {
    let parsers = Pair(maximumDepth: 4, keepsNumbers: false)
    for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
      for content in ["1", "[]", "{}"] {
        let text =
          String(repeating: opening, count: levels) + content + String(repeating: closing, count: levels)
        #expect((parsers.reading(Array(text.utf8)) != nil) == (levels < 4), "\(text)")
      }
    }
  }

  @Test("Random doubles keep every bit, however many digits they have.")
  func doubles() {
    let parsers = Pair(keepsNumbers: false)
    var random = SplitMix64(seed: 20_261_127)
    for _ in 0..<20_000 {
      let digits = (0..<Int.random(in: 1...25, using: &random)).map { _ in
        Int.random(in: 0...9, using: &random)
      }
      let exponent = Int.random(in: -345...310, using: &random)
      let bits = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random))
      let text = "[0.\(digits.map(String.init).joined())e\(exponent),1\(digits.map(String.init).joined())"
      _ = parsers.reading(Array("\(text)\(bits.isFinite ? ",\(bits)" : "")]".utf8))
    }
  }

  @Test("Random documents, whole and damaged, are read alike.", arguments: UInt64(1)...10)
  func documents(_ seed: UInt64) {
    let parsers = Pair(keepsNumbers: seed % 2 == 0)
    var documents = RandomDocuments(seed: seed)
    var random = SplitMix64(seed: seed)
    var refused = 0
    for _ in 0..<500 {
      var json = Array(Wire.encoded(documents.document(), in: DatabaseName(project: "p")).utf8)
      #expect(parsers.reading(json) != nil)
      for _ in 0..<3 {
        json[Int.random(in: json.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        if parsers.reading(json) == nil { refused += 1 }
      }
    }
    #expect(refused > 100 && refused < 1450)
  }
}
