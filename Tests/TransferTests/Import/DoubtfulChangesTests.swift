import FirestoreModels
import FirestoreREST
import Schema
import Tables
import Testing

@testable import Transfer

@Suite("What an import of a table says of the values that it replaces")
struct DoubtfulChangesTests {
  private static let collection = CollectionPath(nil, "things")
  private static let path = DocumentPath(collection, "a")

  private static func moment(_ text: String) -> Value {
    Timestamp("2026-01-02T\(text)Z").map { .timestamp($0) } ?? .null
  }

  private func change(_ before: Value, _ after: Value, of path: DocumentPath = Self.path) -> Change {
    let old = RawDocument(path: path, fields: ["f": before])
    return Change(path: path, before: old, after: ["f": after])
  }

  private func schema(_ types: [FieldType]) -> DatabaseSchema {
    let field = FieldSchema(FieldPath(field: "f"), types)
    return DatabaseSchema(name: "x", collections: [CollectionSchema(Self.collection, fields: [field])])
  }

  /// What is said of one change, without its field and its document.
  private func said(_ before: Value, _ after: Value, _ types: [FieldType] = []) throws -> String? {
    let doubts = DoubtfulChanges(schema(types))
    doubts.record(change(before, after), in: try LocalTimeZone(named: "America/Mexico_City"))
    let lines = doubts.warnings(isDryRun: false)
    #expect(lines.count < 2)
    guard let line = lines.first else { return nil }
    let end = try #require(line.firstRange(of: ", the first by name in things/a."))
    return String(line[..<end.lowerBound].dropFirst("things: f: ".count))
  }

  @Test(
    "A value of another type is one that the schema does not ask for.",
    arguments: [
      (.string("12"), .integer(13), [], "1 integer takes the place of values of the type string"),
      (.double(20), .integer(21), [], "1 integer takes the place of values of the type double"),
      (.integer(20), .double(20.5), [], "1 double takes the place of values of the type integer"),
      (moment("10:00:00"), .string("10"), [], "1 text takes the place of values of the type timestamp"),
      (.string("10"), moment("10:00:00"), [], "1 timestamp takes the place of values of the type string"),
      (.boolean(true), .string("no"), [], "1 text takes the place of values of the type boolean"),
      (.string("AQI="), .bytes([1]), [], "1 value of bytes takes the place of values of the type string"),
      (.map(["p": .string("1")]), .integer(1), [], "1 integer takes the place of values of the type map"),
      (.map(["p": .string("1")]), .string(""), [], "1 text takes the place of values of the type map"),
      (.array([.string("a")]), .string("a"), [], "1 text takes the place of values of the type array"),
      (.string("a"), .map(["p": .integer(1)]), [], "1 map takes the place of values of the type string"),
      (.integer(20), .double(20.5), [.double], nil), (.string("12"), .integer(13), [.integer], nil),
      (
        .string("12"), .integer(13), [.string, .integer],
        "1 integer takes the place of values of the type string"
      ),
      (.string("12"), .string("13"), [], nil), (.integer(1), .integer(2), [], nil),
      (.integer(1), .string(""), [], nil), (.string(""), .integer(1), [], nil),
      (.integer(1), .null, [], nil), (.null, .integer(1), [], nil),
      (.string("007"), .integer(7), [], "1 text of digits loses the zeros or the + before them"),
    ] as [(Value, Value, [FieldType], String?)]
  )
  func types(_ before: Value, _ after: Value, _ types: [FieldType], _ expected: String?) throws {
    #expect(try said(before, after, types) == expected)
  }

  @Test(
    "A text that is a number, and becomes another spelling of it, was probably opened in a spreadsheet.",
    arguments: [
      ("801.10", "801.1", true), ("800.00", "800", true), ("1.50", "1.5", true), ("1E5", "100000", true),
      ("0.10", "0.1", true), ("-1.0", "-1", true), ("12345678901234567", "12345678901234568", false),
      ("801.10", "801.2", false), ("801.1", "801.10.2", false), ("v1.0", "v1", false), ("a", "b", false),
      ("0x10", "16", false), ("", "0", false), ("-0", "0.00", true), ("1E", "1", false), (".", "0", false),
      ("12345678901234567", "12345678901234", false), ("801,10", "801,1", true), ("801,10", "801,2", false),
    ]
  )
  func spellings(_ before: String, _ after: String, _ isRespelled: Bool) throws {
    let expected = "1 text of digits becomes another spelling of the same number, as 1.5 is of 1.50"
    let value = try said(.string(before), .string(after), [.string])
    #expect((value == expected) == isRespelled, "\(value ?? "nothing")")
  }

