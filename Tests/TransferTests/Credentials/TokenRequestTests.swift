import FirestoreModels
import Foundation
import Testing

@testable import FirestoreREST

@Suite("Token requests")
struct TokenRequestTests {
  private func form(_ request: HTTPRequest?) throws -> [String: String] {
    let body = String(decoding: try #require(request?.body), as: UTF8.self)
    var form: [String: String] = [:]
    for pair in body.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      form[String(parts[0])] = String(parts[1]).removingPercentEncoding
    }
    return form
  }

  private func object(_ part: Substring) throws -> [String: Any] {
    let bytes = try #require(Base64.decode(String(part)))
    return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  private func provider(
    _ credentials: Credentials,
    _ transport: FakeTransport,
    at time: Double
  ) -> TokenProvider {
    TokenProvider(
      credentials,
      transport: transport,
      readFile: FakeFiles([:]).reader,
      now: { time },
      sleep: { _ in }
    )
  }

  @Test func aServiceAccountSignsAnAssertion() async throws {
    let key = try TestKey.shared.get()
    for pem in [key.pkcs8, key.pkcs1] {
      let transport = FakeTransport { (_, _) throws(TransportError) in CredentialFixture.token("a") }
      let credentials = try CredentialFixture.credentials(try CredentialFixture.serviceAccount(pem: pem))
      let authorization = try await provider(credentials, transport, at: 1_767_323_045.9).authorization()
      #expect(authorization.headers.map(\.name) == ["Authorization"])
      #expect(authorization.headers.map(\.value) == ["Bearer ya29.a"])

      let request = try #require(transport.requests.first)
      #expect(request.method == "POST" && request.url == "https://oauth2.example/token")
      #expect(request.headers.contains { $0 == ("Content-Type", "application/x-www-form-urlencoded") })
      let form = try form(request)
      #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer")
      let parts = try #require(form["assertion"]).split(separator: ".", omittingEmptySubsequences: false)
      try #require(parts.count == 3)
      #expect(!form["assertion", default: "="].contains("="))
      let signature = try #require(Base64.decode(String(parts[2])))
      #expect(try key.verifies(signature, of: Array("\(parts[0]).\(parts[1])".utf8)))
      #expect(try !key.verifies(signature, of: Array("\(parts[0]).\(parts[1])x".utf8)))
      let header = try object(parts[0])
      #expect(header as? [String: String] == ["alg": "RS256", "typ": "JWT", "kid": "kid-1"])
      let claims = try object(parts[1])
      #expect(claims["iss"] as? String == "sa@p1.iam.gserviceaccount.com")
      #expect(claims["scope"] as? String == "https://www.googleapis.com/auth/datastore")
      #expect(claims["aud"] as? String == "https://oauth2.googleapis.com/token")
      #expect(claims["iat"] as? Int == 1_767_323_045)
      #expect(claims["exp"] as? Int == 1_767_326_645)
      #expect(claims.count == 5)
    }
  }

  @Test func otherScopesAreAskedForOverTheSameCredentials() async throws {
    let storage = "https://www.googleapis.com/auth/devstorage.read_write"
    let both = [OAuthScope.datastore, .devstorage]
    let transport = FakeTransport { (_, number) throws(TransportError) in
      CredentialFixture.token("\(number)", headers: ["metadata-flavor": "Google"])
    }
    let account = provider(
      try CredentialFixture.credentials(try CredentialFixture.serviceAccount()),
      transport,
      at: 0
    )
    _ = try await account.scoped(to: [.devstorage]).authorization()
    _ = try await account.scoped(to: both).authorization()
    let scopes = try transport.requests.map { request in
      let parts = try #require(try form(request)["assertion"]).split(separator: ".")
      return try object(parts[1])["scope"] as? String
    }
    #expect(scopes == [storage, "https://www.googleapis.com/auth/datastore \(storage)"])

    let machine = provider(try CredentialFixture.discovered(["GCE_METADATA_HOST": "m"]), transport, at: 0)
    _ = try await machine.scoped(to: both).authorization()
    #expect(
      transport.requests.last?.url
        == "http://m/computeMetadata/v1/instance/service-accounts/default/token"
        + "?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fdatastore"
        + "%2Chttps%3A%2F%2Fwww.googleapis.com%2Fauth%2Fdevstorage.read_write"
    )
    // The first provider is as it was.
    #expect(machine.credentials.scopes == [.datastore])
  }

  @Test func aKeyFileWithoutAKeyIDSignsWithoutOne() throws {
    let file = try CredentialFile(
      Array(try CredentialFixture.serviceAccount(extra: ["private_key_id": ""]).utf8),
      path: "/key.json"
    )
    let assertion = try ServiceAccount(file).assertion(for: [.datastore], at: 0)
    let header = try object(try #require(assertion.split(separator: ".").first))
    #expect(header as? [String: String] == ["alg": "RS256", "typ": "JWT"])
  }

  @Test func aUserTradesTheRefreshToken() async throws {
    let transport = FakeTransport { (_, _) throws(TransportError) in CredentialFixture.token("u") }
    let credentials = try CredentialFixture.credentials(
      CredentialFixture.authorizedUser(["quota_project_id": "payer"])
    )
    let authorization = try await provider(credentials, transport, at: 0).authorization()
    #expect(authorization.headers.map(\.name) == ["Authorization", "x-goog-user-project"])
    #expect(authorization.headers.map(\.value) == ["Bearer ya29.u", "payer"])
    #expect(transport.requests.first?.url == "https://oauth2.googleapis.com/token")
    #expect(
      try form(transport.requests.first) == [
        "grant_type": "refresh_token", "client_id": "id.apps", "client_secret": "SECRET-client/+&",
        "refresh_token": "SECRET-refresh",
      ]
    )
  }

