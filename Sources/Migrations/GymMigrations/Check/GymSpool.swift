import FirestoreModels
import Foundation
import GRDB
import MigrationEngine

/// The ids and keys that the gym's rules over several documents need, on disk: memory does not grow with the collections.
///
/// It is SQLite's own kind of temporary database: a file that only this process sees and that is gone with it,
/// also after a kill. Every text is kept as its bytes, so that ids are equal and ordered by bytes.
struct GymSpool {
  /// A member of a family group.
  struct Relative {
    var id: String
    var family: String
    var isOwner: Bool
  }

  /// A class and how many it takes.
  struct Class {
    enum Capacity {
      case places(Int64)
      /// The field is absent or null.
      case missing
    }

    var id: String
    var capacity: Capacity
  }

  /// An active booking; what is no id is nil.
  struct Booking {
    var id: String
    var classID: String
    var userID: String?
  }

  /// What is found out once the collections are in.
  struct Result {
    enum Kind: Int {
      case noOwner, severalOwners, duplicate, overbooked
    }

    var kind: Kind
    var id: String
    /// The id that the kind is about: the family group, the user; the capacity where it is a number.
    var value: Value?
    /// How many there are: members, owners, active bookings.
    var count: Int
  }

  /// How many results are handed over at once.
  static let batch = 500

  private let database: SpoolDatabase
  init() throws(Failure) {
    database = try SpoolDatabase(
      of: "the ids and keys",
      schema: """
        CREATE TABLE admins (id BLOB PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE relatives (id BLOB NOT NULL, family BLOB NOT NULL, owner INTEGER NOT NULL);
        CREATE TABLE classes (id BLOB PRIMARY KEY, capacity INTEGER) WITHOUT ROWID;
        CREATE TABLE bookings (id BLOB NOT NULL, class BLOB NOT NULL, user BLOB);
        CREATE TABLE results (kind INTEGER NOT NULL, id BLOB NOT NULL, value, count INTEGER NOT NULL);
        """
    )
  }

  // MARK: Filling

  /// Adds active users with role admin.
  func addAdmins(_ ids: [String]) async throws {
    if ids.isEmpty { return }
    try await write { db in
      let insert = try db.cachedStatement(sql: "INSERT OR REPLACE INTO admins VALUES (?)")
      for id in ids { try insert.execute(arguments: [Self.bytes(id)]) }
    }
  }

  /// Adds members of family groups.
  func add(_ relatives: [Relative]) async throws {
    if relatives.isEmpty { return }
    try await write { db in
      let insert = try db.cachedStatement(sql: "INSERT INTO relatives VALUES (?, ?, ?)")
      for relative in relatives {
        try insert.execute(arguments: [
          Self.bytes(relative.id), Self.bytes(relative.family), relative.isOwner,
        ])
      }
    }
  }

  /// Adds classes whose capacity can be judged.
  func add(_ classes: [Class]) async throws {
    if classes.isEmpty { return }
    try await write { db in
      let insert = try db.cachedStatement(sql: "INSERT OR REPLACE INTO classes VALUES (?, ?)")
      for one in classes {
        let places: Int64? = if case .places(let places) = one.capacity { places } else { nil }
        try insert.execute(arguments: [Self.bytes(one.id), places])
      }
    }
  }

  /// Adds active bookings.
  func add(_ bookings: [Booking]) async throws {
    if bookings.isEmpty { return }
    try await write { db in
      let insert = try db.cachedStatement(sql: "INSERT INTO bookings VALUES (?, ?, ?)")
      for booking in bookings {
        try insert.execute(arguments: [
          Self.bytes(booking.id), Self.bytes(booking.classID), booking.userID.map(Self.bytes),
        ])
      }
    }
  }

  // MARK: Asking

  /// Whether a user is an active admin.
  func isAdmin(_ id: String) async throws -> Bool {
    try await write { db in
      try Row.fetchOne(db, sql: "SELECT 1 FROM admins WHERE id = ?", arguments: [Self.bytes(id)]) != nil
    }
  }

