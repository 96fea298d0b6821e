import Files
import FirestoreModels
import Runs
import TestSupport
import Testing

@testable import FirestoreREST
@testable import Tables
@testable import Transfer

/// Lines that go to a commit without becoming values leave the bytes and the records that decoded ones leave.
///
/// The lines are as liberal as may be imported: members in any order; numbers for int64; times that are dropped.
@Suite struct EncodedLinesTests {
  private static let source = DatabaseName(project: "p")
  private static let target = DatabaseName(project: "other", database: "a\"b")

  /// A line that says the same as a document, in a form of its own; seldom one that the service would not store.
  private struct Line {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func json(_ document: RawDocument) -> String {
      let name = random.chance(2) ? document.path.string : EncodedLinesTests.source.name(of: document.path)
      var members = [("name", quotedJSON(name))]
      if !document.fields.isEmpty || random.chance(2) { members.append(("fields", object(document.fields))) }
      if random.chance(4) { members.append(("createTime", "\"2026-01-31T18:00:00.5+01:00\"")) }
      members.shuffle(using: &random)
      return objectJSON(members)
    }

    private mutating func object(_ fields: FieldMap) -> String {
      var members: [(String, String)] = []
      for entry in fields.entries {
        members.append((entry.name, value(entry.value)))
      }
      if random.chance(3) { members.shuffle(using: &random) }
      if random.chance(60) { members.append(("__reserved__", #"{"nullValue":null}"#)) }
      return objectJSON(members)
    }

    private mutating func value(_ value: Value) -> String {
      switch value {
      case .map(let fields):
        if fields.isEmpty, random.chance(2) {
          return objectJSON([("mapValue", random.chance(2) ? "{}" : #"{"fields":null}"#)])
        }
        return objectJSON([("mapValue", objectJSON([("fields", object(fields))]))])
      case .array(let values):
        if random.chance(60) { return #"{"arrayValue":{"values":[{"arrayValue":{}}]}}"# }
        let list = "[" + values.map { self.value($0) }.joined(separator: ",") + "]"
        return objectJSON([
          ("arrayValue", values.isEmpty && random.chance(2) ? "{}" : objectJSON([("values", list)]))
        ])
      case .integer(let number) where random.chance(3): return objectJSON([("integerValue", "\(number)")])
      case .null where random.chance(3): return #"{"nullValue":"NULL_VALUE"}"#
      case .reference where random.chance(40): return #"{"referenceValue":"users/u1"}"#
      case .geoPoint where random.chance(40): return #"{"geoPointValue":{"latitude":91}}"#
      default:
        var json = JSONWriter()
        json.value(value)
        return String(decoding: json.bytes, as: UTF8.self)
      }
    }
  }

  /// What is sent and recorded of a document, or why it is rejected.
  private struct Outcome: Equatable {
    var commit: [UInt8] = []
    var record: [UInt8] = []
    var rejection: String?
    var counts = ReferenceRewriter.Counts()

    init(_ change: Change, _ counts: ReferenceRewriter.Counts) {
      self.counts = counts
      commit = PendingWrite(change, in: EncodedLinesTests.target).json
      var json = JSONWriter()
      json.object { $0.members(of: change) }
      record = json.bytes
    }

    init(rejection: String) { self.rejection = rejection }
  }

  private static func decoded(
    _ document: RawDocument,
    from source: DatabaseName?,
    into collection: CollectionPath?
  ) -> Outcome {
    var document = document
    if let collection { document.path = DocumentPath(collection, document.path.id) }
    var rewriter = ReferenceRewriter(from: source, to: target)
    document.fields = rewriter.rewrite(document.fields).asStored
    if let violation = DocumentLimits.violations(of: document).first {
      return Outcome(rejection: violation.message)
    }
    guard case .change(let change) = WriteMode.create.decide(.decoded(document), current: nil) else {
      return Outcome(rejection: "no change")
    }
    return Outcome(change, rewriter.counts)
  }

  private static func encoded(_ document: EncodedDocument) -> Outcome {
    var rewriter = ReferenceRewriter(from: nil, to: target)
    rewriter.count(document)
    guard case .change(let change) = WriteMode.create.decide(LoadDocument(.encoded(document)), current: nil)
    else {
      return Outcome(rejection: "no change")
    }
    return Outcome(change, rewriter.counts)
  }

  private static func encoder(
    from source: DatabaseName? = source,
    into collection: CollectionPath? = nil
  ) -> DocumentEncoder {
    let placement = collection.map { CollectionPlacement(flattening: $0) }
    return DocumentEncoder(ReferenceRule(from: source, to: target), placement: placement)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func aCommitAndItsRecordAreTheSameToTheByte(seed: UInt64) throws {
    let folder = try ScratchFolder()
    let path = folder.file("in.jsonl")
    var random = RandomDocuments(seed: seed)
    var line = Line(seed: seed)
    let lines = (0..<200).map { _ in line.json(random.document()) }
    _ = try folder.write(lines.joined(separator: "\n").utf8, to: "in.jsonl")

    let source = seed % 3 == 0 ? nil : Self.source
    let collection = seed % 4 == 0 ? CollectionPath("into/x/these") : nil
    var reader = try JSONLinesReader(path)
    var encoding = try JSONLinesReader(path)
    let paths = Locked<[DocumentPath]>([])
    var mode = JSONLinesReader.Mode.encoded(Self.encoder(from: source, into: collection)) { document in
      paths.withLock { $0.append(document.path) }
      return false
    }
    var checking = try JSONLinesReader(path)
    var check = JSONLinesReader.Mode.checked
    var (valid, passed) = (0, 0)
    while let expected = try reader.next() {
      let both = try #require(try encoding.next(&mode))
      let checked = try #require(try checking.next(&check))
      #expect(both.number == expected.number && checked.number == expected.number)
      let document = try expected.document.get()
      let own = try both.document.get()
      let found = try checked.document.get()
      #expect(found.path == document.path)
      #expect(own.decoded == document)
      let outcome = Self.decoded(document, from: source, into: collection)
      if outcome.rejection == nil { valid += 1 }
      guard let encoded = own.write else { continue }
      passed += 1
      // It was examined under the path that it is written to.
      #expect(paths.withLock { $0.last == encoded.path && $0.count == passed })
      #expect(Self.encoded(encoded) == outcome, "seed \(seed), line \(expected.number)")
      // It decodes to what it was made of.
      var rewriter = ReferenceRewriter(from: source, to: Self.target)
      let fields = rewriter.rewrite(document.fields).asStored
      #expect(encoded.fields == fields)
      var json = JSONWriter()
      #expect(encoded.hasFields(fields, encodedInto: &json))
      var other = fields
      other["other"] = .null
      #expect(!encoded.hasFields(other, encodedInto: &json))
    }
    // Without it, everything would be decoded, and all of this would hold.
    #expect(passed * 10 > valid * 7 && valid > 100, "\(passed) of \(valid)")
  }

  @Test(arguments: [
    "7", "{}", "[]", "{", #"{"fields":{}}"#, #"{"name":"users"}"#, #"{"name":7}"#,
    #"{"name":"users/u1","x":1}"#,
    #"{"name":"users/u1","fields":[]}"#, #"{"name":"users/u1","fields":{"a":{}}}"#,
    #"{"name":"users/u1","createTime":"yesterday"}"#,
    #"{"name":"users/u1","fields":{"a":{"stringValue":"a","nullValue":null}}}"#,
    #"{"name":"users/u1","fields":{"a":{"stringValue":"a","note":null}}}"#,
    #"{"name":"users/u1","fields":{"a":{"integerValue":"7.5x"}}}"#,
    #"{"name":"users/u1","fields":{"a":{"stringValue":7}}}"#,
    #"{"name":"users/u1","fields":{"a":{"bytesValue":"%"}}}"#,
    #"{"name":"users/u1","fields":{"a":{"timestampValue":"2026-13-01T00:00:00Z"}}}"#,
    #"{"name":"users/u1","fields":{"a":{"geoPointValue":{"latitude":1,"x":2}}}}"#,
    #"{"name":"users/u1","fields":{"a":{"arrayValue":{"values":{}}}}}"#,
    #"{"name":"users/u1","fields":{"a":{"arrayValue":{"values":[],"x":1}}}}"#,
    #"{"name":"users/u1","fields":{"a":{"mapValue":{"fields":[]}}}}"#,
    #"{"name":"users/u1","fields":{"a":{"mapValue":{"other":{}}}}}"#,
    #"{"name":"users/u1","fields":{"a":{"mapValue":{"fields":{"b":{"booleanValue":1}}}}}}"#,
    #"{"code":"x","message":"m","path":"users/u1"}"#,
    // A member twice.
    #"{"name":"users/u1","name":"users/u3"}"#,
    #"{"fields":{"a":{"nullValue":null}},"fields":{},"name":"users/u1"}"#,
    #"{"createTime":"2026-01-01T00:00:00Z","createTime":"2026-01-01T00:00:00Z","name":"users/u1"}"#,
    #"{"name":"users/u1","fields":{"a":{"integerValue":"1"},"a":{"integerValue":"2"}}}"#,
    #"{"name":"users/u1","fields":{"b":{"nullValue":null},"a":{"integerValue":"1"},"b":{"integerValue":"2"}}}"#,
    #"{"name":"users/u1","fields":{"a":{"stringValue":"a","integerValue":"1"}}}"#,
    #"{"name":"users/u1","fields":{"a":{"stringValue":"a","stringValue":"b"}}}"#,
    #"{"name":"users/u1","fields":{"a":{"geoPointValue":{"latitude":1,"latitude":2,"longitude":3}}}}"#,
    #"{"name":"users/u1","fields":{"a":{"arrayValue":{"values":[],"values":[{"nullValue":null}]}}}}"#,
    #"{"name":"users/u1","fields":{"a":{"mapValue":{"fields":{},"fields":{"b":{"nullValue":null}}}}}}"#,
    #"{"name":"users/u1","fields":{"a":{"mapValue":{"fields":{"b":{"nullValue":null},"b":{"nullValue":null}}}}}}"#,
    #"{"code":"x","document":{"name":"users/u1"},"document":{"name":"users/u2"},"message":"m","path":"users/u1"}"#,
    #"{"code":"x","document":{"name":"users/u1","name":"users/u2"},"message":"m","path":"users/u1"}"#,
  ])
  func aLineThatIsNoDocumentIsRefusedAsDecodingDoes(line: String) throws {
    let folder = try ScratchFolder()
    _ = try folder.write((line + "\n" + #"{"name":"users/u2"}"# + "\n").utf8, to: "in.jsonl")
    var reader = try JSONLinesReader(folder.file("in.jsonl"))
    guard case .failure(let expected)? = try reader.next()?.document else {
      Issue.record("it was decoded")
      return
    }
    for make in [
      { .encoded(Self.encoder()) { _ in true } }, { .encoded(Self.encoder()) { _ in false } }, { .checked },
    ] as [() -> JSONLinesReader.Mode] {
      var mode = make()
      var reader = try JSONLinesReader(folder.file("in.jsonl"))
      guard case .failure(let failure)? = try reader.next(&mode)?.document else {
        Issue.record("it was passed")
        return
      }
      #expect(failure.cause == expected.cause)
      let next = try #require(try reader.next(&mode))
      #expect(next.number == 2)
      _ = try next.document.get()
    }
  }

  @Test(arguments: [true, false]) func whatIsAcceptedIsNotDecoded(isAccepted: Bool) throws {
    let folder = try ScratchFolder()
    _ = try folder.write((#"{"name":"users/u2"}"# + "\n").utf8, to: "in.jsonl")
    var mode = JSONLinesReader.Mode.encoded(Self.encoder()) { _ in isAccepted }
    var reader = try JSONLinesReader(folder.file("in.jsonl"))
    let document = try #require(try reader.next(&mode)).document.get()
    #expect(document.write != nil && (document.decoded == nil) == isAccepted)
  }

  @Test func aLineOfRejectsIsTheDocumentInIt() throws {
    let folder = try ScratchFolder()
    let document = RawDocument(path: DocumentPath(CollectionPath(nil, "users"), "u1"), fields: ["a": .null])
    let line = RejectList.line(document.path, code: "X", message: "m", document: document)
    _ = try folder.write(line, to: "in.jsonl")
    var mode = JSONLinesReader.Mode.encoded(Self.encoder()) { _ in true }
    var reader = try JSONLinesReader(folder.file("in.jsonl"))
    let read = try #require(try reader.next(&mode)).document.get()
    #expect(read.decoded == document && read.write == nil)
  }

  /// Documents beyond one limit each, and documents just within it.
  private static let limits: [(within: RawDocument, beyond: RawDocument)] = {
    let path = DocumentPath(CollectionPath(nil, "users"), "u1")
    func document(_ fields: FieldMap) -> RawDocument { RawDocument(path: path, fields: fields) }
    func nested(_ levels: Int) -> Value {
      var value = Value.null
      for _ in 0..<levels { value = .map(["a": value]) }
      return value
    }
    func vector(_ count: Int) -> Value {
      .map(["__type__": .string("__vector__"), "value": .array(Array(repeating: .double(1), count: count))])
    }
    func id(_ id: String) -> RawDocument {
      RawDocument(path: DocumentPath(CollectionPath(nil, "users"), id), fields: FieldMap())
    }
    let name = { (count: Int) in String(repeating: "n", count: count) }
    return [
      (document([name(1500): .null]), document([name(1501): .null])),
      (document(["a": .map([name(1498): .null])]), document(["a": .map([name(1499): .null])])),
      (document(["__a_": .null]), document(["__a__": .null])),
      (document(["a": nested(20)]), document(["a": nested(21)])),
      (document(["a": .array([nested(1)])]), document(["a": .array([.array([])])])),
      (document(["a": vector(2048)]), document(["a": vector(2049)])),
      (
        document(["a": .geoPoint(GeoPoint(latitude: 90, longitude: -180))]),
        document(["a": .geoPoint(GeoPoint(latitude: 90, longitude: -180.1))])
      ),
      (
        document(["a": .reference("projects/p/databases/d/documents/users/u1")]),
        document(["a": .reference("users/u1")])
      ),
      (document(["a": .string(name(900_000))]), document(["a": .string(name(1_048_488))])),
      (id("__id7__"), id("__x__")), (id("__id-7__"), id("__id07__")), (id("..."), id("..")),
      (id(name(1500)), id(name(1501))),
    ]
  }()

  @Test func whatIsBeyondALimitIsDecoded() throws {
    let parser = JSONParser()
    for (within, beyond) in Self.limits {
      for (document, isWithin) in [(within, true), (beyond, false)] {
        var json = JSONWriter()
        json.document(document)
        var encoder = Self.encoder()
        let encoded = try parser.parse(json.bytes) { encoder.encode($0)?.write }
        #expect(DocumentLimits.violations(of: document).isEmpty == isWithin)
        #expect(
          (encoded != nil) == isWithin,
          "\(document.path) \(document.fields.entries.first?.name.prefix(9) ?? "")"
        )
      }
    }
  }
}
