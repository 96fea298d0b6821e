import FoundationEssentials
import GRDB
import Platform
import Synchronization

/// The documents of any number of databases with their versions of the past hour, in a file or in memory.
///
/// Several processes may open the same file: each waits for the others' commits, and commit times increase
/// across all of them.
final class DocumentStore: Sendable {
  /// The retention of versions in microseconds: an hour, like the service.
  static let retention: Int64 = 3_600_000_000
  /// The interval in microseconds at which old versions are deleted, and the maximum number per commit.
  private static let pruneInterval: Int64 = 60_000_000
  private static let pruneBatch = 10_000
  /// How long a read at a given time waits for commits in progress, in milliseconds.
  private static let patience = 20_000

  private let connections: any DatabaseWriter
  private let file: String?
  /// Nil in memory, where a read waits for the commit before it, and for a mirror.
  private let watch: CommitWatch?
  /// Whether the file is a mirror, which is read-only and has no previous versions.
  private let isMirror: Bool
  /// The error for all further requests once corruption is detected.
  private let corruption = Mutex<FirestoreError?>(nil)
  let clock: CommitClock

  /// Opens a data file, creating it if missing, or a store in memory if `file` is nil.
  ///
  /// - Throws: ``Failure``: `.cannotWrite` if the file cannot be created or written, `.inputMalformed` if it
  ///   is not a data file, `.tryLater` if another process keeps it locked.
  init(file: String?, clock: CommitClock, isMirror: Bool = false) throws(Failure) {
    self.clock = clock
    self.file = file
    self.isMirror = isMirror
    var configuration = Configuration()
    // Another process may be committing, which takes milliseconds.
    configuration.busyMode = .timeout(20)
    configuration.maximumReaderCount = 16
    configuration.label = "LocalFirestore"
    do {
      connections =
        if let file, isMirror {
          try Self.openMirror(file, configuration)
        } else if let file {
          try Self.openPool(file, configuration)
        } else {
          try DatabaseQueue(configuration: configuration)
        }
      let refusal =
        isMirror
        ? try connections.read { db in try StoreSchema.prepare(db) }
        : try connections.write { db in try StoreSchema.prepare(db) }
      if let refusal { throw Failure(.inputMalformed, "open the data file", path: file, cause: refusal) }
      watch = try isMirror ? nil : file.map { try CommitWatch(file: $0) }
    } catch {
      throw Self.failure(error, file: file)
    }
  }

  /// Opens a data file; a new one and SQLite's files beside it are readable by their owner only, because they
  /// contain personal data.
  private static func openPool(_ file: String, _ configuration: Configuration) throws -> DatabasePool {
    // If that fails, SQLite reports why.
    let descriptor = Platform.open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { Platform.close(descriptor) }
    return try DatabasePool(path: file, configuration: configuration)
  }

  private static func openMirror(_ file: String, _ configuration: Configuration) throws -> DatabasePool {
    var configuration = configuration
    configuration.readonly = true
    configuration.maximumReaderCount = 4
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA cache_size = -1024") }
    return try DatabasePool(path: file, configuration: configuration)
  }

  static func failure(_ error: any Error, file: String?) -> Failure {
    if let failure = error as? Failure { return failure }
    let operation = "open the data file"
    guard let error = error as? DatabaseError else {
      return Failure(.cannotWrite, operation, path: file, cause: "\(error)")
    }
    switch error.resultCode {
    case .SQLITE_NOTADB, .SQLITE_CORRUPT:
      return Failure(
        .inputMalformed,
        operation,
        path: file,
        cause:
          "it is damaged, or not a data file of the embedded store (\(error.message ?? "\(error.resultCode)"))",
        remedy:
          "Restore a copy, or move it away together with its -wal and -shm files: a new one is created."
      )
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      return Failure(.tryLater, operation, path: file, cause: "another process keeps it locked")
    case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_FULL, .SQLITE_IOERR:
      return Failure(
        .cannotWrite,
        operation,
        path: file,
        cause: error.message ?? "it cannot be written",
        remedy: "Check that its folder exists and can be written."
      )
    default:
      return Failure(.internal, operation, path: file, cause: error.message ?? "\(error.resultCode)")
    }
  }

