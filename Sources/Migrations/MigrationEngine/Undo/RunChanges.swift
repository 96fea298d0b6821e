import Foundation
import GRDB
import Runs

/// What a run did to each document, according to its journal, ordered by path.
///
/// Memory does not grow with the journal, because the documents are spooled to a temporary file.
package struct RunChanges: Sendable {
  /// The run, as named in the journal.
  package let run: String
  /// The number of a truncated line in the journal that was skipped; nil if there was none.
  package let tornLine: Int?
  package let database: DatabaseName
  /// The collections that were changed, sorted.
  package let collections: [CollectionPath]
  /// The number of written documents, as far as is known.
  package let count: Int
  /// A time by the service's clock before the first change, if known.
  let serverTime: Timestamp?
  let spool: SpoolDatabase

  /// Some of the documents, in an order of their paths.
  enum Part {
    /// All, in order.
    case all
    /// Those that the run wrote, or may have, and that existed before, in order, without those of transactions.
    case existing
    /// Those that did not exist and have so many segments, in reverse order, without those of transactions.
    case created(segments: Int)

    fileprivate var condition: String {
      switch self {
      case .all: "path > ? ORDER BY path"
      case .existing: "path > ? AND NOT isNew AND \(RunChanges.isWrittenAlone) ORDER BY path"
      case .created(let segments):
        "path < ? AND isNew AND segments = \(segments) AND \(RunChanges.isWrittenAlone) ORDER BY path DESC"
      }
    }

    /// A key that precedes all paths in this order; no byte of a text is 255.
    fileprivate var start: Data { if case .created = self { Data([255]) } else { Data() } }
  }

  /// The condition for a document that the run wrote, or may have, and not in a transaction.
  private static let isWrittenAlone =
    "joint IS NULL AND history <> CAST('\(String(decoding: DocumentHistory().json, as: UTF8.self))' AS BLOB)"

  /// Reads a journal.
  ///
  /// - Throws: `.inputMissing`, `.inputMalformed`; `.cannotWrite` if the spool cannot be written.
  package init(journal path: String) throws(Failure) {
    try self.init(reading: [path], as: nil)
  }

  /// Reads the journals of a run with several processes, each of which has its own run folder.
  ///
  /// No two of them changed the same document.
  ///
  /// - Parameters:
  ///   - database: The database of the run.
  ///   - journals: The paths, with the run IDs that the journals must name; none if no process has begun to write.
  /// - Throws: As ``init(journal:)``.
  package init(
    of run: String,
    in database: DatabaseName,
    journals: [(path: String, run: String)]
  ) throws(Failure) {
    for journal in journals {
      var reader = try JournalReader(journal.path)
      if case .head(let head)? = try reader.next(), head.run.isIdentical(to: journal.run) { continue }
      throw Failure(
        .inputMalformed,
        "read the journal",
        path: journal.path,
        cause: "it is not that of the run of its folder"
      )
    }
    try self.init(reading: journals.map(\.path), as: (run, database))
  }

  /// Refuses a database other than the one that was changed.
  ///
  /// - Throws: `.notPermitted`.
  package func assertOf(_ other: DatabaseName, _ operation: String, _ run: String) throws(Failure) {
    if other == database { return }
    throw Failure(
      .notPermitted,
      operation,
      path: run,
      cause: "it changed \(database), and this is \(other)",
      remedy: "Name the environment that the run worked on."
    )
  }

  /// - Parameter named: The run and its database; nil for what the journal names.
  private init(
    reading paths: [String],
    as named: (run: String, database: DatabaseName)?
  ) throws(Failure) {
    let spool = try SpoolDatabase(
      of: "the changes of a run",
      schema: """
        CREATE TABLE documents (
          path BLOB PRIMARY KEY, history BLOB NOT NULL, joint INTEGER, isNew INTEGER NOT NULL,
          segments INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE parts (
          number INTEGER, path BLOB, change BLOB NOT NULL, result TEXT, time TEXT, PRIMARY KEY (number, path)
        ) WITHOUT ROWID;
        CREATE INDEX parts_by_path ON parts (path, number);
        CREATE TABLE restored (
          path BLOB, time TEXT, original TEXT, created TEXT, found TEXT, PRIMARY KEY (path, time)
        ) WITHOUT ROWID;
        CREATE TABLE unheard (
          path BLOB PRIMARY KEY, change BLOB NOT NULL, original TEXT NOT NULL, created TEXT
        ) WITHOUT ROWID;
        CREATE TABLE rewritten (path BLOB, time TEXT, change BLOB NOT NULL, PRIMARY KEY (path, time)) WITHOUT ROWID;
        CREATE TABLE settled (path BLOB, joint INTEGER NOT NULL, PRIMARY KEY (path, joint)) WITHOUT ROWID;
        """
    )
    var named = named
    var earliest: Timestamp?
    var torn: Int?
    var collections: Set<CollectionPath> = []
    for path in paths {
      var reader = try JournalReader(path)
      guard case .head(let head)? = try reader.next() else {
        throw Failure(.inputMalformed, "read the journal", path: path, cause: "it has no head")
      }
      if let named, named.database != head.database {
        throw Failure(
          .inputMalformed,
          "read the journal",
          path: path,
          cause: "it is of \(head.database), and the run of \(named.database)"
        )
      }
      named = named ?? (head.run, head.database)
      if let time = head.serverTime { earliest = min(earliest ?? time, time) }
      try Self.read(&reader, into: spool, &collections)
      torn = torn ?? reader.tornLine
    }
    guard let named else { throw Failure(.internal, "read the journal of a run", cause: "none is named") }
    self.spool = spool
    (run, database) = named
    tornLine = torn
    serverTime = earliest
    self.collections = collections.sorted()
    count = try spool.access { db in
      try JointSpool(db).dropRefused()
      let sql =
        "SELECT COUNT(*) FROM documents WHERE \(Self.isWrittenAlone) OR path IN (SELECT path FROM parts)"
      return try Int.fetchOne(db, sql: sql) ?? 0
    }
  }

  private static func read(
    _ reader: inout JournalReader,
    into spool: SpoolDatabase,
    _ collections: inout Set<CollectionPath>
  ) throws(Failure) {
    var lines: [(DocumentPath, JournalReader.Line)] = []
    var fill = BatchFill(count: SpoolDatabase.batch)
    while let line = try reader.next() {
      switch line {
      case .head: continue
      case .change(let change, _):
        collections.insert(change.path.collection.pattern)
        lines.append((change.path, line))
        fill.add(bytes: change.heldBytes)
      case .settled(let path, _, _):
        lines.append((path, line))
        fill.add(bytes: 0)
      }
      if fill.isFull {
        try add(lines, to: spool)
        lines.removeAll(keepingCapacity: true)
        fill.empty()
      }
    }
    try add(lines, to: spool)
  }

  /// Returns the documents of a part that follow a path in its order, as many as fit into a batch; empty at the end.
  func page(
    _ part: Part = .all,
    after path: DocumentPath?,
    limit: Int
  ) throws(Failure) -> [(path: DocumentPath, history: DocumentHistory)] {
    try spool.access { db in
      let rows = try Row.fetchCursor(
        db,
        sql: "SELECT path, history FROM documents WHERE \(part.condition) LIMIT ?",
        arguments: [path.map { SpoolDatabase.bytes($0.string) } ?? part.start, limit]
      )
      var page: [(path: DocumentPath, history: DocumentHistory)] = []
      var fill = BatchFill(count: limit)
      while !fill.isFull, let row = try rows.next() {
        guard let path = DocumentPath(SpoolDatabase.text(row["path"])) else { continue }
        let history: Data = row["history"]
        page.append((path, try Self.history(history)))
        fill.add(bytes: history.count)
      }
      return page
    }
  }

  /// The numbers of segments of the documents that did not exist before the run, largest first, without those of transactions.
  func segmentsOfCreated() throws(Failure) -> [Int] {
    let sql = "SELECT DISTINCT segments FROM documents WHERE joint IS NULL AND isNew ORDER BY segments DESC"
    return try spool.access { db in try Int.fetchAll(db, sql: sql) }
  }

  /// Returns those of some documents that are not known to have existed before the run.
  func withoutExisting(_ paths: [DocumentPath]) throws(Failure) -> [DocumentPath] {
    try spool.access { db in
      let find = try db.cachedStatement(sql: "SELECT isNew FROM documents WHERE path = ?")
      return try paths.filter { path in
        try Bool.fetchOne(find, arguments: [SpoolDatabase.bytes(path.string)]) ?? true
      }
    }
  }

  private static func add(
    _ lines: [(DocumentPath, JournalReader.Line)],
    to spool: SpoolDatabase
  ) throws(Failure) {
    try spool.access { db in
      let find = try db.cachedStatement(sql: "SELECT history, joint FROM documents WHERE path = ?")
      let put = try db.cachedStatement(sql: "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?)")
      for (path, line) in lines {
        let key = SpoolDatabase.bytes(path.string)
        let row = try Row.fetchOne(find, arguments: [key])
        var history = try row.map { try Self.history($0["history"]) } ?? DocumentHistory()
        history.take(line)
        let joint = try JointSpool(db).take(line, of: key, last: row.flatMap { $0["joint"] as Int? })
        let (isNew, segments) = (history.before == nil, path.segments.count)
        try put.execute(arguments: [key, Data(history.json), joint, isNew, segments])
      }
    }
  }

  static func history(_ data: Data) throws -> DocumentHistory {
    try JSONParser.decode(Array(data)) { json, wire throws(WireError) in try DocumentHistory(json, &wire) }
  }

  // MARK: Transactions

  /// Returns the last transaction before a number; the last of all if nil.
  func jointChange(before number: Int?) throws(Failure) -> JointChange? {
    try spool.access { db in try JointSpool(db).jointChange(before: number) }
  }
}
