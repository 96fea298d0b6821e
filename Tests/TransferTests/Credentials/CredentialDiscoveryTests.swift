import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Credential discovery")
struct CredentialDiscoveryTests {
  private let gcloud = "/home/u/.config/gcloud/application_default_credentials.json"

  @Test("A pipe to which nobody writes is not waited for without end.", .timeLimit(.minutes(5)))
  func silentPipe() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("key.json").path
      #expect(mkfifo(path, 0o600) == 0)
      let failure = #expect(throws: Failure.self) {
        try CredentialDiscovery.readFile(at: path, to: "read the credentials", patience: 20)
      }
      #expect(failure?.kind == .configuration && failure?.cause.contains("nobody wrote") ?? false)
      // One that somebody has opened, and does not write to either.
      let writer = open(path, O_RDWR)
      defer { close(writer) }
      #expect(throws: Failure.self) {
        try CredentialDiscovery.readFile(at: path, to: "read the credentials", patience: 20)
      }
      #expect(write(writer, "{}", 2) == 2)
      #expect(throws: Failure.self) {
        try CredentialDiscovery.readFile(at: path, to: "read the credentials", patience: 20)
      }
    }
  }

  @Test("Only a name that is not taken is no file; a link to nothing, or a path through one, is an error.")
  func links() async throws {
    try await withTemporaryDirectory { folder in
      func read(_ name: String) throws(Failure) -> [UInt8]? {
        try CredentialDiscovery.readFile(at: "\(folder.path)/\(name)", to: "read")
      }
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/real",
        withIntermediateDirectories: true
      )
      try Data("x".utf8).write(to: folder.appendingPathComponent("real/file"))
      for (name, target) in [("good", "real"), ("gone", "nothing"), ("chain", "gone/a"), ("loop", "loop")] {
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder.path)/\(name)",
          withDestinationPath: target
        )
      }
      #expect(try read("good/file") == Array("x".utf8))
      for name in ["none", "none/a/b", "real/none", "good/none", "good/none/a", "real/file/a"] {
        #expect(try read(name) == nil, "\(name)")
      }
      for name in ["gone", "gone/", "gone/a", "gone/a/b", "chain", "chain/a", "loop", "loop/a"] {
        let failure = #expect(throws: Failure.self, "\(name)") { _ = try read(name) }
        #expect(failure?.kind == .configuration)
      }
    }
  }

  @Test func theOrderIsThatOfApplicationDefaultCredentials() throws {
    let files = FakeFiles([
      "/key.json": try CredentialFixture.serviceAccount(), gcloud: CredentialFixture.authorizedUser(),
      "/sdk/application_default_credentials.json": CredentialFixture.authorizedUser([
        "account": "u@example.com"
      ]),
    ])
    func found(_ environment: [String: String]) throws -> String {
      try CredentialDiscovery(environment: environment, readFile: files.reader).resolve().description
    }
    let home = ["HOME": "/home/u"]
    #expect(
      try found(home.merging(["GOOGLE_APPLICATION_CREDENTIALS": "/key.json"]) { $1 })
        == "service account sa@p1.iam.gserviceaccount.com (/key.json)"
    )
    #expect(
      try found(home.merging(["CLOUDSDK_CONFIG": "/sdk"]) { $1 })
        == "user credentials of u@example.com (/sdk/application_default_credentials.json)"
    )
    #expect(try found(home) == "user credentials (\(gcloud))")
    // An empty variable is an unset one.
    #expect(
      try found(home.merging(["GOOGLE_APPLICATION_CREDENTIALS": "", "CLOUDSDK_CONFIG": ""]) { $1 })
        == "user credentials (\(gcloud))"
    )
    #expect(try found([:]) == "the service account of this machine (metadata.google.internal)")
    #expect(
      try found(["GCE_METADATA_HOST": "127.0.0.1:81", "GCE_METADATA_ROOT": "old"])
        == "the service account of this machine (127.0.0.1:81)"
    )
    #expect(try found(["GCE_METADATA_ROOT": "old"]) == "the service account of this machine (old)")
  }

  @Test func whatIsGivenComesFirst() throws {
    let files = FakeFiles([
      "/key.json": try CredentialFixture.serviceAccount(), "/user.json": CredentialFixture.authorizedUser(),
    ])
    let discovery = CredentialDiscovery(
      environment: ["GOOGLE_APPLICATION_CREDENTIALS": "/key.json"],
      readFile: files.reader
    )
    #expect(try discovery.resolve(explicitFile: "/user.json").description == "user credentials (/user.json)")
    #expect(try discovery.resolve(accessTokenFile: "/token").description == "access token (/token)")
    let failure = #expect(throws: Failure.self) {
      try discovery.resolve(explicitFile: "/user.json", accessTokenFile: "/token")
    }
    #expect(failure?.kind == .usage)
  }

  @Test func aFileThatIsNotThereIsNamedWithARemedy() {
    let failure = #expect(throws: Failure.self) {
      try CredentialFixture.discovered(["GOOGLE_APPLICATION_CREDENTIALS": "/gone.json"])
    }
    #expect(
      failure?.description
        == "cannot read the credentials /gone.json: there is no such file. "
        + "It comes from GOOGLE_APPLICATION_CREDENTIALS: set that to a key file, or unset it."
    )
    #expect(failure?.kind == .configuration)
    let explicit = #expect(throws: Failure.self) {
      try CredentialDiscovery(environment: [:], readFile: FakeFiles([:]).reader).resolve(explicitFile: "/no")
    }
    #expect(explicit?.kind == .configuration && explicit?.path == "/no")
  }

  @Test func noGoogleCloudMeansNothingIsFound() {
    let failure = #expect(throws: Failure.self) { try CredentialFixture.discovered(["NO_GCE_CHECK": "True"]) }
    #expect(failure?.kind == .configuration)
    #expect(failure?.description.contains("gcloud auth application-default login") == true)
  }

  @Test(arguments: ["external_account_authorized_user", "gdch_service_account"])
  func aTypeThatIsNotSupportedIsNamed(_ type: String) {
    let failure = #expect(throws: Failure.self) {
      try CredentialFixture.credentials(#"{"type":"\#(type)","x":"SECRET-client"}"#)
    }
    #expect(
      failure?.description
        == "cannot read the credentials /key.json: credentials of the type \(type) are not supported. "
        + "Use a service account key, or sign in with `gcloud auth application-default login`."
    )
  }

  @Test(arguments: [
    ("", "it is empty"), ("{\"type\":\"SECRET-client", "it is not valid JSON"),
    ("[]", "it is not a JSON object"),
    ("{}", "it has no 'type'"), (#"{"type":5}"#, "it has no 'type'"),
    (#"{"type":"SECRET-client"}"#, "its 'type' is unknown"),
    (
      #"{"installed":{"client_secret":"SECRET-client"}}"#,
      "credentials of the type OAuth client ID are not supported"
    ),
    (
      #"{"type":"authorized_user","client_secret":"SECRET-client"}"#,
      "it has no 'client_id', 'refresh_token'"
    ),
    (
      #"{"type":"authorized_user","client_id":"","client_secret":"SECRET-client","refresh_token":1}"#,
      "it has no 'client_id', 'refresh_token'"
    ),
    (
      #"{"type":"service_account","client_email":"a@b","token_uri":"https://t"}"#, "it has no 'private_key'"
    ),
  ])
  func aMalformedFileSaysWhatIsMissing(file: String, cause: String) {
    let failure = #expect(throws: Failure.self) { try CredentialFixture.credentials(file) }
    #expect(failure?.kind == .configuration)
    #expect(failure?.cause == cause)
    #expect(failure?.path == "/key.json")
    CredentialFixture.expectNoSecret(failure as Any)
  }

  @Test func keysThatCannotSignAreToldAtOnce() throws {
    let key = try TestKey.shared.get()
    for pem in [
      "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "x", key.encrypted, key.publicKey,
    ] {
      let failure = #expect(throws: Failure.self) {
        try CredentialFixture.credentials(try CredentialFixture.serviceAccount(pem: pem))
      }
      #expect(failure?.kind == .configuration)
      #expect(failure?.cause == "its 'private_key' is not an RSA key in PEM without a password")
      CredentialFixture.expectNoSecret(failure as Any)
    }
    let curve = try TestKey.ellipticCurve()
    #expect(throws: Failure.self) {
      try CredentialFixture.credentials(try CredentialFixture.serviceAccount(pem: curve))
    }
  }

  @Test(arguments: [
    "http://oauth2.example/token", "ftp://x", "oauth2.example", "https://x/\r\nHost: y",
    "http://localhost.evil/",
  ])
  func anEndpointWithoutTLSIsRefused(_ url: String) {
    let failure = #expect(throws: Failure.self) {
      try CredentialFixture.credentials(try CredentialFixture.serviceAccount(tokenURI: url))
    }
    #expect(failure?.cause == "its 'token_uri' is not an https URL")
  }

  @Test func descriptionsHoldNoSecret() throws {
    CredentialFixture.expectNoSecret(
      try CredentialFixture.credentials(try CredentialFixture.serviceAccount())
    )
    CredentialFixture.expectNoSecret(try CredentialFixture.credentials(CredentialFixture.authorizedUser()))
  }

  @Test func theQuotaProject() throws {
    let files = ["/u.json": CredentialFixture.authorizedUser(["quota_project_id": "payer"])]
    let path = "GOOGLE_APPLICATION_CREDENTIALS"
    #expect(try CredentialFixture.discovered([path: "/u.json"], files).quotaProject == "payer")
    #expect(
      try CredentialFixture.discovered([path: "/u.json", "GOOGLE_CLOUD_QUOTA_PROJECT": "other"], files)
        .quotaProject
        == "other"
    )
    #expect(try CredentialFixture.discovered(["GOOGLE_CLOUD_QUOTA_PROJECT": "other"]).quotaProject == "other")
    #expect(try CredentialFixture.discovered([:]).quotaProject == nil)
    #expect(throws: Failure.self) {
      try CredentialFixture.discovered(["GOOGLE_CLOUD_QUOTA_PROJECT": "a\r\nX: y"])
    }
  }

  @Test(arguments: [
    ("localhost:8080", "localhost:8080"), ("http://localhost:8080/", "localhost:8080"),
    ("[::1]:8080", "[::1]:8080"),
    ("", nil), ("http://", nil),
  ])
  func theEmulatorsHost(variable: String, host: String?) {
    let discovery = CredentialDiscovery(
      environment: ["FIRESTORE_EMULATOR_HOST": variable],
      readFile: FakeFiles([:]).reader
    )
    #expect(discovery.emulatorHost == host)
  }
}
