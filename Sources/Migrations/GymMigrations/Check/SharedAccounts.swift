package import FirestoreREST
import GRDB
package import Schema

/// Accounts that seem to belong to one person: users that share an email address or a phone number, directly or through other
/// users.
///
/// Addresses are compared in the normalized form of the index, and phone numbers by the digits that they dial. Keys are kept on
/// disk; only the returned accounts are in memory.
package struct SharedAccounts {
  package struct Account: Sendable, Equatable {
    /// The number of the person, from 1, in the order of each person's first ID.
    package var person: Int
    package var id: String
    /// What the account shares with another of the same person: `email`, `phone`.
    package var shares: [String]
    package var user: AppUser
  }

  private let database: SpoolDatabase

  private init() throws(Failure) {
    database = try SpoolDatabase(
      of: "the addresses and numbers",
      schema: """
        CREATE TABLE keys (trait TEXT NOT NULL, key BLOB NOT NULL, id BLOB NOT NULL);
        CREATE TABLE tops (trait TEXT NOT NULL, key BLOB NOT NULL, label BLOB, PRIMARY KEY (trait, key)) WITHOUT ROWID;
        CREATE TABLE labels (id BLOB PRIMARY KEY, label BLOB NOT NULL) WITHOUT ROWID;
        """
    )
  }

  /// Finds the accounts, ordered by person and ID.
  ///
  /// - Parameter onRead: Called with the number of users that were read, each counted once.
  package static func find(
    in client: FirestoreClient,
    onRead: @Sendable (Int) -> Void
  ) async throws -> [Account] {
    let spool = try SharedAccounts()
    for try await page in client.pages(of: CollectionRead(GymCollection.users)) {
      onRead(page.count)
      try await spool.add(page.map(user))
    }
    var accounts: [Account] = []
    for some in try await spool.labelled().chunks(of: SpoolDatabase.batch) {
      let paths = some.map { DocumentPath(GymCollection.users, $0.id) }
      let found = try await client.batchGet(paths)
      for (one, path) in zip(some, paths) {
        // An account that has been deleted meanwhile belongs to nobody.
        guard let document = found[path] else { continue }
        accounts.append(
          Account(person: one.person, id: one.id, shares: one.shares, user: user(document))
        )
      }
    }
    return accounts
  }

  /// Returns the accounts of everybody who has an account with an address, in the normalized form of the index.
  package static func ofPerson(with address: String, among accounts: [Account]) -> [Account] {
    let wanted = EmailIndex.normalised(address)
    let own = accounts.filter { EmailIndex.normalised($0.user.email ?? "").isIdentical(to: wanted) }
    let persons = Set(own.map(\.person))
    return accounts.filter { persons.contains($0.person) }
  }

  /// Returns the user with the phone number as `find` knows it, which may be stored as a number.
  private static func user(_ document: RawDocument) -> AppUser {
    var user = AppUser(document)
    let phones = [UserField.phone, .telefono].compactMap { document.fields[$0.rawValue]?.phoneText }
    user.phone = phones.first { !PlainText.isBlank($0) }
    return user
  }

  private func add(_ users: [AppUser]) async throws {
    var keys: [(trait: String, key: String, id: String)] = []
    for user in users {
      let email = user.email.map { EmailIndex.normalised($0) } ?? ""
      if EmailIndex.problem(ofNormalised: email) == nil { keys.append(("email", email, user.id)) }
      if let phone = user.phone.flatMap({ PhoneNumber($0) }) { keys.append(("phone", phone.digits, user.id)) }
    }
    try await database.insert(keys, "INSERT INTO keys VALUES (?, ?, ?)") {
      [$0.trait, SpoolDatabase.bytes($0.key), SpoolDatabase.bytes($0.id)]
    }
  }

  /// Returns the accounts that share something, ordered by person and ID.
  ///
  /// The label of an account is the lowest ID connected with it: labels are propagated through the keys until none changes.
  private func labelled() async throws -> [(person: Int, id: String, shares: [String])] {
    try await database.use { db in
      try db.execute(
        sql: """
          CREATE INDEX keysByKey ON keys (trait, key);
          CREATE TABLE shared AS SELECT keys.* FROM keys
            JOIN (SELECT trait, key FROM keys GROUP BY trait, key HAVING count(*) > 1) USING (trait, key);
          CREATE INDEX sharedById ON shared (id);
          INSERT INTO labels SELECT DISTINCT id, id FROM shared;
          """
      )
      repeat {
        try Task.checkCancellation()
        try db.execute(
          sql: """
            INSERT OR REPLACE INTO tops
              SELECT trait, key, min(label) FROM shared JOIN labels USING (id) GROUP BY trait, key;
            UPDATE labels SET label = lowest.label
              FROM (SELECT id, min(label) AS label FROM shared JOIN tops USING (trait, key) GROUP BY id) AS lowest
              WHERE lowest.id = labels.id AND lowest.label < labels.label;
            """
        )
      } while db.changesCount > 0
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT dense_rank() OVER (ORDER BY label) AS person, id, group_concat(trait, ' ') AS shares
          FROM labels JOIN (SELECT * FROM shared ORDER BY trait) USING (id) GROUP BY id ORDER BY label, id
          """
      )
      return rows.map { row in
        let shares: String = row["shares"]
        return (
          row["person"], SpoolDatabase.text(row["id"]), shares.split(separator: " ").map(String.init).sorted()
        )
      }
    }
  }

  // MARK: Table

  package static let table = CollectionPath(nil, "accounts")

  /// The schema of the table.
  package static let schema: DatabaseSchema = {
    let text = """
      schema: accounts
      collections:
        accounts:
          fields:
            person: { type: integer, label: { en: Person, es: Persona } }
            name: { type: string, width: 30, label: { en: Name, es: Nombre } }
            email: { type: string, width: 30, label: { en: Email, es: Correo } }
            phone: { type: string, width: 16, label: { en: Phone, es: Teléfono } }
            role: { type: string, width: 12, label: { en: Role, es: Rol } }
            isActive: { type: boolean, label: { en: Active, es: Activo } }
            shares: { type: string, width: 14, label: { en: Shares, es: Comparte } }
            userId: { type: string, label: { en: User ID, es: Id de usuario } }
      """
    return (try? SchemaReader.schema(parsing: text, path: "accounts")) ?? .none
  }()
}

extension SharedAccounts.Account {
  package var row: RawDocument {
    var fields: FieldMap = [
      "person": .integer(Int64(person)), "isActive": .boolean(user.isActive),
      "shares": .string(shares.joined(separator: ", ")), "userId": .string(id),
    ]
    let texts = [("name", user.fullName), ("email", user.email), ("phone", user.phone), ("role", user.role)]
    for (field, text) in texts { fields[field] = text.map { .string($0) } }
    return RawDocument(path: DocumentPath(SharedAccounts.table, id), fields: fields)
  }
}
