import Foundation
import GRDB

/// Users and members on disk with their keys, so that memory does not grow with what ``MembersLink`` looks up.
struct LinkSpool {
  enum Side: Int64, Sendable, CaseIterable {
    case user, member

    var other: Side { self == .user ? .member : .user }
  }

  struct Person: Sendable {
    var side: Side
    var id: String
    /// The phone number for comparison; nil if none is certain.
    var phone: String?
    /// The normalized email; nil if there is no valid one.
    var email: String?
    /// The ID in the document's own link; nil if there is none.
    var link: String?
    /// The words of the names, folded; empty if there are none.
    var nameWords: Set<UTF8Key>
    var isActive: Bool
    /// Whether the entire document is left alone; its link and its keys still count.
    var isFrozen: Bool

    /// Whether both have names that share no word.
    func hasOtherName(than other: Person) -> Bool {
      !nameWords.isEmpty && !other.nameWords.isEmpty && nameWords.isDisjoint(with: other.nameWords)
    }
  }

  private let database: SpoolDatabase

  init() throws {
    database = try SpoolDatabase(
      of: "users and members",
      schema: """
        CREATE TABLE people (
          number INTEGER PRIMARY KEY, side INTEGER NOT NULL, id BLOB NOT NULL, phone BLOB, email BLOB, link BLOB,
          names BLOB, active INTEGER NOT NULL, frozen INTEGER NOT NULL, document BLOB
        );
        """
    )
  }

  /// Adds people, each with its document to be recorded later; nil if it is already recorded.
  func add(_ people: [(person: Person, document: RawDocument?)]) async throws {
    try await database.insert(
      people,
      """
      INSERT INTO people (side, id, phone, email, link, names, active, frozen, document)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ) { person, document in
      [
        person.side.rawValue, SpoolDatabase.bytes(person.id), person.phone.map(SpoolDatabase.bytes),
        person.email.map(SpoolDatabase.bytes), person.link.map(SpoolDatabase.bytes),
        SpoolDatabase.bytes(person.nameWords.map(\.string).joined(separator: " ")), person.isActive,
        person.isFrozen, document.map { document in Data(JSONWriter.bytes { $0.document(document) }) },
      ]
    }
  }

  /// Indexes the people by what they are looked up by, once all are added.
  func index() async throws {
    try await database.use { db in
      try db.execute(
        sql: """
          CREATE UNIQUE INDEX ids ON people (side, id);
          CREATE INDEX phones ON people (side, phone) WHERE phone IS NOT NULL;
          CREATE INDEX emails ON people (side, email) WHERE email IS NOT NULL;
          CREATE INDEX links ON people (side, link) WHERE link IS NOT NULL;
          """
      )
    }
  }

  /// Returns the next people in the order in which they were added, each with its document and its decision; empty at the end.
  ///
  /// - Parameter number: The number of the last person of the previous page; 0 for the first page.
  func decisions(
    after number: Int64
  ) async throws -> [(number: Int64, document: RawDocument, decision: LinkDecision)] {
    try await database.use { db in
      let look = LinkLookUp(db: db)
      let rows = try Row.fetchAll(
        db,
        sql: "SELECT * FROM people WHERE number > ? AND document IS NOT NULL ORDER BY number LIMIT ?",
        arguments: [number, SpoolDatabase.batch]
      )
      let parser = JSONParser()
      var decoder = WireDecoder()
      return try rows.map { row in
        let json: Data = row["document"]
        let document = try parser.parse(Array(json)) { root throws(WireError) in try decoder.document(root) }
        return (row["number"], document, try LinkDecision(on: LinkLookUp.person(row), by: look))
      }
    }
  }
}

/// The look-ups of a ``LinkDecision``.
struct LinkLookUp {
  /// The maximum number of people per key to examine.
  static let limit = 10

  let db: Database

  static func person(_ row: Row) -> LinkSpool.Person {
    func text(_ column: String) -> String? { (row[column] as Data?).map(SpoolDatabase.text) }
    return LinkSpool.Person(
      side: LinkSpool.Side(rawValue: row["side"]) ?? .user,
      id: SpoolDatabase.text(row["id"]),
      phone: text("phone"),
      email: text("email"),
      link: text("link"),
      nameWords: Set(PlainText.tokens(text("names") ?? "").map { UTF8Key($0) }),
      isActive: row["active"],
      isFrozen: row["frozen"]
    )
  }

  func person(_ side: LinkSpool.Side, _ id: String) throws -> LinkSpool.Person? {
    try people("id", side, id, limit: 1).first
  }

  /// Returns those whose own link refers to an ID of the other side.
  func claimants(
    _ side: LinkSpool.Side,
    of id: String,
    limit: Int = LinkLookUp.limit
  ) throws -> [LinkSpool.Person] {
    try people("link", side, id, limit: limit)
  }

  /// Returns those of a side who have a phone or an email.
  func bearers(
    _ side: LinkSpool.Side,
    _ key: LinkDecision.Key,
    _ value: String,
    limit: Int = LinkLookUp.limit
  ) throws -> [LinkSpool.Person] {
    try people(key.rawValue, side, value, limit: limit)
  }

  private func people(
    _ column: String,
    _ side: LinkSpool.Side,
    _ value: String,
    limit: Int
  ) throws -> [LinkSpool.Person] {
    let statement = try db.cachedStatement(
      sql: "SELECT * FROM people WHERE side = ? AND \(column) = ? ORDER BY number LIMIT ?"
    )
    return try Row.fetchAll(statement, arguments: [side.rawValue, SpoolDatabase.bytes(value), limit])
      .map(Self.person)
  }
}
