import Testing

@testable import FirestoreModels

@Suite("A JSON member that is given twice", .bothParsers)
struct RepeatedMemberTests {
  private func defect(_ json: String) -> String? {
    do throws(WireError) {
      try JSONParser().parse(Array(json.utf8)) { _ throws(WireError) in }
      return nil
    } catch {
      return error.isRepetition ? error.location.joined(separator: ".") : "?"
    }
  }

  @Test(
    "It is found wherever it is, and named with the way to it.",
    arguments: [
      (#"{"a":1,"a":2}"#, "a"), (#"{"a":1,"b":{"c":[0,{"x":1,"y":2,"x":1}]}}"#, "b.c.[1].x"),
      (#"[{"a":{}},{"a":{"":1,"":2}}]"#, "[1].a."), (#"{"b":1,"a":2,"b":3}"#, "b"),
      (#"{"j":1,"i":1,"h":1,"g":1,"f":1,"e":1,"d":1,"c":1,"b":1,"a":1,"e":2}"#, "e"),
      (#"{"\u0061":1,"a":2}"#, "a"), (#"{"a":[{"a":1},{"a":1}],"aa":1,"b":{"a":1}}"#, nil),
      (#"{"\#u{e9}":1,"e\#u{301}":2}"#, nil),
      (#"{"j":1,"i":1,"h":1,"g":1,"f":1,"e":1,"d":1,"c":1,"b":1,"a":1}"#, nil),
      ("7", nil), ("{}", nil),
    ] as [(String, String?)]
  )
  func found(_ json: String, _ location: String?) {
    #expect(defect(json) == location)
  }

  @Test(
    "A document with one is refused, also by who reads a response.",
    arguments: [
      #""name":"u/1""#, #""fields":{}"#, #""createTime":"2026-01-01T00:00:00Z""#,
      #""updateTime":"2026-01-01T00:00:00Z""#,
    ]
  )
  func documents(_ member: String) throws {
    let json = Array(
      #"{"name":"u/1","fields":{},"createTime":"2026-01-01T00:00:00Z","updateTime":"2026-01-01T00:00:00Z",\#(member)}"#
        .utf8
    )
    let parser = JSONParser()
    try json.withUnsafeBytes { bytes in
      let root = try parser.parseHolding(bytes)
      #expect(throws: WireError.self) { try WireDecoder().wireDocument(root, prefix: nil) }
      var decoder = WireDecoder()
      #expect(throws: WireError.self) { try decoder.document(root) }
      #expect(DocumentEncoder.certainPath(of: root, decoder) == nil)
    }
  }

  @Test(
    "So is a value, decoded or looked at on the tape.",
    arguments: [
      #"{"geoPointValue":{"latitude":1,"latitude":2,"longitude":3}}"#,
      #"{"stringValue":"a","stringValue":"b"}"#,
      #"{"arrayValue":{"values":[],"values":[{"nullValue":null}]}}"#,
      #"{"mapValue":{"fields":{},"fields":{}}}"#,
      #"{"mapValue":{"fields":{"a":{"nullValue":null},"a":{"nullValue":null}}}}"#,
      #"{"mapValue":{"fields":{"b":{"nullValue":null},"a":{"nullValue":null},"b":{"nullValue":null}}}}"#,
    ]
  )
  func values(_ json: String) throws {
    let parser = JSONParser()
    try Array(json.utf8).withUnsafeBytes { bytes in
      let root = try parser.parseHolding(bytes)
      var decoder = WireDecoder()
      #expect(throws: WireError.self) { try decoder.value(root) }
      #expect(throws: WireError.self) { try WireValue(json: root, depth: 0).view() }
    }
  }
}
