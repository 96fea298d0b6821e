/// Values as people read them in plans, differences and histories: as they are typed in filters, so that no two kinds look alike.
package enum ValueText {
  /// Text in quotes, doubles with a point (`25.0`, `NaN`), `ts(…)`, `ref(…)`; what filters have no notation for as its REST JSON.
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

  /// The same; `(none)` where there is no value.
  package static func text(_ value: Value?) -> String { value.map { text($0) } ?? "(none)" }

  /// A text on one line: one with control characters becomes a JSON string.
  package static func oneLine(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
    return JSONWriter.text { $0.string(text) }
  }
}
