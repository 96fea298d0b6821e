import FirestoreModels
import Foundation
import Testing
import TypedDocuments

@Suite("What a plain struct reads is written back unchanged, or is an error")
struct UnchangedTests {
  private enum Color: String, Codable, CodingKeyRepresentable { case red, green = "gr\u{FC}n" }

  private enum Role: String, Codable {
    case admin, unknown

    init(from decoder: any Decoder) throws {
      self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
  }

  private struct Size: RawRepresentable, Codable { var rawValue: String }

  /// Decodes one field, and encodes it again.
  private func rewritten<T: Codable>(_ type: T.Type, _ value: Value) throws -> Value? {
    let read = try FirestoreDecoder().decode([String: T].self, from: ["v": value])
    return try FirestoreEncoder().encode(read)["v"]
  }

  private func expectRefusal<T: Codable>(
    _ type: T.Type,
    _ value: Value,
    _ advice: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: DecodingError.self, sourceLocation: location) { try rewritten(type, value) }
    guard case .dataCorrupted(let context) = error else { return }
    #expect(context.codingPath.first?.stringValue == "v", sourceLocation: location)
    #expect(context.debugDescription.contains(advice), sourceLocation: location)
  }

  @Test(arguments: [
    "https://example.org/\u{E4}", "https://m\u{FC}nchen.example/", "http://a.example/c d",
    "http://a.example/?q=[1]|2", "http://a.example/%zz",
  ])
  func otherURLs(_ text: String) throws {
    // Not every Foundation reads each of them as a URL; none may change it.
    expectRefusal(URL.self, .string(text), URL(string: text) == nil ? "not a URL" : "URLValue")
    #expect(try rewritten(String.self, .string(text)) == .string(text))
    guard URL(string: text) != nil else { return }
    #expect(try rewritten(URLValue.self, .string(text)) == .string(text))
  }

  @Test func sameURL() throws {
    let text = "https://example.org/a%20b?c=d#e"
    #expect(try rewritten(URL.self, .string(text)) == .string(text))
  }

  @Test func uuids() throws {
    let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    #expect(try rewritten(UUID.self, .string(text)) == .string(text))
    expectRefusal(UUID.self, .string(text.lowercased()), "String")
    expectRefusal(UUID.self, .string("secret"), "not a UUID")
    #expect(throws: DecodingError.self) { try rewritten(UUID.self, .integer(1)) }
  }

  @Test func enumerations() throws {
    #expect(try rewritten(Color.self, .string("gr\u{FC}n")) == .string("gr\u{FC}n"))
    expectRefusal(Color.self, .string("gru\u{308}n"), "Unicode composition")
    expectRefusal([Color].self, .array([.string("gru\u{308}n")]), "Unicode composition")
    #expect(throws: DecodingError.self) { try rewritten(Color.self, .string("blue")) }
    let byColor = Value.map(["gr\u{FC}n": .integer(1), "red": .integer(2)])
    #expect(try rewritten([Color: Int].self, byColor) == byColor)
    expectRefusal([Color: Int].self, .map(["gru\u{308}n": .integer(1)]), "UTF8Key")
    // A type may replace what it does not know, and one that holds any text keeps it.
    #expect(try rewritten(Role.self, .string("owner")) == .string("unknown"))
    #expect(try rewritten(Size.self, .string("gru\u{308}n")) == .string("gru\u{308}n"))
  }

  @Test(arguments: ["01", "+1", "-0", "1_"])
  func otherNumbersAsNames(_ name: String) {
    #expect(throws: DecodingError.self) { try rewritten([Int: Int].self, .map([name: .integer(7)])) }
    #expect(throws: DecodingError.self) {
      try rewritten([Int: Int].self, .map([name: .integer(7), "1": .integer(8)]))
    }
  }

  @Test func numbersAsNames() throws {
    let map = Value.map(["-3": .integer(1), "0": .integer(2), "12": .integer(3)])
    #expect(try rewritten([Int: Int].self, map) == map)
    #expect(try rewritten([Int: Int].self, .map([:])) == .map([:]))
  }

  @Test("The last date of a timestamp is of the year 9999.")
  func lastDates() throws {
    let start = try #require(Timestamp("9999-12-31T23:59:59Z"))
    for digits in ["9999", "999984", "999985", "999999", "999999999"] {
      let time = try #require(Timestamp("9999-12-31T23:59:59.\(digits)Z"))
      #expect(time.date > start.date)
      let written = try #require(Timestamp(time.date))
      #expect(written.seconds == time.seconds)
      #expect(abs(written.nanoseconds - time.nanoseconds) <= 31_000)
      let value = try rewritten(Date.self, .timestamp(time))
      #expect(value == .timestamp(written))
    }
    // The year 10000 is none of Firestore's.
    let end = Date(timeIntervalSince1970: 253_402_300_800)
    #expect(Timestamp(end) == nil)
    #expect(throws: EncodingError.self) { try FirestoreEncoder().encode(["v": end]) }
  }
}
