import FirestoreModels
import FirestoreREST
import GymModels
import MigrationEngine
import Schema
import Testing

@testable import GymMigrations
@testable import Integrity

/// The rules of these tests: those over several documents, and of single documents ids, types and keys.
///
/// The gym of these
/// tests has no other fields than those; ``SchemaRulesTests`` has whole documents.
let tested = Set(
  GymRules().rules + [
    .idMissing, .idMismatch, .wrongType, .foreignKeyMissing, .foreignKeyDangling, .linkNotMirrored,
    .fieldUnexpected,
  ]
)

/// What a check finds in documents in memory, as `rule path field value`, in the order in which it is told.
///
/// Pages are of three, so that rules meet the ends of pages.
func found(
  _ documents: [(path: String, fields: FieldMap)],
  rules: Set<IntegrityRule> = tested
) async throws -> [String] {
  let all = try documents.map { try document($0.path, $0.fields) }
  let check = IntegrityCheck(of: GymSchema.schema, application: GymRules(), rules: rules)
  var found: [String] = []
  try await check.run(
    check.reads,
    from: { read, body in
      let prefix = read.collection.string + "/"
      let mask = Set((read.mask ?? []).flatMap(\.segments).map { UTF8Key($0) })
      var page: [RawDocument] = []
      for var document in all.sorted(by: { $0.path < $1.path }) {
        let isHere =
          read.reach == .subcollections
          ? document.path.string.hasPrefix(prefix) : document.path.collection == read.collection
        guard isHere else { continue }
        // What is not in the mask does not come.
        document.fields = FieldMap(document.fields.entries.filter { mask.contains(UTF8Key($0.name)) })
        page.append(document)
        if page.count == 3 {
          try await body(page)
          page = []
        }
      }
      try await body(page)
    },
    report: { finding in
      let parts = [finding.rule.name, finding.path.string, finding.field, finding.value.map(shown)]
      #expect(finding.message.hasSuffix("."))
      #expect(check.subjects(of: finding.rule).contains(finding.path.collection.pattern), "\(parts)")
      found.append(parts.compactMap { $0 }.joined(separator: " "))
    }
  )
  return found
}

private func shown(_ value: Value) -> String {
  if let text = value.string { return "'\(text)'" }
  if let number = value.integer { return "\(number)" }
  return value.typeName
}

/// A gym in which nothing is wrong: one of everything that a rule looks at.
private let sound: [String: FieldMap] = [
  "users/u1": [
    "id": .string("u1"), "linkedMemberId": .string("m1"), "role": .string("admin"),
    "isActive": .boolean(true),
  ],
  "users/u2": ["id": .string("u2"), "linkedMemberId": .null, "role": .string("member")],
  "members/m1": [
    "id": .string("m1"), "linkedUserId": .string("u1"), "membershipPlanId": .string("p1"),
    "familyGroupId": .string("f1"), "groupRole": .string("owner"),
  ],
  "members/m2": [
    "id": .string("m2"), "linkedUserId": .string(""), "familyGroupId": .string("f1"),
    "groupRole": .string("dependent"),
  ],
  "membership_plans/p1": ["id": .string("p1")],
  "classes/c1": ["capacidadMax": .integer(1)],
  "check_ins/k1": ["id": .string("k1"), "memberId": .string("m1"), "userId": .string("u1")],
  "payments/y1": [
    "id": .string("y1"), "memberId": .string("m1"), "type": .string("membership"),
    "membershipPlanSnapshot": .map([:]),
  ],
  "user_emails/ana@example.com": ["primaryUserId": .string("u1")],
  "app_config/setup": ["adminUserId": .string("u1")],
  "classBookings/b1": [
    "classId": .string("c1"), "userId": .string("u1"), "estado": .string("activa"),
  ],
  "classAttendance/a1": ["classId": .string("c1"), "memberId": .string("m1")],
  "products/q1": ["id": .string("q1")],
  "groups/g1": ["createdBy": .string("u1"), "memberCount": .integer(1)],
  "groups/g1/members/u1": ["role": .string("admin")],
]

