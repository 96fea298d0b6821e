/// Appends JSON to a byte buffer.
///
/// It writes commas and escapes strings; the caller is responsible for the structure.
@usableFromInline
package struct JSONWriter: Sendable {
  /// The JSON written so far.
  package var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  /// Creates an empty writer with reserved capacity.
  package init(capacity: Int) {
    bytes.reserveCapacity(capacity)
  }

  /// Removes the contents, keeping the capacity.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// Starts a new top-level value without a comma.
  package mutating func beginLine() {
    needsComma = false
  }

  /// Writes an object.
  package mutating func object(_ members: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
    members(&self)
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  /// Writes an array.
  package mutating func array(_ elements: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "["))
    needsComma = false
    elements(&self)
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  /// Writes the name of a member; its value must follow.
  package mutating func key(_ name: String) {
    append("\"", name, "\":")
    needsComma = false
  }

  /// Writes the name of a member without escaping; its value must follow.
  package mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    append(name)
    append("\":")
    needsComma = false
  }

  package mutating func string(_ text: String) {
    append("\"", text, "\"")
    needsComma = true
  }

  /// Writes a string of UTF-8 bytes.
  package mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
    append("\"", utf8, "\"")
    needsComma = true
  }

  /// Writes a string enclosed in the given JSON, which includes the quotes: `{"name":"`, `"}`.
  @inline(__always)
  mutating func string(
    _ utf8: UnsafeBufferPointer<UInt8>,
    within opening: StaticString,
    _ closing: StaticString
  ) {
    append(opening, utf8, closing)
    needsComma = true
  }

  /// Writes a member whose string continues the given opening: `"name":"projects/…/documents/`.
  mutating func string(after opening: [UInt8], _ utf8: UnsafeBufferPointer<UInt8>) {
    separate()
    bytes.append(contentsOf: opening)
    needsComma = false
    append("", utf8, "\"")
    needsComma = true
  }

  /// Writes the name of a member; its value must follow.
  @inline(__always)
  mutating func key(_ utf8: UnsafeBufferPointer<UInt8>) {
    append("\"", utf8, "\":")
    needsComma = false
  }

  /// Writes the digits of a number enclosed in the given JSON.
  mutating func decimal(_ number: Int64, within opening: StaticString, _ closing: StaticString) {
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { digits in
      var start = digits.count
      var magnitude = number.magnitude
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
        magnitude /= 10
      } while magnitude != 0
      if number < 0 {
        start -= 1
        digits[start] = UInt8(ascii: "-")
      }
      let digits = UnsafeBufferPointer(rebasing: digits.bindMemory(to: UInt8.self)[start...])
      append(opening, plain: digits, closing)
    }
    needsComma = true
  }

  package mutating func integer(_ number: some BinaryInteger) {
    raw(String(number))
  }

  package mutating func boolean(_ flag: Bool) {
    literal(flag ? "true" : "false")
  }

  package mutating func null() {
    literal("null")
  }

  /// Writes a finite number, or the string that protobuf's JSON mapping uses for others.
  package mutating func double(_ number: Double) {
    if number.isNaN {
      raw("\"NaN\"")
    } else if number.isInfinite {
      raw(number < 0 ? "\"-Infinity\"" : "\"Infinity\"")
    } else {
      raw(number.description)
    }
  }

  /// Writes text that is already JSON.
  package mutating func raw(_ json: String) {
    separate()
    bytes.append(contentsOf: json.utf8)
    needsComma = true
  }

  /// Writes bytes that are already JSON.
  package mutating func raw(_ json: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
    needsComma = true
  }

  /// The index at which the next member begins, after a comma if one is needed.
  var nextMember: Int { bytes.count + (needsComma ? 1 : 0) }

  /// Copies members that were already written.
  mutating func repeatMembers(_ range: Range<Int>) {
    separate()
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: range.count))
    bytes.withUnsafeMutableBytes { bytes in
      let target = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
    needsComma = true
  }

  /// Writes a quoted string whose content, appended by `body`, needs no escaping.
  mutating func quoted(_ body: (inout [UInt8]) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    body(&bytes)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Writes the beginning of an object or array that ``close(_:)`` ends: `{"name":`, `[`.
  package mutating func open(_ opening: StaticString) {
    separate()
    append(opening)
    needsComma = false
  }

  /// Closes what ``open(_:)`` opened.
  package mutating func close(_ closing: StaticString) {
    append(closing)
    needsComma = true
  }

  /// Writes text that is already JSON.
  mutating func literal(_ json: StaticString) {
    separate()
    append(json)
    needsComma = true
  }

  private mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  /// Appends a string enclosed in the given JSON, after a comma if one is needed.
  @inline(__always)
  private mutating func append(_ opening: StaticString, _ text: String, _ closing: StaticString) {
    // Nearly every string has contiguous UTF-8.
    if text.utf8.withContiguousStorageIfAvailable({ append(opening, $0, closing) }) == nil {
      var text = text
      text.withUTF8 { append(opening, $0, closing) }
    }
  }

  @inline(__always)
  private mutating func append(
    _ opening: StaticString,
    _ utf8: UnsafeBufferPointer<UInt8>,
    _ closing: StaticString
  ) {
    let plain = utf8.plainPrefix(from: 0)
    guard plain == utf8.count else {
      separate()
      append(opening)
      appendEscaped(utf8, plain)
      append(closing)
      return
    }
    append(opening, plain: utf8, closing)
  }

  /// Appends text that needs no escaping, enclosed in the given JSON, after a comma if one is needed.
  @inline(__always)
  private mutating func append(
    _ opening: StaticString,
    plain utf8: UnsafeBufferPointer<UInt8>,
    _ closing: StaticString
  ) {
    // One append, because checking the capacity costs more than copying most strings.
    let capacity = 1 &+ opening.utf8CodeUnitCount &+ utf8.count &+ closing.utf8CodeUnitCount
    bytes.append(addingCapacity: capacity) { bytes in
      if needsComma { bytes.append(UInt8(ascii: ",")) }
      bytes.append(opening.utf8)
      bytes.append(utf8)
      bytes.append(closing.utf8)
    }
  }

  /// Appends a string whose prefix up to `plain` needs no escaping.
  private mutating func appendEscaped(_ utf8: UnsafeBufferPointer<UInt8>, _ plain: Int) {
    var start = 0
    var index = plain
    while index < utf8.count {
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
      appendEscape(of: utf8[index])
      start = index + 1
      index = utf8.plainPrefix(from: start)
    }
    bytes.append(contentsOf: start == 0 ? utf8 : UnsafeBufferPointer(rebasing: utf8[start...]))
  }

  private mutating func appendEscape(of byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      let digits = Array("0123456789abcdef".utf8)
      bytes.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 15)])
    }
  }
}

extension StaticString {
  fileprivate var utf8: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}

extension OutputSpan<UInt8> {
  /// Appends bytes; the capacity must suffice.
  @inlinable
  @inline(__always)
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    withUnsafeMutableBufferPointer { buffer, count in
      precondition(bytes.count <= buffer.count - count, "the capacity is too small")
      if let from = bytes.baseAddress, let to = buffer.baseAddress {
        UnsafeMutableRawPointer(to + count).copyMemory(from: from, byteCount: bytes.count)
      }
      count += bytes.count
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The first index from `start` whose byte must be escaped; `count` if there is none.
  fileprivate func plainPrefix(from start: Int) -> Int {
    guard let base = baseAddress else { return count }
    let bytes = UnsafeRawPointer(base)
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = start
    // Eight bytes at a time: the high bit of a lane is set if its byte is below 0x20, `"` or `\`.
    while index + 8 <= count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      let control = (word &- (ones &* 0x20)) & ~word
      let marks = (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & (ones &* 0x80)
      // A borrow only marks lanes above a correct one, so the lowest marked lane is correct.
      if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < count {
      let byte = self[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
      index += 1
    }
    return count
  }
}
