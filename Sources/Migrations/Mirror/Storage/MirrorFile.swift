import Files
package import GRDB

/// A mirror: an SQLite file with the documents of a database, and a typed table for each collection.
///
/// The exact documents are in the tables of the embedded store, so that any command can read a mirror like a database.
package final class MirrorFile: Sendable {
  package let path: String
  private let queue: DatabaseQueue

  /// The purpose for which a mirror is opened.
  package enum Purpose: Sendable {
    /// To be filled; nobody else sees the file, and its remains are removed after a failure.
    case creation
    case writing
    case reading
  }

  /// Opens a file.
  ///
  /// - Throws: `.inputMissing` if it does not exist; `.inputMalformed` if it is not a mirror; `.tryLater` if another program
  ///   keeps it locked; `.cannotWrite`.
  package init(_ path: String, for purpose: Purpose) throws(Failure) {
    self.path = path
    if purpose != .creation, SystemCall.status(path).status == nil {
      throw Failure(
        .inputMissing,
        "open the mirror",
        path: path,
        cause: "there is no such file",
        remedy: "'gymmigrate mirror pull' makes one."
      )
    }
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.allowsUnsafeTransactions = true
    configuration.busyMode = .timeout(purpose == .creation ? 0 : 20)
    configuration.label = "mirror"
    configuration.prepareDatabase { db in
      // Views in a file from elsewhere may only call SQLite's own harmless functions. For writing, triggers run and maintain
      // full-text tables, which do not count as harmless; extensions cannot be loaded.
      let trust = purpose == .writing ? "ON" : "OFF"
      try db.execute(
        sql: "PRAGMA trusted_schema = \(trust); PRAGMA temp_store = FILE; PRAGMA cache_size = -2048;"
      )
      switch purpose {
      case .creation:
        try db.execute(
          sql: """
            PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
            PRAGMA locking_mode = EXCLUSIVE;
            """
        )
      case .writing: try db.execute(sql: "PRAGMA synchronous = FULL;")
      case .reading: try db.execute(sql: "PRAGMA query_only = ON;")
      }
    }
    queue = try Self.reporting(path) { [configuration] in
      try DatabaseQueue(path: path, configuration: configuration)
    }
    if purpose != .creation { try assertMirror() }
  }

  /// Refuses to replace a database that is not a mirror, such as the data file of the embedded store.
  ///
  /// - Throws: `.cannotWrite`.
  package static func assertReplaceable(_ path: String) throws(Failure) {
    guard KeptFiles.isDatabase(path) else { return }
    do throws(Failure) {
      _ = try MirrorFile(path, for: .reading)
    } catch {
      throw Failure.cannotWrite(
        path,
        "it is a database that gymmigrate did not export",
        remedy: "Name another file."
      )
    }
  }

  private func assertMirror() throws(Failure) {
    let cause = try use { db -> String? in
      let isMirror =
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '_mirror')")
        ?? false
      if !isMirror { return "it is not a mirror" }
      let version = try MirrorInfo.value("version", db)
      if version == MirrorTables.version { return nil }
      let isSame =
        try version == MirrorTables.versionOfASCII
        && !(Bool.fetchOne(
          db,
          sql: "SELECT EXISTS (SELECT 1 FROM _mirror_columns WHERE field || collection GLOB '*[^ -~]*')"
        ) ?? true)
      return isSame ? nil : "it was made by another version of gymmigrate"
    }
    guard let cause else { return }
    throw Failure(
      .inputMalformed,
      "open the mirror",
      path: path,
      cause: cause,
      remedy: "Name another file, or move this one away and pull again."
    )
  }

  /// Runs `body` on the database; a transaction may be left open.
  ///
  /// - Throws: ``Failure`` if SQLite fails; errors of `body`.
  package func use<Result>(_ body: (Database) throws -> Result) throws(Failure) -> Result {
    try Self.reporting(path) { try queue.writeWithoutTransaction(body) }
  }

  /// Returns the number of documents whose rows were edited and not pushed.
  package func editCount() throws(Failure) -> Int {
    let info = try MirrorInfo(self)
    let layout = try info.layout()
    return try use { db in try layout.edits(info.database, db).count }
  }

  /// Returns what is wrong with tables in which edits are not recorded.
  package func damages() throws(Failure) -> [String] {
    let layout = try MirrorInfo(self).layout()
    return try use { db in try layout.damaged(db).map(\.cause) }
  }

  /// Closes the file; an open transaction is rolled back.
  package func close() throws(Failure) {
    try Self.reporting(path) { try queue.close() }
  }

  private static func reporting<Result>(_ path: String, _ body: () throws -> Result) throws(Failure) -> Result
  {
    do {
      return try body()
    } catch let failure as Failure {
      throw failure
    } catch let error as DatabaseError {
      throw failure(error, path)
    } catch is CancellationError {
      throw Failure(.interrupted, "use the mirror", path: path, cause: "it was stopped")
    } catch {
      throw Failure(.internal, "use the mirror", path: path, cause: "\(error)")
    }
  }

  /// The failure without the statement's arguments, which are people's data.
  private static func failure(_ error: DatabaseError, _ path: String) -> Failure {
    let cause = "\(error.message ?? "SQLite failed") (SQLite code \(error.extendedResultCode.rawValue))"
    func failure(_ kind: Failure.Kind, _ cause: String, _ remedy: String) -> Failure {
      Failure(kind, "use the mirror", path: path, cause: cause, remedy: remedy)
    }
    return switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      failure(
        .tryLater,
        "another program keeps it locked",
        "Another pull may be under way, or an SQL tool has a transaction open."
      )
    case .SQLITE_CONSTRAINT where error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER:
      failure(.cannotWrite, "a trigger of the file refuses it: \(cause)", "Change the trigger, or drop it.")
    case .SQLITE_ERROR, .SQLITE_CONSTRAINT:
      failure(
        .cannotWrite,
        cause,
        "A table or an index that you created in it may be in the way: rename or drop it, or name another file."
      )
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: failure(.inputMalformed, cause, "Move it away and pull again.")
    default:
      failure(
        .cannotWrite,
        cause,
        "Check its folder, the space on its disk and that of temporary files (SQLITE_TMPDIR)."
      )
    }
  }
}
