import Foundation
import Testing

/// The contract of the methods for single documents.
@Suite struct DocumentContractTests {
  @Test func aDocumentIsCreatedReadChangedAndDeleted() async throws {
    try await withClient { client in
      let made = try client.object("POST", "/c?documentId=d", #"{"fields":{"a":{"integerValue":"1"}}}"#)
      #expect(made["name"] as? String == "\(client.root)/c/d")
      #expect(made["createTime"] as? String == made["updateTime"] as? String)
      #expect(try client.failure("POST", "/c?documentId=d", "{}") == "409 ALREADY_EXISTS")
      let read = try client.object("GET", "/c/d")
      #expect(NSDictionary(dictionary: read) == NSDictionary(dictionary: made))

      let changed = try client.object(
        "PATCH",
        "/c/d?updateMask.fieldPaths=b&updateMask.fieldPaths=%60c.d%60",
        #"{"fields":{"b":{"nullValue":null},"c.d":{"booleanValue":false},"x":{"integerValue":"9"}}}"#
      )
      #expect(
        try isJSON(
          changed["fields"],
          #"{"a":{"integerValue":"1"},"b":{"nullValue":null},"c.d":{"booleanValue":false}}"#
        )
      )
      #expect(changed["createTime"] as? String == made["createTime"] as? String)
      #expect(changed["updateTime"] as? String != made["updateTime"] as? String)
      #expect(
        try isJSON(try client.object("GET", "/c/d?mask.fieldPaths=b")["fields"], #"{"b":{"nullValue":null}}"#)
      )
      let named = try client.object("GET", "/c/d?mask.fieldPaths=__name__")
      #expect(Set(named.keys) == ["name", "createTime", "updateTime"])

      #expect(try client.object("DELETE", "/c/d").isEmpty)
      #expect(try client.object("DELETE", "/c/d").isEmpty)
      #expect(try client.failure("GET", "/c/d") == "404 NOT_FOUND")
      #expect(try client.failure("DELETE", "/c/d?currentDocument.exists=true") == "404 NOT_FOUND")
      #expect(try client.failure("PATCH", "/c/d?currentDocument.exists=true", "{}") == "404 NOT_FOUND")
    }
  }

  @Test func aDocumentWithoutFieldsHasNoFieldsMember() async throws {
    try await withClient { client in
      let made = try client.object("PATCH", "/c/d", "{}")
      #expect(Set(made.keys) == ["name", "createTime", "updateTime"])
      let read = try client.object("GET", "/c/d")
      #expect(Set(read.keys) == ["name", "createTime", "updateTime"])
    }
  }

  @Test func anAutomaticIDHas20LettersAndDigits() async throws {
    try await withClient { client in
      let name = try #require(try client.object("POST", "/c", "{}")["name"] as? String)
      let id = name.split(separator: "/").last ?? ""
      #expect(id.count == 20 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
    }
  }

  @Test(arguments: [
    ":", "#", "%", "?", " ", "é", "e\u{301}", "%2F", "a:b", "a+b", "__id7__", "a&b=c", "\"\\", "😀", "a\u{0}b",
  ])
  func anIDIsDecodedOnce(id: String) async throws {
    try await withClient { client in
      let encoded = id.utf8.map { "%" + String(UInt16($0) + 0x100, radix: 16).suffix(2) }.joined()
      let made = try client.object("PATCH", "/c/\(encoded)", "{}")
      #expect(Array((made["name"] as? String ?? "").utf8) == Array("\(client.root)/c/\(id)".utf8))
      #expect(try client.object("GET", "/c/\(encoded)")["name"] as? String == made["name"] as? String)
      #expect(try client.list("/c") == ["c/\(id)"])
      _ = try client.object("PATCH", "/x\(encoded)/d", "{}")
      #expect(try client.list("/x\(encoded)") == ["x\(id)/d"])
      _ = try client.object("PATCH", "/x/d", "{}")
      #expect(try client.list("/x") == ["x/d"])
    }
  }

  @Test func anEncodedSlashStaysAsItIs() async throws {
    try await withClient { client async throws in
      #expect(try client.object("PATCH", "/c/a%2Fb", "{}")["name"] as? String == "\(client.root)/c/a%2Fb")
      #expect(try client.object("GET", "/c/a%252Fb")["name"] as? String == "\(client.root)/c/a%2Fb")
    }
  }

