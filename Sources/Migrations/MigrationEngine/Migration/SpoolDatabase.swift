package import Foundation
package import GRDB

/// A temporary database for what a migration needs to look up, so that memory does not grow with it.
///
/// It is an SQLite temporary file, which only this process sees and which disappears with it, even if killed. Texts are stored as
/// their bytes, so that keys are compared and ordered by bytes.
package struct SpoolDatabase: Sendable {
  /// The number of rows in one transaction or one look-up.
  package static let batch = 500

  private let queue: DatabaseQueue
  private let contents: String

  /// - Parameter contents: A name for the contents, for errors: `the emails`.
  /// - Throws: `Failure` of kind `cannotWrite`.
  package init(of contents: String, schema: String) throws(Failure) {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.execute(
        sql: """
          PRAGMA journal_mode = OFF;
          PRAGMA synchronous = OFF;
          PRAGMA temp_store = FILE;
          PRAGMA cache_size = -2048;
          """
      )
    }
    self.contents = contents
    queue = try Self.reporting(contents) { [configuration] in
      let queue = try DatabaseQueue(path: "", configuration: configuration)
      try queue.write { db in try db.execute(sql: schema) }
      return queue
    }
  }

  /// Runs `body` with exclusive access to the database, on the calling thread.
  ///
  /// - Throws: `Failure` of kind `cannotWrite` if SQLite fails.
  package func access<Result>(_ body: (Database) throws -> Result) throws(Failure) -> Result {
    try Self.reporting(contents) { try queue.write(body) }
  }

  /// Runs `body` with exclusive access to the database.
  ///
  /// - Throws: `Failure` of kind `cannotWrite` if SQLite fails.
  package func use<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) async throws -> Result {
    do {
      return try await queue.write(body)
    } catch let error as DatabaseError {
      throw Self.failure(error, contents)
    }
  }

  /// Inserts a row for each element.
  ///
  /// - Throws: `Failure` of kind `cannotWrite` if SQLite fails.
  package func insert<Element: Sendable>(
    _ elements: [Element],
    _ sql: String,
    _ arguments: @Sendable (Element) -> StatementArguments
  ) async throws {
    if elements.isEmpty { return }
    try await use { db in
      let insert = try db.cachedStatement(sql: sql)
      for element in elements { try insert.execute(arguments: arguments(element)) }
    }
  }

  /// Passes the rows of a query to `body` in order, batch by batch: the query runs once, and the database is free for others
  /// while `body` runs.
  ///
  /// - Parameter decode: Creates a value from a row with the columns of the query.
  /// - Throws: `Failure` of kind `cannotWrite` if SQLite fails; errors of `body`; `CancellationError`.
  package func forEachRow<Element: Sendable>(
    of query: String,
    _ decode: @Sendable (Row) throws -> Element,
    _ body: (Element) async throws -> Void
  ) async throws {
    try await use { db in
      try db.execute(sql: "DROP TABLE IF EXISTS results; CREATE TABLE results AS \(query)")
    }
    try await forEachBatch(of: "results", decode) { for element in $0 { try await body(element) } }
  }

  /// Passes the rows of a table to `body` in order, batch by batch: the database is free for others while `body` runs.
  ///
  /// - Parameters:
  ///   - condition: Which rows, in SQL.
  ///   - bytes: Returns how much of a batch's memory a value takes.
  /// - Throws: As ``forEachRow(of:_:_:)``.
  package func forEachBatch<Element: Sendable>(
    of table: String,
    where condition: String = "TRUE",
    _ decode: @Sendable (Row) throws -> Element,
    bytes: @Sendable (Element) -> Int = { _ in 0 },
    _ body: ([Element]) async throws -> Void
  ) async throws {
    // Not cached, because the columns are those of the table at this moment.
    let sql =
      "SELECT *, rowid FROM \(table) WHERE rowid > ? AND \(condition) ORDER BY rowid LIMIT \(Self.batch)"
    var last: Int64 = 0
    while true {
      let after = last
      let rows: [(id: Int64, element: Element)] = try await use { db in
        var rows: [(id: Int64, element: Element)] = []
        var fill = BatchFill(count: Self.batch)
        let cursor = try Row.fetchCursor(db, sql: sql, arguments: [after])
        while !fill.isFull, let row = try cursor.next() {
          rows.append((row[row.count - 1], try decode(row)))
          fill.add(bytes: bytes(rows[rows.count - 1].element))
        }
        return rows
      }
      guard let end = rows.last else { return }
      last = end.id
      try await body(rows.map(\.element))
      try Task.checkCancellation()
    }
  }

  // MARK: Bytes and errors

  package static func bytes(_ text: String) -> Data { Data(text.utf8) }

  package static func text(_ bytes: Data) -> String { String(decoding: bytes, as: UTF8.self) }

  static func bytes(_ change: Change) -> Data { Data(JSONWriter.object { $0.members(of: change) }) }

  /// Reads a change from the column `change`, which ``bytes(_:)`` encoded.
  static func change(_ row: Row) throws -> Change {
    try JSONParser.decode(Array(row["change"] as Data)) { json, wire throws(WireError) in
      try wire.change(json)
    }
  }

  private static func reporting<Result>(
    _ contents: String,
    _ body: () throws -> Result
  ) throws(Failure) -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw failure(error, contents)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.internal, "keep \(contents) in a temporary file", cause: "\(error)")
    }
  }

  /// The failure, without the statement's arguments, which are people's data.
  private static func failure(_ error: DatabaseError, _ contents: String) -> Failure {
    Failure(
      .cannotWrite,
      "keep \(contents) in a temporary file",
      cause: "\(error.message ?? "SQLite failed") (SQLite code \(error.extendedResultCode.rawValue))",
      remedy: "Check the space of the folder for temporary files, or name another in SQLITE_TMPDIR."
    )
  }
}
