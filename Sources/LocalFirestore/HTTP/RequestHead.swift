/// The first line and the headers of an HTTP/1.1 request (RFC 9112).
struct RequestHead {
  /// The method: `GET`, `POST`.
  var method: String
  /// The raw target, percent-encoded.
  var target: [UInt8]
  /// Whether the client speaks HTTP/1.0, which has no chunks.
  var isVersion10: Bool
  /// The headers by their names in lower case; of a repeated one, the values joined by commas.
  var headers: [String: String]

  /// How long the body is.
  enum BodyLength: Equatable {
    case known(Int)
    case chunked
  }

  /// Why a head cannot be understood; the connection is of no more use.
  struct Malformed: Error {
    var reason: String
  }

  /// Reads a head, from the first line to the last header, without the empty line.
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
      // Not even a space may precede the colon (RFC 9112 5.1): what one reader takes for a header and another does not,
      // makes two requests of one.
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
        line[..<colon].allSatisfy(Self.isTokenCharacter)
      else { throw Malformed(reason: "a header is malformed") }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      let value = Self.trimmed(line[(colon + 1)...])
      headers[name] = headers[name].map { "\($0), \(value)" } ?? value
    }
  }

  /// What a name may consist of (RFC 9110 5.6.2).
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    guard let start = bytes.firstIndex(where: { !isSpace($0) }),
      let end = bytes.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(decoding: bytes[start...end], as: UTF8.self)
  }

  /// How long the body is (RFC 9112 6.3).
  func bodyLength() throws(Malformed) -> BodyLength {
    let length = headers["content-length"]
    if let coding = headers["transfer-encoding"] {
      guard coding.lowercased() == "chunked", length == nil else {
        throw Malformed(reason: "the body's length cannot be told")
      }
      return .chunked
    }
    guard let length else { return .known(0) }
    // Digits alone: Int takes a sign, too.
    guard length.utf8.allSatisfy({ (48...57).contains($0) }), let count = Int(length) else {
      throw Malformed(reason: "the content-length is malformed")
    }
    return .known(count)
  }

  /// Whether the connection stays open behind the answer.
  var keepsAlive: Bool {
    let connection = headers["connection"]?.lowercased() ?? ""
    return isVersion10 ? connection.contains("keep-alive") : !connection.contains("close")
  }

  /// Whether the client waits for a word before it sends the body.
  var expectsContinue: Bool { headers["expect"]?.lowercased() == "100-continue" }
}
