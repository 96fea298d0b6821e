import CSimdjson

/// Why a text is not the JSON that was expected: what, and where in it.
package struct WireError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong.
  package var reason: String
  /// The members that lead to it, outermost first; array elements as `[3]`.
  package var location: [String]

  /// Makes an error at the top of a text.
  package init(_ reason: String, at location: [String] = []) {
    self.reason = reason
    self.location = location
  }

  /// The same error one level further out.
  package func inside(_ name: String) -> WireError {
    WireError(reason, at: [name] + location)
  }

  /// One line for a person: where, then what.
  package var description: String {
    location.isEmpty ? reason : "\(location.joined(separator: ".")): \(reason)"
  }
}

/// A JSON parser with its buffers (simdjson's), for one document after another.
///
/// Not `Sendable`: one parser serves one task at a time.
package final class JSONParser {
  /// The largest text that is parsed unless told otherwise, in bytes.
  package static let defaultMaximumBytes = 256 << 20
  /// JSON levels that are followed: a value of Firestore's 20 levels takes 3 or 4 each.
  package static let defaultMaximumDepth = 512

  private let parser: OpaquePointer

  /// Makes a parser that refuses texts over `maximumBytes` or nested deeper than `maximumDepth`.
  package init(
    maximumBytes: Int = JSONParser.defaultMaximumBytes,
    maximumDepth: Int = JSONParser.defaultMaximumDepth
  ) {
    guard let parser = gm_json_parser_create(maximumBytes, maximumDepth) else {
      preconditionFailure("no memory for a JSON parser")
    }
    self.parser = parser
  }

  deinit {
    gm_json_parser_destroy(parser)
  }

  /// Parses a whole text and hands its root to `body`.
  ///
  /// The cursor is good only within `body`.
  ///
  /// - Throws: ``WireError`` where the text is not JSON, else what `body` throws.
  package func parse<Result>(
    _ json: UnsafeRawBufferPointer,
    _ body: (JSONCursor) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    try body(parseHolding(json))
  }

  /// Parses a whole text and returns its root, which is good until this parser's next parse or its end.
  ///
  /// - Throws: ``WireError`` where the text is not JSON.
  package func parseHolding(_ json: UnsafeRawBufferPointer) throws(WireError) -> JSONCursor {
    var document = gm_json_document()
    var empty: UInt8 = 0
    let status =
      if let base = json.baseAddress {
        gm_json_parse(parser, base.assumingMemoryBound(to: UInt8.self), json.count, &document)
      } else {
        gm_json_parse(parser, &empty, 0, &document)
      }
    switch status {
    case GM_JSON_OK: break
    case GM_JSON_TOO_DEEP: throw WireError("it is nested too deeply")
    case GM_JSON_INVALID_UTF8: throw WireError("it is not valid UTF-8")
    case GM_JSON_TOO_LARGE: throw WireError("it is too large (\(json.count) bytes)")
    case GM_JSON_NO_MEMORY: throw WireError("there is no memory left for its \(json.count) bytes")
    default: throw WireError(json.isEmpty ? "it is empty" : "it is not valid JSON")
    }
    guard let tape = document.tape, let strings = document.strings else { throw WireError("it is empty") }
    return JSONCursor(tape: tape, strings: strings, index: 1)
  }

  /// Parses bytes; see ``parse(_:_:)``.
  package func parse<Result>(
    _ json: [UInt8],
    _ body: (JSONCursor) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    // withUnsafeBytes rethrows untyped, so the error is carried out by hand.
    var result: Swift.Result<Result, WireError>?
    json.withUnsafeBytes { bytes in
      do throws(WireError) {
        result = .success(try parse(bytes, body))
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { throw WireError("it was not parsed") }
    return try result.get()
  }
}

/// A place on a parsed document's tape: one JSON value and what is below it.
///
/// It borrows the parser's buffers, so it never leaves the closure that it was given to.
package struct JSONCursor {
  let tape: UnsafePointer<UInt64>
  let strings: UnsafePointer<UInt8>
  let index: Int

  /// The kinds of JSON value.
  package enum Kind: Sendable {
    case object, array, string, integer, double, boolean, null
  }

  var tag: UInt8 { UInt8(truncatingIfNeeded: tape[index] >> 56) }
  var payload: Int { Int(tape[index] & 0x00FF_FFFF_FFFF_FFFF) }

  /// The tape index of what follows this value.
  var next: Int {
    switch tag {
    case UInt8(ascii: "{"), UInt8(ascii: "["): Int(tape[index] & 0xFFFF_FFFF)
    case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index + 2
    default: index + 1
    }
  }

  func at(_ index: Int) -> JSONCursor {
    JSONCursor(tape: tape, strings: strings, index: index)
  }

  /// What kind of value it is.
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

  /// Whether it is an object.
  var isObject: Bool { tag == UInt8(ascii: "{") }

  /// Whether it is an array.
  var isArray: Bool { tag == UInt8(ascii: "[") }

  /// The bytes of a string, nil for other kinds.
  package var utf8: UnsafeBufferPointer<UInt8>? {
    guard tag == UInt8(ascii: "\"") else { return nil }
    let at = strings + payload
    let length = UnsafeRawPointer(at).loadUnaligned(as: UInt32.self)
    return UnsafeBufferPointer(start: at + 4, count: Int(length))
  }

  /// The text of a string, nil for other kinds.
  package var string: String? {
    utf8.map { String(decoding: $0, as: UTF8.self) }
  }

  /// A boolean, nil for other kinds.
  package var boolean: Bool? {
    switch tag {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: nil
    }
  }

  /// An integer literal that fits 64 bits, nil for other kinds.
  package var integer: Int64? {
    switch tag {
    case UInt8(ascii: "l"): Int64(bitPattern: tape[index + 1])
    case UInt8(ascii: "u"): Int64(exactly: tape[index + 1])
    default: nil
    }
  }

  /// Any number as a double, nil for other kinds.
  package var double: Double? {
    switch tag {
    case UInt8(ascii: "d"): Double(bitPattern: tape[index + 1])
    case UInt8(ascii: "l"): Double(Int64(bitPattern: tape[index + 1]))
    case UInt8(ascii: "u"): Double(tape[index + 1])
    default: nil
    }
  }

  /// Whether it is `null`.
  package var isNull: Bool { tag == UInt8(ascii: "n") }

  /// The value of a member, nil where there is none or this is no object; of two with one name, the last.
  package subscript(name: StaticString) -> JSONCursor? {
    guard tag == UInt8(ascii: "{") else { return nil }
    var found: JSONCursor?
    for (key, value) in members where key == name { found = value }
    return found
  }

  /// The members of an object in their order, nothing for other kinds.
  package var members: Members { Members(object: self) }

  /// The elements of an array in their order, nothing for other kinds.
  package var elements: Elements { Elements(array: self) }

  /// A member's name, as bytes that live as long as the document.
  package struct Name {
    let utf8: UnsafeBufferPointer<UInt8>

    /// The name as text.
    package var string: String { String(decoding: utf8, as: UTF8.self) }

    /// Whether the name is this one.
    package static func == (name: Name, other: StaticString) -> Bool {
      name.utf8.count == other.utf8CodeUnitCount
        && name.utf8.hasSameBytes(as: UnsafeRawPointer(other.utf8Start))
    }
  }

  /// The members of an object.
  package struct Members: Sequence, IteratorProtocol {
    private var at: JSONCursor
    private let end: Int

    init(object: JSONCursor) {
      guard object.tag == UInt8(ascii: "{") else {
        at = object
        end = object.index
        return
      }
      at = object.at(object.index + 1)
      end = object.next - 1
    }

    /// Whether all members have been given.
    var isAtEnd: Bool { at.index >= end }

    /// The next member.
    package mutating func next() -> (name: Name, value: JSONCursor)? {
      guard at.index < end, let utf8 = at.utf8 else { return nil }
      let value = at.at(at.index + 1)
      at = at.at(value.next)
      return (Name(utf8: utf8), value)
    }
  }

  /// The elements of an array.
  package struct Elements: Sequence, IteratorProtocol {
    private var at: JSONCursor
    private let end: Int

    init(array: JSONCursor) {
      guard array.tag == UInt8(ascii: "[") else {
        at = array
        end = array.index
        return
      }
      at = array.at(array.index + 1)
      end = array.next - 1
    }

    /// The next element.
    package mutating func next() -> JSONCursor? {
      guard at.index < end else { return nil }
      let element = at
      at = at.at(at.next)
      return element
    }
  }
}
