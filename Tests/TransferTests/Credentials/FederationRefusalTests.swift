import Configuration
import FirestoreModels
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Refusals of federated and impersonated credentials", .timeLimit(.minutes(60)))
struct FederationRefusalTests {
  private typealias Fixture = FederationFixture
  private let fixture = FederationFixture()
  private var clock: ManualClock { fixture.clock }

  private func bearer(_ authorization: Authorization?) -> String? { authorization?.headers.first?.value }

  @Test("A wrong audience, a stale token and a missing role each say what to do.")
  func refusals() async throws {
    let files = FakeFiles(["/token": "eyJ.stale.token"])
    try await fixture.withFile(files, options: { $0.audience = "//iam.googleapis.com/other" }) {
      _,
      provider,
      _ in
      let failure = await Fixture.failure(provider)
      #expect(failure?.kind == .configuration)
      #expect(failure?.cause.hasPrefix("HTTP 400, invalid_target, The target service") == true)
      #expect(
        failure?.remedy
          == "Check 'audience' in /c.json: the pool and its provider have to exist and to be enabled."
      )
    }
    try await fixture.withFile(files) { service, provider, server in
      let found = await Fixture.failure(provider)
      #expect(found?.kind == .configuration && found?.path == "from \(server.url)/v1/token")
      #expect(found?.cause.hasPrefix("HTTP 400, invalid_grant, ID Token") == true)
      #expect(found?.remedy?.contains("has not expired") == true)
      #expect(found?.operation == "get an access token for federated identity \(Fixture.audience) (/c.json)")
      #expect(service.steps == [.exchange])
    }
    try await fixture.withFile(files, options: { $0.creators = [:] }, impersonating: Fixture.exporter) {
      service,
      provider,
      server in
      files["/token"] = service.newSubject()
      let failure = await Fixture.failure(provider)
      #expect(failure?.kind == .notPermitted)
      #expect(failure?.cause.hasPrefix("HTTP 403, PERMISSION_DENIED, Permission") == true)
      #expect(
        failure?.remedy
          == "Grant the federated identity of \(Fixture.audience) the role roles/iam.serviceAccountTokenCreator on \(Fixture.exporter); roles/iam.workloadIdentityUser will do, too."
      )
      #expect(failure?.path == "from \(Fixture.impersonationURL(server.url, Fixture.exporter))")
    }
  }

  @Test("The identity provider's refusal, and files that hold no token.")
  func subjects() async throws {
    try await fixture.withService(credentials: { server in
      let source =
        #"{"url":"\#(server)/identity?secret=SECRET-token","headers":{"Authorization":"Bearer wrong"}}"#
      return try .reading(Fixture.externalAccount(at: server, source: source))
    }) { service, provider, server in
      let failure = await Fixture.failure(provider)
      #expect(failure?.kind == .configuration && failure?.cause.hasPrefix("HTTP 403") == true)
      #expect(failure?.path == "from \(server.url)/identity")
      #expect(failure?.remedy?.contains("id-token: write") == true)
      #expect(service.steps == [.identity])
    }
    let files = FakeFiles([:])
    try await fixture.withFile(files) { service, provider, _ in
      for (content, cause) in [
        (nil, "there is no such file"), ("", "it is empty"), (" \n", "it is empty"),
        ("<html>not found</html> SECRET-token", "it does not contain exactly one token"),
      ] {
        files["/token"] = content
        let failure = await Fixture.failure(provider)
        #expect(failure?.kind == .configuration && failure?.path == "/token" && failure?.cause == cause)
      }
      #expect(service.steps == [])
    }
  }

  @Test("A file that is unusable for a moment does not end a run whose token is good.")
  func unusableForAMoment() async throws {
    let files = FakeFiles([:])
    try await fixture.withFile(files) { service, provider, _ in
      files["/token"] = service.newSubject()
      _ = try await provider.authorization()
      files["/token"] = ""
      // In its last minute it is waited for.
      clock.advance(by: 3599 - 30)
      #expect(bearer(try await provider.authorization()) == "Bearer ya29.service-token-1-abcdefghijkl")
      files["/token"] = service.newSubject()
      clock.advance(by: 11)
      #expect(bearer(try await provider.authorization()) == "Bearer ya29.service-token-2-abcdefghijkl")
    }
  }

  @Test(
    "What a remedy says of each refusal.",
    arguments: [
      (400, #"{"error":"invalid_request"}"#, Failure.Kind.configuration, "'subject_token_type'"),
      (401, #"{"error":"invalid_client"}"#, .configuration, "'client_secret'"),
      (400, #"{"error":"unauthorized_client"}"#, .notPermitted, "attribute condition"),
      (403, #"{"error":"access_denied"}"#, .notPermitted, "attribute condition"),
      (403, #"{"error":{"status":"PERMISSION_DENIED","message":"no"}}"#, .notPermitted, "admits"),
      (
        403,
        #"{"error":{"status":"PERMISSION_DENIED","message":"no","details":[{"reason":"SERVICE_DISABLED"}]}}"#,
        .configuration, "sts.googleapis.com"
      ), (404, "<html>", .configuration, "'token_url'"), (200, "<html>", .configuration, "'token_url'"),
      (302, "", .configuration, "'token_url'"),
    ] as [(Int, String, Failure.Kind, String)]
  )
  func verdictsOfTheExchange(status: Int, body: String, kind: Failure.Kind, remedy: String) async throws {
    let files = FakeFiles(["/token": "eyJ.a.b"])
    let transport = FakeTransport { (_, _) throws(TransportError) in
      HTTPResponse(status: status, body: Array(body.utf8))
    }
    let provider = TokenProvider(
      try .reading(Fixture.externalAccount()),
      transport: transport,
      readFile: files.reader
    )
    let failure = await Fixture.failure(provider)
    #expect(failure?.kind == kind)
    #expect(failure?.remedy?.contains(remedy) == true, "\(failure?.remedy ?? "")")
    #expect(transport.requests.count == 1)
  }

  @Test(
    "What a remedy says where a service account cannot be signed as.",
    arguments: [
      (400, "{}", Failure.Kind.configuration, "Check the service account"),
      (401, "{}", .configuration, "refuses the token of user credentials (/c.json)"),
      (
        403, "{}", .notPermitted,
        "Grant the person of /c.json the role roles/iam.serviceAccountTokenCreator on a@p.iam, and a@p.iam on b@p.iam."
      ),
      (
        403, #"{"error":{"status":"PERMISSION_DENIED","details":[{"reason":"SERVICE_DISABLED"}]}}"#,
        .configuration, "iamcredentials.googleapis.com"
      ), (404, "{}", .configuration, "there is a service account b@p.iam"),
      (200, #"{"accessToken":"ya29.x"}"#, .configuration, "clock"),
      (200, #"{"accessToken":"ya29.x","expireTime":"tomorrow"}"#, .configuration, "clock"),
      (200, #"{"accessToken":"ya29.x","expireTime":"2020-01-01T00:00:00Z"}"#, .configuration, "clock"),
      (200, #"{"accessToken":"ya29 x","expireTime":"2999-01-01T00:00:00Z"}"#, .configuration, "clock"),
    ] as [(Int, String, Failure.Kind, String)]
  )
  func verdictsOfImpersonation(status: Int, body: String, kind: Failure.Kind, remedy: String) async throws {
    let transport = FakeTransport { (request, number) throws(TransportError) in
      number == 1 ? CredentialFixture.token("source") : HTTPResponse(status: status, body: Array(body.utf8))
    }
    let user = CredentialFixture.authorizedUser()
    let provider = TokenProvider(
      try .reading(user, impersonating: "a@p.iam,b@p.iam"),
      transport: transport
    )
    let failure = await Fixture.failure(provider)
    #expect(failure?.kind == kind)
    #expect(failure?.remedy?.contains(remedy) == true, "\(failure?.remedy ?? "")")
    #expect(transport.requests.count == 2)
  }
}
