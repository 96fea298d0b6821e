package import GRDB
import GRDBSQLite

/// Binds values to a prepared statement in place and runs it, for statements that run for every document.
///
///     let insert = try StatementWriter(db, "INSERT INTO t (a, b) VALUES (?, ?)")
///     insert.bind(1, integer: 7)
///     insert.bind(2, text: "x")
///     try insert.run()
package struct StatementWriter {
  private let statement: Statement
  private let handle: OpaquePointer

  /// Makes SQLite copy what is bound.
  private static var copying: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  /// Prepares a statement or takes it from the connection's cache; for one writer at a time.
  package init(_ db: Database, _ sql: String) throws {
    statement = try db.cachedStatement(sql: sql)
    handle = statement.sqliteStatement
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  package func bindNull(_ index: Int) { sqlite3_bind_null(handle, Int32(index)) }

  package func bind(_ index: Int, integer: Int64) { sqlite3_bind_int64(handle, Int32(index), integer) }

  package func bind(_ index: Int, real: Double) { sqlite3_bind_double(handle, Int32(index), real) }

  /// Binds text, which may contain NUL characters.
  package func bind(_ index: Int, text: String) { Self.bind(handle, index, text: text) }

  static func bind(_ handle: OpaquePointer, _ index: Int, text: String) {
    var text = text
    text.withUTF8 { bind(handle, index, text: UnsafeRawBufferPointer($0)) }
  }

  /// Binds bytes that are UTF-8 as text.
  package func bind(_ index: Int, text bytes: UnsafeRawBufferPointer) {
    Self.bind(handle, index, text: bytes)
  }

  private static func bind(_ handle: OpaquePointer, _ index: Int, text bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.bindMemory(to: CChar.self).baseAddress else {
      sqlite3_bind_text(handle, Int32(index), "", 0, copying)
      return
    }
    sqlite3_bind_text(handle, Int32(index), base, Int32(bytes.count), copying)
  }

  package func bind(_ index: Int, blob bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes {
      sqlite3_bind_blob(handle, Int32(index), $0.baseAddress, Int32($0.count), Self.copying)
    }
  }

  /// Runs the statement to its end; bound values stay bound.
  package func run() throws {
    let code = sqlite3_step(handle)
    sqlite3_reset(handle)
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      let connection = sqlite3_db_handle(handle)
      throw DatabaseError(
        resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
        message: String(cString: sqlite3_errmsg(connection))
      )
    }
  }
}