  @Test func valuesComeBackAsTheServiceWritesThem() async throws {
    // Each pair: the request, and the service's response (vectors of protobuf's JSON codec).
    let pairs = [
      (#"{"nullValue":"NULL_VALUE"}"#, #"{"nullValue":null}"#),
      (#"{"booleanValue":false}"#, #"{"booleanValue":false}"#),
      (#"{"integerValue":5}"#, #"{"integerValue":"5"}"#),
      (#"{"integerValue":"-9223372036854775808"}"#, #"{"integerValue":"-9223372036854775808"}"#),
      (#"{"doubleValue":"NaN"}"#, #"{"doubleValue":"NaN"}"#),
      (#"{"doubleValue":"-Infinity"}"#, #"{"doubleValue":"-Infinity"}"#),
      (
        #"{"timestampValue":"2026-01-02T03:04:05.123456789+05:30"}"#,
        #"{"timestampValue":"2026-01-01T21:34:05.123456Z"}"#
      ),
      (
        #"{"timestampValue":"1969-12-31T23:59:59.9999999Z"}"#,
        #"{"timestampValue":"1969-12-31T23:59:59.999999Z"}"#
      ),
      (#"{"timestampValue":"0001-01-01T00:00:00Z"}"#, #"{"timestampValue":"0001-01-01T00:00:00Z"}"#),
      (#"{"stringValue":""}"#, #"{"stringValue":""}"#),
      (#"{"stringValue":"\u0000\u001f\"\\é"}"#, #"{"stringValue":"\u0000\u001f\"\\é"}"#),
      (#"{"bytesValue":"AAE"}"#, #"{"bytesValue":"AAE="}"#),
      (#"{"geoPointValue":{"latitude":0,"longitude":0}}"#, #"{"geoPointValue":{}}"#),
      (
        #"{"geoPointValue":{"latitude":-90,"longitude":180}}"#,
        #"{"geoPointValue":{"latitude":-90,"longitude":180}}"#
      ),
      (#"{"arrayValue":{"values":[]}}"#, #"{"arrayValue":{}}"#),
      (#"{"mapValue":{"fields":{}}}"#, #"{"mapValue":{}}"#),
      (
        #"{"arrayValue":{"values":[{"mapValue":{"fields":{"a":{"timestampValue":"2026-01-01T00:00:00.0000019Z"}}}}]}}"#,
        #"{"arrayValue":{"values":[{"mapValue":{"fields":{"a":{"timestampValue":"2026-01-01T00:00:00.000001Z"}}}}]}}"#
      ),
    ]
    try await withClient { client in
      for (given, expected) in pairs {
        try client.commit(client.set("c/d", #"{"v":\#(given)}"#))
        #expect(try isJSON(try client.object("GET", "/c/d")["fields"], #"{"v":\#(expected)}"#), "\(given)")
      }
    }
  }

  @Test func batchGetGivesEachDocumentOnce() async throws {
    try await withClient { client in
      try client.commit(client.set("c/a", #"{"x":{"integerValue":"1"},"y":{"integerValue":"2"}}"#))
      let elements = try client.array(
        ":batchGet",
        #"{"documents":["\#(client.root)/c/a","\#(client.root)/c/b","\#(client.root)/c/a"],"mask":{"fieldPaths":["y"]}}"#
      )
      #expect(elements.count == 2)
      let found = try #require(elements.compactMap { $0["found"] as? [String: Any] }.first)
      #expect(try isJSON(found["fields"], #"{"y":{"integerValue":"2"}}"#))
      #expect(elements.compactMap { $0["missing"] as? String } == ["\(client.root)/c/b"])
      #expect(elements.allSatisfy { $0["readTime"] is String })
      #expect(
        try client.failure(
          "POST",
          ":batchGet",
          #"{"documents":["projects/other/databases/(default)/documents/c/a"]}"#
        )
          == "[400 INVALID_ARGUMENT]"
      )
    }
  }

  @Test(arguments: [
    "/c/d?foo=1", "/c?pageSize=abc", "/c?pageSize=-1", "/c?pageToken=abc", "/c?showMissing=2",
    "/c?orderBy=a%20b%20c",
    "/c/__x__", "/c/__id07__", "/c/__id0__", "/c/__id-0__", "/c/__id+7__",
    "/__c__/d", "/c/.", "/c/%FF", "/c/%2", "/c//d", "/c?readTime=now",
  ])
  func aMalformedURLIsRefused(path: String) async throws {
    try await withClient { client async throws in
      #expect(try client.failure("GET", path) == "400 INVALID_ARGUMENT")
    }
  }
}
