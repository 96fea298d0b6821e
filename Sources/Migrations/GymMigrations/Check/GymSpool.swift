import Foundation
import GRDB

/// The IDs and keys that the gym's rules over several documents need, on disk so that memory does not grow with the collections.
struct GymSpool {
  struct User {
    var id: String
    /// Whether the user is an active admin.
    var isAdmin: Bool
    var group: String?
  }

  /// A member of a family group.
  struct Relative {
    var id: String
    var family: String
    var isOwner: Bool
  }

  struct Class {
    /// The limit on bookings.
    enum Capacity {
      case places(Int64)
      /// The field is absent or null.
      case missing
      /// The field is not an integer, and limits nothing.
      case unknown
    }

    var id: String
    var capacity: Capacity
    var isCancelled: Bool
  }

  /// An active booking; invalid IDs are nil.
  struct Booking {
    var id: String
    var classID: String
    var userID: String?
  }

  /// A violation that is known once the collections have been read.
  struct Result {
    /// Whether something required is missing: an owner, a capacity.
    var isLacking: Bool
    var id: String
    /// The ID concerned, that of the family group, the user or the class; or the capacity, as a number.
    var value: Value?
    /// The number of members, owners or active bookings.
    var count: Int
  }

  private let database: SpoolDatabase

  init() throws(Failure) {
    database = try SpoolDatabase(
      of: "the ids and keys",
      schema: """
        CREATE TABLE users (id BLOB PRIMARY KEY, admin INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE current (id BLOB NOT NULL, "group" BLOB NOT NULL);
        CREATE TABLE "groups" (id BLOB PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE members ("group" BLOB NOT NULL, id BLOB NOT NULL, PRIMARY KEY ("group", id)) WITHOUT ROWID;
        CREATE TABLE relatives (id BLOB NOT NULL, family BLOB NOT NULL, owner INTEGER NOT NULL);
        CREATE TABLE classes (id BLOB PRIMARY KEY, capacity INTEGER) WITHOUT ROWID;
        CREATE TABLE cancelled (id BLOB PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE bookings (id BLOB NOT NULL, class BLOB NOT NULL, user BLOB);
        """
    )
  }

  // MARK: Filling

  func add(_ users: [User]) async throws {
    try await database.insert(users, "INSERT OR REPLACE INTO users VALUES (?, ?)") {
      [SpoolDatabase.bytes($0.id), $0.isAdmin]
    }
    try await database.insert(users.filter { $0.group != nil }, "INSERT INTO current VALUES (?, ?)") {
      [SpoolDatabase.bytes($0.id), $0.group.map(SpoolDatabase.bytes)]
    }
  }

  /// Adds groups, given by their IDs, and members of groups.
  func add(groups: [String], members: [DocumentPath]) async throws {
    try await database.insert(groups, #"INSERT OR REPLACE INTO "groups" VALUES (?)"#) {
      [SpoolDatabase.bytes($0)]
    }
    try await database.insert(members, "INSERT OR REPLACE INTO members VALUES (?, ?)") {
      [SpoolDatabase.bytes($0.segments[1]), SpoolDatabase.bytes($0.id)]
    }
  }

  func add(_ relatives: [Relative]) async throws {
    try await database.insert(relatives, "INSERT INTO relatives VALUES (?, ?, ?)") {
      [SpoolDatabase.bytes($0.id), SpoolDatabase.bytes($0.family), $0.isOwner]
    }
  }

  func add(_ classes: [Class]) async throws {
    let bounded = classes.compactMap { found -> (id: String, places: Int64?)? in
      switch found.capacity {
      case .places(let places): (found.id, places)
      case .missing: (found.id, nil)
      case .unknown: nil
      }
    }
    try await database.insert(bounded, "INSERT OR REPLACE INTO classes VALUES (?, ?)") {
      [SpoolDatabase.bytes($0.id), $0.places]
    }
    try await database.insert(classes.filter(\.isCancelled), "INSERT OR REPLACE INTO cancelled VALUES (?)") {
      [SpoolDatabase.bytes($0.id)]
    }
  }

  func add(_ bookings: [Booking]) async throws {
    try await database.insert(bookings, "INSERT INTO bookings VALUES (?, ?, ?)") {
      [
        SpoolDatabase.bytes($0.id), SpoolDatabase.bytes($0.classID), $0.userID.map(SpoolDatabase.bytes),
      ]
    }
  }

  // MARK: Queries

