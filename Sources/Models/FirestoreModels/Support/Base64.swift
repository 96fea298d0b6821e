/// Base64 as Firestore reads and writes it.
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlAlphabet = Array(alphabet.dropLast(2)) + Array("-_".utf8)

  /// The value of each byte in either alphabet; 0xFF for bytes in neither.
  private static let values: [UInt8] = {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for (index, byte) in alphabet.enumerated() { table[Int(byte)] = UInt8(index) }
    table[Int(UInt8(ascii: "-"))] = 62
    table[Int(UInt8(ascii: "_"))] = 63
    return table
  }()

  /// Appends the standard, padded encoding of `bytes`.
  package static func append(_ bytes: some Sequence<UInt8>, to out: inout [UInt8]) {
    append(bytes, alphabet: alphabet, padded: true, to: &out)
  }

  /// The standard, padded encoding.
  package static func standard(_ bytes: some Sequence<UInt8>) -> String {
    var out: [UInt8] = []
    append(bytes, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// The URL-safe encoding without padding, as JSON Web Tokens use it (RFC 7515).
  package static func urlSafe(_ bytes: some Sequence<UInt8>) -> String {
    var out: [UInt8] = []
    append(bytes, alphabet: urlAlphabet, padded: false, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// Decodes the standard or the URL-safe alphabet, padded or not; nil for anything else.
  package static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var length = text.count
    while length > 0, text[length - 1] == UInt8(ascii: "="), text.count - length < 2 { length -= 1 }
    if length % 4 == 1 || (length != text.count && text.count % 4 != 0) { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(length / 4 * 3 + 2)
    var group: UInt32 = 0
    var bits = 0
    for index in 0..<length {
      let value = values[Int(text[index])]
      if value == 0xFF { return nil }
      group = (group << 6) | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        out.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
        group &= (1 << UInt32(bits)) - 1
      }
    }
    return out
  }

  /// Decodes text; nil if it is not Base64.
  package static func decode(_ text: String) -> [UInt8]? { text.withBytes { decode($0) } }

  private static func append(
    _ bytes: some Sequence<UInt8>,
    alphabet: [UInt8],
    padded: Bool,
    to out: inout [UInt8]
  ) {
    var group: UInt32 = 0
    var pending = 0
    for byte in bytes {
      group = (group << 8) | UInt32(byte)
      pending += 1
      if pending == 3 {
        out.append(alphabet[Int(group >> 18 & 63)])
        out.append(alphabet[Int(group >> 12 & 63)])
        out.append(alphabet[Int(group >> 6 & 63)])
        out.append(alphabet[Int(group & 63)])
        group = 0
        pending = 0
      }
    }
    if pending == 1 {
      out.append(alphabet[Int(group >> 2 & 63)])
      out.append(alphabet[Int(group << 4 & 63)])
      if padded { out.append(contentsOf: [UInt8(ascii: "="), UInt8(ascii: "=")]) }
    } else if pending == 2 {
      out.append(alphabet[Int(group >> 10 & 63)])
      out.append(alphabet[Int(group >> 4 & 63)])
      out.append(alphabet[Int(group << 2 & 63)])
      if padded { out.append(UInt8(ascii: "=")) }
    }
  }
}
