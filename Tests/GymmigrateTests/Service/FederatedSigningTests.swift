import Foundation
import TestSupport
import Testing

@Suite("Signing without a key", .timeLimit(.minutes(60)))
struct FederatedSigningTests {
  private static let exporter = "exporter@test-project.iam.gserviceaccount.com"
  private static let audience = TokenService.Options().audience
  private static let endpoint = "CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS"

  /// A file as google-github-actions/auth writes it.
  private func file(at server: HTTPTestServer, impersonating: Bool = true) -> String {
    let impersonation =
      #","service_account_impersonation_url":"\#(server.url)/v1/projects/-/serviceAccounts/\#(Self.exporter):generateAccessToken""#
    return """
      {"type":"external_account","audience":"\(Self.audience)",
       "subject_token_type":"urn:ietf:params:oauth:token-type:jwt","token_url":"\(server.url)/v1/token",
       "credential_source":{"url":"\(server.url)/identity?audience=x","headers":{"Authorization":"Bearer \(TokenService.runnerToken)"},
        "format":{"type":"json","subject_token_field_name":"value"}}\(impersonating ? impersonation : "")}
      """
  }

  private func withServices(
    _ change: (inout TokenService.Options) -> Void = { _ in },
    _ body: (Tool, TokenService, HTTPTestServer) async throws -> Void
  ) async throws {
    var options = TokenService.Options()
    options.creators = [Self.exporter: ["federated"]]
    change(&options)
    let service = TokenService(options)
    let mini = try MiniFirestore.withSamples(["users", "app_config"])
    try await withTool(against: service.handler(before: mini.handler)) { tool, server in
      try tool.write(file(at: server), to: "wif.json")
      try await body(tool, service, server)
    }
  }

  /// All that a tool has said and kept.
  private func said(_ tool: Tool, _ results: [RunResult]) throws -> String {
    var all = results.map { $0.output + $0.errors }.joined()
    for run in tool.runs() {
      for name in tool.names(in: run) { all += try tool.text("\(run)/\(name)") }
    }
    return all
  }

