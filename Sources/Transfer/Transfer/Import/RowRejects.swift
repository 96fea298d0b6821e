import Files
import FirestoreModels
import Runs

/// `rejects.csv`: the rows of a table that could not be read, in the table's shape, each with what is wrong with it.
struct RowRejects {
  private let path: String
  private let list = Locked<LineList?>(nil)

  init(_ path: String) {
    self.path = path
  }

  /// Adds a row.
  ///
  /// - Throws: `.cannotWrite`.
  func add(_ row: RejectedRow) throws(Failure) {
    let list = list.withLock { list in
      let made = list ?? LineList(path, header: row.header)
      list = made
      return made
    }
    try list.append(row.line)
  }

  /// What is wrong with a row, in words and without its values.
  static func reason(_ faults: [RowFault]) -> String {
    faults.map { fault in
      guard let column = fault.column, fault.value != nil else { return fault.expected }
      return "column \(column)\(fault.heading.map { " (\($0))" } ?? ""): expected \(fault.expected)"
    }.joined(separator: "; ")
  }
}
