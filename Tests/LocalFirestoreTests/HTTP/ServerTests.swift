import Foundation
import LocalFirestore
import Testing

/// HTTP as used by clients.
@Suite struct ServerTests {
  /// The headers that every request must have.
  private static let usual = "Host: localhost\r\nContent-Type: application/json\r\n"

  @Test func theServerSaysThatItIsThere() async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let answer = try RESTClient(server.endpoint).send("GET", "/")
      #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == "Ok\n")
    }
  }

  @Test func requestsFollowEachOtherOnOneConnectionAlsoUnanswered() async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let client = try RESTClient(server.endpoint)
      // Two in one packet; the end of the second in another.
      let second = RESTClient.request("POST", "/v1/\(client.root):listCollectionIds", #"{"pageSize":1}"#)
      try client.write(RESTClient.request("GET", "/") + second.dropLast(5))
      #expect(try client.readAnswer().status == 200)
      try client.write(second.suffix(5))
      #expect(String(decoding: try client.readAnswer().body, as: UTF8.self) == "{}")
    }
  }

  @Test func aBodyOfTenMebibytesIsTakenAndALargerOneRefused() async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let client = try RESTClient(server.endpoint)
      let padding = { (count: Int) in "{" + String(repeating: " ", count: count - 2) + "}" }
      #expect(try client.call("POST", ":listCollectionIds", padding(10 << 20)).status == 200)
      #expect(
        try client.failure("POST", ":listCollectionIds", padding((10 << 20) + 1)) == "400 INVALID_ARGUMENT"
      )
      #expect(try client.call("GET", "/c").status == 200, "the connection is still usable")
    }
  }

  @Test func aBodyComesInChunksOrAfterAWord() async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let client = try RESTClient(server.endpoint)
      let head = "POST /v1/\(client.root):listCollectionIds HTTP/1.1\r\n\(Self.usual)"
      try client.write(
        Array((head + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n5;x=y\r\n    }\r\n0\r\n\r\n").utf8)
      )
      #expect(try client.readAnswer().status == 200)
      try client.write(Array((head + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n").utf8))
      #expect(try client.readAnswer().status == 100)
      try client.write(Array("{}".utf8))
      #expect(try client.readAnswer().status == 200)
    }
  }

  @Test(arguments: [
    "GARBAGE\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    "GET / HTTP/1.1\r\nnocolon\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length : 37\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length\t: 37\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: +2\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 2, 2\r\n\r\n",
  ])
  func whatIsNoHTTPIsAnsweredAndCut(request: String) async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let client = try RESTClient(server.endpoint)
      try client.write(Array(request.utf8))
      let answer = try client.readAnswer()
      #expect(answer.status == 400 && answer.headers["connection"] == "close")
      #expect(throws: RESTClient.Broken.self) { try client.readAnswer() }
    }
  }

  private static func chunkedHead(_ client: RESTClient) -> String {
    "POST /v1/\(client.root):listCollectionIds HTTP/1.1\r\n\(usual)Transfer-Encoding: chunked\r\n\r\n"
  }

  @Test(arguments: ["fffffffffffffff", "7ffffffffffffff", "10000001"])
  func aChunkThatIsLargerThanAllThatIsReadCutsTheConnection(size: String) async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let client = try RESTClient(server.endpoint)
      try client.write(Array("\(Self.chunkedHead(client))1\r\n{\r\n\(size)\r\n".utf8))
      #expect(throws: RESTClient.Broken.self) { try client.readAnswer() }
      #expect(try RESTClient(server.endpoint).call("GET", "/c").status == 200, "the server is still there")
    }
  }

  /// `Int` accepts a sign, which other servers on the way may read as another size.
  @Test(arguments: [
    "+1", "-1", "+0", "-0", "", "x", "0x1", "1_0", "١", "0000000000000001", "7fffffffffffffff",
  ])
  func aChunkSizeThatIsNotHexadecimalIsAnsweredAndCut(size: String) async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let client = try RESTClient(server.endpoint)
      try client.write(Array("\(Self.chunkedHead(client))1\r\n{\r\n\(size)\r\n}\r\n0\r\n\r\n".utf8))
      let answer = try client.readAnswer()
      #expect(answer.status == 400 && answer.headers["connection"] == "close")
      #expect(throws: RESTClient.Broken.self) { try client.readAnswer() }
    }
  }

  @Test func aClientThatSendsNothingMoreIsCut() async throws {
    var limits = LocalFirestoreServer.Limits()
    limits.receiveTimeout = 0.05
    try await LocalFirestoreServer.withServer(dataFile: nil, limits: limits) { server in
      for start in ["", "GET / HT", "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{"] {
        let client = try RESTClient(server.endpoint)
        try client.write(Array(start.utf8))
        #expect(throws: RESTClient.Broken.self) { try client.readAnswer() }
      }
    }
  }

  @Test func bodiesThatAreHeldTogetherHaveALimit() async throws {
    var limits = LocalFirestoreServer.Limits()
    limits.heldBodyBytes = 1000
    try await LocalFirestoreServer.withServer(dataFile: nil, limits: limits) { server in
      let (first, second) = (try RESTClient(server.endpoint), try RESTClient(server.endpoint))
      let head = "POST /v1/\(first.root):listCollectionIds HTTP/1.1\r\n\(Self.usual)"
      let body = "{" + String(repeating: " ", count: 598) + "}"
      // Its bytes are reserved before the server asks for them.
      try first.write(Array((head + "Expect: 100-continue\r\nContent-Length: 600\r\n\r\n").utf8))
      #expect(try first.readAnswer().status == 100)
      try second.write(Array((head + "Content-Length: 600\r\n\r\n" + body).utf8))
      #expect(try second.readAnswer().status == 503)
      try second.write(
        Array((head + "Transfer-Encoding: chunked\r\n\r\n258\r\n" + body + "\r\n0\r\n\r\n").utf8)
      )
      #expect(try second.readAnswer().status == 503)
      #expect(try second.call("POST", ":listCollectionIds", "{}").status == 200, "a small one fits")
      try first.write(Array(body.utf8))
      #expect(try first.readAnswer().status == 200)
      // The first one's bytes are released shortly after its response is written.
      var status = 503
      while status == 503 { status = try second.call("POST", ":listCollectionIds", body).status }
      #expect(status == 200)
    }
  }

  @Test func manyConnectionsAreServedAtOnce() async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let clients = try (0..<64).map { _ in try RESTClient(server.endpoint, project: "p") }
      for client in clients { try client.write(RESTClient.request("POST", "/v1/\(client.root)/c", "{}")) }
      for client in clients { #expect(try client.readAnswer().status == 200) }
      #expect(try clients[0].list("/c").count == 64)
    }
  }

  @Test func databasesAreApartAndTheirIDsChecked() async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let first = try RESTClient(server.endpoint, project: "p")
      let second = try RESTClient(server.endpoint, project: "p", database: "test")
      let third = try RESTClient(server.endpoint, project: "q")
      for client in [first, second, third] { #expect(try client.list("/c").isEmpty) }
      try first.commit(first.set("c/d"))
      try second.commit(second.set("c/e"))
      #expect(try first.list("/c") == ["c/d"] && second.list("/c") == ["c/e"] && third.list("/c") == [])
      #expect(
        try first.failure("POST", ":commit", #"{"writes":[\#(second.set("c/x"))]}"#) == "400 INVALID_ARGUMENT"
      )
      let listed = try #require(try first.send("GET", "/v1/projects/p/databases").json as? [String: Any])
      let names = (listed["databases"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
      #expect(names == ["projects/p/databases/(default)", "projects/p/databases/test"])
      for id in [
        "abc", "Test", "1abc", "abcd-", "a_cd", String(repeating: "a", count: 64),
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
      ] {
        #expect(try first.send("GET", "/v1/projects/p/databases/\(id)/documents/c").status == 400, "\(id)")
      }
      #expect(try first.send("DELETE", "/emulator/v1/projects/p/databases/(default)/documents").status == 200)
      #expect(try first.list("/c").isEmpty && second.list("/c") == ["c/e"])
    }
  }

  @Test(arguments: ["/v2/x", "/v1/projects/p", "/v1/projects/p/databases/(default)/other"])
  func whatIsNotThereIsNotFound(target: String) async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server async throws in
      #expect(try RESTClient(server.endpoint).send("GET", target).status == 404)
    }
  }

  @Test func theServerStopsWithAnOpenConnection() async throws {
    let client = try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let client = try RESTClient(server.endpoint)
      #expect(try client.call("GET", "/c").status == 200)
      return client
    }
    #expect(throws: RESTClient.Broken.self) { try client.call("GET", "/c") }
  }
}
