import Dispatch
import TestSupport
import Testing

@Suite("HTTP test server", .timeLimit(.minutes(60)))
struct HTTPTestServerTests {
  private static let body = Array(String(repeating: "0123456789", count: 100).utf8)
  private static let response = TestResponse(200, body: body)

  @Test("records requests, raw and decoded")
  func request() async throws {
    try await HTTPTestServer.withServer({ .json(#"{"path":"\#($0.rawPath)"}"#) }) { server in
      let answer = try await exchange(
        server,
        "POST",
        "/v1/a%2Fb/%C3%A9%253A?x=1%2B+2&y&x=%26",
        body: "{}",
        headers: ["X-Thing: a: b"]
      )
      #expect(answer.status == 200)
      #expect(answer.text == #"{"path":"/v1/a%2Fb/%C3%A9%253A"}"#)
      #expect(server.url == "http://\(server.host)")
      let request = try #require(server.requests.first)
      #expect(request.target == "/v1/a%2Fb/%C3%A9%253A?x=1%2B+2&y&x=%26")
      #expect(request.path == "/v1/a/b/é%3A")
      #expect(request.query == [HTTPField("x", "1+ 2"), HTTPField("y", ""), HTTPField("x", "&")])
      #expect(request.header("x-thing") == "a: b")
      #expect(request.text == "{}")
    }
  }

  @Test("keeps a connection, counts requests by kind")
  func keepAlive() async throws {
    try await HTTPTestServer.withServer({ .json("\($0.index) \($0.kindIndex)") }) { server in
      let client = try RawClient(port: server.port)
      let get = "GET /v1/projects/p/databases/d/documents/c/x HTTP/1.1\r\nHost: t\r\n\r\n"
      await client.send(get + "GET /other HTTP/1.1\r\n\r\n" + get)
      #expect(await client.receive().text == "0 0")
      #expect(await client.receive().text == "1 0")
      #expect(await client.receive().text == "2 1")
      #expect(server.connectionCount == 1)
      #expect(server.requests(.get).count == 2)
      #expect(server.requests.map(\.connection) == [0, 0, 0])
      #expect(server.requests[0].time <= server.requests[2].time)
    }
  }

  @Test("takes chunks, and asks for a body that waits to be asked for")
  func bodies() async throws {
    try await HTTPTestServer.withServer({ .respond(body: $0.body) }) { server in
      let client = try RawClient(port: server.port)
      await client.send(
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\n\r\n"
      )
      #expect(await client.receive().text == "abcdefg")
      await client.send("POST / HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
      #expect(await client.receive().status == 100)
      await client.send("hello")
      #expect(await client.receive().text == "hello")
      let large = [UInt8](repeating: 0x61, count: 16 << 20)
      await client.send("POST / HTTP/1.1\r\nContent-Length: \(large.count)\r\n\r\n")
      await client.send(large)
      #expect(await client.receive().body == large)
      await client.send("POST / HTTP/1.1\r\nContent-Length: \(large.count + 1)\r\n\r\n")
      let refusal = await client.receive()
      #expect(refusal.status == 413)
      #expect(server.connectionCount == 1)
      #expect(await client.receive().ending == .closed)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var reaction: Reaction
    var status = 200
    var ending = RawAnswer.CommandResult.complete
    var received: Int
  }

  private static let cases = [
    Case(testDescription: "response", reaction: .response(response), received: 1000),
    Case(testDescription: "status", reaction: .respond(503), status: 503, received: 0),
    Case(testDescription: "chunked", reaction: .chunked(response, chunk: 300), received: 1000),
    Case(testDescription: "then close", reaction: .responseThenClose(response), received: 1000),
    Case(testDescription: "drop", reaction: .dropConnection, status: 0, ending: .closed, received: 0),
    Case(testDescription: "reset", reaction: .reset, status: 0, ending: .reset, received: 0),
    Case(
      testDescription: "half",
      reaction: .halfBody(response, fraction: 0.5),
      ending: .closed,
      received: 500
    ),
    Case(
      testDescription: "all but",
      reaction: .halfBody(response, fraction: 1),
      ending: .closed,
      received: 999
    ),
    Case(
      testDescription: "truncated chunks",
      reaction: .truncatedChunked(response, fraction: 0.3),
      ending: .closed,
      received: 300
    ),
    Case(
      testDescription: "drip",
      reaction: .drip(response, chunk: 250, interval: .milliseconds(1)),
      received: 1000
    ),
    Case(
      testDescription: "delayed",
      reaction: .delayed(.milliseconds(5), .response(response)),
      received: 1000
    ),
  ]

  @Test("misbehaves as it is told", arguments: cases)
  func reaction(_ test: Case) async throws {
    try await HTTPTestServer.withServer({ _ in test.reaction }) { server in
      let answer = try await exchange(server)
      #expect(answer.status == test.status)
      #expect(answer.ending == test.ending)
      #expect(answer.body == Array(Self.body[..<test.received]))
      #expect(server.requests.count == 1)
    }
  }

  @Test("resets in the middle of a body")
  func resetInBody() async throws {
    try await HTTPTestServer.withServer({ _ in .halfBodyThenReset(Self.response, fraction: 0.5) }) { server in
      let answer = try await exchange(server)
      #expect(answer.ending == .reset)
      // What was sent before a reset may be lost with it.
      #expect(answer.body.count <= 500)
    }
  }

  @Test("answers HTML")
  func html() async throws {
    try await HTTPTestServer.withServer({ _ in .html(502) }) { server in
      let answer = try await exchange(server)
      #expect(answer.status == 502)
      #expect(answer.head.contains("Content-Type: text/html"))
      #expect(!answer.head.contains("application/json"))
      #expect(answer.text.hasPrefix("<!DOCTYPE html>"))
    }
  }

  @Test("refuses before the body is read")
  func onHead() async throws {
    try await HTTPTestServer.withServer(
      { _ in .json("{}") },
      onHead: { $0.method == "POST" ? .respond(429) : $0.method == "PUT" ? .dropConnection : nil }
    ) { server in
      let client = try RawClient(port: server.port)
      await client.send("POST / HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
      #expect(await client.receive().status == 429)
      #expect(try await exchange(server, "PUT").status == 0)
      #expect(try await exchange(server, "GET").status == 200)
      #expect(server.requests.map(\.method) == ["POST", "PUT", "GET"])
    }
  }

  @Test("stalls until the server is closed")
  func stall() async throws {
    let (asked, signal) = AsyncStream.makeStream(of: Void.self)
    let handler: RequestHandler = { _ in
      signal.yield()
      return .stall
    }
    let client = try await HTTPTestServer.withServer(handler) { server in
      let client = try RawClient(port: server.port)
      await client.send("GET / HTTP/1.1\r\n\r\n")
      for await _ in asked { break }
      return client
    }
    let answer = await client.receive()
    #expect(answer.status == 0)
    #expect(answer.ending == .closed)
  }

  @Test("stalls in the middle of a body until the client goes")
  func stallInBody() async throws {
    let reaction = Reaction.stallInBody(Self.response, fraction: 0.1)
    let client = try await HTTPTestServer.withServer({ _ in reaction }) { server in
      let leaving = try RawClient(port: server.port)
      await leaving.send("GET / HTTP/1.1\r\n\r\n")
      await leaving.waitForBody(100)
      let staying = try RawClient(port: server.port)
      await staying.send("GET / HTTP/1.1\r\n\r\n")
      await staying.waitForBody(100)
      return staying
    }
    let answer = await client.receive()
    #expect(answer.body == Array(Self.body[..<100]))
    #expect(answer.ending == .closed)
  }

  @Test("answers several at once")
  func concurrency() async throws {
    let second = DispatchSemaphore(value: 0)
    let handler: RequestHandler = { request in
      if request.index == 0 { second.wait() } else { second.signal() }
      return .json("{}")
    }
    try await HTTPTestServer.withServer(handler) { server in
      async let first = exchange(server)
      async let other = exchange(server)
      let statuses = try await [first.status, other.status]
      #expect(statuses == [200, 200])
      #expect(server.peakConcurrency == 2)
      #expect(server.connectionCount == 2)
    }
  }

  struct Kind: Sendable {
    var method: String
    var path: String
    var kind: RequestKind
  }

  @Test(
    "distinguishes the kinds of requests",
    arguments: [
      Kind(method: "GET", path: "/c", kind: .list), Kind(method: "GET", path: "/c/d", kind: .get),
      Kind(method: "GET", path: "/c/a%3Ab", kind: .get), Kind(method: "POST", path: "/c", kind: .create),
      Kind(method: "PATCH", path: "/c/d", kind: .patch), Kind(method: "DELETE", path: "/c/d", kind: .delete),
      Kind(method: "POST", path: ":commit", kind: .commit),
      Kind(method: "POST", path: ":batchWrite", kind: .batchWrite),
      Kind(method: "POST", path: ":batchGet", kind: .batchGet),
      Kind(method: "POST", path: "/c/d:runQuery", kind: .runQuery),
      Kind(method: "POST", path: ":runAggregationQuery", kind: .aggregation),
      Kind(method: "POST", path: "/c/d:listCollectionIds", kind: .listCollectionIds),
      Kind(method: "POST", path: "/c/d", kind: .other),
    ]
  )
  func kinds(_ test: Kind) {
    let path = "/v1/projects/p/databases/(default)/documents\(test.path)?x=y/z:w"
    #expect(TestRequest(method: test.method, target: path).kind == test.kind)
    #expect(TestRequest(method: "POST", target: "/token").kind == .token)
  }
}
