/// A path to a field through nested maps, as in update masks, filters and transforms.
///
/// Segments are raw names; ``description`` quotes those that the grammar of `google.firestore.v1.Document`
/// requires to be quoted.
///
///     let path = try FieldPath(parsing: "plan.`monthly price`")
///     path.segments       // ["plan", "monthly price"]
///     path.description    // plan.`monthly price`
public struct FieldPath: Hashable, Sendable, CustomStringConvertible {
  /// The raw names, outermost first; at least one, none empty.
  public let segments: [String]

  /// Creates a path from raw names; nil if there are none or one is empty.
  public init?(segments: [String]) {
    guard !segments.isEmpty, !segments.contains(where: \.isEmpty) else { return nil }
    self.segments = segments
  }

  /// Creates a path from one raw name, which may contain dots.
  public init(field name: String) { segments = [name] }

  /// `__name__`, the pseudo-field that holds the document name.
  public static let documentName = FieldPath(field: "__name__")

  /// Whether all segments have the same bytes.
  public static func == (a: FieldPath, b: FieldPath) -> Bool {
    a.segments.count == b.segments.count
      && zip(a.segments, b.segments).allSatisfy { $0.isIdentical(to: $1) }
  }

  /// Hashes the UTF-8 bytes.
  public func hash(into hasher: inout Hasher) {
    for segment in segments { UTF8Key(segment).hash(into: &hasher) }
  }

  /// Returns the path with one more raw name.
  public func appending(_ name: String) -> FieldPath { FieldPath(unchecked: segments + [name]) }

  /// Whether this path equals `other` or is one of its ancestors.
  public func isPrefix(of other: FieldPath) -> Bool {
    segments.count <= other.segments.count
      && zip(segments, other.segments).allSatisfy { $0.isIdentical(to: $1) }
  }

  private init(unchecked segments: [String]) { self.segments = segments }

  // MARK: Text

  /// Parses simple or back-quoted names joined by dots.
  ///
  /// - Throws: ``FieldPathError`` with the offset of the invalid byte.
  public init(parsing text: String) throws(FieldPathError) {
    let bytes = Array(text.utf8)
    var segments: [String] = []
    var index = 0
    func error(_ reason: String) -> FieldPathError {
      FieldPathError(text: text, offset: index, reason: reason)
    }
    func unquoted() -> FieldPathError {
      let example = Self.quoted(text).map { ": \($0)" } ?? ""
      return error("a name with anything but letters, digits and _ is written in back-quotes\(example)")
    }
    while true {
      if index < bytes.count, bytes[index] == UInt8(ascii: "`") {
        var name: [UInt8] = []
        index += 1
        while true {
          guard index < bytes.count else { throw error("a closing back-quote is missing") }
          if bytes[index] == UInt8(ascii: "`") { break }
          if bytes[index] == UInt8(ascii: "\\") {
            index += 1
            guard index < bytes.count else { throw error("nothing follows the back-slash") }
          }
          name.append(bytes[index])
          index += 1
        }
        if name.isEmpty { throw error("a field name is empty") }
        index += 1
        segments.append(String(decoding: name, as: UTF8.self))
      } else {
        let start = index
        while index < bytes.count, Self.isSimple(bytes[index], first: index == start) { index += 1 }
        if index == start { throw index == bytes.count ? error("a field name is missing") : unquoted() }
        segments.append(String(decoding: bytes[start..<index], as: UTF8.self))
      }
      if index == bytes.count { break }
      guard bytes[index] == UInt8(ascii: ".") else { throw unquoted() }
      index += 1
    }
    self.segments = segments
  }

  /// The path with back quotes added where they are missing; nil if the text has signs that may mean something else.
  private static func quoted(_ text: String) -> FieldPath? {
    let isOfNames = text.utf8.allSatisfy {
      $0 >= 0x80 || $0.isASCIILetter || $0.isASCIIDigit || "_- .".utf8.contains($0)
    }
    if !isOfNames { return nil }
    return FieldPath(segments: text.parts(at: "."))
  }

  /// Parses the text of a path in a message or a filter.
  package init(wire text: String) throws(WireError) {
    do throws(FieldPathError) {
      try self.init(parsing: text)
    } catch {
      throw WireError(error.description)
    }
  }

  /// Parses a comma-separated list of paths; commas inside back quotes are part of a name.
  ///
  /// - Throws: ``FieldPathError`` for the first invalid path.
  public static func list(parsing text: String) throws(FieldPathError) -> [FieldPath] {
    try parts(of: text, between: UInt8(ascii: ",")).map { part throws(FieldPathError) in
      try FieldPath(parsing: PlainText.trimmed(part) { $0 == " " })
    }
  }

  /// Splits a text at separators; separators inside back quotes are part of a name.
  ///
  /// - Parameter most: How many separators to split at; the rest of the text is one part.
  package static func parts(of text: String, between separator: UInt8, atMost most: Int = .max) -> [String] {
    var parts: [[UInt8]] = [[]]
    var isQuoted = false
    var isEscaped = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: "`"), !isEscaped { isQuoted.toggle() }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      if byte == separator, !isQuoted, parts.count <= most {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The path in Firestore's grammar, quoted where necessary.
  public var description: String {
    segments.count == 1 ? Self.rendered(segments[0]) : segments.map(Self.rendered).joined(separator: ".")
  }

  private static func rendered(_ name: String) -> String {
    let needsNoQuotes = name.withBytes { bytes in
      guard let first = bytes.first, isSimple(first, first: true) else { return false }
      return bytes.allSatisfy { isSimple($0, first: false) }
    }
    if needsNoQuotes { return name }
    var out: [UInt8] = [UInt8(ascii: "`")]
    for byte in name.utf8 {
      if byte == UInt8(ascii: "`") || byte == UInt8(ascii: "\\") { out.append(UInt8(ascii: "\\")) }
      out.append(byte)
    }
    out.append(UInt8(ascii: "`"))
    return String(decoding: out, as: UTF8.self)
  }

  private static func isSimple(_ byte: UInt8, first: Bool) -> Bool {
    byte.isASCIILetter || byte == UInt8(ascii: "_") || (byte.isASCIIDigit && !first)
  }
}

/// An invalid field path, with the byte offset and the reason.
public struct FieldPathError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The text that is not a path.
  public let text: String
  /// The offset of the invalid byte, from 0.
  public let offset: Int
  /// Why it is not a path.
  public let reason: String

  /// One line with the text, the position and the reason.
  public var description: String { "'\(text)' is not a field path: at byte \(offset + 1), \(reason)" }
}
