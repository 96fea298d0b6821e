import FirestoreREST
import GRDB

/// The edited rows of a mirror.
struct EditedRows {
  /// The documents whose rows were edited.
  private(set) var paths: [DocumentPath] = []
  /// Edits of rows that no longer exist and that no document could have.
  private(set) var abandoned: [Int64] = []
  /// The documents whose rows were deleted, and those whose rows are there.
  private(set) var gone: [DocumentPath] = []
  private(set) var there: [DocumentPath] = []

  /// - Throws: `.inputMalformed` if a row cannot be a document, or if it is not known what was edited.
  init(of file: String, _ layout: MirrorLayout, _ database: DatabaseName, _ db: Database) throws {
    try layout.assertIntact(file, to: "push from", db)
    let edits = try layout.edits(database, db)
    for collection in Set(edits.map(\.collection)).sorted() {
      guard let table = CollectionPath(collection).flatMap({ layout.table(of: $0) }),
        let row = try UnfitRows.all(in: table, db).first
      else { continue }
      throw Self.unfit(file, table, "an id of the row with rowid \(row) is no text in UTF-8")
    }
    let documents = try DocumentTable(db, database)
    var tables: (gone: Set<CollectionPath>, new: Set<CollectionPath>) = ([], [])
    var unfit: Failure?
    for edit in edits {
      guard let table = CollectionPath(edit.collection).flatMap({ layout.table(of: $0) }) else { continue }
      if let path = edit.document, PathLimits.violations(of: path).isEmpty {
        if path.isReserved { continue }
        paths.append(path)
        let wasThere = try documents.find(DocumentTable.key(path)) != nil
        if try MirrorEdits.row(path, table, db) != nil {
          there.append(path)
          if !wasThere { tables.new.insert(table.collection) }
        } else if wasThere {
          gone.append(path)
          tables.gone.insert(table.collection)
        }
        continue
      }
      let lookup = try StatementReader(db, table.lookup, texts: [edit.path])
      let found = try edit.isText ? lookup.first { _ in true } : nil
      if found == nil {
        abandoned.append(edit.entry)
      } else if unfit == nil {
        let cause = edit.document.flatMap { PathLimits.violations(of: $0).first?.message }
        let text = PathLimits.shortened(edit.path.replacing("//", with: "/"))
        unfit = Self.unfit(file, table, cause ?? "'\(text)' is no path of a document in it")
      }
    }
    if let unfit { throw unfit }
    for collection in tables.gone.intersection(tables.new).sorted() {
      guard let table = layout.table(of: collection), try !table.recordsMoves(db) else { continue }
      throw Failure(
        .inputMalformed,
        "push from",
        path: file,
        cause:
          "rows of \(table.name) were deleted and others added, and a mirror of an earlier version does not record whether a row was given another id",
        remedy: "Renew it with 'mirror pull --discard-edits', and edit it again."
      )
    }
  }

  private static func unfit(_ file: String, _ table: TableLayout, _ cause: String) -> Failure {
    Failure(
      .inputMalformed,
      "push from",
      path: file,
      cause: "a row of \(table.name) can be no document: \(cause)",
      remedy: "Correct its \(TableLayout.idColumn), or delete the row."
    )
  }
}
