/// A JSON value that keeps what Foundation's does not: the order of members, the bytes of names, the digits of
/// numbers.
enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  /// A number as it is written.
  case number(ByteString)
  case string(ByteString)
  case array([JSON])
  case object([Member])

  struct Member: Sendable, Hashable {
    var name: ByteString
    var value: JSON

    init(_ name: ByteString, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  static func text(_ text: some StringProtocol) -> JSON { .string(ByteString(text)) }
  static func integer(_ number: some BinaryInteger) -> JSON { .number(ByteString("\(number)")) }

  /// The member of an object, nil if this is none or has no such member.
  subscript(name: ByteString) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }
}

/// Writes JSON text.
struct JSONWriter {
  var isPretty = false
  /// Escapes characters that need no escape, as servers that fear HTML do.
  var escapesMore = false
  private(set) var bytes: [UInt8] = []

  init(isPretty: Bool = false, escapesMore: Bool = false) {
    self.isPretty = isPretty
    self.escapesMore = escapesMore
  }

  static func compact(_ value: JSON) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(value)
    return writer.bytes
  }

  mutating func write(_ value: JSON, depth: Int = 0) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += flag ? Array("true".utf8) : Array("false".utf8)
    case .number(let digits): bytes += digits.bytes
    case .string(let text): write(text)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        separate(index, depth)
        write(value, depth: depth + 1)
      }
      end(values.isEmpty, depth)
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        separate(index, depth)
        write(member.name)
        bytes += isPretty ? Array(": ".utf8) : Array(":".utf8)
        write(member.value, depth: depth + 1)
      }
      end(members.isEmpty, depth)
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private mutating func separate(_ index: Int, _ depth: Int) {
    if index > 0 { bytes.append(UInt8(ascii: ",")) }
    if isPretty { newline(depth + 1) }
  }

  private mutating func end(_ isEmpty: Bool, _ depth: Int) {
    if isPretty, !isEmpty { newline(depth) }
  }

  private mutating func newline(_ depth: Int) {
    bytes.append(0x0A)
    bytes += repeatElement(0x20, count: depth * 2)
  }

  private mutating func write(_ text: ByteString) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += "\\n".utf8
      case ..<0x20: escape(byte)
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "="):
        if escapesMore { escape(byte) } else { bytes.append(byte) }
      case UInt8(ascii: "/") where escapesMore: bytes += "\\/".utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    let digits = String(byte, radix: 16)
    bytes += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
  }
}
