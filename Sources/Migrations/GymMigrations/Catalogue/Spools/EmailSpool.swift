import Foundation
import GRDB

/// The users with their emails, and the entries that were read, on disk, so that memory does not grow with what a rebuild of the
/// index looks up.
struct EmailSpool {
  struct User {
    var id: String
    /// The normalized email; nil if the field is not a text.
    var email: String?
    /// Whether the email may have an entry.
    var isIndexable: Bool
    /// When the user was created; nil if not known, which sorts last.
    var createdAt: Timestamp?
  }

  /// What is known about the users of one entry.
  struct Answer {
    var userExists = false
    var userBearsEmail = false
    /// The first user with the email, if it may have an entry; nil if there is none.
    var earliest: String?
  }

  private let database: SpoolDatabase

  init() throws {
    database = try SpoolDatabase(
      of: "the emails",
      schema: """
        CREATE TABLE users (
          id BLOB PRIMARY KEY, email BLOB, indexable INTEGER NOT NULL, seconds INTEGER NOT NULL,
          nanoseconds INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE entries (id BLOB PRIMARY KEY) WITHOUT ROWID;
        """
    )
  }

  func add(_ users: [User]) async throws {
    try await database.insert(users, "INSERT OR REPLACE INTO users VALUES (?, ?, ?, ?, ?)") { user in
      [
        SpoolDatabase.bytes(user.id), user.email.map(SpoolDatabase.bytes), user.isIndexable,
        user.createdAt?.seconds ?? Int64.max, user.createdAt?.nanoseconds ?? 0,
      ]
    }
  }

  /// Indexes the users by email once all are added, which is far cheaper than inserting in random order.
  func indexUsers() async throws {
    try await database.use { db in
      try db.execute(
        sql: "CREATE INDEX bearers ON users (email, seconds, nanoseconds, id) WHERE indexable"
      )
    }
  }

  /// Records entries as read and returns what is known about their users, in order; each is given as the entry's ID and the ID of
  /// the user to which it refers, if any.
  func look(up entries: [(id: String, user: String?)]) async throws -> [Answer] {
    try await database.use { db in
      let note = try db.cachedStatement(sql: "INSERT OR IGNORE INTO entries VALUES (?)")
      let bears = try db.cachedStatement(sql: "SELECT email IS ? FROM users WHERE id = ?")
      let earliest = try db.cachedStatement(
        sql: """
          SELECT id FROM users WHERE indexable AND email = ? ORDER BY seconds, nanoseconds, id LIMIT 1
          """
      )
      return try entries.map { entry in
        let id = SpoolDatabase.bytes(entry.id)
        try note.execute(arguments: [id])
        var answer = Answer()
        if let user = entry.user,
          let found = try Bool.fetchOne(bears, arguments: [id, SpoolDatabase.bytes(user)])
        {
          answer.userExists = true
          answer.userBearsEmail = found
        }
        answer.earliest = try Data.fetchOne(earliest, arguments: [id]).map(SpoolDatabase.text)
        return answer
      }
    }
  }

  /// Passes on the emails without an entry, in byte order, each with its first user.
  func forEachMissingEntry(_ body: (_ email: String, _ user: String) async throws -> Void) async throws {
    // The index has the users of one email next to each other, the earliest first.
    try await database.forEachRow(
      of: """
        SELECT email, id FROM (
          SELECT email, id, row_number() OVER (PARTITION BY email ORDER BY seconds, nanoseconds, id) AS place
          FROM users
          WHERE indexable AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.id = users.email)
        ) WHERE place = 1 ORDER BY email
        """,
      { row -> (String, String) in (SpoolDatabase.text(row[0]), SpoolDatabase.text(row[1])) },
      body
    )
  }
}
