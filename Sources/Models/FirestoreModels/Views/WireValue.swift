/// A value in a parsed response, `{"stringValue": "…"}`, checked by the rules of ``WireDecoder`` when it is accessed.
///
/// It borrows the parser's buffers, as ``JSONCursor`` does. Neither it nor its parts own anything, so reading a page involves no
/// reference counting.
@usableFromInline
package struct WireValue: ReadableValue {
  @usableFromInline package typealias Text = WireText
  @usableFromInline package typealias Time = WireTime
  @usableFromInline package typealias Bytes = WireBytes
  @usableFromInline package typealias Elements = WireElements
  @usableFromInline package typealias Fields = WireFields

  @usableFromInline package let json: JSONCursor
  /// The number of enclosing maps and arrays.
  @usableFromInline package let depth: Int

  @inlinable
  package init(json: JSONCursor, depth: Int) {
    self.json = json
    self.depth = depth
  }

  @usableFromInline
  package func view() throws(WireError) -> ValueView<WireValue> {
    let (type, content) = try WireDecoder.typeAndContent(of: json)
    switch type {
    case .string:
      guard let utf8 = content.utf8 else { throw WireError("stringValue must be a string") }
      return .string(WireText(utf8: utf8))
    case .timestamp:
      return .timestamp(try WireTime(content))
    case .integer:
      return .integer(try WireDecoder.integerValue(content))
    case .double:
      return .double(try WireDecoder.doubleValue(content))
    case .boolean:
      return .boolean(try WireDecoder.booleanValue(content))
    case .reference:
      guard let utf8 = content.utf8 else { throw WireError("referenceValue must be a document name") }
      return .reference(WireText(utf8: utf8))
    case .bytes:
      return .bytes(WireBytes(json: content))
    case .array:
      guard depth < WireDecoder.maximumValueDepth else { throw WireError("it is nested too deeply") }
      return .array(WireElements(list: try WireDecoder.elements(of: content), depth: depth + 1))
    case .map:
      guard depth < WireDecoder.maximumValueDepth else { throw WireError("it is nested too deeply") }
      return .map(try WireFields(WireDecoder.members(of: content), depth: depth + 1))
    case .null:
      try WireDecoder.assertNull(content)
      return .null
    case .geoPoint:
      return .geoPoint(try WireDecoder.geoPoint(content))
    }
  }

  @usableFromInline
  package func write(to json: inout JSONWriter) throws(WireError) { try json.value(of: self) }

  @inlinable
  package var isMap: Bool {
    var members = json.members
    guard let (name, _) = members.next(), members.isAtEnd else { return true }
    return name == "mapValue"
  }

  @usableFromInline
  package func value() throws(WireError) -> Value {
    var decoder = WireDecoder()
    return try decoder.value(json, depth: depth)
  }
}

/// A string in parsed JSON.
@usableFromInline
package struct WireText: ReadableText {
  @usableFromInline package let utf8: UnsafeBufferPointer<UInt8>

  @inlinable
  package init(utf8: UnsafeBufferPointer<UInt8>) { self.utf8 = utf8 }

  @inlinable
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result { body(utf8) }
}

/// A time in parsed JSON: text that is already in canonical form, or any other time, parsed.
@usableFromInline
package enum WireTime: ReadableTime {
  case canonical(UnsafeBufferPointer<UInt8>)
  case other(Timestamp)

  /// - Throws: ``WireError`` if it is not a time.
  init(_ json: JSONCursor) throws(WireError) {
    if let utf8 = json.utf8, Timestamp.isCanonical(utf8) {
      self = .canonical(utf8)
    } else {
      self = .other(try WireDecoder.timestamp(json, member: "timestampValue"))
    }
  }

  @usableFromInline
  package var timestamp: Timestamp {
    switch self {
    case .other(let time): return time
    case .canonical(let utf8):
      guard let time = Timestamp(rfc3339: utf8) else { preconditionFailure("a canonical time is none") }
      return time
    }
  }

  @usableFromInline
  package func append(to out: inout [UInt8]) {
    switch self {
    case .canonical(let utf8): out.append(contentsOf: utf8)
    case .other(let time): time.append(to: &out)
    }
  }
}

/// Base64 in parsed JSON.
@usableFromInline
package struct WireBytes: ReadableBytes {
  let json: JSONCursor

  @usableFromInline
  package func bytes() throws(WireError) -> [UInt8] { try WireDecoder.bytesValue(json) }
}

