/// Bytes as hexadecimal digits.
package enum Hexadecimal {
  /// Returns two digits for each byte, in ASCII.
  package static func digits(of bytes: some Collection<UInt8>, areUpper: Bool = false) -> [UInt8] {
    let ten: UInt8 = (areUpper ? UInt8(ascii: "A") : UInt8(ascii: "a")) - 10
    let digit = { (half: UInt8) in half + (half < 10 ? UInt8(ascii: "0") : ten) }
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      digits.append(digit(byte >> 4))
      digits.append(digit(byte & 15))
    }
    return digits
  }

  /// Returns the digits as text.
  package static func text(of bytes: some Collection<UInt8>) -> String {
    String(decoding: digits(of: bytes), as: UTF8.self)
  }
}
