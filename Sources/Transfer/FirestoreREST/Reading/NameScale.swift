/// Maps document IDs to numbers, learned from IDs that were read, so that distances can be estimated.
///
/// Generated IDs use few characters at each index, so counting through these comes close to their distribution: the digits
/// of a number, the 62 letters and digits of the service's own IDs, the hexadecimal digits of a UUID around its hyphens. It
/// only estimates where to split a collection; the result of a read never depends on it.
struct NameScale: Sendable, Equatable {
  /// The characters at one index of the IDs.
  private struct Position: Sendable, Equatable {
    /// A bit set of the ASCII bytes.
    var low: UInt64 = 0
    var high: UInt64 = 0
    /// Whether an ID ends before this index.
    var canEnd = false

    var radix: Int { low.nonzeroBitCount + high.nonzeroBitCount + (canEnd ? 1 : 0) }

    mutating func insert(_ byte: UInt8) {
      if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
    }

    func contains(_ byte: UInt8) -> Bool {
      byte < 64 ? low & 1 << UInt64(byte) != 0 : byte < 128 && high & 1 << UInt64(byte - 64) != 0
    }

    /// Returns how many characters come before a byte, which does not have to be one of them.
    func rank(_ byte: UInt8) -> Int {
      let before =
        byte < 64
        ? (low & (1 << UInt64(byte) - 1)).nonzeroBitCount
        : low.nonzeroBitCount + (byte < 128 ? high & (1 << UInt64(byte - 64) - 1) : high).nonzeroBitCount
      return before + (canEnd ? 1 : 0)
    }

    /// Returns the byte of a rank; nil for the end of the ID.
    func byte(at rank: Int) -> UInt8? {
      var rank = canEnd ? rank - 1 : rank
      if rank < 0 { return nil }
      for byte in UInt8(0)..<128 where contains(byte) {
        if rank == 0 { return byte }
        rank -= 1
      }
      return nil
    }

    /// The number of character classes that occur: digits, upper-case and lower-case letters.
    var classes: Int {
      (low & NameScale.digits != 0 ? 1 : 0) + NameScale.letters.count { high & $0 != 0 }
    }

    /// Whether only letters and digits occur.
    var isAlphanumeric: Bool {
      low & ~NameScale.digits == 0 && NameScale.letters.reduce(high) { $0 & ~$1 } == 0
    }

    /// Extends digits to all ten, and letters to the range that occurred.
    ///
    /// At an index with several classes, and before such an index, it adds all of `letters`: in random IDs, every character
    /// occurs at the first index eventually.
    mutating func fill(_ letters: UInt64, isBeforeMixed: Bool) {
      let takesAll = classes > 1 || (isBeforeMixed && radix > 1 && isAlphanumeric)
      if low & NameScale.digits != 0 { low |= NameScale.digits }
      for mask in NameScale.letters {
        if high & mask != 0 { high |= NameScale.between(high & mask) }
        if takesAll, high & mask != 0 || isBeforeMixed { high |= NameScale.between(letters & mask) }
      }
    }
  }

  /// The characters that occurred.
  private var seen: [Position] = []
  /// The characters that are assumed to occur.
  private var positions: [Position] = []

  /// 0 to 9, in the low half of ASCII.
  private static let digits: UInt64 = 0x3FF << 48
  /// A to Z and a to z, in the high half.
  private static let letters: [UInt64] = [0x3FF_FFFF << 1, 0x3FF_FFFF << 33]

  /// Returns all bits from the lowest to the highest set one.
  private static func between(_ bits: UInt64) -> UInt64 {
    bits == 0 ? 0 : (~0 >> UInt64(bits.leadingZeroBitCount)) & (~0 << UInt64(bits.trailingZeroBitCount))
  }

  /// The number of characters considered.
  private static let longest = 64
  /// The approximate maximum number, which a `Double` represents exactly.
  private static let largest = 1 << 52

  init() {}

  /// Learns from IDs.
  mutating func learn(_ ids: some Sequence<String>) {
    for id in ids {
      let length = min(id.utf8.count, Self.longest)
      while seen.count <= length { seen.append(Position()) }
      for (index, byte) in id.utf8.prefix(Self.longest).enumerated() { seen[index].insert(byte) }
      if length < Self.longest { seen[length].canEnd = true }
    }
    // The letters at indices with several classes.
    let letters = seen.reduce(UInt64(0)) { $1.classes > 1 ? $0 | $1.high : $0 }
    let lastMixed = seen.lastIndex { $0.classes > 1 } ?? 0
    positions = seen
    for index in positions.indices { positions[index].fill(letters, isBeforeMixed: index < lastMixed) }
  }

  /// The significant positions, with the number of IDs per character.
  private var weights: [(position: Position, weight: Int)] {
    var used: [Position] = []
    var size = 1
    for position in positions {
      let radix = max(1, position.radix)
      if size > Self.largest / radix { break }
      size *= radix
      used.append(position)
    }
    return used.map { position in
      size /= max(1, position.radix)
      return (position, size)
    }
  }

  /// Returns the number of an ID; numbers are in the order of bytes, but neighbors may share one.
  func number(of id: String) -> Int {
    var number = 0
    var bytes = id.utf8.makeIterator()
    for (position, weight) in weights {
      guard let byte = bytes.next() else { return number }
      let rank = position.rank(byte)
      if !position.contains(byte) {
        // It comes after everything with the previous byte and before everything with the next one.
        return number + rank * weight - (rank > 0 ? 1 : 0)
      }
      number += rank * weight
    }
    return number
  }

  /// Returns the smallest ID with a number; nil above the largest number.
  func id(of number: Int) -> String? {
    var rest = number
    var bytes: [UInt8] = []
    for (position, weight) in weights {
      let rank = rest / weight
      if rank >= max(1, position.radix) { return nil }
      rest %= weight
      guard let byte = position.byte(at: rank) else { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
