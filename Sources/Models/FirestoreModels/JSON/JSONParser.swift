/// Unexpected or invalid JSON: the reason and the location.
@usableFromInline
package struct WireError: Error, Sendable, Equatable, CustomStringConvertible {
  package var reason: String
  /// The members that lead to the error, outermost first; array elements as `[3]`.
  package var location: [String]

  package init(_ reason: String, at location: [String] = []) {
    self.reason = reason
    self.location = location
  }

  /// The error of an object with a repeated member, which is refused because readers would take one value and drop the others.
  static func repeated(_ name: String) -> WireError { WireError(repetition, at: [name]) }

  /// Whether the error is a repeated member.
  package var isRepetition: Bool { reason.isIdentical(to: Self.repetition) }

  private static let repetition = "it is given twice"

  /// Returns the error with its location nested in a member.
  package func inside(_ name: String) -> WireError { WireError(reason, at: [name] + location) }

  /// Returns a value; an error on the way to it gets its location nested in a member.
  @inline(__always)
  package static func locating<Value>(
    in name: @autoclosure () -> String,
    _ value: @autoclosure () throws(WireError) -> Value
  ) throws(WireError) -> Value {
    do throws(WireError) {
      return try value()
    } catch {
      throw error.inside(name())
    }
  }

  @usableFromInline
  package var description: String {
    location.isEmpty ? reason : "\(location.joined(separator: ".")): \(reason)"
  }
}

/// A reusable JSON parser and its buffers: simdjson, or a Swift parser on platforms without it.
///
/// Not `Sendable`: use a parser in one task at a time.
package final class JSONParser {
  /// Whether to use the Swift parser even where simdjson is available, so that tests hold both to the same results.
  @TaskLocal package static var isPortable = false

  private let parser: any TapeParser
  private let keepsNumbers: Bool

  /// - Parameters:
  ///   - maximumDepth: The maximum nesting; each of Firestore's 20 levels takes 3 or 4 JSON levels.
  ///   - keepsNumbers: Whether to refuse a number that would underflow to 0, and one with a point that a double would round
  ///     although 64 bits hold it as a whole number (`9007199254740993.0`); one that would overflow to infinity is always
  ///     refused.
  package init(maximumBytes: Int = 256 << 20, maximumDepth: Int = 512, keepsNumbers: Bool = false) {
    self.keepsNumbers = keepsNumbers
    #if canImport(CSimdjson)
      if !Self.isPortable {
        parser = SimdjsonParser(maximumBytes: maximumBytes, maximumDepth: maximumDepth)
        return
      }
    #endif
    parser = PortableParser(maximumBytes: maximumBytes, maximumDepth: maximumDepth)
  }

  /// Parses a complete text without repeated members, and passes its root to `body`.
  ///
  /// The cursor is valid only within `body`.
  ///
  /// - Throws: ``WireError`` if the text is not valid JSON or has a repeated member; errors of `body`.
  package func parse<Result>(
    _ json: UnsafeRawBufferPointer,
    _ body: (JSONCursor) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    let root = try parseHolding(json)
    try root.assertUniqueMembers()
    return try body(root)
  }

  /// Parses a complete text and returns its root, valid until the next parse or the end of this parser's lifetime.
  ///
  /// Repeated members are not detected here; ``WireDecoder`` refuses them.
  ///
  /// - Parameter room: The size of the allocation that starts with the text; enough spare room after the text saves a copy.
  /// - Throws: ``WireError`` if the text is not JSON.
  package func parseHolding(_ json: UnsafeRawBufferPointer, room: Int = 0) throws(WireError) -> JSONCursor {
    try parser.parse(json, room: room, keepsNumbers: keepsNumbers)
  }

  /// Parses bytes; see ``parse(_:_:)``.
  package func parse<Result>(
    _ json: [UInt8],
    _ body: (JSONCursor) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    try json.withUnsafeBufferPointer { bytes throws(WireError) in
      try parse(UnsafeRawBufferPointer(bytes), body)
    }
  }
}

extension JSONParser {
  /// Decodes bytes with a temporary parser and decoder, for one-off use.
  package static func decode<Result>(
    _ json: [UInt8],
    _ read: (JSONCursor, inout WireDecoder) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    var decoder = WireDecoder()
    return try JSONParser().parse(json) { root throws(WireError) in try read(root, &decoder) }
  }
}

