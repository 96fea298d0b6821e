import FirestoreModels
import Schema

extension Value {
  /// The empty value of the same type, which replaces a value whose type its rule does not handle.
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

extension MaskedCollection.Field {
  /// Returns a masked text that is blank if the original is, and that violates the field's format if the original does.
  ///
  /// So `check` finds the same in a copy as in the source. A text that matches the format keeps doing so only if its rule
  /// makes such texts.
  func asValid(_ masked: String, as text: String) -> String {
    if PlainText.isBlank(text) { return text }
    guard let format = schema.format, format.matches(masked), !format.matches(text) else { return masked }
    // No format accepts this, except possibly a pattern.
    return "? \(masked)"
  }

  /// Returns a masked number or time that is within the field's bounds if the original is, or else beyond the same bound.
  ///
  /// A value that left the bounds is reflected back into them, but not to the original value.
  /// One that left the bounds comes as far back, and not to the value that it was.
  func asValid(_ masked: Value, as value: Value) -> Value {
    let range = schema.range
    if range.isEmpty { return masked }
    let isInside = range.contains(value)
    if range.contains(masked) == isInside { return masked }
    return isInside ? masked.folded(into: range, unlike: value) : masked.beyond(range, as: value)
  }

  /// Returns a masked text whose length is within the field's bounds if that of the original is, or else just beyond the
  /// same bound.
  ///
  /// An address is cut or lengthened before its `@`, so that its domain stays.
  func asLong(_ masked: String, as text: String, _ rule: MaskRule) -> String {
    let range = schema.range
    if range.isEmpty || !schema.accepts(.string(text)) { return masked }
    let least = Int(clamping: range.minimum?.whole(.up) ?? 0)
    let most = Int(clamping: range.maximum?.whole(.down) ?? .max)
    let (scalars, count) = (Array(masked.unicodeScalars), text.unicodeScalars.count)
    var length = min(max(scalars.count, least), most)
    if count < least { length = min(scalars.count, least - 1) }
    if count > most { length = max(scalars.count, most + 1) }
    if length == scalars.count { return masked }
    var end = scalars.endIndex
    if case .email = rule.kind { end = scalars.lastIndex(of: "@") ?? end }
    let (head, tail) = (scalars[..<end], scalars[end...])
    var fitted = String.UnicodeScalarView(head.prefix(max(0, length - tail.count)))
    if let last = head.last { fitted += repeatElement(last, count: max(0, length - scalars.count)) }
    fitted += tail.prefix(length)
    return String(fitted)
  }
}

extension Value {
  /// A number or time reflected into bounds by the distance it is beyond one, and different from `value` if possible.
  fileprivate func folded(into range: ValueRange, unlike value: Value) -> Value {
    switch self {
    case .integer(let number):
      let (low, high) = (range.minimum?.whole(.up) ?? .min, range.maximum?.whole(.down) ?? .max)
      return .integer(number.folded(low, high, unlike: value.integer))
    case .double(let number):
      let (low, high) = (range.minimum?.measure ?? -.infinity, range.maximum?.measure ?? .infinity)
      let folded = min(max(number > high ? 2 * high - number : 2 * low - number, low), high)
      if folded != value.measure { return .double(folded) }
      let other = high.isFinite && folded < high ? high : low
      return .double(other.isFinite ? folded / 2 + other / 2 : folded)
    case .timestamp(let time):
      let low = range.minimum?.timestamp.map { $0.seconds + ($0.nanoseconds > time.nanoseconds ? 1 : 0) }
      let high = range.maximum?.timestamp.map { $0.seconds - ($0.nanoseconds < time.nanoseconds ? 1 : 0) }
      let seconds = time.seconds.folded(
        low ?? Timestamp.minimumSeconds,
        high ?? Timestamp.maximumSeconds,
        unlike: value.timestamp?.seconds
      )
      return Timestamp(seconds: seconds, nanoseconds: time.nanoseconds).map { .timestamp($0) } ?? .null
    default: return self
    }
  }

  /// A number or time of the same type, just beyond the bound that a value is beyond.
  fileprivate func beyond(_ range: ValueRange, as value: Value) -> Value {
    if let low = range.minimum, ValueOrder.compare(value, low) < 0 { return next(to: low, -1, .up) }
    if let high = range.maximum, ValueOrder.compare(value, high) > 0 { return next(to: high, 1, .down) }
    return self
  }

  private func next(to bound: Value, _ step: Int64, _ rounding: FloatingPointRoundingRule) -> Value {
    switch self {
    case .double:
      guard let bound = bound.measure else { return self }
      return .double(step > 0 ? max(bound + 1, bound.nextUp) : min(bound - 1, bound.nextDown))
    case .integer:
      return .integer(bound.whole(rounding)?.addingReportingOverflow(step).partialValue ?? 0)
    case .timestamp:
      guard let bound = bound.timestamp else { return self }
      return Timestamp(seconds: bound.seconds + step, nanoseconds: bound.nanoseconds).map { .timestamp($0) }
        ?? self
    default: return self
    }
  }

  /// A number as a double.
  private var measure: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  /// A number as an integer.
  fileprivate func whole(_ rounding: FloatingPointRoundingRule) -> Int64? {
    switch self {
    case .integer(let number): number
    case .double(let number): Int64(exactly: number.rounded(rounding))
    default: nil
    }
  }
}

extension Int64 {
  /// The number reflected into bounds by the distance it is beyond one.
  fileprivate func folded(_ low: Int64, _ high: Int64, unlike other: Int64?) -> Int64 {
    if low > high { return self }
    let (distance, isFar) =
      self > high ? subtractingReportingOverflow(high) : low.subtractingReportingOverflow(self)
    let (back, isFarther) =
      self > high ? high.subtractingReportingOverflow(distance) : low.addingReportingOverflow(distance)
    let folded = isFar || isFarther ? low : Swift.min(Swift.max(back, low), high)
    if folded != other { return folded }
    return folded < high ? folded + 1 : folded > low ? folded - 1 : folded
  }
}
