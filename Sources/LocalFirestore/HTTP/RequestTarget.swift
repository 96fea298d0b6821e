/// The path and query of a request, percent-decoded once from the raw target.
struct RequestTarget {
  /// The path segments; `%2F` inside a segment stays encoded (google/api/http.proto).
  var segments: [String]
  /// The custom verb after the last raw colon, for methods that can have one.
  var verb: String?
  /// The query parameters in order, with names in `lowerCamelCase`.
  var query: [(name: String, value: String)]

  /// - Parameter hasVerb: Whether the last raw colon begins a verb instead of being part of the segment.
  /// - Throws: ``FirestoreError`` `.invalidArgument` for invalid percent-encoding or UTF-8.
  init(raw: some Collection<UInt8>, hasVerb: Bool) throws(FirestoreError) {
    let target = Array(raw)
    let queryStart = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
    var path = target[..<queryStart]
    // The absolute form (RFC 9112 3.2.2): the path follows scheme and authority.
    if path.first != UInt8(ascii: "/"), let scheme = path.firstIndex(of: UInt8(ascii: ":")) {
      let authority = path[scheme...].dropFirst(3)
      path = authority.firstIndex(of: UInt8(ascii: "/")).map { path[$0...] } ?? []
    }
    if hasVerb, let colon = path.lastIndex(of: UInt8(ascii: ":")),
      !path[colon...].contains(UInt8(ascii: "/"))
    {
      verb = String(decoding: path[path.index(after: colon)...], as: UTF8.self)
      path = path[..<colon]
    }
    segments = []
    for segment in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      segments.append(try Self.decoded(segment, keepingSlash: true))
    }
    if segments == [""] { segments = [] }
    query = []
    if queryStart < target.count {
      for item in target[(queryStart + 1)...].split(separator: UInt8(ascii: "&")) {
        let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
        let name = try Self.decoded(item[..<equals], plusIsSpace: true)
        let value = equals < item.endIndex ? try Self.decoded(item[(equals + 1)...], plusIsSpace: true) : ""
        query.append((WireDecoder.lowerCamelCase(name), value))
      }
    }
  }

  private static func decoded(
    _ text: ArraySlice<UInt8>,
    keepingSlash: Bool = false,
    plusIsSpace: Bool = false
  ) throws(FirestoreError) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if byte == UInt8(ascii: "%") {
        guard index + 2 < text.endIndex, let high = text[index + 1].hexadecimalDigit,
          let low = text[index + 2].hexadecimalDigit
        else { throw .invalid("The URL is not percent-encoded correctly.") }
        let value = UInt8(high << 4 | low)
        if keepingSlash, value == UInt8(ascii: "/") {
          out.append(contentsOf: text[index..<index + 3])
        } else {
          out.append(value)
        }
        index += 3
      } else {
        out.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        index += 1
      }
    }
    guard let string = String(validating: out, as: UTF8.self) else {
      throw .invalid("The URL is not valid UTF-8.")
    }
    return string
  }
}

extension UInt8 {
  /// The value of an ASCII character as a hexadecimal digit; nil if it is not one.
  var hexadecimalDigit: Int? { Character(UnicodeScalar(self)).hexDigitValue }
}
