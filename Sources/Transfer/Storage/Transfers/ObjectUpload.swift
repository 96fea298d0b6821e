import Files
import FirestoreREST

/// One resumable upload: its session, its pieces, its end.
///
/// The object appears as a whole in ``finish(_:)``. Before that there is only a session, which leaves nothing behind.
struct ObjectUpload: Sendable {
  /// The number of bytes in each request: a multiple of 256 KiB, which the service requires of all pieces except the last.
  ///
  /// Two pieces are held at a time. At 80 ms per request, smaller ones would be slower than reading from Firestore.
  static let pieceBytes = 3 << 20

  let address: StorageAddress
  private let client: StorageClient
  private let session: String
  private let id: String
  private var progress = UploadProgress()
  private var checksum = CRC32C()
  /// The number of bytes in the pieces so far.
  private(set) var count = 0
  private var call: StorageCall { StorageCall("write", address, writes: true) }

  /// Starts a session.
  ///
  /// - Parameters:
  ///   - generation: The version to replace, 0 for none; nil to replace any.
  ///   - kind: The kind of the object, for its metadata.
  /// - Returns: Nil if the object is in another state.
  /// - Throws: `.notPermitted`, `.configuration` for a missing bucket, `.unavailable`.
  static func start(
    _ address: StorageAddress,
    ifGeneration generation: Int64?,
    kind: String,
    _ client: StorageClient
  ) async throws(Failure) -> ObjectUpload? {
    let call = StorageCall("write", address, writes: true)
    let id = newID()
    var query = [("uploadType", "resumable"), ("name", address.name), ("fields", StorageResource.members)]
    if let generation { query.append(("ifGenerationMatch", String(generation))) }
    let request = client.request(
      "POST",
      client.uploadURL(address, query),
      headers: [("Content-Type", "application/json; charset=UTF-8")],
      body: metadata(of: address, kind: kind, id: id, crc32c: nil)
    )
    let response = try await client.send(request, call)
    switch response.status {
    case 200, 201: break
    case 412: return nil
    default: throw call.refused(response)
    }
    guard let location = response.headers["location"],
      let session = sessionURL(location, endpoint: client.endpoint)
    else { throw call.foreign("the answer names no upload session") }
    return ObjectUpload(address: address, client: client, session: session, id: id)
  }

  /// Sends a piece other than the last.
  ///
  /// - Parameter piece: ``pieceBytes`` bytes.
  /// - Throws: `.unavailable`, `.tryLater`, `.notPermitted`, `.interrupted`; then the upload cannot be continued.
  mutating func send(_ piece: [UInt8]) async throws(Failure) {
    _ = try await send(piece, isLast: false)
  }

  /// Sends the last piece, and checks that the object is what was sent.
  ///
  /// - Returns: Nil if somebody else has changed the object; then nothing was written.
  /// - Throws: The errors of ``send(_:)``.
  mutating func finish(_ piece: [UInt8]) async throws(Failure) -> StorageResource? {
    guard let object = try await send(piece, isLast: true) else { return nil }
    return try await client.verified(object, at: address, bytes: count, checksum)
  }

  /// Ends the session without an object, if the service can be reached.
  func abandon() async {
    let request = HTTPRequest(method: "DELETE", url: session, timeout: 2, maximumBodyBytes: 1 << 20)
    _ = await client.once(request)
  }

  // MARK: Pieces

  /// Returns the object after the last piece; nil after any other piece, or if the upload was refused.
  private mutating func send(_ piece: [UInt8], isLast: Bool) async throws(Failure) -> StorageResource? {
    let range = count..<(count + piece.count)
    piece.withUnsafeBytes { checksum.update($0) }
    count = range.upperBound
    var attempts = Attempts(client.caller)
    let stopped = Failure.stopped("write", address.description)
    var request = request(piece, range, from: range.lowerBound, isLast: isLast)
    while true {
      let outcome = await client.once(request)
      switch StorageNextStep.after(outcome) {
      case .fail: throw call.exhausted(outcome, after: attempts.number)
      case .retry(let reason, let asked, let mayBeApplied):
        guard try await attempts.wait(.storage, reason, asked: asked, orThrow: stopped) else {
          throw call.exhausted(outcome, after: attempts.number)
        }
        if mayBeApplied { request = question(range, isLast: isLast) }
      case .answered(let response):
        let before = progress.confirmed
        switch progress.step(after: try answer(response), piece: range, isLast: isLast) {
        case .pieceDone, .refused: return nil
        case .finished: return try client.resource(response, call)
        case .lookAtObject: return try await lookAtObject(isLast: isLast)
        case .foreign(let cause): throw call.foreign(cause)
        case .send(let offset):
          if progress.confirmed > before {
            attempts.restart()
          } else if try await !attempts.wait(.storage, "no byte was taken", asked: nil, orThrow: stopped) {
            throw call.foreign("it takes no more bytes")
          }
          request = self.request(piece, range, from: offset, isLast: isLast)
        }
      }
    }
  }

