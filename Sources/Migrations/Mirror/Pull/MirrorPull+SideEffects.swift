import GRDB
import Logging

extension MirrorPull {
  /// Of all rows written during the pull, records as edits those that users' triggers have left different from their documents.
  func keepSideEffects(of layout: MirrorLayout, _ documents: DocumentTable, _ db: Database) throws {
    var writer = try RowWriter(layout)
    var cells = try SQLCells()
    var (kept, last) = (0, Int64.min)
    while true {
      let edits = try MirrorTables.edits(db, "WHERE rowid > \(last) ORDER BY rowid LIMIT 300")
      for edit in edits {
        if try isAsDocument(edit, documents, &writer, &cells, db) {
          try MirrorTables.forget(entry: edit.entry, db)
        } else {
          kept += 1
        }
      }
      guard let end = edits.last else { break }
      last = end.entry
    }
    if kept == 0 { return }
    logger.warning(
      "Triggers of the file made \(kept) \(kept == 1 ? "row" : "rows") differ from the documents: they are edits, which 'mirror push -n' shows."
    )
  }

  private func isAsDocument(
    _ edit: MirrorTables.Edit,
    _ documents: DocumentTable,
    _ writer: inout RowWriter,
    _ cells: inout SQLCells,
    _ db: Database
  ) throws -> Bool {
    guard let table = CollectionPath(edit.collection).flatMap({ writer.layout.table(of: $0) }) else {
      return true
    }
    guard let path = edit.document else {
      if try !UnfitRows.all(in: table, db).isEmpty { return false }
      return try StatementReader(db, table.lookup, texts: [edit.path]).first { _ in true } == nil
    }
    let row = try MirrorEdits.row(path, table, db)
    guard let row, let stored = try documents.row(path) else {
      return try row == nil && documents.row(path) == nil
    }
    let image = RowImage(try writer.fields(stored.fields), in: table, &cells)
    return Array(row.dropLast()) == image.cells && row.last.flatMap(RowEdit.other) == image.other
  }
}
