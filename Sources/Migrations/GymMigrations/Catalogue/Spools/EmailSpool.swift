import Foundation
import GRDB

/// The users and their emails, and the entries that were read, on disk: what a rebuild of the index has to look up,
/// in memory that does not grow with it.
struct EmailSpool {
  struct User {
    var id: String
    /// The normalised email; nil where the document has no text there.
    var email: String?
    /// Whether the email may have an entry.
    var isIndexable: Bool
    /// When the user was created; nil, which sorts last, where that is not known.
    var createdAt: Timestamp?
  }

  /// What the users say of one entry.
  struct Answer {
    var userExists = false
    var userBearsEmail = false
    /// The user who bears the email since earliest, if it may have an entry; nil where nobody does.
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

  /// Sorts the users by email, once all are in: sorting at once is far cheaper than inserting in random order.
  func indexUsers() async throws {
    try await database.use { db in
      try db.execute(
        sql: "CREATE INDEX bearers ON users (email, seconds, nanoseconds, id) WHERE indexable"
      )
    }
  }

  /// Records entries as read and returns what the users say of them, in their order; each is an entry's id and the id
  /// of the user that it names, if it names one.
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

  /// The next emails in the order of their bytes that have no entry, each with the user who bears it since
  /// earliest; empty at the end.
  ///
  /// - Parameter email: the last email of the page before; nil for the first page.
  func missingEntries(after email: String?) async throws -> [(email: String, user: String)] {
    try await database.use { db in
      // The index has the users of one email side by side, the earliest first.
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT email, id FROM users
          WHERE indexable AND email > ? AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.id = users.email)
          ORDER BY email, seconds, nanoseconds, id
          """,
        arguments: [SpoolDatabase.bytes(email ?? "")]
      )
      var found: [(email: String, user: String)] = []
      var last = Data()
      while found.count < SpoolDatabase.batch, let row = try rows.next() {
        let email: Data = row[0]
        if email == last { continue }
        last = email
        found.append((SpoolDatabase.text(email), SpoolDatabase.text(row[1])))
      }
      return found
    }
  }
}
