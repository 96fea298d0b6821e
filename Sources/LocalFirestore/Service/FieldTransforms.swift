/// Applies field transforms (`DocumentTransform.FieldTransform` in google/firestore/v1/write.proto).
enum FieldTransforms {
  /// - Returns: The transform result in the commit response.
  /// - Throws: ``FirestoreError`` `.invalidArgument` for an operand of the wrong type.
  static func apply(
    _ transform: FieldTransform,
    to fields: inout FieldMap,
    commitTime: Timestamp
  ) throws(FirestoreError) -> Value {
    let stored = fields[transform.field]
    let result: Value
    switch transform.operation {
    case .requestTime: result = .timestamp(milliseconds(commitTime))
    case .increment(let operand): result = try sum(stored, operand)
    case .maximum(let operand): result = try extreme(stored, operand) { $0 < 0 }
    case .minimum(let operand): result = try extreme(stored, operand) { $0 > 0 }
    case .appendMissingElements(let elements):
      var values = stored?.array ?? []
      for element in elements.map(\.asStored) where !contains(values, element) { values.append(element) }
      fields[transform.field] = .array(values)
      return .null
    case .removeAllFromArray(let elements):
      let removed = elements.map(\.asStored)
      let values = (stored?.array ?? []).filter { !contains(removed, $0) }
      fields[transform.field] = .array(values)
      return .null
    }
    fields[transform.field] = result
    return result
  }

  private static func contains(_ values: [Value], _ value: Value) -> Bool {
    values.contains { ValueOrder.compare($0, value) == 0 }
  }

  private static func milliseconds(_ time: Timestamp) -> Timestamp {
    Timestamp(seconds: time.seconds, nanoseconds: time.nanoseconds / 1_000_000 * 1_000_000) ?? time
  }

  private static func sum(_ stored: Value?, _ operand: Value) throws(FirestoreError) -> Value {
    switch (stored, operand) {
    case (.integer(let a)?, .integer(let b)):
      let (sum, overflow) = a.addingReportingOverflow(b)
      // Overflow saturates at the bound of the operand's sign.
      return .integer(overflow ? (b < 0 ? .min : .max) : sum)
    case (.integer(let a)?, .double(let b)): return .double(Double(a) + b)
    case (.double(let a)?, .integer(let b)): return .double(a + Double(b))
    case (.double(let a)?, .double(let b)): return .double(a + b)
    case (_, .integer), (_, .double): return operand
    default: throw .invalid("increment requires a number.")
    }
  }

  /// The operand if the stored number loses the comparison, NaN if either is NaN, otherwise the stored
  /// number.
  private static func extreme(
    _ stored: Value?,
    _ operand: Value,
    loses: (Int) -> Bool
  ) throws(FirestoreError) -> Value {
    switch operand {
    case .integer, .double: break
    default: throw .invalid("maximum and minimum require a number.")
    }
    guard let stored else { return operand }
    switch stored {
    case .integer: break
    case .double(let number): if number.isNaN { return stored }
    default: return operand
    }
    if case .double(let number) = operand, number.isNaN { return operand }
    return loses(ValueOrder.compare(stored, operand)) ? operand : stored
  }
}
