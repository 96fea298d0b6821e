import CXLSXWriter
import Files

/// Writes the documents of one sheet of an ``XLSXWriter``.
///
/// A cell is a number, a boolean or a date if a workbook can represent the value so, whatever the type of its column, and
/// otherwise a text: arrays, integers beyond 2^53, `NaN`, `Infinity`, and dates before 1 March 1900, where Excel's calendar
/// is wrong. If the column is of another type or the number has more digits than a workbook supports, the cell shows the
/// value as ``ShownText`` does, and the exact value is in ``ExactValues``. So is an empty text, whose cell is empty; a
/// missing value has no cell.
///
/// The library writes the rows on its own thread. Fields without a column get one at the end when they first appear; the
/// header is then rewritten at the end.
final class SheetWriter: CollectionWriter {
  private(set) var documentCount = 0

  private let collection: CollectionPath
  private let workbook: XLSXWriter
  private let name: String
  /// Whether its completion completes the workbook.
  private let isOnly: Bool
  private let first: UnsafeMutablePointer<lxw_worksheet>
  private var cells: SheetCells?
  /// The sheets so far; rows go to the last one.
  private var targets: [SheetTarget] = []
  /// The rows of the last sheet, including those not yet passed to the library.
  private var rows = 0

  /// The number of bytes of rows that are passed to the library at once.
  private static let piece = 128 << 10

  init(
    _ cells: SheetCells,
    of collection: CollectionPath,
    in workbook: XLSXWriter,
    first: UnsafeMutablePointer<lxw_worksheet>,
    name: String,
    isOnly: Bool
  ) {
    self.cells = cells
    self.collection = collection
    self.workbook = workbook
    self.first = first
    self.name = name
    self.isOnly = isOnly
  }

  var receipt: OutputFile.Receipt? { isOnly ? workbook.receipt : nil }

  func append(_ page: DocumentPage) throws(Failure) {
    // Moved out of the object, so that the loops over cells do not access it.
    guard var cells = cells.take() else { return }
    switch page {
    case .memory(let documents):
      var values: [Value?] = []
      for document in documents { try append(document, to: &cells, values: &values) }
    case .wire(let page): try append(page, to: &cells)
    }
    self.cells = cells
    documentCount += page.count
  }

  private func append(_ page: WirePage, to cells: inout SheetCells) throws(Failure) {
    var values: [WireValue?] = []
    var decodedValues: [Value?] = []
    for document in page.documents {
      let rest: FieldMap?
      do throws(WireError) {
        rest = try cells.position(document.fields(), into: &values)
      } catch {
        try append(page.decoded(document), to: &cells, values: &decodedValues)
        continue
      }
      try beginRow(&cells)
      try cells.append(document.path, rest: rest, cells: &values, workbook) { error in
        do throws(Failure) {
          _ = try page.decoded(document)
          return Self.invalid(document.path, error)
        } catch {
          return error
        }
      }
      try endRow(&cells)
    }
  }

  private func append(
    _ document: RawDocument,
    to cells: inout SheetCells,
    values: inout [Value?]
  ) throws(Failure) {
    let rest: FieldMap?
    do throws(WireError) {
      rest = try cells.position(document.fields, into: &values)
    } catch {
      throw Self.invalid(document.path, error)
    }
    try beginRow(&cells)
    try cells.append(document.path, rest: rest, cells: &values, workbook) { Self.invalid(document.path, $0) }
    try endRow(&cells)
  }

  private static func invalid(_ path: DocumentPath, _ error: WireError) -> Failure {
    Failure(.internal, "write a row", path: path.string, cause: error.description)
  }

  private func beginRow(_ cells: inout SheetCells) throws(Failure) {
    guard rows == workbook.documentsPerSheet else { return }
    try pass(&cells)
    try begin(cells)
    rows = 0
  }

  private func endRow(_ cells: inout SheetCells) throws(Failure) {
    rows += 1
    if cells.rows.bytes.count >= Self.piece { try pass(&cells) }
  }

  func finish() throws(Failure) {
    guard var cells = cells.take() else { return }
    try pass(&cells)
    let columns = cells.columns(workbook.options.header)
    for target in targets { try workbook.end(target, columns) }
    if isOnly { try workbook.finish() }
  }

  /// Passes the rows so far to the last sheet.
  private func pass(_ cells: inout SheetCells) throws(Failure) {
    if targets.isEmpty { try begin(cells) }
    guard let target = targets.last, !cells.rows.bytes.isEmpty else { return }
    try workbook.write(cells.rows.take(), to: target)
  }

  /// Begins the first sheet, or a further one.
  private func begin(_ cells: SheetCells) throws(Failure) {
    let sheet = targets.isEmpty ? first : try workbook.addSheet(after: name, of: collection)
    targets.append(try workbook.begin(sheet, cells.columns(workbook.options.header)))
  }
}
