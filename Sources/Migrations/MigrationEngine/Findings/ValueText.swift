package import FirestoreModels

/// Values as people read them in a plan.
package enum ValueText {
  /// Text in quotes, numbers, truths and times as they are, anything else as its REST JSON.
  package static func text(_ value: Value) -> String {
    var json = JSONWriter()
    switch value {
    case .string(let text): json.string(text)
    case .boolean(let truth): json.boolean(truth)
    case .integer(let number): json.integer(number)
    case .null: json.null()
    case .timestamp(let moment): return moment.description
    default: json.value(value)
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
