/// A row of a CSV file or sheet: its cells as text, each with its kind.
///
/// The value is reused for each row, so that a long file needs only the memory of its longest row.
package struct CellRow: Sendable {
  /// The kind of a cell according to the file.
  package enum Kind: UInt8, Sendable {
    /// Empty, whatever its format.
    case missing
    /// Unquoted text in a CSV file, which may be a number, a date or a boolean.
    case bare
    /// Text: quoted, or from a sheet; may be empty.
    case text
    /// A number of a sheet, as the shortest digits that represent it.
    case number
    /// A whole number that its format shows as a code, or a number before a percent sign that is text, as the sheet shows it:
    /// `03100`, `001-234`, `16%`.
    case padded
    /// A number in a cell with text format, which only programs write.
    case textNumber
    /// A number that export marked as a double or an integer, contrary to the default of its column.
    case double, integer
    /// A boolean of a sheet, as `true` or `false`.
    case boolean
    /// A date of a sheet, such as `2026-12-31T18:30:00`, without a zone.
    case date
    /// A time of day of a sheet, such as `18:30` or `18:30:15`.
    case time
    /// A length of time of a sheet, such as `255:10:10`.
    case duration
    /// The number of a date in a sheet that no calendar has: 29 February 1900, or one before 1900.
    case impossibleDate
    /// An error value of the spreadsheet, such as `#N/A`.
    case error
    /// A formula without a stored result, preceded by an equals sign.
    case formula
  }

  struct Cell {
    var start: Int
    var end: Int
    var kind: Kind
  }

  /// The number of the row in its sheet, or of its first line in a CSV file, from 1.
  package internal(set) var number = 0
  /// The row as a spreadsheet counts it, from 1; differs from ``number`` only in CSV files with line breaks in cells.
  package internal(set) var row = 0
  /// The columns of its dates whose format is not one of an export.
  package internal(set) var typedDates: Set<Int> = []
  /// The columns of its numbers that the sheet shows as percentages.
  package internal(set) var percents: Set<Int> = []
  /// The numbers of its padded cells, by their columns.
  var padded: [Int: Double] = [:]
  var bytes: [UInt8] = []
  var cells: [Cell] = []

  /// The row for messages, with its line if that number differs.
  package var place: String { Self.place(row: row, line: number) }

  package static func place(row: Int, line: Int) -> String {
    row == line ? "row \(row)" : "row \(row) (line \(line))"
  }

  package var count: Int { cells.count }

  /// Returns the kind of a cell, from 0; `missing` beyond the last one.
  package func kind(_ index: Int) -> Kind { cells.indices.contains(index) ? cells[index].kind : .missing }

  /// The text of a cell, from 0; empty beyond the last one.
  package subscript(index: Int) -> String {
    guard cells.indices.contains(index) else { return "" }
    return String(decoding: bytes[cells[index].start..<cells[index].end], as: UTF8.self)
  }

  /// Calls `body` with the UTF-8 of a cell, which must not escape; empty beyond the last one.
  package func withUTF8<Result, Failure>(
    of index: Int,
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard cells.indices.contains(index) else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
    let cell = cells[index]
    return try bytes.span.withUnsafeBufferPointer { bytes throws(Failure) in
      try body(UnsafeBufferPointer(rebasing: bytes[cell.start..<cell.end]))
    }
  }

  /// Returns the number in a cell; nil if the cell does not contain one.
  func number(_ index: Int) -> Double? {
    switch kind(index) {
    case .number, .textNumber, .double, .integer: Double(self[index])
    case .padded: padded[index]
    default: nil
    }
  }

  /// Returns why a cell of a sheet has no value; nil if it has one or is empty.
  func lack(_ index: Int) -> String? {
    switch kind(index) {
    case .error: "the cell is an error of the spreadsheet"
    case .formula:
      "the cell is a formula without a stored result; save the workbook in a spreadsheet, or type the value"
    case .impossibleDate where self[index] == SheetDate.missingDate:
      "the cell is 29 February 1900, which did not exist"
    case .impossibleDate where self[index].hasPrefix("0"):
      "the cell is a time in a format of dates, which shows day 0; give it a format of times"
    case .impossibleDate: "the cell is a \(self[index].hasPrefix("-") ? "negative date" : "date after 9999")"
    default: nil
    }
  }

  package var texts: [String] { cells.indices.map { self[$0] } }

  /// The texts of a header, in which a date of a sheet is as plain CSV writes it: `2026-12-31`.
  var headings: [String] {
    cells.indices.map { kind($0) == .date ? CellValues.shown(date: self[$0]) : self[$0] }
  }

  /// Whether a cell has no value: it is missing, empty or contains invisible characters only.
  package func isBlank(_ index: Int) -> Bool {
    switch kind(index) {
    case .missing: true
    case .bare, .text: withUTF8(of: index, Spacing.isBlank)
    default: false
    }
  }

  /// Whether no cell has a value.
  ///
  /// - Parameter keepsSpaces: Whether white space counts as a value, as it may be an ID.
  func isBlank(keepsSpaces: Bool) -> Bool {
    if keepsSpaces { return cells.allSatisfy { $0.start == $0.end } }
    return cells.indices.allSatisfy(isBlank)
  }

  // MARK: Filling

  mutating func begin(number: Int, row: Int? = nil) {
    (self.number, self.row) = (number, row ?? number)
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    if !typedDates.isEmpty { typedDates.removeAll() }
    if !percents.isEmpty { percents.removeAll(keepingCapacity: true) }
    if !padded.isEmpty { padded.removeAll(keepingCapacity: true) }
  }

  /// Adds a cell with the bytes appended since the last one.
  mutating func endCell(_ kind: Kind) {
    cells.append(Cell(start: cells.last?.end ?? 0, end: bytes.count, kind: kind))
  }
}
