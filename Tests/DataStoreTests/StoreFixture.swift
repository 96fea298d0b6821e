import FirestoreDataStore
import FirestoreModels
import FirestoreREST
import LocalFirestore
import Testing

/// A document of `menus`, with its ID as a field.
struct Menu: Codable, Sendable, Identifiable, Equatable {
  struct Stock: Codable, Sendable, Equatable {
    var portions: Int
  }

  var id: String
  var name: String
  var price: Double
  var note: String?
  var stock: Stock?
}

extension FirestoreConnection {
  /// A connection that nothing in the environment changes.
  static func to(_ endpoint: String, retries: Bool = true) throws -> FirestoreConnection {
    try FirestoreConnection(
      DatabaseName(project: "test-project"),
      endpoint: endpoint,
      credentials: .emulatorOwner,
      policy: retries ? RetryPolicy(initial: 0.001, maximum: 0.002, budget: 60) : RetryPolicy(budget: 0),
      variables: [:]
    )
  }
}

/// An embedded store, seen as menus and as the documents that they are.
struct StoreFixture: Sendable {
  let connection: FirestoreConnection
  let menus: FirestoreDataStore<Menu>
  /// The same database without types.
  let client: FirestoreClient

  static func open<Result>(
    pageSize: Int = 300,
    _ body: (StoreFixture) async throws -> Result
  ) async throws -> Result {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let connection = try FirestoreConnection.to(server.endpoint)
      let transport = CurlTransport()
      let caller = ServiceCaller(
        transport: transport,
        credentials: TokenProvider(Credentials(.emulatorOwner), transport: transport)
      )
      return try await body(
        StoreFixture(
          connection: connection,
          menus: FirestoreDataStore(collection: "menus", in: connection, pageSize: pageSize),
          client: FirestoreClient(
            database: DatabaseName(project: "test-project"),
            endpoint: server.endpoint,
            caller: caller
          )
        )
      )
    }
  }

  /// Replaces a document.
  func put(_ path: String, _ fields: FieldMap) async throws {
    let path = try #require(DocumentPath(path))
    let result = try await client.perform(Write(path: path, operation: .update(fields: fields, mask: nil)))
    guard case .written = result else {
      Issue.record("\(path) was not written: \(result)")
      return
    }
  }

  /// The fields of a document; nil if there is none.
  func fields(_ path: String) async throws -> FieldMap? {
    try await client.get(try #require(DocumentPath(path))).document?.fields
  }
}
