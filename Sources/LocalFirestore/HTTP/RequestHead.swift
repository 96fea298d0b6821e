/// The request line and the headers of an HTTP/1.1 request (RFC 9112).
struct RequestHead {
  var method: String
  /// The raw target, percent-encoded.
  var target: [UInt8]
  /// Whether the client uses HTTP/1.0, which has no chunked encoding.
  var isVersion10: Bool
  /// The headers by lower-case name; repeated ones are joined by commas.
  var headers: [String: String]

  enum BodyLength: Equatable {
    case known(Int)
    case chunked
  }

  /// A malformed head, after which the connection is closed.
  struct Malformed: Error {
    var reason: String
  }

  /// Parses the request line and the headers, without the final empty line.
  init(_ bytes: some Collection<UInt8>) throws(Malformed) {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { line in
      line.last == UInt8(ascii: "\r") ? Array(line.dropLast()) : Array(line)
    }
    let words = (lines.first ?? []).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, !words[1].isEmpty else {
      throw Malformed(reason: "the request line is malformed")
    }
    method = String(decoding: words[0], as: UTF8.self)
    target = Array(words[1])
    switch String(decoding: words[2], as: UTF8.self) {
    case "HTTP/1.1": isVersion10 = false
    case "HTTP/1.0": isVersion10 = true
    default: throw Malformed(reason: "the protocol is not HTTP/1.1")
    }
    headers = [:]
    for line in lines.dropFirst() {
      // No space may precede the colon (RFC 9112 5.1): servers that differ on it allow request smuggling.
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
        line[..<colon].allSatisfy(Self.isTokenCharacter)
      else { throw Malformed(reason: "a header is malformed") }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      let value = Self.trimmed(line[(colon + 1)...])
      headers[name] = headers[name].map { "\($0), \(value)" } ?? value
    }
  }

  /// Whether a byte may be in a header name (RFC 9110 5.6.2).
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    PlainText.trimmed(String(decoding: bytes, as: UTF8.self)) { $0 == " " || $0 == "\t" }
  }

  /// The length of the body (RFC 9112 6.3).
  func bodyLength() throws(Malformed) -> BodyLength {
    let length = headers["content-length"]
    if let coding = headers["transfer-encoding"] {
      guard coding.lowercased() == "chunked", length == nil else {
        throw Malformed(reason: "the length of the body is ambiguous")
      }
      return .chunked
    }
    guard let length else { return .known(0) }
    // Digits only, because Int accepts a sign.
    guard length.utf8.allSatisfy(\.isASCIIDigit), let count = Int(length) else {
      throw Malformed(reason: "the content-length is malformed")
    }
    return .known(count)
  }

  var keepsAlive: Bool {
    let connection = headers["connection"]?.lowercased() ?? ""
    return isVersion10 ? connection.contains("keep-alive") : !connection.contains("close")
  }

  var expectsContinue: Bool { headers["expect"]?.lowercased() == "100-continue" }
}
