package import Files
package import FirestoreREST
import Platform

/// Access to Cloud Storage: its buckets as files, and as object stores.
///
///     let storage = CloudStorage(endpoint: nil, credentials: credentials, transport: transport, policy: policy)
///     let store = try storage.store(at: "gs://example-backups/shards/")
///     var file = try OutputFile("gs://example-backups/users.csv", via: storage.files)
///
/// Requests run on a separate queue, so that threads that block until a file is written cannot delay them.
package struct CloudStorage: Sendable {
  package let files: FileAccess
  package let client: StorageClient
  private let bridge: Bridge

  /// - Parameter endpoint: Scheme, host and port; nil for the service itself.
  package init(
    endpoint: String? = nil,
    credentials: Credentials,
    transport: any HTTPTransport,
    policy: RetryPolicy = RetryPolicy(),
    traffic: TrafficCounter = TrafficCounter(),
    onRetry: @escaping @Sendable (RetryNotice) -> Void = { _ in }
  ) {
    let bridge = Bridge()
    var clock = RunClock.system
    clock.sleep = { seconds in try await bridge.sleep(seconds) }
    let caller = ServiceCaller(
      transport: transport,
      credentials: TokenProvider(
        credentials,
        transport: transport,
        executor: bridge,
        sleep: { seconds in try await bridge.sleep(seconds) }
      ),
      policy: policy,
      clock: clock,
      traffic: traffic,
      onRetry: onRetry
    )
    _ = Allocator.returnsLargeBlocks
    self.bridge = bridge
    client = StorageClient(endpoint: endpoint ?? StorageClient.serviceEndpoint, caller: caller)
    files = FileAccess(remote: BucketFiles(client, bridge))
  }

  /// Begins work on the queue of the requests.
  func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: bridge) { await work() }
  }

  /// Returns the object store at an address, `gs://bucket/folder/`.
  ///
  /// - Throws: `.usage` for a malformed address.
  package func store(at address: String) throws(Failure) -> BucketObjectStore {
    BucketObjectStore(try StorageAddress(address), client)
  }

  /// Reads the endpoint from `STORAGE_EMULATOR_HOST`, as Google's clients do; returns nil if it is not set.
  ///
  /// - Throws: `.configuration` unless it is `host:port` or a URL of scheme, host and port.
  package static func emulatorEndpoint(_ variables: [String: String]) throws(Failure) -> String? {
    let name = "STORAGE_EMULATOR_HOST"
    guard var text = variables[name], !text.isEmpty else { return nil }
    if !text.contains("://") { text = "http://\(text)" }
    while text.hasSuffix("/") { text.removeLast() }
    let host = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    let isPlain = host.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@\\".utf8.contains($0) }
    guard text.hasPrefix("http://") || text.hasPrefix("https://"), !host.isEmpty, isPlain else {
      throw Failure(
        .configuration,
        "use \(name)",
        cause: "'\(text)' is not a host and a port",
        remedy: "Set it to HOST:PORT, or http://HOST:PORT."
      )
    }
    return text
  }
}
