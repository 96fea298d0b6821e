import FirestoreModels
import GymModels
import Schema
import TestSupport
import Testing

@testable import Tables

/// Documents that go from a response to a file without becoming values leave the bytes that decoded ones leave.
///
/// The responses are as liberal as may be read: members in any order, unknown; numbers for int64; offsets.
@Suite struct ResponsePageTests {
  private static let collection = CollectionPath(nil, "items")

  /// A response that says the same as some documents, in a form of its own.
  private struct Response {
    var random: SplitMix64
    var json: [UInt8] = []

    init(_ documents: [RawDocument], seed: UInt64) {
      random = SplitMix64(seed: seed)
      json += Array("[".utf8)
      for (index, document) in documents.enumerated() {
        if index > 0 { json += Array(",".utf8) }
        var members = [("name", quotedJSON(document.path.string))]
        if !document.fields.isEmpty || random.chance(2) {
          members.append(("fields", object(document.fields)))
        }
        if random.chance(2) { members.append(("updateTime", "\"2026-01-31T18:00:00.5Z\"")) }
        if random.chance(8) { members.append(("etag", "[{}]")) }
        members.shuffle(using: &random)
        json += Array(objectJSON(members).utf8)
      }
      json += Array("]".utf8)
    }

    private mutating func object(_ fields: FieldMap) -> String {
      var members: [(String, String)] = []
      for entry in fields.entries {
        members.append((entry.name, value(entry.value)))
      }
      if random.chance(3) { members.shuffle(using: &random) }
      return objectJSON(members)
    }

    private mutating func value(_ value: Value) -> String {
      var member: (String, String)
      switch value {
      case .map(let fields):
        if fields.isEmpty, random.chance(2) {
          member = ("mapValue", random.chance(2) ? "{}" : #"{"fields":null}"#)
        } else {
          member = ("mapValue", objectJSON([("fields", object(fields))]))
        }
      case .array(let values):
        let list = "[" + values.map { self.value($0) }.joined(separator: ",") + "]"
        member = ("arrayValue", values.isEmpty && random.chance(2) ? "{}" : objectJSON([("values", list)]))
      case .integer(let number) where random.chance(3): member = ("integerValue", "\(number)")
      default:
        var json = JSONWriter()
        json.value(value)
        return String(decoding: json.bytes, as: UTF8.self)
      }
      var members = [member]
      if random.chance(10) { members.append(("note", "null")) }
      return objectJSON(members)
    }
  }

  /// A page of a response, and what decoding all of it gives.
  private static func pages(
    _ json: [UInt8]
  ) throws -> (wire: DocumentPage, decoded: Result<[RawDocument], WireError>) {
    let parser = JSONParser()
    let root = try json.withUnsafeBytes { try parser.parseHolding($0) }
    var decoder = WireDecoder()
    let decoded: Result<[RawDocument], WireError>
    do throws(WireError) {
      var documents: [RawDocument] = []
      for element in root.elements { documents.append(try decoder.document(element)) }
      decoded = .success(documents)
    } catch {
      decoded = .failure(error)
    }
    let wire = try root.elements.map { try decoder.wireDocument($0, prefix: nil) }
    nonisolated(unsafe) let owner = parser
    final class Owner: Sendable {
      nonisolated(unsafe) let parser: JSONParser
      init(_ parser: JSONParser) { self.parser = parser }
    }
    let page = WirePage(wire, owner: Owner(owner)) { Failure(.internal, "read", cause: $0.description) }
    return (.wire(page), decoded)
  }

  private static func documents(_ count: Int, seed: UInt64) -> [RawDocument] {
    var random = RandomDocuments(seed: seed)
    return (0..<count).map { number in
      var document = random.document()
      document.path = DocumentPath(collection, "d\(number)")
      return document
    }
  }

