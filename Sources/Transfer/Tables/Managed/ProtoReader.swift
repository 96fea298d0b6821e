import FirestoreModels

/// Reads a message of Protocol Buffers field by field, including the groups of proto2.
///
/// The contents of a group follow its field in the same reader, until ``next(in:)`` returns nil for the group. It borrows
/// the bytes.
///
///     var reader = ProtoReader(bytes)
///     while let field = try reader.next() { print(field.number) }
struct ProtoReader {
  struct Field {
    var number: Int
    var content: Content
  }

  enum Content {
    case number(UInt64)
    /// Eight bytes as a number; doubles are encoded so.
    case fixed(UInt64)
    case bytes(UnsafeRawBufferPointer)
    /// Its fields follow.
    case group
  }

  private let bytes: UnsafeRawBufferPointer
  private var index = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Returns the next field; nil at the end of the message, or of the group with the given number.
  ///
  /// - Throws: ``WireError`` if the bytes are not a message.
  @inline(__always)
  mutating func next(in group: Int? = nil) throws(WireError) -> Field? {
    if index == bytes.count {
      if group != nil { throw Self.cutOff }
      return nil
    }
    let tag = try varint()
    guard let number = Int(exactly: tag >> 3), number > 0, number < 1 << 29 else {
      throw WireError("a field has no number")
    }
    switch tag & 7 {
    case 0: return Field(number: number, content: .number(try varint()))
    case 1:
      let bytes = try take(8)
      return Field(
        number: number,
        content: .fixed(UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))
      )
    case 2:
      guard let count = Int(exactly: try varint()) else { throw Self.cutOff }
      return Field(number: number, content: .bytes(try take(count)))
    case 3: return Field(number: number, content: .group)
    case 4 where number == group: return nil
    default: throw WireError("field \(number) has an encoding that is out of place")
    }
  }

  @inline(__always)
  private mutating func take(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
    guard count <= bytes.count - index else { throw Self.cutOff }
    defer { index += count }
    return UnsafeRawBufferPointer(start: bytes.baseAddress.map { $0 + index }, count: count)
  }

  @inline(__always)
  private mutating func varint() throws(WireError) -> UInt64 {
    // Most numbers take one byte.
    if index < bytes.count, bytes[index] < 0x80 {
      index += 1
      return UInt64(bytes[index - 1])
    }
    return try longVarint()
  }

  @inline(never)
  private mutating func longVarint() throws(WireError) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard index < bytes.count else { throw Self.cutOff }
      let byte = bytes[index]
      index += 1
      if shift == 63, byte > 1 { break }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw WireError("a number has more than 64 bits")
  }

  private static let cutOff = WireError("a message is cut off")
}

extension UnsafeRawBufferPointer {
  /// Returns the bytes as text.
  ///
  /// - Throws: ``WireError`` if they are not UTF-8.
  func text() throws(WireError) -> String {
    guard let start = baseAddress else { return "" }
    // Three times as fast as `String(validating:as:)`; invalid UTF-8 is repaired, and so becomes different bytes.
    let bytes = UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasBytes(bytes) else { throw .notUTF8 }
    return text
  }
}

extension String {
  /// Whether its UTF-8 is the given bytes.
  func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard utf8.count == bytes.count, let start = bytes.baseAddress else { return utf8.count == bytes.count }
    return utf8.withContiguousStorageIfAvailable { $0.hasSameBytes(as: start) } ?? false
  }
}

extension WireError {
  static let notUTF8 = WireError("a text is not UTF-8")
}
