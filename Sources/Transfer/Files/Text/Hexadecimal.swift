/// Bytes as hexadecimal digits.
package enum Hexadecimal {
  /// Returns two digits for each byte, in ASCII.
  package static func digits(of bytes: some Collection<UInt8>, areUpper: Bool = false) -> [UInt8] {
    let ten: UInt8 = (areUpper ? UInt8(ascii: "A") : UInt8(ascii: "a")) - 10
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      for half in [byte >> 4, byte & 15] { digits.append(half + (half < 10 ? UInt8(ascii: "0") : ten)) }
    }
    return digits
  }

  /// Returns the digits as a text.
  package static func text(of bytes: some Collection<UInt8>) -> String {
    String(decoding: digits(of: bytes), as: UTF8.self)
  }
}
