/// The parts of a URL between its delimiters, after its host.
struct URLParts {
  /// Each part, decoded, with the delimiter after it as written.
  private(set) var parts: [(text: String, end: String)] = []

  /// - Returns: Nil if it is not a URL with a path.
  init?(_ url: String) {
    let bytes = Array(url.utf8)
    guard let host = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) }) else { return nil }
    let slash = UInt8(ascii: "/")
    guard let path = bytes[(host + 3)...].firstIndex(of: slash) else { return nil }
    var rest = bytes[(path + 1)...]
    while !rest.isEmpty {
      let part = rest.prefix { !Self.ends.contains($0) }
      rest = rest.dropFirst(part.count)
      let end = rest.popFirst().map { [$0] } ?? []
      add(part, end: String(decoding: end, as: UTF8.self))
    }
  }

  private static let ends = Array("/?&=#".utf8)

  /// Adds a part; an encoded slash ends a part, too, as in the names of files in buckets.
  private mutating func add(_ part: ArraySlice<UInt8>, end: String) {
    let plain = EncodedText.unescaped(Array(part)) ?? Array(part)
    let names = plain.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (index, name) in names.enumerated() {
      parts.append((String(decoding: name, as: UTF8.self), index == names.count - 1 ? end : "%2F"))
    }
  }
}
