package import FirestoreModels
package import FirestoreREST
import GRDB
import LocalFirestore
package import MigrationEngine
package import Schema
import Tables

/// What somebody changed in the rows of a mirror, as changes of the documents.
///
/// A document that is no longer as it was pulled is a conflict, and so left alone; but for one that is already as the
/// rows say.
package struct MirrorEdits: ChangeList {
  package let id = "mirror-push"
  package var applied: [LedgerEntry.Applied] { [LedgerEntry.Applied(id: id, checksum: nil)] }
  package let collections: [CollectionPath]
  package let deletions: Int
  /// The documents whose rows were changed.
  package let paths: [DocumentPath]

  private let file: MirrorFile
  private let info: MirrorInfo
  private let layout: MirrorLayout
  private let client: FirestoreClient
  private let schema: DatabaseSchema
  private var subcollections: SubcollectionGuard.Lister?

  /// Documents that are looked at together.
  private static let width = 100

  /// Finds the edits.
  ///
  /// - Throws: ``Failure``; `.usage` where the mirror is of another database.
  package init(in file: MirrorFile, client: FirestoreClient, schema: DatabaseSchema) throws(Failure) {
    self.file = file
    self.client = client
    self.schema = schema
    info = try MirrorInfo(file)
    layout = try info.layout()
    guard info.database == client.database else {
      throw Failure(
        .usage,
        "push from",
        path: file.path,
        cause: "it is a mirror of \(info.database), and this is \(client.database)",
        remedy: "Name the environment that it was pulled from."
      )
    }
    let layout = layout
    let (paths, deletions) = try file.use { db in
      let paths = try MirrorTables.editedPaths(db).filter { !$0.isReserved }
      let deletions = try paths.filter { path in
        try layout.table(of: path.collection).map { try Self.row(path, $0, db) == nil } ?? false
      }
      return (paths, deletions.count)
    }
    self.paths = paths
    self.deletions = deletions
    collections = Set(paths.map(\.collection.pattern)).sorted()
  }

  package func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any ChangeList {
    var guarded = self
    guarded.subcollections = subcollections
    return guarded
  }

  /// Records the edits; a position is the path of a document.
  package func record(
    in sink: any PlanSink,
    after position: String?,
    mark: (String) async throws -> Void
  ) async throws {
    var paths = paths[...]
    if let position {
      paths = paths.drop { $0.string.compareUTF8(position) <= 0 }
    }
    while !paths.isEmpty {
      let some = Array(paths.prefix(Self.width))
      paths = paths.dropFirst(Self.width)
      let present = try await client.batchGet(some)
      var outcomes = try some.map { path in try outcome(path, present[path]) }
      if let subcollections { try await SubcollectionGuard.withhold(&outcomes, subcollections) }
      for (path, outcome) in zip(some, outcomes) {
        try await sink.record(outcome, of: present[path] ?? RawDocument(path: path, fields: FieldMap()))
      }
      if let last = some.last { try await mark(last.string) }
    }
  }

  // MARK: Deciding

  private func outcome(_ path: DocumentPath, _ present: RawDocument?) throws(Failure) -> Outcome {
    guard let found = try file.use({ db in try edit(of: path, db) }) else { return Outcome(.skip) }
    switch found.decision {
    case .refused(let finding): return Outcome(.skip, findings: [finding])
    case .unchanged: return Outcome(.unchanged)
    case .change(let after, let serverTimes):
      let change = Change(path: path, before: found.pulled, after: after, serverTimes: serverTimes)
      // What is already as the rows say may be what a push before wrote.
      if change.isApplied(to: present) { return Outcome(.unchanged) }
      guard found.updateTime == present?.updateTime?.microseconds else { return Outcome(.conflict) }
      return Outcome(
        .change(
          Change(
            path: path,
            before: present,
            after: after,
            serverTimes: serverTimes,
            reasons: [after == nil ? "row-deleted" : present == nil ? "row-inserted" : "row-updated"]
          )
        )
      )
    }
  }

  /// What the row of a document means, the document as it was pulled, and its update time; nil where its collection has
  /// no table.
  private func edit(
    of path: DocumentPath,
    _ db: Database
  ) throws -> (decision: RowEdit.Decision, pulled: RawDocument?, updateTime: Int64?)? {
    guard let table = layout.table(of: path.collection) else { return nil }
    let stored = try DocumentTable(db, info.database).row(path)
    var rows = try RowWriter(layout)
    let pulled = try stored.map { RawDocument(path: path, fields: try rows.fields($0.fields)) }
    let decision = try RowEdit(path, table, schema.collection(path.collection))
      .decide(pulled, try Self.row(path, table, db))
    return (decision, pulled, stored?.updateTime)
  }

  // MARK: Settling

  /// Takes into the mirror what the service has of the edited documents, where it is as their rows say; the edits of
  /// other documents stay.
  ///
  /// - Returns: How many edits are left.
  /// - Throws: ``Failure``; the edits are as they were then, and found done by the next push.
  package func settle() async throws -> Int {
    var left = paths.count
    for start in stride(from: 0, to: paths.count, by: 300) {
      let some = Array(paths[start..<min(start + 300, paths.count)])
      let present = try await client.batchGet(some)
      left -= try file.use { db in
        try db.execute(sql: "BEGIN IMMEDIATE")
        do {
          for sql in layout.tables.flatMap(\.elementTables).flatMap(\.triggerRemoval) {
            try db.execute(sql: sql)
          }
          let settled = try some.filter { try settle($0, present[$0], db) }.count
          for sql in layout.tables.flatMap(\.elementTriggers) { try db.execute(sql: sql) }
          try db.execute(sql: "COMMIT")
          return settled
        } catch {
          try db.execute(sql: "ROLLBACK")
          throw error
        }
      }
    }
    return left
  }

  private func settle(_ path: DocumentPath, _ present: RawDocument?, _ db: Database) throws -> Bool {
    guard let found = try edit(of: path, db) else { return false }
    switch found.decision {
    case .refused: return false
    case .unchanged: break
    case .change(let after, let serverTimes):
      let change = Change(path: path, before: found.pulled, after: after, serverTimes: serverTimes)
      guard change.isApplied(to: present) else { return false }
      var documents = try DocumentTable(db, info.database)
      if let present {
        var json = JSONWriter()
        json.fields(present.fields)
        try documents.put(
          path,
          createTime: present.createTime?.microseconds ?? 0,
          updateTime: present.updateTime?.microseconds ?? 0,
          fields: json.bytes
        )
      } else {
        try documents.remove(path)
      }
      var rows = try RowWriter(layout)
      try rows.restore(path, documents, db)
    }
    let forget = try StatementWriter(db, "DELETE FROM \(MirrorTables.edits) WHERE path = ?")
    forget.bind(1, text: path.string)
    try forget.run()
    return true
  }

  /// The row of a document as it is in its table; nil where there is none.
  static func row(_ path: DocumentPath, _ table: TableLayout, _ db: Database) throws -> [SQLCell]? {
    let statement = try db.cachedStatement(sql: table.selection)
    return try Row.fetchOne(statement, arguments: StatementArguments(table.ids(of: path))).map { row in
      (table.parents.count + 1..<table.width).map { SQLCell(row[$0] as DatabaseValue) }
    }
  }
}

extension SQLCell {
  fileprivate init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null: .null
      case .int64(let number): .integer(number)
      case .double(let number): .real(number)
      case .string(let text): .text(text)
      // What is no text of SQL is none of a document either; it is refused as JSON.
      case .blob: .text("{")
      }
  }
}
