import Schema
import Tables

/// Writes rows of a table as CSV lines with the table's own columns, plus the reason of a rejection and the row as it was.
///
/// Each line reads back as the original row, whatever the format of the table: typed cells of a sheet are written as an export
/// writes them, and inferred column types are written into the header. Texts that look like formulas have an apostrophe,
/// which reading takes off again. A row whose cells are not those of the header has none, but stands in the last column
/// as it was, and is refused until they are filled.
struct RejectLines {
  /// The header, with its line end.
  let header: [UInt8]
  private let plan: TablePlan
  private let cellValues: CellValues
  private var cellText: CellText
  private let delimiter: CSVDelimiter
  private let writer: CSVLineWriter
  /// The writer of what is text, whatever it looks like.
  private let guarding: CSVLineWriter

  /// - Parameter delimiter: That of the table, so that the list opens in the same spreadsheet; one that a reader does not
  ///   find in a header gives way to the comma.
  init(_ plan: TablePlan, _ cellValues: CellValues, _ delimiter: CSVDelimiter) throws(Failure) {
    self.plan = plan
    self.cellValues = cellValues
    let delimiter = CSVDelimiter.usual.contains(delimiter) ? delimiter : .comma
    self.delimiter = delimiter
    writer = CSVLineWriter(delimiter: delimiter)
    guarding = CSVLineWriter(delimiter: delimiter, guardsFormulas: true)
    let writing = cellValues.writing
    cellText = try CellText(nullText: writing.nullText, timeZone: writing.timeZone, neutralisesFormulas: true)
    let headings = plan.headings.indices.compactMap { index -> String? in
      if case .reason = plan.roles[index] { nil } else { plan.typedHeading(index) }
    }
    // A heading with other delimiters could be taken for several ones without quotes.
    let others = CSVDelimiter.usual.map(\.byte)
    let isAmbiguous = headings.contains { $0.utf8.contains { others.contains($0) } }
    let line = CSVLineWriter(
      delimiter: delimiter,
      quoting: isAmbiguous ? .always : .whereNeeded,
      guardsFormulas: true
    ).bytes(headings + [TablePlan.reasonHeading, TablePlan.rawHeading])
    header = CSVLineWriter.byteOrderMark + line
  }

  /// Returns the value of a cell of a sheet, as a type.
  typealias Parse = (CellRow, Int, Column.ValueType) throws(CellValues.Fault) -> Value?

  /// Returns the line of a row, with its line end.
  ///
  /// - Parameters:
  ///   - row: The row; nil for one whose cells are not those of the header.
  ///   - raw: The row as it was; empty if its cells say all.
  mutating func line(_ row: CellRow?, _ reason: String, raw: [UInt8], _ parse: Parse) -> [UInt8] {
    var line: [UInt8] = []
    for index in plan.headings.indices {
      if case .reason = plan.roles[index] { continue }
      if let row { append(row, index, parse, to: &line) }
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
    // An empty cell of a sheet may be an empty text.
    if kind == .missing, !plan.isSheet || index == plan.idColumn { return }
    if index == plan.idColumn, let name = try? cellValues.name(of: row, index) {
      return guarding.append(name.utf8, to: &line)
    }
    let start = line.count
    if plan.isSheet || plan.addressTypes[index] != nil, case .field(let column) = plan.roles[index],
      let value = try? parse(row, index, column.type)
    {
      append(value, as: column.type, to: &line)
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

  /// Appends a value as the list is read: with a decimal comma where the options of the table say so.
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

  /// Whether the text of a cell is a formula for a spreadsheet, and no number or null for the import.
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
  /// The cell that a row must not have, behind the last column of the header and in none that is left out; nil if there is none.
  ///
  /// It has a value; or it is an empty one of CSV, as a comma that was not quoted may have moved the others.
  ///
  /// - Parameter width: How many cells a row of CSV may have, as all have delimiters at their ends.
  func surplus(of row: CellRow, without skipped: Set<Int>, upTo width: Int) -> Int? {
    guard row.count > headings.count else { return nil }
    let behind = (headings.count..<row.count).filter { !skipped.contains($0 + 1) }
    return behind.first { !row.isBlank($0) } ?? (isSheet ? nil : behind.first { $0 >= width })
  }

  /// Whether a row is the header again: at least two of its cells have a value, and each is the heading of its column.
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

  /// Whether a row of a list of rejects says only why, and what it was.
  func isUnfilled(_ row: CellRow) -> Bool {
    var isRejected = false
    for index in 0..<row.count where !row.isBlank(index) {
      guard headings.indices.contains(index), case .reason = roles[index] else { return false }
      isRejected = true
    }
    return isRejected
  }

  /// The text of a row's column for what it was.
  func raw(of row: CellRow) -> String {
    headings.firstIndex { $0.isIdentical(to: Self.rawHeading) }.map { CellForm.unguarded(row[$0]) } ?? ""
  }
}

/// The bytes of a row as text from which they can be had again.
enum RawRow {
  private static let mark = "bytes:"

  /// What is UTF-8 is the text as it is; of anything else, the bytes that are not text are `\xF3`, a backslash is `\\`, and
  /// `bytes:` precedes it.
  static func text(_ bytes: [UInt8]) -> [UInt8] {
    if String(validating: bytes, as: UTF8.self) != nil, !bytes.starts(with: mark.utf8) { return bytes }
    var out = Array(mark.utf8)
    var at = 0
    while at < bytes.count {
      let length = scalarLength(bytes[at...])
      if length == 0 {
        out += "\\x\(hex(bytes[at] >> 4))\(hex(bytes[at] & 15))".utf8
      } else {
        if bytes[at] == UInt8(ascii: "\\") { out.append(UInt8(ascii: "\\")) }
        out += bytes[at..<(at + length)]
      }
      at += max(1, length)
    }
    return out
  }

  /// The number of bytes of the character at the beginning; 0 if it is none.
  private static func scalarLength(_ bytes: ArraySlice<UInt8>) -> Int {
    guard let first = bytes.first else { return 0 }
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    let scalar = bytes.prefix(length)
    return scalar.count == length && String(validating: scalar, as: UTF8.self) != nil ? length : 0
  }

  private static func hex(_ digit: UInt8) -> String { String(digit, radix: 16, uppercase: true) }
}
