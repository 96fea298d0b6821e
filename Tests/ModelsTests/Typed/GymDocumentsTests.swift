import FirestoreModels
import Foundation
import Testing
import TypedDocuments

// The gym's documents, as in docs/typed-documents.md.

private struct MembershipPlanSnapshot: Codable, Equatable {
  var planName: String
  var planType: String
  var planPrice: Double
  var planCurrency: String
  var durationInDays: Int?
  var totalVisits: Int?
  var maxMembers: Int
  var assignedAt: Date
  var assignedBy: String
}

private struct Member: Codable, Equatable {
  enum Status: String, Codable { case active, expired, suspended, cancelled, pending }

  var id: String
  var firstName: String
  var paternalLastName: String
  var maternalLastName: String?
  var phone: String?
  var membershipPlanId: String?
  var membershipStatus: Status
  var membershipEndDate: Date?
  var remainingVisits: Int?
  var membershipPlanSnapshot: MembershipPlanSnapshot?
  var registeredBy: String
  var isActive: Bool
  var createdAt: Date
}

private struct MembershipPlan: Codable, Equatable {
  enum Kind: String, Codable {
    case timeBased = "time_based"
    case visitBased = "visit_based"
    case mixed
  }

  var id: String
  var name: String
  var type: Kind
  var price: Double
  var currency: String
  var durationInDays: Int?
  var totalVisits: Int?
  var maxMembers: Int
  var description: String?
  var isActive: Bool
  var sortOrder: Int
}

private struct GymClass: Codable, Equatable {
  @DocumentID var id: String?
  var name: String
  var date: Date
  var startTime: String
  var durationMinutes: Int
  var maxCapacity: Int
  var gymId: String
  var description: String?
  var isActive: Bool?

  enum CodingKeys: String, CodingKey {
    case id, gymId, description, isActive
    case name = "nombre"
    case date = "fecha"
    case startTime = "horaInicio"
    case durationMinutes = "duracionMin"
    case maxCapacity = "capacidadMax"
  }
}

/// The same member, typed: every field has exactly one Firestore type.
private struct MemberFields: Codable, Equatable {
  struct Snapshot: Codable, Equatable {
    var planName: StringValue
    var planPrice: DoubleValue
    var maxMembers: IntegerValue
    var assignedAt: TimestampValue
  }

  var id: StringValue
  var firstName: StringValue
  var phone: StringValue?
  var membershipPlanSnapshot: MapValue<Snapshot>?
  var isActive: BooleanValue
  var createdAt: TimestampValue
}

@Suite("The gym's documents, typed", .bothParsers)
struct GymDocumentsTests {
  private let memberJSON = """
    {"name": "projects/sajarubox/databases/prod/documents/members/M1",
     "createTime": "2026-01-02T03:04:05.123456Z", "updateTime": "2026-02-02T03:04:05.654321Z",
     "fields": {
      "id": {"stringValue": "M1"}, "firstName": {"stringValue": "Ana"}, "paternalLastName": {"stringValue": "López"},
      "phone": {"stringValue": "0299595662"}, "maternalLastName": {"nullValue": null},
      "membershipPlanId": {"stringValue": "P1"}, "membershipStatus": {"stringValue": "active"},
      "membershipEndDate": {"timestampValue": "2026-02-01T05:59:59.999Z"},
      "membershipPlanSnapshot": {"mapValue": {"fields": {
        "planName": {"stringValue": "Mensual"}, "planType": {"stringValue": "time_based"},
        "planPrice": {"integerValue": "650"}, "planCurrency": {"stringValue": "MXN"},
        "durationInDays": {"integerValue": "30"}, "maxMembers": {"integerValue": "1"},
        "assignedAt": {"timestampValue": "2026-01-02T03:04:05.000001Z"}, "assignedBy": {"stringValue": "admin:A1"}}}},
      "registeredBy": {"stringValue": "self"}, "isActive": {"booleanValue": true},
      "createdAt": {"timestampValue": "2026-01-02T03:04:05.123Z"}, "telefonoEmergencia": {"stringValue": "7"}}}
    """

  private func snapshot(_ field: String) throws -> FieldPath {
    try FieldPath(parsing: "membershipPlanSnapshot.\(field)")
  }

  private func memberDocument() throws -> RawDocument {
    try Wire.document(memberJSON.utf8)
  }

