import Configuration
import FirestoreModels
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Tokens of federated and impersonated credentials", .timeLimit(.minutes(60)))
struct FederationTests {
  private typealias Fixture = FederationFixture
  private let fixture = FederationFixture()
  private var clock: ManualClock { fixture.clock }

  private func bearer(_ authorization: Authorization?) -> String? { authorization?.headers.first?.value }

  @Test("A token from a file is exchanged; the one that the file has later is used later.")
  func file() async throws {
    let files = FakeFiles([:])
    try await fixture.withFile(files) { service, provider, _ in
      files["/token"] = service.newSubject() + "\n"
      let first = try await provider.authorization()
      #expect(bearer(first) == "Bearer ya29.service-token-1-abcdefghijkl")
      #expect(service.grants.map(\.scopes) == [["https://www.googleapis.com/auth/datastore"]])
      files["/token"] = service.newSubject()
      clock.advance(by: 3599)
      #expect(bearer(try await provider.authorization()) == "Bearer ya29.service-token-2-abcdefghijkl")
      #expect(service.violations == [] && service.steps == [.exchange, .exchange])
    }
  }

  @Test("A token in a member of a JSON file.")
  func jsonFile() async throws {
    let files = FakeFiles([:])
    let source = #"{"file":"/token","format":{"type":"json","subject_token_field_name":"id"}}"#
    try await fixture.withFile(files, source: source) { service, provider, _ in
      files["/token"] = #"{"other":"x","id":"\#(service.newSubject())"}"#
      _ = try await provider.authorization()
      #expect(service.violations == [] && service.steps == [.exchange])
    }
  }

  @Test("A token from an address, text or JSON, with its headers.", arguments: [true, false])
  func address(isText: Bool) async throws {
    try await fixture.withService(credentials: { server in
      let source =
        isText
        ? #"{"url":"\#(server)/identity?format=text","headers":{"Authorization":"Bearer \#(TokenService.runnerToken)"}}"#
        : Fixture.addressSource(server)
      return try .reading(Fixture.externalAccount(at: server, source: source))
    }) { service, provider, server in
      _ = try await provider.authorization()
      #expect(service.violations == [] && service.steps == [.identity, .exchange])
      #expect(server.requests.map(\.method) == ["GET", "POST"])
    }
  }

