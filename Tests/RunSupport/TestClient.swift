package import FirestoreModels
package import FirestoreREST

extension FirestoreClient {
  /// A client of a server in this process, signed as an emulator's owner.
  package static func testing(
    _ endpoint: String,
    database: DatabaseName = DatabaseName(project: "test-project"),
    over transport: any HTTPTransport = CurlTransport(),
    policy: RetryPolicy = RetryPolicy(),
    clock: RunClock = .system
  ) -> FirestoreClient {
    let caller = ServiceCaller(
      transport: transport,
      credentials: TokenProvider(Credentials(.emulatorOwner), transport: transport),
      policy: policy,
      clock: clock
    )
    return FirestoreClient(database: database, endpoint: endpoint, caller: caller)
  }
}

extension RetryPolicy {
  /// Tries again at once, and for 20 seconds.
  package static let brief = RetryPolicy(initial: 0.01, maximum: 0.05, budget: 20)
}