/// What one change to the sound gym leads to.
private struct Case: Sendable, CustomTestStringConvertible {
  var what: String
  /// The document, and its fields: those of the sound gym with these changed or (nil) removed.
  var path: String
  var fields: [String: Value?]
  var isRemoved = false
  var also: [String: FieldMap] = [:]
  var finds: [String] = []

  var testDescription: String { what }

  init(
    _ what: String,
    _ path: String,
    _ fields: [String: Value?] = [:],
    also: [String: FieldMap] = [:],
    finds: String...
  ) {
    self.what = what
    self.path = path
    self.fields = fields
    self.also = also
    self.finds = finds
  }

  static func without(_ path: String, finds: String...) -> Case {
    var one = Case("without \(path)", path)
    one.isRemoved = true
    one.finds = finds
    return one
  }

  var documents: [(path: String, fields: FieldMap)] {
    var gym = sound.merging(also) { $1 }
    for (field, value) in fields { gym[path, default: [:]][field] = value }
    if isRemoved { gym[path] = nil }
    return gym.map { ($0.key, $0.value) }
  }
}

@Suite struct IntegrityCheckTests {
  private static let cases: [Case] = [
    Case("a sound gym", "users/u1"),

    Case("no id", "products/q1", ["id": nil], finds: "id-missing products/q1 id"),
    Case("a null id", "products/q1", ["id": .null], finds: "id-missing products/q1 id"),
    Case(
      "an id in a collection without it",
      "groups/g1/members/u1",
      ["id": .string("u1")],
      finds: "field-unexpected groups/g1/members/u1 id 'u1'"
    ),
    Case("another id", "payments/y1", ["id": .string("Y1")], finds: "id-mismatch payments/y1 id 'Y1'"),
    Case("an empty id", "payments/y1", ["id": .string("")], finds: "id-mismatch payments/y1 id ''"),
    Case("an id that is no text", "payments/y1", ["id": .integer(1)], finds: "id-mismatch payments/y1 id 1"),
    Case(
      "a setup with another id",
      "app_config/setup",
      ["id": .string("set")],
      finds: "field-unexpected app_config/setup id 'set'"
    ),
    Case(
      "an entry with another id",
      "user_emails/ana@example.com",
      ["id": .string("Ana@example.com")],
      finds: "field-unexpected user_emails/ana@example.com id 'Ana@example.com'"
    ),

    Case(
      "a key of a wrong type",
      "check_ins/k1",
      ["memberId": .integer(1)],
      finds: "wrong-type check_ins/k1 memberId 1"
    ),
    Case(
      "a key that is a reference",
      "check_ins/k1",
      ["memberId": .reference("projects/p/databases/d/documents/members/m1")],
      finds: "wrong-type check_ins/k1 memberId reference"
    ),
    Case(
      "a double for a capacity",
      "classes/c1",
      ["capacidadMax": .double(0)],
      finds: "wrong-type classes/c1 capacidadMax double"
    ),
    Case(
      "a double for a count",
      "groups/g1",
      ["memberCount": .double(9)],
      finds: "wrong-type groups/g1 memberCount double"
    ),
    Case(
      "a text for a snapshot",
      "payments/y1",
      ["membershipPlanSnapshot": .string("plan")],
      finds: "wrong-type payments/y1 membershipPlanSnapshot 'plan'"
    ),
    Case(
      "a text for activo",
      "users/u2",
      ["activo": .string("si")],
      finds: "wrong-type users/u2 activo 'si'"
    ),
    Case(
      "a field that no other rule reads",
      "users/u2",
      ["phone": .integer(7)],
      finds: "wrong-type users/u2 phone 7"
    ),
    Case("a field that is not declared", "users/u2", ["nickname": .integer(7)]),

    Case(
      "no member",
      "check_ins/k1",
      ["memberId": nil],
      finds: "foreign-key-missing check_ins/k1 memberId"
    ),
    Case(
      "a null user",
      "user_emails/ana@example.com",
      ["primaryUserId": .null],
      finds: "foreign-key-missing user_emails/ana@example.com primaryUserId"
    ),
    Case("an empty member", "check_ins/k1", ["memberId": .string("")]),
    Case("no user, which is optional", "check_ins/k1", ["userId": nil]),
    Case(
      "a member that does not exist",
      "check_ins/k1",
      ["memberId": .string("m9")],
      finds: "foreign-key-dangling check_ins/k1 memberId 'm9'"
    ),
    Case(
      "a blank is an id",
      "check_ins/k1",
      ["userId": .string(" ")],
      finds: "foreign-key-dangling check_ins/k1 userId ' '"
    ),
    Case(
      "a user where a member is meant",
      "payments/y1",
      ["memberId": .string("u1")],
      finds: "foreign-key-dangling payments/y1 memberId 'u1'"
    ),
    Case(
      "another case",
      "classAttendance/a1",
      ["classId": .string("C1")],
      finds: "foreign-key-dangling classAttendance/a1 classId 'C1'"
    ),
    Case(
      "a path",
      "classAttendance/a1",
      ["memberId": .string("members/m1")],
      finds: "foreign-key-dangling classAttendance/a1 memberId 'members/m1'"
    ),
    Case(
      "composed and decomposed are two",
      "members/jos\u{E9}",
      ["id": .string("jos\u{E9}")],
      also: [
        "check_ins/k2": ["id": .string("k2"), "memberId": .string("jose\u{301}")],
        "check_ins/k3": ["id": .string("k3"), "memberId": .string("jos\u{E9}")],
      ],
      finds: "foreign-key-dangling check_ins/k2 memberId 'jose\u{301}'"
    ),
    Case(
      "composed is not decomposed",
      "members/jos\u{E9}",
      ["id": .string("jose\u{301}")],
      finds: "id-mismatch members/jos\u{E9} id 'jose\u{301}'"
    ),
    .without("membership_plans/p1", finds: "foreign-key-dangling members/m1 membershipPlanId 'p1'"),
    Case(
      "a booking of nothing",
      "classBookings/b2",
      ["classId": .string("c9"), "userId": .string("u9"), "estado": .string("activa")],
      finds: "foreign-key-dangling classBookings/b2 classId 'c9'",
      "foreign-key-dangling classBookings/b2 userId 'u9'"
    ),

    Case(
      "a user whose member is gone",
      "users/u2",
      ["linkedMemberId": .string("m9")],
      finds: "foreign-key-dangling users/u2 linkedMemberId 'm9'"
    ),
    Case(
      "two users of one member",
      "users/u2",
      ["linkedMemberId": .string("m1")],
      finds: "link-not-mirrored users/u2 linkedMemberId 'm1'"
    ),
    Case(
      "a member without its user",
      "members/m1",
      ["linkedUserId": .string("")],
      finds: "link-not-mirrored users/u1 linkedMemberId 'm1'"
    ),
    Case(
      "a user whose link is a number names no member",
      "users/u1",
      ["linkedMemberId": .integer(7)],
      finds: "link-not-mirrored members/m1 linkedUserId 'u1'",
      "wrong-type users/u1 linkedMemberId 7"
    ),
    Case(
      "an owner by a number is none",
      "members/m1",
      ["groupRole": .integer(1)],
      finds: "family-group-owner members/m1 familyGroupId 'f1'",
      "wrong-type members/m1 groupRole 1"
    ),
    Case(
      "an admin by a number is none",
      "groups/g1/members/u1",
      ["role": .integer(1)],
      finds: "group-admin-missing groups/g1",
      "wrong-type groups/g1/members/u1 role 1"
    ),
    Case(
      "a member of another user",
      "members/m1",
      ["linkedUserId": .string("u2")],
      finds: "link-not-mirrored members/m1 linkedUserId 'u2'",
      "link-not-mirrored users/u1 linkedMemberId 'm1'"
    ),
    Case(
      "a member whose user is gone",
      "members/m2",
      ["linkedUserId": .string("u9")],
      finds: "foreign-key-dangling members/m2 linkedUserId 'u9'"
    ),

    Case(
      "no owner",
      "members/m1",
      ["groupRole": .string("Owner")],
      finds: "family-group-owner members/m1 familyGroupId 'f1'"
    ),
    Case(
      "two owners",
      "members/m2",
      ["groupRole": .string("owner")],
      finds: "family-group-owner members/m1 familyGroupId 'f1'",
      "family-group-owner members/m2 familyGroupId 'f1'"
    ),
    Case(
      "an owner of no family",
      "members/m2",
      ["familyGroupId": .string(""), "groupRole": .string("owner")]
    ),
    Case(
      "two owners of no family",
      "members/m2",
      ["familyGroupId": .string(" \u{A0}\n"), "groupRole": .string("owner")],
      also: [
        "members/m3": [
          "id": .string("m3"), "familyGroupId": .string(" \u{A0}\n"), "groupRole": .string("owner"),
        ]
      ]
    ),
    Case(
      "an owner of another family",
      "members/m2",
      ["familyGroupId": .string("F1"), "groupRole": .string("owner")]
    ),

    Case(
      "a class twice",
      "classes/c1",
      ["capacidadMax": .integer(2)],
      also: ["classBookings/b2": booking("b2", "c1", "u1")],
      finds: "booking-duplicate classBookings/b1 userId 'u1'",
      "booking-duplicate classBookings/b2 userId 'u1'"
    ),
    Case(
      "a class twice, once cancelled",
      "classBookings/b2",
      [
        "classId": .string("c1"), "userId": .string("u1"),
        "estado": .string("cancelada"),
      ]
    ),
    Case(
      "an active booking of a cancelled class",
      "classes/c1",
      ["isActive": .boolean(false)],
      finds: "booking-of-cancelled-class classBookings/b1 classId 'c1'"
    ),
    Case(
      "one more than the capacity",
      "classBookings/b2",
      ["classId": .string("c1"), "userId": .string("u2"), "estado": .string("activa")],
      finds: "class-overbooked classes/c1 capacidadMax 1"
    ),
    Case(
      "a booking of nobody takes a place",
      "classBookings/b2",
      ["classId": .string("c1"), "userId": .string(""), "estado": .string("activa")],
      finds: "class-overbooked classes/c1 capacidadMax 1"
    ),
    Case(
      "no capacity",
      "classes/c1",
      ["capacidadMax": .null],
      finds: "class-overbooked classes/c1 capacidadMax"
    ),
    Case("no capacity and no bookings", "classes/c2", [:]),
    Case(
      "less than none",
      "classes/c2",
      ["capacidadMax": .integer(-1)],
      finds: "class-overbooked classes/c2 capacidadMax -1"
    ),
    Case("a class for nobody", "classes/c2", ["capacidadMax": .integer(0)]),

    .without(
      "groups/g1",
      finds: "group-member-of-missing-group groups/g1/members/u1",
      "group-missing groups/g1"
    ),
    Case(
      "one member less",
      "groups/g1",
      ["memberCount": .integer(2)],
      finds: "group-member-count groups/g1 memberCount 2"
    ),
    Case(
      "no count",
      "groups/g1",
      ["memberCount": nil],
      finds: "group-member-count groups/g1 memberCount"
    ),
    Case(
      "a count that nobody has",
      "groups/g1",
      ["memberCount": .integer(.min)],
      finds: "group-member-count groups/g1 memberCount -9223372036854775808"
    ),
    Case("ten members", "groups/g1", ["memberCount": .integer(10)], also: members(2...10)),
    Case(
      "eleven members",
      "groups/g1",
      ["memberCount": .integer(11)],
      also: members(2...11),
      finds: "group-too-large groups/g1"
    ),
    Case(
      "what is below a member, or beside the members",
      "groups/g1",
      [:],
      also: ["groups/g1/members/u1/members/u2": [:], "groups/g1/notes/n1": [:], "groups/g9/notes/n1": [:]]
    ),
    Case(
      "no admin",
      "groups/g1/members/u1",
      ["role": .string("member")],
      finds: "group-admin-missing groups/g1"
    ),
    Case(
      "an admin who left",
      "groups/g1/members/u1",
      ["isActive": .boolean(false)],
      finds: "group-admin-missing groups/g1"
    ),
    Case("an admin of null", "groups/g1/members/u1", ["isActive": .null]),
    Case(
      "an empty group",
      "groups/g2",
      ["createdBy": .string("u1"), "memberCount": .integer(0)],
      finds: "group-admin-missing groups/g2"
    ),

    Case(
      "a member registered by an admin who is gone",
      "members/m1",
      ["registeredBy": .string("admin:u9")],
      finds: "registered-by-dangling members/m1 registeredBy 'admin:u9'"
    ),
    Case("a member registered by a user", "members/m1", ["registeredBy": .string("admin:u1")]),
    Case("a member who registered", "members/m1", ["registeredBy": .string("self")]),

    Case(
      "a group of a creator who is gone",
      "groups/g1",
      ["createdBy": .string("u9")],
      finds: "created-by-dangling groups/g1 createdBy 'u9'"
    ),
    Case(
      "a group without a creator",
      "groups/g1",
      ["createdBy": .string("")]
    ),
    Case(
      "a member who is nobody",
      "groups/g1",
      ["memberCount": .integer(2)],
      also: ["groups/g1/members/u9": [:]],
      finds: "group-member-dangling groups/g1/members/u9"
    ),
    Case(
      "a member whose id is composed otherwise",
      "groups/g1",
      ["memberCount": .integer(2)],
      also: ["groups/g1/members/e\u{301}": [:], "users/\u{e9}": ["id": .string("\u{e9}")]],
      finds: "group-member-dangling groups/g1/members/e\u{301}"
    ),
    Case("a current group", "users/u1", ["currentGroupId": .string("g1")]),
    Case("no current group", "users/u2", ["currentGroupId": .string("")]),
    Case(
      "a current group of others",
      "users/u2",
      ["currentGroupId": .string("g1")],
      finds: "current-group users/u2 currentGroupId 'g1'"
    ),
    Case(
      "a current group that is gone",
      "users/u1",
      ["currentGroupId": .string("g9")],
      finds: "current-group users/u1 currentGroupId 'g9'"
    ),
    Case(
      "a current group that only has members",
      "users/u1",
      ["currentGroupId": .string("g9")],
      also: ["groups/g9/members/u1": ["role": .string("admin")]],
      finds: "current-group users/u1 currentGroupId 'g9'",
      "group-member-of-missing-group groups/g9/members/u1",
      "group-missing groups/g9"
    ),

    .without("app_config/setup", finds: "setup-missing app_config/setup"),
    Case(
      "a setup of nobody",
      "app_config/setup",
      ["adminUserId": .string("")],
      finds: "setup-admin app_config/setup adminUserId ''"
    ),
    Case(
      "a setup without admin",
      "app_config/setup",
      ["adminUserId": .null],
      finds: "foreign-key-missing app_config/setup adminUserId",
      "setup-admin app_config/setup adminUserId"
    ),
    Case(
      "a setup whose admin is gone",
      "app_config/setup",
      ["adminUserId": .string("u9")],
      finds: "foreign-key-dangling app_config/setup adminUserId 'u9'",
      "setup-admin app_config/setup adminUserId 'u9'"
    ),
    Case(
      "a setup of a member",
      "app_config/setup",
      ["adminUserId": .string("u2")],
      finds: "setup-admin app_config/setup adminUserId 'u2'"
    ),
    Case(
      "an owner is no admin",
      "users/u1",
      ["role": .string("owner")],
      finds: "setup-admin app_config/setup adminUserId 'u1'"
    ),
    Case(
      "an admin who is not active",
      "users/u1",
      ["isActive": .boolean(false)],
      finds: "setup-admin app_config/setup adminUserId 'u1'"
    ),
    Case(
      "an admin whom Android switched off",
      "users/u1",
      ["isActive": .null, "activo": .boolean(false)],
      finds: "setup-admin app_config/setup adminUserId 'u1'"
    ),
    Case("an admin of whom nothing says so", "users/u1", ["isActive": nil]),
    Case("another document of app_config", "app_config/other", ["adminUserId": .integer(1)]),

    Case(
      "no snapshot",
      "payments/y1",
      ["membershipPlanSnapshot": nil],
      finds: "payment-snapshot-missing payments/y1 membershipPlanSnapshot"
    ),
    Case(
      "a day pass without a snapshot",
      "payments/y1",
      ["membershipPlanSnapshot": .null, "type": .string("day_pass")]
    ),
  ]

