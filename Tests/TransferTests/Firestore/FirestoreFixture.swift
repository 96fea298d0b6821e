import FirestoreModels
import Synchronization
import TestSupport

@testable import FirestoreREST

/// A time that only sleeping moves on, so that back-off costs nothing and no budget depends on the machine's speed.
final class SleepingClock: Sendable {
  private let time = Mutex(1000.0)

  /// Seconds that were slept so far, side by side counted once.
  var slept: Double { time.withLock { $0 } - 1000 }

  /// The clock for a caller; chance is always the same.
  func clock(random: Double = 0.5) -> RunClock {
    RunClock(
      now: { self.time.withLock { $0 } },
      sleep: { seconds in
        let end = self.time.withLock { $0 } + seconds
        try await Task.sleep(for: .microseconds(Int64(max(0, min(seconds, 100)) * 100)))
        self.time.withLock { $0 = max($0, end) }
      },
      random: { random }
    )
  }
}

/// Sends through another transport with a time-out of its own, and adds a smaller cap where that is wanted.
struct ImpatientTransport: HTTPTransport {
  let inner: any HTTPTransport
  var timeout = 20.0
  var maximumBodyBytes: Int?

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    var request = request
    request.timeout = min(request.timeout, timeout)
    if let maximumBodyBytes { request.maximumBodyBytes = maximumBodyBytes }
    return try await inner.send(request)
  }
}

/// A client of a test server, with what it counts.
struct Fixture: Sendable {
  let server: HTTPTestServer
  let client: FirestoreClient
  let traffic: TrafficCounter
  let time: SleepingClock

  /// Runs `body` with a client of a server with this handler.
  static func with<R>(
    _ handler: @escaping RequestHandler,
    timeout: Double = 20,
    maximumBodyBytes: Int? = nil,
    budget: Double = 300,
    metadata: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Fixture) async throws -> R
  ) async throws -> R {
    try await HTTPTestServer.withServer(handler) { server in
      let transport = ImpatientTransport(
        inner: CurlTransport(),
        timeout: timeout,
        maximumBodyBytes: maximumBodyBytes
      )
      let kind: Credentials.Kind =
        metadata ? .metadataServer(MetadataServer(host: server.host)) : .emulatorOwner
      let traffic = TrafficCounter()
      let time = SleepingClock()
      let caller = ServiceCaller(
        transport: transport,
        credentials: TokenProvider(Credentials(kind), transport: transport),
        policy: RetryPolicy(budget: budget),
        clock: time.clock(),
        traffic: traffic
      )
      return try await body(
        Fixture(
          server: server,
          client: FirestoreClient(database: testDatabase, endpoint: server.url, caller: caller),
          traffic: traffic,
          time: time
        )
      )
    }
  }
}

/// JSON Lines of documents `COLLECTION/d000` on, each with a number and a text.
func jsonLines(_ collection: String, _ range: Range<Int>, text: (Int) -> String = { "t\($0)" }) -> String {
  range.map { index in
    let id = "d" + String(repeating: "0", count: max(0, 4 - "\(index)".count)) + "\(index)"
    return
      #"{"name":"\#(collection)/\#(id)","fields":{"n":{"integerValue":"\#(index)"},"t":{"stringValue":"\#(text(index))"}}}"#
  }.joined(separator: "\n")
}

/// The documents of JSON Lines.
func documents(_ jsonLines: String) throws -> [RawDocument] {
  let parser = JSONParser()
  var decoder = WireDecoder()
  return try jsonLines.utf8.split(separator: 0x0A).map { line in
    try parser.parse(Array(line)) { root throws(WireError) in try decoder.document(root) }
  }
}

/// The failure of what is expected to fail.
func failure<R>(of body: () async throws -> R) async -> Failure? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? Failure
  }
}

/// The paths of all documents that a read finds, in its order.
func paths(_ client: FirestoreClient, _ read: CollectionRead) async throws -> [String] {
  var found: [String] = []
  for try await page in client.pages(of: read) { found += page.map(\.path.string) }
  return found
}
