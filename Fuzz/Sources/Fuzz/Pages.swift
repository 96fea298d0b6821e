import Dispatch
import FirestoreModels
import Synchronization

@testable import FirestoreREST

/// Answers to a client that reads a collection to its end.
///
/// They are records behind 0x1E: the first byte is the kind of answer, the rest its body. When all were given they are
/// given anew, so that only the client can end it.
func fuzzPages(_ input: [UInt8]) {
  let records = input.dropFirst().split(separator: 0x1E).map { Array($0) }
  guard let kind = input.first, !records.isEmpty else { return }
  let done = DispatchSemaphore(value: 0)
  start(kind, records, done)
  // Also a page that was asked for ahead has to be over: it would run into the next input, or into the end of the
  // process, when C++ has taken down already what it parses with.
  done.wait()
}

/// Reads in a task; `done` is signalled when nothing is left that can send a request.
private func start(_ kind: UInt8, _ records: [[UInt8]], _ done: DispatchSemaphore) {
  let transport = RepeatingTransport(records: records, done: done)
  let time = Mutex(0.0)
  let clock = RunClock(
    now: { time.withLock { $0 } },
    sleep: { seconds in time.withLock { $0 += seconds } },
    random: { 0.5 }
  )
  let caller = ServiceCaller(
    transport: transport,
    credentials: TokenProvider(Credentials(.emulatorOwner), transport: transport),
    clock: clock
  )
  let client = FirestoreClient(database: DatabaseName(project: "p"), endpoint: "http://h", caller: caller)
  Task { await read(client, kind) }
}

private func read(_ client: FirestoreClient, _ kind: UInt8) async {
  guard let collection = CollectionPath("c"), let path = DocumentPath("c/a") else { return }
  var request = CollectionRead(collection, pageSize: 2)
  switch kind {
  case UInt8(ascii: "g"): request.reach = .group
  case UInt8(ascii: "s"): request.reach = .subcollections
  case UInt8(ascii: "i"): return _ = try? await client.collectionIDs()
  case UInt8(ascii: "b"): return _ = try? await client.batchGet([path])
  case UInt8(ascii: "n"): return _ = try? await client.count(collection)
  default: break
  }
  do {
    for try await page in client.pages(of: request) { expect(page.count <= 10_000, "a page has no bound") }
  } catch {
    expect(error is Failure, "a page fails without a Failure")
  }
}

/// Gives one record after another and begins again behind the last; signals when nobody holds it any more.
private final class RepeatingTransport: HTTPTransport {
  private let records: [[UInt8]]
  private let done: DispatchSemaphore
  private let sent = Mutex(0)

  init(records: [[UInt8]], done: DispatchSemaphore) {
    self.records = records
    self.done = done
  }

  deinit { done.signal() }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let number = sent.withLock { sent in
      sent += 1
      return sent - 1
    }
    expect(number < 50_000, "a read does not end: \(number) requests")
    let record = records[number % records.count]
    let body = Array(record.dropFirst())
    switch record[0] {
    case UInt8(ascii: "4"): return HTTPResponse(status: 404, body: body)
    case UInt8(ascii: "5"): return HTTPResponse(status: 503, headers: ["retry-after": "1"], body: body)
    case UInt8(ascii: "1"): return HTTPResponse(status: 401, body: body)
    case UInt8(ascii: "x"): throw TransportError(.lost, "cut")
    case UInt8(ascii: "n"): throw TransportError(.notConnected, "refused")
    case UInt8(ascii: "b"): throw TransportError(.bodyTooLarge, "too large")
    default: return HTTPResponse(status: 200, body: body)
    }
  }
}
