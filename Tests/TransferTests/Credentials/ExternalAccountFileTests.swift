import Configuration
import FirestoreModels
import Testing

@testable import FirestoreREST

@Suite("Files of federated and impersonated credentials")
struct ExternalAccountFileTests {
  private typealias Fixture = FederationFixture

  private func failure(_ file: String, _ environment: [String: String] = [:]) -> Failure? {
    let failure = #expect(throws: Failure.self) { try Credentials.reading(file, environment: environment) }
    #expect(failure?.kind == .configuration && failure?.path == "/c.json")
    return failure
  }

  @Test func whoSignsThroughWhom() throws {
    let federated = Fixture.externalAccount()
    #expect(
      try Credentials.reading(federated).description == "federated identity \(Fixture.audience) (/c.json)"
    )
    let impersonating = Fixture.externalAccount(impersonating: Fixture.exporter)
    #expect(
      try Credentials.reading(impersonating).description
        == "federated identity \(Fixture.audience) as \(Fixture.exporter) (/c.json)"
    )
    let account = try CredentialFixture.serviceAccount()
    #expect(
      try Credentials.reading(Fixture.impersonated(account)).description
        == "service account sa@p1.iam.gserviceaccount.com (/c.json) impersonating \(Fixture.exporter)"
    )
    #expect(
      try Credentials.reading(account, impersonating: "a@p.iam,b@p.iam,c@p.iam").description
        == "service account sa@p1.iam.gserviceaccount.com (/c.json) impersonating c@p.iam through a@p.iam, b@p.iam"
    )
    #expect(
      try CredentialDiscovery(environment: [:], readFile: FakeFiles([:]).reader)
        .resolve(impersonating: ServiceAccountChain("c@p.iam")).description
        == "the service account of this machine (metadata.google.internal) impersonating c@p.iam"
    )
  }

  @Test(arguments: [
    (#"{}"#, "in 'credential_source', it has to have one of 'file', 'url' and 'executable'"),
    (
      #"{"file":"/t","url":"https://x/"}"#,
      "in 'credential_source', it has to have one of 'file', 'url' and 'executable'"
    ),
    (#""/token""#, "its 'credential_source' is not an object"),
    (#"{"file":""}"#, "in 'credential_source', it has no 'file'"),
    (
      #"{"environment_id":"aws1","url":"http://169.254.169.254/x"}"#,
      "in 'credential_source', it takes the token of AWS ('environment_id'), which is not supported"
    ),
    (
      #"{"certificate":{"use_default_certificate_config":true}}"#,
      "in 'credential_source', it takes an X.509 certificate ('certificate'), which is not supported"
    ),
    (
      #"{"file":"/t","format":{"type":"json"}}"#,
      "in 'format', it has no 'subject_token_field_name'"
    ),
    (#"{"file":"/t","format":{"type":"xml"}}"#, "in 'format', its 'type' is neither text nor json"),
    (
      #"{"url":"http://example.com/token"}"#,
      "in 'credential_source', its 'url' is neither an https URL nor one of this machine"
    ),
    (
      #"{"url":"https://x/","headers":{"A\r\nB":"SECRET-client"}}"#,
      "in 'credential_source', its 'headers' have one that is not a header"
    ),
    (
      #"{"url":"https://x/","headers":{"A":"SECRET-client\r\nB: c"}}"#,
      "in 'credential_source', its 'headers' have one that is not a header"
    ),
    (#"{"url":"https://x/","headers":{"A":1}}"#, "in 'headers', its 'A' is not a string"),
  ])
  func aSourceThatIsNone(source: String, cause: String) {
    let found = failure(Fixture.externalAccount(source: source))
    #expect(found?.cause == cause)
    CredentialFixture.expectNoSecret(found as Any)
  }

  @Test(arguments: [
    (["audience": ""], "it has no 'audience'"),
    (["subject_token_type": "", "audience": ""], "it has no 'audience', 'subject_token_type'"),
    (
      ["audience": #""a b""#],
      "its 'audience' or 'subject_token_type' has spaces or other than ASCII characters"
    ),
    (["credential_source": ""], "it has no 'credential_source'"),
    (
      ["token_url": #""http://sts.example/v1/token""#],
      "its 'token_url' is neither an https URL nor one of this machine"
    ),
    (
      ["workforce_pool_user_project": #""123""#],
      "it has a 'workforce_pool_user_project', and its 'audience' is no workforce pool"
    ),
    (
      ["service_account_impersonation_url": #""http://iam.example/v1/x@y:generateAccessToken""#],
      "its 'service_account_impersonation_url' is neither an https URL nor one of this machine"
    ),
    (
      ["service_account_impersonation_url": #""https://iam.example/v1/x:generateAccessToken""#],
      "its 'service_account_impersonation_url' does not end in a service account and ':generateAccessToken'"
    ),
    (
      [
        "service_account_impersonation_url": #""https://iam.example/v1/x@y:generateAccessToken""#,
        "service_account_impersonation": #"{"token_lifetime_seconds":599}"#,
      ],
      "its 'token_lifetime_seconds' is not within 600 and 43200"
    ),
    (
      [
        "service_account_impersonation_url": #""https://iam.example/v1/x@y:generateAccessToken""#,
        "service_account_impersonation": #"{"token_lifetime_seconds":"3600"}"#,
      ],
      "in 'service_account_impersonation', its 'token_lifetime_seconds' is not an integer"
    ),
  ])
  func aMemberThatIsWrong(changes: [String: String], cause: String) {
    #expect(failure(Fixture.externalAccount(changes))?.cause == cause)
  }

  @Test func impersonationFilesThatAreWrong() throws {
    #expect(failure(#"{"type":"impersonated_service_account"}"#)?.cause == "it has no 'source_credentials'")
    let user = CredentialFixture.authorizedUser()
    #expect(
      failure(Fixture.impersonated(user, delegates: #"["a b"]"#))?.cause
        == "its 'delegates' have one that is not a service account"
    )
    #expect(
      failure(Fixture.impersonated(user, delegates: #"[1]"#))?.cause
        == "its 'delegates' is not a list of strings"
    )
    #expect(
      failure(Fixture.impersonated(#"{"type":"authorized_user","client_secret":"SECRET-client"}"#))?.cause
        == "in 'source_credentials', it has no 'client_id', 'refresh_token'"
    )
    let nested = failure(Fixture.impersonated(Fixture.impersonated(user)))
    #expect(nested?.cause.contains("impersonated_service_account once more") == true)
    #expect(
      failure(Fixture.impersonated(#"{"type":"gdch_service_account"}"#))?.cause.contains("gdch") == true
    )
  }

  @Test func theQuotaProjectOfEachFile() throws {
    let user = CredentialFixture.authorizedUser(["quota_project_id": "inner"])
    let impersonated = try Credentials.reading(
      Fixture.impersonated(user, extra: #","quota_project_id":"outer""#)
    )
    #expect(impersonated.quotaProject == "outer")
    guard case .impersonated(let account) = impersonated.kind else {
      Issue.record("not impersonated")
      return
    }
    #expect(account.source.quotaProject == "inner")
    #expect(account.source.scopes == [.cloudPlatform])
    let federated = try Credentials.reading(
      Fixture.externalAccount(["quota_project_id": #""payer""#])
    )
    #expect(federated.quotaProject == "payer")
  }

  @Test(arguments: [
    ("https://sts.googleapis.com/v1/token", true, true), ("https://x", true, true),
    ("http://localhost/t", true, true), ("http://127.0.0.1:81/t?a=b", true, true),
    ("http://[::1]:81/t", true, true), ("http://127.1/t", true, true),
    ("http://metadata.google.internal/computeMetadata/v1/x", false, true),
    ("http://169.254.169.254/x", false, true), ("http://169.254.169.254:80/x", false, true),
    ("http://169.254.169.254:8080/x", false, false), ("http://sts.example/v1", false, false),
    ("http://localhost.evil/", false, false), ("http://127.0.0.1.evil/", false, false),
    ("http://localhost:80@evil.example/", false, false), ("http://localhost@evil.example/", false, false),
    ("http://localhost\\@evil.example/", false, false), ("http://evil.example?@localhost/", false, false),
    ("http://evil.example#@localhost/", false, false), ("https://user:pw@x/", false, false),
    ("ftp://localhost/", false, false), ("HTTP://localhost/", false, false), ("https://", false, false),
    ("http:///localhost", false, false), ("https://x/\r\nHost: y", false, false), ("", false, false),
    ("file:///etc/passwd", false, false),
  ])
  func whereSecretsMayGo(url: String, isConfidential: Bool, isForSubjects: Bool) {
    #expect(CredentialURL.isConfidential(url) == isConfidential)
    #expect(CredentialURL.isConfidential(url, acceptsMetadataServer: true) == isForSubjects)
  }

  @Test(arguments: [
    ("a@p.iam", "a@p.iam", []), ("a@p,b@p,c@p", "c@p", ["a@p", "b@p"]),
    ("112233445566778899001", "112233445566778899001", []),
  ])
  func aChainOfAccounts(text: String, account: String, delegates: [String]) throws {
    let chain = try #require(ServiceAccountChain(text))
    #expect(chain.account == account && chain.delegates == delegates && chain.description == text)
  }

  @Test(arguments: [
    "", ",", "a@p,", ",a@p", "a", "a@", "@p", "a@b@c", "a b@p", "a/b@p", "a@p?x", "á@p", "a@p;b@p",
  ])
  func noChainOfAccounts(text: String) {
    #expect(ServiceAccountChain(text) == nil)
  }

  @Test func theImpersonationEndpointOfTheEnvironment() throws {
    let name = "CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS"
    func url(_ endpoint: String?) throws -> String? {
      var environment: [String: String] = [:]
      environment[name] = endpoint
      let user = CredentialFixture.authorizedUser()
      let credentials = try Credentials.reading(user, environment: environment, impersonating: "a@p.iam")
      guard case .impersonated(let account) = credentials.kind else { return nil }
      return account.url
    }
    let path = "/v1/projects/-/serviceAccounts/a@p.iam:generateAccessToken"
    #expect(try url(nil) == "https://iamcredentials.googleapis.com\(path)")
    #expect(try url("https://iam.example/") == "https://iam.example\(path)")
    for wrong in ["http://iam.example/", "https://iam.example/x", "iam.example"] {
      let failure = #expect(throws: Failure.self) { try url(wrong) }
      #expect(failure?.kind == .configuration && failure?.operation == "use \(name)")
    }
  }
}
