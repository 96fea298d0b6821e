import FirestoreModels
import GymModels
import Testing

@testable import GymMigrations
@testable import MigrationEngine

/// A user's name before, and what is to become of it, by hand from the domain's Decisions.
struct NameCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var before: FieldMap
  /// What is added without `--accept-proposals`.
  var adds: FieldMap = [:]
  /// The codes about the name, at most one.
  var code: UsersUnify.Code?
  /// What is proposed and withheld.
  var proposes: FieldMap = [:]
  /// Whether it is still for review once the proposals are accepted.
  var staysReview = false
  /// Whether something is withheld that nothing is proposed for.
  var withholds = false

  var isNote: Bool { code == .nameMissing || code == .nameTwoGiven }
}

private let withFullName: FieldMap = texts(["fullName": "Ana López"])

@Suite struct UsersUnifyNameTests {
  static let cases: [NameCase] = [
    // fullName alone, in units.
    NameCase(
      testDescription: "two units",
      before: withFullName,
      adds: texts(["firstName": "Ana", "paternalLastName": "López"])
    ),
    NameCase(
      testDescription: "three units, untidy",
      before: texts(["fullName": " Ana  López\tRuiz"]),
      adds: texts(["firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz"])
    ),
    NameCase(
      testDescription: "one unit",
      before: texts(["fullName": "Ana"]),
      code: .nameOneWord,
      proposes: texts(["firstName": "Ana"]),
      staysReview: true
    ),
    NameCase(
      testDescription: "particle",
      before: texts(["fullName": "Juan de la Cruz"]),
      code: .nameParticle,
      proposes: texts(["firstName": "Juan", "paternalLastName": "de la Cruz"])
    ),
    NameCase(
      testDescription: "four units",
      before: texts(["fullName": "Ana María López Ruiz"]),
      code: .nameManyWords,
      proposes: texts(["firstName": "Ana María", "paternalLastName": "López", "maternalLastName": "Ruiz"])
    ),

    // Android's parts.
    NameCase(
      testDescription: "parts alone, tidied",
      before: texts(["nombre": " Ana  María", "primerApellido": "de la Cruz ", "segundoApellido": "Ruiz"]),
      adds: texts([
        "firstName": "Ana María", "paternalLastName": "de la Cruz", "maternalLastName": "Ruiz",
        "fullName": "Ana María de la Cruz Ruiz",
      ])
    ),
    NameCase(
      testDescription: "parts and fullName agree, case, accents and spaces aside",
      before: texts([
        "fullName": "ANA MARIA  de la cruz", "nombre": "Ana María", "primerApellido": "de la Cruz",
      ]),
      adds: texts(["firstName": "Ana María", "paternalLastName": "de la Cruz"])
    ),
    NameCase(
      testDescription: "fullName lacks the maternal name only",
      before: texts([
        "fullName": "Ana López", "nombre": "Ana", "primerApellido": "López", "segundoApellido": "Ruiz",
      ]),
      adds: texts(["firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz"])
    ),
    NameCase(
      testDescription: "fullName has a maternal name that the parts lack",
      before: texts(["fullName": "Ana López Ruiz", "nombre": "Ana", "primerApellido": "López"]),
      code: .nameDisagrees,
      proposes: texts(["firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz"])
    ),
    NameCase(
      testDescription: "parts and fullName disagree",
      before: texts(["fullName": "Ana López", "nombre": "Ana", "primerApellido": "Pérez"]),
      code: .nameDisagrees,
      proposes: texts(["firstName": "Ana", "paternalLastName": "López"])
    ),
    NameCase(
      testDescription: "nombre alone",
      before: texts(["nombre": "Ana"]),
      adds: texts(["firstName": "Ana"]),
      code: .nameNoPaternal,
      proposes: texts(["fullName": "Ana"]),
      staysReview: true
    ),
    NameCase(
      testDescription: "nombre and segundoApellido without primerApellido",
      before: texts(["nombre": "Ana", "segundoApellido": "Ruiz"]),
      adds: texts(["firstName": "Ana"]),
      code: .nameNoPaternal,
      proposes: texts(["fullName": "Ana Ruiz", "maternalLastName": "Ruiz"]),
      staysReview: true
    ),
    NameCase(
      testDescription: "nombre alone beside the same fullName",
      before: texts(["nombre": "Ana", "fullName": "ana"]),
      adds: texts(["firstName": "Ana"]),
      code: .nameNoPaternal,
      staysReview: true
    ),
    NameCase(
      testDescription: "segundoApellido alone",
      before: texts(["segundoApellido": "Ruiz"]),
      code: .nameNoPaternal,
      proposes: texts(["maternalLastName": "Ruiz", "fullName": "Ruiz"]),
      staysReview: true
    ),
    NameCase(
      testDescription: "primerApellido alone",
      before: texts(["primerApellido": "López"]),
      code: .nameNoFirst,
      proposes: texts(["paternalLastName": "López", "fullName": "López"]),
      staysReview: true
    ),

    // Some unified parts stand.
    NameCase(
      testDescription: "unified parts, no fullName",
      before: texts(["firstName": " Ana ", "paternalLastName": "López"]),
      adds: withFullName
    ),
    NameCase(
      testDescription: "one stands, the rest from fullName",
      before: texts(["firstName": "ANA", "fullName": "Ana López Ruiz"]),
      adds: texts(["paternalLastName": "López", "maternalLastName": "Ruiz"])
    ),
    NameCase(
      testDescription: "one stands, the rest from a doubtful fullName",
      before: texts(["firstName": "Juan", "fullName": "Juan de la Cruz"]),
      code: .nameParticle,
      proposes: texts(["paternalLastName": "de la Cruz"])
    ),
    NameCase(
      testDescription: "one stands and does not fit the split of fullName",
      before: texts(["firstName": "Ana María", "fullName": "Ana María López"]),
      code: .nameDisagrees,
      proposes: texts(["paternalLastName": "López"])
    ),
    NameCase(
      testDescription: "one stands, the rest from parts that agree with both",
      before: texts([
        "firstName": "Ana María", "fullName": "Ana María López", "nombre": "Ana María",
        "primerApellido": "López",
      ]),
      adds: texts(["paternalLastName": "López"])
    ),
    NameCase(
      testDescription: "one stands, parts and fullName agree with each other and not with it",
      before: texts([
        "firstName": "Anita", "fullName": "Ana María López", "nombre": "Ana María", "primerApellido": "López",
      ]),
      code: .nameDisagrees,
      proposes: texts(["paternalLastName": "López"])
    ),
    NameCase(
      testDescription: "one stands, the parts disagree with fullName",
      before: texts(["firstName": "Ana", "fullName": "Ana López", "nombre": "Ana", "primerApellido": "Pérez"]
      ),
      code: .nameDisagrees,
      proposes: texts(["paternalLastName": "López"])
    ),
    NameCase(
      testDescription: "one stands, the parts disagree with it, no fullName",
      before: texts(["firstName": "Anita", "nombre": "Ana", "primerApellido": "López"]),
      code: .nameDisagrees,
      staysReview: true,
      withholds: true
    ),
    NameCase(
      testDescription: "one stands, the parts fill it up, no fullName",
      before: texts(["paternalLastName": "López", "nombre": "Ana", "segundoApellido": "Ruiz"]),
      adds: texts(["firstName": "Ana", "maternalLastName": "Ruiz", "fullName": "Ana López Ruiz"])
    ),
    NameCase(
      testDescription: "the parts agree with fullName only together with what stands",
      before: texts(["paternalLastName": "López", "nombre": "Ana", "fullName": "Ana López"]),
      adds: texts(["firstName": "Ana"])
    ),
    NameCase(
      testDescription: "the standing parts say the whole fullName, particle or not",
      before: texts(["firstName": "Juan", "paternalLastName": "de la Cruz", "fullName": "Juan de la Cruz"])
    ),
    NameCase(
      testDescription: "the standing parts say fullName; Android's say otherwise, and have one more",
      before: texts([
        "firstName": "Ana", "paternalLastName": "López", "fullName": "Ana López", "nombre": "Ana",
        "primerApellido": "Pérez", "segundoApellido": "Ruiz",
      ]),
      code: .nameDisagrees,
      staysReview: true,
      withholds: true
    ),
    NameCase(
      testDescription: "the standing parts say fullName, Android's have a maternal name alone",
      before: texts([
        "firstName": "Ana", "paternalLastName": "López", "fullName": "Ana López", "segundoApellido": "Ruiz",
      ]),
      code: .nameDisagrees,
      staysReview: true,
      withholds: true
    ),
    NameCase(
      testDescription: "the parts would add a maternal name to a fullName that says otherwise",
      before: texts([
        "firstName": "Ana", "paternalLastName": "López", "fullName": "Ana Gil", "nombre": "Ana",
        "primerApellido": "López", "segundoApellido": "Ruiz",
      ]),
      code: .nameDisagrees,
      staysReview: true,
      withholds: true
    ),

    // What stands is not written again.
    NameCase(
      testDescription: "fullName is the paternal name that stands, beside a maternal one",
      before: texts(["fullName": "Ruiz", "paternalLastName": "Ruiz", "maternalLastName": "Sosa"]),
      code: .nameOneWord,
      staysReview: true
    ),
    NameCase(
      testDescription: "fullName is the paternal name that stands, with a particle",
      before: texts(["fullName": "la Ruiz", "paternalLastName": "Ruiz"]),
      code: .nameDisagrees,
      staysReview: true
    ),
    NameCase(
      testDescription: "the second word stands as the maternal name",
      before: texts(["fullName": "Ana Ruiz", "maternalLastName": "Ruiz"]),
      code: .nameDisagrees,
      proposes: texts(["firstName": "Ana"]),
      staysReview: true
    ),
    NameCase(
      testDescription: "the surnames stand, and fullName has them first",
      before: texts(["fullName": "López Ruiz Ana", "paternalLastName": "López", "maternalLastName": "Ruiz"]),
      code: .nameDisagrees,
      proposes: texts(["firstName": "Ana"])
    ),

    // Nothing is left to fill.
    NameCase(
      testDescription: "all parts stand, and Android says otherwise",
      before: texts([
        "firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz",
        "fullName": "Ana López Ruiz", "nombre": "Eva",
      ]),
      code: .nameDisagrees
    ),
    NameCase(
      testDescription: "the required parts stand, and Android says otherwise",
      before: texts([
        "firstName": "Ana", "paternalLastName": "López", "fullName": "Ana López", "nombre": "Eva",
        "primerApellido": "López",
      ]),
      code: .nameDisagrees
    ),
    NameCase(
      testDescription: "all parts stand, and fullName says otherwise",
      before: texts([
        "firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz", "fullName": "Juana Gil",
      ]),
      code: .nameDisagrees
    ),
    NameCase(
      testDescription: "the required parts stand, and fullName has one more word between them",
      before: texts(["firstName": "Ana", "paternalLastName": "Gil", "fullName": "Ana López Gil"]),
      code: .nameDisagrees
    ),
    NameCase(
      testDescription: "the required parts stand, and fullName is the given name alone",
      before: texts(["firstName": "Ana", "paternalLastName": "López", "fullName": "  Ana "]),
      code: .nameDisagrees
    ),
    NameCase(
      testDescription: "all parts stand, and fullName is the given name alone",
      before: texts([
        "firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz", "fullName": "Ana",
      ]),
      code: .nameDisagrees
    ),
    NameCase(
      testDescription: "all parts stand, and fullName has the surnames before a comma",
      before: texts([
        "firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz",
        "fullName": "López Ruiz, Ana",
      ])
    ),
    NameCase(
      testDescription: "all parts stand, and fullName lacks the maternal name",
      before: texts([
        "firstName": "Ana María", "paternalLastName": "López", "maternalLastName": "Ruiz",
        "fullName": "Ana María López",
      ])
    ),
    NameCase(
      testDescription: "all parts stand, fullName lacks the maternal name, and so does Android",
      before: texts([
        "firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz", "fullName": "Ana López",
        "primerApellido": "López",
      ])
    ),
    NameCase(
      testDescription: "the required parts stand, Android says otherwise, no fullName",
      before: texts(["firstName": "Anita", "paternalLastName": "López", "nombre": "Ana"]),
      code: .nameDisagrees,
      proposes: texts(["fullName": "Anita López"])
    ),

    // Unusual words.
    NameCase(
      testDescription: "comma",
      before: texts(["fullName": "López Ruiz, Ana María"]),
      code: .nameUnusual,
      proposes: texts(["firstName": "Ana María", "paternalLastName": "López", "maternalLastName": "Ruiz"])
    ),
    NameCase(
      testDescription: "title in a name of three words",
      before: texts(["fullName": "Lic. Ana López"]),
      code: .nameUnusual,
      proposes: texts(["firstName": "Lic.", "paternalLastName": "Ana", "maternalLastName": "López"])
    ),
    NameCase(
      testDescription: "a single unusual word",
      before: texts(["fullName": "Ana2"]),
      code: .nameUnusual,
      proposes: texts(["firstName": "Ana2"]),
      staysReview: true
    ),
    NameCase(
      testDescription: "the unusual word stands alone already",
      before: texts(["fullName": "M.", "firstName": "M."]),
      code: .nameUnusual,
      staysReview: true
    ),
    NameCase(
      testDescription: "an unusual name beside what stands",
      before: texts(["fullName": "López, Ana", "firstName": "Ana"]),
      code: .nameUnusual,
      proposes: texts(["paternalLastName": "López"])
    ),
    NameCase(
      testDescription: "an unusual name that the parts say",
      before: texts([
        "fullName": "Ma. Luisa O. López", "nombre": "Ma. Luisa", "primerApellido": "O. López",
      ]),
      adds: texts(["firstName": "Ma. Luisa", "paternalLastName": "O. López"])
    ),
    NameCase(
      testDescription: "a comma is a disagreement with the parts",
      before: texts(["fullName": "López, Ana", "nombre": "Ana", "primerApellido": "López"]),
      code: .nameDisagrees,
      proposes: texts(["firstName": "Ana", "paternalLastName": "López"])
    ),
    NameCase(
      testDescription: "an Android part without a letter",
      before: texts(["nombre": "Ana", "primerApellido": " . "]),
      code: .nameUnusual,
      proposes: texts(["fullName": "Ana .", "firstName": "Ana", "paternalLastName": "."])
    ),
    NameCase(
      testDescription: "an Android nombre without a letter, and nothing else",
      before: texts(["nombre": "123"]),
      code: .nameUnusual,
      proposes: texts(["fullName": "123", "firstName": "123"]),
      staysReview: true
    ),

    // Android's parts are those of fullName, and the unified parts say more.
    NameCase(
      testDescription: "a surname beside a fullName and a nombre without it",
      before: texts(["fullName": "Ana", "firstName": "Ana", "paternalLastName": "López", "nombre": "Ana"]),
      code: .nameDisagrees
    ),
    NameCase(
      testDescription: "a nombre is not written beside a surname that fullName does not have",
      before: texts(["fullName": "Ana", "paternalLastName": "López", "nombre": "Ana"]),
      code: .nameDisagrees,
      proposes: texts(["firstName": "Ana"])
    ),
    NameCase(
      testDescription: "a paternal surname between Android's parts of fullName",
      before: texts([
        "fullName": "Ana Ruiz", "firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz",
        "nombre": "Ana",
        "segundoApellido": "Ruiz",
      ]),
      code: .nameDisagrees
    ),
    NameCase(
      testDescription: "a maternal surname beside Android's parts of fullName",
      before: texts([
        "fullName": "Ana López", "maternalLastName": "Ruiz", "nombre": "Ana", "primerApellido": "López",
      ]),
      adds: texts(["firstName": "Ana", "paternalLastName": "López"])
    ),

    // A given name as the second word.
    NameCase(
      testDescription: "two given names",
      before: texts(["fullName": "JOSE LUIS PÉREZ"]),
      adds: texts(["firstName": "JOSE", "paternalLastName": "LUIS", "maternalLastName": "PÉREZ"]),
      code: .nameTwoGiven
    ),
    NameCase(
      testDescription: "two given names, of which the second stands as the surname",
      before: texts(["fullName": "José Luis Pérez", "paternalLastName": "Luis"]),
      adds: texts(["firstName": "José", "maternalLastName": "Pérez"])
    ),
    NameCase(
      testDescription: "two given names and no surname",
      before: texts(["fullName": "José Luis"]),
      adds: texts(["firstName": "José", "paternalLastName": "Luis"])
    ),

    // Missing.
    NameCase(testDescription: "no name", before: [:], code: .nameMissing),
    NameCase(
      testDescription: "blank and null are missing",
      before: [
        "fullName": .string(" \n"), "firstName": .null, "nombre": .string("Ana"),
        "primerApellido": .string("Gil"),
      ],
      adds: texts(["fullName": "Ana Gil", "firstName": "Ana", "paternalLastName": "Gil"])
    ),
  ]

