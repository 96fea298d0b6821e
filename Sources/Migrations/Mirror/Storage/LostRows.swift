import FirestoreREST
import GRDB

/// Documents whose rows are gone although no trigger recorded it.
///
/// No trigger runs for a row that a statement removes by its `OR REPLACE`, as for a unique index that somebody created.
enum LostRows {
  /// Returns an edit for each of these documents, in the tables that are as the mirror made them.
  ///
  /// A table is searched only if the number of its rows is not that of its documents, but for the recorded edits.
  static func edits(
    of layout: MirrorLayout,
    beside recorded: [MirrorTables.Edit],
    _ documents: DocumentTable,
    _ db: Database
  ) throws -> [MirrorTables.Edit] {
    let edited = Dictionary(grouping: recorded.compactMap(\.document), by: \.collection.pattern)
    var lost: [MirrorTables.Edit] = []
    for table in layout.tables where try table.damage(db) == nil {
      let known = Set(edited[table.collection] ?? [])
      let count = "SELECT documents FROM _mirror_collections WHERE collection = ?"
      var expected = try Int.fetchOne(db, sql: count, arguments: [table.collection.string]) ?? 0
      for path in known {
        if try documents.find(DocumentTable.key(path)) != nil { expected -= 1 }
        if try MirrorEdits.row(path, table, db) != nil { expected += 1 }
      }
      let rows = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(SQLName.quoted(table.name))")
      if rows == expected { continue }
      try MirrorScan.forEach(of: table.collection, documents, withFields: false) { document in
        let path = document.path
        guard !known.contains(path), try MirrorEdits.row(path, table, db) == nil else { return }
        lost.append(
          MirrorTables.Edit(path: path.string, collection: table.collection.string, entry: 0)
        )
      }
    }
    return lost
  }
}

extension MirrorLayout {
  /// Returns the edited rows, recorded or not, ordered by the bytes of their paths.
  func edits(_ database: DatabaseName, _ db: Database) throws -> [MirrorTables.Edit] {
    let recorded = try MirrorTables.edits(db)
    let lost = try LostRows.edits(of: self, beside: recorded, DocumentTable(db, database), db)
    return lost.isEmpty ? recorded : (recorded + lost).sorted { $0.path.compareUTF8($1.path) < 0 }
  }
}
