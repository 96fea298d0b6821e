import Glibc

/// Text as its UTF-8 bytes.
///
/// Equality and order are those of the bytes, where Swift's `String` would hold canonically equivalent texts
/// (é in one scalar or in two) to be the same.
struct ByteString: Sendable, Hashable, Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
  let bytes: [UInt8]

  init(bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  init(_ text: some StringProtocol) {
    bytes = Array(text.utf8)
  }

  init(stringLiteral value: StaticString) {
    bytes = value.withUTF8Buffer { Array($0) }
  }

  var string: String { String(decoding: bytes, as: UTF8.self) }
  var description: String { string }
  var isEmpty: Bool { bytes.isEmpty }

  static func < (left: ByteString, right: ByteString) -> Bool {
    left.compare(right) < 0
  }

  /// Negative, zero or positive, as the bytes compare.
  func compare(_ other: ByteString) -> Int {
    let result = bytes.withUnsafeBytes { left in
      other.bytes.withUnsafeBytes { right in
        guard let first = left.baseAddress, let second = right.baseAddress else { return 0 }
        return Int(memcmp(first, second, min(left.count, right.count)))
      }
    }
    return result != 0 ? result : bytes.count - other.bytes.count
  }

  func hasPrefix(_ prefix: ByteString) -> Bool {
    bytes.starts(with: prefix.bytes)
  }

  /// Whether the name is one of those that the service keeps for itself.
  var isReserved: Bool {
    bytes.count >= 4 && bytes.starts(with: [0x5F, 0x5F]) && bytes[(bytes.count - 2)...] == [0x5F, 0x5F]
  }
}
