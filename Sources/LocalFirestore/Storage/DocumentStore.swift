import FirestoreModels
import FoundationEssentials
import GRDB
import Platform
import Synchronization

/// Makes a file that is its owner's alone, where there is none; where it cannot be made, SQLite says why.
private func makeOwnersFile(_ path: String) {
  let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
  if descriptor >= 0 { close(descriptor) }
}

/// Documents of any number of databases, with their versions of the past hour, in a file or in memory.
///
/// Several processes may open one file: each waits for the other's commit, and commit times increase over all of them.
/// What one process cannot know is a commit that another is just writing: a read may be given a time that lies after
/// it and not show it yet.
final class DocumentStore: Sendable {
  /// How long versions are kept, in microseconds: the service's hour.
  static let retention: Int64 = 3_600_000_000
  /// How often versions beyond it are looked for, in microseconds, and how many go at once.
  private static let pruneInterval: Int64 = 60_000_000
  private static let pruneBatch = 10_000

  private let connections: any DatabaseWriter
  private let file: String?
  /// What was found damaged, for all requests that follow.
  private let damage = Mutex<FirestoreError?>(nil)
  let clock: CommitClock

  /// Opens a data file, made where it is not there, or a store in memory where `file` is nil.
  ///
  /// - Throws: ``Failure``: `.cannotWrite` where the file cannot be made or written, `.inputMalformed` where it is
  ///   not a store, `.tryLater` where another process keeps it locked.
  init(file: String?, clock: CommitClock) throws(Failure) {
    self.clock = clock
    self.file = file
    var configuration = Configuration()
    // Another process's commit may be under way; commits take milliseconds.
    configuration.busyMode = .timeout(20)
    configuration.maximumReaderCount = 16
    configuration.label = "LocalFirestore"
    do {
      let connections: any DatabaseWriter =
        if let file {
          try Self.openPool(file, configuration)
        } else {
          try DatabaseQueue(configuration: configuration)
        }
      self.connections = connections
      let refusal = try connections.write { db in try Schema.prepare(db) }
      if let refusal { throw Failure(.inputMalformed, "open the data file", path: file, cause: refusal) }
    } catch {
      throw Self.failure(error, file: file)
    }
  }

  /// Opens a data file; one that is made is its owner's alone, and so is what SQLite puts beside it, because it holds people's data.
  private static func openPool(_ file: String, _ configuration: Configuration) throws -> DatabasePool {
    makeOwnersFile(file)
    return try DatabasePool(path: file, configuration: configuration)
  }

  private static func failure(_ error: any Error, file: String?) -> Failure {
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
          "Put a copy in its place, or move it away with the -wal and -shm beside it: a new one is made."
      )
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      return Failure(.tryLater, operation, path: file, cause: "another process keeps it locked")
    case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_FULL, .SQLITE_IOERR:
      return Failure(
        .cannotWrite,
        operation,
        path: file,
        cause: error.message ?? "it cannot be written",
        remedy: "Check that its folder is there and can be written."
      )
    default:
      return Failure(.internal, operation, path: file, cause: error.message ?? "\(error.resultCode)")
    }
  }

  /// Runs `body`, whose error of a damaged file becomes one that clients do not take for a passing one.
  ///
  /// It is the answer to every later request, too: an error behind the first piece of an answer is lost, and so the
  /// client asks again.
  private func naming<Result>(_ body: () throws -> Result) throws -> Result {
    if let damage = damage.withLock({ $0 }) { throw damage }
    do {
      return try body()
    } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
      let found = FirestoreError(
        .dataLoss,
        "The data file \(file ?? "in memory") of the embedded store is damaged: \(error.message ?? "\(error.resultCode)")"
      )
      damage.withLock { $0 = found }
      throw found
    }
  }

  /// Closes the file.
  func close() throws {
    try connections.close()
  }

  // MARK: Reading

  /// Reads a database as it is now or was at a moment of the past hour.
  ///
  /// - Parameter readTime: Microseconds since 1970, nil is now.
  /// - Throws: ``FirestoreError`` for a time in the future or too long ago, else what `body` throws.
  func read<Result>(
    _ name: DatabaseName,
    at readTime: Int64? = nil,
    _ body: (Snapshot) throws -> Result
  ) throws -> Result {
    let now = clock.beginRead()
    if let readTime {
      if readTime > now {
        throw FirestoreError(.invalidArgument, "The requested read_time is in the future.")
      }
      if readTime < now - Self.retention {
        throw FirestoreError(.failedPrecondition, "The requested read_time is too old.")
      }
    }
    return try naming {
      try connections.read { db in
        try body(Snapshot(db, name, readTime: readTime, now: now))
      }
    }
  }

  // MARK: Writing

  /// Commits what `body` writes, all of it or nothing.
  func write<Result>(
    _ name: DatabaseName,
    _ body: (inout WriteTransaction, Snapshot) throws -> Result
  ) throws -> Result {
    // The commit's time is over only when the commit can be seen, or never will be.
    var begun: Int64?
    defer { if let begun { clock.endCommit(begun) } }
    return try naming {
      try connections.write { db in
        let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT last_commit FROM state")) ?? 0
        let time = clock.beginCommit(after: last)
        begun = time
        var transaction = try WriteTransaction(db, name, commitTime: time)
        let snapshot = try Snapshot(db, name, readTime: time, now: time)
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
    // A full batch leaves more to do: the next commit goes on with it.
    if db.changesCount < Self.pruneBatch {
      try db.cachedStatement(sql: "UPDATE state SET last_prune = ?").execute(arguments: [now])
    }
  }

  // MARK: Databases

  /// When a database was made, in microseconds since 1970; it is made where it is not there.
  func createTime(of name: DatabaseName) throws -> Int64 {
    try naming {
      try connections.write { db in
        let row = try WriteTransaction.makeDatabase(name, at: clock.now(), db)
        return try Int64.fetchOne(db, sql: "SELECT create_time FROM databases WHERE id = ?", arguments: [row])
          ?? 0
      }
    }
  }

  /// The databases of a project with the times at which they were made, in the order of their ids.
  func databases(of project: String) throws -> [(name: DatabaseName, createTime: Int64)] {
    try connections.read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT name, create_time FROM databases WHERE project = ? ORDER BY name",
        arguments: [project]
      ).compactMap { row in
        // A column of a damaged file may hold anything, and a subscript of another type is a trap.
        let values: (name: DatabaseValue, time: DatabaseValue) = (row[0], row[1])
        guard let name = String.fromDatabaseValue(values.name) else { return nil }
        return (
          DatabaseName(project: project, database: name), Int64.fromDatabaseValue(values.time) ?? 0
        )
      }
    }
  }
}
