import Files
import FirestoreModels
import FirestoreREST
import Testing

@testable import Storage

@Suite struct StorageDecisionTests {
  // RFC 3720, appendix B.4, and the check value of the catalogue of parametrised CRC algorithms.
  @Test(
    "CRC-32C of the published vectors",
    arguments: [
      ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
      ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
      ([UInt8](0..<32), 0x46DD_794E),
      ([UInt8]((0..<32).reversed()), 0x113F_DB5C),
      ([UInt8]("123456789".utf8), 0xE306_9283),
      ([UInt8](), 0),
    ] as [([UInt8], UInt32)]
  )
  func vectors(_ bytes: [UInt8], _ expected: UInt32) {
    #expect(CRC32C.checksum(of: bytes).value == expected)
    for cut in bytes.indices {
      var crc = CRC32C()
      bytes[..<cut].withUnsafeBytes { crc.update($0) }
      bytes[cut...].withUnsafeBytes { crc.update($0) }
      #expect(crc.value == expected)
      var tables = CRC32C()
      bytes[..<cut].withUnsafeBytes { tables.updateByTables($0) }
      bytes[cut...].withUnsafeBytes { tables.updateByTables($0) }
      #expect(tables == crc)
    }
  }

  @Test("A checksum is written with its highest byte first")
  func checksumText() {
    // E3 06 92 83 in Base64.
    #expect(CRC32C.checksum(of: Array("123456789".utf8)).base64 == "4waSgw==")
  }

  @Test(
    "What follows an answer to a piece",
    arguments: [
      (.incomplete(persisted: 512), false, .pieceDone, 512),
      (.incomplete(persisted: 300), false, .send(from: 300), 300),
      (.incomplete(persisted: 256), false, .send(from: 256), 256),
      (.incomplete(persisted: 512), true, .send(from: 512), 512),
      (.complete, true, .finished, 0),
      (.unknownSession, true, .lookAtObject, 0),
      (.unknownSession, false, .lookAtObject, 0),
      (.preconditionFailed, true, .refused, 0),
    ] as [(UploadProgress.Answer, Bool, UploadProgress.Step, Int)]
  )
  func steps(_ answer: UploadProgress.Answer, _ isLast: Bool, _ step: UploadProgress.Step, _ confirmed: Int) {
    var progress = UploadProgress()
    #expect(progress.step(after: answer, piece: 256..<512, isLast: isLast) == step)
    #expect(progress.confirmed == confirmed)
  }

  @Test(
    "An answer that contradicts what was sent ends the upload",
    arguments: [
      (.incomplete(persisted: 513), true), (.incomplete(persisted: 255), false), (.complete, false),
    ]
      as [(UploadProgress.Answer, Bool)]
  )
  func contradictions(_ answer: UploadProgress.Answer, _ isLast: Bool) {
    var progress = UploadProgress()
    guard case .foreign = progress.step(after: answer, piece: 256..<512, isLast: isLast) else {
      Issue.record("\(answer) was accepted")
      return
    }
    #expect(progress.confirmed == 0)
  }

