/// Encodes document names as keys whose byte order is the service's order of names.
///
/// A numeric ID (`__id7__`) is encoded as 1 and the number in 8 big-endian bytes with the sign flipped; any
/// other ID as 2, its UTF-8 with 0 escaped as 0 255, and the terminator 0 1. A parent's key is therefore a
/// prefix of its children's keys, and no segment's encoding is a prefix of another's.
enum NameKey {
  private static let numeric: UInt8 = 1
  private static let text: UInt8 = 2
  /// Greater than the first byte of any segment: appended to a key, it sorts after all descendants.
  private static let above: UInt8 = 0xFF

  /// The key of a path below the database; empty for the empty path.
  static func key(_ path: String) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(path.utf8.count + 8)
    for segment in path.utf8.split(separator: UInt8(ascii: "/")) {
      append(Substring(segment), to: &key)
    }
    return key
  }

  static func append(_ segment: Substring, to key: inout [UInt8]) {
    if segment.utf8.count > 6, segment.utf8.first == UInt8(ascii: "_"),
      let number = ResourceID.number(String(segment))
    {
      key.append(numeric)
      let bits = UInt64(bitPattern: number) ^ (1 << 63)
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        key.append(UInt8(truncatingIfNeeded: bits >> shift))
      }
      return
    }
    key.append(text)
    for byte in segment.utf8 {
      key.append(byte)
      if byte == 0 { key.append(0xFF) }
    }
    key.append(0)
    key.append(1)
  }

  /// Decodes the segment of a key at `offset` and returns its end; nil if there is none.
  static func segment(of key: UnsafeRawBufferPointer, at offset: Int) -> (id: String, end: Int)? {
    guard offset < key.count else { return nil }
    if key[offset] == numeric {
      guard offset + 9 <= key.count else { return nil }
      var bits: UInt64 = 0
      for index in offset + 1..<offset + 9 { bits = bits << 8 | UInt64(key[index]) }
      return ("__id\(Int64(bitPattern: bits ^ (1 << 63)))__", offset + 9)
    }
    var bytes: [UInt8] = []
    var index = offset + 1
    while index + 1 < key.count {
      if key[index] == 0 {
        if key[index + 1] == 1 { return (String(decoding: bytes, as: UTF8.self), index + 2) }
        index += 1
        bytes.append(0)
      } else {
        bytes.append(key[index])
      }
      index += 1
    }
    return nil
  }

  /// The number of document IDs in the path of a document, or in those of a collection's documents.
  static func depth(of path: String) -> Int { path.utf8.count { $0 == UInt8(ascii: "/") } / 2 + 1 }

  /// The lowest key above a key and all its descendants.
  static func end(_ key: [UInt8]) -> [UInt8] { key + [above] }

  /// The lowest key above a key, not after its first descendant.
  static func successor(_ key: [UInt8]) -> [UInt8] { key + [0] }
}

/// A half-open range of keys.
struct KeyRange: Equatable, Sendable {
  /// The inclusive lower bound.
  var lower: [UInt8]
  /// The exclusive upper bound.
  var upper: [UInt8]

  /// The range of all descendants of a key, without the key itself.
  init(below key: [UInt8]) {
    lower = NameKey.successor(key)
    upper = NameKey.end(key)
  }

  /// The range of a key, without its descendants.
  init(only key: [UInt8]) {
    lower = key
    upper = NameKey.successor(key)
  }

  var isEmpty: Bool { ValueOrder.compare(lower, upper) >= 0 }

  mutating func raiseLowerBound(to key: [UInt8]) {
    if ValueOrder.compare(key, lower) > 0 { lower = key }
  }

  mutating func lowerUpperBound(to key: [UInt8]) {
    if ValueOrder.compare(key, upper) < 0 { upper = key }
  }
}
