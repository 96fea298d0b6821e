import FirestoreModels
import TestSupport
import Testing

@Suite("Size and limits of documents")
struct DocumentLimitsTests {
  private func document(_ fields: FieldMap, path: String = "users/u1") throws -> RawDocument {
    RawDocument(path: try #require(DocumentPath(path)), fields: fields)
  }

  private func codes(_ fields: FieldMap) throws -> [DocumentLimits.Violation.Code] {
    DocumentLimits.violations(of: try document(fields)).map(\.code)
  }

  @Test func theDocumentationsExampleHas147Bytes() throws {
    let task = try document(
      [
        "type": .string("Personal"), "done": .boolean(false), "priority": .integer(1),
        "description": .string("Learn Cloud Firestore"),
      ],
      path: "users/jeff/tasks/my_task_id"
    )
    #expect(DocumentSize.bytes(ofName: task.path) == 44)
    #expect(DocumentSize.bytes(of: task.fields) == 71)
    #expect(DocumentSize.bytes(of: task) == 147)
    #expect(DocumentLimits.violations(of: task).isEmpty)
  }

  @Test func sizesOfValues() {
    let sizes: [(Value, Int)] = [
      (.null, 1), (.boolean(true), 1), (.integer(.max), 8), (.double(0), 8), (.string(""), 1),
      (.string("é"), 3),
      (.bytes([1, 2, 3]), 3), (.bytes([]), 0), (.geoPoint(GeoPoint(latitude: 1, longitude: 1)), 16),
      (.array([]), 0), (.array([.null, .integer(1)]), 9), (.map([:]), 32), (.map(["ab": .null]), 3 + 1 + 32),
      // users(5+1) jeff(4+1) tasks(5+1) my_task_id(10+1) + 16
      (.reference("projects/p/databases/d/documents/users/jeff/tasks/my_task_id"), 44),
      // c(1+1) numeric(8) + 16
      (.reference("projects/p/databases/d/documents/c/__id7__"), 26),
      (.map(["__type__": .string("__vector__"), "value": .array([.double(1), .double(2)])]), 16),
    ]
    for (value, size) in sizes { #expect(DocumentSize.bytes(of: value) == size, "\(value)") }
    #expect(DocumentSize.bytes(of: .map(["a": .map([:])]), mapOverhead: 0) == 2)
  }

  @Test(arguments: [
    "a", "...", "_x_", "__x", "x__", "___", "__x_", "é", "a b", "a:b", String(repeating: "é", count: 750),
  ])
  func idsThatAreAllowed(_ id: String) {
    #expect(PathLimits.violation(ofID: id, isDocument: true) == nil)
    #expect(PathLimits.violation(ofID: id, isDocument: false) == nil)
  }

  @Test(arguments: [
    ("", DocumentLimits.Violation.Code.emptyID), (".", .reservedID), ("..", .reservedID),
    ("____", .reservedID),
    ("__x__", .reservedID), ("__id5x__", .reservedID), ("__id07__", .reservedID), ("__id0__", .reservedID),
    ("a/b", .reservedID),
    (String(repeating: "é", count: 750) + "x", .longID),
  ])
  func idsThatAreRefused(id: String, code: DocumentLimits.Violation.Code) {
    #expect(PathLimits.violation(ofID: id, isDocument: true)?.code == code)
    #expect(PathLimits.violation(ofID: id, isDocument: false)?.code == code)
  }

  @Test(arguments: ["__id7__", "__id-7__"])
  func numericIDsAreForDocuments(_ id: String) {
    #expect(PathLimits.violation(ofID: id, isDocument: true) == nil)
    #expect(PathLimits.violation(ofID: id, isDocument: false)?.code == .reservedID)
  }

  @Test func depthAndLengthOfPaths() throws {
    func path(_ collections: Int, id: String = "d") throws -> DocumentPath {
      try #require(DocumentPath(Array(repeating: "c/\(id)", count: collections).joined(separator: "/")))
    }
    #expect(PathLimits.violations(of: try path(100)).isEmpty)
    #expect(PathLimits.violations(of: try path(101)).map(\.code) == [.deepPath])
    #expect(PathLimits.violations(of: try path(101).collection).map(\.code) == [.deepPath])
    #expect(PathLimits.violations(of: try path(4, id: String(repeating: "x", count: 1500))).isEmpty)
    #expect(
      PathLimits.violations(of: try path(5, id: String(repeating: "x", count: 1500))).map(\.code) == [
        .longName
      ]
    )
    // The initializer does not check for slashes.
    let split = DocumentPath(CollectionPath(nil, "c"), "a/b")
    #expect(PathLimits.violations(of: split).map(\.code) == [.malformedPath])
    #expect(PathLimits.violations(of: DocumentPath(CollectionPath(nil, "c"), "")).map(\.code) == [.emptyID])
  }

  @Test func namesOfFields() throws {
    #expect(try codes(["a.b": .null, " ": .null, "__x": .null, "é": .null]).isEmpty)
    #expect(try codes(["": .null]) == [.emptyFieldName])
    #expect(try codes(["__x__": .null]) == [.reservedFieldName])
    #expect(try codes(["__type__": .string("__vector__"), "value": .array([])]) == [.reservedFieldName])
    #expect(try codes(["m": .map(["__type__": .string("other")])]) == [.reservedFieldName])
    #expect(try codes([String(repeating: "x", count: 1500): .null]).isEmpty)
    #expect(try codes([String(repeating: "x", count: 1501): .null]) == [.longFieldName])
    let half = String(repeating: "x", count: 750)
    #expect(try codes([half: .map([String(repeating: "y", count: 749): .null])]).isEmpty)
    #expect(try codes([half: .map([half: .null])]) == [.longFieldPath])
  }

  @Test func vectors() throws {
    func vector(_ count: Int) -> Value {
      .map(["__type__": .string("__vector__"), "value": .array(Array(repeating: .double(1), count: count))])
    }
    #expect(try codes(["v": vector(2048)]).isEmpty)
    #expect(try codes(["v": vector(2049)]) == [.longVector])
    #expect(try codes(["v": .array([vector(2049)])]) == [.longVector])
    #expect(try codes(["v": vector(0)]) == [.malformedVector])
    let integers: Value = .map([
      "__type__": .string("__vector__"), "value": .array([.double(1), .integer(1)]),
    ])
    #expect(try codes(["v": integers]) == [.malformedVector])
    let reference: Value = .reference("projects/p/databases/(default)/documents/c/__x__")
    #expect(try codes(["r": reference]) == [.malformedReference])
  }

  @Test func nesting() throws {
    func nested(_ levels: Int) -> Value {
      (0..<levels).reduce(.null) { inner, _ in .map(["m": inner]) }
    }
    #expect(try codes(["a": nested(20)]).isEmpty)
    #expect(try codes(["a": nested(21)]) == [.deepValue])
    #expect(try codes(["a": .array([.map(["b": .array([])])])]).isEmpty)
    #expect(try codes(["a": .array([.array([])])]) == [.nestedArray])
    #expect(
      try codes(["a": .map(["b": .array([.null, .array([.array([])])])])]) == [.nestedArray, .nestedArray]
    )
  }