  @Test("A service that takes back what it confirmed ends the upload, and does not go to and fro for ever")
  func takenBack() {
    var progress = UploadProgress()
    #expect(
      progress.step(after: .incomplete(persisted: 400), piece: 256..<512, isLast: false) == .send(from: 400)
    )
    guard case .foreign = progress.step(after: .incomplete(persisted: 300), piece: 256..<512, isLast: false)
    else {
      Issue.record("it was accepted")
      return
    }
    #expect(progress.confirmed == 400)
  }

  @Test("The header of what the service has")
  func ranges() {
    #expect(UploadProgress.persisted(range: nil) == 0)
    #expect(UploadProgress.persisted(range: "bytes=0-42") == 43)
    #expect(UploadProgress.persisted(range: "bytes=1-42") == nil)
    #expect(UploadProgress.persisted(range: "bytes=0-x") == nil)
    #expect(UploadProgress.contentRange(0..<10, total: nil) == "bytes 0-9/*")
    #expect(UploadProgress.contentRange(5..<10, total: 10) == "bytes 5-9/10")
    #expect(UploadProgress.contentRange(10..<10, total: 10) == "bytes */10")
    #expect(UploadProgress.contentRange(10..<10, total: nil) == "bytes */*")
  }

  @Test(
    "Which statuses are retried",
    arguments: [
      (200, "answered"), (308, "answered"), (400, "answered"), (401, "answered"), (403, "answered"),
      (404, "answered"), (408, "look"), (412, "answered"), (429, "retry"), (500, "look"), (502, "look"),
      (503, "look"), (504, "look"), (501, "answered"),
    ]
  )
  func statuses(_ status: Int, _ step: String) {
    #expect(Self.word(.success(HTTPResponse(status: status))) == step)
  }

  @Test(
    "Which lost answers are looked for",
    arguments: [
      (.notConnected, "retry"), (.lost, "look"), (.bodyTooLarge, "fail"), (.cancelled, "fail"),
      (.invalid, "fail"),
    ] as [(TransportError.Kind, String)]
  )
  func transport(_ kind: TransportError.Kind, _ step: String) {
    #expect(Self.word(.failure(.transport(TransportError(kind, "x")))) == step)
  }

  private static func word(_ outcome: Result<HTTPResponse, CallFailure>) -> String {
    switch StorageNextStep.after(outcome) {
    case .answered: "answered"
    case .retry(_, _, let mayBeApplied): mayBeApplied ? "look" : "retry"
    case .fail: "fail"
    }
  }

  @Test("Addresses")
  func addresses() throws {
    #expect(try StorageAddress("gs://my-bucket/a/b.csv").name == "a/b.csv")
    #expect(try StorageAddress("gs://my-bucket").isFolder)
    #expect(try StorageAddress("gs://my-bucket/a/").isFolder)
    #expect(try StorageAddress("gs://my-bucket/a").asFolder.name == "a/")
    #expect(try StorageAddress("gs://my-bucket/añ o").description == "gs://my-bucket/añ o")
    let longest = String(repeating: "b", count: 222)
    #expect(try StorageAddress("gs://\(longest)/a").bucket == longest)
  }

  @Test("A bucket's name that is too short or too long is told the accepted lengths", arguments: [2, 223])
  func bucketLengths(_ count: Int) {
    let failure = #expect(throws: Failure.self) {
      try StorageAddress("gs://\(String(repeating: "b", count: count))/a")
    }
    #expect(failure?.cause == "the name of a bucket has 3 to 222 characters")
  }

  @Test(
    "Malformed addresses are errors of usage",
    arguments: [
      "gs://", "gs:///a", "gs://ab/c", "gs://My-Bucket/a", "gs://-abc/a", "gs://my-bucket//a",
      "gs://my-bucket/a//b",
      "gs://my-bucket/../a", "gs://my-bucket/a/./b", "gs://my-bucket/a\nb", "s3://my-bucket/a",
      "gs://my-bucket/" + String(repeating: "x", count: 1025), "gs://user@host/a",
    ]
  )
  func malformed(_ text: String) {
    #expect(throws: Failure.self) { try StorageAddress(text) }
  }

  @Test("A session is followed nowhere but to the service")
  func sessions() {
    let google = StorageClient.serviceEndpoint
    #expect(ObjectUpload.sessionURL("\(google)/upload?x=1", endpoint: google) == "\(google)/upload?x=1")
    #expect(
      ObjectUpload.sessionURL("https://www.googleapis.com/upload?x=1", endpoint: google)
        == "https://www.googleapis.com/upload?x=1"
    )
    for foreign in [
      "http://storage.googleapis.com/u", "https://evil.example/u",
      "https://storage.googleapis.com.evil.example/u",
      "https://evil.example\\.googleapis.com/u", "https://a@b.googleapis.com/u", "upload",
    ] {
      #expect(ObjectUpload.sessionURL(foreign, endpoint: google) == nil, "\(foreign)")
    }
    // An emulator in a container knows itself by another name.
    #expect(
      ObjectUpload.sessionURL("http://gcs:4443/u?x=1", endpoint: "http://127.0.0.1:9")
        == "http://127.0.0.1:9/u?x=1"
    )
    #expect(ObjectUpload.sessionURL("/u?x=1", endpoint: "http://127.0.0.1:9") == "http://127.0.0.1:9/u?x=1")
  }

  @Test(
    "A session whose URL holds more than visible ASCII is none",
    arguments: ["/\u{30C}upload", "/a b", "/a\u{7F}", "https://storage.googleapis.com/\u{E9}"]
  )
  func strangeSessions(_ location: String) {
    for endpoint in ["http://localhost:9023", StorageClient.serviceEndpoint] {
      #expect(ObjectUpload.sessionURL(location, endpoint: endpoint) == nil)
    }
    #expect(
      ObjectUpload.sessionURL("http://localhost:9023\(location)", endpoint: "http://localhost:9023") == nil
    )
  }

  @Test("The variable of the emulator")
  func emulator() throws {
    func endpoint(_ text: String) throws -> String? {
      try CloudStorage.emulatorEndpoint(["STORAGE_EMULATOR_HOST": text])
    }
    #expect(try CloudStorage.emulatorEndpoint([:]) == nil)
    #expect(try endpoint("") == nil)
    #expect(try endpoint("localhost:9023") == "http://localhost:9023")
    #expect(try endpoint("http://localhost:9023/") == "http://localhost:9023")
    for text in ["http://", "ftp://host", "http://user@host:1", "http://host/path", "ho st"] {
      #expect(throws: Failure.self) { try endpoint(text) }
    }
  }
}