  private static func booking(_ id: String, _ classID: String, _ user: String) -> FieldMap {
    [
      "classId": .string(classID), "userId": .string(user), "estado": .string("activa"),
    ]
  }

  private static func members(_ numbers: ClosedRange<Int>) -> [String: FieldMap] {
    Dictionary(
      uniqueKeysWithValues: numbers.flatMap { number -> [(String, FieldMap)] in
        [("groups/g1/members/u\(number)", [:]), ("users/u\(number)", ["id": .string("u\(number)")])]
      }
    )
  }

  @Test(arguments: cases)
  private func finds(_ one: Case) async throws {
    let found = try await found(one.documents).sorted { $0.compareUTF8($1) < 0 }
    let expected = one.finds.sorted { $0.compareUTF8($1) < 0 }
    #expect(found.map { UTF8Key($0) } == expected.map { UTF8Key($0) })
  }

  @Test func everyRuleHasACaseThatFindsIt() {
    let found = Set(Self.cases.flatMap(\.finds).map { String($0.prefix { $0 != " " }) })
    #expect(found == Set(tested.map(\.name)))
  }

  @Test("A rule alone finds what it finds among all, from the fields that it asks for.", arguments: cases)
  private func alone(_ one: Case) async throws {
    let all = try await found(one.documents)
    for rule in tested {
      let own = all.filter { $0.hasPrefix(rule.name + " ") }
      #expect(try await found(one.documents, rules: [rule]) == own, "\(rule.name)")
    }
  }

