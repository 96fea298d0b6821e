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
      segments.append(try Self.decoded(segment, keeping: UInt8(ascii: "/")))
    }
    if segments == [""] { segments = [] }
    query = []
    if queryStart < target.count {
      let query = target[(queryStart + 1)...].map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
      for item in query.split(separator: UInt8(ascii: "&")) {
        let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
        let name = try Self.decoded(item[..<equals])
        let value = equals < item.endIndex ? try Self.decoded(item[(equals + 1)...]) : ""
        self.query.append((WireDecoder.lowerCamelCase(name), value))
      }
    }
  }

  private static func decoded(
    _ text: ArraySlice<UInt8>,
    keeping kept: UInt8? = nil
  ) throws(FirestoreError) -> String {
    guard let bytes = PercentEncoding.decoded(Array(text), keeping: kept) else {
      throw .invalid("The URL is not percent-encoded correctly.")
    }
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw .invalid("The URL is not valid UTF-8.")
    }
    return string
  }
}
