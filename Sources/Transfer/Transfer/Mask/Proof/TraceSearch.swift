/// Finds the traces in a filter, in texts and bytes: in plain form, in the escapes of URLs and JSON, and in Base64.
struct TraceSearch {
  /// How many nested encodings are decoded, if one of them is Base64.
  private static let depth = 2
  /// How many nested escapes are decoded, as of JSON in a text of a file of JSON.
  private static let escapes = 6

  private let filter: TraceFilter
  private(set) var found: [ValueTrace] = []

  init(_ filter: TraceFilter) { self.filter = filter }

  mutating func look(at text: String) { look(at: text, Self.depth, Self.escapes) }

  mutating func look(at bytes: [UInt8]) { look(at: bytes, Self.depth, Self.escapes) }

  private mutating func look(at bytes: [UInt8], _ depth: Int, _ escapes: Int) {
    take(ValueTrace(.bytes, bytes[...]))
    look(at: String(decoding: bytes, as: UTF8.self), depth, escapes)
  }

  private mutating func look(at text: String, _ depth: Int, _ escapes: Int) {
    TextWords(text).forEachPart { take($0) }
    PhoneDigits.forEach(in: text) { take($0) }
    let bytes = Array(text.utf8)
    if escapes > 0, let plain = EncodedText.unescaped(bytes) {
      look(at: String(decoding: plain, as: UTF8.self), max(0, depth - 1), escapes - 1)
    }
    if depth == 0 { return }
    for decoded in EncodedText.base64(in: bytes) { look(at: decoded, depth - 1, escapes) }
  }

  private mutating func take(_ trace: ValueTrace) {
    if filter.mayContain(trace) { found.append(trace) }
  }
}

/// Decodes bytes from the encodings of URLs, JSON and Base64.
enum EncodedText {
  /// Decodes `%41`, `\u0041` and `\n` once; nil if there is nothing to decode.
  static func unescaped(_ bytes: [UInt8]) -> [UInt8]? {
    let (percent, backslash) = (UInt8(ascii: "%"), UInt8(ascii: "\\"))
    guard bytes.contains(where: { $0 == percent || $0 == backslash }) else { return nil }
    var plain: [UInt8] = []
    var isDecoded = false
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == percent, let value = number(&rest, digits: 2) {
        plain.append(UInt8(truncatingIfNeeded: value))
      } else if byte == backslash, let next = rest.popFirst() {
        if next == UInt8(ascii: "u"), let scalar = scalar(&rest) {
          plain += Array(String(scalar).utf8)
        } else {
          // A line end or a tab; quotation marks and slashes only separate words as well. An escaped backslash may begin
          // another escape.
          plain.append(next == backslash ? backslash : UInt8(ascii: " "))
        }
      } else {
        plain.append(byte)
        continue
      }
      isDecoded = true
    }
    return isDecoded ? plain : nil
  }

  /// Decodes the digits after `\u`, and the second half of a surrogate pair (`\ud842\udfb7`); nil for anything else.
  private static func scalar(_ bytes: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
    guard let high = number(&bytes, digits: 4) else { return nil }
    guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
    var rest = bytes
    guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"),
      let low = number(&rest, digits: 4), (0xDC00..<0xE000).contains(low)
    else { return nil }
    bytes = rest
    return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>, digits: Int) -> UInt32? {
    guard bytes.count >= digits,
      let number = UInt32(String(decoding: bytes.prefix(digits), as: UTF8.self), radix: 16)
    else { return nil }
    bytes = bytes.dropFirst(digits)
    return number
  }

  /// Returns what is encoded in Base64 of either alphabet, taking runs of its letters as a whole and split at the signs in
  /// paths.
  static func base64(in bytes: [UInt8]) -> [[UInt8]] {
    let shortest = 8
    var found: [[UInt8]] = []
    func decode(_ run: ArraySlice<UInt8>) {
      guard run.count >= shortest else { return }
      if let decoded = Array(run).withUnsafeBufferPointer({ Base64.decode($0) }) { found.append(decoded) }
    }
    for run in bytes.split(whereSeparator: { !($0.isASCIILetterOrDigit || "+/=-_".utf8.contains($0)) }) {
      decode(run)
      for signs in ["/=", "/=+-_"] {
        for part in run.split(whereSeparator: { signs.utf8.contains($0) }) where part.count < run.count {
          decode(part)
        }
      }
    }
    return found
  }
}
