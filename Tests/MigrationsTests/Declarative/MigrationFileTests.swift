import FirestoreModels
import GymMigrations
import GymModels
import Schema
import Testing

@testable import MigrationEngine

/// A file that is no migration, and what is said of it.
struct MalformedMigration: Sendable, CustomTestStringConvertible {
  var text: String
  /// `line L, column C: `, counted by hand from 1; empty where the file as a whole is meant.
  var place: String
  var part: String

  init(_ text: String, _ line: Int, _ column: Int, _ part: String) {
    (self.text, place, self.part) = (text, "line \(line), column \(column): ", part)
  }

  init(whole text: String, _ part: String) { (self.text, place, self.part) = (text, "", part) }

  var testDescription: String { part }
}

private let head = "id: a\nsummary: S.\ncollection: users\n"
private let tail = "steps:\n  - trim: email\n"

/// A file with one step, which begins in line 5, column 5.
private func step(_ text: String) -> String { "\(head)steps:\n  - \(text)\n" }

@Suite struct MigrationFileTests {
  private let database = DatabaseName(project: "p", database: "d")

  private func parse(_ text: String) throws(Failure) -> DeclarativeMigration {
    try MigrationFile(
      "m/x.yaml",
      in: LiteralContext(database: database),
      reservedIDs: MigrationCatalogue.all().map(\.id),
      schema: GymSchema.schema
    ).parse(Array(text.utf8))
  }

  private func path(_ text: String) throws -> FieldPath { try FieldPath(parsing: text) }

