import Foundation
import TestSupport
import Testing

@Suite(
  "The main job on a server that is as odd as it may be and fails now and then",
  .timeLimit(.minutes(60))
)
struct UnusualServerTests {
  /// The three migrations over a server that misbehaves, judged by the oracle and by the server's own counts.
  private func mainJob(
    _ mini: MiniFirestore,
    _ faults: ScriptedFaults,
    options: [String] = [],
    prepare: (Tool, HTTPTestServer) async throws -> [String] = { _, _ in [] }
  ) async throws {
    try await withTool(against: faults.handler) { tool, server in
      var tool = tool
      tool.place += try await prepare(tool, server) + options
      try Samples.copy(Samples.few, to: tool.path("before"))
      try await Judge.expect(tool.path("before"), into: tool.path("expected"))
      let files = Samples.few.map { tool.path("before/\($0).jsonl") }

      let imported = try await tool.bare(["import"] + files + tool.place + ["--json"]).expect(0)
      let expected = try MiniFirestore.canonical(jsonLines: Samples.text(Samples.few))
      #expect(mini.snapshot() == expected)
      #expect(try imported.summary().totals.written == expected.count)
      #expect(mini.writtenDocuments.allSatisfy { $0.writes == 1 })

      // Commits arrive in any order; where a user has no createdAt, the order of creation decides about the index.
      try mini.reload(Samples.text(Samples.few))
      try await tool.run("migrate", "plan", "users-unify", "user-emails", "is-active").expect(0)
      #expect(mini.totalWrites == 0)
      #expect(mini.snapshot() == expected)

      let applied = try await tool.run(
        "migrate",
        "apply",
        "users-unify",
        "user-emails",
        "is-active",
        "--json"
      ).expect(2)
      #expect(try applied.summary().totals.balance)
      try mini.dump(to: tool.path("after"))
      try await Judge.compare(tool.path("expected"), tool.path("after"))
      // No document is written that did not need it, and none twice.
      let changed = try Judge.changed(tool.path("before"), tool.path("expected"))
      #expect(Set(mini.writtenDocuments.map(\.name)) == changed)
      #expect(mini.writtenDocuments.allSatisfy { $0.writes == 1 })
      #expect(try applied.summary().totals.written == changed.count)

      mini.resetCounts()
      let after = mini.snapshot()
      let again = try await tool.run("migrate", "apply", "users-unify", "user-emails", "is-active", "--json")
      again.expect(2)
      #expect(try again.summary().totals.written == 0)
      #expect(mini.totalWrites == 0)
      #expect(mini.snapshot() == after)

      let exported = try await tool.run("export", "--all", "-o", "out/", "--format", "jsonl", "--json")
      exported.expect(0)
      try await Judge.compare(tool.path("expected"), tool.path("out"))
      try await tool.run("export", "users", "-o", "users.csv").expect(0)
      #expect(try tool.text("users.csv").hasPrefix("__name__,"))

      for request in server.requests where request.method == "POST" && request.kind != .token {
        #expect((try? JSONSerialization.jsonObject(with: Data(request.body))) != nil, "\(request.target)")
      }
      #expect(
        server.requests.filter { $0.kind == .list }.contains { $0.target.contains("pageToken=%2B%2F%3D") }
      )
    }
  }

  @Test(
    "Short and empty pages, tokens to encode, keys left out: the oracle's documents come out.",
    arguments: [1, 2]
  )
  func awkward(_ seed: UInt64) async throws {
    var options = MiniFirestore.Options()
    options.seed = seed
    let mini = MiniFirestore(options)
    try await mainJob(mini, mini.faults())
  }

  @Test("A 503, a 429, dropped connections, lost answers and broken bodies in between change nothing of it.")
  func faults() async throws {
    let mini = MiniFirestore()
    let faults = mini.faults(
      FaultRule([.commit], .numbers([1, 7]), .error(.unavailable)),
      FaultRule([.commit], .numbers([2, 9]), .error(.resourceExhausted)),
      FaultRule([.commit], .numbers([3, 11]), .dropAfterApplying),
      FaultRule([.commit], .numbers([4, 15]), .drop),
      FaultRule([.commit], .number(5), .halfBody(0.5)),
      FaultRule([.commit], .number(6), .errorAfterApplying(.deadlineExceeded)),
      FaultRule([.commit], .number(13), .error(.aborted)),
      FaultRule([.list], .numbers([2, 17]), .error(.unavailable)),
      FaultRule([.list], .numbers([5, 23]), .error(.resourceExhausted)),
      FaultRule([.list], .number(7), .drop),
      FaultRule([.list], .number(9), .halfBody(0.7)),
      FaultRule([.list], .number(11), .unterminated),
      FaultRule([.list], .number(13), .html(502)),
      FaultRule([.list], .number(15), .emptyBody),
      FaultRule([.list], .number(19), .truncatedChunked(0.4)),
      FaultRule([.batchGet], .number(1), .errorInStream(.unavailable, after: 3)),
      FaultRule([.batchGet], .number(3), .halfBody(0.3)),
      FaultRule([.aggregation], .numbers([1, 4]), .error(.unavailable)),
      FaultRule([.listCollectionIds], .number(1), .reset)
    )
    try await mainJob(mini, faults)
    // The script was played: the test shows what it says.
    #expect(faults.played.count >= 20)
  }

  @Test("Faults at random, also twice in a row, change nothing of it.", arguments: Settings.seeds(1))
  func randomFaults(_ seed: UInt64) async throws {
    var options = MiniFirestore.Options()
    options.seed = seed
    let mini = MiniFirestore(options)
    let faults = mini.faults(
      FaultRule(
        [.commit],
        .percent(15),
        oneOf: [
          .error(.unavailable), .error(.aborted), .dropAfterApplying, .drop, .resetAfterApplying,
          .halfBody(0.5),
          .errorAfterApplying(.internalError), .emptyBody, .html(503),
        ]
      ),
      FaultRule(
        [.list, .batchGet, .aggregation],
        .percent(15),
        oneOf: [
          .error(.unavailable), .drop, .halfBody(0.5), .unterminated, .html(500), .error(.internalError),
        ]
      ),
      seed: seed
    )
    try await mainJob(mini, faults)
    #expect(!faults.played.isEmpty, "seed \(seed)")
  }

  @Test("A token that expires in the middle is fetched anew with a service account's key.")
  func serviceAccount() async throws {
    var options = MiniFirestore.Options()
    options.requiresAuthorization = true
    options.requestsPerToken = 20
    let mini = MiniFirestore(options)
    let faults = mini.faults(
      FaultRule([.commit], .number(4), .expiredToken),
      FaultRule([.token], .number(2), .error(.unavailable))
    )
    try await mainJob(mini, faults) { tool, server in
      let key = try await ServiceAccountKey(in: tool, tokenURI: "\(server.url)/token")
      return ["--credentials", key.file]
    }
    // Five commands, some of which outlive a token.
    #expect(mini.tokensIssued > 6)
  }

  @Test("The assertion of a service account is signed with its key and says what Google wants to hear.")
  func assertion() async throws {
    var options = MiniFirestore.Options()
    options.requiresAuthorization = true
    let mini = MiniFirestore(options)
    try await withTool(against: mini.handler) { tool, server in
      var tool = tool
      let key = try await ServiceAccountKey(in: tool, tokenURI: "\(server.url)/token")
      tool.place += ["--credentials", key.file]
      try await tool.run("count", "users").expect(0)
      let request = try #require(server.requests(.token).first)
      let assertion = try #require(
        request.text.split(separator: "&").first { $0.hasPrefix("assertion=") }?.dropFirst(10)
      )
      let told = try await Judge.script(
        """
        import base64, json, subprocess, sys
        head, claims, signature = sys.argv[1].split(".")
        decode = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        open(sys.argv[2] + ".sig", "wb").write(decode(signature))
        subprocess.run(["openssl", "dgst", "-sha256", "-verify", sys.argv[2], "-signature", sys.argv[2] + ".sig"],
                       input=f"{head}.{claims}".encode(), check=True, stdout=subprocess.DEVNULL)
        head, claims = json.loads(decode(head)), json.loads(decode(claims))
        assert claims["exp"] - claims["iat"] <= 3600
        print(head["alg"], claims["iss"], claims["aud"], claims["scope"])
        """,
        String(assertion),
        key.publicKeyFile
      )
      #expect(
        told
          == "RS256 \(key.email) https://oauth2.googleapis.com/token https://www.googleapis.com/auth/datastore\n"
      )
    }
  }

  @Test("A token of a file is read again when it expires in the middle.")
  func tokenFile() async throws {
    let mini = MiniFirestore()
    let wanted = Later<String>()
    wanted.set("token-of-today")
    let faults = ScriptedFaults(
      { request in
        guard request.header("Authorization") == "Bearer \(wanted.get() ?? "")" else {
          return .response(ServiceError.tokenExpired.response(for: request.kind))
        }
        return mini.handler(request)
      },
      rules: []
    )
    try await withTool(against: faults.handler) { tool, _ in
      var tool = tool
      try tool.write("token-of-today\n", to: "token")
      tool.place += ["--access-token-file", "token"]
      let file = tool.folder.appendingPathComponent("token")
      faults.before(.commit, 2) { _ in
        try? Data("token-of-tomorrow".utf8).write(to: file)
        wanted.set("token-of-tomorrow")
      }
      let result = try await tool.run(
        "import",
        Samples.file("users"),
        "--batch-size",
        "50",
        "--in-flight",
        "2"
      ).expect(0)
      #expect(mini.snapshot().count == 400)
      #expect(mini.writtenDocuments.allSatisfy { $0.writes == 1 })
      #expect(!result.errors.contains("token-of"))
    }
  }

  @Test("A token that is refused is a matter of configuration, and is not shown.")
  func refusedToken() async throws {
    var options = MiniFirestore.Options()
    options.requiresAuthorization = true
    try await withTool(against: MiniFirestore(options).handler) { tool, server in
      var tool = tool
      try tool.write("not-a-token", to: "token")
      tool.place += ["--access-token-file", tool.path("token")]
      let refused = try await tool.run("count", "users")
      refused.expectFailure(78)
      #expect(!refused.errors.contains("not-a-token"))
      #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer not-a-token" })
    }
  }

  @Test("A person's refresh token goes to Google's endpoint only, and never into a message.")
  func authorizedUser() async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, server in
      var tool = tool
      // Google's endpoint is asked for through a proxy that is none.
      tool.environment = ["https_proxy": server.url]
      let file = try tool.write(
        #"{"type":"authorized_user","client_id":"id-1","client_secret":"very-secret-1","refresh_token":"1//refresh-secret-2"}"#,
        to: "adc.json"
      )
      tool.place += ["--credentials", file, "--retry-for", "2"]
      let result = try await tool.run("count", "users")
      result.expectFailure(69, "token")
      #expect(!(result.errors + result.output).contains("secret"))
      #expect(server.requests.allSatisfy { !$0.text.contains("secret") })
      let shown = try await tool.bare(["env", "show"] + tool.place).expect(0)
      #expect(!shown.output.contains("secret"))
      #expect(shown.output.contains("adc.json"))
    }
  }
}
