import FirestoreModels
import Schema

extension Value {
  /// The value of its type that says nothing: what becomes of one whose type its rule does not know.
  var emptied: Value {
    switch self {
    case .null: .null
    case .boolean: .boolean(false)
    case .integer: .integer(0)
    case .double: .double(0)
    case .timestamp: Timestamp(seconds: 0).map { .timestamp($0) } ?? .null
    case .string: .string("")
    case .bytes: .bytes([])
    case .reference: .null
    case .geoPoint: .geoPoint(GeoPoint(latitude: 0, longitude: 0))
    case .array: .array([])
    case .map(let fields):
      if let vector = fields.vector {
        .map(["__type__": .string("__vector__"), "value": .array(vector.map { _ in .double(0) })])
      } else {
        .map([:])
      }
    }
  }
}

extension FieldSchema {
  /// Returns a masked text that is blank if the text before was, and that has the field's format if that had it, and not
  /// if it had not.
  ///
  /// So `check` says of a copy what it says of the source. A format that the rule does not make, such as a pattern, is
  /// not made here.
  func asValid(_ masked: String, as text: String) -> String {
    if PlainText.isBlank(text) { return text }
    if PlainText.isBlank(masked) { return "?" }
    guard let format, format.matches(masked), !format.matches(text) else { return masked }
    // No format takes it but a pattern.
    return "? \(masked)"
  }

  /// Returns a masked number or time that is within the field's bounds if the value before was, and beyond the same
  /// bound if it was not.
  func asValid(_ masked: Value, as value: Value) -> Value {
    let isInside = range.contains(value)
    if range.contains(masked) == isInside { return masked }
    let decides = isInside ? masked : value
    let (low, high) = (range.minimum, range.maximum)
    if let low, ValueOrder.compare(decides, low) < 0 { return masked.at(low, .up, isInside ? 0 : -1) }
    if let high, ValueOrder.compare(decides, high) > 0 { return masked.at(high, .down, isInside ? 0 : 1) }
    return masked
  }

  /// Returns words, as long as the text before where the field's bounds take only one of the two.
  func asLong(_ words: String, as text: String) -> String {
    if range.isEmpty || range.contains(.string(words)) == range.contains(.string(text)) { return words }
    var (scalars, count) = (String.UnicodeScalarView(), text.unicodeScalars.count)
    while count > 0, !words.isEmpty {
      scalars += words.unicodeScalars.prefix(count)
      count -= min(count, words.unicodeScalars.count)
    }
    return String(scalars)
  }
}

extension Value {
  /// A number or a time at a bound, or beyond it by so much, of the type that it has.
  fileprivate func at(_ bound: Value, _ rounding: FloatingPointRoundingRule, _ distance: Int) -> Value {
    switch (self, bound) {
    case (.double, .double(let bound)): .double(bound + Double(distance))
    case (.double, .integer(let bound)): .double(Double(bound) + Double(distance))
    case (.integer, .integer(let bound)): .integer(bound + Int64(distance))
    case (.integer, .double(let bound)):
      Int64(exactly: bound.rounded(rounding)).map { .integer($0 + Int64(distance)) } ?? self
    case (.timestamp, .timestamp(let bound)):
      Timestamp(seconds: bound.seconds + Int64(distance)).map { .timestamp($0) } ?? self
    default: self
    }
  }
}
