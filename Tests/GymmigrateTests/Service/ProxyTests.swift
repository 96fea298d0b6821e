import Foundation
import TestSupport
import Testing

@Suite("What a proxy sees", .timeLimit(.minutes(60)))
struct ProxyTests {
  /// Hosts that are this machine, in spellings that curl, getaddrinfo or inet_aton take.
  private static let here = [
    "127.0.0.1", "127.1", "127.0.1", "127.8.9.1", "0", "0.0.0.0", "0x7f000001", "0x7f.1", "2130706433",
    "017700000001", "localhost", "LOCALHOST", "localhost.", "LocalHost", "db.localhost", "ip6-localhost",
    "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]",
  ]

  /// Those by which every system reaches a server at 127.0.0.1.
  private static let certain: Set = [
    "127.0.0.1", "127.1", "127.0.1", "0", "0.0.0.0", "0x7f000001", "0x7f.1", "2130706433", "017700000001",
    "localhost", "LOCALHOST", "LocalHost",
  ]

  /// The URLs that tokens are sent to, or come from.
  enum Address: String, CaseIterable {
    case endpoint, tokenURI, tokenURL, credentialSource, impersonation

    /// Makes the options of a command that uses a base URL for this, and another one for the rest.
    func options(_ url: String, others: String, in tool: Tool) async throws -> [String] {
      let place = ["--project", "p", "--endpoint", self == .endpoint ? url : others]
      switch self {
      case .endpoint:
        return place + ["--access-token-file", try tool.write("ya29.a-secret-token", to: "token")]
      case .tokenURI:
        return place + [
          "--credentials", try await ServiceAccountKey(in: tool, tokenURI: "\(url)/token").file,
        ]
      case .tokenURL, .credentialSource, .impersonation:
        let file = """
          {"type":"external_account","audience":"//iam.googleapis.com/p","subject_token_type":"urn:ietf:params:oauth:token-type:jwt",
           "token_url":"\(self == .tokenURL ? url : others)/v1/token",
           "service_account_impersonation_url":"\(self == .impersonation ? url : others)/v1/projects/-/serviceAccounts/a@p.iam.gserviceaccount.com:generateAccessToken",
           "credential_source":{"url":"\(self == .credentialSource ? url : others)/identity","headers":{"Authorization":"Bearer a-secret-token"}}}
          """
        return place + ["--credentials", try tool.write(file, to: "wif.json")]
      }
    }
  }

  /// Plays every server: of the database, of tokens, of identities.
  private static let server: RequestHandler = { request in
    if request.path.hasSuffix("/identity") { return .respond(200, body: Array("a-subject-token".utf8)) }
    if request.path.hasSuffix(":generateAccessToken") {
      return .json(#"{"accessToken":"a-secret-token","expireTime":"2999-01-01T00:00:00Z"}"#)
    }
    if request.path.hasSuffix("/token") {
      return .json(#"{"access_token":"a-secret-token","expires_in":3600}"#)
    }
    return database.handler(request)
  }

  private static let database = MiniFirestore()

  @Test("Nothing of plain HTTP, however this machine is spelt.", arguments: Address.allCases)
  func thisMachine(_ address: Address) async throws {
    try await HTTPTestServer.withServer({ _ in .respond(502) }) { proxy in
      try await withTool(against: Self.server) { tool, server in
        var tool = tool
        tool.environment = ["http_proxy": proxy.url, "all_proxy": proxy.url]
        for host in Self.here {
          let options = try await address.options(
            "http://\(host):\(server.port)",
            others: server.url,
            in: tool
          )
          let before = server.requests.count
          _ = try await tool.bare(["get", "users/u1", "--retry-for", "1s"] + options)
          #expect(proxy.requests.isEmpty, "\(host)")
          #expect(!Self.certain.contains(host) || server.requests.count > before, "\(host)")
        }
      }
    }
  }

  @Test("Nor of the metadata server, whose answer is a token.")
  func metadataServer() async throws {
    try await HTTPTestServer.withServer({ _ in .respond(502) }) { proxy in
      try await withTool { tool in
        var tool = tool
        tool.environment = ["http_proxy": proxy.url, "GCE_METADATA_HOST": "metadata.invalid"]
        _ = try await tool.bare(["get", "users/u1", "--retry-for", "300ms", "--project", "p"])
        #expect(proxy.requests.isEmpty)
      }
    }
  }
}
