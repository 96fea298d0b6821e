/// Where ids stand among each other, as numbers, learned from ids that were read: what follows "u0300" by as much as
/// that follows "u0000".
///
/// Ids made by a program differ in few ways at each place of the text, so that counting through what stands there comes close
/// to how they are spread: the digits of a number, the 62 letters and digits of the service's own ids, the hexadecimal digits of a
/// UUID around its hyphens. It is a guess for where to cut a collection; what is read never depends on it.
struct NameScale: Sendable, Equatable {
  /// What stands at one place of the text.
  private struct Position: Sendable, Equatable {
    /// The bytes, a bit each; only of ASCII.
    var low: UInt64 = 0
    var high: UInt64 = 0
    /// Whether some id ends before it.
    var canEnd = false

    var radix: Int { low.nonzeroBitCount + high.nonzeroBitCount + (canEnd ? 1 : 0) }

    mutating func insert(_ byte: UInt8) {
      if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
    }

    func contains(_ byte: UInt8) -> Bool {
      byte < 64 ? low & 1 << UInt64(byte) != 0 : byte < 128 && high & 1 << UInt64(byte - 64) != 0
    }

    /// Where a byte stands among those that are there, also one that is not: how many are before it.
    func rank(_ byte: UInt8) -> Int {
      let before =
        byte < 64
        ? (low & (1 << UInt64(byte) - 1)).nonzeroBitCount
        : low.nonzeroBitCount + (byte < 128 ? high & (1 << UInt64(byte - 64) - 1) : high).nonzeroBitCount
      return before + (canEnd ? 1 : 0)
    }

    /// The byte of a rank, nil for the end of the text.
    func byte(at rank: Int) -> UInt8? {
      var rank = canEnd ? rank - 1 : rank
      if rank < 0 { return nil }
      for byte in UInt8(0)..<128 where contains(byte) {
        if rank == 0 { return byte }
        rank -= 1
      }
      return nil
    }

    /// How many of digits, capitals and small letters stand there.
    var classes: Int {
      (low & NameScale.digits != 0 ? 1 : 0) + NameScale.letters.count { high & $0 != 0 }
    }

    /// Whether nothing but letters and digits stands there.
    var isAlphanumeric: Bool {
      low & ~NameScale.digits == 0 && NameScale.letters.reduce(high) { $0 & ~$1 } == 0
    }

    /// Takes all digits for some, and the letters between those that were seen; where they are mixed, or come before positions
    /// in which they are, all of `letters`, because a text in which anything may stand anywhere begins with each in its turn.
    mutating func fill(_ letters: UInt64, isBeforeMixed: Bool) {
      let takesAll = classes > 1 || (isBeforeMixed && radix > 1 && isAlphanumeric)
      if low & NameScale.digits != 0 { low |= NameScale.digits }
      for mask in NameScale.letters {
        if high & mask != 0 { high |= NameScale.between(high & mask) }
        if takesAll, high & mask != 0 || isBeforeMixed { high |= NameScale.between(letters & mask) }
      }
    }
  }

  /// What was seen.
  private var seen: [Position] = []
  /// What is taken for it.
  private var positions: [Position] = []

  /// 0 to 9, in the low half of ASCII.
  private static let digits: UInt64 = 0x3FF << 48
  /// A to Z and a to z, in its high half.
  private static let letters: [UInt64] = [0x3FF_FFFF << 1, 0x3FF_FFFF << 33]

  /// The bits from the lowest to the highest that is set.
  private static func between(_ bits: UInt64) -> UInt64 {
    bits == 0 ? 0 : (~0 >> UInt64(bits.leadingZeroBitCount)) & (~0 << UInt64(bits.trailingZeroBitCount))
  }

  /// Places of a text that are looked at.
  private static let longest = 64
  /// Numbers go up to about this, which a Double holds without loss.
  private static let largest = 1 << 52

  init() {}

  /// Learns from ids.
  mutating func learn(_ ids: some Sequence<String>) {
    for id in ids {
      let length = min(id.utf8.count, Self.longest)
      while seen.count <= length { seen.append(Position()) }
      for (index, byte) in id.utf8.prefix(Self.longest).enumerated() { seen[index].insert(byte) }
      if length < Self.longest { seen[length].canEnd = true }
    }
    // Those of the positions in which they are mixed with others.
    let letters = seen.reduce(UInt64(0)) { $1.classes > 1 ? $0 | $1.high : $0 }
    let lastMixed = seen.lastIndex { $0.classes > 1 } ?? 0
    positions = seen
    for index in positions.indices { positions[index].fill(letters, isBeforeMixed: index < lastMixed) }
  }

  /// The positions that count, with how many ids of the ones before each of them there are.
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

  /// The number of an id; ids in the order of bytes have numbers in the same order, though neighbours may have one.
  func number(of id: String) -> Int {
    var number = 0
    var bytes = id.utf8.makeIterator()
    for (position, weight) in weights {
      guard let byte = bytes.next() else { return number }
      let rank = position.rank(byte)
      if !position.contains(byte) {
        // It comes before all that have the next byte, and after all that have the one before.
        return number + rank * weight - (rank > 0 ? 1 : 0)
      }
      number += rank * weight
    }
    return number
  }

  /// The least text of a number; nil above the largest.
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
