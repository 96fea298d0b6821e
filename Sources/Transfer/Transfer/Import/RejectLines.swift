import Schema
import Tables

/// Writes rows of a table as CSV lines with the table's own columns, plus the reason of the rejection and the original row.
///
/// Each line reads back as the original row, whatever the format of the table: typed cells of a sheet are written as an
/// export writes them, and inferred column types are added to the header, as is the table's ``RejectOrigin``. Columns that an
/// option skips are left out, because a spreadsheet may change the numbers of columns. Texts that look like formulas get an
/// apostrophe, which reading removes. A row whose cells do not match the header leaves them empty; it is only in the last
/// column, as it was, and is refused until the cells are filled in.
struct RejectLines {
  /// The header, with its line end.
  let header: [UInt8]
  private let plan: TablePlan
  /// The columns of the table that the list has.
  private let columns: [Int]
  /// Whether the first column of the list has IDs for which the table has no column.
  private let addsIDs: Bool
  private let cellValues: CellValues
  private var cellText: CellText
  private let delimiter: CSVDelimiter
  private let writer: CSVLineWriter
  /// The writer of texts, which guards those that look like formulas.
  private let guarding: CSVLineWriter

  /// - Parameters:
  ///   - origin: What the list says of the table.
  ///   - delimiter: The delimiter of the table, so that the list opens in the same spreadsheet; one that a reader cannot
  ///     detect in a header is replaced by the comma.
  init(
    _ plan: TablePlan,
    _ cellValues: CellValues,
    of origin: RejectOrigin,
    _ delimiter: CSVDelimiter
  ) throws(Failure) {
    self.plan = plan
    columns = plan.roles.indices.filter { index in
      switch plan.roles[index] {
      case .reason, .skipped: false
      default: true
      }
    }
    addsIDs = plan.idColumn == nil
    self.cellValues = cellValues
    let delimiter = CSVDelimiter.usual.contains(delimiter) ? delimiter : .comma
    self.delimiter = delimiter
    writer = CSVLineWriter(delimiter: delimiter)
    guarding = CSVLineWriter(delimiter: delimiter, guardsFormulas: true)
    let writing = cellValues.writing
    cellText = try CellText(nullText: writing.nullText, timeZone: writing.timeZone, neutralisesFormulas: true)
    let headings =
      (addsIDs ? [TablePlan.idHeading] : [])
      + columns.map { plan.typedHeading($0, unless: cellValues.dateOrder) }
    // Without quotes, a heading that contains another delimiter could be taken for several headings.
    let others = CSVDelimiter.usual.map(\.byte)
    let isAmbiguous = headings.contains { $0.utf8.contains { others.contains($0) } }
    let line = CSVLineWriter(
      delimiter: delimiter,
      quoting: isAmbiguous ? .always : .whereNeeded,
      guardsFormulas: true
    ).bytes(headings + [origin.heading, TablePlan.rawHeading])
    header = CSVLineWriter.byteOrderMark + line
  }

  /// Parses a cell of a sheet as a type.
  typealias Parse = (CellRow, Int, Column.ValueType) throws(CellValues.Fault) -> Value?

  /// Returns the line of a row, with its line end.
  ///
  /// - Parameters:
  ///   - row: The row; nil if its cells do not match the header.
  ///   - newID: The ID that was made for the row, by which the corrected row finds the document of an imported one.
  ///   - raw: The original row; empty if its cells say everything.
  mutating func line(
    _ row: CellRow?,
    _ newID: String?,
    _ reason: String,
    raw: [UInt8],
    _ parse: Parse
  ) -> [UInt8] {
    var line: [UInt8] = []
    if addsIDs {
      if row != nil, let newID { guarding.append(newID.utf8, to: &line) }
      line.append(delimiter.byte)
    }
    for index in columns {
      if let row {
        let isOfID = index == plan.idColumn || index == plan.idField && row.kind(index) == .missing
        if isOfID, let newID {
          guarding.append(newID.utf8, to: &line)
        } else {
          append(row, index, parse, to: &line)
        }
      }
      line.append(delimiter.byte)
    }
    guarding.append(reason.utf8, to: &line)
    line.append(delimiter.byte)
    guarding.append(raw, to: &line)
    writer.endLine(&line)
    return line
  }

