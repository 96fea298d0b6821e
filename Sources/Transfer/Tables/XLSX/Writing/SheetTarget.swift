import CXLSXWriter
import Files
import Platform

/// A sheet of the library and the formats of its cells.
///
/// Only one thread may use it at a time: that of the library, or another one while that is idle.
final class SheetTarget: @unchecked Sendable {
  // The library's thread changes the row; others read it while that thread is idle.
  let sheet: UnsafeMutablePointer<lxw_worksheet>
  /// The headings of the first row.
  let header: [String]
  /// The offset of the rows after the header in the sheet's temporary file.
  let headerEnd: Int
  private(set) var row: UInt32 = 1
  private let formats: CellFormats
  private let links: SheetLinks?
  private let path: String

  /// - Parameters:
  ///   - sheet: A sheet with its header.
  ///   - path: The workbook, for errors.
  init(
    _ sheet: UnsafeMutablePointer<lxw_worksheet>,
    header: [String],
    headerEnd: Int,
    formats: CellFormats,
    links: SheetLinks?,
    path: String
  ) {
    self.sheet = sheet
    self.header = header
    self.headerEnd = headerEnd
    self.formats = formats
    self.links = links
    self.path = path
  }

  /// Writes rows of ``RowBytes``.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` or `internal`.
  func write(_ rows: [UInt8]) throws(Failure) {
    try RowBytes.read(rows) { cells throws(Failure) in try write(cells) }
    // The library does not check whether writing to its file succeeds.
    if let file = sheet.pointee.optimize_tmpfile, ferror(file) != 0 {
      throw Failure.cannotWrite(path, errno: ENOSPC)
    }
  }

  /// Writes the next row.
  ///
  /// - Throws: ``Failure`` of kind `internal`.
  func write(_ cells: RowBytes.Row) throws(Failure) {
    for (column, cell) in cells {
      let column = UInt16(column)
      let code =
        switch cell {
        case .number(let number, .none): worksheet_write_number(sheet, row, column, number, nil)
        case .number(let number, .date): worksheet_write_number(sheet, row, column, number, formats.date)
        case .number(let number, .fineDate):
          worksheet_write_number(sheet, row, column, number, formats.fineDate)
        case .number(let number, .double):
          worksheet_write_number(sheet, row, column, number, formats.double(for: number))
        case .number(let number, .integer):
          worksheet_write_number(sheet, row, column, number, formats.integer)
        case .boolean(let truth): worksheet_write_boolean(sheet, row, column, truth ? 1 : 0, nil)
        case .text(let text): worksheet_write_string(sheet, row, column, text, nil)
        case .textLike(let text):
          if let formula = links?.formula(for: text, in: Int(column)) {
            worksheet_write_formula_str(sheet, row, column, formula, formats.link, text)
          } else {
            worksheet_write_string(sheet, row, column, text, formats.text)
          }
        case .emptyText: worksheet_write_blank(sheet, row, column, formats.text)
        }
      try XLSXWriter.check(code, path)
    }
    row += 1
  }
}

/// The formats of cells by their content.
struct CellFormats {
  /// For dates and times.
  var date: UnsafeMutablePointer<lxw_format>?
  /// For dates finer than a millisecond.
  var fineDate: UnsafeMutablePointer<lxw_format>?
  /// For doubles that would otherwise be read as integers.
  var double: UnsafeMutablePointer<lxw_format>?
  /// The same, for doubles that would have several zeros after the point.
  var smallDouble: UnsafeMutablePointer<lxw_format>?
  /// For integers that would otherwise be read as doubles.
  var integer: UnsafeMutablePointer<lxw_format>?
  /// For text that a spreadsheet must not convert.
  var text: UnsafeMutablePointer<lxw_format>?
  /// Nil without links.
  var link: UnsafeMutablePointer<lxw_format>?

  /// Returns the format of a double that would be read as an integer otherwise, or if another number is typed over it.
  func double(for number: Double) -> UnsafeMutablePointer<lxw_format>? {
    number != 0 && number.magnitude < 0.001 ? smallDouble : double
  }
}
