#if canImport(Platform)
  import Platform
#else
  import Darwin
#endif

extension String {
  /// Whether two strings have the same UTF-8 bytes.
  ///
  /// Swift's `==` uses canonical equivalence, which merges ids that are distinct in Firestore ("é" composed
  /// and decomposed are two documents). Never use it on data.
  package func isIdentical(to other: String) -> Bool {
    hasSameStorage(as: other) || (utf8.count == other.utf8.count && compareUTF8(other) == 0)
  }

  /// Whether two strings share their storage and therefore their bytes; false is inconclusive.
  @inline(__always)
  private func hasSameStorage(as other: String) -> Bool {
    // A string is two words: count, flags and storage, or up to 15 bytes inline.
    guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return false }
    return unsafeBitCast(self, to: (UInt64, UInt64).self) == unsafeBitCast(other, to: (UInt64, UInt64).self)
  }

  /// Compares two strings by their UTF-8 bytes: negative, zero or positive.
  ///
  /// This is Firestore's order of strings and ids. It differs from UTF-16 order and from Swift's `<`.
  package func compareUTF8(_ other: String) -> Int {
    if hasSameStorage(as: other) { return 0 }
    // Nearly every string has contiguous UTF-8, which can be compared without a copy.
    let order = utf8.withContiguousStorageIfAvailable { a in
      other.utf8.withContiguousStorageIfAvailable { b in a.compare(b) }
    }
    if case let order?? = order { return order }
    var first = self
    var second = other
    return first.withUTF8 { a in second.withUTF8 { b in a.compare(b) } }
  }

  /// Compares with UTF-8 bytes, as ``compareUTF8(_:)``.
  package func compareUTF8(_ other: UnsafeBufferPointer<UInt8>) -> Int {
    withBytes { $0.compare(other) }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The first eight bytes as a number, padded with zeros: a string with a smaller head sorts first.
  ///
  /// Most field names that differ have different heads. Equal heads say nothing.
  @inlinable
  @inline(__always)
  package var head: UInt64 {
    if count >= 8, let base = baseAddress {
      return UInt64(bigEndian: UnsafeRawPointer(base).loadUnaligned(as: UInt64.self))
    }
    var word: UInt64 = 0
    for byte in self { word = word << 8 | UInt64(byte) }
    return isEmpty ? 0 : word << UInt64(64 - 8 * count)
  }

  @inline(__always)
  func isIdentical(to other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count, let base = other.baseAddress else { return count == other.count }
    return hasSameBytes(as: base)
  }

  /// Whether `other` begins with the same bytes.
  ///
  /// Names are short: two overlapping words compare them without a call.
  @inlinable
  @inline(__always)
  package func hasSameBytes(as other: UnsafeRawPointer) -> Bool {
    guard let base = baseAddress else { return true }
    let bytes = UnsafeRawPointer(base)
    func same<Word: FixedWidthInteger & BitwiseCopyable>(_ at: Int, _: Word.Type) -> Bool {
      bytes.loadUnaligned(fromByteOffset: at, as: Word.self)
        == other.loadUnaligned(fromByteOffset: at, as: Word.self)
    }
    switch count {
    case 0: return true
    case 1...3: return same(0, UInt8.self) && same(count / 2, UInt8.self) && same(count - 1, UInt8.self)
    case 4...7: return same(0, UInt32.self) && same(count - 4, UInt32.self)
    case 8...16: return same(0, UInt64.self) && same(count - 8, UInt64.self)
    default: return hasSameLongBytes(as: other)
    }
  }

  @usableFromInline
  func hasSameLongBytes(as other: UnsafeRawPointer) -> Bool {
    baseAddress.map { memcmp($0, other, count) == 0 } ?? true
  }

  /// The index of the first such byte from `start` on; nil if there is none.
  ///
  /// The C library compares 32 bytes at a time.
  @inline(__always)
  package func position(of byte: UInt8, from start: Int = 0) -> Int? {
    guard let base = baseAddress, start < count,
      let found = memchr(base + start, Int32(byte), count - start)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// How many bytes both begin with alike.
  func commonPrefix(with other: UnsafeBufferPointer<UInt8>) -> Int {
    guard let left = baseAddress, let right = other.baseAddress else { return 0 }
    let end = Swift.min(count, other.count)
    func word(_ bytes: UnsafePointer<UInt8>, _ index: Int) -> UInt64 {
      UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }
    var index = 0
    while index + 8 <= end, word(left, index) == word(right, index) { index += 8 }
    while index < end, left[index] == right[index] { index += 1 }
    return index
  }

  /// Whether these bytes sort before others in the order of ``Swift/String/compareUTF8(_:)``.
  @inline(__always)
  package func precedes(_ other: UnsafeBufferPointer<UInt8>) -> Bool { compare(other) < 0 }

  /// The order of ``Swift/String/compareUTF8(_:)``.
  @inline(__always)
  func compare(_ other: UnsafeBufferPointer<UInt8>) -> Int {
    guard let left = baseAddress, let right = other.baseAddress else { return count - other.count }
    if count >= 8, other.count >= 8 {
      let a = UInt64(bigEndian: UnsafeRawPointer(left).loadUnaligned(as: UInt64.self))
      let b = UInt64(bigEndian: UnsafeRawPointer(right).loadUnaligned(as: UInt64.self))
      if a != b { return a < b ? -1 : 1 }
    } else if let a = first, let b = other.first, a != b {
      return Int(a) - Int(b)
    }
    let order = memcmp(left, right, Swift.min(count, other.count))
    return order == 0 ? count - other.count : Int(order)
  }
}

/// A string that is equal, hashed and ordered by its UTF-8 bytes: a key for dictionaries, sets and sorting.
public struct UTF8Key: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The text.
  public let string: String

  /// Creates a key from a text.
  public init(_ string: String) { self.string = string }

  /// The text itself.
  public var description: String { string }

  /// Whether both have the same UTF-8 bytes.
  public static func == (a: UTF8Key, b: UTF8Key) -> Bool { a.string.isIdentical(to: b.string) }

  /// Orders by UTF-8 bytes.
  public static func < (a: UTF8Key, b: UTF8Key) -> Bool { a.string.compareUTF8(b.string) < 0 }

  /// Hashes the UTF-8 bytes.
  public func hash(into hasher: inout Hasher) {
    string.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }
}