  private func answer(_ response: HTTPResponse) throws(Failure) -> UploadProgress.Answer {
    switch response.status {
    case 200, 201: return .complete
    case 308:
      guard let persisted = UploadProgress.persisted(range: response.headers["range"]) else {
        throw call.foreign("its range cannot be read")
      }
      return .incomplete(persisted: persisted)
    case 404, 410: return .unknownSession
    case 412: return .preconditionFailed
    default: throw call.refused(response)
    }
  }

  /// Determines from the object itself whether the upload was completed, after the service forgot its session.
  private func lookAtObject(isLast: Bool) async throws(Failure) -> StorageResource? {
    if isLast, let object = try await client.object(at: address, madeBy: id) { return object }
    throw Failure(
      .unavailable,
      "write",
      path: address.description,
      cause: "the service has ended the upload",
      remedy: "Nothing was written; run the command again."
    )
  }

  private func request(_ piece: [UInt8], _ range: Range<Int>, from offset: Int, isLast: Bool) -> HTTPRequest {
    let rest = offset..<range.upperBound
    return client.request(
      "PUT",
      session,
      headers: headers(rest, isLast: isLast),
      body: offset == range.lowerBound ? piece : Array(piece[(offset - range.lowerBound)...]),
      moving: rest.count
    )
  }

  /// Returns the request for the state of the upload.
  private func question(_ range: Range<Int>, isLast: Bool) -> HTTPRequest {
    let headers = headers(range.upperBound..<range.upperBound, isLast: isLast)
    return client.request("PUT", session, headers: headers, body: [])
  }

  private func headers(_ range: Range<Int>, isLast: Bool) -> [(name: String, value: String)] {
    var headers = [
      (name: "Content-Range", value: UploadProgress.contentRange(range, total: isLast ? count : nil)),
      (name: "Content-Type", value: "application/octet-stream"),
    ]
    if isLast { headers.append((name: "X-Goog-Hash", value: "crc32c=\(checksum.base64)")) }
    return headers
  }

  // MARK: Metadata and sessions

  /// Returns an ID that identifies an upload in the object that it creates.
  static func newID() -> String { String(UInt64.random(in: 0...UInt64.max), radix: 36) }

  /// Returns the metadata of an object as JSON.
  static func metadata(of address: StorageAddress, kind: String, id: String, crc32c: String?) -> [UInt8] {
    JSONWriter.object {
      $0.member("contentType", contentType(of: address.name))
      $0.member("crc32c", crc32c)
      $0.member("metadata") {
        $0.key(StorageResource.mark)
        $0.string(kind)
        $0.key(StorageResource.upload)
        $0.string(id)
      }
      $0.member("name", address.name)
    }
  }

  private static func contentType(of name: String) -> String {
    let file = FileName(name)
    if file.isCompressed { return "application/gzip" }
    return switch file.kind {
    case .csv: "text/csv"
    case .jsonl: "application/jsonl"
    case .json: "application/json"
    case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    case .html: "text/html"
    default: "application/octet-stream"
    }
  }

  /// Returns the URL of a session, to which the token is sent, too; nil if it leads to anybody else.
  ///
  /// An emulator may use another name for itself than the one by which it is reached.
  static func sessionURL(_ location: String, endpoint: String) -> String? {
    // Only characters of URLs: no space, and nothing that a terminal or a parser may take for something else.
    guard location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    if location.utf8.starts(with: "\(endpoint)/".utf8) { return location }
    guard let scheme = location.firstRange(of: "://"),
      let slash = location[scheme.upperBound...].utf8.firstIndex(of: UInt8(ascii: "/"))
    else { return location.utf8.first == UInt8(ascii: "/") ? endpoint + location : nil }
    if endpoint.hasPrefix("https:") {
      let host = location[scheme.upperBound..<slash]
      // Only letters of a host name, so that no other host can be meant.
      let isHost = host.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-.".utf8.contains($0) }
      return location.hasPrefix("https://") && host.hasSuffix(".googleapis.com") && isHost ? location : nil
    }
    return endpoint + location[slash...]
  }
}
