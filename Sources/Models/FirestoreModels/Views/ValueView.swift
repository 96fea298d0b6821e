/// A value that is read in place: in memory, or in a parsed response.
///
/// Code that only passes documents on (an export) is written once, against these protocols, and builds no values from a response.
/// ``Value`` is always valid and never throws; ``WireValue`` is checked when it is accessed.
///
///     mutating func append(_ source: some ReadableValue) throws(WireError) {
///       switch try source.view() {
///       case .string(let text): text.withBytes { bytes.append(contentsOf: $0) }
///       …
///
/// The protocols and their conforming types are usable from inline, so that the compiler sees their witnesses in other modules.
/// Otherwise each call there goes through a witness table, and CSV export of documents in memory takes 1.8 times the CPU.
@usableFromInline
package protocol ReadableValue {
  associatedtype Text: ReadableText
  associatedtype Time: ReadableTime
  associatedtype Bytes: ReadableBytes
  associatedtype Elements: ReadableElements where Elements.Element == Self
  associatedtype Fields: ReadableFields where Fields.Content == Self

  /// Returns the type and the content.
  func view() throws(WireError) -> ValueView<Self>

  /// Returns the value in memory.
  func value() throws(WireError) -> Value

  /// Writes the value in the service's JSON.
  ///
  /// A protocol requirement, so that other modules call code that is specialized for the source.
  func write(to json: inout JSONWriter) throws(WireError)

  /// Whether the value may be a map, without looking at its content; false is certain.
  var isMap: Bool { get }
}

/// The type and the content of a value; text, times, bytes and containers stay where they are.
@usableFromInline
package enum ValueView<Source: ReadableValue> {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case timestamp(Source.Time)
  case string(Source.Text)
  case bytes(Source.Bytes)
  /// A full document name.
  case reference(Source.Text)
  case geoPoint(GeoPoint)
  case array(Source.Elements)
  case map(Source.Fields)
}

/// Text as UTF-8.
@usableFromInline
package protocol ReadableText {
  /// Calls `body` with the bytes, which must not escape.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result
}

extension ReadableText {
  /// The text in memory.
  package var copy: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

@usableFromInline
package protocol ReadableTime {
  var timestamp: Timestamp { get }

  /// Appends ``Timestamp/description``.
  func append(to out: inout [UInt8])
}

@usableFromInline
package protocol ReadableBytes {
  /// Returns the bytes in memory.
  func bytes() throws(WireError) -> [UInt8]
}

/// The elements of an array in order.
@usableFromInline
package protocol ReadableElements {
  associatedtype Element: ReadableValue
  associatedtype Iterator: IteratorProtocol where Iterator.Element == Element

  var isEmpty: Bool { get }
  func makeIterator() -> Iterator
}

/// The fields of a document or the members of a map, with unique names in byte order.
@usableFromInline
package protocol ReadableFields {
  associatedtype Content: ReadableValue where Content.Fields == Self
  associatedtype Iterator: IteratorProtocol where Iterator.Element == (name: Content.Text, value: Content)

  var isEmpty: Bool { get }
  /// The components of a vector value; nil for an ordinary map.
  func vectorComponents() throws(WireError) -> [Double]?
  /// Returns the value of a member; nil if there is none.
  func content(named name: String) -> Content?
  func makeIterator() -> Iterator
}

// MARK: - In memory

extension Value: ReadableValue {
  @usableFromInline package typealias Text = String
  @usableFromInline package typealias Time = Timestamp
  @usableFromInline package typealias Bytes = [UInt8]
  @usableFromInline package typealias Elements = ValueList
  @usableFromInline package typealias Fields = FieldMap

  @inlinable
  package func view() -> ValueView<Value> {
    switch self {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    case .timestamp(let time): .timestamp(time)
    case .string(let text): .string(text)
    case .bytes(let bytes): .bytes(bytes)
    case .reference(let name): .reference(name)
    case .geoPoint(let point): .geoPoint(point)
    case .array(let values): .array(ValueList(values: values))
    case .map(let fields): .map(fields)
    }
  }

  @inlinable
  package func value() -> Value { self }

  @usableFromInline
  package func write(to json: inout JSONWriter) { json.value(self) }

  @inlinable
  package var isMap: Bool { if case .map = self { true } else { false } }
}

extension Timestamp: ReadableTime {
  @inlinable
  package var timestamp: Timestamp { self }
}

extension [UInt8]: ReadableBytes {
  @inlinable
  package func bytes() -> [UInt8] { self }
}

@usableFromInline
package struct ValueList: ReadableElements {
  @usableFromInline let values: [Value]

  @inlinable
  init(values: [Value]) { self.values = values }

  @inlinable
  package var isEmpty: Bool { values.isEmpty }

  @inlinable
  package func makeIterator() -> IndexingIterator<[Value]> { values.makeIterator() }
}

extension String: ReadableText {
  @inlinable
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    // Nearly every string has contiguous UTF-8.
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    var text = self
    return text.withUTF8(body)
  }
}

extension FieldMap: ReadableFields {
  @usableFromInline package typealias Content = Value

  @usableFromInline
  package struct Iterator: IteratorProtocol {
    @usableFromInline var entries: IndexingIterator<[Entry]>

    @inlinable
    init(_ entries: [Entry]) { self.entries = entries.makeIterator() }

    @inlinable @inline(__always)
    package mutating func next() -> (name: String, value: Value)? {
      guard let entry = entries.next() else { return nil }
      return (entry.name, entry.value)
    }
  }

  @inlinable
  package func makeIterator() -> Iterator { Iterator(entries) }

  @usableFromInline
  package func vectorComponents() -> [Double]? { vector }

  @usableFromInline
  package func content(named name: String) -> Value? { self[name] }
}
