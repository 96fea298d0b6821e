import FirestoreModels
import Schema

/// Renders documents as the rows of a sheet, by the rules of ``SheetWriter``.
struct SheetCells: ~Copyable {
  var rows: SheetRows

  private let collection: CollectionPath
  private let sheet: String
  private let timeZone: LocalTimeZone
  private var plan: ColumnPlan
  private var cellText: CellText
  private var cells: [Value?] = []
  private var text: [UInt8] = []
  private var escaped: [UInt8] = []
  /// The longest text of each column in the sampled rows, starting with the name.
  private var lengths: [Int] = [0]

  private static let sampledRows = 1000
  private static let largestExact: UInt64 = 1 << 53

  init(
    collection: CollectionPath,
    fields: [FieldPath]?,
    sheet: String,
    options: XLSXOptions,
    folder: String,
    path: String?
  ) throws(Failure) {
    let plan: ColumnPlan
    if let fields {
      plan = try ColumnPlan(collection: collection, fields: fields, schema: options.schema)
    } else {
      plan = ColumnPlan(collection: collection, schema: options.schema)
    }
    let cellText = try CellText(nullText: options.nullText, timeZone: options.timeZone)
    rows = try SheetRows(in: folder, for: path)
    self.plan = plan
    self.cellText = cellText
    self.collection = collection
    self.sheet = sheet
    timeZone = options.timeZone
  }

  /// Adds the row of a document; texts that exceed a cell go to the workbook's last sheet.
  mutating func append(_ document: RawDocument, _ workbook: XLSXWriter) throws(Failure) {
    guard let name = document.path.name(below: collection) else {
      throw Failure(
        .internal,
        "write a row",
        path: document.path.string,
        cause: "the document is not below the collection \(collection)"
      )
    }
    plan.position(document.fields, into: &cells)
    while lengths.count <= cells.count { lengths.append(0) }
    text.removeAll(keepingCapacity: true)
    text.append(contentsOf: name)
    try addText(column: 0, isTextLike: true, of: name, workbook)
    for index in cells.indices {
      guard let value = cells[index] else { continue }
      cells[index] = nil
      try add(value, index, of: name, workbook)
    }
    try rows.endRow()
  }

  /// Returns the headings, starting with the name.
  func header(_ language: Column.HeaderLanguage) -> [String] {
    var header = ["__name__"]
    for column in plan.columns { header.append(plan.heading(of: column, language)) }
    return header
  }

  /// Returns the column widths in characters: those of the schema, else from the sampled rows and the headings.
  func widths(under header: [String]) -> [Double] {
    var widths: [Double] = []
    for (index, heading) in header.enumerated() {
      // The autofilter's arrow covers two characters.
      if index > 0, let width = plan.columns[index - 1].width {
        widths.append(width)
        continue
      }
      let sampled = index < lengths.count ? lengths[index] : 0
      widths.append(Double(min(max(sampled, heading.unicodeScalars.count + 2, 8), 60)) + 1)
    }
    return widths
  }

  /// What stands out, and what leads to other sheets.
  var extras: SheetExtras { SheetExtras(plan.columns) }

  /// The number formats of the columns; nil where the schema has none.
  var numberFormats: [String?] { [nil] + plan.columns.map(\.numberFormat) }

  // MARK: Cells

