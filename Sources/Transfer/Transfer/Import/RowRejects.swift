/// `rejects.csv`: rows of a table that could not be read, with the table's columns and the reason.
struct RowRejects {
  let path: String
  private let list = Locked<LineList?>(nil)

  /// Adds a row.
  ///
  /// - Throws: `.cannotWrite`.
  func add(_ row: RejectedRow) throws(Failure) {
    let list = list.withLock { list in
      let current = list ?? LineList(path, header: row.header)
      list = current
      return current
    }
    try list.append(row.line)
  }

  /// Describes the errors of a row, without its values.
  static func reason(_ faults: [RowFault]) -> String {
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
