import FirestoreModels
import Testing

@testable import Files
@testable import Schema
@testable import Tables
@testable import Transfer

/// What other programs write.
extension FileKindTests {
  private static let node = """
    {"__collections__": {"users": {"1": {"n": 2,
      "t": {"__datatype__": "timestamp", "value": {"_seconds": 1, "_nanoseconds": 5}},
      "g": {"__datatype__": "geopoint", "value": {"_latitude": 19.5, "_longitude": -99}},
      "r": [{"__datatype__": "documentReference", "value": "users/2"}],
      "__collections__": {"visits": {"v1": {"n": 1, "__collections__": {}}}}}, "2": {"__collections__": {}}}, "empty": {}}}
    """

  static let foreign: [Case] = [
    Case(
      "collections of node-firestore-import-export",
      "e.json",
      Array(node.utf8),
      helped: { $0.collection = nil },
      yields: [
        "n": .integer(2), "t": Timestamp(seconds: 1, nanoseconds: 5).map { .timestamp($0) } ?? .null,
        "g": .geoPoint(GeoPoint(latitude: 19.5, longitude: -99)),
        "r": .array([.reference("projects/p/databases/d/documents/users/2")]),
      ]
    ),
    Case(
      "one collection of node-firestore-import-export",
      "e.json",
      Array(#"{"1": {"n": 2, "__collections__": {}}}"#.utf8),
      yields: ["n": .integer(2)]
    ),
    Case(
      "a type of node-firestore-import-export that is none",
      "e.json",
      Array(#"{"1": {"n": {"__datatype__": "blob", "value": 1}}}"#.utf8),
      says: "document 1 (line 1): n: it is no blob"
    ),
    Case(
      "an object behind the collections",
      "e.json",
      Array(#"{"__collections__": {"a": {}}, "n": 1}"#.utf8),
      says: "line 1: expected the end behind __collections__"
    ),
    Case(
      "plain JSON by export",
      "e.ndjson",
      Array("{\"__name__\":\"1\",\"name\":\"a/b\"}\n{\"__name__\":\"2\"}\n".utf8),
      yields: ["name": .string("a/b")]
    ),
    Case(
      "comments",
      "# a, b; c\nid;n\n# more;\n1;2\n#",
      says: "--id-column",
      helped: { $0.reading.comment = UInt8(ascii: "#") },
      yields: ["id": .string("1"), "n": .integer(2)]
    ),
    Case(
      "quotes that quote nothing, in the heading",
      "12\" n;id\n2;1\n",
      says: "--quote none",
      helped: { $0.reading.quotes = .literal },
      yields: ["id": .string("1"), "12\" n": .integer(2)]
    ),
    Case(
      "quotes that quote nothing",
      "id\tn\tsize\n1\t2\t12\" x 5\"\n2\t2\t\"wide\n",
      says: "--quote none",
      helped: { $0.reading.quotes = .literal },
      yields: ["id": .string("1"), "n": .integer(2), "size": .string("12\" x 5\"")]
    ),
  ]

  /// Numbers under a type, as people write them.
  static let numbers: [Case] = [
    number("percent as a fraction", "16%", "--percent fraction reads 16% as 0.16", 0.16) {
      $0.reading.percent = .fraction
    },
    number("percent as a number", "16.5 %", "--percent number as 16", 16.5) { $0.reading.percent = .number },
    number("a currency before", "$1,200.00", "--currency '$' reads it", 1200) {
      $0.reading.currency = CurrencySigns(rawValue: "$")
    },
    number("a negative one", "-$ 1,200.5", "--currency '$' reads it", -1200.5) {
      $0.reading.currency = CurrencySigns(rawValue: "$")
    },
    number("a code before", "MXN 80", "--currency 'MXN' reads it", 80) {
      $0.reading.currency = CurrencySigns(rawValue: "$,MXN")
    },
    number("a currency behind", "1.200,50\u{A0}€", "--currency '€' with --decimal-comma reads it", 1200.5) {
      $0.reading.currency = CurrencySigns(rawValue: "€")
      $0.reading.usesDecimalComma = true
    },
    number("thousands", "1,200.00", "reads commas between thousands", 1200) {
      $0.reading.currency = CurrencySigns(rawValue: "$")
    },
    number("thousands that are none", "$1,20.00", "a number", nil, nil),
    number("a word", "$ many", "a number", nil, nil),
  ]

  private static func number(
    _ name: String,
    _ text: String,
    _ says: String,
    _ value: Double?,
    _ helped: (@Sendable (inout ImportJob) -> Void)?
  ) -> Case {
    Case(
      name,
      "id,n:double\n1,\"\(text)\"\n",
      says: "column 2 (n:double): expected",
      says,
      helped: helped,
      yields: ["id": .string("1"), "n": value.map { .double($0) } ?? .null]
    )
  }

  @Test("What is below a document of node-firestore-import-export is a document of its own.")
  func below() throws {
    let folder = try ScratchFolder()
    let source = ImportSource(path: try folder.write(Self.node.utf8, to: "e.json"), format: .json)
    var options = TableOptions(timeZone: try LocalTimeZone(named: "UTC"))
    options.database = DatabaseName(project: "p", database: "d")
    for (collection, root) in [(nil, "users"), (CollectionPath("people"), "people")] {
      let input = try JSONInput(source, options: options, into: collection)
      var paths: [String] = []
      while let row = try input.next() { paths.append(try #require(row.path?.string, "\(row.faults)")) }
      #expect(paths == ["\(root)/1", "\(root)/1/visits/v1", "\(root)/2"])
      let again = try JSONInput(source, options: options, into: collection)
      try again.skip(through: 2)
      #expect(try again.next()?.path?.string == "\(root)/2")
    }
  }
}
