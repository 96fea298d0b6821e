import Files
import FirestoreREST
import Synchronization

/// Cloud Storage's JSON API over the transport, credentials and retry policy of every other request.
///
/// https://cloud.google.com/storage/docs/json_api/v1
package struct StorageClient: Sendable {
  /// The endpoint of the service itself.
  package static let serviceEndpoint = "https://storage.googleapis.com"

  /// Scheme, host and port.
  package let endpoint: String
  /// Authenticates with the scope of Cloud Storage; its clock must not depend on threads that wait for this client.
  let caller: ServiceCaller

  // MARK: Requests with retries

  /// Sends a request until the service responds, with whatever status, or the retry budget is spent.
  ///
  /// - Parameters:
  ///   - call: What it is for, for errors.
  ///   - lookUp: Determines, after a failure, whether the request was applied: returns a response for the caller, or nil to
  ///     send the request again. Nil for a request that may be repeated.
  /// - Throws: `.unavailable`, `.tryLater`, `.configuration`, `.interrupted`.
  func send(
    _ request: HTTPRequest,
    _ call: StorageCall,
    lookUp: (() async throws(Failure) -> HTTPResponse?)? = nil
  ) async throws(Failure) -> HTTPResponse {
    var attempts = Attempts(caller)
    while true {
      let outcome = await once(request)
      switch StorageNextStep.after(outcome) {
      case .answered(let response): return try settled(response, call)
      case .fail: throw call.exhausted(outcome, after: attempts.number)
      case .retry(let reason, let asked, let mayBeApplied):
        let stopped = Failure.stopped(call.operation, call.address.description)
        guard try await attempts.wait(.storage, reason, asked: asked, orThrow: stopped) else {
          throw call.exhausted(outcome, after: attempts.number)
        }
        if mayBeApplied, let found = try await lookUp?() { return found }
      }
    }
  }

  /// Sends a request once; the token is refreshed at most once.
  func once(_ request: HTTPRequest) async -> Result<HTTPResponse, CallFailure> {
    await Result(awaiting: { () throws(CallFailure) in try await caller.exchange(request) })
  }

  private func settled(_ response: HTTPResponse, _ call: StorageCall) throws(Failure) -> HTTPResponse {
    switch response.status {
    // The meaning of these depends on the request.
    case 200...299, 308, 404, 410, 412, 416: return response
    default: throw call.refused(response)
    }
  }

  // MARK: Objects

  /// Returns an object without its content, and the service's time in seconds since 1970, if reported.
  ///
  /// - Parameter generation: The version; nil for the current one.
  /// - Returns: Nil for the object if it does not exist.
  func object(
    at address: StorageAddress,
    generation: Int64? = nil,
    _ operation: String = "read"
  ) async throws(Failure) -> (object: StorageResource?, time: Int64?) {
    var query = [("fields", StorageResource.members)]
    if let generation { query.append(("generation", String(generation))) }
    let call = StorageCall(operation, address)
    let response = try await send(request("GET", url(of: address, query)), call)
    let time = response.headers["date"].flatMap { HTTPDate.seconds($0) }
    if response.status == 404 { return (nil, time) }
    return (try resource(response, call), time)
  }

  /// Returns the object if it was created by the upload with the given ID.
  func object(at address: StorageAddress, madeBy upload: String) async throws(Failure) -> StorageResource? {
    let object = try await object(at: address, "write").object
    return object?.metadata[StorageResource.upload]?.isIdentical(to: upload) ?? false ? object : nil
  }

  /// Returns a written object if it is what was sent; otherwise deletes it, because nobody should read it.
  ///
  /// - Throws: `.unavailable` if it differs.
  func verified(
    _ object: StorageResource,
    at address: StorageAddress,
    bytes: Int,
    _ checksum: CRC32C
  ) async throws(Failure) -> StorageResource {
    if object.bytes == bytes, object.crc32c?.isIdentical(to: checksum.base64) ?? true { return object }
    // If it was replaced in the meantime, it is gone already.
    _ = try? await delete(address, generation: object.generation)
    let cause = "the object differs from what was sent, and was deleted again"
    throw StorageCall("write", address, writes: true).damaged(cause)
  }

  /// Checks that the bucket exists and may be listed.
  ///
  /// - Throws: `.configuration` if there is no such bucket.
  func assertBucket(of address: StorageAddress) async throws(Failure) {
    let root = StorageAddress(bucket: address.bucket, name: "")
    _ = try await page(StorageCall("read", root), after: nil, of: 1)
  }

  /// Whether there is an object whose name begins with that of a folder.
  func holdsObjects(_ folder: StorageAddress) async throws(Failure) -> Bool {
    let call = StorageCall("read", folder)
    var holds = false
    try await forEachPage(orThrow: Self.circle(call)) { token throws(Failure) in
      // A page may be empty before the list ends.
      let page = try await page(call, after: token, of: 1)
      holds = !page.objects.isEmpty
      return holds ? nil : page.nextPageToken
    }
    return holds
  }

  private static func circle(_ call: StorageCall) -> Failure {
    call.foreign("the pages of the list lead in a circle")
  }

  /// Calls `body` with all objects below an address, page by page, in the byte order of their names.
  ///
  /// - Parameter delimiter: `/` to list only what is directly in a folder; the names of subfolders are passed along with
  ///   the objects.
  func list(
    _ address: StorageAddress,
    delimiter: String? = nil,
    _ body: (_ objects: [StorageResource], _ prefixes: [String]) throws(Failure) -> Void
  ) async throws(Failure) {
    let call = StorageCall("list", address)
    try await forEachPage(orThrow: Self.circle(call)) { token throws(Failure) in
      let page = try await page(call, delimiter: delimiter, after: token, of: 1000)
      try body(page.objects, page.prefixes)
      return page.nextPageToken
    }
  }

  private func page(
    _ call: StorageCall,
    delimiter: String? = nil,
    after token: String?,
    of size: Int
  ) async throws(Failure) -> StorageList {
    var query = [
      ("prefix", call.address.name), ("maxResults", String(size)),
      ("fields", "items(\(StorageResource.members)),prefixes,nextPageToken"),
    ]
    if let delimiter { query.append(("delimiter", delimiter)) }
    if let token { query.append(("pageToken", token)) }
    let url = "\(endpoint)/storage/v1/b/\(PercentEncoding.query(call.address.bucket))/o?\(Self.query(query))"
    let request = request("GET", url, maximumBodyBytes: 64 << 20)
    let response = try await send(request, call)
    if response.status == 404 { throw call.missingBucket }
    return try decoded(response, call) { json throws(WireError) in try StorageList(json) }
  }

  /// Deletes an object; a missing one counts as deleted.
  ///
  /// - Parameter generation: The version to delete; nil for any.
  /// - Returns: Whether it is gone; false if another version is there.
  func delete(_ address: StorageAddress, generation: Int64?) async throws(Failure) -> Bool {
    let query = generation.map { [("ifGenerationMatch", String($0))] } ?? []
    let request = request("DELETE", url(of: address, query))
    let call = StorageCall("delete", address, writes: true)
    let response = try await send(request, call)
    switch response.status {
    case 200...299, 404: return true
    case 412: return false
    default: throw call.refused(response)
    }
  }

  // MARK: Answers and URLs

  func resource(_ response: HTTPResponse, _ call: StorageCall) throws(Failure) -> StorageResource {
    try decoded(response, call) { json throws(WireError) in try StorageResource(json) }
  }

  private func decoded<Result>(
    _ response: HTTPResponse,
    _ call: StorageCall,
    _ body: (JSONCursor) throws(WireError) -> Result
  ) throws(Failure) -> Result {
    guard (200...299).contains(response.status) else { throw call.refused(response) }
    do throws(WireError) {
      return try JSONParser().parse(response.body, body)
    } catch {
      throw call.foreign("the answer cannot be read: \(error)")
    }
  }

  func url(of address: StorageAddress, _ query: [(String, String)]) -> String {
    let base =
      "\(endpoint)/storage/v1/b/\(PercentEncoding.query(address.bucket))/o/\(PercentEncoding.query(address.name))"
    return query.isEmpty ? base : "\(base)?\(Self.query(query))"
  }

  static func query(_ items: [(String, String)]) -> String {
    items.map { "\($0.0)=\(PercentEncoding.query($0.1))" }.joined(separator: "&")
  }

  /// Returns the URL to which objects of the bucket are uploaded.
  func uploadURL(_ address: StorageAddress, _ query: [(String, String)]) -> String {
    "\(endpoint)/upload/storage/v1/b/\(PercentEncoding.query(address.bucket))/o?\(Self.query(query))"
  }

  /// Returns a request that may take a minute, plus a second for each 64 KiB that it transfers.
  func request(
    _ method: String,
    _ url: String,
    headers: [(name: String, value: String)] = [],
    body: [UInt8]? = nil,
    moving bytes: Int = 0,
    maximumBodyBytes: Int = 1 << 20
  ) -> HTTPRequest {
    HTTPRequest(
      method: method,
      url: url,
      headers: headers,
      body: body,
      timeout: min(60 + Double(bytes) / Double(64 << 10), max(1, caller.policy.budget)),
      maximumBodyBytes: maximumBodyBytes
    )
  }
}