  /// Whether a user is an active admin.
  func isAdmin(_ id: String) async throws -> Bool {
    try await database.use { db in
      let sql = "SELECT 1 FROM users WHERE id = ? AND admin"
      return try Row.fetchOne(db, sql: sql, arguments: [SpoolDatabase.bytes(id)]) != nil
    }
  }

  /// Returns the IDs that belong to no user.
  func unknownUsers(_ ids: [String]) async throws -> Set<UTF8Key> {
    if ids.isEmpty { return [] }
    return try await database.use { db in
      let find = try db.cachedStatement(sql: "SELECT 1 FROM users WHERE id = ?")
      let unknown = try ids.filter {
        try Row.fetchOne(find, arguments: [SpoolDatabase.bytes($0)]) == nil
      }
      return Set(unknown.map { UTF8Key($0) })
    }
  }

  /// Reports the users whose current group does not exist or does not have them as a member, ordered by ID.
  func forEachWrongCurrentGroup(
    _ body: (_ user: String, _ group: String, _ exists: Bool) throws -> Void
  ) async throws {
    try await database.forEachRow(
      of: """
        SELECT c.id, c."group", g.id IS NOT NULL
        FROM current c
        LEFT JOIN "groups" g ON g.id = c."group"
        LEFT JOIN members m ON m."group" = c."group" AND m.id = c.id
        WHERE g.id IS NULL OR m.id IS NULL
        ORDER BY c.id
        """,
      { row -> (String, String, Bool) in (SpoolDatabase.text(row[0]), SpoolDatabase.text(row[1]), row[2]) },
      body
    )
  }

  /// Passes on the results of a query, in its order.
  func forEach(_ query: Query, _ body: (Result) throws -> Void) async throws {
    try await database.use { db in
      try db.execute(sql: "CREATE INDEX IF NOT EXISTS \(query.index)")
    }
    try await database.forEachRow(of: query.sql, Self.result, body)
  }

  /// Decodes a row: whether something is missing, the ID, the value concerned, and the count.
  @Sendable
  private static func result(_ row: Row) -> Result {
    let value: DatabaseValue = row[2]
    let shown: Value? =
      switch value.storage {
      case .blob(let bytes): .string(SpoolDatabase.text(bytes))
      case .int64(let number): .integer(number)
      default: nil
      }
    return Result(isLacking: row[0], id: SpoolDatabase.text(row[1]), value: shown, count: row[3])
  }
}

extension GymSpool {
  /// A query for violations, to be run once the collections have been read.
  struct Query: Sendable {
    fileprivate var index = "places ON bookings (class, user, id)"
    fileprivate var sql: String

    /// The family groups without an owner, each with its first member, and every owner of those with several, ordered by family
    /// group.
    static let brokenFamilies = Query(
      index: "families ON relatives (family, id, owner)",
      sql: """
        SELECT owners = 0, r.id, r.family, iif(owners = 0, relatives, owners)
        FROM (
          SELECT family, min(id) AS first, count(*) AS relatives, sum(owner) AS owners
          FROM relatives GROUP BY family HAVING owners <> 1
        ) f JOIN relatives r ON r.family = f.family
        WHERE iif(owners = 0, r.id = f.first, r.owner)
        ORDER BY r.family, r.id
        """
    )

    /// The multiple bookings of a user for one class, ordered by class and user.
    static let duplicateBookings = Query(
      sql: """
        SELECT FALSE, b.id, b.user, n
        FROM (
          SELECT class, user, count(*) AS n FROM bookings WHERE user IS NOT NULL GROUP BY class, user HAVING n > 1
        ) d JOIN bookings b ON b.class = d.class AND b.user = d.user
        ORDER BY b.class, b.user, b.id
        """
    )

    /// The active bookings of cancelled classes, ordered by class and booking.
    static let bookingsOfCancelled = Query(
      sql: """
        SELECT FALSE, b.id, b.class, 1
        FROM cancelled c JOIN bookings b ON b.class = c.id
        ORDER BY b.class, b.id
        """
    )

    /// The classes with more bookings than their capacity, or with bookings and without a capacity, ordered by ID.
    static let overbookedClasses = Query(
      sql: """
        SELECT c.capacity IS NULL, c.id, c.capacity, count(b.id) AS n
        FROM classes c LEFT JOIN bookings b ON b.class = c.id
        GROUP BY c.id HAVING iif(c.capacity IS NULL, n > 0, n > c.capacity)
        ORDER BY c.id
        """
    )
  }
}
