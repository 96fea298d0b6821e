import FirestoreModels

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

private func converse(_ input: [UInt8]) {
  converse(input, kinds: "lhoudsk", answer: response) { caller, kind throws(Failure) in
    try await exchange(StorageClient(endpoint: "http://h", caller: caller), kind)
  }
}

private func exchange(_ client: StorageClient, _ kind: UInt8) async throws(Failure) {
  let address = try StorageAddress("gs://bucket/o")
  let store = BucketObjectStore(try StorageAddress("gs://bucket/p"), client)
  switch kind {
  case UInt8(ascii: "l"):
    for object in try await store.list("") { expect(object.bytes >= 0, "an object of less than nothing") }
  case UInt8(ascii: "h"): _ = try await client.holdsObjects(address.asFolder)
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

/// A record is the status by a letter, a line of headers, and the body.
@Sendable private func response(_ request: HTTPRequest, _ record: [UInt8]) -> HTTPResponse {
  expect(request.url.hasPrefix("http://h/"), "a request leaves the service: \(request.url)")
  let rest = record.dropFirst()
  let line = rest.prefix { $0 != UInt8(ascii: "\n") }
  let header = String(decoding: line, as: UTF8.self)
  let status =
    switch record[0] {
    case UInt8(ascii: "3"): 308
    case UInt8(ascii: "4"): 404
    case UInt8(ascii: "p"): 412
    case UInt8(ascii: "5"): 503
    case UInt8(ascii: "9"): 429
    case UInt8(ascii: "f"): 403
    case UInt8(ascii: "6"): 206
    default: 200
    }
  return HTTPResponse(
    status: status,
    headers: ["location": header, "range": header, "retry-after": header, "date": header],
    body: Array(rest.dropFirst(line.count + 1))
  )
}