  private mutating func add(
    _ value: Value,
    _ index: Int,
    of name: Substring.UTF8View,
    _ workbook: XLSXWriter
  ) throws(Failure) {
    let column = plan.columns[index]
    switch (value, column.type) {
    case (.integer(let number), .integer), (.integer(let number), .double), (.integer(let number), .any):
      if number.magnitude <= Self.largestExact {
        rows.number(Double(number), column: index + 1, as: column.type == .double ? .integer : .none)
        return sample(index + 1, 12)
      }
    case (.double(let number), .double), (.double(let number), .integer), (.double(let number), .any):
      if Self.isSpreadsheetNumber(number) {
        // When read back, a whole number is an integer unless its column or format specifies otherwise.
        let isMarked = column.type == .integer || (column.type == .any && Int64(exactly: number) != nil)
        rows.number(number, column: index + 1, as: isMarked ? .double : .none)
        return sample(index + 1, 12)
      }
    case (.boolean(let truth), .boolean), (.boolean(let truth), .any):
      rows.boolean(truth, column: index + 1)
      return sample(index + 1, 6)
    case (.timestamp(let moment), .timestamp), (.timestamp(let moment), .any):
      if let serial = serial(of: moment) {
        rows.number(serial, column: index + 1, as: moment.nanoseconds % 1_000_000 == 0 ? .date : .fineDate)
        return sample(index + 1, 19)
      }
    default: break
    }
    text.removeAll(keepingCapacity: true)
    cellText.append(value, as: type(of: value, in: column), to: &text)
    try addText(column: index + 1, isTextLike: column.isTextLike, of: name, workbook)
  }

  /// Whether a workbook can represent a number.
  ///
  /// Beyond these bounds it would become infinite or zero. Some sums have 17 digits, of which libxlsxwriter
  /// writes 16.
  static func isSpreadsheetNumber(_ number: Double) -> Bool {
    if number == 0 { return true }
    guard number.magnitude >= 2.3e-308, number.magnitude <= 9.99999999999999e307 else { return false }
    if number.magnitude < Double(largestExact), number.rounded() == number { return true }
    var digits = 0
    var isLeading = true
    for byte in number.description.utf8 {
      if byte | 0x20 == UInt8(ascii: "e") { break }
      if isLeading, byte <= UInt8(ascii: "0") { continue }
      isLeading = false
      if byte != UInt8(ascii: ".") { digits += 1 }
    }
    return digits <= 16
  }

  /// Returns the type for writing a text.
  ///
  /// In a column without a type, a string is plain unless it looks like a value that is written as text.
  private func type(of value: Value, in column: Column) -> Column.ValueType {
    guard column.type == .any, case .string(var string) = value else { return column.type }
    let form = string.withUTF8 { CellForm($0) }
    switch form {
    case .text, .boolean: return .string
    case .integer: return (Int64(string)?.magnitude ?? 0) <= Self.largestExact ? .string : .any
    case .double: return Double(string).map { Self.isSpreadsheetNumber($0) } ?? false ? .string : .any
    case .timestamp: return .any
    }
  }

  /// Adds ``text``, escaped, or a reference if it exceeds a cell.
  private mutating func addText(
    column: Int,
    isTextLike: Bool,
    of name: Substring.UTF8View,
    _ workbook: XLSXWriter
  ) throws(Failure) {
    escaped.removeAll(keepingCapacity: true)
    text.withUnsafeBufferPointer { SheetText.append($0, to: &escaped) }
    // The number of bytes is sufficient for nearly every text.
    var length = escaped.count
    if length > SheetText.maximumLength {
      length = SheetText.length(escaped)
      if length > SheetText.maximumLength {
        let column = column == 0 ? Column(unknown: .documentName) : plan.columns[column - 1]
        escaped = try text.withUnsafeBufferPointer { text throws(Failure) in
          try workbook.keepLong(text, sheet: sheet, document: name, column: column)
        }
      }
    }
    rows.text(escaped, column: column, isTextLike: isTextLike)
    sample(column, length)
  }

  private mutating func sample(_ column: Int, _ length: Int) {
    if rows.count < Self.sampledRows { lengths[column] = max(lengths[column], min(length, 60)) }
  }

  /// Returns the number of a time in the zone; nil if a date in a sheet cannot represent it.
  ///
  /// That is before 1 March 1900 or after 9999, finer than a microsecond, or in the second pass of a repeated
  /// hour.
  private func serial(of moment: Timestamp) -> Double? {
    let offset = timeZone.offset(at: moment.seconds)
    let local = moment.seconds + Int64(offset)
    let before = timeZone.offset(at: local - 86_400)
    if before != offset, timeZone.offset(at: local - Int64(before)) == before, before > offset { return nil }
    return SheetDate.serial(local: local, nanoseconds: moment.nanoseconds)
  }
}
