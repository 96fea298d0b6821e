package import FirestoreModels

extension Value {
  /// The value as it is written in filters and in schema files; the type's name where there is no literal for it.
  package var literal: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .double(let number): number.isFinite ? Self.written(.double(number)) : "\"\(number)\""
    case .timestamp(let time): "ts(\(time))"
    case .string(let text): Self.isBare(text) ? text : Self.written(self)
    default: typeName
    }
  }

  /// Whether a text is read back as itself without quotes, also as a scalar of a YAML flow map.
  private static func isBare(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, isLetter(first) else { return false }
    guard bytes.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D }) else {
      return false
    }
    let reserved = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
    let context = LiteralContext(database: DatabaseName(project: "schema"))
    return !reserved.contains(text.lowercased())
      && (try? ValueLiteral.parse(text, in: context)) == .string(text)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// The JSON of a scalar.
  private static func written(_ value: Value) -> String {
    var json = JSONWriter()
    switch value {
    case .string(let text): json.string(text)
    case .double(let number): json.double(number)
    default: break
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
