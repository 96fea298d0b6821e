import YAML

extension Value {
  /// The value as written in filters and in schema files; the type's name if it has no literal.
  package var literal: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .double(let number): number.isFinite ? JSONWriter.text { $0.double(number) } : "\"\(number)\""
    case .timestamp(let time): "ts(\(time))"
    case .string(let text): Self.isBare(text) ? text : YAMLText.quoted(text)
    default: typeName
    }
  }

  /// The plain scalars that YAML does not read as text, in lower case.
  static let reservedScalars = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]

  /// Whether a text without quotes is read back as itself, also in a YAML flow map.
  private static func isBare(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, first.isASCIILetter else { return false }
    guard bytes.allSatisfy({ $0.isASCIILetterOrDigit || $0 == 0x5F || $0 == 0x2D }) else {
      return false
    }
    let context = LiteralContext(database: nil)
    return !reservedScalars.contains(text.lowercased())
      && (try? ValueLiteral.parse(text, in: context)) == .string(text)
  }
}
