import FirestoreModels
import Testing

@Suite("Documents on the wire", .bothParsers)
struct DocumentCodecTests {
  let database = DatabaseName(project: "p", database: "d")

  @Test func fullAndRelativeNames() throws {
    let full = #"{"name":"projects/p/databases/d/documents/users/u1"}"#
    #expect(try Wire.document(full.utf8, in: database).path.string == "users/u1")
    #expect(try Wire.document(full.utf8).path.string == "users/u1")
    #expect(try Wire.document(#"{"name":"users/u1"}"#.utf8, in: database).path.string == "users/u1")
    // A collection may be called "projects".
    #expect(try Wire.document(#"{"name":"projects/x"}"#.utf8, in: database).path.string == "projects/x")
  }

  @Test(arguments: [
    #"{}"#, #"{"fields":{}}"#, #"{"name":1}"#, #"{"name":""}"#, #"{"name":"users"}"#,
    #"{"name":"/users/u1"}"#,
    #"{"name":"users//u1/x"}"#, #"{"name":"projects/other/databases/d/documents/users/u1"}"#,
    // The name of a collection, not of a document.
    #"{"name":"projects/p/databases/d/documents/users"}"#, #"{"name":"users/u1","fields":[]}"#,
    #"{"name":"users/u1","createTime":"today"}"#, #"{"name":"users/u1","updateTime":null}"#, "[]", "1", "",
  ])
  func refused(_ json: String) {
    #expect(throws: WireError.self) { try Wire.document(json.utf8, in: database) }
  }

  @Test func timesAndUnknownMembers() throws {
    let json =
      #"{"createTime":"2026-01-02T03:04:05Z","name":"a/b","updateTime":"2026-01-02T03:04:05.000001Z","x":{}}"#
    let document = try Wire.document(json.utf8)
    #expect(document.createTime == Timestamp(seconds: 1_767_323_045))
    #expect(document.updateTime == Timestamp(seconds: 1_767_323_045, nanoseconds: 1000))
    #expect(throws: WireError.self) { try Wire.document(json.utf8, unknownMembers: .refused) }
  }

  @Test func membersAreSortedAndEmptyFieldsLeftOut() {
    let path = DocumentPath(CollectionPath(nil, "users"), "ü \"1\"")
    let moment = Timestamp(seconds: 0)
    let empty = RawDocument(path: path, fields: [:], createTime: moment, updateTime: moment)
    #expect(
      Wire.encoded(empty)
        == #"{"createTime":"1970-01-01T00:00:00Z","name":"users/ü \"1\"","updateTime":"1970-01-01T00:00:00Z"}"#
    )
    let full = RawDocument(path: path, fields: ["b": .null, "a": .boolean(true)], createTime: moment)
    #expect(
      Wire.encoded(full, in: database, times: false)
        == #"{"fields":{"a":{"booleanValue":true},"b":{"nullValue":null}},"#
        + #""name":"projects/p/databases/d/documents/users/ü \"1\""}"#
    )
  }

  @Test func canonicallyEquivalentNamesStayApart() throws {
    let json =
      "{\"name\":\"c/e\u{301}\",\"fields\":{\"e\u{301}\":{\"stringValue\":\"\u{E9}\"},\"\u{E9}\":{\"stringValue\":\"e\u{301}\"}}}"
    let document = try Wire.document(json.utf8)
    #expect(document.fields.count == 2)
    #expect(document.fields["\u{E9}"] == .string("e\u{301}"))
    #expect(document.fields["e\u{301}"] == .string("\u{E9}"))
    #expect(document.fields["e\u{301}"] != .string("e\u{301}"))
    #expect(document.path != DocumentPath("c/\u{E9}"))
    #expect(document.path == DocumentPath("c/e\u{301}"))
    // The byte order of names: "e" (0x65) is below "é" (0xC3).
    #expect(document.fields.entries.map { Array($0.name.utf8) } == [[0x65, 0xCC, 0x81], [0xC3, 0xA9]])
  }

  @Test func longNamesThatShareACacheSlotStayApart() throws {
    var decoder = WireDecoder()
    let parser = JSONParser()
    for round in 0..<2 {
      for index in 0..<600 {
        let name = "a name that is not kept in place \(index)"
        let json = "{\"\(name)\":{\"integerValue\":\"\(round)\"}}"
        let fields = try parser.parse(Array(json.utf8)) { root throws(WireError) in try decoder.fields(root) }
        #expect(fields[name] == .integer(Int64(round)))
      }
    }
  }
}

@Suite("Writes on the wire", .bothParsers)
struct WriteEncodingTests {
  let database = DatabaseName(project: "p", database: "d")

  private func encoded(_ write: Write) -> String {
    var json = JSONWriter()
    json.write(write, in: database)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test func anEmptyMaskIsWrittenAndNoMaskIsNot() throws {
    let path = try #require(DocumentPath("c/a"))
    #expect(
      encoded(Write(path: path, operation: .update(fields: [:], mask: nil)))
        == #"{"update":{"name":"projects/p/databases/d/documents/c/a"}}"#
    )
    #expect(
      encoded(Write(path: path, operation: .update(fields: [:], mask: [])))
        == #"{"update":{"name":"projects/p/databases/d/documents/c/a"},"updateMask":{"fieldPaths":[]}}"#
    )
  }

  @Test func masksQuoteNamesAndPreconditionsAreWritten() throws {
    let path = try #require(DocumentPath("c/a"))
    let mask = [FieldPath(field: "odd.key"), FieldPath(field: "m").appending("x")]
    #expect(
      encoded(
        Write(
          path: path,
          operation: .update(fields: ["a": .integer(1)], mask: mask),
          precondition: .exists(false)
        )
      )
        == #"{"update":{"fields":{"a":{"integerValue":"1"}},"name":"projects/p/databases/d/documents/c/a"},"#
        + #""updateMask":{"fieldPaths":["`odd.key`","m.x"]},"currentDocument":{"exists":false}}"#
    )
    let moment = try #require(Timestamp("2026-01-01T00:00:00.123456Z"))
    #expect(
      encoded(Write(path: path, operation: .delete, precondition: .updateTime(moment)))
        == #"{"delete":"projects/p/databases/d/documents/c/a","#
        + #""currentDocument":{"updateTime":"2026-01-01T00:00:00.123456Z"}}"#
    )
  }

  @Test(arguments: [
    (FieldTransform.Operation.requestTime, #""setToServerValue":"REQUEST_TIME""#),
    (.increment(.integer(2)), #""increment":{"integerValue":"2"}"#),
    (.maximum(.double(2)), #""maximum":{"doubleValue":2.0}"#),
    (.minimum(.integer(-2)), #""minimum":{"integerValue":"-2"}"#),
    (.appendMissingElements([.string("x")]), #""appendMissingElements":{"values":[{"stringValue":"x"}]}"#),
    (.removeAllFromArray([]), #""removeAllFromArray":{}"#),
  ])
  func transforms(operation: FieldTransform.Operation, json: String) throws {
    let path = try #require(DocumentPath("c/a"))
    let write = Write(
      path: path,
      operation: .update(fields: [:], mask: []),
      transforms: [FieldTransform(FieldPath(field: "n"), operation)]
    )
    #expect(
      encoded(write)
        == #"{"update":{"name":"projects/p/databases/d/documents/c/a"},"updateMask":{"fieldPaths":[]},"#
        + #""updateTransforms":[{"fieldPath":"n",\#(json)}]}"#
    )
  }
}