  private mutating func append(_ row: CellRow, _ index: Int, _ parse: Parse, to line: inout [UInt8]) {
    let kind = row.kind(index)
    // In a sheet, an empty cell may be an empty text.
    if kind == .missing, !plan.isSheet || index == plan.idColumn { return }
    if index == plan.idColumn, let name = try? cellValues.name(of: row, index) {
      return guarding.append(name.utf8, to: &line)
    }
    let start = line.count
    if plan.isSheet || plan.addressTypes[index] != nil, let type = type(of: index),
      let value = try? parse(row, index, type)
    {
      append(value, as: type, to: &line)
    } else if kind == .missing {
      return
    } else {
      let text = Array(row[index].utf8)
      if isUnguarded(text) { line.append(UInt8(ascii: "'")) }
      line.append(contentsOf: text)
    }
    if line.count > start {
      writer.quote(&line, from: start)
    } else if plan.isSheet || kind == .text {
      line.append(contentsOf: "\"\"".utf8)
    }
  }

  /// The type of a column of values; nil for any other column.
  private func type(of index: Int) -> Column.ValueType? {
    switch plan.roles[index] {
    case .field(let column): column.type
    case .rest: .any
    default: nil
    }
  }

  /// Appends a value in the form in which the list is read: with a decimal comma if the table's options say so.
  private mutating func append(_ value: Value, as type: Column.ValueType, to line: inout [UInt8]) {
    let start = line.count
    cellText.append(value, as: type, to: &line)
    guard cellValues.usesDecimalComma, case .double = value,
      let point = line[start...].firstIndex(of: UInt8(ascii: "."))
    else { return }
    if !line[start...].contains(UInt8(ascii: "e")) { return line[point] = UInt8(ascii: ",") }
    line.removeSubrange(start...)
    cellText.append(value, as: .string, to: &line)
  }

  /// Whether a cell's text is a formula for a spreadsheet, but neither a number nor null for the import.
  private func isUnguarded(_ text: [UInt8]) -> Bool {
    guard CellForm.isFormula(text), !(plan.isForExcel && text.first == UInt8(ascii: "'")) else {
      return false
    }
    return text.withUnsafeBufferPointer {
      CellForm($0) == .text && !cellValues.isNull($0) && !cellValues.isNumberWithComma($0)
    }
  }
}

extension TablePlan {
  /// Whether a row repeats the header: at least two of its cells have a value, and each is the heading of its column.
  func isHeader(_ row: CellRow) -> Bool {
    var found = 0
    for index in 0..<row.count where !row.isBlank(index) {
      guard headings.indices.contains(index),
        PlainText.trimmed(row[index], where: Spacing.isInvisible).isIdentical(to: headings[index])
      else { return false }
      found += 1
    }
    return found > 1
  }

  /// Whether a row of a list of rejects has only the reason and the original row.
  func isUnfilled(_ row: CellRow) -> Bool {
    var isRejected = false
    for index in 0..<row.count where !row.isBlank(index) {
      guard headings.indices.contains(index), case .reason = roles[index] else { return false }
      isRejected = true
    }
    return isRejected
  }

  /// The original row, from the column for it.
  func raw(of row: CellRow) -> String {
    headings.firstIndex { $0.isIdentical(to: Self.rawHeading) }.map { CellForm.unguarded(row[$0]) } ?? ""
  }
}

/// Converts the bytes of a row to text from which they can be recovered.
enum RawRow {
  private static let mark = "bytes:"

  /// Returns UTF-8 as it is; other text is preceded by `bytes:`, with `\xF3` for a byte that is not text and `\\` for a
  /// backslash.
  static func text(_ bytes: [UInt8]) -> [UInt8] {
    if String(validating: bytes, as: UTF8.self) != nil, !bytes.starts(with: mark.utf8) { return bytes }
    var out = Array(mark.utf8)
    var at = 0
    while at < bytes.count {
      let length = scalarLength(bytes[at...])
      if length == 0 {
        out += Array("\\x".utf8) + Hexadecimal.digits(of: [bytes[at]], areUpper: true)
      } else {
        if bytes[at] == UInt8(ascii: "\\") { out.append(UInt8(ascii: "\\")) }
        out += bytes[at..<(at + length)]
      }
      at += max(1, length)
    }
    return out
  }

  /// The length in bytes of the character at the beginning; 0 if there is no valid one.
  private static func scalarLength(_ bytes: ArraySlice<UInt8>) -> Int {
    guard let first = bytes.first else { return 0 }
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    let scalar = bytes.prefix(length)
    return scalar.count == length && String(validating: scalar, as: UTF8.self) != nil ? length : 0
  }
}
