import FirestoreModels
import GymModels
import TestSupport
import Testing

@testable import GymMigrations
@testable import MigrationEngine

@Suite struct UserEmailsTests {
  private func user(
    _ id: String,
    _ email: Value?,
    since: Int64? = nil,
    created: Int64? = 1_000
  ) throws -> RawDocument {
    var fields: FieldMap = ["id": .string(id)]
    fields["email"] = email
    fields["createdAt"] = try since.map { .timestamp(try #require(Timestamp(seconds: $0))) }
    return try document("users/\(id)", fields, created: created)
  }

  private func entry(
    _ id: String,
    _ user: Value?,
    email: Value? = nil,
    _ others: FieldMap = [:]
  ) throws -> RawDocument {
    var fields = others
    fields["primaryUserId"] = user
    fields["email"] = email ?? .string(id)
    return try document("user_emails/\(id)", fields)
  }

  private func fields(_ email: String, _ user: String) -> FieldMap {
    texts(["email": email, "primaryUserId": user])
  }

  /// The outcomes by path; each path may be told once only.
  private func plan(_ documents: [RawDocument], prune: Bool = false) async throws -> [String: Outcome] {
    var byPath: [String: Outcome] = [:]
    for (path, outcome) in try await told(UserEmails(prune: prune), over: documents) {
      #expect(byPath.updateValue(outcome, forKey: path.string) == nil, "\(path) was told twice")
    }
    return byPath
  }

  // MARK: New entries

  @Test func makesAnEntryForTheEarliestUser() async throws {
    let plan = try await plan([
      user("u1", .string("Ana@X.com "), since: 30), user("u2", .string("ana@x.com"), since: 20),
      user("u3", .string("bob@x.com"), since: 10),
    ])
    #expect(plan.count == 2)
    let change = try #require(plan["user_emails/ana@x.com"]?.change)
    #expect(change.before == nil && change.after == fields("ana@x.com", "u2"))
    #expect(change.serverTimes == [FieldPath(field: "createdAt")])
    #expect(change.reasons == ["entry-missing"])
    #expect(plan["user_emails/bob@x.com"]?.change?.after == fields("bob@x.com", "u3"))
  }

  /// The winner of users with one email: id, createdAt's seconds or another value, createTime's seconds.
  static let ties: [(String, [(String, Value?, Int64?)], String)] = [
    ("ties by the bytes of the id", [("b", nil, 5), ("a", nil, 5), ("B", nil, 5)], "B"),
    ("bytes, not canonical equivalence", [("é", nil, 5), ("e\u{301}", nil, 5)], "e\u{301}"),
    ("createTime where createdAt is missing", [("a", nil, 9), ("b", .integer(3), 8)], "b"),
    ("createTime where createdAt is null or text", [("a", .null, 7), ("b", .string("1970"), 8)], "a"),
    ("no time at all comes last", [("a", nil, nil), ("b", nil, 8)], "b"),
  ]

  @Test(arguments: ties)
  func breaksTies(name: String, users: [(String, Value?, Int64?)], winner: String) async throws {
    let documents = try users.map { id, createdAt, created in
      var fields = texts(["email": "a@b"])
      fields["createdAt"] = createdAt
      return try document("users/\(id)", fields, created: created)
    }
    let change = try #require(try await plan(documents)["user_emails/a@b"]?.change, "\(name)")
    #expect(change.after == fields("a@b", winner), "\(name)")
  }

  @Test func createdAtIsComparedToTheNanosecondAndBeforeTheEpoch() async throws {
    let moments: [(String, Int64, Int32)] = [("a", -5, 2), ("b", -5, 1), ("c", -4, 0), ("d", 4, 0)]
    let documents = try moments.map { id, seconds, nanoseconds in
      let moment = try #require(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
      return try document("users/\(id)", ["email": .string("a@b"), "createdAt": .timestamp(moment)])
    }
    #expect(try await plan(documents)["user_emails/a@b"]?.change?.after == fields("a@b", "b"))
  }

  @Test func emailsAreKeptApartByBytes() async throws {
    let told = try await told(
      UserEmails(),
      over: [user("u1", .string("é@x")), user("u2", .string("e\u{301}@x"))]
    )
    #expect(told.map { UTF8Key($0.path.id) } == [UTF8Key("e\u{301}@x"), UTF8Key("é@x")])
  }

  @Test(
    arguments: [
      (nil, .emailMissing, .note), (.null, .emailMissing, .note), (.string(""), .emailEmpty, .note),
      (.string(" \n"), .emailEmpty, .note), (.string("ana"), .emailNoAt, .review),
      (.string("a/b@c"), .emailSlash, .review), (.string("__@__"), .emailReserved, .review),
      (.string(String(repeating: "a", count: 1499) + "@b"), .emailTooLong, .review),
      (.integer(7), .emailWrongType, .reject), (.map([:]), .emailWrongType, .reject),
    ] as [(Value?, UserEmails.Code, Finding.Kind)]
  )
  func reportsWhatCannotBeIndexed(email: Value?, code: UserEmails.Code, kind: Finding.Kind) async throws {
    let plan = try await plan([user("u1", email)])
    #expect(Array(plan.keys) == ["users/u1"])
    let outcome = try #require(plan["users/u1"])
    #expect(outcome.action == .skip)
    let finding = try #require(outcome.findings.first)
    #expect(outcome.findings.count == 1 && finding.code == code.rawValue && finding.kind == kind)
    #expect(finding.path.string == "users/u1" && finding.field == "email" && finding.found == email)
  }

  // MARK: Entries that stand

  @Test func keepsAnEntryWhoseUserBearsTheEmail() async throws {
    let plan = try await plan([
      user("u1", .string("A@b"), since: 20), user("u2", .string("a@b"), since: 10),
      entry("a@b", .string("u1"), ["createdAt": .string("as it is")]),
    ])
    #expect(plan == ["user_emails/a@b": Outcome(.unchanged)])
  }

  @Test(arguments: [.string("A@b"), .null, .integer(1)] as [Value])
  func mendsTheEmailOfAKeptEntry(email: Value) async throws {
    let plan = try await plan([
      user("u1", .string("a@b")), entry("a@b", .string("u1"), email: email, ["x": .null]),
    ])
    let change = try #require(plan["user_emails/a@b"]?.change)
    var after = fields("a@b", "u1")
    after["x"] = .null
    #expect(change.after == after && change.serverTimes.isEmpty && change.reasons == ["email-mended"])
  }

  @Test(
    arguments: [
      (.string("gone"), "primaryUserId-user-gone"), (.string("other"), "primaryUserId-other-email"),
      (.string("none"), "primaryUserId-other-email"), (nil, "primaryUserId-no-user"),
      (.string(" "), "primaryUserId-no-user"), (.integer(1), "primaryUserId-no-user"),
    ] as [(Value?, String)]
  )
  func givesAnEntryToTheEarliestWhoBearsTheEmail(primary: Value?, reason: String) async throws {
    let plan = try await plan([
      user("other", .string("o@b")), user("none", nil), user("u1", .string("a@b"), since: 9),
      user("u2", .string("a@b"), since: 8), entry("a@b", primary, ["createdAt": .integer(1)]),
      entry("o@b", .string("other")),
    ])
    let outcome = try #require(plan["user_emails/a@b"])
    var after = fields("a@b", "u2")
    after["createdAt"] = .integer(1)
    #expect(outcome.change?.after == after && outcome.change?.serverTimes == [])
    #expect(outcome.change?.reasons == [reason])
    #expect(outcome.findings.map(\.code) == ["entry-reassigned"] && outcome.findings.map(\.kind) == [.note])
    #expect(plan["user_emails/o@b"] == Outcome(.unchanged))
  }

  static let orphans: [(String, Value?, UserEmails.Code)] = [
    ("x@b", .string("gone"), .orphanUserGone), ("x@b", .string("u1"), .orphanOtherEmail),
    ("x@b", nil, .orphanNoUser), ("x@b", .integer(1), .orphanNoUser),
    ("A@b", .string("u1"), .orphanNotNormalised),
    (" a@b", .string("gone"), .orphanNotNormalised),
  ]

  @Test(arguments: orphans, [true, false])
  func orphansAreListedAndRemovedWhenAsked(
    orphan: (String, Value?, UserEmails.Code),
    prune: Bool
  ) async throws {
    let entry = try entry(orphan.0, orphan.1)
    let plan = try await plan([user("u1", .string("a@b")), entry], prune: prune)
    let outcome = try #require(plan[entry.path.string])
    #expect(outcome.findings.map(\.code) == [orphan.2.rawValue])
    #expect(outcome.findings.map(\.kind) == [prune ? .note : .review])
    if prune {
      #expect(
        outcome.action
          == .change(Change(path: entry.path, before: entry, after: nil, reasons: [orphan.2.rawValue]))
      )
    } else {
      #expect(outcome.action == .skip)
    }
    // The normalised one is made beside it.
    #expect(plan["user_emails/a@b"]?.change?.after == fields("a@b", "u1"))
    #expect(plan.count == 2)
  }

  @Test func anOrphanWithDocumentsBelowIsLeftAndListed() async throws {
    let entries = try ["x@b", "y@b"].map { try entry($0, .string("gone")) }
    let guarded = UserEmails(prune: true).guarded { $0.id == "x@b" ? ["notes"] : [] }
    let told = try await told(guarded, over: [user("u1", nil)] + entries)
    let outcomes = Dictionary(uniqueKeysWithValues: told.map { ($0.path.string, $0.outcome) })
    let left = try #require(outcomes["user_emails/x@b"])
    #expect(left.action == .skip)
    #expect(left.findings.map(\.code) == ["entry-orphan-user-gone", "has-subcollections"])
    #expect(left.findings.map(\.kind) == [.note, .reject])
    #expect(outcomes["user_emails/y@b"]?.change?.isDeletion == true)
  }

  @Test func anEntryThatCouldNotBeMadeIsKeptWhileItsUserBearsIt() async throws {
    let plan = try await plan([user("u1", .string("ana")), entry("ana", .string("u1"))])
    #expect(plan["user_emails/ana"] == Outcome(.unchanged))
    #expect(plan["users/u1"]?.findings.map(\.code) == ["email-no-at"])
  }

  // MARK: As a whole

  /// Random collections over more than one batch of each kind: the index afterwards is what the rules say, computed
  /// here by plain loops; and a second rebuild finds nothing to do.
  @Test(arguments: [1, 2]) func rebuildsOnceAndForAll(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let emails = (0..<700).map { "p\($0)@x" }
    var users: [RawDocument] = []
    for number in 0..<1_300 {
      let email = random.pick(emails)
      let text = random.chance(3) ? " \(email.uppercased())" : email
      users.append(
        try user(
          "u\(number)",
          random.chance(20) ? nil : .string(text),
          since: random.chance(3) ? nil : Int64.random(in: 0...50, using: &random),
          created: Int64.random(in: 0...50, using: &random)
        )
      )
    }
    var entries: [RawDocument] = []
    for email in emails where random.chance(2) {
      let id = random.chance(10) ? email.uppercased() : email
      entries.append(try entry(id, .string("u\(Int.random(in: 0..<1_500, using: &random))")))
    }

    let outcomes = try await told(UserEmails(prune: true), over: users + entries)
    var index = Dictionary(uniqueKeysWithValues: entries.map { ($0.path, $0.fields) })
    for (path, outcome) in outcomes {
      if let change = outcome.change {
        #expect(change.before?.fields == index[path], "seed \(seed)")
        index[path] = change.after
      }
    }

    func normal(_ user: RawDocument) -> String? {
      user.fields["email"]?.string.map { $0.lowercased().split(separator: " ").joined() }
    }
    var expected: [DocumentPath: FieldMap] = [:]
    for email in emails {
      let bearers = users.filter { normal($0) == email }
      let stands = entries.first { $0.path.id == email }?.fields["primaryUserId"]?.string
      let earliest = bearers.min { a, b in
        let first = a.fields["createdAt"]?.timestamp ?? a.createTime
        let second = b.fields["createdAt"]?.timestamp ?? b.createTime
        return first == second ? a.path.id < b.path.id : (first?.seconds ?? 0) < (second?.seconds ?? 0)
      }
      guard let winner = bearers.first(where: { $0.path.id == stands }) ?? earliest else { continue }
      expected[DocumentPath(GymCollection.userEmails, email)] = fields(email, winner.path.id)
    }
    #expect(index == expected, "seed \(seed)")

    let rebuilt = index.map { RawDocument(path: $0.key, fields: $0.value) }
    let again = try await told(UserEmails(prune: true), over: users + rebuilt)
    #expect(again.allSatisfy { $0.outcome.change == nil }, "seed \(seed)")
    #expect(again.filter { $0.path.collection == GymCollection.userEmails }.count == rebuilt.count)
  }

  @Test func whatTheSinkThrowsEndsThePlan() async throws {
    struct Full: Error {}
    struct Sink: PlanSink {
      func record(_ outcome: Outcome, of document: RawDocument) async throws { throw Full() }
      func record(_ finding: Finding) async throws { throw Full() }
    }
    await #expect(throws: Full.self) {
      try await UserEmails().plan(
        from: CatalogueSource(documents: [try user("u", .string("a@b"))]),
        into: Sink()
      )
    }
  }
}
