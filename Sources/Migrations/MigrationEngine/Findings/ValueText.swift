/// Values as people read them in a plan.
package enum ValueText {
  /// Text in quotes, numbers, truths and times as they are, anything else as its REST JSON.
  package static func text(_ value: Value) -> String {
    switch value {
    case .string(let text): JSONWriter.text { $0.string(text) }
    case .boolean(let truth): String(truth)
    case .integer(let number): String(number)
    case .null: "null"
    case .timestamp(let moment): moment.description
    default: JSONWriter.text { $0.value(value) }
    }
  }
}
