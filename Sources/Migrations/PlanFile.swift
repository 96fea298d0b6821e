import Models
import Transfer

/// `plan.jsonl`: one change a line, with what was read, what is intended, and the update time that it depends on.
///
/// A line is a JSON object with the members `after` (the fields as they will be; left out for a deletion), `before` (left
/// out for a creation), `checksum` (of the migration's file, where it has one), `createTime`, `database`, `migration`, `path`,
/// `reasons`, `serverTimes` and `updateTime`.
struct PlanFile: Sendable {
  private let list: LazyList
  private let database: DatabaseName
  /// Lines that are not in the file yet.
  private let waiting = Guarded<[UInt8]>([])

  /// Bytes that are written together.
  private static let chunk = 256 << 10

  init(_ path: String, database: DatabaseName) {
    list = LazyList(path)
    self.database = database
  }

  /// Appends a change; it is in the file once ``flush()`` returns.
  func append(_ change: Change, of migration: any Migration) throws(Failure) {
    var json = JSONWriter(capacity: 2048)
    json.object {
      $0.members(of: change)
      if let checksum = migration.checksum {
        $0.key("checksum")
        $0.string(checksum)
      }
      $0.key("database")
      $0.string(database.description)
      $0.key("migration")
      $0.string(migration.id)
    }
    json.bytes.append(UInt8(ascii: "\n"))
    let line = json.bytes
    let full = waiting.withLock { waiting -> [UInt8]? in
      waiting += line
      guard waiting.count >= Self.chunk else { return nil }
      defer { waiting.removeAll(keepingCapacity: true) }
      return waiting
    }
    if let full { try list.append(full) }
  }

  /// Writes what is left.
  func flush() throws(Failure) {
    let rest = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    if !rest.isEmpty { try list.append(rest) }
  }
}