  @Test func anEmptyDatabaseLacksItsSetup() async throws {
    #expect(try await found([]) == ["setup-missing app_config/setup"])
  }

  @Test("What is pointed at is read before what points at it, but for the links of users, which wait.")
  func order() throws {
    let order = GymSchema.schema.collections.map(\.pattern)
    for collection in GymSchema.schema.collections {
      for field in collection.fields where field.path.description != "linkedMemberId" {
        guard let reference = field.reference else { continue }
        let from = try #require(order.firstIndex(of: collection.pattern))
        let to = try #require(order.firstIndex(of: reference.collection))
        #expect(to < from, "\(collection.pattern).\(field.path)")
      }
    }
    #expect(Set(order).count == order.count)
  }

  @Test("Reads each collection once, with the fields of the rules and nothing else.")
  func reads() throws {
    let all = IntegrityCheck(of: GymSchema.schema, application: GymRules()).reads
    #expect(all.map(\.collection) == GymSchema.schema.collections.map(\.pattern).filter { $0.parent == nil })
    let few = IntegrityCheck(
      of: GymSchema.schema,
      application: GymRules(),
      rules: [.setupAdmin, .groupTooLarge]
    ).reads
    #expect(few.map(\.collection.string) == ["users", "app_config", "groups"])
    #expect(few[0].mask?.map(\.description) == ["activo", "isActive", "role"])
    #expect(few[2].mask == [.documentName])
    #expect(few.map(\.reach) == [.collection, .collection, .subcollections])
  }

  @Test("More findings of several documents than are handed on at once all come, in order.")
  func manyResults() async throws {
    let count = SpoolDatabase.batch * 2 + 1
    let users = (0..<count).map { number -> (path: String, fields: FieldMap) in
      ("users/u\(100_000 + number)", ["linkedMemberId": .string("gone\(number)")])
    }
    let found = try await found(users, rules: [.foreignKeyDangling])
    #expect(
      found
        == (0..<count).map {
          "foreign-key-dangling users/u\(100_000 + $0) linkedMemberId 'gone\($0)'"
        }
    )
  }

  @Test("What a source throws ends the check.")
  func failure() async throws {
    struct Broken: Error {}
    let check = IntegrityCheck(of: GymSchema.schema, application: GymRules())
    await #expect(throws: Broken.self) {
      try await check.run(check.reads, from: { _, _ in throw Broken() }, report: { _ in })
    }
  }
}
