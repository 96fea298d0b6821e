import FirestoreModels
import GymModels
import Testing

@testable import GymMigrations
@testable import MigrationEngine

@Suite struct UsersUnifyReviewTests {
  /// The review of one user: what the list says of it, its names changed as given (empty removes one).
  private func reviewed(
    _ read: RawDocument,
    _ changes: KeyValuePairs<UserField, String> = [:],
    found: String? = nil,
    isMarked: Bool = false
  ) throws -> UsersUnify {
    let finding = try #require(
      UsersUnify().outcome(for: read).findings.first { $0.code.hasPrefix("name") },
      "the name is not doubtful"
    )
    var texts: [UserField: String] = [:]
    for field in NameReview.fields { texts[field] = finding.proposal[field.rawValue]?.string }
    for (field, text) in changes { texts[field] = text.isEmpty ? nil : text }
    let decision = NameReview.Decision(
      label: "line 2",
      found: found ?? FindingLists.text(of: finding.found),
      texts: texts,
      isMarked: isMarked
    )
    return UsersUnify(review: NameReview(decisions: [read.path: decision]))
  }

  private func user(_ fields: FieldMap) throws -> RawDocument {
    var all: FieldMap = [
      "isActive": .boolean(true), "onboardingCompleted": .boolean(true), "role": .string("member"),
    ]
    for entry in fields.entries { all[entry.name] = entry.value }
    return try document("users/u", all)
  }

  /// What is added, and that the same review finds nothing to write the second time.
  private func added(_ migration: UsersUnify, to read: RawDocument) throws -> FieldMap {
    var added = FieldMap()
    guard let change = migration.outcome(for: read).change else { return added }
    var again = read
    again.fields = try #require(change.after)
    for difference in change.differences where !difference.isServerTime {
      #expect(difference.before == nil, "\(difference.path) stood")
      added[difference.path.description] = difference.after
    }
    #expect(migration.outcome(for: again).change == nil)
    #expect(UsersUnify().outcome(for: again).change == nil)
    return added
  }

  @Test func aProposalThatIsMarkedIsDecided() throws {
    let read = try user(texts(["fullName": "Juan de la Cruz"]))
    let migration = try reviewed(read, isMarked: true)
    let outcome = migration.outcome(for: read)
    #expect(
      outcome.findings.isEmpty
        && outcome.change?.reasons == ["firstName-from-review", "paternalLastName-from-review"]
    )
    #expect(try added(migration, to: read) == texts(["firstName": "Juan", "paternalLastName": "de la Cruz"]))
  }

  @Test func aCorrectedNameIsWrittenAsItIs() throws {
    let read = try user(texts(["fullName": "Ana María López Ruiz"]))
    let migration = try reviewed(read, [.firstName: "Ana", .paternalLastName: "María López"])
    #expect(
      try added(migration, to: read)
        == texts(["firstName": "Ana", "paternalLastName": "María López", "maternalLastName": "Ruiz"])
    )
  }

  @Test func aMissingPartCompletesAnAndroidName() throws {
    let read = try user(texts(["nombre": "Ana"]))
    // The proposal for fullName is "Ana", which the corrected parts outgrow.
    let migration = try reviewed(read, [.paternalLastName: "López"])
    let after = texts(["firstName": "Ana", "paternalLastName": "López", "fullName": "Ana López"])
    #expect(try added(migration, to: read) == after)
    #expect(migration.outcome(for: read).findings.isEmpty)
  }

  @Test(
    "A fullName that the corrected parts made does not stand against the row, which is handed back once more."
  )
  func theFullNameOfTheParts() throws {
    for (fields, changes) in [
      (texts(["nombre": "Ana"]), (UserField.paternalLastName, "López")),
      (texts(["primerApellido": "Mondragón"]), (UserField.firstName, "Otto")),
    ] {
      var read = try user(fields)
      let migration = try reviewed(read, [changes.0: changes.1])
      read.fields = try #require(migration.outcome(for: read).change?.after)
      #expect(migration.outcome(for: read).findings.filter { $0.kind == .review } == [])
      // Somebody has changed it since: that stands.
      read.fields["fullName"] = .string("Eva Prado")
      #expect(migration.outcome(for: read).findings.contains { $0.code == "review-field-stands" })
    }
  }

  /// A list may be handed back after the run that made it, too, which has written what was beyond doubt.
  @Test func theListOfAnApplyIsGood() throws {
    var read = try user(texts(["nombre": "Ana"]))
    let migration = try reviewed(read, [.paternalLastName: "López"])
    read.fields = try #require(UsersUnify().outcome(for: read).change?.after)
    #expect(read.fields["firstName"] == .string("Ana"))
    let after = texts(["paternalLastName": "López", "fullName": "Ana López"])
    #expect(try added(migration, to: read) == after)
  }

  @Test func whatIsLeftEmptyIsNotWritten() throws {
    let read = try user(texts(["fullName": "Ana María López Ruiz"]))
    let migration = try reviewed(
      read,
      [.firstName: "Ana María", .paternalLastName: "López Ruiz", .maternalLastName: ""]
    )
    #expect(
      try added(migration, to: read) == texts(["firstName": "Ana María", "paternalLastName": "López Ruiz"])
    )
    var accepting = migration
    accepting.acceptProposals = true
    #expect(accepting.outcome(for: read) == migration.outcome(for: read))
  }

  @Test("A part that is moved to another, or emptied, is not taken from Android's parts either.")
  func whatIsMovedIsNotWrittenTwice() throws {
    let android = ["nombre": "Iker", "primerApellido": "", "segundoApellido": "Galindo"]
    for fields in [android, ["fullName": "Iker Galindo", "nombre": "Iker", "segundoApellido": "Galindo"]] {
      var read = try user(FieldMap(fields.map { .init(name: $0.key, value: .string($0.value)) }))
      let moved = try reviewed(read, [.paternalLastName: "Galindo", .maternalLastName: ""])
      read.fields = try #require(moved.outcome(for: read).change?.after)
      #expect(read.fields["fullName"] == .string("Iker Galindo"))
      #expect(read.fields["firstName"] == .string("Iker"))
      #expect(read.fields["paternalLastName"] == .string("Galindo"))
      #expect(read.fields["maternalLastName"] == nil)
      #expect(moved.outcome(for: read).change == nil, "the same review again")
    }
    let read = try user(texts(["nombre": "Iker", "segundoApellido": "Galindo"]))
    let other = try reviewed(
      read,
      [.fullName: "Iker Ruiz", .paternalLastName: "Ruiz", .maternalLastName: ""]
    )
    let change = try #require(other.outcome(for: read).change)
    #expect(change.after?["paternalLastName"] == .string("Ruiz") && change.after?["maternalLastName"] == nil)
  }

  @Test func aFieldThatStandsIsNeverRewritten() throws {
    let read = try user(
      texts(["fullName": "Ana López", "nombre": "Ana", "primerApellido": "Pérez"])
    )
    let migration = try reviewed(read, [.fullName: "Ana Pérez", .paternalLastName: "Pérez"])
    let outcome = migration.outcome(for: read)
    #expect(outcome.findings.map(\.code).contains("review-field-stands"))
    #expect(outcome.change?.after?["fullName"] == .string("Ana López"))
    #expect(try added(migration, to: read) == texts(["firstName": "Ana", "paternalLastName": "Pérez"]))
  }

  @Test("A decision against a field that stands keeps nothing else from being written.")
  func theRestOfADecisionThatIsRefused() throws {
    let read = try user(texts(["fullName": "Matías", "nombre": "Matías"]))
    let migration = try reviewed(read, [.fullName: "Matías Lozano"])
    let outcome = migration.outcome(for: read)
    #expect(outcome.findings.map(\.code).contains("review-field-stands"))
    #expect(outcome.change?.after?["firstName"] == .string("Matías"))
  }

  @Test("Who corrects fullName alone does not take the proposed parts, which are of the name that stands.")
  func partsOfAnotherName() throws {
    let read = try user(texts(["fullName": "Ana María López Ruiz"]))
    let outcome = try reviewed(read, [.fullName: "Ana María de la López Ruiz"]).outcome(for: read)
    #expect(outcome.findings.map(\.code).contains("review-disagrees"))
    #expect(outcome.findings.map(\.code).contains("review-field-stands"))
    #expect(outcome.change?.after?["firstName"] == nil && outcome.change?.after?["paternalLastName"] == nil)
  }

  /// What a person decided is no question any more, though the eras disagree as before; without the review it is one.
  @Test func aDecidedDisagreementIsANote() throws {
    var read = try user(texts(["fullName": "Ana López", "nombre": "Ana", "primerApellido": "Pérez"]))
    let migration = try reviewed(read, isMarked: true)
    for _ in 1...2 {
      let outcome = migration.outcome(for: read)
      #expect(outcome.findings.map(\.code) == ["name-disagrees"])
      #expect(outcome.findings.map(\.kind) == [.note])
      if let after = outcome.change?.after { read.fields = after }
    }
    #expect(UsersUnify().outcome(for: read).findings.map(\.kind) == [.review])
    #expect(UsersUnify(acceptProposals: true).outcome(for: read).findings.map(\.kind) == [.note])
  }

  @Test func aDocumentThatChangedIsNotWritten() throws {
    let listed = try user(texts(["fullName": "Juan de la Cruz"]))
    let migration = try reviewed(listed, isMarked: true)
    let now = try user(texts(["fullName": "José de la Cruz"]))
    let outcome = migration.outcome(for: now)
    #expect(outcome.action == .skip)
    #expect(outcome.findings.map(\.code) == ["name-particle", "review-stale"])
    #expect(outcome.findings.last?.kind == .review)
    #expect(outcome.findings.last?.proposal["firstName"] == .string("Juan"))
  }

  @Test func aFullNameBesideOtherPartsIsNoDecision() throws {
    let read = try user(texts(["nombre": "Ana"]))
    let migration = try reviewed(read, [.fullName: "Eva Paz", .paternalLastName: "López"])
    let outcome = migration.outcome(for: read)
    #expect(outcome.findings.map(\.code) == ["name-no-paternal", "review-disagrees"])
    #expect(outcome.change?.reasons == ["firstName-from-nombre"])
  }

  @Test func wrongTypesGoFirst() throws {
    let listed = try user(texts(["fullName": "Juan de la Cruz"]))
    var read = listed
    read.fields["phone"] = .integer(7)
    let outcome = try reviewed(listed).outcome(for: read)
    #expect(outcome.action == .skip && outcome.findings.map(\.code) == ["wrong-type"])
  }

  @Test func lineEndsAreTheSpreadsheets() throws {
    let read = try user(texts(["fullName": "Juan\nde la Cruz"]))
    let migration = try reviewed(read, found: "Juan\r\nde la Cruz", isMarked: true)
    #expect(migration.outcome(for: read).findings.isEmpty)
  }

  @Test func whoIsNotThereIsTold() async throws {
    let read = try user(texts(["fullName": "Juan de la Cruz"]))
    var migration = try reviewed(read)
    migration.review?.decisions[try #require(DocumentPath("users/gone"))] = NameReview.Decision(
      label: "line 3",
      found: "",
      texts: [.firstName: "Ana"]
    )
    let sink = CatalogueSink()
    try await migration.plan(from: CatalogueSource(documents: [read]), into: sink)
    #expect(await sink.told.map(\.path.string) == ["users/u"])
    let strays = await sink.strays
    #expect(strays.map(\.path.string) == ["users/gone"] && strays.map(\.code) == ["review-unknown"])
  }

  /// Every doubtful name of the rules' own table: its proposal handed back is what accepting it writes, and is
  /// written once.
  @Test(arguments: UsersUnifyNameTests.cases.filter { $0.code != nil && !$0.proposes.isEmpty })
  func handedBackIsAccepted(_ one: NameCase) throws {
    let read = try user(one.before)
    let accepted = UsersUnify(acceptProposals: true).outcome(for: read).change?.after
    let migration = try reviewed(read, isMarked: true)
    _ = try added(migration, to: read)
    #expect(migration.outcome(for: read).change?.after == accepted)
  }

  /// A row that nobody has touched decides nothing, on the list of a plan as on that of an apply, before and after.
  @Test(arguments: UsersUnifyNameTests.cases.filter { $0.code != nil && !$0.proposes.isEmpty })
  func whatNobodyTouchedStaysOpen(_ one: NameCase) throws {
    let read = try user(one.before)
    let open = UsersUnify().outcome(for: read)
    var states = [read]
    if let after = open.change?.after { states.append(RawDocument(path: read.path, fields: after)) }
    for listed in states {
      let migration = try reviewed(listed)
      for state in states { #expect(migration.outcome(for: state) == UsersUnify().outcome(for: state)) }
    }
  }

  /// A proposal for fields that have come to say something else is not taken as if somebody had decided it.
  @Test func aRowOfAnotherStateIsStale() throws {
    let listed = try user(texts(["fullName": "Ana María López Ruiz"]))
    var now = listed
    now.fields["firstName"] = .string("Ana María")
    let outcome = try reviewed(listed).outcome(for: now)
    #expect(outcome.change == nil)
    #expect(outcome.findings.map(\.code) == ["name-many-words", "review-stale"])
  }
}