  @Test func coordinates() throws {
    func point(_ latitude: Double, _ longitude: Double) -> FieldMap {
      ["g": .geoPoint(GeoPoint(latitude: latitude, longitude: longitude))]
    }
    #expect(try codes(point(90, -180)).isEmpty)
    #expect(try codes(point(90.0.nextUp, 0)) == [.coordinate])
    #expect(try codes(point(0, -(180.0.nextUp))) == [.coordinate])
    #expect(try codes(point(.nan, .infinity)) == [.coordinate, .coordinate])
  }

  @Test func references() throws {
    #expect(try codes(["r": .reference("projects/p/databases/d/documents/a/b")]).isEmpty)
    for name in ["", "a/b", "projects/p/databases/d/documents/a", "projects/p/databases/d"] {
      #expect(try codes(["r": .reference(name)]) == [.malformedReference])
    }
  }

  @Test func sizesOfFieldsAndDocuments() throws {
    func text(_ bytes: Int) -> Value { .string(String(repeating: "x", count: bytes)) }
    // A string may have this many UTF-8 bytes; only the size of its container counts one more.
    #expect(try codes(["s": text(1_048_487)]).isEmpty)
    #expect(try codes(["s": text(1_048_488)]) == [.largeValue])
    #expect(try codes(["m": .map(["s": text(1_048_487)])]) == [.largeValue])
    #expect(try codes(["b": .bytes([UInt8](repeating: 0, count: 1_048_487))]).isEmpty)
    #expect(try codes(["b": .bytes([UInt8](repeating: 0, count: 1_048_488))]) == [.largeValue])
    #expect(try codes(["l": .array([text(524_243), text(524_243)])]) == [.largeValue])
    // users/u1 is 25, the fields a and b are 2 each, 32 for the document: 1,048,572 - 61 - 2 for the strings.
    #expect(try codes(["a": text(524_254), "b": text(524_255)]).isEmpty)
    #expect(try codes(["a": text(524_255), "b": text(524_255)]) == [.largeDocument])
  }

  @Test func messagesNameTheFieldAndNotTheValue() throws {
    let secret = "secret-of-a-person"
    let fields: FieldMap = [
      "a.b": .map(["c": .array([.string(secret), .array([.string(secret)])])]),
      "g": .geoPoint(GeoPoint(latitude: 1234.5, longitude: 0)), "r": .reference(secret),
      String(repeating: "x", count: 2000): .string(secret),
    ]
    let messages = DocumentLimits.violations(of: try document(fields)).map(\.message)
    #expect(messages.first?.hasPrefix("the field `a.b`.c[1] ") == true)
    #expect(messages.count == 4)
    for message in messages {
      #expect(!message.contains(secret) && !message.contains("1234.5") && message.utf8.count < 300)
    }
  }

  @Test func pathsOfMasks() throws {
    #expect(DocumentLimits.violations(of: FieldPath(field: "a").appending("b")).isEmpty)
    #expect(
      DocumentLimits.violations(of: FieldPath(field: "a").appending("__b__")).map(\.code) == [
        .reservedFieldName
      ]
    )
    let half = String(repeating: "x", count: 750)
    #expect(
      DocumentLimits.violations(of: FieldPath(field: half).appending(half)).map(\.code) == [.longFieldPath]
    )
  }

  @Test func aHostilePathIsToldOnce() throws {
    // Every name is reserved, and each violation would contain its location: megabytes times 100,000.
    let path = try #require(FieldPath(segments: [String](repeating: "__a__", count: 100_000)))
    #expect(DocumentLimits.violations(of: path).map(\.code) == [.longFieldPath])
    let long = FieldPath(field: String(repeating: "x", count: 1501))
    #expect(DocumentLimits.violations(of: long).map(\.code) == [.longFieldName])
  }

  @Test func randomDocumentsAreStorable() {
    for seed in UInt64(1)...20 {
      var random = RandomDocuments(seed: seed)
      for _ in 0..<25 {
        let document = random.document()
        let found = DocumentLimits.violations(of: document)
        #expect(found.isEmpty, "seed \(seed): \(found)")
        #expect(DocumentSize.bytes(of: document, mapOverhead: 0) <= DocumentSize.bytes(of: document))
      }
    }
  }
}
