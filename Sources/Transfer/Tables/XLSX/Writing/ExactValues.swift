/// The exact values of a workbook's cells that would not be read back as such, for a hidden sheet.
///
/// A cell shows a value for people: `5512345678`, not `{"integerValue":"5512345678"}`. If it does not represent the value
/// exactly, because the value is of another type than the column or has more digits than a workbook supports, a row of the
/// hidden sheet does. The row has the sheet, document and field of the cell, its content, and the value as REST JSON. The
/// content is a cell of the same kind, so that a program that rewrites numbers or texts rewrites both alike. A cell with
/// different content was edited and takes precedence (``ExactValueIndex``). Rows are found by their document, because
/// people sort and delete rows.
struct ExactValues: ~Copyable {
  /// The name of the hidden sheet; further ones are `_exact (2)` and so on.
  static let sheetName = "_exact"
  static let header = ["sheet", "__name__", "field", "shown", "value"]
  static let columns = SheetColumns(header: header, widths: [20, 30, 30, 40, 60])

  var rows: SheetRows
  private var escaped: [UInt8] = []
  private var document: [UInt8] = []
  private var json = JSONWriter()

  init(in folder: String, for path: String?) throws(Failure) {
    rows = try SheetRows(in: folder, for: path)
  }

  /// Stores the value of a cell; returns false if it does not fit into the hidden sheet.
  ///
  /// - Parameter text: The escaped text, if the cell has one.
  mutating func keep(
    _ value: Value,
    shown: ShownCell,
    text: [UInt8],
    sheet: String,
    document name: Substring.UTF8View,
    field: String
  ) throws(Failure) -> Bool {
    json.removeAll()
    json.value(value)
    guard escape(json.bytes), escape(name) else { return false }
    swap(&escaped, &document)
    guard escape(field.utf8) else { return false }
    rows.row.text(sheet.utf8, column: 0)
    rows.row.text(document, column: 1, isTextLike: true)
    rows.row.text(escaped, column: 2)
    rows.row.cell(shown, text: text, column: 3)
    _ = escape(json.bytes)
    rows.row.text(escaped, column: 4)
    try rows.endRow()
    return true
  }

  /// Escapes a text into ``escaped``; returns false if it is too long for a cell.
  private mutating func escape(_ text: some Collection<UInt8>) -> Bool {
    escaped.removeAll(keepingCapacity: true)
    Array(text).withUnsafeBufferPointer { SheetText.append($0, to: &escaped) }
    return SheetText.fits(escaped)
  }
}

/// The content of a cell.
enum ShownCell {
  case number(Double, RowBytes.Mark)
  case boolean(Bool)
  /// A text, which is passed separately.
  case text(isTextLike: Bool)
}
