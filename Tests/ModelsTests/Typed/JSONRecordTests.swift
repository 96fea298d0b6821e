import FirestoreModels
import Testing

@testable import TypedDocuments

@Suite("Records that are kept as JSON", .bothParsers)
struct JSONRecordTests {
  private struct Record: JSONRecord, Equatable {
    struct Part: Codable, Equatable {
      @Text var path: CollectionPath
      @Text var document: DocumentPath?
      var isWhole: Bool
    }

    var name: String
    var count: Int
    var share = 0.5
    var time: Timestamp?
    @Text var database: DatabaseName
    @ExplicitNull var limit: Int?
    var parts: [Part] = []
    var numbers: [String: Int] = [:]

    private enum CodingKeys: String, CodingKey {
      case count
      case name = "runId"
      case share, time, database, limit, parts, numbers
    }

    func validate() throws(WireError) {
      if name.isEmpty { throw WireError("it is empty", at: ["runId"]) }
    }
  }

  private let whole = #"""
    {"count":9007199254740992,"runId":"a \"ñ\"\n","share":1.5,"time":"2026-11-25T01:02:03.000004Z",\#
    "database":"projects/p/databases/d","limit":null,\#
    "parts":[{"path":"a/b/c","document":"a/b","isWhole":true},{"path":"é","isWhole":false}],\#
    "numbers":{"Z":0,"a":1,"z":2,"é":3,"😀":4}}
    """#

  private func record() throws -> Record {
    Record(
      name: "a \"ñ\"\n",
      count: 1 << 53,
      share: 1.5,
      time: Timestamp("2026-11-25T01:02:03.000004Z"),
      database: DatabaseName(project: "p", database: "d"),
      parts: [
        Record.Part(
          path: try #require(CollectionPath("a/b/c")),
          document: DocumentPath("a/b"),
          isWhole: true
        ), Record.Part(path: try #require(CollectionPath("é")), document: nil, isWhole: false),
      ],
      numbers: ["😀": 4, "z": 2, "é": 3, "Z": 0, "a": 1]
    )
  }

  private func read(_ text: String) throws -> Record {
    try JSONParser().parse(Array(text.utf8)) { json throws(WireError) in try Record(json) }
  }

  @Test(
    "A record has the members of its coding keys in their order, and those of dictionaries in UTF-8 order"
  )
  func form() throws {
    #expect(String(decoding: try record().json, as: UTF8.self) == whole)
    #expect(String(decoding: try record().line, as: UTF8.self) == whole + "\n")
  }

  @Test("A record is the same after it was written and read, with members that nobody knows")
  func reading() throws {
    #expect(try read(whole) == record())
    #expect(try read(whole.replacing(#"{"count""#, with: #"{"new":{"a":[-1,1.5e300]},"count""#)) == record())
    #expect(try read(whole.replacing(#""limit":null,"#, with: "")) == record())
    #expect(try read(whole.replacing(#""limit":null"#, with: #""limit":7"#)).limit == 7)
    #expect(try read(whole.replacing(#""time":"2026-11-25T01:02:03.000004Z","#, with: "")).time == nil)
  }

  @Test(
    "A damaged record is refused, and the message says which member",
    arguments: [
      (#""count":9007199254740992"#, #""count":9007199254740993"#, "count: the number is not a count"),
      (#""count":9007199254740992"#, #""count":-1"#, "count: the number is not a count"),
      (
        #""count":9007199254740992"#, #""count":"1""#,
        "count: an integer is expected, and the value is of the type string"
      ), (#""count":9007199254740992"#, #""count":1.5"#, "count: the number does not fit Int"),
      (#""count":9007199254740992,"#, "", "count: the field is missing"),
      (#"2026-11-25T"#, "2026-11-25 ", "time: a timestamp must be"),
      ("projects/p/databases/d", "p", "database: it is not the name of a database"),
      (#""path":"é""#, #""path":"a/b""#, "parts.[1].path: it is not the path of a collection"),
      (#""document":"a/b""#, #""document":"a""#, "parts.[0].document: it is not the path of a document"),
      (#""isWhole":false"#, #""isWhole":0"#, "parts.[1].isWhole: a boolean is expected"),
      (#""a":1"#, #""a":null"#, "numbers.a: an integer is expected, and the value is null"),
      (#""runId":"a \"ñ\"\n""#, #""runId":"""#, "runId: it is empty"),
    ]
  )
  func damaged(text: String, replacement: String, message: String) throws {
    let damaged = whole.replacing(text, with: replacement)
    #expect(damaged != whole)
    let error = #expect(throws: WireError.self) { try read(damaged) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test("A document's text is still no timestamp")
  func documents() {
    struct Times: Decodable { var time: Timestamp }
    let fields: FieldMap = ["time": .string("2026-11-25T01:02:03Z")]
    #expect(throws: DecodingError.self) { try FirestoreDecoder().decode(Times.self, from: fields) }
  }
}
