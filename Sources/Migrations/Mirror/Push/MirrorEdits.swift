package import FirestoreREST
import GRDB
package import MigrationEngine
import Runs

/// The edits of a mirror's rows, as changes to the documents.
///
/// A document that has changed since it was pulled is a conflict and left alone, unless it is already as the row describes.
package struct MirrorEdits: ChangeList {
  package let id = "mirror-push"
  package let collections: [CollectionPath]
  package let deletions: Int
  /// The documents whose rows were edited.
  package let paths: [DocumentPath]
  /// The columns that somebody added to tables, as ``MirrorLayout/addedColumns(_:)``.
  package let addedColumns: [String]
  private let abandoned: [Int64]
  private let moves: RowMoves

  private let file: MirrorFile
  private let info: MirrorInfo
  private let layout: MirrorLayout
  private let client: FirestoreClient
  private let schema: DatabaseSchema
  private var subcollections: SubcollectionGuard.Lister?

  /// The number of documents that are read together.
  private static let width = 100

  /// - Throws: ``Failure``; `.notPermitted` if the mirror is of another database.
  package init(in file: MirrorFile, client: FirestoreClient, schema: DatabaseSchema) throws(Failure) {
    self.file = file
    self.client = client
    self.schema = schema
    info = try MirrorInfo(file)
    layout = try info.layout()
    guard info.database == client.database else {
      throw Failure(
        .notPermitted,
        "push from",
        path: file.path,
        cause: "it is a mirror of \(info.database), and this is \(client.database)",
        remedy: "Name the environment that it was pulled from."
      )
    }
    let (layout, database) = (layout, info.database)
    let found = try file.use { db in try EditedRows(of: file.path, layout, database, db) }
    paths = found.paths
    addedColumns = try file.use { db in try layout.addedColumns(db) }
    abandoned = found.abandoned
    moves = try file.use { db in try RowMoves(of: found.there, DocumentTable(db, database), db) }
    deletions = found.gone.count
    collections = Set(found.paths.map(\.collection.pattern)).sorted()
  }

  /// Returns the number of documents that a push of all edits reads at most: each one to decide on it and to settle it, and what is
  /// below those to be deleted.
  ///
  /// - Parameter counts: Whether the deletions are counted first.
  package func reads(countingDeletions counts: Bool) -> Int {
    let deciding = Set(paths).union(moves.groups.keys).count + deletions
    return (counts && deletions > 0 ? 2 : 1) * deciding + paths.count
  }

  package func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any ChangeList {
    var guarded = self
    guarded.subcollections = subcollections
    return guarded
  }

  /// Records the edits, those of moved rows together; positions are document paths.
  package func record(
    in sink: any PlanSink,
    after position: String?,
    mark: (String) async throws -> Void
  ) async throws {
    let edited = Set(paths)
    let rest = paths.drop { path in position.map { path.string.compareUTF8($0) <= 0 } ?? false }
    for some in rest.chunks(of: Self.width).map(Array.init) {
      let single = some.filter { moves.groups[$0] == nil }
      let present = try await client.batchGet(single)
      for decided in try await decided(single, present) {
        try await sink.record(decided.outcome, of: decided.document)
      }
      for path in some {
        guard let group = moves.groups[path], group.first(where: edited.contains) == path else { continue }
        let decision = JointDecision(path: path) { reader in
          try await self.decided(together: group, in: reader).filter { edited.contains($0.document.path) }
        }
        try await sink.record(decision)
      }
      if let last = some.last { try await mark(last.string) }
    }
  }

  /// Decides on documents that are written together: if one stays as it is, the others do, too.
  private func decided(
    together group: [DocumentPath],
    in reader: any DocumentReader
  ) async throws -> [JointDecision.Decided] {
    var present: [DocumentPath: RawDocument] = [:]
    for some in group.chunks(of: Self.width).map(Array.init) {
      try await present.merge(reader.documents(some)) { $1 }
    }
    var all = try await decided(group, present)
    let refused = all.filter { [.skip, .conflict].contains($0.outcome.action) }
    let held = moves.held(by: refused.map(\.document.path))
    for index in all.indices {
      let path = all[index].document.path
      guard case .change = all[index].outcome.action, let hold = held[path] else { continue }
      let finding = Finding(.reject, path: path, code: hold.rawValue, message: hold.message)
      all[index].outcome = Outcome(.skip, findings: [finding])
    }
    return all
  }

  private func decided(
    _ paths: [DocumentPath],
    _ present: [DocumentPath: RawDocument]
  ) async throws -> [JointDecision.Decided] {
    var outcomes = try paths.map { path in try outcome(path, present[path]) }
    if let subcollections { try await SubcollectionGuard.withhold(&outcomes, subcollections) }
    return zip(paths, outcomes).map { path, outcome in
      (present[path] ?? RawDocument(path: path, fields: FieldMap()), outcome)
    }
  }

  // MARK: Deciding

  private func outcome(_ path: DocumentPath, _ present: RawDocument?) throws(Failure) -> Outcome {
    guard let found = try file.use({ db in try edit(of: path, db) }) else { return Outcome(.skip) }
    switch found.decision {
    case .refused(let finding): return Outcome(.skip, findings: [finding])
    case .unchanged: return Outcome(.unchanged)
    case .change(let after, let serverTimes):
      var change = Change(path: path, before: found.pulled, after: after, serverTimes: serverTimes)
      // A document that is already as the row describes may have been written by an earlier push.
      if change.isApplied(to: present) { return Outcome(.unchanged) }
      // If others wrote and reverted it, as an undo does, the document is still what the row was created from.
      let isAsPulled =
        found.updateTime == present?.updateTime?.microseconds || found.pulled?.fields == present?.fields
      guard isAsPulled else { return Outcome(.conflict) }
      change.reasons = [after == nil ? "row-deleted" : present == nil ? "row-inserted" : "row-updated"]
      return Outcome(.change(change.based(on: present)))
    }
  }

  /// Returns how to interpret a document's row, the document as it was pulled, and its update time; nil if its collection has no
  /// table.
  private func edit(
    of path: DocumentPath,
    _ db: Database
  ) throws -> (decision: RowEdit.Decision, pulled: RawDocument?, updateTime: Int64?)? {
    guard let table = layout.table(of: path.collection) else { return nil }
    let documents = try DocumentTable(db, info.database)
    let stored = try documents.row(path)
    var rows = try RowWriter(layout)
    let pulled = try stored.map { RawDocument(path: path, fields: try rows.fields($0.fields)) }
    let row = try Self.row(path, table, db)
    let declared = schema.collection(path.collection) ?? table.inferredTimes
    let origin = try RowMoves.origin(of: path, documents, db).map {
      RawDocument(path: $0.path, fields: try rows.fields($0.fields))
    }
    let decision = try RowEdit(path, table, declared).decide(pulled, row, movedFrom: origin)
    return (decision, pulled, stored?.updateTime)
  }

  // MARK: Settling

  /// Keeps what the file has of moved rows until these are settled.
  ///
  /// To be called before anything is written; a push that only plans need not.
  package func begin() throws(Failure) {
    try change { db in try RowMoves.keepOrigins(DocumentTable(db, info.database), db) }
  }

  /// Stores the service's state of the edited documents in the mirror if it matches their rows; the edits of other documents
  /// stay.
  ///
  /// - Returns: The number of remaining edits.
  /// - Throws: ``Failure``; the edits are then unchanged, and the next push finds them applied.
  package func settle() async throws -> Int {
    try file.use { db in
      for entry in abandoned { try MirrorTables.forget(entry: entry, db) }
    }
    var left = paths.count
    for some in paths.chunks(of: 300).map(Array.init) {
      let present = try await client.batchGet(some)
      left -= try change { db in
        for sql in layout.tables.flatMap(\.elementTables).flatMap(\.triggerRemoval) {
          try db.execute(sql: sql)
        }
        var settled = 0
        var added: [CollectionPath: Int] = [:]
        for path in some {
          guard let count = try settle(path, present[path], db) else { continue }
          settled += 1
          added[path.collection.pattern, default: 0] += count
        }
        for sql in layout.tables.flatMap(\.elementTriggers) { try db.execute(sql: sql) }
        if settled > 0 { try MirrorInfo.recordPush(added, db) }
        return settled
      }
    }
    return left
  }

  /// Changes the mirror in one transaction.
  private func change<Result>(_ body: (Database) throws -> Result) throws(Failure) -> Result {
    try file.use { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      do {
        let result = try body(db)
        try db.execute(sql: "COMMIT")
        return result
      } catch {
        // After some errors SQLite has already rolled back, and this fails; the first error is thrown.
        try? db.execute(sql: "ROLLBACK")
        throw error
      }
    }
  }

  /// Settles one edit; returns by how many documents the collection has grown, or nil if the edit stays.
  private func settle(_ path: DocumentPath, _ present: RawDocument?, _ db: Database) throws -> Int? {
    guard let found = try edit(of: path, db) else { return nil }
    var added = 0
    switch found.decision {
    case .refused: return nil
    case .unchanged: break
    case .change(let after, let serverTimes):
      let change = Change(path: path, before: found.pulled, after: after, serverTimes: serverTimes)
      guard change.isApplied(to: present) else { return nil }
      added = (present == nil ? 0 : 1) - (found.pulled == nil ? 0 : 1)
      let documents = try store(present, at: path, db)
      var rows = try RowWriter(layout)
      try rows.restore(path, documents, db)
    }
    try MirrorTables.forget(path.string, db)
    return added
  }

  /// Stores a document as it is on the service, without updating its row.
  private func store(
    _ present: RawDocument?,
    at path: DocumentPath,
    _ db: Database
  ) throws -> DocumentTable {
    var documents = try DocumentTable(db, info.database)
    guard let present else {
      try documents.remove(path)
      return documents
    }
    try documents.put(
      path,
      createTime: present.createTime?.microseconds ?? 0,
      updateTime: present.updateTime?.microseconds ?? 0,
      fields: JSONWriter.bytes { $0.fields(present.fields) }
    )
    return documents
  }

  // MARK: Rows that were edited again

  /// Makes what this push has written so far the basis of edited rows, so that a row that was edited again is a change to it and
  /// not a conflict with it.
  ///
  /// - Parameter journal: The path of the run's journal.
  /// - Throws: ``Failure``.
  package func rebase(on journal: String) async throws {
    let edited = try file.use { db in Set(try MirrorTables.edits(db).compactMap(\.document)) }
    var reader = try JournalReader(journal)
    var written: [DocumentPath: Change] = [:]
    while let line = try reader.next() {
      guard case .change(let change, _) = line, edited.contains(change.path) else { continue }
      written[change.path] = change
      if written.count < Self.width { continue }
      try await rebase(written)
      written = [:]
    }
    try await rebase(written)
  }

  private func rebase(_ written: [DocumentPath: Change]) async throws {
    let present = try await client.batchGet(Array(written.keys))
    let applied = written.filter { $1.isApplied(to: present[$0]) }
    if applied.isEmpty { return }
    try change { db in
      var added: [CollectionPath: Int] = [:]
      for (path, change) in applied {
        added[path.collection.pattern, default: 0] += try rebase(change, present[path], db)
      }
      try MirrorInfo.recordPush(added, db)
    }
  }

  /// Stores the result of a change and sets the row's cells that the push itself has set; returns by how many documents the
  /// collection has grown.
  private func rebase(_ change: Change, _ present: RawDocument?, _ db: Database) throws -> Int {
    let path = change.path
    guard let table = layout.table(of: path.collection) else { return 0 }
    let former = try DocumentTable(db, info.database).row(path)
    _ = try store(present, at: path, db)
    if present != nil { try MirrorTables.forgetMove(of: path.string, db) }
    if let present, let row = try Self.row(path, table, db) {
      let id = change.before == nil ? schema.collection(path.collection)?.idField : nil
      let columns = table.columns.indices.filter { index in
        let field = table.columns[index].field
        return change.serverTimes.contains(field) || field == id && row[index] == .null
      }
      var rows = try RowWriter(layout)
      var cells = try SQLCells()
      let base = try former.map { try rows.fields($0.fields) } ?? FieldMap()
      // `_other` is as it was pulled, unless somebody changed that cell.
      let isOtherAsPulled = row.last.flatMap(RowEdit.other) == RowImage(base, in: table, &cells).other
      try rows.set(columns, path, to: present.fields, withOther: isOtherAsPulled, db)
    }
    return (present == nil ? 0 : 1) - (former == nil ? 0 : 1)
  }

  /// Returns the present row of a document; nil if there is none.
  static func row(_ path: DocumentPath, _ table: TableLayout, _ db: Database) throws -> [SQLCell]? {
    try StatementReader(db, table.selection, texts: table.ids(of: path)).first { row in
      (table.parents.count + 1..<table.width).map { column in
        let column = Int32(column)
        return switch row.type(column) {
        case .null: .null
        case .integer: .integer(row.integer(column))
        case .real: .real(row.real(column))
        case .text: String(validating: row.bytes(column), as: UTF8.self).map { .text($0) } ?? .unreadable
        case .blob: .unreadable
        }
      }
    }
  }
}
