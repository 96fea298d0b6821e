import FirestoreModels
import Foundation
import Platform
import Synchronization
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Programs that give a token", .timeLimit(.minutes(60)))
struct TokenProgramTests {
  private static let allowed = ["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1"]
  private typealias Fixture = FederationFixture

  private func program(
    _ executable: String,
    impersonating account: String? = nil,
    _ environment: [String: String] = allowed
  ) throws(Failure) -> TokenProgram {
    let file = Fixture.externalAccount(source: #"{"executable":\#(executable)}"#, impersonating: account)
    let credentials = try Credentials.reading(file, environment: environment)
    var kind = credentials.kind
    if case .impersonated(let account) = kind { kind = account.source.kind }
    guard case .externalAccount(let external) = kind, case .program(let program) = external.source else {
      throw Failure(.internal, "find the program", cause: "there is none")
    }
    return program
  }

  @Test(
    "Without the variable, or with another value than 1, it is refused.",
    arguments: [nil, "0", "true", "1 ", ""]
  )
  func permission(value: String?) {
    var environment: [String: String] = [:]
    environment["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"] = value
    let failure = #expect(throws: Failure.self) { try program(#"{"command":"/bin/true"}"#, environment) }
    #expect(failure?.kind == .configuration)
    #expect(failure?.cause == "in 'executable', it runs a program, which is not allowed")
    #expect(
      failure?.remedy == "If you trust the file, set GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES to 1."
    )
  }

  @Test func whatIsSetForIt() throws {
    let program = try program(
      #"{"command":"/opt/get token --for='a b'","timeout_millis":5000,"output_file":"/kept.json"}"#,
      impersonating: Fixture.exporter,
      Self.allowed.merging(["PATH": "/bin", "SECRET": "SECRET-token"]) { $1 }
    )
    #expect(program.words == ["/opt/get", "token", "--for=a b"])
    #expect(program.timeout == 5 && program.outputFile == "/kept.json")
    #expect(
      program.environment.variables == [
        "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1", "PATH": "/bin", "SECRET": "SECRET-token",
        "GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE": Fixture.audience,
        "GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE": "urn:ietf:params:oauth:token-type:jwt",
        "GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE": "0",
        "GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL": Fixture.exporter,
        "GOOGLE_EXTERNAL_ACCOUNT_OUTPUT_FILE": "/kept.json",
      ]
    )
    CredentialFixture.expectNoSecret(program)
    let plain = try self.program(#"{"command":"get"}"#)
    #expect(plain.timeout == 30 && plain.outputFile == nil)
    #expect(plain.environment.variables["GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL"] == nil)
  }