  /// Fields that leave only the name to be unified.
  private static let rest: FieldMap = [
    "isActive": .boolean(true), "onboardingCompleted": .boolean(false), "role": .string("member"),
  ]

  private static func merged(_ fields: FieldMap, _ others: FieldMap) -> FieldMap {
    FieldMap(fields.entries + others.entries)
  }

  @Test(arguments: cases) func unifies(_ example: NameCase) throws {
    let before = try document("users/u1", Self.merged(Self.rest, example.before))
    let outcome = UsersUnify().outcome(for: before)
    if example.adds.isEmpty {
      #expect(outcome.action == (example.proposes.isEmpty && !example.withholds ? .unchanged : .skip))
    } else {
      #expect(outcome.change?.after == Self.merged(before.fields, example.adds))
      #expect(outcome.change?.before == before)
      #expect(outcome.change?.serverTimes == [FieldPath(field: "updatedAt")])
    }
    #expect(outcome.findings.map(\.code) == (example.code.map { [$0.rawValue] } ?? []))
    let kind: Finding.Kind = example.isNote ? .note : .review
    #expect(outcome.findings.allSatisfy { $0.kind == kind && $0.proposal == example.proposes })
  }

  @Test("A name of one word may be a surname that stands, so the message does not miss a surname.")
  func oneWordBesideASurname() throws {
    for fields in [
      texts(["fullName": "de la Garza", "paternalLastName": "de la Garza"]),
      texts(["fullName": "Tadeo", "paternalLastName": "Lozoya"]),
    ] {
      let before = try document("users/u1", Self.merged(Self.rest, fields))
      let findings = UsersUnify().outcome(for: before).findings
      #expect(findings.map(\.code) == ["name-one-word"])
      #expect(findings.map(\.message) == ["fullName is one word: a given name or a surname is missing."])
    }
  }

