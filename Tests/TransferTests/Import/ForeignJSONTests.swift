import FirestoreModels
import Schema
import Testing

@testable import Files
@testable import Tables
@testable import Transfer

@Suite(
  "JSON of firestore-export-import and of firestore-backup-restore comes in with what is below documents"
)
struct ForeignJSONTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func read(
    _ path: String,
    into collection: String? = nil,
    form: JSONForm? = nil
  ) throws -> [String: FieldMap] {
    var job = ImportJob(files: [path])
    job.collection = collection.flatMap { CollectionPath($0) }
    job.jsonForm = form
    var options = try job.options(.none, via: .local)
    options.table.database = DatabaseName(project: "p", database: "d")
    var found: [String: FieldMap] = [:]
    for source in options.sources {
      let input = try JSONInput(source, options: options.table, into: job.collection)
      while let row = try input.next() {
        if let fault = row.faults.first { throw fault.failure }
        let document = try #require(row.document)
        #expect(found.updateValue(document.fields, forKey: document.path.string) == nil)
      }
    }
    return found
  }

  private static let collections = """
    {"shops": {"s1": {"home": {"a": 1}, "t": {"_seconds": 1, "_nanoseconds": 5},
      "r": {"_firestore": {"projectId": "x"}, "_path": {"segments": ["users", "u1"]}, "_converter": {}},
      "subCollection": {"shops/s1/items": {"i1": {"n": 2, "subCollection": {"shops/s1/items/i1/marks": {"m": {}}}}}}}},
     "empty": {}, "users": {"u1": {}}}
    """
  private static let shop: FieldMap = [
    "home": .map(["a": .integer(1)]),
    "t": Timestamp(seconds: 1, nanoseconds: 5).map { .timestamp($0) } ?? .null,
    "r": .reference("projects/x/databases/(default)/documents/users/u1"),
  ]

  @Test("Collections are known by what is below a document.")
  func exportImport() throws {
    let path = try folder.write(Array(Self.collections.utf8), to: "backup.json")
    let expected: [String: FieldMap] = [
      "shops/s1": Self.shop, "shops/s1/items/i1": ["n": .integer(2)], "shops/s1/items/i1/marks/m": [:],
      "users/u1": [:],
    ]
    #expect(try read(path) == expected)
    // Of a file in pieces that end anywhere, and with a mark.
    let marked = try folder.write([0xEF, 0xBB, 0xBF] + Array(Self.collections.utf8), to: "marked.json")
    #expect(try read(marked) == expected)
  }

  @Test("Where nothing tells collections from documents, an option has to.")
  func ambiguous() throws {
    let path = try folder.write(Array(#"{"users": {"u1": {"n": 1}, "u2": {}}}"#.utf8), to: "things.json")
    let failure = #expect(throws: Failure.self) { try read(path) }
    #expect(failure?.kind == .inputMalformed && failure?.remedy?.contains("--json-form collections") == true)
    #expect(try read(path, form: .collections) == ["users/u1": ["n": .integer(1)], "users/u2": [:]])
    let map = FieldMap([.init(name: "n", value: .integer(1))])
    #expect(try read(path, form: .documents) == ["things/users": ["u1": .map(map), "u2": .map([:])]])
    #expect(try read(path, into: "people", form: .collections).keys.sorted() == ["people/u1", "people/u2"])
  }

  @Test("A document of firestore-backup-restore by itself is not taken for documents called as its fields.")
  func loneDocument() throws {
    let text =
      #"{"name": {"value": "Ana", "type": "string"}, "tags": {"type": "array", "value": [{"value": 1}]}}"#
    let path = try folder.write(Array(text.utf8), to: "ana.json")
    let failure = #expect(throws: Failure.self) { try read(path) }
    #expect(failure?.kind == .inputMalformed && failure?.remedy?.contains("--json-form documents") == true)
    #expect(try read(path, form: .documents).keys.sorted() == ["ana/name", "ana/tags"])
    // Documents that have other fields, too, are documents.
    let other =
      #"{"a": {"value": "Ana", "type": "x", "n": {"value": 1, "type": 2}}, "b": {"value": 1, "type": 2}}"#
    let documents = try folder.write(Array(other.utf8), to: "things.json")
    #expect(try read(documents).keys.sorted() == ["things/a", "things/b"])
  }

  @Test("A collection below a document that has no name, or another place, is refused.")
  func namelessCollections() throws {
    for below in [#"{"i1": {"n": 1}}"#, #"{"others/o1/items": {"i1": {}}}"#] {
      let text = #"{"shops": {"s1": {"subCollection": "# + below + "}}}"
      let path = try folder.write(Array(text.utf8), to: "shops.json")
      let failure = #expect(throws: Failure.self) { try read(path, form: .collections) }
      #expect(
        failure?.cause.contains("subCollection: expected the path of a collection below shops/s1") == true
      )
    }
  }

  private static let typed = """
    {"name": {"value": "Ana", "type": "string"}, "n": {"value": 2, "type": "number"},
     "at": {"value": "2026-01-31T12:00:00.5Z", "type": "timestamp"}, "none": {"value": null, "type": "null"},
     "is": {"value": true, "type": "boolean"},
     "place": {"value": {"_latitude": 19.5, "_longitude": -99}, "type": "geopoint"},
     "ref": {"value": {"_referencePath": {"segments": ["a", "b"], "_projectId": "x", "_databaseId": "(default)"}}, "type": "documentReference"},
     "later": {"value": {"_path": {"segments": ["a", "b"], "projectId": "x", "databaseId": "e"}}, "type": "documentReference"},
     "list": {"value": [{"value": {"value": {"value": 1.5, "type": "number"}}, "type": "object"}], "type": "array"}}
    """
  private static let fields: FieldMap = [
    "name": .string("Ana"), "n": .integer(2),
    "at": Timestamp("2026-01-31T12:00:00.5Z").map { .timestamp($0) } ?? .null, "none": .null,
    "is": .boolean(true), "place": .geoPoint(GeoPoint(latitude: 19.5, longitude: -99)),
    "ref": .reference("projects/x/databases/(default)/documents/a/b"),
    "later": .reference("projects/x/databases/e/documents/a/b"),
    "list": .array([.map(["value": .double(1.5)])]),
  ]

  @Test("Documents are where their folders say, with the types beside their values.")
  func backupRestore() throws {
    let shop = "users/u1/visits/v1"
    for (place, text) in [("users/u1", Self.typed), ("users/u2", #"{"n": 1}"#), (shop, "{}")] {
      let id = place.split(separator: "/").last.map(String.init) ?? ""
      try FilePaths.ensureFolder(folder.file(""))
      var path = folder.file("backup")
      try FilePaths.ensureFolder(path)
      for name in place.split(separator: "/") {
        path += "/\(name)"
        try FilePaths.ensureFolder(path)
      }
      _ = try folder.write(Array(text.utf8), to: "backup/\(place)/\(id).json")
    }
    let found = try read(folder.file("backup"))
    #expect(found == ["users/u1": Self.fields, "users/u2": ["n": .integer(1)], shop: [:]])
    let moved = try read(folder.file("backup"), into: "people")
    #expect(moved.keys.sorted() == ["people/u1", "people/u1/visits/v1", "people/u2"])
  }

  @Test(
    "A document with a type that is not known, or a value that is not of its type, is refused as a whole.",
    arguments: [
      (#"{"value": 1, "type": "unknown"}"#, "its type unknown"),
      (#"{"value": [{"value": 1, "type": "date"}], "type": "array"}"#, "its type date"),
      (#"{"value": "x", "type": "object"}"#, "it is no object"),
      (#"{"value": 5, "type": "null"}"#, "it is no null"),
      (#"{"value": {"a": {"value": 1, "type": "number", "b": 2}}, "type": "object"}"#, "and nothing else"),
    ]
  )
  func unknownTypes(_ value: String, _ said: String) throws {
    var path = folder.file("backup")
    for name in ["", "/users", "/u1"] {
      path += name
      try FilePaths.ensureFolder(path)
    }
    let text = #"{"name": {"value": "Ana", "type": "string"}, "x": \#(value)}"#
    _ = try folder.write(Array(text.utf8), to: "backup/users/u1/u1.json")
    let failure = #expect(throws: Failure.self) { try read(folder.file("backup")) }
    #expect(failure?.cause.contains(said) == true, "\(String(describing: failure))")
  }

  @Test("What mongoexport writes is what it means, also as an id, and is counted; other maps stay maps.")
  func mongoexport() throws {
    let text = """
      {"_id": {"$oid": "507f1f77"}, "at": {"$date": "2026-01-03T06:00:00Z"}, "old": {"$date": {"$numberLong": "-1"}},
       "n": {"$numberLong": "12"}, "i": {"$numberInt": "3"}, "d": {"$numberDouble": "1.5"}, "nan": {"$numberDouble": "NaN"},
       "x": {"$numberDecimal": "1.10"}, "b": {"$binary": {"base64": "AAEC", "subType": "00"}},
       "was": {"$binary": "AAEC", "$type": "00"}, "list": [{"$numberInt": "7"}], "t": {"$timestamp": 5}}
      """
    let path = try folder.write(Array(text.utf8), to: "things.json")
    var job = ImportJob(files: [path])
    job.reading.idColumn = "_id"
    let options = try job.options(.none, via: .local)
    let input = try JSONInput(options.sources[0], options: options.table, into: nil)
    let document = try #require(try input.next()?.document)
    #expect(document.path.string == "things/507f1f77")
    let expected: FieldMap = [
      "_id": .string("507f1f77"), "at": .timestamp(try #require(Timestamp("2026-01-03T06:00:00Z"))),
      "old": .timestamp(try #require(Timestamp("1969-12-31T23:59:59.999Z"))), "n": .integer(12),
      "i": .integer(3), "d": .double(1.5), "nan": .double(.nan), "x": .double(1.1), "b": .bytes([0, 1, 2]),
      "was": .bytes([0, 1, 2]), "list": .array([.integer(7)]), "t": .map(["$timestamp": .integer(5)]),
    ]
    #expect(document.fields == expected)
    #expect(try input.next() == nil)
    #expect(
      input.notices == [
        "Read as the values that MongoDB means by them: 2 $binary, 2 $date, 1 $numberDecimal, 2 $numberDouble, "
          + "2 $numberInt, 1 $numberLong, 1 $oid.",
        "Maps that look like values of MongoDB stay maps: 1 $timestamp.",
      ]
    )
  }

  @Test(
    "A reference of Google's library is of the project that it names; an object with a member of its own is a map."
  )
  func references() throws {
    func reference(_ project: String, _ more: String = "") -> String {
      #"{"_firestore":{"projectId":"\#(project)"},"_path":{"segments":["a","b"]},"_converter":{}\#(more)}"#
    }
    let text =
      #"[{"id":"1","other":\#(reference("x")),"own":\#(reference("p")),"of":\#(reference("s")),"map":\#(reference("x", #","n":1"#)),"near":\#(reference("x", #","_n":1"#))}]"#
    var job = ImportJob(files: [try folder.write(Array(text.utf8), to: "things.json")])
    job.reading.idColumn = "id"
    var options = try job.options(.none, via: .local)
    options.table.database = DatabaseName(project: "p", database: "d")
    options.table.source = DatabaseName(project: "s", database: "e")
    let input = try JSONInput(options.sources[0], options: options.table, into: nil)
    let fields = try #require(try input.next()?.document).fields
    #expect(fields["other"] == .reference("projects/x/databases/(default)/documents/a/b"))
    #expect(fields["own"] == .reference("projects/p/databases/d/documents/a/b"))
    #expect(fields["of"] == .reference("projects/s/databases/e/documents/a/b"))
    for (name, member) in [("map", "n"), ("near", "_n")] {
      let map = try #require(fields[name]?.map)
      #expect(map[member] == .integer(1) && map["_path"] != nil)
    }
  }

  /// Versions 0 and 1 of the library have project and database in the path.
  @Test(
    "A reference is of the database that its path or its library names.",
    arguments: [
      (#""_firestore":{"projectId":"x","databaseId":"e"},"_path":{"segments":["a","b"]}"#, "x", "e"),
      (
        #""_firestore":{"projectId":"p"},"_path":{"segments":["a","b"],"projectId":"x","databaseId":"e"}"#,
        "x", "e"
      ),
      (
        #""_firestore":{"projectId":"p"},"_path":{"segments":["a","b"],"projectId":"p","databaseId":"(default)"}"#,
        "p", "(default)"
      ),
      (
        #""_firestore":{},"_referencePath":{"segments":["a","b"],"_projectId":"x","_databaseId":"e"}"#,
        "x", "e"
      ),
      (#""_firestore":{"databaseId":"e"},"_path":{"segments":["a","b"]}"#, nil, nil),
    ] as [(String, String?, String?)]
  )
  func referenceDatabases(_ members: String, _ project: String?, _ database: String?) throws {
    let text = #"[{"id":"1","r":{\#(members)}}]"#
    var job = ImportJob(files: [try folder.write(Array(text.utf8), to: "things.json")])
    job.reading.idColumn = "id"
    var options = try job.options(.none, via: .local)
    options.table.database = DatabaseName(project: "p", database: "d")
    let input = try JSONInput(options.sources[0], options: options.table, into: nil)
    let value = try #require(try input.next()?.document?.fields["r"])
    if let project, let database {
      #expect(value == .reference("projects/\(project)/databases/\(database)/documents/a/b"))
    } else {
      #expect(value.map?["_path"] != nil)
    }
  }

  @Test(
    "Where __name__ has the ids, values of other programs stay maps, which is said, until it is named as their member."
  )
  func namedMarks() throws {
    let text = """
      [{"__name__": "a", "at": {"_seconds": 1767225600, "_nanoseconds": 0}, "list": [{"$date": "2026-01-01T00:00:00Z"}],
        "place": {"_latitude": 19.5, "_longitude": -99}, "odd": {"$x": 1}, "two": {"_seconds": 1},
        "r": {"_firestore": {"projectId": "x"}, "_path": {"segments": ["a", "b"]}},
        "was": {"__datatype__": "documentReference", "value": "a/b"}}]
      """
    let path = try folder.write(Array(text.utf8), to: "things.json")
    let warning =
      "Maps that look like values of other programs stay maps, as __name__ is what an export writes: "
      + "1 $date, 1 __datatype__, 1 _latitude, 1 _path, 1 _seconds. --id-column __name__ reads them as these values."
    let maps: FieldMap = ["odd": .map(["$x": .integer(1)]), "two": .map(["_seconds": .integer(1)])]
    for (id, warnings) in [(nil, [warning]), ("__name__", [])] as [(String?, [String])] {
      var job = ImportJob(files: [path])
      job.reading.idColumn = id
      var options = try job.options(.none, via: .local)
      options.table.database = DatabaseName(project: "p", database: "d")
      let input = try JSONInput(options.sources[0], options: options.table, into: nil)
      let document = try #require(try input.next()?.document)
      #expect(document.path.string == "things/a")
      let isTime = document.fields["at"]?.timestamp == Timestamp("2026-01-01T00:00:00Z")
      #expect(isTime == (id != nil))
      #expect(document.fields["odd"] == maps["odd"] && document.fields["two"] == maps["two"])
      #expect(try input.next() == nil)
      #expect(input.warnings == warnings)
    }
  }

  @Test(
    "Objects that are no documents by their ids, and ids that are none, are named as what they are.",
    arguments: [
      (#"{"k":{"x":1},"n":"Ana"}"#, nil, ["member 'n': expected an object", "--id-column"]),
      (#"{"k":{"x":1}}\#n{"k":{"x":1}}"#, nil, ["more behind the end", "--id-column"]),
      (#"{"s1":{"a":1},"s2":null}"#, nil, ["member 's2': expected an object"]),
      (#"[{"id":"a"},null]"#, "id", ["document 2 (line 1): expected an object"]),
      (#"[{"id":{"a":1}}]"#, "id", ["id: expected an id", "found a map"]),
      (#"[{"id":true}]"#, "id", ["found a truth value"]),
      (#"[{"id":{"$date":"2026"}}]"#, "id", ["it is no $date"]),
      (#"[{"ID":"5"}]"#, "id", ["did you mean ID?"]),
    ] as [(String, String?, [String])]
  )
  func noObjects(_ text: String, _ id: String?, _ said: [String]) throws {
    var job = ImportJob(files: [try folder.write(Array(text.utf8), to: "things.json")])
    job.reading.idColumn = id
    job.jsonForm = .documents
    let options = try job.options(.none, via: .local)
    let input = try JSONInput(options.sources[0], options: options.table, into: nil)
    let failure = #expect(throws: Failure.self) {
      while let row = try input.next() { if let fault = row.faults.first { throw fault.failure } }
    }
    for part in said { #expect(failure?.cause.contains(part) == true, "\(String(describing: failure))") }
  }

  @Test(
    "A line or an element that is no object is one bad document, and the others are read.",
    arguments: [
      ("{\"id\":\"1\"}\n// a {comment\n5\n{\"id\":\"2\"}\n\"x\"", [2, 3, 5]),
      (#"[{"id":"1"},5,"x,]",{"id":"2"},[1,{"a":[2]}],null,-1.5e+3]"#, [2, 3, 5, 6, 7]),
    ]
  )
  func noObjectBesideOthers(_ text: String, _ bad: [Int]) throws {
    var job = ImportJob(files: [try folder.write(Array(text.utf8), to: "things.json")])
    job.reading.idColumn = "id"
    let options = try job.options(.none, via: .local)
    let input = try JSONInput(options.sources[0], options: options.table, into: nil)
    var (found, faults): ([String], [Int]) = ([], [])
    while let row = try input.next() {
      faults += row.faults.map(\.row)
      if row.faults.isEmpty { found.append(try #require(row.document).path.string) }
    }
    #expect(found == ["things/1", "things/2"] && faults == bad)
  }

  @Test("A map that only looks like a value with its type stays one.")
  func plainMaps() throws {
    let text = #"{"1": {"amount": {"value": 1, "type": "number"}, "n": 2}}"#
    let path = try folder.write(Array(text.utf8), to: "things.json")
    #expect(
      try read(path) == [
        "things/1": ["amount": .map(["value": .integer(1), "type": .string("number")]), "n": .integer(2)]
      ]
    )
  }
}
