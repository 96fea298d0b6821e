/// A value on the tape of a parsed response, `{"stringValue": "…"}`; checked by the rules of ``WireDecoder`` when it is
/// looked at.
///
/// It borrows the parser's buffers, as ``JSONCursor`` does.
package struct WireValue: ReadableValue {
  package typealias Text = WireText
  package typealias Elements = WireElements
  package typealias Fields = WireFields

  let json: JSONCursor
  /// The number of maps and arrays around it.
  let depth: Int

  package func view() throws(WireError) -> ValueView<WireValue> {
    let (type, content) = try WireDecoder.typeAndContent(of: json)
    switch type {
    case .string:
      guard let utf8 = content.utf8 else { throw WireError("stringValue must be a string") }
      return .string(WireText(utf8: utf8))
    case .reference:
      guard let utf8 = content.utf8 else { throw WireError("referenceValue must be a document name") }
      return .reference(WireText(utf8: utf8))
    case .array:
      guard depth < WireDecoder.maximumValueDepth else { throw WireError("it is nested too deeply") }
      return .array(WireElements(list: try WireDecoder.elements(of: content), depth: depth + 1))
    case .map:
      guard depth < WireDecoder.maximumValueDepth else { throw WireError("it is nested too deeply") }
      return .map(try WireFields(WireDecoder.members(of: content), depth: depth + 1))
    case .null, .boolean, .integer, .double, .timestamp, .bytes, .geoPoint:
      return try Self.scalar(content, of: type)
    }
  }

  package func write(to json: inout JSONWriter) throws(WireError) { try json.value(of: self) }

  package var isMap: Bool {
    var members = json.members
    guard let (name, _) = members.next(), members.isAtEnd else { return true }
    return name == "mapValue"
  }

  private static func scalar(_ json: JSONCursor, of type: ValueType) throws(WireError) -> ValueView<WireValue>
  {
    switch try WireDecoder.scalar(json, of: type) {
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    case .timestamp(let time): .timestamp(time)
    case .bytes(let bytes): .bytes(bytes)
    case .geoPoint(let point): .geoPoint(point)
    case .null, .string, .reference, .array, .map: .null
    }
  }

  package func value() throws(WireError) -> Value {
    var decoder = WireDecoder()
    return try decoder.value(json, depth: depth)
  }
}

/// A string on the tape.
package struct WireText: ReadableText {
  package let utf8: UnsafeBufferPointer<UInt8>

  @inlinable
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result { body(utf8) }
}

/// The elements of an array on the tape.
package struct WireElements: ReadableElements {
  /// The JSON array; nil if the array is empty.
  let list: JSONCursor?
  let depth: Int

  package struct Iterator: IteratorProtocol {
    fileprivate var elements: JSONCursor.Elements?
    fileprivate let depth: Int

    package mutating func next() -> WireValue? {
      elements?.next().map { WireValue(json: $0, depth: depth) }
    }
  }

  package var isEmpty: Bool { list.map { $0.childCount == 0 } ?? true }

  package func makeIterator() -> Iterator { Iterator(elements: list?.elements, depth: depth) }
}

/// The members of a map on the tape, in byte order of their names; of duplicates the last.
package struct WireFields: ReadableFields {
  package typealias Content = WireValue

  /// The JSON object; nil if the map is empty.
  private let object: JSONCursor?
  private let depth: Int
  /// The members in order, if they are not in order on the tape.
  private let sorted: [(name: WireText, value: WireValue)]?

  /// - Throws: ``WireError`` if it is not a JSON object.
  init(_ json: JSONCursor?, depth: Int) throws(WireError) {
    self.depth = depth
    guard let json, !json.isNull else {
      object = nil
      sorted = nil
      return
    }
    guard json.isObject else { throw WireError("it is not a JSON object") }
    object = json
    sorted = Self.isOrdered(json) ? nil : Self.sorted(json, depth: depth)
  }

  package struct Iterator: IteratorProtocol {
    fileprivate var members: JSONCursor.Members?
    fileprivate var sorted: IndexingIterator<[(name: WireText, value: WireValue)]>?
    fileprivate let depth: Int

    package mutating func next() -> (name: WireText, value: WireValue)? {
      if sorted != nil { return sorted?.next() }
      return members?.next().map { (WireText(utf8: $0.name.utf8), WireValue(json: $0.value, depth: depth)) }
    }
  }

  package var isEmpty: Bool { object.map { $0.childCount == 0 } ?? true }

  package func makeIterator() -> Iterator {
    Iterator(members: object?.members, sorted: sorted?.makeIterator(), depth: depth)
  }

  package func vectorComponents() throws(WireError) -> [Double]? {
    // A vector has two members, of which the first is its type; nearly every map is settled by that.
    guard let object, sorted?.count ?? object.childCount == 2, object["__type__"] != nil else { return nil }
    var decoder = WireDecoder()
    return try decoder.fields(object, depth: depth).vector
  }

  /// Whether the names are unique and in byte order, as the service sends them.
  private static func isOrdered(_ json: JSONCursor) -> Bool {
    var last: UnsafeBufferPointer<UInt8>?
    for (name, _) in json.members {
      if let last, !last.precedes(name.utf8) { return false }
      last = name.utf8
    }
    return true
  }

  private static func sorted(_ json: JSONCursor, depth: Int) -> [(name: WireText, value: WireValue)] {
    let ordered = json.members.enumerated().sorted { a, b in
      if a.element.name.utf8.precedes(b.element.name.utf8) { return true }
      return !b.element.name.utf8.precedes(a.element.name.utf8) && a.offset < b.offset
    }
    var members: [(name: WireText, value: WireValue)] = []
    for (_, (name, json)) in ordered {
      let value = WireValue(json: json, depth: depth)
      if let last = members.last, !last.name.utf8.precedes(name.utf8) {
        members[members.count - 1].value = value
      } else {
        members.append((WireText(utf8: name.utf8), value))
      }
    }
    return members
  }
}
