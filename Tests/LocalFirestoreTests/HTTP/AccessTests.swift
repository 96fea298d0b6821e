import Foundation
import LocalFirestore
import Testing

/// Which requests are accepted.
@Suite struct AccessTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var headers: [String]
    var status: Int
    var access = LocalFirestoreServer.Access()

    init(_ status: Int, _ headers: String..., access: LocalFirestoreServer.Access = .init()) {
      (self.status, self.headers, self.access) = (status, headers, access)
    }

    var testDescription: String { headers.joined(separator: "; ") }
  }

  private static let json = "Content-Type: application/json"
  private static let local = "Host: localhost"
  private static let secret = LocalFirestoreServer.Access(token: "s3cret-token")

  static let cases = [
    // The host name of the server.
    Case(200, "Host: localhost:8080", json), Case(200, "Host: LOCALHOST.", json),
    Case(200, "Host: 127.0.0.1:8080", json), Case(200, "Host: 127.1.2.3", json),
    Case(200, "Host: [::1]:8080", json),
    Case(200, "Host: store.example:8080", json, access: .init(hosts: ["Store.example"])),
    Case(400, json), Case(403, "Host: evil.example", json), Case(403, "Host: evil.example:8080", json),
    Case(403, "Host: localhost.evil.example", json), Case(403, "Host: 127.0.0.1.evil.example", json),
    Case(403, "Host: 127.0.0.256", json), Case(403, "Host: 127.1", json), Case(403, "Host: 128.0.0.1", json),
    Case(403, "Host: 0.0.0.0", json), Case(403, "Host: ", json), Case(403, "Host: localhost:x", json),
    Case(403, "Host: localhost@evil.example", json), Case(403, "Host: localhost", "Host: evil.example", json),
    Case(403, "Host: other.example", json, access: .init(hosts: ["store.example"])),
    // The origin of the page.
    Case(200, "Host: localhost:8080", "Origin: http://localhost:8080", json),
    Case(200, local, "Sec-Fetch-Site: none", json), Case(200, local, "Sec-Fetch-Site: same-origin", json),
    Case(403, local, "Origin: http://evil.example", json), Case(403, local, "Origin: null", json),
    Case(403, local, "Origin: ", json), Case(403, local, "Origin: https://localhost", json),
    Case(403, "Host: localhost:8080", "Origin: http://localhost:3000", json),
    Case(403, "Host: localhost:8080", "Origin: http://localhost", json),
    Case(403, local, "Sec-Fetch-Site: cross-site", json), Case(403, local, "Sec-Fetch-Site: same-site", json),
    // Requests that a page may send without a preflight.
    Case(200, local, "Content-Type: Application/JSON; charset=utf-8"),
    Case(415, local), Case(415, local, "Content-Type: text/plain"),
    Case(415, local, "Content-Type: application/x-www-form-urlencoded"),
    Case(415, local, "Content-Type: multipart/form-data; boundary=x"),
    Case(415, local, "Content-Type: text/plain; application/json"),
    Case(415, local, "Content-Type: text/plain", json), Case(415, local, "Content-Type: application/jsonp"),
    // The token.
    Case(200, local, json, "Authorization: Bearer owner"),
    Case(200, local, json, "Authorization: Bearer s3cret-token", access: secret),
    Case(401, local, json, access: secret),
    Case(401, local, json, "Authorization: Bearer owner", access: secret),
    Case(401, local, json, "Authorization: Bearer s3cret-toke", access: secret),
    Case(401, local, json, "Authorization: Bearer s3cret-tokenx", access: secret),
    Case(401, local, json, "Authorization: s3cret-token", access: secret),
    Case(401, local, json, "Authorization: Bearer ", access: secret),
    Case(403, "Host: evil.example", json, "Authorization: Bearer s3cret-token", access: secret),
  ]

  @Test(
    "A request is let in by its Host, Origin, content type and token; a refused one leaves the connection in order.",
    arguments: cases
  )
  func admission(_ given: Case) async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil, access: given.access) { server in
      let client = try RESTClient(server.endpoint)
      let body = #"{"writes":[\#(client.set("c/d"))]}"#
      let head = "POST /v1/\(client.root):commit HTTP/1.1\r\n" + given.headers.map { "\($0)\r\n" }.joined()
      try client.write(Array((head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8))
      #expect(try client.readAnswer().status == given.status)
      // In chunks, after a body that was discarded.
      let size = String(body.utf8.count, radix: 16)
      try client.write(
        Array((head + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\r\n").utf8)
      )
      #expect(try client.readAnswer().status == given.status)
      // Refused requests had no effect.
      let names = ["Host: localhost", "Authorization: Bearer \(given.access.token ?? "owner")"]
      let get = "GET /v1/\(client.root)/c/d HTTP/1.1\r\n" + names.map { "\($0)\r\n" }.joined() + "\r\n"
      try client.write(Array(get.utf8))
      #expect(try client.readAnswer().status == (given.status == 200 ? 200 : 404))
    }
  }

  @Test("No answer gives a page of another origin leave to read it.")
  func noLeave() async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let client = try RESTClient(server.endpoint)
      for method in ["OPTIONS", "GET"] {
        try client.write(
          Array(
            "\(method) /v1/\(client.root)/c HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: DELETE\r\n\r\n"
              .utf8
          )
        )
        let answer = try client.readAnswer()
        #expect(answer.status == 403)
        #expect(!answer.headers.keys.contains { $0.hasPrefix("access-control-") })
      }
      let answer = try client.send("GET", "/v1/\(client.root)/c")
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect(!answer.headers.keys.contains { $0.hasPrefix("access-control-") })
    }
  }

  @Test("An answer to a token that is wrong does not reveal it.")
  func silence() async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil, access: Self.secret) { server in
      let answer = try RESTClient(server.endpoint).send("GET", "/")
      #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer")
      #expect(!String(decoding: answer.body, as: UTF8.self).contains("s3cret-token"))
    }
  }
}