  @Test(
    "A number that loses what a spreadsheet does not show is no other number.",
    arguments: [
      (.double(123_456_789_012.34), .double(1.23457e11), true), (.double(0.1234567), .double(0.12), true),
      (.integer(123_456_789_012), .integer(123_457_000_000), true),
      (.double(-33.333333), .double(-33.33), true),
      (.integer(1_234_567_890_123_456_789), .integer(1_234_570_000_000_000_000), true),
      (.double(123_456_789_012.34), .double(1.23458e11), false), (.double(10.49), .double(10.5), false),
      (.integer(1999), .integer(2000), false), (.double(33.333333), .double(33.34), false),
      (.double(.nan), .double(1), false), (.double(.leastNonzeroMagnitude), .double(0), true),
      (.double(1.23456789e-05), .double(0), true), (.double(1.23456789e-05), .double(1.23457e-05), true),
      (.double(1.23456789e-05), .double(1.23456e-05), false), (.double(0.4), .double(0), false),
      (.integer(123_456_789_012_345_678), .integer(123_456_789_012_346_000), true),
      (.integer(123_456_789_012_345_678), .integer(123_456_789_012_345_680), true),
      (.integer(123_456_789_012_345_678), .integer(123_456_789_012_347_000), false),
      (.integer(123_456_789_012_345_678), .integer(123_456_789_012_345_679), true),
      (.integer(999_999_999_999_999_999), .integer(1_000_000_000_000_000_000), true),
      (.double(9.9996), .double(10), true), (.double(2.0625), .double(2), true),
      (.integer(123_456_789_012_345), .integer(123_456_789_012_346), false),
    ] as [(Value, Value, Bool)]
  )
  func numbers(_ before: Value, _ after: Value, _ isRounded: Bool) throws {
    #expect(try said(before, after) == (isRounded ? "1 number loses digits" : nil))
  }

  @Test(
    "Digits are lost in whatever type, also if the schema asks for another one.",
    arguments: [
      (.integer(123_456_789_012), .double(1.23457e11), [.double], "1 number loses digits"),
      (.integer(123_456_789_012), .double(1.23457e11), [], "1 number loses digits"),
      (.integer(123_456_789_012), .double(123_456_789_012), [.double], nil),
      (.double(2.123456), .integer(2), [.double], "1 number loses digits"),
      (.string("123456789012"), .double(1.23457e11), [.double], "1 text loses digits"),
      (.string("9789720000123"), .string("9.78972E+12"), [.string], "1 text loses digits"),
      (.string("9789720000123"), .string("9,78972E+12"), [.string], "1 text loses digits"),
      (.string("9789720000123"), .string("9.78973E+12"), [.string], nil),
      (.string("012180001234567897"), .string("1.21800012345679E+016"), [.string], "1 text loses digits"),
      (.string("12345678901234567890"), .string("1.23456789012346E+019"), [.string], "1 text loses digits"),
      (.string("04152313412345678"), .string("4152313412345680"), [.string], "1 text loses digits"),
      (.string("4152313412345678"), .string("4152313412345670"), [.string], "1 text loses digits"),
      (.string("12345678901234567"), .string("1.2345678901234568e+16"), [.string], "1 text loses digits"),
      (.string("4152313412345678"), .string("4152313412345690"), [.string], nil),
      (.string("123456789012345"), .string("123456789012346"), [.string], nil),
      (.integer(123_456_789_012), .string("1.23457E+11"), [.string], "1 number loses digits"),
    ] as [(Value, Value, [FieldType], String?)]
  )
  func digits(_ before: Value, _ after: Value, _ types: [FieldType], _ expected: String?) throws {
    #expect(try said(before, after, types) == expected)
  }

