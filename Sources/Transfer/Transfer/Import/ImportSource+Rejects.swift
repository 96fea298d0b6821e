import Files
import Schema
import Tables

/// Lists of rejected rows, and what they say of the tables that the rows come from.
extension ImportSource {
  /// The sheet whose options apply: for a list of rejected rows, the one that the rows come from.
  var ownSheet: String? { rejects?.sheet?.name ?? sheet }

  /// Finds out whether it is a list of rejected rows, and what that says of their table.
  mutating func readOrigin(via files: FileAccess) {
    guard format.isTable, !isExported else { return }
    do throws(Failure) {
      rejects = try readOrigin(in: nil, via: files)
    } catch {
      // A spreadsheet may have saved the list in another encoding, which does not matter for what it says. What else is wrong
      // with a table is said where it is read.
      rejects = try? readOrigin(in: .windows1252, via: files)
    }
  }

  private func readOrigin(
    in encoding: TextEncoding?,
    via files: FileAccess
  ) throws(Failure) -> RejectOrigin? {
    var reading = TableReading()
    reading.encoding = encoding
    var reader = try TableReader(
      path,
      at: copy?.location(),
      format: format == .xlsx ? .xlsx : .csv,
      sheet: sheet,
      reading: reading,
      via: files
    )
    return try reader.next() ? RejectOrigin(header: reader.row) : nil
  }

  /// Returns what a list of its rejected rows says of it.
  func origin(_ options: TableOptions) -> RejectOrigin {
    var origin = rejects ?? RejectOrigin()
    origin.writing = writing
    origin.database = database
    if let sheet, rejects == nil { origin.sheet = RejectOrigin.Sheet(sheet, number: sheetNumber) }
    if !options.skippedColumns.isEmpty { origin.lacksSkipped = true }
    return origin
  }
}

extension [ImportSource] {
  /// Whether all are lists of rejected rows of sheets, so that options may name other sheets of their workbook.
  var areListsOfSheets: Bool { !isEmpty && allSatisfy { $0.rejects?.sheet != nil } }
}
