import Foundation
import TestSupport
import Testing

@Suite("MiniFirestore, writing", .timeLimit(.minutes(60)))
struct MiniFirestoreWriteTests {
  private let mini: MiniFirestore
  private let client: MiniClient
  private let root = MiniClient.root

  init() throws {
    mini = MiniFirestore()
    try mini.load(jsonLines: #"{"fields":{"a":{"integerValue":"1"},"b":{"integerValue":"2"}},"name":"c/d"}"#)
    client = MiniClient(mini)
  }

  private func update(_ id: String, _ fields: String, _ rest: String = "") -> String {
    #"{"update":{"name":"\#(root)/c/\#(id)","fields":\#(fields)}\#(rest)}"#
  }

  private func commit(_ writes: String...) throws -> MiniClient.Object {
    try client.post(":commit", #"{"writes":[\#(writes.joined(separator: ","))]}"#)
  }

  private func updateTime(_ id: String) throws -> String {
    try #require(mini.document("c/\(id)")).updateTime
  }

  @Test("a write replaces, a mask merges, an empty mask changes nothing, an absent field is deleted")
  func masks() throws {
    _ = try commit(
      update(
        "d",
        #"{"a":{"integerValue":"5"},"z":{"nullValue":null}}"#,
        #","updateMask":{"fieldPaths":["a"]}"#
      )
    )
    #expect(mini.document("c/d")?.fieldsJSON == #"{"a":{"integerValue":"5"},"b":{"integerValue":"2"}}"#)
    let before = try updateTime("d")
    let answer = try commit(update("d", #"{"a":{"integerValue":"9"}}"#, #","updateMask":{}"#))
    #expect(mini.document("c/d")?.fieldsJSON == #"{"a":{"integerValue":"5"},"b":{"integerValue":"2"}}"#)
    let results = try #require(answer["writeResults"] as? [MiniClient.Object])
    #expect(results.first?["updateTime"] as? String == before)
    #expect(try updateTime("d") == before)
    _ = try commit(
      update(
        "d",
        #"{"m":{"mapValue":{"fields":{"x":{"booleanValue":true}}}}}"#,
        #","updateMask":{"fieldPaths":["b","m.x","q.r"]}"#
      )
    )
    #expect(
      mini.document("c/d")?.fieldsJSON
        == #"{"a":{"integerValue":"5"},"m":{"mapValue":{"fields":{"x":{"booleanValue":true}}}}}"#
    )
    _ = try commit(update("d", "{}"))
    #expect(mini.document("c/d")?.fieldsJSON == "{}")
    #expect(mini.writeCount("c/d") == 4)
  }

  @Test("preconditions, each with its code")
  func preconditions() throws {
    let time = try updateTime("d")
    func failure(_ id: String, _ condition: String) throws -> String? {
      try client.commitFailure(update(id, "{}", #","currentDocument":{\#(condition)}"#))
    }
    #expect(try failure("d", #""exists":false"#) == "409 ALREADY_EXISTS")
    #expect(try failure("no", #""exists":true"#) == "404 NOT_FOUND")
    #expect(try failure("no", #""updateTime":"\#(time)""#) == "404 NOT_FOUND")
    #expect(try failure("d", #""updateTime":"2026-01-01T00:00:00.000001Z""#) == "400 FAILED_PRECONDITION")
    #expect(try failure("d", #""updateTime":"2026-01-01T00:00:00.000000001Z""#) == "400 INVALID_ARGUMENT")
    #expect(mini.totalWrites == 0)
    #expect(try failure("d", #""updateTime":"\#(time)""#) == nil)
    #expect(try failure("d", #""updateTime":"\#(time)""#) == "400 FAILED_PRECONDITION")
    #expect(try failure("new", #""exists":false"#) == nil)
    #expect(mini.writtenDocuments.map(\.name) == ["c/d", "c/new"])
    #expect(try client.commitFailure(#"{"delete":"\#(root)/c/ghost"}"#) == nil)
    #expect(
      try client.commitFailure(#"{"delete":"\#(root)/c/ghost","currentDocument":{"exists":true}}"#)
        == "404 NOT_FOUND"
    )
  }

  @Test("a commit is applied as a whole or not at all, in order")
  func atomic() throws {
    let before = mini.snapshot()
    let writes = update("n1", "{}") + "," + update("d", "{}", #","currentDocument":{"exists":false}"#)
    #expect(try client.commitFailure(writes) == "409 ALREADY_EXISTS")
    #expect(mini.snapshot() == before)
    let answer = try commit(
      update("n1", "{}", #","currentDocument":{"exists":false}"#),
      #"{"delete":"\#(root)/c/n1"}"#,
      update("n1", #"{"x":{"nullValue":null}}"#, #","currentDocument":{"exists":false}"#)
    )
    #expect(mini.document("c/n1")?.fieldsJSON == #"{"x":{"nullValue":null}}"#)
    let results = try #require(answer["writeResults"] as? [MiniClient.Object])
    #expect(results.map { $0["updateTime"] != nil } == [true, false, true])
    #expect(mini.writeCount("c/n1") == 3)
    #expect(try client.post(":commit", "{}")["commitTime"] is String)
  }

  @Test("times advance in microseconds")
  func times() throws {
    var last = ""
    for _ in 0..<50 {
      let answer = try commit(update("t", #"{"r":{"stringValue":"\#(last)"}}"#))
      let time = try #require(answer["commitTime"] as? String)
      #expect(time > last)
      #expect(time.utf8.count == "2026-01-01T00:00:00.123456Z".utf8.count)
      last = time
    }
    let document = try #require(mini.document("c/t"))
    #expect(document.updateTime == last)
    #expect(document.createTime < last)
  }

  @Test("transforms")
  func transforms() throws {
    try mini.put(
      "c/t",
      fields:
        #"{"i":{"integerValue":"9223372036854775800"},"l":{"arrayValue":{"values":[{"integerValue":"3"},{"stringValue":"x"}]}}}"#
    )
    let transforms = [
      #"{"fieldPath":"now","setToServerValue":"REQUEST_TIME"}"#,
      #"{"fieldPath":"i","increment":{"integerValue":"100"}}"#,
      #"{"fieldPath":"f","increment":{"doubleValue":1.5}}"#,
      #"{"fieldPath":"l","appendMissingElements":{"values":[{"doubleValue":3},{"stringValue":"y"}]}}"#,
      #"{"fieldPath":"l","removeAllFromArray":{"values":[{"stringValue":"x"}]}}"#,
    ].joined(separator: ",")
    let answer = try commit(update("t", "{}", #","updateMask":{},"updateTransforms":[\#(transforms)]"#))
    let fields = try #require(mini.document("c/t")).fields() as? [String: MiniClient.Object]
    #expect(fields?["i"]?["integerValue"] as? String == "9223372036854775807")
    #expect(fields?["f"]?["doubleValue"] as? Double == 1.5)
    let now = try #require(fields?["now"]?["timestampValue"] as? String)
    #expect(now.utf8.count <= "2026-01-01T00:00:00.123Z".utf8.count)
    let list = (fields?["l"]?["arrayValue"] as? MiniClient.Object)?["values"] as? NSArray
    #expect(list == [["integerValue": "3"], ["stringValue": "y"]])
    let results =
      (answer["writeResults"] as? [MiniClient.Object])?.first?["transformResults"] as? [MiniClient.Object]
    #expect(results?.count == 5)
    #expect(results?[3].keys.contains("nullValue") == true)
  }

  @Test(
    "what no service takes",
    arguments: [
      #"{"update":{"name":"ROOT/c/x","fields":{}},"unknown":1}"#,
      #"{"update":{"name":"ROOT/c/x","fields":{},"extra":1}}"#,
      #"{"update":{"name":"projects/other/databases/(default)/documents/c/x"}}"#,
      #"{"update":{"name":"ROOT/c"}}"#, #"{"update":{"name":"ROOT/c/__x__"}}"#,
      #"{"update":{"name":"ROOT/c/.."}}"#,
      #"{"update":{"name":"ROOT/c//d/e"}}"#, #"{"update":{"fields":{}}}"#, #"{}"#,
      #"{"update":{"name":"ROOT/c/x"},"delete":"ROOT/c/x"}"#,
      #"{"update":{"name":"ROOT/c/x"},"updateMask":{"fieldPaths":["a..b"]}}"#,
      #"{"update":{"name":"ROOT/c/x"},"updateMask":{"fieldPaths":["1a"]}}"#,
      #"{"update":{"name":"ROOT/c/x"},"updateMask":{"fieldPaths":["`a"]}}"#,
      #"{"update":{"name":"ROOT/c/x"},"updateMask":{"fieldPaths":["é"]}}"#,
      #"{"update":{"name":"ROOT/c/x"},"updateMask":{"fieldPaths":["__a__"]}}"#,
      #"{"update":{"name":"ROOT/c/x"},"updateMask":{"fieldPaths":["a."]}}"#,
      #"{"update":{"name":"ROOT/c/x"},"currentDocument":{"exists":true,"updateTime":"2026-01-01T00:00:00Z"}}"#,
      #"{"update":{"name":"ROOT/c/x"},"updateTransforms":[{"fieldPath":"a"}]}"#,
      #"{"update":{"name":"ROOT/c/x","fields":{"__a__":{"nullValue":null}}}}"#,
      #"{"update":{"name":"ROOT/c/x","fields":{"":{"nullValue":null}}}}"#,
      #"{"delete":"ROOT/c/x","updateMask":{}}"#, #"{"delete":null}"#,
    ]
  )
  func refusedWrites(_ write: String) throws {
    let text = write.replacingOccurrences(of: "ROOT", with: root)
    #expect(try client.commitFailure(text) == "400 INVALID_ARGUMENT")
    #expect(mini.totalWrites == 0)
  }

  @Test(
    "values that no service takes",
    arguments: [
      "{}", #"{"stringValue":"a","nullValue":null}"#, #"{"unknownValue":1}"#, #"{"stringValue":1}"#,
      #"{"integerValue":"9223372036854775808"}"#, #"{"integerValue":5.5}"#, #"{"doubleValue":"inf"}"#,
      #"{"doubleValue":1e400}"#, #"{"timestampValue":"2026-01-02T03:04:05"}"#,
      #"{"timestampValue":"2026-02-30T00:00:00Z"}"#, #"{"bytesValue":"*"}"#, #"{"referenceValue":"c/d"}"#,
      #"{"geoPointValue":{"latitude":91}}"#, #"{"geoPointValue":{"lat":1}}"#,
      #"{"arrayValue":{"values":[{"arrayValue":{}}]}}"#,
      #"{"mapValue":{"fields":{"__x__":{"nullValue":null}}}}"#,
      #"{"stringValue":"\ud800"}"#, #"{"stringValue":"a","stringValue":"b"}"#, #"{"nullValue":0}"#,
    ]
  )
  func refusedValues(_ value: String) throws {
    #expect(try client.commitFailure(update("x", #"{"f":\#(value)}"#)) == "400 INVALID_ARGUMENT")
  }

  @Test("depth of 20, 500 writes, 10 MiB: not one more")
  func limits() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: #"{"mapValue":{"fields":{"m":"#, count: depth) + #"{"nullValue":null}"#
        + String(repeating: "}}}", count: depth)
    }
    #expect(try client.commitFailure(update("x", #"{"f":\#(nested(20))}"#)) == nil)
    #expect(try client.commitFailure(update("x", #"{"f":\#(nested(21))}"#)) == "400 INVALID_ARGUMENT")
    func many(_ count: Int) -> String { (0..<count).map { update("w\($0)", "{}") }.joined(separator: ",") }
    #expect(try client.commitFailure(many(500)) == nil)
    #expect(try client.commitFailure(many(501)) == "400 INVALID_ARGUMENT")
    let large = update("x", #"{"f":{"stringValue":"\#(String(repeating: "x", count: 10 << 20))"}}"#)
    #expect(try client.commitFailure(large) == "400 INVALID_ARGUMENT")
    var bare = client
    bare.headers = [HTTPField("Content-Type", "application/x-www-form-urlencoded")]
    #expect(try bare.failure("POST", ":commit", "{}") == "400 INVALID_ARGUMENT")
  }

  @Test("a document of 1,048,572 bytes by the published formula, and not one more")
  func documentSize() throws {
    // c/s is 2 + 2 + 16, the two field names 2 each, every string its bytes and one, the document 32.
    func fields(_ rest: Int) -> String {
      let first = String(repeating: "x", count: 1_000_000)
      let second = String(repeating: "y", count: 1_048_572 - 20 - 4 - 1_000_001 - 1 - 32 + rest)
      return #"{"a":{"stringValue":"\#(first)"},"b":{"stringValue":"\#(second)"}}"#
    }
    #expect(try client.commitFailure(update("s", fields(0))) == nil)
    #expect(try client.commitFailure(update("s", fields(1))) == "400 INVALID_ARGUMENT")
  }

  @Test("a body nested as deeply as JSON goes is refused, not stumbled over", arguments: [400, 100_000])
  func deepBody(depth: Int) async throws {
    let body = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    try await HTTPTestServer.withServer(mini.handler) { server in
      let answer = try await exchange(server, "POST", "/v1/\(root):commit", body: body)
      #expect(answer.status == 400)
    }
  }

  @Test("batchWrite answers for each write")
  func batchWrite() throws {
    let writes = [
      update("n", "{}"), update("d", "{}", #","currentDocument":{"exists":false}"#),
      #"{"delete":"\#(root)/c/no"}"#,
    ]
    let answer = try client.post(":batchWrite", #"{"writes":[\#(writes.joined(separator: ","))]}"#)
    let status = try #require(answer["status"] as? [MiniClient.Object])
    #expect(status.map { $0["code"] as? Int } == [nil, 6, nil])
    #expect((answer["writeResults"] as? [MiniClient.Object])?.count == 3)
    #expect(mini.document("c/n") != nil)
    let twice = #"{"writes":[\#(writes[0]),\#(writes[0])]}"#
    #expect(try client.failure("POST", ":batchWrite", twice) == "400 INVALID_ARGUMENT")
  }

  @Test("one document at a time: create, patch, delete")
  func single() throws {
    let body = #"{"fields":{"x":{"integerValue":7}}}"#
    #expect(MiniClient.id(try client.post("/c?documentId=n%C3%A9", body)["name"]) == "né")
    #expect(try client.failure("POST", "/c?documentId=n%C3%A9", body) == "409 ALREADY_EXISTS")
    #expect(MiniClient.id(try client.post("/c", body)["name"]).count == 20)
    let patched = try client.object(
      client.send("PATCH", "/c/d?updateMask.fieldPaths=x&updateMask.fieldPaths=a", body)
    )
    #expect((patched["fields"] as? MiniClient.Object)?.keys.sorted() == ["b", "x"])
    #expect(try client.failure("PATCH", "/c/no?currentDocument.exists=true", body) == "404 NOT_FOUND")
    #expect(try client.failure("DELETE", "/c/d?currentDocument.exists=maybe") == "400 INVALID_ARGUMENT")
    #expect(client.send("DELETE", "/c/d")?.status == 200)
    #expect(mini.document("c/d") == nil)
  }

  @Test("a hook before a commit may write, as others do")
  func hook() throws {
    let mini = mini
    let time = try updateTime("d")
    mini.setBeforeCommit { number, _ in
      if number == 0 { try? mini.put("c/d", fields: #"{"other":{"nullValue":null}}"#) }
    }
    let write = update("d", "{}", #","currentDocument":{"updateTime":"\#(time)"}"#)
    #expect(try client.commitFailure(write) == "400 FAILED_PRECONDITION")
    #expect(mini.totalWrites == 0)
  }

  @Test("what was written is what a snapshot returns, whatever the spelling")
  func snapshots() throws {
    let lines = [
      #"{"fields":{"b":{"doubleValue":1.0},"a":{"integerValue":7}},"name":"z/é"}"#,
      #"{"name":"\#(root)/z/a","fields":{"m":{"mapValue":{}},"l":{"arrayValue":{"values":[]}}}}"#,
    ].joined(separator: "\n")
    let loaded = MiniFirestore()
    try loaded.load(jsonLines: lines)
    #expect(try loaded.snapshot() == MiniFirestore.canonical(jsonLines: lines))
    #expect(loaded.snapshot().map(\.name) == ["z/a", "z/é"])
    let again = MiniFirestore()
    try again.load(jsonLines: loaded.snapshot().map(\.jsonLine).joined(separator: "\n"))
    #expect(again.snapshot() == loaded.snapshot())
    let composed = try MiniFirestore.canonical(jsonLines: "{\"name\":\"c/\u{e9}\"}")
    #expect(try MiniFirestore.canonical(jsonLines: "{\"name\":\"c/e\u{301}\"}") != composed)
    try again.put("z/é", fields: #"{"a":{"doubleValue":7},"b":{"doubleValue":1}}"#)
    #expect(again.snapshot() != loaded.snapshot())
  }

  @Test("tokens are given out, wear out, and are needed")
  func authorization() throws {
    var options = MiniFirestore.Options()
    options.requiresAuthorization = true
    options.requestsPerToken = 2
    let mini = MiniFirestore(options)
    var client = MiniClient(mini)
    #expect(try client.failure("GET", "/c") == "403 PERMISSION_DENIED")
    client.headers = [HTTPField("Authorization", "Bearer t1")]
    #expect(try client.failure("GET", "/c") == "401 UNAUTHENTICATED")
    let grant = "grant_type=refresh_token&refresh_token=r&client_id=c&client_secret=s"
    #expect(try client.post("/token", grant)["access_token"] as? String == "t1")
    #expect(try client.post("/token", "grant_type=other")["error"] as? String == "invalid_request")
    #expect(try client.failure("GET", "/c") == nil)
    #expect(try client.failure("GET", "/c") == nil)
    #expect(try client.failure("GET", "/c") == "401 UNAUTHENTICATED")
    let refusal = String(decoding: client.send("POST", ":runQuery", "{}")?.body ?? [], as: UTF8.self)
    #expect(refusal.hasPrefix("["))
    #expect(refusal.contains("ACCESS_TOKEN_EXPIRED"))
    #expect(try client.post("/token", grant)["access_token"] as? String == "t2")
    client.headers = [HTTPField("Authorization", "Bearer t2")]
    #expect(try client.failure("GET", "/c") == nil)
    #expect(mini.tokensIssued == 2)
    #expect(mini.requestCount(.list) == 6)
  }
}