  @Test(arguments: cases) func acceptsProposals(_ example: NameCase) throws {
    let before = try document("users/u1", Self.merged(Self.rest, example.before))
    let outcome = UsersUnify(acceptProposals: true).outcome(for: before)
    let adds = Self.merged(example.adds, example.proposes)
    #expect((outcome.change?.after ?? before.fields) == Self.merged(before.fields, adds))
    #expect(outcome.findings.map(\.code) == (example.code.map { [$0.rawValue] } ?? []))
    #expect(outcome.findings.allSatisfy { $0.kind == (example.staysReview ? .review : .note) })
  }

  @Test func reasonsNameTheirSourceInOrder() throws {
    let outcome = UsersUnify().outcome(
      for: try document(
        "users/u1",
        texts(["nombre": "Ana", "primerApellido": "López", "segundoApellido": "Ruiz", "telefono": "1"])
      )
    )
    #expect(
      outcome.change?.reasons == [
        "fullName-from-parts", "firstName-from-nombre", "paternalLastName-from-primerApellido",
        "maternalLastName-from-segundoApellido", "phone-from-telefono", "isActive-default",
        "onboardingCompleted-default",
      ]
    )
    let known = Set(UsersUnify.Reason.allCases.map(\.rawValue))
    for example in Self.cases {
      let change = UsersUnify(acceptProposals: true).outcome(for: try document("users/u1", example.before))
        .change
      #expect(known.isSuperset(of: change?.reasons ?? []))
    }
  }
}