  @Test("The first document is that by name, in whatever order changes are made.")
  func order() throws {
    let zone = try LocalTimeZone(named: "UTC")
    let changes = ["b", "a", "c"].map {
      change(.string("007"), .string("7"), of: DocumentPath(Self.collection, $0))
    }
    for order in [changes, changes.reversed()] {
      let doubts = DoubtfulChanges(.none)
      for change in order { doubts.record(change, in: zone) }
      let lines = doubts.warnings(isDryRun: false)
      #expect(lines.count == 1 && lines[0].contains("3 texts of digits lose the zeros"), "\(lines)")
      #expect(lines.first?.contains(", the first by name in things/a.") == true, "\(lines)")
    }
  }

  @Test("Members of maps are fields of their own.")
  func members() throws {
    let (doubts, zone) = (DoubtfulChanges(.none), try LocalTimeZone(named: "UTC"))
    let phone = { (value: Value) in Value.map(["name": .string("Ana"), "phone": value]) }
    doubts.record(change(phone(.string("7405917073")), phone(.integer(7_405_917_074))), in: zone)
    let line = doubts.warnings(isDryRun: true).first ?? ""
    #expect(line.hasPrefix("things: f.phone: 1 integer would take the place of values of the type string"))
    #expect(line.hasSuffix("'--types HEADING=string' reads such values, or refuses them."), "\(line)")
    let plain = DoubtfulChanges(.none)
    plain.record(change(.string("1"), .integer(2)), in: zone)
    #expect(plain.warnings(isDryRun: true).first?.contains("'--types f=string' reads") == true)
  }

  @Test(
    "A time without the seconds that it had, or their fractions, is no other time.",
    arguments: [
      ("10:34:01.732", "10:34:00", "seconds"), ("10:34:59", "10:34:00", "seconds"),
      ("10:34:00.732", "10:34:00", "fractions of a second"),
      ("10:34:01.732", "10:34:01", "fractions of a second"),
      ("10:34:01.732", "10:34:02", "fractions of a second"),
      ("10:34:01.732451", "10:34:01.732", "fractions of a second"),
      ("10:34:01.732", "06:00:00", "time of day"), ("05:34:01.732", "00:00:00", nil),
      ("10:34:01.732", "10:33:00", nil), ("10:34:00", "10:34:01.5", nil), ("10:34:01", "10:34:30", nil),
      ("10:34:01.732", "10:34:01.8", "fractions of a second"), ("10:34:01.732", "10:34:01.733", nil),
    ] as [(String, String, String?)]
  )
  func times(_ before: String, _ after: String, _ lost: String?) throws {
    let expected = lost.map { "1 timestamp loses its \($0)" }
    #expect(try said(Self.moment(before), Self.moment(after)) == expected)
  }

  @Test(
    "Maps and arrays give way to nothing else where what breaks the schema is refused.",
    arguments: [
      (.map(["p": .string("1")]), .integer(1), true), (.array([.integer(1)]), .string("a"), true),
      (.string("a"), .map(["p": .integer(1)]), true), (.string("12"), .integer(13), false),
      (.map(["p": .string("1")]), .map(["p": .integer(1)]), false), (.map([:]), .null, false),
    ] as [(Value, Value, Bool)]
  )
  func structure(_ before: Value, _ after: Value, _ isRefused: Bool) throws {
    let zone = try LocalTimeZone(named: "UTC")
    let inputs: [(input: LoadGuard.Input, refuses: Bool)] = [
      (.init(.reject, untypedIn: zone), true), (.init(.warn, untypedIn: zone), false),
      (.init(.off, untypedIn: zone), false), (.init(.reject, untypedIn: nil), false),
    ]
    // Each decides for its own changes alone, whatever is beside it.
    let guarding = try #require(LoadGuard(.none, .merge, inputs.map(\.input)))
    for (number, (_, refuses)) in inputs.enumerated() {
      var change = change(before, after)
      change.input = number
      #expect(guarding.refusal(of: change)?.code == (isRefused && refuses ? "structure-lost" : nil))
    }
    #expect(LoadGuard(.none, .merge, [.init(.reject, untypedIn: nil)]).map { _ in true } == nil)
  }
}
