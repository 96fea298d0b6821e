import Platform

/// The special bytes of CSV, for writing and reading.
enum CSVBytes {
  /// Returns the index of the first delimiter, quote or line break from `start`; `end` if there is none.
  ///
  /// It compares eight bytes at a time.
  static func firstSpecial(
    _ bytes: UnsafeRawBufferPointer,
    from start: Int,
    to end: Int,
    delimiter: UInt8
  ) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let specials = (
      ones &* UInt64(delimiter), ones &* UInt64(UInt8(ascii: "\"")), ones &* 0x0D, ones &* 0x0A
    )
    /// Sets the high bit of each zero byte, and of no byte below the first one.
    func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
    var index = start
    while index + 8 <= end {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let found =
        (zeros(word ^ specials.0) | zeros(word ^ specials.1) | zeros(word ^ specials.2)
          | zeros(word ^ specials.3)) & (ones &* 0x80)
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < end {
      let byte = bytes[index]
      if byte == delimiter || byte == UInt8(ascii: "\"") || byte == 0x0D || byte == 0x0A { return index }
      index += 1
    }
    return end
  }

  /// Whether a non-empty text certainly needs no quotes: it has no delimiter, quote or control character, and no space at
  /// either end.
  @inline(__always)
  static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>, delimiter: UInt8) -> Bool {
    let count = bytes.count
    let space = UInt8(ascii: " ")
    if bytes[0] == space || bytes[count - 1] == space { return false }
    guard count >= 8, let base = bytes.baseAddress.map({ UnsafeRawPointer($0) }) else {
      for byte in bytes where byte < space || byte == delimiter || byte == UInt8(ascii: "\"") { return false }
      return true
    }
    let ones: UInt64 = 0x0101_0101_0101_0101
    let delimiters = ones &* UInt64(delimiter)
    let quotes = ones &* UInt64(UInt8(ascii: "\""))
    // Sets the high bit of at least one byte if there is such a byte.
    func marks(_ at: Int) -> UInt64 {
      let word = base.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      let (delimiter, quote) = (word ^ delimiters, word ^ quotes)
      return (word &- ones &* 0x20) & ~word | (delimiter &- ones) & ~delimiter | (quote &- ones) & ~quote
    }
    // The last eight bytes may overlap others.
    var found = marks(count - 8)
    var at = 0
    while at + 8 < count {
      found |= marks(at)
      at += 8
    }
    return found & (ones &* 0x80) == 0
  }

  /// Returns the index of the first line feed or carriage return; `end` if there is none.
  static func lineEnd(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
    let feed = first(0x0A, bytes, from: start, to: end)
    return first(0x0D, bytes, from: start, to: feed)
  }

  /// Returns the index of the first byte of a value; `end` if there is none.
  static func first(
    _ byte: UInt8,
    _ bytes: UnsafeRawBufferPointer,
    from start: Int,
    to end: Int
  ) -> Int {
    guard let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), end - start) else {
      return end
    }
    return UnsafeRawPointer(found) - base
  }
}