  @Test func theMetadataServerIsAskedWithItsHeader() async throws {
    let transport = FakeTransport { (_, _) throws(TransportError) in
      CredentialFixture.token("m", headers: ["metadata-flavor": "Google"])
    }
    let credentials = try CredentialFixture.discovered(["GCE_METADATA_HOST": "127.0.0.1:81"])
    let authorization = try await provider(credentials, transport, at: 0).authorization()
    #expect(authorization.headers.map(\.value) == ["Bearer ya29.m"])
    let request = try #require(transport.requests.first)
    #expect(request.method == "GET")
    #expect(
      request.url
        == "http://127.0.0.1:81/computeMetadata/v1/instance/service-accounts/default/token"
        + "?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fdatastore"
    )
    #expect(request.headers.contains { $0 == ("Metadata-Flavor", "Google") })
  }

  @Test(arguments: [[:], ["metadata-flavor": "Other"]])
  func anAnswerWithoutTheHeaderIsNoMetadataServers(headers: [String: String]) async throws {
    let transport = FakeTransport { (_, _) throws(TransportError) in
      CredentialFixture.token("m", headers: headers)
    }
    let credentials = try CredentialFixture.discovered([:])
    let failure = await #expect(throws: Failure.self) {
      try await provider(credentials, transport, at: 0).authorization()
    }
    #expect(failure?.kind == .configuration)
    #expect(failure?.cause == "the response is not from a metadata server")
    CredentialFixture.expectNoSecret(failure as Any)
  }

  @Test func whereNoMetadataServerIsNothingIsFound() async throws {
    let transport = FakeTransport { (_, _) throws(TransportError) in
      throw TransportError(.notConnected, "no host")
    }
    let credentials = try CredentialFixture.discovered([:])
    let failure = await #expect(throws: Failure.self) {
      try await provider(credentials, transport, at: 0).authorization()
    }
    #expect(failure == CredentialDiscovery.nothingFound)
    #expect(transport.requests.count == 3)
  }

  @Test func emulatorAndNone() async throws {
    let transport = FakeTransport { (_, _) throws(TransportError) in
      throw TransportError(.invalid, "unexpected")
    }
    let owner = provider(Credentials(.emulatorOwner), transport, at: 0)
    let authorization = try await owner.authorization()
    #expect(authorization.headers.map(\.value) == ["Bearer owner"])
    #expect(try await owner.refreshed(after: authorization) == nil)
    let unsigned = try await provider(Credentials(.none), transport, at: 0).authorization()
    #expect(unsigned.headers.isEmpty)
    #expect(transport.requests.isEmpty)
  }

  @Test func aRevokedGrantSaysWhatToDo() async throws {
    let transport = FakeTransport { (_, _) throws(TransportError) in
      HTTPResponse(
        status: 400,
        body: Array(
          #"{"error":"invalid_grant","error_description":"Bad Request.\n SECRET-token-that-a-server-echoes-back"}"#
            .utf8
        )
      )
    }
    let credentials = try CredentialFixture.credentials(CredentialFixture.authorizedUser())
    let failure = await #expect(throws: Failure.self) {
      try await provider(credentials, transport, at: 0).authorization()
    }
    #expect(
      failure?.description
        == "cannot get an access token for user credentials (/key.json) from https://oauth2.googleapis.com/token: "
        + "HTTP 400, invalid_grant, Bad Request. …. Run `gcloud auth application-default login`, "
        + "and check that this machine's clock is right."
    )
    #expect(failure?.kind == .configuration)
    #expect(transport.requests.count == 1)
    CredentialFixture.expectNoSecret(failure as Any)

    let account = try CredentialFixture.credentials(try CredentialFixture.serviceAccount())
    let refused = await #expect(throws: Failure.self) {
      try await provider(account, transport, at: 0).authorization()
    }
    #expect(refused?.remedy?.contains("clock") == true)
    CredentialFixture.expectNoSecret(refused as Any)
  }

  @Test(arguments: [
    "", "<html>ya29.x</html>", "{}", "[]", #"{"access_token":""}"#, #"{"access_token":5}"#,
    #"{"access_token":"ya29.a\r\nX: y","expires_in":3599}"#, #"{"access_token":"ya29. a"}"#,
  ])
  func anAnswerWithoutATokenIsRefused(_ body: String) async throws {
    let transport = FakeTransport { (_, _) throws(TransportError) in
      HTTPResponse(status: 200, body: Array(body.utf8))
    }
    let credentials = try CredentialFixture.credentials(CredentialFixture.authorizedUser())
    let failure = await #expect(throws: Failure.self) {
      try await provider(credentials, transport, at: 0).authorization()
    }
    #expect(failure?.kind == .configuration)
    #expect(failure?.cause == "the response has no token")
    CredentialFixture.expectNoSecret(failure as Any)
  }

  @Test func theRetryPolicy() {
    func delays(retryAfter: Double?, jitter: Double) -> [Double?] {
      (1...4).map { TokenRetryPolicy.delay(after: $0, retryAfter: retryAfter, jitter: jitter) }
    }
    #expect(delays(retryAfter: nil, jitter: 1) == [1, 2, 4, nil])
    #expect(delays(retryAfter: nil, jitter: 0) == [0.5, 1, 2, nil])
    #expect(delays(retryAfter: 3, jitter: 1) == [3, 3, 4, nil])
    #expect(delays(retryAfter: 1e9, jitter: 1) == [30, 30, 30, nil])
    #expect(delays(retryAfter: .nan, jitter: 1) == [1, 2, 4, nil])
    #expect(delays(retryAfter: -5, jitter: 1) == [1, 2, 4, nil])
  }
}
