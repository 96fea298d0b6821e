extension DocumentRow {
  /// Its errors, without its values.
  var reason: String {
    faults.map { fault in
      guard let column = fault.column, fault.hasValue else {
        let isInField = fault.code != nil && fault.hasValue
        return isInField ? "\(fault.heading ?? "the id"): expected \(fault.expected)" : fault.expected
      }
      return "column \(column)\(fault.heading.map { " (\($0))" } ?? ""): expected \(fault.expected)"
    }.joined(separator: "; ")
  }
}

extension RowFault {
  /// Creates the error of a record that could not be parsed but after which reading continues; nil for a failure that ends
  /// the file.
  convenience init?(malformed failure: Failure) {
    guard let record = failure.record else { return nil }
    self.init(
      row: record.row ?? record.line,
      column: record.column,
      expected: failure.cause,
      failure: failure
    )
  }
}
