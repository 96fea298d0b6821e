/// The embedded store: an HTTP server on loopback that speaks Firestore's REST API (v1) over a SQLite file.
///
/// Databases of any project are made on first use, any credentials are accepted unless a token is asked for, and
/// composite indexes are not asked for.
/// Documents that are written are kept for an hour in their former versions, so that reads can name a `readTime`.
/// A commit that was acknowledged survives the death of the process.
package struct LocalFirestoreServer: Sendable {
  /// Where the server is: `http://127.0.0.1:PORT`.
  package let endpoint: String
  /// The port on 127.0.0.1.
  package let port: UInt16

  /// The time of the server's commits and reads, in microseconds since 1970.
  package struct Clock: Sendable {
    let now: @Sendable () -> Int64

    /// Makes a clock of a function that gives microseconds since 1970; it may stand still, and commit times still
    /// increase.
    package init(_ now: @escaping @Sendable () -> Int64) {
      self.now = now
    }

    /// The system's time.
    package static let system = Clock { CommitClock.system() }
  }

  /// What clients may ask of the server.
  package struct Limits: Sendable {
    /// How long the server waits for more of a request, or for the next one, in seconds; then it closes the connection.
    package var receiveTimeout = 30.0
    /// How many bytes the bodies of all requests together may hold; a request beyond that is answered with 503.
    package var heldBodyBytes = 128 << 20

    /// The defaults.
    package init() {}
  }

  /// Runs a server for as long as `body` takes.
  ///
  /// - Parameters:
  ///   - dataFile: The SQLite file, made where it is not there; nil keeps everything in memory. Several processes may
  ///     serve one file.
  ///   - port: The port on 127.0.0.1; 0 takes one that is free.
  ///   - clock: The time of commits and reads.
  ///   - limits: What clients may ask.
  ///   - access: Which requests are let in.
  ///   - body: What is done meanwhile.
  /// - Throws: ``Failure``: `.configuration` where the port is taken, `.cannotWrite` where the file cannot be made or
  ///   written, `.inputMalformed` where it is something else, `.tryLater` where it stays locked; and what `body` throws.
  package static func withServer<Result>(
    dataFile: String?,
    port: UInt16 = 0,
    clock: Clock = .system,
    limits: Limits = Limits(),
    access: Access = Access(),
    _ body: (LocalFirestoreServer) async throws -> Result
  ) async throws -> Result {
    let store = try DocumentStore(file: dataFile, clock: CommitClock(source: clock.now))
    let server = try LoopbackServer(
      port: port,
      service: FirestoreService(store),
      limits: limits,
      access: access
    )
    let handle = LocalFirestoreServer(endpoint: "http://127.0.0.1:\(server.port)", port: server.port)
    do {
      let result = try await body(handle)
      await server.stop()
      try store.close()
      return result
    } catch {
      await server.stop()
      try? store.close()
      throw error
    }
  }

  /// Returns when the task is cancelled; for a server that runs by itself.
  package func runUntilCancelled() async {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
  }
}