  @Test(arguments: [
    (#"{}"#, "it has no 'command'"),
    (#"{"command":" "}"#, "its 'command' is not a program with its arguments"),
    (#"{"command":"a 'b"}"#, "its 'command' is not a program with its arguments"),
    (#"{"command":"a","timeout_millis":4999}"#, "its 'timeout_millis' is not within 5000 and 120000"),
    (#"{"command":"a","timeout_millis":120001}"#, "its 'timeout_millis' is not within 5000 and 120000"),
    (#"{"command":"a","timeout_millis":"5000"}"#, "its 'timeout_millis' is not an integer"),
  ])
  func wrongMembers(executable: String, cause: String) {
    let failure = #expect(throws: Failure.self) { try program(executable) }
    #expect(failure?.kind == .configuration && failure?.cause == "in 'executable', \(cause)")
  }

  @Test(
    arguments: [
      ("", []), ("a", ["a"]), ("  a \t b\n", ["a", "b"]), ("a 'b c' d", ["a", "b c", "d"]),
      (#"a "b c"d"#, ["a", "b cd"]), (#"'' """#, ["", ""]), (#"a\ b"#, ["a b"]), (#"'a\b'"#, [#"a\b"#]),
      (#""a\"b\\c\d""#, [#"a"b\c\d"#]), (#""it's" '"'"#, ["it's", "\""]),
      ("$HOME `x` *;|", ["$HOME", "`x`", "*;|"]),
      ("a 'b", nil), (#"a "b"#, nil), (#"a\"#, nil),
    ] as [(String, [String]?)]
  )
  func wordsOfACommand(command: String, words: [String]?) {
    #expect(CommandWords.split(command) == words)
  }

  @Test(
    arguments: [
      (
        #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:id_token","id_token":"e.y.j"}"#,
        nil
      ),
      (
        #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","id_token":"e.y.j","expiration_time":99}"#,
        99
      ),
      (
        #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:saml2","saml_response":"e.y.j","id_token":"x"}"#,
        nil
      ),
    ] as [(String, Int64?)]
  )
  func aResponse(text: String, expiry: Int64?) throws {
    let response = try ProgramResponse(Array(text.utf8))
    #expect(response.token.revealed == "e.y.j" && response.expiry == expiry)
  }

  @Test(arguments: [
    ("", "it is empty"), ("[]", "it is not a JSON object"), ("{}", "it has no 'version'"),
    (#"{"version":2,"success":true}"#, "its version 2 is not supported"),
    (#"{"version":1}"#, "it has no 'success'"),
    (#"{"version":1,"success":false}"#, "it reports a failure without 'code' and 'message'"),
    (
      #"{"version":1,"success":false,"code":"401","message":"sign in\nfirst"}"#,
      "it reports 401: sign in first"
    ),
    (#"{"version":1,"success":true}"#, "it has no 'token_type'"),
    (#"{"version":1,"success":true,"token_type":"x"}"#, "its 'token_type' is not supported"),
    (
      #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","saml_response":"x"}"#,
      "it has no token of its 'token_type'"
    ),
    (
      #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","id_token":"a b"}"#,
      "it does not contain exactly one token"
    ),
    (
      #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","id_token":"a","expiration_time":"soon"}"#,
      "its 'expiration_time' is not a number of seconds"
    ),
  ])
  func aResponseThatIsNone(text: String, cause: String) {
    let error = #expect(throws: WireError.self) { try ProgramResponse(Array(text.utf8)) }
    #expect(error?.description == cause)
  }

  // MARK: Programs that run

  /// A shell script in a folder of its own.
  private func withScript(
    _ script: String,
    _ body: (_ path: String, _ folder: URL) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("get token.sh").path
      // Another process writes it: a child that a concurrent test forks would inherit this one's open file, and a
      // file that is open for writing cannot be run (ETXTBSY).
      let writer = try ChildProcess.run(
        ["/bin/sh", "-c", #"printf '%s' "$1" >"$0" && chmod 700 "$0""#, path, "#!/bin/sh\n\(script)\n"],
        environment: ["PATH": "/bin:/usr/bin"],
        timeout: 60,
        maximumBytes: 1024,
        isCancelled: { false }
      )
      try #require(writer.status == 0)
      try await body(path, folder)
    }
  }

  private func success(_ token: String, expiry: String = "") -> String {
    #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","id_token":"\#(token)"\#(expiry)}"#
  }

  /// What the exchange is given as subject token, or the failure.
  private func subjects(
    _ executable: String,
    files: FakeFiles = FakeFiles([:]),
    requests count: Int = 1,
    at time: Double = 1000
  ) async throws -> [String] {
    let transport = FakeTransport { (_, number) throws(TransportError) in
      CredentialFixture.token("\(number)", expiresIn: 3600)
    }
    let clock = ManualClock(time)
    let file = Fixture.externalAccount(source: #"{"executable":\#(executable)}"#)
    let provider = TokenProvider(
      try .reading(file, environment: Self.allowed.merging(["PATH": "/usr/bin:/bin"]) { $1 }),
      transport: transport,
      readFile: files.reader,
      now: { clock.now }
    )
    for _ in 0..<count {
      _ = try await provider.authorization()
      clock.advance(by: 3600)
    }
    return transport.requests.map { request in
      let body = String(decoding: request.body ?? [], as: UTF8.self)
      return body.split(separator: "&").first { $0.hasPrefix("subject_token=") }.map {
        String($0.dropFirst(14))
      }
        ?? ""
    }
  }

  @Test("It runs for each exchange, with its variables, and without standard input.")
  func running() async throws {
    let script = """
      cat >/dev/null
      echo noise >&2
      test "$GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE" = '\(Fixture.audience)' || exit 3
      echo x >>"$1"
      count=$(wc -l <"$1")
      printf '%s' '{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","id_token":"e.y.'$((count))'"}'
      """
    try await withScript(script) { path, folder in
      let log = folder.appendingPathComponent("log").path
      let found = try await subjects(#"{"command":"'\#(path)' '\#(log)'"}"#, requests: 2)
      #expect(found == ["e.y.1", "e.y.2"])
    }
  }

  @Test("The file that it keeps is used until its token expires.")
  func outputFile() async throws {
    try await withScript("echo '\(success("fresh"))'") { path, _ in
      let executable = #"{"command":"'\#(path)'","output_file":"/kept"}"#
      for (kept, subject) in [
        (success("kept", expiry: #","expiration_time":1001"#), "kept"),
        (success("kept", expiry: #","expiration_time":1000"#), "fresh"),
        // One that does not say when it expires may have expired.
        (success("kept"), "fresh"), (#"{"version":1,"success":false,"code":"1","message":"x"}"#, "fresh"),
        ("{", "fresh"),
      ] {
        let found = try await subjects(executable, files: FakeFiles(["/kept": kept]))
        #expect(found == [subject], "\(kept)")
      }
    }
    // A program that prints nothing has written the file.
    try await withScript("true") { path, _ in
      let files = FakeFiles(["/kept": success("kept-subject-token")])
      let found = try await subjects(#"{"command":"'\#(path)'","output_file":"/kept"}"#, files: files)
      #expect(found == ["kept-subject-token"])
    }
  }

  @Test(
    "What goes wrong is said without what it prints.",
    arguments: [
      ("echo SECRET-token; exit 4", "it ended with the exit status 4"), ("kill -9 $$", "a signal ended it"),
      ("echo SECRET-token", "its response cannot be used: it is not valid JSON"),
      ("true", "its response cannot be used: it is empty"),
      ("head -c 2000000 /dev/zero", "it printed more than 1 MiB"),
      (
        #"echo '{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","id_token":"a","expiration_time":999}'"#,
        "its response cannot be used: its token has expired"
      ),
    ]
  )
  func failures(script: String, cause: String) async throws {
    try await withScript(script) { path, _ in
      let failure = await #expect(throws: Failure.self) { try await subjects(#"{"command":"'\#(path)'"}"#) }
      #expect(failure?.kind == .configuration && failure?.cause == cause && failure?.path == path)
      CredentialFixture.expectNoSecret(failure as Any)
    }
  }

  @Test func aProgramThatIsNotThere() async throws {
    let failure = await #expect(throws: Failure.self) {
      try await subjects(#"{"command":"/no/such/program"}"#)
    }
    #expect(failure?.cause == "it cannot be started: No such file or directory")
  }

  @Test func oneThatTakesTooLongIsKilled() {
    let problem = #expect(throws: ChildProcess.Problem.self) {
      try ChildProcess.run(
        ["/bin/sh", "-c", "sleep 600 & echo started; wait"],
        environment: ["PATH": "/usr/bin:/bin"],
        timeout: 0.2,
        maximumBytes: 100,
        isCancelled: { false }
      )
    }
    #expect(problem == .timedOut)
  }

  @Test func oneThatLeavesAChildBehindHasEndedAllTheSame() throws {
    let output = try ChildProcess.run(
      ["/bin/sh", "-c", "sleep 5 & echo done"],
      environment: ["PATH": "/usr/bin:/bin"],
      timeout: 600,
      maximumBytes: 100,
      isCancelled: { false }
    )
    #expect(String(decoding: output.bytes, as: UTF8.self) == "done\n" && output.status == 0)
  }

  @Test("A cancelled task kills it.")
  func cancellation() async throws {
    try await withScript("echo $$ >\"$1\"; exec sleep 600") { path, folder in
      let log = folder.appendingPathComponent("pid").path
      let program = try program(
        #"{"command":"'\#(path)' '\#(log)'"}"#,
        ["PATH": "/usr/bin:/bin"].merging(Self.allowed) { $1 }
      )
      let task = Task { await TokenProgram.run(program) }
      var child: pid_t?
      while child == nil {
        child = (try? String(contentsOfFile: log, encoding: .utf8)).flatMap { pid_t($0.filter(\.isNumber)) }
        await Task.yield()
      }
      task.cancel()
      guard case .failure(.cancelled) = await task.value else {
        Issue.record("it was not cancelled")
        return
      }
      let found = try #require(child)
      #expect(kill(found, 0) == -1 && errno == ESRCH)
    }
  }
}
