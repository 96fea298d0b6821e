import Files
import FirestoreREST
import Foundation
import GRDB
import Runs

/// Receives the changes of a plan.
protocol PlanList: Sendable {
  /// - Parameter transaction: The number of the transaction that the changes belong to; nil if each is written by itself.
  func append(_ changes: [Change], by migration: LedgerEntry.Applied, in transaction: Int?) async throws
}

extension PlanList {
  func append(_ changes: [Change], by migration: LedgerEntry.Applied) async throws {
    try await append(changes, by: migration, in: nil)
  }
}

/// Documents as planned changes would leave them, and the changes themselves, with all changes to one document merged.
///
/// Appended changes become visible when ``advance()`` is called: of several migrations that are planned together, each sees the
/// documents as the ones before it leave them. Everything is in a temporary database, so that memory does not grow with the plan.
struct PlannedDocuments: PlanList, DocumentReader {
  private let client: FirestoreClient
  private let spool: SpoolDatabase
  /// The placeholder for the time that the service will set.
  private let now: Timestamp
  /// Changes of rounds before this one are visible.
  private let round = Locked<Int64>(0)

  /// - Throws: `.cannotWrite`.
  init(over client: FirestoreClient, now: Timestamp = .now) throws(Failure) {
    self.client = client
    self.now = now
    spool = try SpoolDatabase(
      of: "the changes of a plan",
      schema: """
        CREATE TABLE changes (
          position INTEGER PRIMARY KEY, round INTEGER NOT NULL, path BLOB UNIQUE, collection TEXT NOT NULL,
          kind TEXT NOT NULL, change BLOB NOT NULL, migration TEXT NOT NULL, checksum TEXT
        );
        CREATE TABLE next (
          position INTEGER PRIMARY KEY, round INTEGER NOT NULL, path BLOB NOT NULL, collection TEXT NOT NULL,
          kind TEXT NOT NULL, change BLOB NOT NULL, migration TEXT NOT NULL, checksum TEXT
        );
        CREATE TABLE seen (path BLOB PRIMARY KEY, collection TEXT NOT NULL) WITHOUT ROWID;
        """
    )
  }

  // MARK: Changes

  /// Transactions are not kept: only lists have any, and each of these is planned alone.
  func append(_ changes: [Change], by migration: LedgerEntry.Applied, in _: Int?) async throws {
    if changes.isEmpty { return }
    let round = round.withLock { $0 }
    try await spool.use { db in
      let values = "VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"
      let insert = try db.cachedStatement(sql: "INSERT INTO changes \(values) ON CONFLICT (path) DO NOTHING")
      let wait = try db.cachedStatement(sql: "INSERT INTO next \(values)")
      for change in changes {
        let row = [round] + Self.arguments(change, of: migration)
        try insert.execute(arguments: row)
        // A further change of a document waits to be merged.
        if db.changesCount == 0 { try wait.execute(arguments: row) }
      }
    }
  }

  /// Makes the appended changes visible.
  ///
  /// - Throws: `.cannotWrite`.
  func advance() throws(Failure) {
    var last: Int64 = 0
    while let end = try spool.access({ db in try merge(after: last, in: db) }) { last = end }
    if last > 0 { try spool.access { db in try db.execute(sql: "DELETE FROM next") } }
    round.withLock { $0 += 1 }
  }

  /// Merges some of the appended changes.
  ///
  /// - Returns: The last merged position; nil at the end.
  private func merge(after last: Int64, in db: Database) throws -> Int64? {
    let sql = "SELECT position FROM next WHERE position > ? ORDER BY position LIMIT ?"
    let positions = try Int64.fetchAll(db, sql: sql, arguments: [last, SpoolDatabase.batch])
    for waiting in positions {
      let next = try db.cachedStatement(sql: "SELECT * FROM next WHERE position = ?")
      guard let row = try Row.fetchOne(next, arguments: [waiting]) else { continue }
      let find = try db.cachedStatement(sql: "SELECT * FROM changes WHERE path = ?")
      let earlier = try Row.fetchOne(find, arguments: [row["path"] as Data])
      var (position, change, migration) = (
        nil as Int64?, try SpoolDatabase.change(row) as Change?, Self.migration(row)
      )
      if let earlier {
        position = earlier["position"]
        try db.execute(sql: "DELETE FROM changes WHERE position = ?", arguments: [position])
        change = try SpoolDatabase.change(earlier).followed(by: try SpoolDatabase.change(row), now: now)
        migration = Self.migration(earlier).and(migration)
      }
      guard let change else { continue }
      try db.cachedStatement(sql: "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?)").execute(
        arguments: [position, row["round"] as Int64] + Self.arguments(change, of: migration)
      )
    }
    return positions.last
  }

