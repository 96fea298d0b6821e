/// The texts of a workbook that are too long for a cell, in pieces for a separate sheet.
///
/// The cell contains a ``LongTextMark`` and the beginning of the text. The sheet contains, under the number of the mark,
/// the text's location and its numbered pieces.
struct LongTexts: ~Copyable {
  static let header = ["number", "sheet", "__name__", "field", "part", "text"]
  static let columns = SheetColumns(header: header, widths: [8, 20, 30, 30, 8, 80])
  /// UTF-16 units of a piece before escaping, which multiplies them by at most seven.
  private static let pieceLength = 4600
  /// UTF-16 units of the text that the cell shows.
  private static let shownLength = 200

  var rows: SheetRows
  private var count = 0
  private var escaped: [UInt8] = []

  init(in folder: String, for path: String?) throws(Failure) {
    rows = try SheetRows(in: folder, for: path)
  }

  /// Stores an unescaped text and returns the escaped text of its cell.
  mutating func keep(
    _ text: UnsafeBufferPointer<UInt8>,
    sheet: String,
    document: Substring.UTF8View,
    field: String
  ) throws(Failure) -> [UInt8] {
    count += 1
    var rest = text
    var part = 0
    repeat {
      part += 1
      let piece = UnsafeBufferPointer(rebasing: rest[..<SheetText.prefix(rest, length: Self.pieceLength)])
      rest = UnsafeBufferPointer(rebasing: rest[piece.count...])
      rows.row.number(Double(count), column: 0)
      rows.row.text(sheet.utf8, column: 1)
      add(Array(document), column: 2)
      add(Array(field.utf8), column: 3)
      rows.row.number(Double(part), column: 4)
      escape(piece)
      rows.row.text(escaped, column: 5)
      try rows.endRow()
    } while !rest.isEmpty

    let shown = Self.shown(of: text)
    escape(UnsafeBufferPointer(rebasing: shown))
    let mark = LongTextMark.text(number: count, parts: part, shown: shown)
    return Array(mark.utf8) + escaped + Array(LongTextMark.ellipsis.utf8)
  }

  /// Returns the part of a text that a cell shows, before ``LongTextMark/ellipsis``.
  static func shown(of text: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>> {
    text[..<SheetText.prefix(text, length: shownLength)]
  }

  private mutating func add(_ text: [UInt8], column: Int) {
    text.withUnsafeBufferPointer { text in
      escape(UnsafeBufferPointer(rebasing: text[..<SheetText.prefix(text, length: Self.pieceLength)]))
    }
    rows.row.text(escaped, column: column, isTextLike: true)
  }

  private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
    escaped.removeAll(keepingCapacity: true)
    SheetText.append(text, to: &escaped)
  }
}
