/// A property of a ``JSONRecord`` that is stored as text: a path or a database name, or an optional one.
@propertyWrapper
package struct Text<Content: RecordText>: Codable, Sendable, Equatable {
  package var wrappedValue: Content

  package init(wrappedValue: Content) { self.wrappedValue = wrappedValue }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = try Self(container.decodeNil() ? nil : container.decode(String.self), at: decoder.codingPath)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue.recordText)
  }

  fileprivate init(_ text: String?, at path: [any CodingKey]) throws {
    guard let content = Content.parse(recordText: text) else {
      throw DecodingError.fault("it is not the \(Content.recordKind)", at: path)
    }
    wrappedValue = content
  }
}

// The synthesized coding code calls these overloads, so that an optional may be absent.

extension KeyedDecodingContainer {
  package func decode<Content>(_ type: Text<Content>.Type, forKey key: Key) throws -> Text<Content> {
    try Text(decodeIfPresent(String.self, forKey: key), at: codingPath + [key])
  }
}

extension KeyedEncodingContainer {
  package mutating func encode<Content>(_ text: Text<Content>, forKey key: Key) throws {
    try encodeIfPresent(text.wrappedValue.recordText, forKey: key)
  }
}

/// A value that a record stores as text.
package protocol RecordText: Sendable, Equatable {
  /// A description for messages: `path of a document`.
  static var recordKind: String { get }
  /// The text of the value; nil if it is nil.
  var recordText: String? { get }
  /// Parses a text; nil if it is not such a value.
  static func parse(recordText: String?) -> Self?
}

extension Optional: RecordText where Wrapped: RecordText {
  package static var recordKind: String { Wrapped.recordKind }
  package var recordText: String? { flatMap(\.recordText) }
  package static func parse(recordText text: String?) -> Wrapped?? {
    text == nil ? .some(nil) : Wrapped.parse(recordText: text).map { .some($0) }
  }
}

extension DatabaseName: RecordText {
  package static var recordKind: String { "name of a database, projects/P/databases/D" }
  package var recordText: String? { description }
  package static func parse(recordText text: String?) -> Self? { text.flatMap { Self(parsing: $0) } }
}

extension CollectionPath: RecordText {
  package static var recordKind: String { "path of a collection" }
  package var recordText: String? { string }
  package static func parse(recordText text: String?) -> Self? { text.flatMap { Self($0) } }
}

extension DocumentPath: RecordText {
  package static var recordKind: String { "path of a document" }
  package var recordText: String? { string }
  package static func parse(recordText text: String?) -> Self? { text.flatMap { Self($0) } }
}
