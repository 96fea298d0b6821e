/// The name of a long-running operation of a database: `projects/P/databases/D/operations/ID`.
package struct OperationName: Sendable, Hashable, CustomStringConvertible {
  package let database: DatabaseName
  /// The last segment of the name.
  package let id: String

  /// What ``init(parsing:in:)`` accepts, for messages.
  package static let form =
    "the name of an operation, as 'gymmigrate managed list' prints it, or its last part"

  /// Parses a full name, or an ID in `database`; returns nil for anything else.
  package init?(parsing text: String, in database: DatabaseName) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    switch parts.count {
    case 1: self.init(database: database, id: parts[0])
    case 6:
      guard parts[0].isIdentical(to: "projects"), parts[2].isIdentical(to: "databases"),
        parts[4].isIdentical(to: "operations"), !parts[1].isEmpty, !parts[3].isEmpty
      else { return nil }
      self.init(database: DatabaseName(project: parts[1], database: parts[3]), id: parts[5])
    default: return nil
    }
  }

  private init?(database: DatabaseName, id: String) {
    guard DatabaseName.isPart(id) else { return nil }
    (self.database, self.id) = (database, id)
  }

  /// Whether it is an operation of a database.
  package func isOf(_ other: DatabaseName) -> Bool { database.isSame(as: other) }

  package var description: String { "\(database)/operations/\(id)" }

  package static func == (a: OperationName, b: OperationName) -> Bool {
    a.database == b.database && a.id.isIdentical(to: b.id)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(database)
    hasher.combine(UTF8Key(id))
  }
}

extension DatabaseName {
  /// Whether a database name from the service is this one; the service may identify a project by its number.
  func isSame(as other: DatabaseName) -> Bool {
    database.isIdentical(to: other.database)
      && (project.isIdentical(to: other.project)
        || project.utf8.allSatisfy { (0x30...0x39).contains($0) })
  }
}