  @Test func aMemberByItsStruct() throws {
    var member = try FirestoreDecoder().decode(Member.self, from: memberDocument())
    #expect(member.phone == "0299595662")
    #expect(member.maternalLastName == nil)
    #expect(member.membershipStatus == .active)
    #expect(member.remainingVisits == nil)
    // Written as an integer by another client, but still a price.
    #expect(member.membershipPlanSnapshot?.planPrice == 650)
    #expect(Timestamp(member.createdAt.addingTimeInterval(0))?.description == "2026-01-02T03:04:05.123Z")

    member.membershipStatus = .suspended
    member.membershipPlanSnapshot?.totalVisits = 10
    let path = try #require(DocumentPath("members/M1"))
    let written = try FirestoreEncoder().encode(member, at: path)
    #expect(written.fields["membershipStatus"] == .string("suspended"))
    #expect(try written.fields[snapshot("totalVisits")] == .integer(10))
    #expect(try written.fields[snapshot("planPrice")] == .double(650))
    // Nil omits a field, and unknown fields are lost.
    #expect(written.fields["maternalLastName"] == nil)
    #expect(written.fields["telefonoEmergencia"] == nil)
    #expect(try FirestoreDecoder().decode(Member.self, from: written) == member)
    #expect(DocumentLimits.violations(of: written).isEmpty)
  }

  @Test func aMemberInAnAnswer() throws {
    let result: Result<Document<Member>, FirestoreError> =
      try JSONDecoder().decodeGetResult(from: Data(memberJSON.utf8))
    let document = try result.get()
    #expect(document.firstName == "Ana")
    #expect(document.membershipPlanSnapshot?.planName == "Mensual")
    #expect(document.updateTime.description == "2026-02-02T03:04:05.654321Z")
  }

  @Test func aMemberByTypedValues() throws {
    // The price is an integer, which a DoubleValue refuses.
    #expect(throws: DecodingError.self) { try Document<MemberFields>(decoding: memberDocument()) }

    var raw = try memberDocument()
    try raw.fields[snapshot("planPrice")] = .double(650)
    let document = try Document<MemberFields>(
      decoding: raw,
      in: DatabaseName(project: "sajarubox", database: "prod")
    )
    #expect(document.name == "projects/sajarubox/databases/prod/documents/members/M1")
    var member = FieldsOnlyDocument(document)
    #expect(member.membershipPlanSnapshot?.assignedAt.description == "2026-01-02T03:04:05.000001Z")
    member.membershipPlanSnapshot?.planPrice = 700
    member.phone = nil
    member.isActive = false
    let fields = try member.encoded()
    #expect(try fields[snapshot("planPrice")] == .double(700))
    #expect(fields["phone"] == nil)
    #expect(fields["isActive"] == .boolean(false))
    #expect(fields["createdAt"] == raw.fields["createdAt"])
  }

  @Test func aPlan() throws {
    let plan = MembershipPlan(
      id: "P1",
      name: "Mensual",
      type: .timeBased,
      price: 650,
      currency: "MXN",
      durationInDays: 30,
      maxMembers: 1,
      isActive: true,
      sortOrder: 1
    )
    let fields = try FirestoreEncoder().encode(plan)
    let expected: FieldMap = [
      "id": .string("P1"), "name": .string("Mensual"), "type": .string("time_based"), "price": .double(650),
      "currency": .string("MXN"), "durationInDays": .integer(30), "maxMembers": .integer(1),
      "isActive": .boolean(true), "sortOrder": .integer(1),
    ]
    #expect(fields == expected)
    #expect(try FirestoreDecoder().decode(MembershipPlan.self, from: fields) == plan)
    // A field whose name the document itself has is accessible through `fields`.
    let document = try FieldsOnlyDocument<MembershipPlan>(decoding: fields)
    #expect(document.name == "Mensual")
    let moment = try #require(Timestamp(seconds: 0))
    let read = Document(name: "membership_plans/P1", fields: plan, createTime: moment, updateTime: moment)
    #expect(read.name == "membership_plans/P1")
    #expect(read.fields.name == "Mensual")
    #expect(read.price == 650)
  }

  @Test func aClassInSpanish() throws {
    let path = try #require(DocumentPath("classes/c1"))
    let moment = try #require(Timestamp("2026-03-01T13:00:00Z"))
    let document = RawDocument(
      path: path,
      fields: [
        "nombre": .string("Yoga"), "fecha": .timestamp(moment), "horaInicio": .string("07:00"),
        "duracionMin": .integer(60), "capacidadMax": .integer(20), "gymId": .string("sajarubox"),
      ]
    )
    let yoga = try FirestoreDecoder().decode(GymClass.self, from: document)
    #expect(yoga.id == "c1")
    #expect(yoga.name == "Yoga")
    #expect(yoga.durationMinutes == 60)
    #expect(yoga.isActive ?? true)
    #expect(try FirestoreEncoder().encode(yoga, at: path) == document)

    var mistyped = document.fields
    mistyped["capacidadMax"] = .string("20")
    let error = try #require(throws: DecodingError.self) {
      try FirestoreDecoder().decode(GymClass.self, from: mistyped)
    }
    guard case .typeMismatch(_, let context) = error else {
      Issue.record(error)
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["capacidadMax"])
  }
}
