package import Schema

/// The type that a column got without a word from its heading, the options or the schema.
package struct ColumnGuess: Sendable {
  /// The index of the column.
  package let column: Int
  /// The number of cells that say something: neither empty nor null.
  package let cells: Int
  package internal(set) var type = Column.ValueType.string
  /// The order of its dates; nil if it has none whose year comes last.
  package internal(set) var dateOrder: DateOrder?
  /// Whether the name alone decided.
  package internal(set) var isByName = false
  /// What most cells say, and how many they are.
  package internal(set) var most = Column.ValueType.string
  package internal(set) var agreeing = 0
  /// The first rows of the cells that say something else.
  package private(set) var rows: [Int] = []
  /// The rows of the texts, where these are more than the other values, and few enough to be named.
  package internal(set) var textRows: [Int] = []
  /// The first of the cells that say something else, which is people's data.
  package private(set) var value = ""
  /// Whether nearly all cells agree on a type that is not the column's, so that people have to decide.
  package internal(set) var stops = false
  package internal(set) var note: String?
  /// Whether some of its numbers have a point that is one before decimals, as not three digits follow it.
  package internal(set) var hasPoints = false
  /// Whether it is text, and all its cells are words for true and false.
  package internal(set) var isOfWords = false
  /// How many dates of a sheet may have day and month swapped.
  package internal(set) var swappedDates = 0
  /// What there is to say of these, as a sentence; nil where there are none.
  package var swapped: String? { swappedDates > 0 ? SheetDays.remark(swappedDates) : nil }
  /// The options that would read the first of its texts as a number, where such options read each of them.
  package internal(set) var advice: String?

  init(column: Int, cells: Int) {
    self.column = column
    self.cells = cells
  }

  /// The number of cells that say something else than most.
  package var others: Int { cells - agreeing }

  mutating func add(_ rows: [Int], _ value: String) {
    guard let first = rows.first else { return }
    if self.rows.first.map({ first < $0 }) ?? true { self.value = value }
    self.rows = Array((self.rows + rows).sorted().prefix(TypeInference.maximumRows))
  }
}
