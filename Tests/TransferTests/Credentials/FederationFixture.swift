import Configuration
import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import FirestoreREST

/// Credential files of identity federation and of impersonation.
struct FederationFixture: Sendable {
  let clock = ManualClock(1_800_000_000)

  static let exporter = "exporter@p1.iam.gserviceaccount.com"
  static let audience = TokenService.Options().audience

  /// A file of type `external_account` as gcloud makes it, with other members.
  ///
  /// - Parameters:
  ///   - source: The member `credential_source`.
  ///   - changes: Members to replace; an empty string removes one.
  static func externalAccount(
    at server: String = "https://sts.example",
    source: String = #"{"file":"/token"}"#,
    impersonating account: String? = nil,
    _ changes: [String: String] = [:]
  ) -> String {
    var members = [
      "type": #""external_account""#, "audience": "\"\(audience)\"",
      "subject_token_type": #""urn:ietf:params:oauth:token-type:jwt""#, "token_url": "\"\(server)/v1/token\"",
      "credential_source": source,
    ]
    if let account {
      members["service_account_impersonation_url"] = "\"\(impersonationURL(server, account))\""
    }
    for (name, value) in changes { members[name] = value.isEmpty ? nil : value }
    return
      "{\(members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
  }

  static func impersonationURL(_ server: String, _ account: String) -> String {
    "\(server)/v1/projects/-/serviceAccounts/\(account):generateAccessToken"
  }

  /// The source of GitHub Actions.
  static func addressSource(_ server: String) -> String {
    #"{"url":"\#(server)/identity?audience=sts","headers":{"Authorization":"Bearer \#(TokenService.runnerToken)"},"#
      + #""format":{"type":"json","subject_token_field_name":"value"}}"#
  }

  /// A file of type `impersonated_service_account` as gcloud makes it.
  static func impersonated(
    _ source: String,
    as account: String = exporter,
    at server: String = "https://iamcredentials.example",
    delegates: String = "[]",
    extra: String = ""
  ) -> String {
    #"{"type":"impersonated_service_account","source_credentials":\#(source),"delegates":\#(delegates),"#
      + #""service_account_impersonation_url":"\#(impersonationURL(server, account))"\#(extra)}"#
  }

  /// A token service, and a provider of the tokens for credentials that know its address.
  func withService(
    options change: (inout TokenService.Options) -> Void = { _ in },
    files: FakeFiles = FakeFiles([:]),
    credentials: (_ server: String) throws -> Credentials,
    _ body: (TokenService, TokenProvider, HTTPTestServer) async throws -> Void
  ) async throws {
    var options = TokenService.Options()
    options.creators = [Self.exporter: ["federated"]]
    options.now = { [clock] in clock.now }
    change(&options)
    let service = TokenService(options)
    try await HTTPTestServer.withServer({ service.answer($0) ?? .respond(404) }) { server in
      let provider = TokenProvider(
        try credentials(server.url),
        transport: CurlTransport(),
        readFile: files.reader,
        now: { [clock] in clock.now },
        sleep: { _ in }
      )
      try await body(service, provider, server)
    }
  }

  /// The same for an identity whose token is in `/token` of the files.
  func withFile(
    _ files: FakeFiles,
    options change: (inout TokenService.Options) -> Void = { _ in },
    source: String = #"{"file":"/token"}"#,
    impersonating account: String? = nil,
    _ changes: [String: String] = [:],
    _ body: (TokenService, TokenProvider, HTTPTestServer) async throws -> Void
  ) async throws {
    try await withService(
      options: change,
      files: files,
      credentials: { server in
        try .reading(Self.externalAccount(at: server, source: source, impersonating: account, changes))
      },
      body
    )
  }

  /// The same for a job of GitHub Actions that signs as ``exporter``.
  func withRunner(
    _ changes: [String: String] = [:],
    _ body: (TokenService, TokenProvider, HTTPTestServer) async throws -> Void
  ) async throws {
    try await withService(
      credentials: { server in
        let source = Self.addressSource(server)
        return try .reading(
          Self.externalAccount(at: server, source: source, impersonating: Self.exporter, changes)
        )
      },
      body
    )
  }

  /// The failure to get a token, which shows no secret.
  static func failure(_ provider: TokenProvider) async -> Failure? {
    let failure = await #expect(throws: Failure.self) { try await provider.authorization() }
    CredentialFixture.expectNoSecret(failure as Any)
    return failure
  }
}

extension Credentials {
  /// The credentials in a file.
  static func reading(
    _ file: String,
    environment: [String: String] = [:],
    impersonating chain: String? = nil
  ) throws(Failure) -> Credentials {
    try CredentialDiscovery(
      environment: environment,
      readFile: FakeFiles(["/c.json": file]).reader
    ).resolve(explicitFile: "/c.json", impersonating: chain.flatMap { ServiceAccountChain($0) })
  }
}