  /// Runs `body` and converts corruption to an error that clients do not retry.
  ///
  /// All further requests fail with the same error: an error after the first chunk of a response is lost, and
  /// the client retries.
  private func reportingCorruption<Result>(_ body: () throws -> Result) throws -> Result {
    if let corruption = corruption.withLock({ $0 }) { throw corruption }
    do {
      return try body()
    } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
      throw corrupted(error.message ?? "\(error.resultCode)")
    } catch let error as FirestoreError where error.status == .dataLoss {
      throw corrupted(error.message)
    }
  }

  private func corrupted(_ cause: String) -> FirestoreError {
    let place = isMirror ? "mirror \(file ?? "")" : "data file \(file ?? "in memory") of the embedded store"
    let error = FirestoreError(.dataLoss, "The \(place) is damaged: \(cause)")
    corruption.withLock { $0 = error }
    return error
  }

  func close() throws {
    try watch?.close()
    try connections.close()
  }

  // MARK: Reading

  /// Reads a database as of now or a time in the past hour.
  ///
  /// - Parameter readTime: Microseconds since 1970; nil for now.
  /// - Throws: ``FirestoreError`` for a time in the future or too long ago; errors of `body`.
  func read<Result>(
    _ name: DatabaseName,
    at readTime: Int64? = nil,
    _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    let now = clock.beginRead()
    if let readTime, readTime < now - (isMirror ? 0 : Self.retention) {
      throw FirestoreError(.failedPrecondition, "The requested read_time is too old.")
    }
    return try reportingCorruption {
      let settled = try settledTime(for: readTime, at: now)
      return try connections.read { db in
        let snapshot = try StoreSnapshot(db, name, readTime: readTime, settled: settled)
        watch?.note(snapshot.latest)
        if snapshot.readTime > snapshot.latest {
          throw FirestoreError(.invalidArgument, "The requested read_time is in the future.")
        }
        return try body(snapshot)
      }
    }
  }

  /// Returns a time up to which all commits have ended.
  ///
  /// - Parameter readTime: The time that is read, for whose commits it waits; nil for the present, which may be that of the last
  ///   commit.
  private func settledTime(for readTime: Int64?, at now: Int64) throws -> Int64 {
    guard let watch else { return now }
    let wanted = min(readTime ?? now - 1_000_000, now)
    for _ in 0...(readTime == nil ? 20 : Self.patience) {
      let settled = try watch.settledTime(at: now, wanted: readTime)
      if settled >= wanted { return settled }
      usleep(1000)
    }
    // As long as somebody commits, the present is what is known to be complete.
    if readTime == nil { return try watch.settledTime(at: now, wanted: 0) }
    throw FirestoreError(.unavailable, "Another process is writing to the data file.")
  }

  // MARK: Writing

  /// Commits the writes of `body` atomically.
  func write<Result>(
    _ name: DatabaseName,
    _ body: (inout WriteTransaction, StoreSnapshot) throws -> Result
  ) throws -> Result {
    if isMirror { throw FirestoreError(.permissionDenied, "A mirror is only read.") }
    return try reportingCorruption {
      try connections.write { db in
        let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT last_commit FROM state")) ?? 0
        let time = clock.beginCommit(after: last)
        var transaction = try WriteTransaction(db, name, commitTime: time)
        let snapshot = try StoreSnapshot(db, name, readTime: time, settled: time)
        let result = try body(&transaction, snapshot)
        try db.cachedStatement(sql: "UPDATE state SET last_commit = ?").execute(arguments: [time])
        try prune(db)
        return result
      }
    }
  }

  private func prune(_ db: Database) throws {
    let now = clock.now()
    let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT last_prune FROM state")) ?? 0
    guard now.subtractingClamped(last) >= Self.pruneInterval else { return }
    try db.cachedStatement(
      sql: """
        DELETE FROM versions WHERE id IN \
        (SELECT id FROM versions WHERE end_time < ? ORDER BY end_time LIMIT \(Self.pruneBatch))
        """
    ).execute(arguments: [now - Self.retention - Self.pruneInterval])
    // After a full batch the next commit continues.
    if db.changesCount < Self.pruneBatch {
      try db.cachedStatement(sql: "UPDATE state SET last_prune = ?").execute(arguments: [now])
    }
  }

  // MARK: Databases

  /// The creation time of a database in microseconds since 1970; creates the database if missing.
  func createTime(of name: DatabaseName) throws -> Int64 {
    if isMirror { return 0 }
    return try reportingCorruption {
      try connections.write { db in
        let row = try WriteTransaction.createDatabase(name, at: clock.now(), db)
        let sql = "SELECT create_time FROM databases WHERE id = ?"
        return try Int64.fetchOne(db, sql: sql, arguments: [row]) ?? 0
      }
    }
  }

  /// The databases of a project with their creation times, in order of their IDs.
  func databases(of project: String) throws -> [(name: DatabaseName, createTime: Int64)] {
    try connections.read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT name, create_time FROM databases WHERE project = ? ORDER BY name",
        arguments: [project]
      ).compactMap { row in
        // A column of a damaged file may have any type, and a typed subscript would trap.
        let values: (name: DatabaseValue, time: DatabaseValue) = (row[0], row[1])
        guard let name = String.fromDatabaseValue(values.name) else { return nil }
        return (DatabaseName(project: project, database: name), Int64.fromDatabaseValue(values.time) ?? 0)
      }
    }
  }
}
