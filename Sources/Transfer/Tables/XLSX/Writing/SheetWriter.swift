import CXLSXWriter
import FirestoreModels

/// Writes the documents of one sheet of an ``XLSXWriter``.
///
/// Cells are numbers, booleans and dates if a workbook has such, whatever the type of their column, otherwise
/// text: arrays, integers beyond 2^53, `NaN`, `Infinity`, and dates before 1 March 1900, where Excel's calendar
/// is wrong. A cell that does not carry its value, because the column is of another type or the number has more
/// digits, shows it as ``ShownText`` does and has the exact one in ``ExactValues``. An empty text is an empty
/// cell in text format, a missing value no cell.
final class SheetWriter: CollectionWriter {
  private(set) var documentCount = 0

  private let workbook: XLSXWriter
  private let name: String
  private let first: UnsafeMutablePointer<lxw_worksheet>
  private var cells: SheetCells?

  init(
    of workbook: XLSXWriter,
    first: UnsafeMutablePointer<lxw_worksheet>,
    name: String,
    collection: CollectionPath,
    fields: [FieldPath]?,
    folder: String,
    path: String?
  ) throws(Failure) {
    self.workbook = workbook
    self.first = first
    self.name = name
    cells = try SheetCells(
      collection: collection,
      fields: fields,
      sheet: name,
      options: workbook.options,
      folder: folder,
      path: path
    )
  }

  func append(contentsOf documents: [RawDocument]) throws(Failure) {
    // Moved out of the object, so that the loops over cells do not access it.
    guard var cells = cells.take() else { return }
    for document in documents { try cells.append(document, workbook) }
    self.cells = consume cells
    documentCount += documents.count
  }

  func finish() throws(Failure) {
    guard var cells = cells.take() else { return }
    let header = cells.header(workbook.options.header)
    let widths = cells.widths(under: header)
    try workbook.write(
      &cells.rows,
      header: header,
      widths: widths,
      numberFormats: cells.numberFormats,
      extras: cells.extras,
      name: name,
      first: first
    )
  }
}
