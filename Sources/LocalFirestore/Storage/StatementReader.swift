package import GRDB
import GRDBSQLite

/// Reads the columns of a prepared SELECT in place.
///
/// Rows are read by the thousand, and row objects with a value per column would cost more than the data itself.
package struct StatementReader {
  private let statement: Statement
  private let handle: OpaquePointer

  /// Prepares a SELECT or takes it from the connection's cache; for one reader at a time.
  package init(_ db: Database, _ sql: String, _ arguments: StatementArguments) throws {
    statement = try db.cachedStatement(sql: sql)
    try statement.setArguments(arguments)
    handle = statement.sqliteStatement
    sqlite3_reset(handle)
  }

  /// Prepares a SELECT with text parameters, which may contain NUL characters.
  package init(_ db: Database, _ sql: String, texts: [String]) throws {
    statement = try db.cachedStatement(sql: sql)
    handle = statement.sqliteStatement
    sqlite3_reset(handle)
    for (index, text) in texts.enumerated() { StatementWriter.bind(handle, index + 1, text: text) }
  }

  /// Calls `body` for each row until it returns false.
  package func forEach(_ body: (StatementReader) throws -> Bool) throws {
    defer { sqlite3_reset(handle) }
    while true {
      let code = sqlite3_step(handle)
      if code == SQLITE_ROW {
        if try body(self) == false { return }
      } else if code == SQLITE_DONE {
        return
      } else {
        throw DatabaseError(resultCode: ResultCode(rawValue: code))
      }
    }
  }

  /// Returns the result of `body` for the first row; nil if there is none.
  package func first<Result>(_ body: (StatementReader) throws -> Result) throws -> Result? {
    var result: Result?
    try forEach {
      result = try body($0)
      return false
    }
    return result
  }

  /// Returns the results of `body` for all rows, without nil.
  package func compactMap<Result>(_ body: (StatementReader) throws -> Result?) throws -> [Result] {
    var results: [Result] = []
    try forEach {
      if let result = try body($0) { results.append(result) }
      return true
    }
    return results
  }

  /// The type of a value in SQLite.
  package enum CellType { case null, integer, real, text, blob }

  package func type(_ column: Int32) -> CellType {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  package func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// An integer column; NULL is 0.
  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// The bytes of a text or blob column, valid until the next row.
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
  }

  package func array(_ column: Int32) -> [UInt8] { [UInt8](bytes(column)) }

  package func string(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