  @Test("A service account is impersonated by a token for all of Google Cloud.")
  func impersonation() async throws {
    try await fixture.withRunner([
      "quota_project_id": #""payer""#,
      "service_account_impersonation": #"{"token_lifetime_seconds":1200}"#,
    ]) { service, provider, server in
      let authorization = try await provider.authorization()
      #expect(
        authorization.headers.map(\.value) == ["Bearer ya29.service-token-2-abcdefghijkl", "payer"]
      )
      #expect(service.violations == [])
      #expect(service.steps == [.identity, .exchange, .impersonation(Fixture.exporter)])
      #expect(
        service.grants.map(\.scopes) == [
          ["https://www.googleapis.com/auth/cloud-platform"], ["https://www.googleapis.com/auth/datastore"],
        ]
      )
      let last = try #require(server.requests.last)
      #expect(last.header("x-goog-user-project") == "payer")
      #expect(last.header("Authorization") == "Bearer ya29.service-token-1-abcdefghijkl")
      #expect(
        last.text
          == #"{"delegates":[],"lifetime":"1200s","scope":["https://www.googleapis.com/auth/datastore"]}"#
      )
      // 1200 s of life: replaced 225 s before their end.
      clock.advance(by: 974)
      _ = try await provider.authorization()
      #expect(service.steps.count == 3)
      clock.advance(by: 170)
      #expect(bearer(try await provider.authorization()) == "Bearer ya29.service-token-4-abcdefghijkl")
      #expect(service.steps.count == 6 && service.violations == [])
    }
  }

  @Test("Other scopes are asked of the last step only.")
  func scopes() async throws {
    try await fixture.withRunner { service, provider, _ in
      _ = try await provider.scoped(to: [.devstorage]).authorization()
      #expect(
        service.grants.map(\.scopes) == [
          ["https://www.googleapis.com/auth/cloud-platform"],
          ["https://www.googleapis.com/auth/devstorage.read_write"],
        ]
      )
    }
  }

  @Test("A key file signs as a service account, through delegates.")
  func delegates() async throws {
    let (first, second) = ("first@p1.iam.gserviceaccount.com", "second@p1.iam.gserviceaccount.com")
    try await fixture.withService(
      options: {
        $0.creators = [
          first: ["sa@p1.iam.gserviceaccount.com"], second: [first], Fixture.exporter: [second],
        ]
      },
      credentials: { server in
        try .reading(
          Fixture.impersonated(
            try CredentialFixture.serviceAccount(tokenURI: "\(server)/token"),
            at: server,
            delegates: #"["\#(first)","projects/-/serviceAccounts/\#(second)"]"#
          )
        )
      }
    ) { service, provider, _ in
      _ = try await provider.authorization()
      #expect(service.violations == [])
      #expect(service.steps == [.assertion, .impersonation(Fixture.exporter)])
      #expect(service.grants.map(\.principal) == ["sa@p1.iam.gserviceaccount.com", Fixture.exporter])
    }
  }

  @Test("Any credentials can sign as a service account, an access token file too.")
  func onTop() async throws {
    let files = FakeFiles([:])
    try await fixture.withService(
      files: files,
      credentials: { server in
        let discovery = CredentialDiscovery(
          environment: ["CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS": server],
          readFile: files.reader
        )
        return try discovery.resolve(
          accessTokenFile: "/access",
          impersonating: ServiceAccountChain(Fixture.exporter)
        )
      }
    ) { service, provider, _ in
      // A token of somebody with the role.
      let other = TokenProvider(
        try .reading(
          Fixture.externalAccount(
            at: try #require(provider.credentials.impersonationServer),
            source: #"{"file":"/subject"}"#
          )
        ).scoped(to: [.cloudPlatform]),
        transport: CurlTransport(),
        readFile: files.reader
      )
      files["/subject"] = service.newSubject()
      files["/access"] = try await other.authorization().token?.secret.revealed
      #expect(bearer(try await provider.authorization()) == "Bearer ya29.service-token-2-abcdefghijkl")
      #expect(service.violations == [])
    }
  }

  @Test("Many callers share one exchange of several steps.")
  func oneExchange() async throws {
    try await fixture.withRunner { service, provider, _ in
      try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<20 { group.addTask { bearer(try await provider.authorization()) } }
        for try await token in group { #expect(token == "Bearer ya29.service-token-2-abcdefghijkl") }
      }
      #expect(service.steps.count == 3)
      // The next one, long before it is needed.
      clock.advance(by: 3599 - 100)
      for _ in 0..<20 { _ = try await provider.authorization() }
      while await provider.isRefreshing { await Task.yield() }
      #expect(bearer(try await provider.authorization()) == "Bearer ya29.service-token-4-abcdefghijkl")
      #expect(service.steps.count == 6 && service.violations == [])
    }
  }

  @Test("Each step is retried by itself, and the others are not repeated.")
  func retries() async throws {
    try await fixture.withRunner { service, provider, server in
      // 0 is a connection that ends without an answer.
      service.fail(with: [503, 0, 429])
      _ = try await provider.authorization()
      #expect(service.steps == [.identity, .exchange, .impersonation(Fixture.exporter)])
      #expect(server.requests.count == 6)
      clock.advance(by: 4000)
      service.fail(with: [500, 500, 500, 500])
      let failure = await Fixture.failure(provider)
      #expect(failure?.kind == .unavailable && failure?.cause == "HTTP 500 (4 attempts)")
      #expect(failure?.operation == "get the token of the identity provider")
    }
  }

  @Test("A client of the exchange and the project of a workforce pool.")
  func clientAndProject() async throws {
    let workforce = "//iam.googleapis.com/locations/global/workforcePools/staff/providers/okta"
    let files = FakeFiles([:])
    var pool = ["audience": "\"\(workforce)\"", "workforce_pool_user_project": #""payer-1""#]
    try await fixture.withFile(
      files,
      options: {
        $0.audience = workforce
        $0.userProject = "payer-1"
      },
      pool
    ) { service, provider, _ in
      files["/token"] = service.newSubject()
      _ = try await provider.authorization()
      #expect(service.violations == [])
    }
    pool["client_id"] = #""id-1""#
    pool["client_secret"] = #""SECRET-client""#
    try await fixture.withFile(
      files,
      options: {
        $0.audience = workforce
        $0.client = "id-1:SECRET-client"
      },
      pool
    ) { service, provider, _ in
      files["/token"] = service.newSubject()
      CredentialFixture.expectNoSecret(provider.credentials)
      // The client says by itself which project is billed.
      _ = try await provider.authorization()
      #expect(service.violations == [])
    }
  }

  @Test("The time at which a token expires.")
  func expiry() throws {
    func lifetime(_ text: String) -> Double? {
      let body = #"{"accessToken":"ya29.x","expireTime":"\#(text)"}"#
      let response = HTTPResponse(status: 200, body: Array(body.utf8))
      // 2026-01-02T03:04:05Z
      guard case .value(let token) = TokenEndpoint.impersonationAnswer(response, at: 1_767_323_045) else {
        return nil
      }
      return token.expiry.map { $0 - 1_767_323_045 }
    }
    #expect(lifetime("2026-01-02T04:04:05Z") == 3600)
    #expect(lifetime("2026-01-02T04:04:05.123456789Z") == 3600)
    #expect(lifetime("2026-01-02T06:04:05+02:00") == 3600)
    #expect(lifetime("2026-01-02T03:04:05Z") == nil)
    #expect(lifetime("2026-01-02") == nil)
  }

  @Test("A token longer than any is refused.")
  func endlessToken() {
    let token = String(repeating: "a", count: AccessToken.maximumBytes)
    func isAccepted(_ token: String) -> Bool {
      let response = HTTPResponse(status: 200, body: Array(#"{"access_token":"\#(token)"}"#.utf8))
      if case .value = TokenEndpoint.answer(response, at: 0) { return true }
      return false
    }
    #expect(isAccepted(token) && !isAccepted(token + "a"))
  }
}

extension Credentials {
  /// Scheme, host and port of the service that gives tokens of the account.
  fileprivate var impersonationServer: String? {
    guard case .impersonated(let account) = kind else { return nil }
    return account.url.firstRange(of: "/v1/").map { String(account.url[..<$0.lowerBound]) }
  }
}
