package import Schema

/// The type inferred for a column that has none by its heading, the options or the schema.
package struct ColumnGuess: Sendable {
  /// The index of the column.
  package let column: Int
  /// The number of cells that have a value: neither empty nor null.
  package let cells: Int
  package internal(set) var type = Column.ValueType.string
  /// The order of its dates; nil if it has none whose year comes last.
  package internal(set) var dateOrder: DateOrder?
  /// Whether the type follows from the name alone.
  package internal(set) var isByName = false
  /// The type of most cells, and the number of these cells.
  package internal(set) var most = Column.ValueType.string
  package internal(set) var agreeing = 0
  /// The first rows of the cells of other types.
  package private(set) var rows: [Int] = []
  /// The rows of the texts, if most cells are texts but few enough to be listed.
  package internal(set) var textRows: [Int] = []
  /// The first cell of another type, which is user data.
  package private(set) var value = ""
  /// Whether nearly all cells agree on a type that is not the column's, so that the user must decide.
  package internal(set) var stops = false
  package internal(set) var note: String?
  /// Whether some of its numbers certainly have a decimal point, as it is not followed by three digits.
  package internal(set) var hasPoints = false
  /// Whether it is text, and all its cells are words for true and false.
  package internal(set) var isOfWords = false
  /// The number of dates of a sheet in which day and month may be swapped.
  package internal(set) var swappedDates = 0
  /// The warning about these dates, as a sentence; nil if there are none.
  package var swapped: String? { swappedDates > 0 ? SheetDays.remark(swappedDates) : nil }
  /// The options that would read the first of its texts as a number, if they would read all of them so.
  package internal(set) var advice: String?

  init(column: Int, cells: Int) {
    self.column = column
    self.cells = cells
  }

  /// The number of cells of other types than most.
  package var others: Int { cells - agreeing }

  mutating func add(_ rows: [Int], _ value: String) {
    guard let first = rows.first else { return }
    if self.rows.first.map({ first < $0 }) ?? true { self.value = value }
    self.rows = Array((self.rows + rows).sorted().prefix(TypeInference.maximumRows))
  }
}
