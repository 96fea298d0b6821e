import FirestoreDataStore
import FirestoreModels
import TestSupport
import Testing

@Suite("Connections")
struct ConnectionTests {
  private func connect(
    _ endpoint: String?,
    _ credentials: FirestoreConnection.Credentials = .applicationDefault,
    project: String = "p",
    variables: [String: String] = [:]
  ) throws -> FirestoreConnection {
    try FirestoreConnection(
      DatabaseName(project: project),
      endpoint: endpoint,
      credentials: credentials,
      variables: variables
    )
  }

  @Test func endpoints() throws {
    #expect(try connect("http://127.0.0.1:8080/").endpoint == "http://127.0.0.1:8080")
    #expect(try connect(nil, .none).endpoint == "https://firestore.googleapis.com")
    let emulator = ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:9090"]
    #expect(try connect(nil, variables: emulator).endpoint == "http://127.0.0.1:9090")
    #expect(
      try connect("https://example.org", .none, variables: emulator).endpoint == "https://example.org"
    )
    let connection = try FirestoreConnection(
      project: "p",
      database: "test",
      endpoint: "http://127.0.0.1:1",
      credentials: .none
    )
    #expect(connection.project == "p")
    #expect(connection.database == "test")
  }

  @Test("What cannot be used is an error of the configuration, before anything is sent.")
  func refused() throws {
    func expectRefusal(_ body: @autoclosure () throws -> FirestoreConnection) {
      let error = #expect(throws: FirestoreConnectionError.self) { _ = try body() }
      #expect(error?.kind == .configuration)
    }
    expectRefusal(try connect("127.0.0.1:8080"))
    expectRefusal(try connect("http://127.0.0.1:8080", project: "a/b"))
    expectRefusal(try connect("http://127.0.0.1:8080", project: ""))
    expectRefusal(try connect("http://example.org", .file("key.json")))
    expectRefusal(try connect("http://example.org", .accessTokenFile("token")))
    expectRefusal(try connect("https://example.org", .file("no such file")))
    expectRefusal(try connect("https://example.org", variables: ["NO_GCE_CHECK": "true"]))
  }

  @Test("The owner of the emulator signs, or nobody, as it is asked for.")
  func signers() async throws {
    try await HTTPTestServer.withServer({ _ in .json("{}") }) { server in
      for credentials in [FirestoreConnection.Credentials.applicationDefault, .emulatorOwner, .none] {
        let connection = try connect(server.url, credentials)
        for try await _ in try FirestoreDataStore<Menu>(collection: "menus", in: connection).list() {}
      }
      let signed = server.requests.map { $0.header("Authorization") }
      #expect(signed == ["Bearer owner", "Bearer owner", nil])
    }
  }
}
