import FirestoreModels
import Schema
import Tables

/// Writes rows of a table as CSV lines with the table's own columns, plus a column for the reason of a rejection.
///
/// Each line reads back as the original row, whatever the format of the table: typed cells of a sheet are written as an export
/// writes them, and inferred column types are written into the header.
struct CSVLines {
  /// The header, with its line end.
  let header: [UInt8]
  private let plan: TablePlan
  private var cellText: CellText

  init(_ plan: TablePlan, _ cellValues: CellValues) throws(Failure) {
    self.plan = plan
    cellText = cellValues.writing
    var header: [UInt8] = plan.isForExcel ? [0xEF, 0xBB, 0xBF] : []
    for index in plan.headings.indices {
      if case .reason = plan.roles[index] { continue }
      Self.append(Array(plan.typedHeading(index).utf8), isQuoted: false, to: &header)
      header.append(UInt8(ascii: ","))
    }
    header.append(contentsOf: TablePlan.reasonHeading.utf8)
    header.append(contentsOf: [0x0D, 0x0A])
    self.header = header
  }

  /// Returns the value of a cell of a sheet, as a type.
  typealias Parse = (CellRow, Int, Column.ValueType) throws(CellValues.Fault) -> Value?

  /// Returns the line of a row, with its line end; nil stands for a row that could not be parsed.
  mutating func line(_ row: CellRow?, _ reason: String, _ parse: Parse) -> [UInt8] {
    var line: [UInt8] = []
    for index in plan.headings.indices {
      if case .reason = plan.roles[index] { continue }
      if let row { append(row, index, parse, to: &line) }
      line.append(UInt8(ascii: ","))
    }
    Self.append(Array(reason.utf8), isQuoted: false, to: &line)
    line.append(contentsOf: [0x0D, 0x0A])
    return line
  }

  private mutating func append(_ row: CellRow, _ index: Int, _ parse: Parse, to line: inout [UInt8]) {
    let kind = row.kind(index)
    if kind == .missing { return }
    var text = Array(row[index].utf8)
    if plan.isSheet || plan.addressTypes[index] != nil, case .field(let column) = plan.roles[index],
      let value = try? parse(row, index, column.type)
    {
      text.removeAll()
      cellText.append(value, as: column.type, to: &text)
      return Self.append(text, isQuoted: text.isEmpty, to: &line)
    }
    if kind == .blankText { return }
    Self.append(text, isQuoted: kind == .text && text.isEmpty, to: &line)
  }

  private static func append(_ text: [UInt8], isQuoted: Bool, to line: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    let isNeeded =
      isQuoted || text.first == 0x20 || text.last == 0x20
      || text.contains { $0 == quote || $0 == UInt8(ascii: ",") || $0 == 0x0A || $0 == 0x0D }
    guard isNeeded else { return line.append(contentsOf: text) }
    line.append(quote)
    for byte in text {
      if byte == quote { line.append(quote) }
      line.append(byte)
    }
    line.append(quote)
  }
}
