package import FirestoreModels
import Foundation
import GRDB
import Runs

/// What a run did to each document, out of its journal, in the order of their paths.
///
/// Memory does not grow with the journal; the documents are spooled to a temporary file.
package struct RunChanges: Sendable {
  /// The run, as the journal names it.
  package let run: String
  /// The line of the journal that was torn and stepped over, nil where none was.
  package let tornLine: Int?
  package let database: DatabaseName
  /// The collections that were changed, sorted.
  package let collections: [CollectionPath]
  /// How many documents the journal names.
  package let count: Int
  /// A moment by the service's clock before the first change, where it is known.
  let serverTime: Timestamp?
  private let spool: SpoolDatabase

  /// Reads a journal.
  ///
  /// - Throws: `.inputMissing`, `.inputMalformed`; `.cannotWrite` where there is no room for the spool.
  package init(journal path: String) throws(Failure) {
    try self.init(reading: [path], as: nil)
  }

  /// Reads the journals of a run that worked in several processes, each in a run folder of its own.
  ///
  /// No two of them changed the same document.
  ///
  /// - Parameter journals: The paths, with the run IDs that the journals must name.
  /// - Throws: As ``init(journal:)``.
  package init(of run: String, journals: [(path: String, run: String)]) throws(Failure) {
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
    try self.init(reading: journals.map(\.path), as: run)
  }

  /// - Parameter name: The run; nil for the one that the first journal names.
  private init(reading paths: [String], as name: String?) throws(Failure) {
    let spool = try SpoolDatabase(
      of: "the changes of a run",
      schema: "CREATE TABLE documents (path BLOB PRIMARY KEY, history BLOB NOT NULL) WITHOUT ROWID"
    )
    var first: JournalReader.Head?
    var earliest: Timestamp?
    var torn: Int?
    var collections: Set<CollectionPath> = []
    for path in paths {
      var reader = try JournalReader(path)
      guard case .head(let head)? = try reader.next() else {
        throw Failure(.inputMalformed, "read the journal", path: path, cause: "it has no head")
      }
      if let first, first.database != head.database {
        throw Failure(
          .inputMalformed,
          "read the journal",
          path: path,
          cause: "it is of \(head.database), and others of the run are of \(first.database)"
        )
      }
      first = first ?? head
      if let time = head.serverTime { earliest = min(earliest ?? time, time) }
      try Self.read(&reader, into: spool, &collections)
      torn = torn ?? reader.tornLine
    }
    guard let first else {
      throw Failure(.inputMissing, "read the journals", path: name, cause: "no task has begun to write")
    }
    self.spool = spool
    run = name ?? first.run
    tornLine = torn
    database = first.database
    serverTime = earliest
    self.collections = collections.sorted()
    count = try spool.access { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM documents") ?? 0 }
  }

  private static func read(
    _ reader: inout JournalReader,
    into spool: SpoolDatabase,
    _ collections: inout Set<CollectionPath>
  ) throws(Failure) {
    var lines: [(DocumentPath, JournalReader.Line)] = []
    while let line = try reader.next() {
      switch line {
      case .head: continue
      case .change(let change):
        collections.insert(change.path.collection.pattern)
        lines.append((change.path, line))
      case .settled(let path, _, _): lines.append((path, line))
      }
      if lines.count == SpoolDatabase.batch {
        try add(lines, to: spool)
        lines.removeAll(keepingCapacity: true)
      }
    }
    try add(lines, to: spool)
  }

  /// The documents from behind a path on; empty at the end.
  func page(
    after path: DocumentPath?,
    limit: Int
  ) throws(Failure) -> [(path: DocumentPath, history: DocumentHistory)] {
    try spool.access { db in
      try Row.fetchAll(
        db,
        sql: "SELECT path, history FROM documents WHERE path > ? ORDER BY path LIMIT ?",
        arguments: [SpoolDatabase.bytes(path?.string ?? ""), limit]
      ).compactMap { row in
        guard let path = DocumentPath(SpoolDatabase.text(row["path"])) else { return nil }
        return (path, try Self.history(row["history"]))
      }
    }
  }

  private static func add(
    _ lines: [(DocumentPath, JournalReader.Line)],
    to spool: SpoolDatabase
  ) throws(Failure) {
    try spool.access { db in
      let find = try db.cachedStatement(sql: "SELECT history FROM documents WHERE path = ?")
      let put = try db.cachedStatement(sql: "INSERT OR REPLACE INTO documents VALUES (?, ?)")
      for (path, line) in lines {
        let key = SpoolDatabase.bytes(path.string)
        var history = try Data.fetchOne(find, arguments: [key]).map(history) ?? DocumentHistory()
        history.take(line)
        try put.execute(arguments: [key, Data(history.json)])
      }
    }
  }

  private static func history(_ data: Data) throws -> DocumentHistory {
    var decoder = WireDecoder()
    return try JSONParser().parse(Array(data)) { json throws(WireError) in
      try DocumentHistory(json, &decoder)
    }
  }
}
