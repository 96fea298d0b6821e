import CXLSXWriter
import FirestoreModels

/// Takes the documents of one sheet of an ``XLSXWriter``.
///
/// Cells are numbers, booleans and dates where the value is of its column's type and Excel has such a thing, else
/// text by the rules of ``CellText``. Integers beyond 2^53, `NaN`, `Infinity`, doubles that Excel has no number for and
/// dates before 1 March 1900 (Excel's calendar is wrong before) are text of their own form; strings are text as they
/// are. An empty text is an empty cell in text format, a missing value no cell.
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
    // Taken out meanwhile: the loops over cells then touch no object.
    guard var cells = cells.take() else { return }
    for document in documents { try cells.append(document, workbook) }
    self.cells = consume cells
    documentCount += documents.count
  }

  func finish() throws(Failure) {
    guard var cells = cells.take() else { return }
    let header = cells.header(workbook.options.header)
    let widths = cells.widths(under: header)
    try workbook.write(&cells.rows, header: header, widths: widths, name: name, first: first)
  }
}
