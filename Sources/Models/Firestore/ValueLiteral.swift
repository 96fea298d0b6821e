/// Values as they are typed on a command line or in YAML.
///
/// JSON scalars have their JSON type, integers and doubles apart (`1`, `1.0`); `ts(2026-01-01T00:00:00Z)` is a
/// timestamp, `ref(users/u1)` a reference, `"007"` a text; anything else is text as it stands.
public enum ValueLiteral {
  /// Reads a literal; references are taken into `database` unless they are full names.
  ///
  /// - Throws: ``WireError`` for a `ts(…)`, `ref(…)` or quoted text that is none.
  public static func parse(_ text: String, in database: DatabaseName) throws(WireError) -> Value {
    switch text {
    case "null": return .null
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default: break
    }
    if let inner = argument(of: "ts", in: text) {
      guard let moment = Timestamp(inner) else {
        throw WireError("'\(text)' is no time; write it as ts(2026-01-31T12:00:00Z)")
      }
      return .timestamp(moment)
    }
    if let inner = argument(of: "ref", in: text) {
      if let (_, _) = DatabaseName.split(inner) { return .reference(inner) }
      guard let path = DocumentPath(inner) else {
        throw WireError("'\(text)' is no reference; write it as ref(users/u1)")
      }
      return .reference(database.name(of: path))
    }
    if text.utf8.first == UInt8(ascii: "\"") {
      let parsed = try? JSONParser().parse(Array(text.utf8)) { root throws(WireError) in root.string }
      guard let parsed else { throw WireError("\(text) is no text in double quotes") }
      return .string(parsed)
    }
    return number(text) ?? .string(text)
  }

  private static func argument(of function: String, in text: String) -> String? {
    guard text.hasPrefix("\(function)("), text.hasSuffix(")") else { return nil }
    return String(text.dropFirst(function.count + 1).dropLast())
  }

  /// A number by JSON's grammar, so that `007`, `1e` and `.5` stay text.
  private static func number(_ text: String) -> Value? {
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || (48...57).contains(first) else {
      return nil
    }
    let isInteger = text.utf8.dropFirst().allSatisfy { (48...57).contains($0) }
    if isInteger, text != "-0", let number = Int64(text), String(number) == text { return .integer(number) }
    let parsed = try? JSONParser().parse(Array(text.utf8)) { root throws(WireError) in root.double }
    return parsed.map { .double($0) }
  }
}
