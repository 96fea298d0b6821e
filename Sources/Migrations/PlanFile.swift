import Models
import Transfer

/// `plan.jsonl`: one change a line, with what was read, what is intended, and the update time that it depends on.
///
/// A line is a JSON object with the members `after` (the fields as they will be; left out for a deletion), `before` (left
/// out for a creation), `checksum` (of the migration's file, where it has one), `createTime`, `database`, `migration`, `path`,
/// `reasons`, `serverTimes` and `updateTime`.
///
/// A page of changes is put into words while the next one is decided; no more than one is under way.
struct PlanFile: Sendable {
  private let list: LazyList
  private let database: DatabaseName
  /// Lines that are not in the file yet.
  private let waiting = Guarded(JSONWriter())
  /// The page that is under way.
  private let writing = Guarded<Task<Void, any Error>?>(nil)

  /// Bytes that are written together.
  private static let chunk = 256 << 10

  init(_ path: String, database: DatabaseName) {
    list = LazyList(path)
    self.database = database
  }

  /// Appends changes, in their order; they are in the file once ``flush()`` returns.
  ///
  /// - Throws: `.cannotWrite`, also for those of before.
  func append(_ changes: [Change], of migration: any Migration) async throws {
    if changes.isEmpty { return }
    try await settle()
    let planned = PlannedBy(id: migration.id, checksum: migration.checksum)
    writing.withLock { $0 = Task { try write(changes, planned, atLeast: Self.chunk) } }
  }

  /// Writes what is left.
  func flush() async throws {
    try await settle()
    try write([], PlannedBy(id: "", checksum: nil), atLeast: 1)
  }

  private func settle() async throws {
    try await writing.withLock { $0.take() }?.value
  }

  /// Puts changes into words behind what is waiting, and writes that wherever it has grown to a size.
  private func write(_ changes: [Change], _ migration: PlannedBy, atLeast size: Int) throws(Failure) {
    var json = waiting.withLock { waiting in
      let taken = waiting
      waiting = JSONWriter()
      return taken
    }
    defer { waiting.withLock { $0 = json } }
    let name = database.description
    for change in changes {
      json.beginLine()
      json.object {
        $0.members(of: change)
        if let checksum = migration.checksum {
          $0.key("checksum")
          $0.string(checksum)
        }
        $0.key("database")
        $0.string(name)
        $0.key("migration")
        $0.string(migration.id)
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

  /// What a line says of the migration.
  private struct PlannedBy {
    var id: String
    var checksum: String?
  }
}
