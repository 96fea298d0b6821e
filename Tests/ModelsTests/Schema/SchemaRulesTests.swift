import FirestoreModels
import GymModels
import Testing

@testable import Schema

/// What a schema finds in single documents, by hand.
@Suite struct SchemaRulesTests {
  private static let text = """
    schema: shop
    collections:
      customers:
        document-id: email
        id-field: id
        decoding: strict
        ordered-by: name
        filtered-by: isOpen
        unknown-fields: unexpected
        forbidden: [password]
        fields:
          id: string
          name: { type: string, required: true }
          isOpen: boolean
          tier: { type: string, values: [gold, silver, old], deprecated: [old] }
          mail: { type: string, format: email }
          start: { type: string, format: time }
          code: { type: string, format: { pattern: "[A-Z]{2}[0-9]+" } }
          visits: { type: integer, range: { min: 1, max: 3 } }
          spent: { type: double, range: { min: 0 } }
          since: { type: timestamp, range: { min: ts(2020-01-01) } }
          tags: { type: array, range: { max: 2 } }
          lines:
            type: array
            elements:
              type: map
              fields:
                sku: { type: string, required: true }
                count: { type: integer, range: { min: 1 } }
                marks: { type: array, elements: { type: string, values: [new, used] } }
          initials: { type: string, range: { min: 2, max: 3 } }
          initialsOf: integer
          sku: { type: [string, integer] }
          either: { type: [string, integer], values: [a, 1] }
          note: any
          rate: { type: double, values: [1, 2.5], deprecated: [1.0] }
          share: { type: double, range: { max: 5 } }
          address:
            type: map
            fields:
              city: { type: string, required: true }
              zip: { type: string, format: digits }
    """

  @Test("A whole number is the default of a field of doubles as a double, and of others as it is.")
  func wholeDefaults() throws {
    let text = """
      schema: s
      collections:
        c:
          fields:
            only: { type: double, default: 1 }
            either: { type: [integer, double], default: 1 }
      """
    let fields = try SchemaReader.schema(parsing: text, path: "s.yaml").collections.flatMap(\.fields)
    #expect(fields.map { $0.defaultValue?.typeName } == ["double", "integer"])
  }

  private static let dated = """
    schema: s
    collections:
      c:
        immutable: { when: t >= ts(2026-01-31) }
        fields:
          t:
            { type: timestamp, values: [ts(2026-01-31)], deprecated: [ts(2026-01-31)], default: ts(2026-01-31),
              range: { min: ts(2026-01-31), max: ts(2026-01-31) } }
          list: { type: array, elements: { type: timestamp, values: [ts(2026-01-31)] } }

    """

  @Test(
    "Days of a schema begin in its zone, wherever its key is, and in UTC without one.",
    arguments: [
      ("time-zone: Test/East\n" + Self.dated, "2026-01-30T23:00:00Z"),
      (Self.dated + "time-zone: Test/East\n", "2026-01-30T23:00:00Z"),
      (Self.dated, "2026-01-31T00:00:00Z"),
    ]
  )
  func days(_ text: String, _ midnight: String) throws {
    // An hour ahead of UTC.
    func east(_ zone: String) throws(Failure) -> LiteralContext.DayStart {
      #expect(zone == "Test/East")
      return { year, month, day in
        LiteralContext.utcDay(year, month, day).flatMap { Timestamp(seconds: $0.seconds - 3600) }
      }
    }
    let schema = try SchemaReader.schema(parsing: text, path: "s.yaml", days: east)
    let collection = try #require(schema.collections.first)
    let moment = Self.time(midnight)
    let fields = collection.fields
    let field = try #require(fields.first)
    #expect(field.values == [moment] && field.deprecated == [moment] && field.defaultValue == moment)
    #expect(field.range.minimum == moment && field.range.maximum == moment)
    #expect(fields.last?.elements.first?.values == [moment])
    let protects = [moment, Self.time("2026-01-30T22:59:59Z")].map { time in
      let path = DocumentPath(CollectionPath(nil, "c"), "d")
      return collection.immutability.protects(RawDocument(path: path, fields: ["t": time]))
    }
    #expect(protects == [true, false])
  }

