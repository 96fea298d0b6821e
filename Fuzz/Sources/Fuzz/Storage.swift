import Dispatch
import FirestoreModels
import Synchronization

@testable import FirestoreREST
@testable import Storage

/// Objects, pages of lists and headers as Cloud Storage answers them, and whole conversations.
func fuzzStorage(_ input: [UInt8]) {
  resources(input)
  headers(String(decoding: input, as: UTF8.self))
  converse(input)
}

private func resources(_ input: [UInt8]) {
  let parser = JSONParser(maximumBytes: 1 << 20)
  _ = attempt { () throws(WireError) in
    try parser.parse(input) { root throws(WireError) in
      let object = attempt { () throws(WireError) in try StorageResource(root) }
      let list = attempt { () throws(WireError) in try StorageList(root) }
      for object in (list?.objects ?? []) + (object.map { [$0] } ?? []) {
        expect(object.generation > 0, "the generation \(object.generation)")
        expect(object.bytes >= 0 && object.bytes <= 1 << 53, "an object of \(object.bytes) bytes")
        expect(!LatestPointer.isOne(object) || object.bytes <= 64, "a pointer of \(object.bytes) bytes")
      }
      expect(list?.nextPageToken?.isEmpty != true, "an empty token leads to a page")
    }
  }
  if let name = LatestPointer.target(input) {
    expect(!name.isEmpty && !name.utf8.contains(UInt8(ascii: "/")), "'latest' leads elsewhere")
    expect(name != "." && name != "..", "'latest' leads to \(name)")
  }
}

/// The headers of an upload: where its session is, and what of it is there.
private func headers(_ text: String) {
  if let persisted = UploadProgress.persisted(range: text) {
    expect(persisted > 0, "\(persisted) bytes are there")
    let range = UploadProgress.contentRange(0..<persisted, total: nil)
    expect(
      range == "bytes 0-\(persisted - 1)/*",
      "a range is another after it was read and written: \(range)"
    )
    step(persisted)
  }
  let service = StorageClient.serviceEndpoint
  if let url = ObjectUpload.sessionURL(text, endpoint: service) {
    let authority = url.utf8.dropFirst("https://".utf8.count).prefix { !"/?#\\".utf8.contains($0) }
    let host = String(decoding: authority, as: UTF8.self)
    expect(url.hasPrefix("https://"), "a token is sent in the clear")
    expect(host.hasSuffix(".googleapis.com"), "a token is sent to \(host)")
    expect(!host.utf8.contains { "@:%".utf8.contains($0) }, "a token is sent to \(host)")
  }
  let emulator = "http://localhost:9023"
  if let url = ObjectUpload.sessionURL(text, endpoint: emulator) {
    expect(url.utf8.starts(with: "\(emulator)/".utf8), "a session is at \(url)")
    expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a session is at \(url)")
  }
  if let address = attempt({ () throws(Failure) in try StorageAddress(text) }) {
    let again = attempt { () throws(Failure) in try StorageAddress(address.description) }
    expect(again == address, "an address is another after it was written and read")
  }
}

private func step(_ persisted: Int) {
  for isLast in [false, true] {
    var progress = UploadProgress()
    let step = progress.step(after: .incomplete(persisted: persisted), piece: 0..<1024, isLast: isLast)
    switch step {
    case .send(let offset): expect(offset == persisted && offset <= 1024, "bytes of another piece are sent")
    case .pieceDone: expect(persisted == 1024 && !isLast, "a piece is done with \(persisted) bytes")
    case .foreign: expect(persisted > 1024, "\(persisted) bytes are refused")
    default: expect(false, "an answer becomes \(step)")
    }
  }
}

// MARK: Conversations

/// Answers to a client: the first byte is what it does, the rest records behind 0x1E.
///
/// A record is the status by a letter, a line of headers, and the body. When all were given they are given anew, so that only
/// the client can end it.
private func converse(_ input: [UInt8]) {
  let records = input.dropFirst().split(separator: 0x1E).map { Array($0) }
  guard let kind = input.first, "lhoudsk".utf8.contains(kind), !records.isEmpty else { return }
  let done = DispatchSemaphore(value: 0)
  start(kind, records, done)
  done.wait()
}

private func start(_ kind: UInt8, _ records: [[UInt8]], _ done: DispatchSemaphore) {
  let transport = StorageTransport(records: records, done: done)
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
  let client = StorageClient(endpoint: "http://h", caller: caller)
  Task {
    do throws(Failure) {
      try await exchange(client, kind)
    } catch {
      expect(!error.description.contains("\n"), "an error of several lines")
    }
  }
}

private func exchange(_ client: StorageClient, _ kind: UInt8) async throws(Failure) {
  let address = try StorageAddress("gs://bucket/o")
  let store = BucketObjectStore(try StorageAddress("gs://bucket/p"), client)
  switch kind {
  case UInt8(ascii: "l"):
    for object in try await store.list("") { expect(object.bytes >= 0, "an object of less than nothing") }
  case UInt8(ascii: "h"): _ = try await client.holdsObjects(address.asFolder, "read")
  case UInt8(ascii: "o"):
    let object = try await store.read("o", limit: 4096)
    expect(object?.bytes.count ?? 0 <= 4096, "an object has no bound")
  case UInt8(ascii: "u"):
    guard var upload = try await ObjectUpload.start(address, ifGeneration: 0, kind: "file", client) else {
      return
    }
    try await upload.send([UInt8](repeating: 1, count: 64))
    let object = try await upload.finish([UInt8](repeating: 2, count: 10))
    expect(
      object == nil || object?.metadata["gymmigrate-upload"] != nil || object?.bytes == 74,
      "another object is ours"
    )
  case UInt8(ascii: "d"): _ = try await store.delete("o", version: nil)
  case UInt8(ascii: "s"): _ = try await store.write([1, 2, 3], to: "o", if: .missing)
  default: _ = try await ObjectLock.take(address, protecting: "p", holder: "h", client)
  }
}

/// Gives one record after another and begins again behind the last; signals when nobody holds it any more.
private final class StorageTransport: HTTPTransport {
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
    expect(number < 20_000, "a conversation does not end: \(number) requests")
    expect(request.url.hasPrefix("http://h/"), "a request leaves the service: \(request.url)")
    let record = records[number % records.count]
    let rest = record.dropFirst()
    let line = rest.prefix { $0 != UInt8(ascii: "\n") }
    let header = String(decoding: line, as: UTF8.self)
    let body = Array(rest.dropFirst(line.count + 1))
    let status: Int
    switch record[0] {
    case UInt8(ascii: "x"): throw TransportError(.lost, "cut")
    case UInt8(ascii: "n"): throw TransportError(.notConnected, "refused")
    case UInt8(ascii: "b"): throw TransportError(.bodyTooLarge, "too large")
    case UInt8(ascii: "3"): status = 308
    case UInt8(ascii: "4"): status = 404
    case UInt8(ascii: "p"): status = 412
    case UInt8(ascii: "5"): status = 503
    case UInt8(ascii: "9"): status = 429
    case UInt8(ascii: "f"): status = 403
    case UInt8(ascii: "6"): status = 206
    default: status = 200
    }
    return HTTPResponse(
      status: status,
      headers: ["location": header, "range": header, "retry-after": header, "date": header],
      body: body
    )
  }
}