@Suite struct UsersUnifyTests {
  private static let named = texts([
    "fullName": "Ana López", "firstName": "Ana", "paternalLastName": "López", "role": "member",
  ])

  private func outcome(_ others: FieldMap, role: Bool = true) throws -> Outcome {
    var fields = FieldMap(Self.named.entries + others.entries)
    if !role { fields["role"] = others["role"] }
    return UsersUnify().outcome(for: try document("users/u1", fields))
  }

  @Test(
    arguments: [
      (
        ["telefono": .string(" 729  959 ")],
        ["phone": .string("729 959"), "isActive": .boolean(true), "onboardingCompleted": .boolean(false)]
      ),
      (
        ["telefono": .string("1"), "phone": .string(" 2"), "activo": .boolean(false)],
        ["isActive": .boolean(false), "onboardingCompleted": .boolean(false)]
      ),
      (
        ["telefono": .string(" "), "activo": .null, "isActive": .null, "onboardingCompleted": .null],
        ["isActive": .boolean(true), "onboardingCompleted": .boolean(false)]
      ),
      (["isActive": .boolean(false), "onboardingCompleted": .boolean(true)], [:]),
      (
        [
          "isActive": .boolean(false), "activo": .boolean(false), "onboardingCompleted": .boolean(false),
          "phone": .null, "telefono": .string("007"),
        ], ["phone": .string("007")]
      ),
    ] as [(FieldMap, FieldMap)]
  )
  func unifiesTheOtherFields(others: FieldMap, adds: FieldMap) throws {
    let outcome = try outcome(others)
    let before = FieldMap(Self.named.entries + others.entries)
    #expect((outcome.change?.after ?? before) == FieldMap(before.entries + adds.entries))
    #expect((outcome.change == nil) == adds.isEmpty)
    #expect(outcome.findings.isEmpty)
  }