/// A JSON value on the tape of a parsed text.
///
/// It borrows the parser's buffers, so it must not outlive the closure it is passed to, or the parse that returned it.
@usableFromInline
package struct JSONCursor {
  @usableFromInline let tape: UnsafePointer<UInt64>
  @usableFromInline let strings: UnsafePointer<UInt8>
  @usableFromInline let index: Int

  @inlinable
  init(tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int) {
    self.tape = tape
    self.strings = strings
    self.index = index
  }

  package enum Kind: Sendable {
    case object, array, string, integer, double, boolean, null
  }

  @inlinable @inline(__always) var tag: UInt8 { UInt8(truncatingIfNeeded: tape[index] >> 56) }
  @inlinable @inline(__always) var payload: Int { Int(tape[index] & 0x00FF_FFFF_FFFF_FFFF) }

  /// The number of words on the tape, which the first word points past.
  package var tapeLength: Int { Int(tape[0] & 0x00FF_FFFF_FFFF_FFFF) }

  /// The tape index after this value.
  @inlinable @inline(__always)
  var next: Int {
    switch tag {
    case UInt8(ascii: "{"), UInt8(ascii: "["): Int(tape[index] & 0xFFFF_FFFF)
    case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index + 2
    default: index + 1
    }
  }

  @inlinable @inline(__always)
  func at(_ index: Int) -> JSONCursor { JSONCursor(tape: tape, strings: strings, index: index) }

  package var kind: Kind {
    switch tag {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "l"), UInt8(ascii: "u"): .integer
    case UInt8(ascii: "d"): .double
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
    default: .null
    }
  }

  @inlinable var isObject: Bool { tag == UInt8(ascii: "{") }

  @inlinable var isArray: Bool { tag == UInt8(ascii: "[") }

  /// The bytes of a string; nil for other kinds.
  @inlinable @inline(__always)
  package var utf8: UnsafeBufferPointer<UInt8>? {
    guard tag == UInt8(ascii: "\"") else { return nil }
    let at = strings + payload
    let length = UnsafeRawPointer(at).loadUnaligned(as: UInt32.self)
    return UnsafeBufferPointer(start: at + 4, count: Int(length))
  }

  package var string: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

  package var boolean: Bool? {
    switch tag {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: nil
    }
  }

  /// The integer, if the literal fits 64 bits; nil for other kinds.
  package var integer: Int64? {
    switch tag {
    case UInt8(ascii: "l"): Int64(bitPattern: tape[index + 1])
    case UInt8(ascii: "u"): Int64(exactly: tape[index + 1])
    default: nil
    }
  }

  /// Any number as a double; nil for other kinds.
  package var double: Double? {
    switch tag {
    case UInt8(ascii: "d"): Double(bitPattern: tape[index + 1])
    case UInt8(ascii: "l"): Double(Int64(bitPattern: tape[index + 1]))
    case UInt8(ascii: "u"): Double(tape[index + 1])
    default: nil
    }
  }

  @inlinable package var isNull: Bool { tag == UInt8(ascii: "n") }

  /// The value of a member, the last one if it is repeated; nil if there is none.
  package subscript(name: StaticString) -> JSONCursor? {
    guard tag == UInt8(ascii: "{") else { return nil }
    var result: JSONCursor?
    for (key, value) in members where key == name { result = value }
    return result
  }

  /// The members of an object in order; empty for other kinds.
  @inlinable package var members: Members { Members(object: self) }

  /// The elements of an array in order; empty for other kinds.
  @inlinable package var elements: Elements { Elements(array: self) }

  /// The name of a member, as bytes that are valid as long as the parsed text.
  @usableFromInline
  package struct Name {
    @usableFromInline package let utf8: UnsafeBufferPointer<UInt8>

    @inlinable
    init(utf8: UnsafeBufferPointer<UInt8>) { self.utf8 = utf8 }

    package var string: String { String(decoding: utf8, as: UTF8.self) }

    @inlinable @inline(__always)
    package static func == (name: Name, other: StaticString) -> Bool {
      name.utf8.count == other.utf8CodeUnitCount
        && name.utf8.hasSameBytes(as: UnsafeRawPointer(other.utf8Start))
    }

    static func == (a: Name, b: Name) -> Bool { a.utf8.isIdentical(to: b.utf8) }
  }

  @usableFromInline
  package struct Members: Sequence, IteratorProtocol {
    @usableFromInline var at: JSONCursor
    @usableFromInline let end: Int

    @inlinable
    init(object: JSONCursor) {
      guard object.tag == UInt8(ascii: "{") else {
        at = object
        end = object.index
        return
      }
      at = object.at(object.index + 1)
      end = object.next - 1
    }

    /// Whether all members have been returned.
    @inlinable package var isAtEnd: Bool { at.index >= end }

    @inlinable @inline(__always)
    package mutating func next() -> (name: Name, value: JSONCursor)? {
      guard at.index < end, let utf8 = at.utf8 else { return nil }
      let value = at.at(at.index + 1)
      at = at.at(value.next)
      return (Name(utf8: utf8), value)
    }
  }

  @usableFromInline
  package struct Elements: Sequence, IteratorProtocol {
    @usableFromInline var at: JSONCursor
    @usableFromInline let end: Int

    @inlinable
    init(array: JSONCursor) {
      guard array.tag == UInt8(ascii: "[") else {
        at = array
        end = array.index
        return
      }
      at = array.at(array.index + 1)
      end = array.next - 1
    }

    /// Whether all elements have been returned.
    var isAtEnd: Bool { at.index >= end }

    @inlinable @inline(__always)
    package mutating func next() -> JSONCursor? {
      guard at.index < end else { return nil }
      let element = at
      at = at.at(at.next)
      return element
    }
  }
}
