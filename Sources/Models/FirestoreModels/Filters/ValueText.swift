/// Values as shown in plans, differences and histories: in the notation of filters, so that no two types look alike.
package enum ValueText {
  /// The notation of a value: strings in quotes, doubles with a point (`25.0`, `NaN`), `ts(…)`, `ref(…)`; REST JSON for types
  /// that filters cannot express.
  package static func text(_ value: Value) -> String {
    switch value {
    case .string(let text): JSONWriter.text { $0.string(text) }
    case .boolean(let truth): String(truth)
    case .integer(let number): String(number)
    case .double(let number) where number.isNaN: "NaN"
    case .double(let number) where number.isInfinite: number < 0 ? "-Infinity" : "Infinity"
    case .double(let number): JSONWriter.text { $0.double(number) }
    case .null: "null"
    case .timestamp(let moment): "ts(\(moment))"
    case .reference(let name): "ref(\(oneLine(name)))"
    default: JSONWriter.text { $0.value(value) }
    }
  }

  /// The notation of a value; `(none)` for nil.
  package static func text(_ value: Value?) -> String { value.map { text($0) } ?? "(none)" }

  /// The notations of two different values, made visibly different.
  ///
  /// Where they would look the same, as with composed and decomposed accents or invisible characters, everything outside ASCII is
  /// escaped (`\u00e9`).
  package static func pair(_ before: Value?, _ after: Value?) -> (before: String, after: String) {
    let (old, new) = (text(before), text(after))
    // Swift's `==` treats canonically equivalent strings as equal, as readers do.
    return seen(old) == seen(new) ? (escaped(old), escaped(new)) : (old, new)
  }

  /// The text without invisible characters, and with one kind of space.
  private static func seen(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if PlainText.isInvisible(scalar) { continue }
      scalars.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
    }
    return String(scalars)
  }

  private static func escaped(_ text: String) -> String {
    text.utf16.reduce(into: "") { escaped, unit in
      if let byte = UInt8(exactly: unit), byte < 0x80 {
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        escaped += "\\u" + String(unit, radix: 16).padded(to: 4)
      }
    }
  }

  /// The text on one line: a JSON string if it has control characters.
  package static func oneLine(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
    return JSONWriter.text { $0.string(text) }
  }
}