  private static func writers(
    _ folder: ScratchFolder,
    _ name: String
  ) throws -> [any CollectionWriter] {
    var typed = CSVOptions()
    typed.schema = GymSchema.schema
    var plain = typed
    plain.isPlain = true
    plain.isForExcel = true
    let selected = try [FieldPath(parsing: "a"), FieldPath(parsing: "b.c")]
    return [
      try JSONLinesWriter(folder.file("\(name).jsonl")),
      try CSVWriter(folder.file("\(name).csv"), collection: collection, options: typed),
      try CSVWriter(folder.file("\(name)-plain.csv"), collection: collection, options: plain),
      try CSVWriter(
        folder.file("\(name)-selected.csv"),
        collection: collection,
        fields: selected,
        options: typed
      ),
    ]
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func aFileIsTheSameToTheByte(seed: UInt64) throws {
    let folder = try ScratchFolder()
    let (passed, decoded) = (try Self.writers(folder, "passed"), try Self.writers(folder, "decoded"))
    for part in 0..<4 as Range<UInt64> {
      let documents = Self.documents(60, seed: seed * 100 + part)
      let (wire, memory) = try Self.pages(Response(documents, seed: seed &+ part).json)
      for writer in passed { try writer.append(wire) }
      for writer in decoded { try writer.append(contentsOf: memory.get()) }
    }
    for writer in passed + decoded { try writer.finish() }
    for ending in [".jsonl", ".csv", "-plain.csv", "-selected.csv"] {
      let same = try contents(folder.file("passed\(ending)")) == contents(folder.file("decoded\(ending)"))
      #expect(same, "seed \(seed), \(ending)")
    }
    #expect(passed.map(\.documentCount) == [240, 240, 240, 240])
  }

  @Test(arguments: [
    #"{"integerValue":"7.5x"}"#, #"{"integerValue":"9223372036854775808"}"#,
    #"{"timestampValue":"yesterday"}"#,
    #"{"stringValue":7}"#, #"{"doubleValue":"1,5"}"#, #"{"bytesValue":"%"}"#,
    #"{"geoPointValue":{"latitude":"x"}}"#,
    #"{"arrayValue":{"values":{}}}"#, #"{"mapValue":{"fields":[]}}"#,
    #"{"stringValue":"a","nullValue":null}"#, "{}", "7",
    #"{"arrayValue":{"values":[{"mapValue":{"fields":{"x":{"booleanValue":1}}}}]}}"#,
  ])
  func anInvalidValueEndsTheExportAsDecodingDoes(value: String) throws {
    let json =
      #"[{"name":"items/a","fields":{"a":{"nullValue":null}}},{"name":"items/b","fields":{"a":{"mapValue":{"fields":{"b":"#
      + value + "}}}}}]"
    let (wire, decoded) = try Self.pages(Array(json.utf8))
    guard case .failure(let expected) = decoded else {
      Issue.record("it was decoded")
      return
    }
    let folder = try ScratchFolder()
    for writer in try Self.writers(folder, "out").dropLast() {
      let failure = try #require(throws: Failure.self) { try writer.append(wire) }
      #expect(failure.cause == expected.description)
    }
    let failure = try #require(throws: Failure.self) { try wire.documents() }
    #expect(failure.cause == expected.description)
  }

  @Test func aValueThatIsTooDeepIsRefused() throws {
    let levels = 101
    let json =
      #"[{"name":"items/a","fields":{"a":"#
      + String(repeating: #"{"mapValue":{"fields":{"a":"#, count: levels)
      + #"{"nullValue":null}"# + String(repeating: "}}}", count: levels) + "}}]"
    let (wire, decoded) = try Self.pages(Array(json.utf8))
    #expect(throws: WireError.self) { try decoded.get() }
    let folder = try ScratchFolder()
    #expect(throws: Failure.self) { try JSONLinesWriter(folder.file("out.jsonl")).append(wire) }
  }

  /// The names of a document's fields as they are looked at, undecoded.
  private static func viewed(_ names: [String]) throws -> [String] {
    let members = names.map { "\"\($0)\":{\"nullValue\":null}" }.joined(separator: ",")
    let json = "[{\"name\":\"items/a\",\"fields\":{\(members)}}]"
    guard case .wire(let page) = try Self.pages(Array(json.utf8)).wire else { return [] }
    return try withExtendedLifetime(page) {
      var members = try #require(page.documents.first).fields().makeIterator()
      var viewed: [String] = []
      while let member = members.next() {
        viewed.append(member.name.withBytes { String(decoding: $0, as: UTF8.self) })
      }
      return viewed
    }
  }

  @Test(arguments: 1...32)
  func aFewMembersInAnyOrderAreLookedAtInTheirOrder(count: Int) throws {
    var random = SplitMix64(seed: UInt64(count))
    var names: Set<String> = []
    while names.count < count { names.insert("f\(Int.random(in: 0..<1000, using: &random))") }
    let ordered = names.sorted { $0.compareUTF8($1) < 0 }
    #expect(try Self.viewed(ordered.shuffled(using: &random)) == ordered)
  }

  @Test func manyMembersInAnotherOrderOrOneTwiceHaveToBeDecoded() throws {
    let names = (100..<133).map { "f\($0)" }
    #expect(try Self.viewed(names) == names)
    #expect(throws: WireError.self) { try Self.viewed(names.reversed()) }
    #expect(throws: WireError.self) { try Self.viewed(["b", "a", "b"]) }
    #expect(throws: WireError.self) { try Self.viewed(["a", "a"]) }
  }

  @Test func aPageIsCutToALimit() throws {
    let (wire, decoded) = try Self.pages(Response(Self.documents(20, seed: 5), seed: 5).json)
    let folder = try ScratchFolder()
    let writer = try JSONLinesWriter(folder.file("out.jsonl"))
    try writer.append(wire.prefix(7))
    try writer.finish()
    #expect(writer.documentCount == 7)
    let paths = try wire.prefix(7).documents().map(\.path)
    #expect(try paths == decoded.get().prefix(7).map(\.path))
  }
}
