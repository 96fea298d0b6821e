import FirestoreModels
import Testing

@testable import Files
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
      helped: { $0.comment = UInt8(ascii: "#") },
      yields: ["id": .string("1"), "n": .integer(2)]
    ),
    Case(
      "quotes that quote nothing, in the heading",
      "12\" n;id\n2;1\n",
      says: "--quote none",
      helped: { $0.quotes = .none },
      yields: ["id": .string("1"), "12\" n": .integer(2)]
    ),
    Case(
      "quotes that quote nothing",
      "id\tn\tsize\n1\t2\t12\" x 5\"\n2\t2\t\"wide\n",
      says: "--quote none",
      helped: { $0.quotes = .none },
      yields: ["id": .string("1"), "n": .integer(2), "size": .string("12\" x 5\"")]
    ),
  ]
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