  @Test func everythingIsRead() throws {
    let text = """
      # A comment.
      id: members-2
      summary:  Does   everything.
      collection-group: members
      where:
        - role == admin or visits >= 3
        - "at < ts(2026-01-01T00:00:00Z)"
      touch: false
      steps:
        - set: {a: 7, b: 7.0, c: "7", d: 007, e: null, f: "yes", "`g.h`": [1, x], i: {j: true}, k: ref(users/u1)}
        - set: {l: ts(2026-01-01T00:00:00.1234567-06:00), m: 'it''s', n: ""}
        - set-if-missing: {o.p: false}
        - copy: {from: a, to: q}
        - move: {from: a, to: r.s, overwrite: true}
        - unset: [t, "`u v`"]
        - unset: w
        - convert: {field: a, to: timestamp, unit: milliseconds, on-failure: null}
        - convert: {field: a, to: string}
        - lower: [a, b]
        - digits: c
        - map: {field: a, values: {1: one, "1": uno, null: none, no: false}, unknown: skip}
        - join: {fields: [a, b], to: c, separator: ", "}
        - join: {fields: [a, b], to: c, separator: ""}
        - split: {field: a, to: [b, c], on-failure: keep}
        - delete: soft
      """
    let migration = try parse(text)
    #expect(migration.id == "members-2")
    #expect(migration.summary == "Does everything.")
    #expect(migration.scope.isGroup && migration.scope.collection.string == "members")
    #expect(!migration.touch)
    let at = try #require(Timestamp("2026-01-01T00:00:00Z"))
    let filter = StructuredQuery.Filter.and([
      .or([
        .field(try path("role"), .equal, .string("admin")),
        .field(try path("visits"), .greaterThanOrEqual, .integer(3)),
      ]),
      .field(try path("at"), .lessThan, .timestamp(at)),
    ])
    #expect(migration.scope.filters == [filter])
    let l = try #require(Timestamp("2026-01-01T06:00:00.123456Z"))
    let expected: [MigrationStep] = [
      .set(try path("a"), .integer(7)), .set(try path("b"), .double(7)), .set(try path("c"), .string("7")),
      .set(try path("d"), .string("007")), .set(try path("e"), .null), .set(try path("f"), .string("yes")),
      .set(FieldPath(field: "g.h"), .array([.integer(1), .string("x")])),
      .set(try path("i"), .map(["j": .boolean(true)])),
      .set(try path("k"), .reference("projects/p/databases/d/documents/users/u1")),
      .set(try path("l"), .timestamp(l)), .set(try path("m"), .string("it's")),
      .set(try path("n"), .string("")),
      .setIfMissing(try path("o.p"), .boolean(false)),
      .copy(try path("a"), to: try path("q"), overwrite: false),
      .move(try path("a"), to: try path("r.s"), overwrite: true),
      .unset(try path("t")), .unset(FieldPath(field: "u v")), .unset(try path("w")),
      .convert(try path("a"), ValueConversion(to: .timestamp, unit: .milliseconds), onFailure: .null),
      .convert(try path("a"), ValueConversion(to: .string), onFailure: .reject),
      .rewrite(try path("a"), .lower), .rewrite(try path("b"), .lower), .rewrite(try path("c"), .digits),
      .map(
        try path("a"),
        [
          .init(.integer(1), .string("one")), .init(.string("1"), .string("uno")),
          .init(.null, .string("none")), .init(.string("no"), .boolean(false)),
        ],
        unknown: .skip
      ),
      .join([try path("a"), try path("b")], separator: ", ", to: try path("c"), overwrite: false),
      .join([try path("a"), try path("b")], separator: "", to: try path("c"), overwrite: false),
      .split(
        try path("a"),
        separator: nil,
        to: [try path("b"), try path("c")],
        overwrite: false,
        onFailure: .keep
      ),
      .softDelete,
    ]
    #expect(migration.steps.count == expected.count)
    for (found, wanted) in zip(migration.steps, expected) { #expect(found == wanted) }
  }

  @Test func theChecksumIsThatOfTheBytes() throws {
    // sha256sum of "id: a\nsummary: S.\ncollection: users\nsteps:\n  - trim: email\n", by coreutils.
    #expect(
      try parse(head + tail).checksum == "cd295454ed4de3a7b790964f4a6f3c2ec73971053b1fe953c174294ab9b35196"
    )
    #expect(
      try parse(head + tail + "#").checksum
        != "cd295454ed4de3a7b790964f4a6f3c2ec73971053b1fe953c174294ab9b35196"
    )
  }

  static let files: [MalformedMigration] = [
    MalformedMigration(whole: "", "it is empty"),
    MalformedMigration(whole: "# nothing\n", "it is empty"),
    MalformedMigration("- a\n", 1, 1, "a migration must be a map of names to values"),
    MalformedMigration("id: a\n", 1, 1, "'summary' is missing"),
    MalformedMigration("summary: S.\ncollection: users\n" + tail, 1, 1, "'id' is missing"),
    MalformedMigration(
      "id: Bad Name\nsummary: S.\ncollection: users\n" + tail,
      1,
      5,
      "'id' is up to 100 small letters"
    ),
    MalformedMigration("id: users-unify\nsummary: S.\ncollection: users\n" + tail, 1, 5, "gymmigrate's own"),
    MalformedMigration(
      "id: [a]\nsummary: S.\ncollection: users\n" + tail,
      1,
      5,
      "'id' must be a string that is not empty"
    ),
    MalformedMigration(
      "id: a\nsummary: \"\"\ncollection: users\n" + tail,
      2,
      10,
      "'summary' must be a string that is not empty"
    ),
    MalformedMigration("id: a\nsummary: S.\n" + tail, 1, 1, "'collection' or 'collection-group' is missing"),
    MalformedMigration(head + "collection-group: users\n" + tail, 4, 19, "there is a 'collection' already"),
    MalformedMigration(
      "id: a\nsummary: S.\ncollection: users/u1\n" + tail,
      3,
      13,
      "'users/u1' is not the path"
    ),
    MalformedMigration("id: a\nsummary: S.\ncollection: __x__\n" + tail, 3, 13, "reserved"),
    MalformedMigration(
      "id: a\nsummary: S.\ncollection: _gymmigrate_runs\n" + tail,
      3,
      13,
      "gymmigrate's own"
    ),
    MalformedMigration("id: a\nsummary: S.\ncollection-group: a/b/c\n" + tail, 3, 19, "named by one id"),
    MalformedMigration(
      head + "stepz: x\n",
      4,
      1,
      "a migration has no 'stepz'; it has id, summary, collection"
    ),
    MalformedMigration(head, 1, 1, "'steps' is missing"),
    MalformedMigration(head + "steps: []\n", 4, 8, "'steps' is an empty list"),
    MalformedMigration(head + "steps: trim\n", 4, 8, "'steps' is a list"),
    MalformedMigration(head + "where: role ==\n" + tail, 4, 8, "ends where a value is expected"),
    MalformedMigration(head + "where: [role == admin, {a: b}]\n" + tail, 4, 24, "a filter is a text"),
    MalformedMigration(head + "where: []\n" + tail, 4, 8, "'where' is an empty list"),
    MalformedMigration(head + "where: a.. == 1\n" + tail, 4, 8, "not a field path"),
    MalformedMigration(head + "touch: perhaps\n" + tail, 4, 8, "'touch' must be true or false"),
    MalformedMigration(head + "steps:\n\t- trim: a\n", 5, 1, "cannot start any token"),
    MalformedMigration("id: a\nid: b\n" + tail, 1, 1, "'id' is given twice"),
    MalformedMigration(head + tail + "---\nid: b\n", 6, 1, "a second document begins here"),
    MalformedMigration("id: &x a\nsummary: *x\n", 1, 5, "anchors and aliases are not supported"),
    MalformedMigration("id: &x a\nsummary: S.\ncollection: users\n" + tail, 1, 5, "anchors and aliases"),
    MalformedMigration(head + "steps: &s\n  - trim: a\n", 4, 8, "anchors and aliases"),
  ]

  /// Ten levels of ten aliases each, in a key: whoever compares or walks them never ends.
  static let bomb: String = {
    var text = "a0: &a0 x\n"
    for level in 1...10 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(aliases)]\n"
    }
    return text + "? [*a10]\n: 1\n? [*a10, 2]\n: 1\n"
  }()

  static let steps: [MalformedMigration] = [
    MalformedMigration(bomb, 1, 5, "anchors and aliases"),
    MalformedMigration(step("fly: a"), 5, 5, "there is no step 'fly'; the steps are set, set-if-missing"),
    MalformedMigration(
      step("rename: a"),
      5,
      5,
      "there is no step 'rename'; did you mean 'move'? The steps are set"
    ),
    MalformedMigration(step("trim"), 5, 5, "a step is a map of its name"),
    MalformedMigration(step("trim: a\n    lower: b"), 5, 5, "a step has one name"),
    MalformedMigration(step("set: 7"), 5, 10, "'set' must be a map of names to values"),
    MalformedMigration(step("set: {}"), 5, 10, "'set' is an empty map"),
    MalformedMigration(step("set: {a..b: 1}"), 5, 11, "'a..b' is not a field path"),
    MalformedMigration(step("set: {__x__: 1}"), 5, 11, "reserved"),
    MalformedMigration(step("set: {a: ts(2026)}"), 5, 14, "'ts(2026)' is not a time"),
    MalformedMigration(step("set: {a: ref(users)}"), 5, 14, "'ref(users)' is not a reference"),
    MalformedMigration(step("set: {a: !!str 7}"), 5, 14, "the tag tag:yaml.org,2002:str is not supported"),
    MalformedMigration(step("set: {a: !mine 7}"), 5, 14, "the tag !mine is not supported"),
    MalformedMigration(step("set: {a: [[1]]}"), 5, 14, "array"),
    MalformedMigration(step("set: {a: 1, a: 2}"), 5, 11, "'a' is given twice"),
    // The 46th bracket is the first on the 49th level.
    MalformedMigration(
      step("set: {a: \(String(repeating: "[", count: 50))\(String(repeating: "]", count: 50))}"),
      5,
      59,
      "more than 48 levels"
    ),
    MalformedMigration(step("set: {updatedAt: 1}"), 5, 5, "updatedAt comes from the server"),
    MalformedMigration(step("copy: {from: a}"), 5, 11, "'to' of 'copy' is missing"),
    MalformedMigration(
      step("copy: {from: a, too: b}"),
      5,
      21,
      "'copy' has no 'too'; it has from, to, overwrite"
    ),
    MalformedMigration(step("copy: {from: [a], to: b}"), 5, 18, "a field is a text"),
    MalformedMigration(step("move: {from: a, to: a.b}"), 5, 5, "'a' and 'a.b' overlap"),
    MalformedMigration(
      step("copy: {from: a, to: b, overwrite: perhaps}"),
      5,
      39,
      "'overwrite' must be true or false"
    ),
    MalformedMigration(
      step("convert: {field: a, to: number}"),
      5,
      29,
      "a type is one of string, integer, double, boolean, timestamp"
    ),
    MalformedMigration(
      step("convert: {field: a, to: string, on-failure: ignore}"),
      5,
      49,
      "'on-failure' is one of reject, skip, null, keep"
    ),
    MalformedMigration(
      step("convert: {field: a, to: timestamp, unit: days}"),
      5,
      46,
      "'unit' is one of seconds, milliseconds, microseconds"
    ),
    MalformedMigration(step("digits: []"), 5, 13, "'digits' is an empty list"),
    MalformedMigration(step("unset: [a, a]"), 5, 16, "'a' is given twice"),
    MalformedMigration(
      step("map: {field: a, values: {x: y, y: z}}"),
      5,
      5,
      "the second time it would change again"
    ),
    MalformedMigration(step("map: {field: a, values: [x]}"), 5, 29, "'values' is a map"),
    MalformedMigration(step("map: {field: a, values: {x: 1, \"x\": 2}}"), 5, 36, "'x' is given twice"),
    MalformedMigration(step("join: {fields: [a], to: b}"), 5, 5, "join takes at least two fields"),
    MalformedMigration(
      step("split: {field: a, to: [b, c], separator: \"\"}"),
      5,
      46,
      "'separator' is a text"
    ),
    MalformedMigration(step("split: {field: a, to: [b, c], on-failure: null}"), 5, 5, "reject, skip or keep"),
    MalformedMigration(step("set: {a: ~}"), 5, 14, "'~' looks like null: write null, or \"~\" for text"),
    MalformedMigration(step("set: {a: [No]}"), 5, 15, "looks like false: write false, or \"No\" for text"),
    MalformedMigration(step("set-if-missing: {a: on}"), 5, 25, "looks like true"),
    MalformedMigration(step("set: {a: {b: -.inf}}"), 5, 18, "write \"-.inf\" for text"),
    MalformedMigration(step("map: {field: a, values: {si: yes}}"), 5, 34, "looks like true"),
    MalformedMigration(step("delete: softly"), 5, 13, "'delete' is soft or hard"),
    MalformedMigration(step("delete: hard\n  - trim: a"), 5, 5, "needs no other step"),
  ]

  @Test("What is wrong is told with file, line, column and what was expected", arguments: files + steps)
  func malformed(_ example: MalformedMigration) throws {
    let failure = try #require(throws: Failure.self) { try parse(example.text) }
    #expect(failure.kind == .inputMalformed && failure.path == "m/x.yaml")
    #expect(failure.cause.hasPrefix(example.place), "\(failure.cause)")
    #expect(failure.cause.contains(example.part), "\(failure.cause)")
  }

  @Test func aValueThatIsNotThereIsNotNull() throws {
    let failure = try #require(throws: Failure.self) { try parse(step("set: {a: }")) }
    #expect(failure.cause.hasPrefix("line 5, column ") && failure.cause.contains("a value is missing"))
  }

  @Test func bytesThatAreNoTextAreRefused() throws {
    let failure = try #require(throws: Failure.self) {
      try MigrationFile(
        "x.yaml",
        in: LiteralContext(database: database),
        reservedIDs: [],
        schema: .none
      ).parse([0x69, 0x64, 0x3A, 0x20, 0xFF])
    }
    #expect(failure.cause == "it is not UTF-8")
  }

  @Test func signsOfAliasesWithinTextsAreTexts() throws {
    let migration = try parse(step("set: {a: \"R&D * 2\", b: Ana & Eva, c: 5 *x*}"))
    #expect(migration.steps.count == 3)
  }
}
