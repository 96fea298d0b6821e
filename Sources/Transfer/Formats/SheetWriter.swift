import CXLSXWriter
import Models

/// Takes the documents of one sheet of an ``XLSXWriter``.
///
/// Cells are numbers, booleans and dates where the value is of its column's type and Excel has such a thing, else text by
/// the rules of ``CellText``: integers beyond 2^53, `NaN`, `Infinity` and doubles that Excel has no number for, dates before 1 March 1900 (Excel's calendar is
/// wrong before) are text of their own form; strings are text as they are. An empty text is an empty cell in text
/// format, a missing value no cell.
final class SheetWriter: CollectionWriter {
  private(set) var documentCount = 0

  private let workbook: XLSXWriter
  private let first: UnsafeMutablePointer<lxw_worksheet>
  private let name: String
  private let collection: CollectionPath
  private var plan: ColumnPlan
  private var cellText: CellText
  private var rows: SheetRows?

  private var cells: [Value?] = []
  private var text: [UInt8] = []
  private var escaped: [UInt8] = []
  /// The longest text seen under each column in the rows that are sampled; the name's first.
  private var lengths: [Int] = [0]

  private static let sampledRows = 1000
  private static let largestExact: UInt64 = 1 << 53

  init(
    of workbook: XLSXWriter,
    first: UnsafeMutablePointer<lxw_worksheet>,
    name: String,
    collection: CollectionPath,
    fields: [FieldPath]?,
    folder: String
  ) throws(Failure) {
    self.workbook = workbook
    self.first = first
    self.name = name
    self.collection = collection
    if let fields {
      plan = try ColumnPlan(collection: collection, fields: fields)
    } else {
      plan = ColumnPlan(collection: collection)
    }
    cellText = try CellText(nullText: workbook.options.nullText, timeZone: workbook.options.timeZone)
    rows = try SheetRows(in: folder)
  }

  func append(contentsOf documents: [RawDocument]) throws(Failure) {
    for document in documents {
      guard let name = document.path.name(below: collection) else {
        throw Failure(
          .internal,
          "write a row",
          path: document.path.string,
          cause: "the document is not below the collection \(collection)"
        )
      }
      plan.place(document.fields, into: &cells)
      while lengths.count <= cells.count { lengths.append(0) }
      text.removeAll(keepingCapacity: true)
      text.append(contentsOf: name)
      try addText(column: 0, isTextLike: true, of: name)
      for index in cells.indices {
        guard let value = cells[index] else { continue }
        cells[index] = nil
        try add(value, index, of: name)
      }
      try rows?.endRow()
      documentCount += 1
    }
  }

  func finish() throws(Failure) {
    guard var rows = rows.take() else { return }
    let header =
      ["__name__"] + plan.columns.map { plan.heading(of: $0, workbook.options.header) }
    let widths = header.enumerated().map { index, heading in
      // The autofilter's arrow covers two characters of a heading.
      let sampled = index < lengths.count ? lengths[index] : 0
      return Double(min(max(sampled, heading.unicodeScalars.count + 2, 8), 60)) + 1
    }
    try workbook.write(&rows, header: header, widths: widths, name: name, first: first)
  }

  // MARK: Cells

  private func add(_ value: Value, _ index: Int, of name: Substring.UTF8View) throws(Failure) {
    let column = plan.columns[index]
    switch (value, column.type) {
    case (.integer(let number), .integer), (.integer(let number), .double), (.integer(let number), .any):
      if number.magnitude <= Self.largestExact {
        rows?.number(Double(number), column: index + 1)
        return sample(index + 1, 12)
      }
    case (.double(let number), .double), (.double(let number), .integer), (.double(let number), .any):
      if Self.isSpreadsheetNumber(number) {
        rows?.number(number, column: index + 1)
        return sample(index + 1, 12)
      }
    case (.boolean(let truth), .boolean), (.boolean(let truth), .any):
      rows?.boolean(truth, column: index + 1)
      return sample(index + 1, 6)
    case (.timestamp(let moment), .timestamp), (.timestamp(let moment), .any):
      if let serial = serial(of: moment) {
        rows?.number(serial, column: index + 1, isDate: true)
        return sample(index + 1, 19)
      }
    default: break
    }
    text.removeAll(keepingCapacity: true)
    cellText.append(value, as: type(of: value, in: column), to: &text)
    try addText(column: index + 1, isTextLike: column.isTextLike, of: name)
  }

  /// Whether a spreadsheet can hold a number; beyond these bounds it would become infinite or zero.
  private static func isSpreadsheetNumber(_ number: Double) -> Bool {
    number == 0 || (number.magnitude >= 2.3e-308 && number.magnitude <= 9.99999999999999e307)
  }

  /// The type by which a text is written: in a column of no known type, a string is left as it is unless it looks like
  /// a value that a cell can only hold as text.
  private func type(of value: Value, in column: Column) -> Column.ValueType {
    guard column.type == .any, case .string(var string) = value else { return column.type }
    let form = string.withUTF8 { CellForm($0) }
    switch form {
    case .text, .boolean: return .string
    case .integer: return (Int64(string)?.magnitude ?? 0) <= Self.largestExact ? .string : .any
    case .double:
      return string.utf8.contains { $0 == UInt8(ascii: "N") || $0 == UInt8(ascii: "I") } ? .any : .string
    case .timestamp: return .any
    }
  }

  /// Adds ``text``, escaped, or what stands for it where no cell can hold it.
  private func addText(column: Int, isTextLike: Bool, of name: Substring.UTF8View) throws(Failure) {
    escaped.removeAll(keepingCapacity: true)
    text.withUnsafeBufferPointer { SheetText.append($0, to: &escaped) }
    // Counting bytes first is enough for nearly every text.
    var length = escaped.count
    if length > SheetText.maximumLength {
      length = SheetText.length(escaped)
      if length > SheetText.maximumLength {
        let column = column == 0 ? Column(unknown: .documentName) : plan.columns[column - 1]
        escaped = try text.withUnsafeBufferPointer { text throws(Failure) in
          try workbook.keepLong(text, sheet: self.name, document: name, column: column)
        }
      }
    }
    rows?.text(escaped, column: column, isTextLike: isTextLike)
    sample(column, length)
  }

  private func sample(_ column: Int, _ length: Int) {
    if documentCount < Self.sampledRows { lengths[column] = max(lengths[column], min(length, 60)) }
  }

  /// Excel's number of a moment in the workbook's zone: days since 30 December 1899; nil before 1 March 1900, where
  /// Excel counts a day that never was, and after 9999.
  private func serial(of moment: Timestamp) -> Double? {
    let local = moment.seconds + Int64(workbook.options.timeZone.offset(at: moment.seconds))
    let day = local.flooredDivision(by: 86_400)
    let serial = day + 25_569
    guard serial >= 61, serial < 2_958_466 else { return nil }
    let seconds = Double(local - day * 86_400) + Double(moment.nanoseconds) / 1e9
    return Double(serial) + seconds / 86_400
  }
}