/// The elements of an array in parsed JSON.
@usableFromInline
package struct WireElements: ReadableElements {
  /// The JSON array; nil if the array is empty.
  @usableFromInline package let list: JSONCursor?
  @usableFromInline package let depth: Int

  @usableFromInline
  package struct Iterator: IteratorProtocol {
    @usableFromInline var elements: JSONCursor.Elements?
    @usableFromInline let depth: Int

    @inlinable
    init(elements: JSONCursor.Elements?, depth: Int) {
      self.elements = elements
      self.depth = depth
    }

    @inlinable @inline(__always)
    package mutating func next() -> WireValue? {
      elements?.next().map { WireValue(json: $0, depth: depth) }
    }
  }

  @usableFromInline
  package var isEmpty: Bool { list.map { $0.childCount == 0 } ?? true }

  @inlinable
  package func makeIterator() -> Iterator { Iterator(elements: list?.elements, depth: depth) }
}

/// The members of a map in parsed JSON: unique names, in byte order.
///
/// The service sends them in that order. A small number in another order is searched for each next member, which takes less time
/// than decoding them.
@usableFromInline
package struct WireFields: ReadableFields {
  @usableFromInline package typealias Content = WireValue

  /// The maximum number of unordered members to search; the time grows with its square.
  static let maximumUnordered = 32

  /// The JSON object; nil if the map is empty.
  @usableFromInline package let object: JSONCursor?
  @usableFromInline package let depth: Int
  @usableFromInline let isOrdered: Bool

  /// - Throws: ``WireError`` if the value is not a JSON object, if names repeat, or if too many members are out of order. The
  ///   service sends none like that; decode such a document instead.
  init(_ json: JSONCursor?, depth: Int) throws(WireError) {
    self.depth = depth
    guard let json, !json.isNull else {
      (object, isOrdered) = (nil, true)
      return
    }
    guard json.isObject else { throw WireError("it is not a JSON object") }
    isOrdered = json.hasOrderedMembers
    guard isOrdered || json.childCount <= Self.maximumUnordered && json.repeatedMember == nil else {
      throw WireError("its members are not in order")
    }
    object = json
  }

  @usableFromInline
  package struct Iterator: IteratorProtocol {
    @usableFromInline var members: JSONCursor.Members?
    @usableFromInline let depth: Int
    @usableFromInline let isOrdered: Bool
    /// The name of the last returned member, if the members are unordered.
    @usableFromInline var last: UnsafeBufferPointer<UInt8>?

    @inlinable
    init(members: JSONCursor.Members?, depth: Int, isOrdered: Bool) {
      self.members = members
      self.depth = depth
      self.isOrdered = isOrdered
    }

    @inlinable @inline(__always)
    package mutating func next() -> (name: WireText, value: WireValue)? {
      if !isOrdered { return following() }
      guard let (name, value) = members?.next() else { return nil }
      return (WireText(utf8: name.utf8), WireValue(json: value, depth: depth))
    }

    /// Returns the member whose name follows the last one in byte order.
    @usableFromInline
    @inline(never)
    mutating func following() -> (name: WireText, value: WireValue)? {
      guard var members else { return nil }
      var first: (name: JSONCursor.Name, value: JSONCursor)?
      while let member = members.next() {
        if let last, !last.precedes(member.name.utf8) { continue }
        if let name = first?.name.utf8, !member.name.utf8.precedes(name) { continue }
        first = member
      }
      last = first?.name.utf8
      if first == nil { self.members = nil }
      return first.map { (WireText(utf8: $0.name.utf8), WireValue(json: $0.value, depth: depth)) }
    }
  }

  @usableFromInline
  package var isEmpty: Bool { object.map { $0.childCount == 0 } ?? true }

  @inlinable
  package func makeIterator() -> Iterator {
    Iterator(members: object?.members, depth: depth, isOrdered: isOrdered)
  }

  @usableFromInline
  package func vectorComponents() throws(WireError) -> [Double]? {
    // A vector has two members, one of which is `__type__`; this rules out nearly every map.
    guard let object, object.childCount == 2, object["__type__"] != nil else { return nil }
    var decoder = WireDecoder()
    return try decoder.fields(object, depth: depth).vector
  }

  @usableFromInline
  package func content(named name: String) -> WireValue? {
    name.withBytes { name in
      var members = object?.members
      while let (other, value) = members?.next() {
        if other.utf8.isIdentical(to: name) { return WireValue(json: value, depth: depth) }
      }
      return nil
    }
  }
}