  /// Writes the changes to a plan file, in the order in which their documents were first changed.
  func write(to file: PlanFileWriter) async throws {
    try await spool.forEachBatch(of: "changes") {
      (try SpoolDatabase.change($0), Self.migration($0))
    } bytes: {
      $0.0.heldBytes
    } _: { rows in
      for (change, migration) in rows { try await file.append([change], by: migration) }
    }
  }

  /// Returns the numbers of changed and of read documents, by collection.
  ///
  /// - Throws: `.cannotWrite`.
  func totals() throws(Failure) -> (changes: ChangeCounts, documents: [CollectionPath: Int]) {
    try spool.access { db in
      var changes = ChangeCounts()
      var documents: [CollectionPath: Int] = [:]
      let sql = "SELECT collection, kind, COUNT(*) AS count FROM changes GROUP BY collection, kind"
      for row in try Row.fetchAll(db, sql: sql) {
        guard let path = CollectionPath(row["collection"]), let kind = Change.Kind(rawValue: row["kind"])
        else { continue }
        changes.add(kind, in: path, row["count"])
      }
      let read = "SELECT collection, COUNT(*) AS count FROM seen GROUP BY collection"
      for row in try Row.fetchAll(db, sql: read) {
        if let path = CollectionPath(row["collection"]) { documents[path] = row["count"] }
      }
      return (changes, documents)
    }
  }

  // MARK: Documents

  /// Returns a read that includes every document that planned changes may affect, and the filter to evaluate here.
  func whole(_ read: CollectionRead) throws(Failure) -> (CollectionRead, DocumentFilter?) {
    let isEmpty = try spool.access { db in
      try Row.fetchOne(db, sql: "SELECT 1 FROM changes WHERE \(isSeen) LIMIT 1") == nil
    }
    guard !isEmpty, let filter = read.filter else { return (read, nil) }
    var whole = read
    (whole.filter, whole.orderBy, whole.mask) = (nil, [], nil)
    return (whole, DocumentFilter(filter))
  }

  /// Returns the documents of a page as they will be, without those that will be deleted or do not match.
  func revised(_ page: [RawDocument], _ filter: DocumentFilter?) throws(Failure) -> [RawDocument] {
    try spool.access { db in
      let see = try db.cachedStatement(sql: "INSERT OR IGNORE INTO seen VALUES (?, ?)")
      return try page.compactMap { document in
        let change = try change(of: document.path, in: db)
        guard let revised = change.map({ $0.document(at: now) }) ?? document else { return nil }
        if filter.map({ !$0.matches(revised) }) ?? false { return nil }
        try see.execute(arguments: [Self.key(document.path), document.path.collection.string])
        return revised
      }
    }
  }

  /// Passes on the documents of a read that will be created, after the others and in the order in which they were planned.
  func forEachMade(
    in read: CollectionRead,
    _ filter: DocumentFilter?,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    try await spool.forEachBatch(of: "changes", where: "kind = 'create' AND \(isSeen)") { [now] row in
      try SpoolDatabase.change(row).document(at: now)
    } bytes: {
      $0?.heldBytes ?? 0
    } _: { documents in
      let made = documents.compactMap { $0 }.filter { document in
        read.covers(document.path) && filter.map { $0.matches(document) } ?? true
      }
      if !made.isEmpty { try await body(made) }
    }
  }

  func documents(_ paths: [DocumentPath]) async throws -> [DocumentPath: RawDocument] {
    let changes = try spool.access { db in try paths.map { try change(of: $0, in: db) } }
    let others = zip(paths, changes).filter { $1 == nil }.map(\.0)
    var found = others.isEmpty ? [:] : try await client.batchGet(others)
    for (path, change) in zip(paths, changes) { if let change { found[path] = change.document(at: now) } }
    return found
  }

