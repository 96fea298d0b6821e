/// The embedded store: a loopback HTTP server that implements Firestore's REST API (v1) over a SQLite file.
///
/// Databases of any project are created on first use. Any credentials are accepted unless a token is
/// required, and queries need no composite indexes. Previous versions of documents are kept for an hour, so
/// that reads can specify a `readTime`. Acknowledged commits survive a crash of the process.
///
///     try await LocalFirestoreServer.withServer(dataFile: ".gymmigrate/local.sqlite") { server in
///       print(server.endpoint)    // http://127.0.0.1:49152
///       await server.runUntilCancelled()
///     }
package struct LocalFirestoreServer: Sendable {
  /// The base URL: `http://127.0.0.1:PORT`.
  package let endpoint: String
  package let port: UInt16

  package struct Limits: Sendable {
    /// The time to wait for more of a request, or for the next one, before closing the connection, in
    /// seconds.
    package var receiveTimeout = 30.0
    /// The maximum total size of request bodies in bytes; further requests are answered with 503.
    package var heldBodyBytes = 128 << 20

    package init() {}
  }

  /// Runs a server while `body` runs.
  ///
  /// - Parameters:
  ///   - dataFile: The SQLite file, created if missing; nil keeps everything in memory. Several processes may
  ///     serve the same file.
  ///   - port: The port on 127.0.0.1; 0 selects a free one.
  ///   - clock: Returns microseconds since 1970, possibly the same time repeatedly: commit times increase nevertheless; nil for
  ///     the system's time.
  /// - Throws: ``Failure``: `.configuration` if the port is in use, `.cannotWrite` if the file cannot be
  ///   created or written, `.inputMalformed` if it is not a data file, `.tryLater` if it stays locked; errors
  ///   of `body`.
  package static func withServer<Result>(
    dataFile: String?,
    port: UInt16 = 0,
    clock: (@Sendable () -> Int64)? = nil,
    limits: Limits = Limits(),
    access: Access = Access(),
    _ body: (LocalFirestoreServer) async throws -> Result
  ) async throws -> Result {
    let store = try DocumentStore(file: dataFile, clock: CommitClock(source: clock ?? CommitClock.system))
    return try await serve(store, port: port, limits: limits, access: access, body)
  }

  /// Serves a mirror while `body` runs: a read-only data file, whose present is the time at which it was pulled.
  ///
  /// - Throws: As ``withServer(dataFile:port:clock:limits:access:_:)``.
  package static func withMirror<Result>(
    _ file: String,
    at moment: Timestamp,
    access: Access = Access(),
    _ body: (LocalFirestoreServer) async throws -> Result
  ) async throws -> Result {
    let time = moment.microseconds
    let store = try DocumentStore(file: file, clock: CommitClock { time }, isMirror: true)
    return try await serve(store, port: 0, limits: Limits(), access: access, body)
  }

  /// Serves documents while `body` runs, read-only and as of one time, from a data file created from them.
  ///
  /// - Parameters:
  ///   - file: Where to create the data file, which the caller removes.
  ///   - next: Returns the next documents; nil at the end.
  /// - Throws: As ``withServer(dataFile:port:clock:limits:access:_:)``; errors of `next`.
  package static func withDocuments<Result>(
    of database: DatabaseName,
    at moment: Timestamp,
    in file: String,
    access: Access,
    _ next: () throws -> [RawDocument]?,
    _ body: (LocalFirestoreServer) async throws -> Result
  ) async throws -> Result {
    try DocumentTable.write(next, of: database, at: moment.microseconds, to: file)
    return try await withMirror(file, at: moment, access: access, body)
  }

  private static func serve<Result>(
    _ store: DocumentStore,
    port: UInt16,
    limits: Limits,
    access: Access,
    _ body: (LocalFirestoreServer) async throws -> Result
  ) async throws -> Result {
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

  /// Waits until the task is cancelled, for a standalone server.
  package func runUntilCancelled() async {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
  }
}