  /// Reports the family groups without an owner, by their first member, and every owner where there are several, in the
  /// order of the family groups.
  func forEachBrokenFamily(_ body: (Result) throws -> Void) async throws {
    try await write { db in
      try db.execute(sql: "CREATE INDEX families ON relatives (family, id, owner)")
    }
    try await settle(
      """
      SELECT iif(owners = 0, \(Result.Kind.noOwner.rawValue), \(Result.Kind.severalOwners.rawValue)),
        r.id, r.family, iif(owners = 0, relatives, owners)
      FROM (
        SELECT family, min(id) AS first, count(*) AS relatives, sum(owner) AS owners
        FROM relatives GROUP BY family HAVING owners <> 1
      ) f JOIN relatives r ON r.family = f.family
      WHERE iif(owners = 0, r.id = f.first, r.owner)
      ORDER BY r.family, r.id
      """,
      body
    )
  }

  /// Reports the bookings of which a user has several for one class, in the order of classes and users.
  func forEachDuplicateBooking(_ body: (Result) throws -> Void) async throws {
    try await indexBookings()
    try await settle(
      """
      SELECT \(Result.Kind.duplicate.rawValue), b.id, b.user, n
      FROM (
        SELECT class, user, count(*) AS n FROM bookings WHERE user IS NOT NULL GROUP BY class, user HAVING n > 1
      ) d JOIN bookings b ON b.class = d.class AND b.user = d.user
      ORDER BY b.class, b.user, b.id
      """,
      body
    )
  }

  /// Reports the classes that are booked beyond their capacity, or booked and without one, in the order of their ids.
  func forEachOverbookedClass(_ body: (Result) throws -> Void) async throws {
    try await indexBookings()
    try await settle(
      """
      SELECT \(Result.Kind.overbooked.rawValue), c.id, c.capacity, count(b.id) AS n
      FROM classes c LEFT JOIN bookings b ON b.class = c.id
      GROUP BY c.id HAVING iif(c.capacity IS NULL, n > 0, n > c.capacity)
      ORDER BY c.id
      """,
      body
    )
  }

  private func indexBookings() async throws {
    try await write { db in
      try db.execute(sql: "CREATE INDEX IF NOT EXISTS places ON bookings (class, user, id)")
    }
  }

  /// Keeps the rows of a query and hands them on batch by batch, so that a query is worked out once.
  private func settle(_ query: String, _ body: (Result) throws -> Void) async throws {
    try await write { db in
      try db.execute(sql: "DELETE FROM results; INSERT INTO results \(query)")
    }
    var last: Int64 = 0
    while true {
      let after = last
      let rows: [(id: Int64, result: Result)] = try await write { db in
        let select = try db.cachedStatement(
          sql: "SELECT rowid, kind, id, value, count FROM results WHERE rowid > ? ORDER BY rowid LIMIT ?"
        )
        return try Row.fetchAll(select, arguments: [after, Self.batch]).map { row in
          let value: DatabaseValue = row[3]
          let shown: Value? =
            switch value.storage {
            case .blob(let bytes): .string(Self.text(bytes))
            case .int64(let number): .integer(number)
            default: nil
            }
          guard let kind = Result.Kind(rawValue: row[1]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
          }
          return (row[0], Result(kind: kind, id: Self.text(row[2]), value: shown, count: row[4]))
        }
      }
      guard let end = rows.last else { return }
      last = end.id
      for row in rows { try body(row.result) }
      try Task.checkCancellation()
    }
  }

  // MARK: Bytes and errors

  private static func bytes(_ text: String) -> Data { SpoolDatabase.bytes(text) }

  private static func text(_ bytes: Data) -> String { SpoolDatabase.text(bytes) }

  private func write<Answer: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Answer
  ) async throws -> Answer {
    try await database.use(body)
  }
}
