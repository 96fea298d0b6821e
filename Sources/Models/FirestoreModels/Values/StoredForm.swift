extension FieldMap {
  /// The fields as the service stores them, with timestamps rounded down to microseconds.
  ///
  /// Compare only this form with documents that were read.
  package var asStored: FieldMap {
    guard entries.contains(where: { !$0.value.isAsStored }) else { return self }
    return FieldMap(entries.map { FieldMap.Entry(name: $0.name, value: $0.value.asStored) })
  }
}

extension Value {
  fileprivate var isAsStored: Bool {
    switch self {
    case .timestamp(let moment): moment.nanoseconds % 1000 == 0
    case .array(let values): values.allSatisfy(\.isAsStored)
    case .map(let fields): fields.entries.allSatisfy { $0.value.isAsStored }
    default: true
    }
  }

  /// The value as the service stores and compares it.
  package var asStored: Value {
    switch self {
    case .timestamp(let moment): .timestamp(moment.flooredToMicroseconds)
    case .array(let values): .array(values.map(\.asStored))
    case .map(let fields): .map(fields.asStored)
    default: self
    }
  }
}
