/// Document IDs that are derived from a seed: the same seed always gives the same ID.
///
/// They are empty if SHA-256 is not available.
package enum DerivedID {
  /// The letters and digits of IDs.
  package static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

  /// Returns 20 letters and digits, like the IDs made by Google's clients.
  package static func auto(_ seed: String) -> String {
    guard let hex = digits(seed) else { return "" }
    // Three hexadecimal digits per letter: 4,096 values are distributed evenly enough over 62 letters.
    let id = stride(from: 0, to: 60, by: 3).map { at in
      letters[(Int(String(decoding: hex[at..<(at + 3)], as: UTF8.self), radix: 16) ?? 0) % 62]
    }
    return String(decoding: id, as: UTF8.self)
  }

  /// Returns a UUID of version 8 (RFC 9562), whose custom bits come from a hash.
  package static func uuid(_ seed: String) -> String {
    guard var hex = digits(seed) else { return "" }
    hex[12] = UInt8(ascii: "8")
    hex[16] = Array("89ab".utf8)[Int(hex[16] & 3)]
    var rest = hex[...]
    let parts = [8, 4, 4, 4, 12].map { length in
      defer { rest = rest.dropFirst(length) }
      return String(decoding: rest.prefix(length), as: UTF8.self)
    }
    return parts.joined(separator: "-")
  }

  private static func digits(_ seed: String) -> [UInt8]? {
    (try? SHA256Digest.checksum(of: Array(seed.utf8))).map { Array($0.utf8) }
  }
}

/// The 64-bit hash FNV-1a, which is the same in every process.
package enum FNV {
  package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