  @Test("A zone that is not known is an error where a day needs it, and else only if it is required.")
  func unknownZone() throws {
    func unknown(_ zone: String) throws(Failure) -> LiteralContext.DayStart {
      throw Failure(.configuration, "read the zone", cause: "there is none", remedy: "Use UTC.")
    }
    let zone = "time-zone: Mars/Base\n"
    let plain = "schema: s\ncollections: { c: { fields: { t: timestamp } } }\n"
    #expect(
      try SchemaReader.schema(parsing: zone + plain, path: "s.yaml", days: unknown).timeZone == "Mars/Base"
    )
    let needed = #expect(throws: Failure.self) {
      try SchemaReader.schema(parsing: zone + Self.dated, path: "s.yaml", days: unknown)
    }
    #expect(
      needed?.cause.contains("line 8, column 37: 'Mars/Base': there is none") == true,
      "\(needed?.cause ?? "")"
    )
    let required = #expect(throws: Failure.self) {
      try SchemaReader.schema(parsing: zone + plain, path: "s.yaml", days: unknown, requiresZone: true)
    }
    #expect(
      required?.cause == "line 1, column 12: 'Mars/Base': there is none" && required?.remedy == "Use UTC."
    )
    #expect(throws: Failure.self) { try SchemaReader.schema(parsing: zone + Self.dated, path: "s.yaml") }
  }

  @Test(
    "Each side of an OR makes a document immutable, whatever fields of the other it lacks.",
    arguments: [
      ("status == shipped or total > 100", ["status": .string("shipped")], true),
      ("status == shipped or total != 3", ["status": .string("shipped")], true),
      ("status == shipped or total > 100", ["total": .double(100.5)], true),
      ("status == shipped or total > 100", ["status": .string("open")], false),
      ("total != 3", ["status": .string("shipped")], false),
    ] as [(String, FieldMap, Bool)]
  )
  func immutability(filter: String, fields: FieldMap, isProtected: Bool) throws {
    let text = """
      schema: s
      collections:
        orders:
          immutable: { when: "\(filter)" }
          fields: { status: string, total: double }
      """
    let orders = try #require(SchemaReader.schema(parsing: text, path: "s.yaml").collections.first)
    let document = RawDocument(path: DocumentPath(CollectionPath(nil, "orders"), "o"), fields: fields)
    #expect(orders.immutability.protects(document) == isProtected)
  }

  private func found(_ fields: FieldMap, id: String = "a@b.c") throws -> [String] {
    let schema = try SchemaReader.schema(parsing: Self.text, path: "s.yaml")
    let path = try #require(DocumentPath("customers/\(id)"))
    let collection = try #require(schema.collection(path.collection))
    var all: FieldMap = ["id": .string(id), "name": .string("Ana"), "isOpen": .boolean(true)]
    for entry in fields.entries { all[entry.name] = entry.value }
    let document = RawDocument(path: path, fields: all)
    return collection.violations(in: document).map { "\($0.kind.rawValue) \($0.field?.description ?? "-")" }
      + collection.hidingFields(in: document).map { "hidden \($0)" }
  }

  private static func time(_ text: String) -> Value { Timestamp(text).map { .timestamp($0) } ?? .null }

  private static func lines(_ maps: FieldMap...) -> Value { .array(maps.map { .map($0) }) }

  static let cases: [(String, FieldMap, [String])] = [
    ("nothing", [:], []),
    ("another id", ["id": .string("A@b.c")], ["id-mismatch id"]),
    ("an id of another type", ["id": .integer(7)], ["id-mismatch id"]),
    ("no id", ["id": .null], ["id-missing id"]),
    ("a null name", ["name": .null], ["required-missing name"]),
    ("a blank name", ["name": .string(" \n")], ["required-missing name"]),
    ("a name of another type", ["name": .integer(7)], ["wrong-type name"]),
    ("not filtered", ["isOpen": .null], ["hidden isOpen"]),
    ("a value", ["tier": .string("gold")], []),
    ("a deprecated value", ["tier": .string("old")], []),
    ("another value", ["tier": .string("Gold")], ["value-unknown tier"]),
    ("a blank value of an optional field", ["tier": .string("")], []),
    ("a null value of an optional field", ["tier": .null, "mail": .null, "visits": .null], []),
    ("an address", ["mail": .string("ana@example.com")], []),
    ("two signs", ["mail": .string("a@b@c")], ["format mail"]),
    ("white space", ["mail": .string("ana @example.com")], ["format mail"]),
    ("nothing before", ["mail": .string("@example.com")], ["format mail"]),
    ("midnight", ["start": .string("00:00")], []), ("the last minute", ["start": .string("23:59")], []),
    ("no such hour", ["start": .string("24:00")], ["format start"]),
    ("no such minute", ["start": .string("12:60")], ["format start"]),
    ("one digit", ["start": .string("7:00")], ["format start"]),
    ("a code", ["code": .string("AB12")], []),
    ("more than a code", ["code": .string("AB12x")], ["format code"]),
    ("less than a code", ["code": .string("xAB12")], ["format code"]),
    ("bounds", ["visits": .integer(1)], []), ("the other bound", ["visits": .integer(3)], []),
    ("below", ["visits": .integer(0)], ["range visits"]),
    ("above", ["visits": .integer(4)], ["range visits"]),
    ("a double for an integer", ["visits": .double(2)], ["wrong-type visits"]),
    ("an integer for a double", ["spent": .integer(0)], []),
    ("a negative integer for a double", ["spent": .integer(-1)], ["range spent"]),
    ("not a number", ["spent": .double(.nan)], ["range spent"]),
    ("not a number below a maximum", ["share": .double(.nan)], ["range share"]),
    ("a double that is an integer", ["rate": .double(1)], []),
    ("another double", ["rate": .double(1.5)], ["value-unknown rate"]),
    ("a later time", ["since": time("2020-01-01T00:00:00Z")], []),
    ("an earlier time", ["since": time("2019-12-31T23:59:59.999999Z")], ["range since"]),
    ("a time as text", ["since": .string("2020-01-01")], ["wrong-type since"]),
    ("two tags", ["tags": .array([.integer(1), .integer(2)])], []),
    ("three tags", ["tags": .array([.integer(1), .integer(2), .integer(3)])], ["range tags"]),
    ("no elements", ["lines": .array([])], []),
    ("elements", ["lines": lines(["sku": .string("a"), "count": .integer(1)], ["sku": .string("b")])], []),
    ("an element of another type", ["lines": .array([.string("a")])], ["wrong-type lines"]),
    ("an element that is null", ["lines": .array([.null])], []),
    (
      "a required field of an element", ["lines": lines(["sku": .string("a")], [:])],
      ["required-missing lines"]
    ),
    (
      "a range in an element", ["lines": lines(["sku": .string("a"), "count": .integer(0)])], ["range lines"]
    ),
    (
      "elements of an element",
      ["lines": lines(["sku": .string("a"), "marks": .array([.string("new"), .string("old")])])],
      ["value-unknown lines"]
    ),
    ("one letter", ["initials": .string("A")], ["range initials"]),
    ("letters are code points", ["initials": .string("A\u{301}")], []),
    (
      "names with the same first eight bytes", ["initials": .string("AB"), "initialsOf": .integer(1)], []
    ),
    ("a text beside a number", ["either": .string("b")], ["value-unknown either"]),
    (
      "several, in the order of the fields", ["code": .string("x"), "tier": .string("x")],
      ["value-unknown tier", "format code"]
    ),
    ("one of two types", ["sku": .integer(7)], []), ("neither", ["sku": .boolean(true)], ["wrong-type sku"]),
    ("any type", ["note": .geoPoint(GeoPoint(latitude: 1, longitude: 2))], []),
    ("a map", ["address": .map(["city": .string("León")])], []),
    ("a map without a field", ["address": .map([:])], ["required-missing address.city"]),
    (
      "a field of a map", ["address": .map(["city": .string("León"), "zip": .string("x")])],
      ["format address.zip"]
    ),
    ("no map", ["address": .string("León")], ["wrong-type address"]),
    (
      "a vector is no map",
      ["address": .map(["__type__": .string("__vector__"), "value": .array([.double(1)])])],
      ["wrong-type address"]
    ),
    ("an unknown field", ["other": .null], ["field-unknown other"]),
    (
      "an unknown field of a map", ["address": .map(["city": .string("x"), "b": .null])],
      ["field-unknown address.b"]
    ),
    ("a forbidden field", ["password": .null], ["field-unexpected password"]),
  ]

  @Test(arguments: cases) func finds(what: String, fields: FieldMap, expected: [String]) throws {
    #expect(try found(fields) == expected, "\(what)")
  }

  @Test("What is wrong with an element is said with its position.") func element() throws {
    let schema = try SchemaReader.schema(parsing: Self.text, path: "s.yaml")
    let field = try #require(schema.collections.first?.field(FieldPath(field: "lines")))
    let value = Self.lines(["sku": .string("a")], ["sku": .string("b"), "count": .string("2")])
    #expect(field.problem(of: value) == "integer in element 1, count")
    #expect(field.problem(of: .array([.boolean(true)])) == "map in element 0")
  }

  @Test("Elements are written as they are read.") func elementsAsYAML() throws {
    let schema = try SchemaReader.schema(parsing: Self.text, path: "s.yaml")
    let written = SchemaWriter.yaml(schema)
    let line = """
      lines: { type: array, elements: { type: map, fields: { sku: { type: string, required: true }, \
      count: { type: integer, range: { min: 1 } }, \
      marks: { type: array, elements: { type: string, values: [new, used] } } } } }
      """
    #expect(written.contains(line), "\(written)")
    #expect(SchemaWriter.yaml(try SchemaReader.schema(parsing: written, path: "s.yaml")) == written)
  }

  @Test func documentIDs() throws {
    #expect(try found([:], id: "A@b.c") == ["document-id -"])
    #expect(try found([:], id: "nobody") == ["document-id -"])
  }

  @Test("A field that is absent hides where it is ordered by; null does not.")
  func hidden() throws {
    let schema = try SchemaReader.schema(parsing: Self.text, path: "s.yaml")
    let collection = try #require(schema.collections.first)
    let path = try #require(DocumentPath("customers/a@b.c"))
    let hiding = collection.hidingFields(in: RawDocument(path: path, fields: [:])).map(\.description)
    #expect(hiding == ["name", "isOpen"])
    let null = RawDocument(path: path, fields: ["name": .null, "isOpen": .boolean(false)])
    #expect(collection.hidingFields(in: null).isEmpty)
  }

  @Test("Each mistake in a gym that is wrong today is found by its name.")
  func gym() throws {
    let mistakes: [(String, String, Value, SchemaViolation.Kind)] = [
      ("members/m", "isActive", .string("si"), .type),
      ("members/m", "membershipStatus", .string("vencida"), .unknownValue),
      ("members/m", "registrationDate", .string("2026-01-05"), .type),
      ("members/m", "firstName", .null, .missing),
      ("payments/p", "amount", .string("450"), .type),
      ("payments/p", "status", .string("pagado"), .unknownValue),
      ("classes/c", "nombre", .integer(7), .type), ("classes/c", "fecha", .string("2026-01-05"), .type),
      ("classes/c", "duracionMin", .string("60"), .type),
      ("classes/c", "horaInicio", .string("25:99"), .format),
      ("classes/c", "capacidadMax", .integer(0), .range),
      ("classes/c", "gymId", .string("otro"), .unknownValue),
      ("classes/c", "id", .string("c"), .forbidden),
      ("classBookings/b", "estado", .string("quizas"), .unknownValue),
      ("users/u", "role", .string("rey"), .unknownValue), ("users/u", "email", .integer(7), .type),
      ("groups/g/members/u", "role", .string("owner"), .unknownValue),
      ("user_emails/a@b", "id", .null, .forbidden),
    ]
    for (name, field, value, kind) in mistakes {
      let path = try #require(DocumentPath(name))
      let collection = try #require(GymSchema.schema.collection(path.collection))
      let found = collection.violations(
        in: RawDocument(path: path, fields: FieldMap([.init(name: field, value: value)]))
      )
      #expect(found.contains { $0.kind == kind && $0.field == FieldPath(field: field) }, "\(name) \(field)")
    }
  }

  // MARK: The schema that is built in

  @Test("The gym's schema is read, written and read again as the same.")
  func roundTrip() throws {
    let written = SchemaWriter.yaml(GymSchema.schema)
    let again = try SchemaReader.schema(parsing: written, path: "again.yaml")
    #expect(SchemaWriter.yaml(again) == written)
    #expect(again.collections.map(\.pattern) == GymSchema.schema.collections.map(\.pattern))
    #expect(again.collections.map(\.columns) == GymSchema.schema.collections.map(\.columns))
  }

  @Test func columnsAreThoseOfThePage() throws {
    func columns(_ path: String) throws -> [String] {
      GymSchema.schema.columns(of: try #require(CollectionPath(path))).map(\.path.description)
    }
    #expect(try columns("user_emails") == ["email", "primaryUserId", "createdAt"])
    #expect(try columns("app_config") == ["adminUserId", "createdAt"])
    #expect(try columns("groups/g1/members") == ["displayName", "photoURL", "joinedAt", "role", "isActive"])
    #expect(try columns("classBookings").last == "createdAt")
    #expect(try columns("classAttendance") == ["classId", "userId", "memberId", "asistio", "timestamp"])
    #expect(try columns("members").contains("membershipPlanSnapshot.planPrice"))
    #expect(try !columns("members").contains("membershipPlanSnapshot"))
    #expect(try columns("users/u1/members").isEmpty && columns("elsewhere").isEmpty)
  }

  @Test("What is not declared free of personal data is withheld, and so is what is below it.")
  func personalData() throws {
    func reason(_ path: String) throws -> String? {
      GymSchema.schema.withholding(of: try #require(CollectionPath(path)))
    }
    for free in ["membership_plans", "products", "exercises", "routine_templates", "classes"] {
      #expect(try reason(free) == nil)
      #expect(try reason("\(free)/x/notes") == "what it holds is not known")
    }
    #expect(try reason("users") == "it holds names, emails and phones")
    #expect(try reason("users/u/devices") == "it holds names, emails and phones")
    #expect(try reason("users_copy") == "what it holds is not known")
    #expect(try reason("groups/g/members") == "its members have names and photos")
    #expect(DatabaseSchema.none.withholding(of: CollectionPath(nil, "users")) != nil)
  }
}
