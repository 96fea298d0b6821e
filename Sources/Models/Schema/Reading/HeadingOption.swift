/// How a heading becomes a field name if neither the schema nor an option determines it.
package enum HeadingStyle: String, Codable, Sendable, CaseIterable {
  /// A field path, as written by export; a heading that is not a path is a name as written.
  case path
  /// The name as written, unless it is a path in back quotes.
  case literal
  /// `Fecha de alta` becomes `fecha_de_alta`, or `fechaDeAlta`.
  case snake, camel
}

/// A value that an option gives to the column with a certain heading, as typed.
package protocol HeadingValue: Sendable, Equatable {
  init?(typed text: String)
  /// The text that ``init(typed:)`` reads.
  var typed: String { get }
}

extension FieldPath: HeadingValue {
  package init?(typed text: String) {
    if let path = try? FieldPath(parsing: text) {
      self = path
    } else if !text.isEmpty, !text.utf8.contains(where: { ".`\\".utf8.contains($0) }) {
      // A name that would need quotes in a path, such as Año, and is not ambiguous.
      self.init(field: text)
    } else {
      return nil
    }
  }

  package var typed: String { description }
}

/// An option for the column with a certain heading: `HEADING=VALUE`.
package struct HeadingOption<Value: HeadingValue>: Sendable, Equatable, Codable {
  package let heading: String
  package let value: Value

  /// - Parameter heading: The heading in the table; surrounding white space is ignored.
  package init(heading: String, value: Value) {
    (self.heading, self.value) = (PlainText.trimmed(heading), value)
  }

  private enum CodingKeys: CodingKey {
    case heading, value
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let value = Value(typed: try container.decode(String.self, forKey: .value)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .value,
        in: container,
        debugDescription: "it is no value"
      )
    }
    self.init(heading: try container.decode(String.self, forKey: .heading), value: value)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(heading, forKey: .heading)
    try container.encode(value.typed, forKey: .value)
  }

  /// Parses `HEADING=VALUE,…`, where headings may contain commas and equals signs; nil for any other text.
  package static func list(parsing text: String) -> [HeadingOption]? {
    var list: [HeadingOption] = []
    var pending: String?
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let part = pending.map { "\($0),\(piece)" } ?? String(piece)
      pending = part
      guard let sign = part.utf8.lastIndex(of: UInt8(ascii: "=")),
        let value = Value(typed: String(part[part.utf8.index(after: sign)...]))
      else { continue }
      list.append(HeadingOption(heading: String(part[..<sign]), value: value))
      pending = nil
    }
    return pending == nil ? list : nil
  }
}
