import Configuration
import Files
import Runs

/// Writes `plan.jsonl`, one change per line: what was read, what is intended, and the update time that it depends on.
///
/// A line is a JSON object with the members `after` (the new fields; omitted for a deletion), `before` (omitted for a creation),
/// `checksum` (of the migration's file, if it has one), `createTime`, `database`, `migration`, `path`, `reasons`, `server`,
/// `serverTimes`, `transaction` (the number of the transaction in which successive lines are written) and `updateTime`. The names
/// of several migrations that change a document together are joined by `+`, and so are their checksums. A complete plan has a
/// ``PlanEnd``.
///
///     let file = PlanFileWriter(context.folder.file("plan.jsonl"), of: context.environment)
///     try await file.append(changes, by: migration)
///     try await file.flush()
///
/// A page of changes is encoded while the next ones are decided; a few pages may be in progress, each written after the one
/// before it.
struct PlanFileWriter: PlanList {
  private let list: LineList
  private let environment: DatabaseEnvironment
  /// Lines that are not yet in the file.
  private let waiting = Locked(JSONWriter())
  /// The pages that are being encoded, each of which waits for the one before it.
  private let writing = Locked<[Task<Void, any Error>]>([])

  /// The minimum number of bytes to write at once.
  private static let chunk = 256 << 10
  /// The maximum number of pages to encode concurrently, so that a slow one does not stop the reading.
  private static let pages = 2

  init(_ path: String, of environment: DatabaseEnvironment) {
    list = LineList(path)
    self.environment = environment
  }

  /// Appends changes in order; they are in the file once ``flush()`` returns.
  ///
  /// - Throws: `.cannotWrite`, also for earlier changes.
  func append(_ changes: [Change], by migration: LedgerEntry.Applied, in transaction: Int?) async throws {
    if changes.isEmpty { return }
    let common = common(to: migration)
    let last = writing.withLock { $0.last }
    let task = Task {
      try await last?.value
      try write(changes, in: transaction, common, atLeast: Self.chunk)
    }
    let first = writing.withLock { pages in
      pages.append(task)
      return pages.count > Self.pages ? pages.removeFirst() : nil
    }
    try await first?.value
  }

  /// Performs `body`, and then writes everything that remains, even if it throws, so that the plan contains what was counted.
  func flushing<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      let result = try await body()
      try await flush()
      return result
    } catch {
      try? await flush()
      throw error
    }
  }

  /// Writes everything that remains.
  func flush() async throws {
    let pages = writing.withLock { pages in
      defer { pages = [] }
      return pages
    }
    for page in pages { try await page.value }
    try write([], in: nil, [], atLeast: 1)
  }

  /// Appends changes to the waiting lines, and writes these once they reach a size.
  private func write(
    _ changes: [Change],
    in transaction: Int?,
    _ common: [UInt8],
    atLeast size: Int
  ) throws(Failure) {
    var json = waiting.withLock { waiting in
      let taken = waiting
      waiting = JSONWriter()
      return taken
    }
    defer { waiting.withLock { $0 = json } }
    for change in changes {
      json.beginLine()
      json.object {
        $0.members(of: change, transaction: transaction)
        $0.raw(common)
      }
      json.bytes.append(UInt8(ascii: "\n"))
      try write(&json, atLeast: Self.chunk)
    }
    try write(&json, atLeast: size)
  }

  private func write(_ json: inout JSONWriter, atLeast size: Int) throws(Failure) {
    if json.bytes.count < size { return }
    defer { json.removeAll() }
    try list.append(json.bytes)
  }

  /// The members that every line of a migration has.
  private func common(to migration: LedgerEntry.Applied) -> [UInt8] {
    JSONWriter.bytes {
      $0.member("checksum", migration.checksum)
      $0.member("database", environment.database.description)
      $0.member("migration", migration.id)
      $0.member("server", environment.server)
    }
  }
}
