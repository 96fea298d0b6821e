import CZlib
import Synchronization
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("curl transport", .timeLimit(.minutes(60)))
struct CurlTransportTests {
  private func get(_ url: String, timeout: Double = 30, maximum: Int = 1 << 20) -> HTTPRequest {
    HTTPRequest(method: "GET", url: url, timeout: timeout, maximumBodyBytes: maximum)
  }

  private func post(_ url: String, _ body: [UInt8], timeout: Double = 30) -> HTTPRequest {
    HTTPRequest(
      method: "POST",
      url: url,
      headers: [("Content-Type", "application/json")],
      body: body,
      timeout: timeout
    )
  }

  private func kind(_ body: () async throws -> HTTPResponse) async -> TransportError.Kind? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? TransportError)?.kind
    }
  }

  private func bytes(_ count: Int) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(count))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x3F) + 0x20 }
  }

  /// A gzip member, as RFC 1952 has it.
  private func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard deflateInit2_(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK else {
      return []
    }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count + 1024)
    let produced = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        _ = deflate(&stream, Z_FINISH)
        return target.count - Int(stream.avail_out)
      }
    }
    return Array(output.prefix(produced))
  }

  @Test("One connection serves sequential requests, and bodies are complete")
  func keepAlive() async throws {
    try await HTTPTestServer.withServer({ .respond(201, body: $0.body.reversed()) }) { server in
      let transport = CurlTransport()
      for size in [0, 1, 100, 70_000, 3_000_000] {
        let body = bytes(size)
        let response = try await transport.send(
          HTTPRequest(method: "POST", url: server.url + "/x", body: body, maximumBodyBytes: 4 << 20)
        )
        #expect(response.status == 201)
        #expect(response.body == body.reversed())
        #expect(response.wireBytes == size)
      }
      #expect(server.connectionCount == 1)
      #expect(server.requests.allSatisfy { $0.header("Expect") == nil })
      #expect(server.requests.map { $0.header("Content-Length") } == ["0", "1", "100", "70000", "3000000"])
    }
  }

  @Test("64 concurrent requests get their own responses")
  func parallel() async throws {
    try await HTTPTestServer.withServer({ .delayed(.milliseconds(20), .respond(body: Array($0.target.utf8))) }
    ) {
      server in
      let transport = CurlTransport()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<256 {
          group.addTask {
            let response = try await transport.send(self.get("\(server.url)/n/\(index)"))
            #expect(response.body == Array("/n/\(index)".utf8))
          }
        }
        try await group.waitForAll()
      }
      #expect(server.connectionCount <= 64)
      #expect(server.requests.count == 256)
    }
  }

  @Test("Bodies are decompressed, and the bytes received are counted separately")
  func gzipBody() async throws {
    let plain = [UInt8](repeating: 0x61, count: 200_000)
    let packed = gzip(plain)
    #expect(packed.count < 1000)
    try await HTTPTestServer.withServer({ _ in
      .respond(headers: [HTTPField("Content-Encoding", "gzip")], body: packed)
    }) { server in
      let transport = CurlTransport()
      let response = try await transport.send(get(server.url + "/"))
      #expect(response.body == plain)
      #expect(response.wireBytes == packed.count)
      #expect(server.requests[0].header("Accept-Encoding")?.contains("gzip") == true)
      // What is capped is what it becomes.
      let small = await kind { try await transport.send(get(server.url + "/", maximum: 199_999)) }
      #expect(small == .bodyTooLarge)
      let next = try await transport.send(get(server.url + "/", maximum: 200_000))
      #expect(next.body.count == 200_000)
    }
  }

  @Test("A damaged gzip body is not a response")
  func damagedGzip() async throws {
    var packed = gzip(bytes(20_000))
    for index in 5000..<5020 { packed[index] ^= 0xFF }
    let body = packed
    try await HTTPTestServer.withServer({ _ in
      .respond(headers: [HTTPField("Content-Encoding", "gzip")], body: body)
    }) { server in
      let result = await kind { try await CurlTransport().send(get(server.url + "/")) }
      #expect(result == .lost)
    }
  }

  @Test("A truncated gzip body is not a response, even if the transfer was whole")
  func truncatedGzip() async throws {
    let body = Array(gzip(bytes(20_000)).dropLast(5))
    try await HTTPTestServer.withServer({ _ in
      .respond(headers: [HTTPField("Content-Encoding", "gzip")], body: body)
    }) { server in
      let transport = CurlTransport()
      let result = await kind { try await transport.send(get(server.url + "/")) }
      #expect(result == .lost)
      // Whoever wants it as it is gets it.
      var request = get(server.url + "/")
      request.decompresses = false
      let response = try await transport.send(request)
      #expect(response.body == body)
    }
  }

  @Test("Endless compressed data ends the transfer, whatever it would become")
  func endlessGzip() async throws {
    let body = [UInt8](repeating: 0, count: 200_000)
    try await HTTPTestServer.withServer({ _ in
      .chunked(TestResponse(headers: [HTTPField("Content-Encoding", "gzip")], body: body), chunk: 1000)
    }) { server in
      let result = await kind { try await CurlTransport().send(get(server.url + "/", maximum: 100_000)) }
      #expect(result == .bodyTooLarge)
    }
  }

  @Test("A body over the cap ends the transfer, announced or not")
  func cap() async throws {
    let body = bytes(100_000)
    try await HTTPTestServer.withServer({ request in
      request.target == "/chunked"
        ? .chunked(TestResponse(body: body), chunk: 1000) : .respond(body: body)
    }) { server in
      let transport = CurlTransport()
      for path in ["/chunked", "/plain"] {
        let over = await kind { try await transport.send(get(server.url + path, maximum: 99_999)) }
        #expect(over == .bodyTooLarge)
        let next = try await transport.send(get(server.url + path, maximum: 100_000))
        #expect(next.body == body)
      }
    }
  }

  @Test("Every interruption is a lost response, and the next request is served")
  func brokenAnswers() async throws {
    let body = bytes(50_000)
    let reactions: [Reaction] = [
      .dropConnection, .reset, .halfBody(TestResponse(body: body), fraction: 0.5),
      .halfBodyThenReset(TestResponse(body: body), fraction: 0.5),
      .truncatedChunked(TestResponse(body: body), fraction: 0.5),
      .halfBody(TestResponse(body: body), fraction: 0),
    ]
    try await HTTPTestServer.withServer({ request in
      Int(request.target.dropFirst()).map { reactions[$0] } ?? .respond()
    }) { server in
      let transport = CurlTransport()
      for index in reactions.indices {
        let got = await kind { try await transport.send(get("\(server.url)/\(index)")) }
        #expect(got == .lost, "GET \(index)")
        let posted = await kind { try await transport.send(post("\(server.url)/\(index)", [1, 2, 3])) }
        #expect(posted == .lost, "POST \(index)")
        let next = try await transport.send(self.get(server.url + "/ok"))
        #expect(next.status == 200)
      }
    }
  }

  @Test("curl does not resend a POST that was applied on a kept-alive connection that then closed")
  func noSecondPost() async throws {
    for size in [1, 3000, 200_000] {
      try await HTTPTestServer.withServer({ request in
        switch request.target {
        case "/apply": .dropConnection
        case "/reset": .reset
        default: .respond()
        }
      }) { server in
        let transport = CurlTransport()
        for target in ["/apply", "/reset"] {
          _ = try await transport.send(get(server.url + "/warm"))
          let before = server.connectionCount
          let result = await kind { try await transport.send(post(server.url + target, bytes(size))) }
          #expect(result == .lost)
          let seen = server.requests.filter { $0.target == target }
          #expect(seen.count == 1)
          // It went over the connection that was kept, which is where curl would repeat it.
          #expect(seen.first.map { $0.connection < before } == true)
        }
      }
    }
  }

  @Test("A kept-alive connection that the server has closed is replaced without an error")
  func closedIdle() async throws {
    try await HTTPTestServer.withServer({ _ in .responseThenClose(TestResponse(body: [1])) }) { server in
      let transport = CurlTransport()
      for _ in 0..<10 {
        let result = await kind { try await transport.send(post(server.url + "/", [1])) }
        // The close may arrive between the check and the sending; it is never another error.
        #expect(result == nil || result == .lost)
      }
      #expect(server.requests.count <= 10)
    }
  }

  @Test("A time-out is a lost response, before or during the response")
  func timeouts() async throws {
    try await HTTPTestServer.withServer({ request in
      request.target == "/body" ? .stallInBody(TestResponse(body: [1, 2, 3, 4]), fraction: 0.5) : .stall
    }) { server in
      let transport = CurlTransport()
      for target in ["/head", "/body"] {
        let result = await kind { try await transport.send(get(server.url + target, timeout: 0.2)) }
        #expect(result == .lost)
      }
    }
  }

  @Test("Without a listener nothing was sent")
  func refused() async throws {
    let port = try await HTTPTestServer.withServer({ _ in .respond() }) { $0.port }
    let transport = CurlTransport()
    let result = await kind { try await transport.send(post("http://127.0.0.1:\(port)/", [1])) }
    #expect(result == .notConnected)
    let unknown = await kind { try await transport.send(get("http://no-such-host.invalid/", timeout: 5)) }
    #expect(unknown == .notConnected)
    for url in ["ftp://127.0.0.1/x", "file:///etc/passwd", "http://", "gopher://127.0.0.1:70/"] {
      let result = await kind { try await transport.send(get(url)) }
      #expect(result == .invalid, "\(url)")
    }
  }

  @Test("A cancelled task returns immediately, even if the server stalls")
  func cancellation() async throws {
    try await HTTPTestServer.withServer({ request in
      request.target == "/body" ? .stallInBody(TestResponse(body: bytes(1000)), fraction: 0.5) : .stall
    }) { server in
      let transport = CurlTransport()
      for target in ["/head", "/body"] {
        let task = Task { await kind { try await transport.send(get(server.url + target, timeout: 60)) } }
        while server.requests.filter({ $0.target == target }).isEmpty { await Task.yield() }
        task.cancel()
        #expect(await task.value == .cancelled)
      }
    }
  }

  @Test("Cancellations that race with their requests all end, and the transport keeps working")
  func cancellationRaces() async throws {
    try await HTTPTestServer.withServer({ $0.target == "/stall" ? .stall : .respond(body: [7]) }) { server in
      let transport = CurlTransport()
      for seed in UInt64(1)...4 {
        var random = SplitMix64(seed: seed)
        await withTaskGroup(of: Void.self) { group in
          for index in 0..<60 {
            let yields = Int.random(in: 0..<20, using: &random)
            let stalls = index % 3 == 0
            group.addTask {
              let task = Task {
                await self.kind {
                  try await transport.send(self.get(server.url + (stalls ? "/stall" : "/quick"), timeout: 60))
                }
              }
              for _ in 0..<yields { await Task.yield() }
              task.cancel()
              let result = await task.value
              #expect(result == .cancelled || (result == nil && !stalls), "seed \(seed)")
            }
          }
        }
      }
      let before = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await kind { try await transport.send(get(server.url + "/never")) }
      }
      #expect(await before.value == .cancelled)
      #expect(!server.requests.contains { $0.target == "/never" })
      let next = try await transport.send(get(server.url + "/quick"))
      #expect(next.body == [7])
    }
  }

  @Test("A released transport does not crash, with or without cancelled requests")
  func release() async throws {
    try await HTTPTestServer.withServer({ $0.target == "/stall" ? .stall : .respond() }) { server in
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<40 {
          group.addTask {
            let task = Task {
              let transport = CurlTransport()
              return await self.kind {
                try await transport.send(
                  self.get(server.url + (index % 2 == 0 ? "/stall" : "/ok"), timeout: 60)
                )
              }
            }
            for _ in 0..<(index * 3) { await Task.yield() }
            task.cancel()
            _ = await task.value
          }
        }
      }
    }
  }

  @Test("Headers have lower-case names; the last of repeated ones counts")
  func headers() async throws {
    let fields = [
      HTTPField("Retry-After", "  7"), HTTPField("X-Twice", "a"), HTTPField("x-twice", "b: c"),
      HTTPField("X-Empty", ""), HTTPField("X-Latin", "caf\u{e9}"),
    ]
    try await HTTPTestServer.withServer({ _ in .respond(429, headers: fields) }) { server in
      let response = try await CurlTransport().send(get(server.url + "/"))
      #expect(response.status == 429)
      #expect(response.headers["retry-after"] == "7")
      #expect(response.headers["x-twice"] == "b: c")
      #expect(response.headers["x-empty"] == "")
      #expect(response.headers["content-length"] == "0")
    }
  }

  @Test("Requests are sent unchanged: method, headers in order, encoding of the path")
  func requests() async throws {
    let targets = [
      "/v1/projects/p/databases/%28default%29/documents/c/a%2Fb%20c%3A%23%3F%25",
      "/v1/x/%C3%A9%F0%9F%98%80?pageToken=%2B%2F%3D%26%25%23%20%C3%A9%22%252B0", "/v1/c/.../..x/a..b",
      "/v1/a/../b/./c",
      "/v1/c/%2E%2E/d", "/v1/c/a~b-c_d.e", "/v1/d:commit?x=%60a%5C%60",
    ]
    try await HTTPTestServer.withServer({ _ in .respond() }) { server in
      let transport = CurlTransport()
      for target in targets { _ = try await transport.send(get(server.url + target)) }
      #expect(server.requests.map(\.target) == targets)
      for method in ["GET", "POST", "PATCH", "DELETE"] {
        _ = try await transport.send(
          HTTPRequest(
            method: method,
            url: server.url + "/m",
            headers: [("Authorization", "Bearer x"), ("x-goog-user-project", "p")],
            body: method == "GET" ? nil : [0x7B]
          )
        )
        let last = try #require(server.requests.last)
        #expect(last.method == method)
        #expect(last.header("Authorization") == "Bearer x")
        #expect(last.header("x-goog-user-project") == "p")
        #expect(last.header("User-Agent")?.hasPrefix("gymmigrate/") == true)
        #expect(last.body == (method == "GET" ? [] : [0x7B]))
      }
    }
  }

  @Test("A response before the body was read is a response or a lost one, and nothing hangs")
  func earlyAnswer() async throws {
    try await HTTPTestServer.withServer({ _ in .respond() }, onHead: { _ in .html(413) }) { server in
      let transport = CurlTransport()
      for _ in 0..<3 {
        let result = await kind {
          let response = try await transport.send(post(server.url + "/", bytes(2_000_000)))
          #expect(response.status == 413)
          return response
        }
        #expect(result == nil || result == .lost)
      }
    }
  }

  @Test("An error names no header")
  func errorsAreQuiet() async throws {
    try await HTTPTestServer.withServer({ _ in .reset }) { server in
      let transport = CurlTransport()
      do throws(TransportError) {
        _ = try await transport.send(
          HTTPRequest(
            method: "POST",
            url: server.url + "/",
            headers: [("Authorization", "Bearer secret")],
            body: [1]
          )
        )
        Issue.record("it was answered")
      } catch {
        #expect(!error.message.contains("secret"))
      }
    }
  }
}