  @Test func onlyDocumentsThatChangeAreWritten() throws {
    let outcome = try outcome(["isActive": .boolean(true), "onboardingCompleted": .boolean(false)])
    #expect(outcome == Outcome(.unchanged))
  }

  @Test func updatedAtIsTheServers() throws {
    let outcome = try outcome(["updatedAt": .string("old"), "createdAt": .string("kept")])
    #expect(outcome.change?.after?["updatedAt"] == nil)
    #expect(outcome.change?.after?["createdAt"] == .string("kept"))
    #expect(outcome.change?.serverTimes == [FieldPath(field: "updatedAt")])
  }

  @Test func disagreeingActivityIsForReviewAndIsActiveStays() throws {
    for isActive in [true, false] {
      let outcome = try outcome([
        "isActive": .boolean(isActive), "activo": .boolean(!isActive), "onboardingCompleted": .boolean(false),
      ])
      #expect(outcome.action == .unchanged)
      #expect(outcome.findings.map(\.code) == ["active-disagrees"])
      #expect(outcome.findings.map(\.kind) == [.review])
    }
  }

  @Test(
    arguments: [
      (nil, .roleMissing), (.null, .roleMissing), (.string(" "), .roleMissing),
      (.string("owner"), .roleDeprecated),
      (.string("staff"), .roleDeprecated), (.string("boss"), .roleUnknown), (.string("Admin"), .roleUnknown),
      (.string("admin"), nil), (.string("visitor"), nil),
    ] as [(Value?, UsersUnify.Code?)]
  )
  func roleIsReportedNeverInvented(role: Value?, code: UsersUnify.Code?) throws {
    var others = FieldMap()
    others["role"] = role
    let outcome = try outcome(others, role: false)
    #expect(outcome.findings.map(\.code) == (code.map { [$0.rawValue] } ?? []))
    #expect(outcome.findings.allSatisfy { $0.kind == .note && $0.field == "role" && $0.found == role })
    #expect(outcome.change?.after?["role"] == role)
  }

  @Test(arguments: UserField.allCases)
  func wrongTypesAreReportedAndTheDocumentIsLeftAlone(field: UserField) throws {
    let wrong: Value = field.isBoolean ? .string("si") : .integer(7_299_595_662)
    let before = try document("users/u1", [field.rawValue: wrong, "photoURL": .integer(1)])
    let outcome = UsersUnify(acceptProposals: true).outcome(for: before)
    #expect(outcome.action == .skip)
    let finding = try #require(outcome.findings.first)
    #expect(outcome.findings.count == 1)
    #expect(finding.kind == .reject && finding.code == "wrong-type" && finding.field == field.rawValue)
    #expect(finding.found == wrong)
    #expect(!finding.message.contains("7299595662"))
  }

  @Test func everyWrongTypeIsReported() throws {
    let before = try document("users/u1", ["telefono": .integer(1), "role": .null, "phone": .boolean(true)])
    #expect(UsersUnify().outcome(for: before).findings.map(\.field) == ["phone", "telefono"])
  }

  @Test func replansWithTheSameFunction() throws {
    let document = try document("users/u1", Self.named)
    #expect(UsersUnify().replan(document) == UsersUnify().outcome(for: document))
  }
}