  func forEachDocument(
    matching read: CollectionRead,
    _ body: (RawDocument) async throws -> Void
  ) async throws {
    let (whole, filter) = try whole(read)
    for try await page in client.pages(of: whole) {
      for document in try revised(page, filter) { try await body(document) }
    }
    try await forEachMade(in: read, filter) { for document in $0 { try await body(document) } }
  }

  /// Returns by how many documents a collection will grow.
  func growth(of collection: CollectionPath) throws(Failure) -> Int {
    try spool.access { db in
      let sum = "SELECT SUM((kind = 'create') - (kind = 'delete')) FROM changes"
      let sql = "\(sum) WHERE collection = ? AND \(isSeen)"
      return try Int.fetchOne(db, sql: sql, arguments: [collection.string]) ?? 0
    }
  }

  // MARK: Rows

  /// The SQL condition for visible changes.
  private var isSeen: String { "round < \(round.withLock { $0 })" }

  private static func key(_ path: DocumentPath) -> Data { SpoolDatabase.bytes(path.string) }

  /// The columns of both tables after the position and the round.
  private static func arguments(_ change: Change, of migration: LedgerEntry.Applied) -> StatementArguments {
    [
      key(change.path), change.path.collection.string, change.kind.rawValue, SpoolDatabase.bytes(change),
      migration.id, migration.checksum,
    ]
  }

  private func change(of path: DocumentPath, in db: Database) throws -> Change? {
    let find = try db.cachedStatement(sql: "SELECT * FROM changes WHERE path = ? AND round < ?")
    let row = try Row.fetchOne(find, arguments: [Self.key(path), round.withLock { $0 }])
    return try row.map(SpoolDatabase.change)
  }

  private static func migration(_ row: Row) -> LedgerEntry.Applied {
    LedgerEntry.Applied(id: row["migration"], checksum: row["checksum"])
  }
}

extension Change {
  /// The document that the change leaves; nil if it deletes it.
  ///
  /// - Parameter now: The placeholder for the time that the service will set.
  fileprivate func document(at now: Timestamp) -> RawDocument? {
    guard var fields = after else { return nil }
    for field in serverTimes { fields[field] = .timestamp(now) }
    let (createTime, updateTime) = (before?.createTime, before?.updateTime)
    return RawDocument(path: path, fields: fields, createTime: createTime, updateTime: updateTime)
  }

  /// Merges this change with one that was decided on its result; nil if together they leave the document unchanged.
  fileprivate func followed(by next: Change, now: Timestamp) -> Change? {
    if before == nil, next.isDeletion { return nil }
    let kept = isDeletion ? [] : serverTimes.filter { next.after?[$0] == .timestamp(now) }
    let times = next.isDeletion ? [] : kept + next.serverTimes.filter { !kept.contains($0) }
    let merged = Change(
      path: path,
      before: before,
      after: next.after?.removing(times),
      serverTimes: times,
      reasons: reasons + next.reasons.filter { reason in !reasons.contains { $0.isIdentical(to: reason) } }
    )
    return merged.isEmpty ? nil : merged
  }
}

extension LedgerEntry.Applied {
  /// Combines two migrations that change a document together, as a plan's line names them: `prices+stock`.
  fileprivate func and(_ other: LedgerEntry.Applied) -> LedgerEntry.Applied {
    let hasChecksum = checksum != nil || other.checksum != nil
    return LedgerEntry.Applied(
      id: "\(id)+\(other.id)",
      checksum: hasChecksum ? "\(checksum ?? "")+\(other.checksum ?? "")" : nil
    )
  }

  /// The individual migrations that a plan's line names.
  var parts: [LedgerEntry.Applied] {
    func split(_ text: String) -> [String] {
      text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    }
    let (ids, checksums) = (split(id), checksum.map(split) ?? [])
    if checksum != nil, checksums.count != ids.count { return [self] }
    return ids.enumerated().map { index, id in
      let checksum = checksums.isEmpty ? "" : checksums[index]
      return LedgerEntry.Applied(id: id, checksum: checksum.isEmpty ? nil : checksum)
    }
  }
}