  @Test("An export whose tokens are refused in the middle of the run gets new ones, and shows none.")
  func export() async throws {
    try await withServices({ $0.requestsPerToken = 7 }) { tool, service, _ in
      var tool = tool
      tool.place += ["--credentials", "wif.json"]
      let result = try await tool.run(
        "export",
        "users",
        "-o",
        "users.jsonl",
        "--page-size",
        "10",
        "--json",
        "-vv"
      ).expect(0)
      #expect(try result.summary().totals.read == 400)
      #expect(try tool.text("users.jsonl").split(separator: "\n").count == 400)
      #expect(service.violations == [])
      // Forty pages, seven requests a token: each token took a new one of the provider.
      let identities = service.steps.count { $0 == .identity }
      #expect(identities >= 6 && service.steps.count == 3 * identities)
      let all = try said(tool, [result])
      for secret in service.secrets { #expect(!all.contains(secret)) }
      #expect(!all.contains("subject-") && !all.contains("service-token-"))
    }
  }

  @Test("env show and doctor say who signs through whom; the option comes before the file's key.")
  func whoSigns() async throws {
    let other = "other@test-project.iam.gserviceaccount.com"
    try await withServices({ $0.creators[other] = [Self.exporter] }) { tool, service, server in
      var tool = tool
      tool.environment = [Self.endpoint: server.url]
      try tool.write(
        """
        project: test-project
        environments:
          night:
            endpoint: \(server.url)
            credentials: wif.json
            impersonate: \(other)
        """,
        to: "gymmigrate.yaml"
      )
      let federated = "federated identity \(Self.audience) as \(Self.exporter) (wif.json)"
      let shown = try await tool.bare(["env", "show", "-e", "night"]).expect(0)
      #expect(shown.output.contains("signer: \(federated) impersonating \(other)\n"))
      let option = try await tool.bare([
        "env", "show", "-e", "night", "--impersonate-service-account", "a@p.iam,b@p.iam", "--json",
      ])
      #expect(
        option.output.contains("\(federated) impersonating b@p.iam through a@p.iam".replacing("/", with: "/"))
      )
      let origin = try await tool.bare(["env", "show", "-e", "night", "--origin"])
      #expect(origin.output.contains("impersonate-service-account\t\(other)\tfile gymmigrate.yaml\n"))
      tool.environment["GYMMIGRATE_IMPERSONATE_SERVICE_ACCOUNT"] = "c@p.iam"
      let variable = try await tool.bare(["env", "show", "-e", "night", "--origin"])
      #expect(
        variable.output.contains(
          "impersonate-service-account\tc@p.iam\tvariable GYMMIGRATE_IMPERSONATE_SERVICE_ACCOUNT\n"
        )
      )
      tool.environment["GYMMIGRATE_IMPERSONATE_SERVICE_ACCOUNT"] = nil
      #expect(service.steps == [], "showing sends nothing")

      let doctor = try await tool.bare(["doctor", "-e", "night"]).expect(0)
      #expect(doctor.output.contains("credentials: \(federated) impersonating \(other)."))
      #expect(
        Array(service.steps.prefix(4)) == [
          .identity, .exchange, .impersonation(Self.exporter), .impersonation(other),
        ]
      )
      #expect(service.violations == [])
      let all = try said(tool, [shown, option, origin, doctor])
      for secret in service.secrets { #expect(!all.contains(secret)) }
    }
  }

  @Test("A missing role ends in 77 and is named, by doctor and by an export.")
  func missingRole() async throws {
    try await withServices({ $0.creators = [:] }) { tool, _, _ in
      var tool = tool
      tool.place += ["--credentials", "wif.json"]
      let role = "roles/iam.serviceAccountTokenCreator on \(Self.exporter)"
      try await tool.run("export", "users", "-o", "u.jsonl").expectFailure(77, role, "HTTP 403")
      let doctor = try await tool.run("doctor").expect(77)
      #expect(doctor.output.contains("problem  token:") && doctor.output.contains(role))
      #expect(!tool.exists("u.jsonl"))
    }
  }

  @Test("A wrong audience ends in 78.")
  func wrongAudience() async throws {
    try await withServices({ $0.audience += "x" }) { tool, _, _ in
      var tool = tool
      tool.place += ["--credentials", "wif.json"]
      try await tool.run("count", "users").expectFailure(78, "invalid_target", "'audience' in wif.json")
    }
  }

  @Test("What is wrong in a file, an option or the configuration is said before anything is sent.")
  func mistakes() async throws {
    try await withServices { tool, service, server in
      func with(_ file: String) async throws -> RunResult {
        try tool.write(file, to: "bad.json")
        return try await tool.run("count", "users", "--credentials", "bad.json")
      }
      let good = file(at: server)
      try await with(good.replacing(server.url + "/v1/token", with: "http://sts.example/v1/token"))
        .expectFailure(78, "its 'token_url' is neither an https URL nor one of this machine")
      try await with(good.replacing(server.url + "/identity", with: "http://192.0.2.1/identity"))
        .expectFailure(78, "its 'url' is neither an https URL nor one of this machine")
      try await with(good.replacing(server.url + "/v1/projects", with: "http://iam.example/v1/projects"))
        .expectFailure(78, "its 'service_account_impersonation_url'")
      let program = #"{"executable":{"command":"touch ran"}}"#
      let start = try #require(good.firstRange(of: #"{"url""#)).lowerBound
      let end = try #require(good.firstRange(of: "}}")).upperBound
      try await with(good.replacingCharacters(in: start..<end, with: program))
        .expectFailure(78, "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES to 1")
      #expect(!tool.exists("ran"))

      try await tool.run("count", "users", "--impersonate-service-account", "nobody")
        .expectFailure(64, "--impersonate-service-account", "the email address of a service account")
      try await tool.bare([
        "count", "users", "--mirror", "m.sqlite", "--impersonate-service-account", "a@p.iam",
      ])
      .expectFailure(64, "a mirror is a file")
      try tool.write("project: p\nenvironments:\n  a:\n    impersonate: x,y@z\n", to: "bad.yaml")
      try await tool.bare(["env", "list", "--config", "bad.yaml"])
        .expectFailure(78, "line 4, column 18", "'impersonate' is 'x,y@z'")
      #expect(server.requests.isEmpty && service.steps == [])
    }
  }

  @Test("A program's token, where it is allowed.")
  func program() async throws {
    try await withServices { tool, service, server in
      var tool = tool
      tool.environment = ["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1"]
      let subject = service.newSubject()
      try tool.write(
        #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","id_token":"\#(subject)"}"#,
        to: "response.json"
      )
      let good = file(at: server, impersonating: false)
      let start = try #require(good.firstRange(of: #"{"url""#)).lowerBound
      let end = try #require(good.firstRange(of: "}}")).upperBound
      try tool.write(
        good.replacingCharacters(in: start..<end, with: #"{"executable":{"command":"cat response.json"}}"#),
        to: "program.json"
      )
      let result = try await tool.run("count", "users", "--credentials", "program.json", "-vv").expect(0)
      #expect(service.steps == [.exchange] && service.violations == [])
      #expect(try !said(tool, [result]).contains(subject))
    }
  }

  @Test("The source of a copy signs as an account of its own.")
  func copy() async throws {
    try await withServices { tool, service, server in
      var tool = tool
      tool.environment = [Self.endpoint: server.url]
      try tool.write(file(at: server, impersonating: false), to: "plain.json")
      try await tool.bare([
        "copy", "users", "--from-project", "test-project", "--from-endpoint", server.url,
        "--from-credentials", "plain.json", "--from-impersonate-service-account", Self.exporter, "--to",
        "local",
        "--yes",
      ]).expect(0)
      #expect(service.steps.contains(.impersonation(Self.exporter)) && service.violations == [])
    }
  }
}
