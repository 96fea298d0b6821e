import Foundation

/// Reads JSON text.
///
/// Foundation judges whether it is JSON; this reader then only takes it apart, keeping the bytes.
struct JSONReader {
  struct Malformed: Error {}

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  static func read(_ text: [UInt8]) throws -> JSON {
    guard (try? JSONSerialization.jsonObject(with: Data(text), options: [.fragmentsAllowed])) != nil else {
      throw Malformed()
    }
    return try text.withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      let value = try reader.value()
      reader.skipSpace()
      guard reader.position == bytes.count else { throw Malformed() }
      return value
    }
  }

  private mutating func skipSpace() {
    while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
  }

  private mutating func peek() throws -> UInt8 {
    skipSpace()
    guard position < bytes.count else { throw Malformed() }
    return bytes[position]
  }

  private mutating func take(_ byte: UInt8) throws -> Bool {
    guard try peek() == byte else { return false }
    position += 1
    return true
  }

  private mutating func value() throws -> JSON {
    switch try peek() {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    default:
      let word = word()
      switch word.first {
      case UInt8(ascii: "t"): return .bool(true)
      case UInt8(ascii: "f"): return .bool(false)
      case UInt8(ascii: "n"): return .null
      case nil: throw Malformed()
      default: return .number(word.isEmpty ? "0" : ByteString(bytes: word))
      }
    }
  }

  private mutating func word() -> UnsafeBufferPointer<UInt8>.SubSequence {
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case ...0x20, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return bytes[start..<position]
      default: position += 1
      }
    }
    return bytes[start..<position]
  }

  private mutating func object() throws -> JSON {
    position += 1
    var members: [JSON.Member] = []
    if try take(UInt8(ascii: "}")) { return .object([]) }
    repeat {
      guard try peek() == UInt8(ascii: "\"") else { throw Malformed() }
      let name = try string()
      guard try take(UInt8(ascii: ":")) else { throw Malformed() }
      members.append(JSON.Member(name, try value()))
    } while try take(UInt8(ascii: ","))
    guard try take(UInt8(ascii: "}")) else { throw Malformed() }
    // A name given twice has no meaning that everybody agrees on.
    guard members.count < 2 || Set(members.map(\.name)).count == members.count else { throw Malformed() }
    return .object(members)
  }

  private mutating func array() throws -> JSON {
    position += 1
    var values: [JSON] = []
    if try take(UInt8(ascii: "]")) { return .array([]) }
    repeat {
      values.append(try value())
    } while try take(UInt8(ascii: ","))
    guard try take(UInt8(ascii: "]")) else { throw Malformed() }
    return .array(values)
  }

  private mutating func string() throws -> ByteString {
    position += 1
    var text: [UInt8] = []
    while position < bytes.count {
      let start = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "\""),
        bytes[position] != UInt8(ascii: "\\")
      {
        position += 1
      }
      text += bytes[start..<position]
      guard position < bytes.count else { break }
      position += 1
      if bytes[position - 1] == UInt8(ascii: "\"") { return ByteString(bytes: text) }
      try escape(into: &text)
    }
    throw Malformed()
  }

  private mutating func escape(into text: inout [UInt8]) throws {
    guard position < bytes.count else { throw Malformed() }
    let letter = bytes[position]
    position += 1
    switch letter {
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "u"):
      var unit = try unit()
      if unit & 0xFC00 == 0xD800 {
        guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
          bytes[position + 1] == UInt8(ascii: "u")
        else { throw Malformed() }
        position += 2
        let low = try self.unit()
        guard low & 0xFC00 == 0xDC00 else { throw Malformed() }
        unit = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
      }
      guard let scalar = Unicode.Scalar(unit) else { throw Malformed() }
      text += Array(String(Character(scalar)).utf8)
    default: text.append(letter)
    }
  }

  private mutating func unit() throws -> UInt32 {
    guard position + 4 <= bytes.count,
      let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
    else { throw Malformed() }
    position += 4
    return unit
  }
}
