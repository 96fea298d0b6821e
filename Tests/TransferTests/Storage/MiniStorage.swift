import Files
import FirestoreModels
import FirestoreREST
import Synchronization
import TestSupport

@testable import Storage

/// A Cloud Storage in memory, as strict as Google's documents, that misbehaves once where it is asked to.
final class MiniStorage: Sendable {
  /// How one request goes wrong.
  enum Fault: Sendable {
    /// This status, and nothing is applied.
    case status(Int)
    /// No answer, and nothing is applied.
    case lostBefore
    /// It is applied, and there is no answer.
    case lostAfter
    /// Half of the answer's body arrives.
    case halfBody
    /// Only so many bytes of the piece are taken, and there is no answer.
    case takes(Int)
    /// All sessions are forgotten, after the request was applied or not, and there is no answer.
    case forgets(applied: Bool)
    /// Somebody else writes the object before the request is applied.
    case replaced
    /// The answer names another checksum.
    case wrongChecksum
    /// One bit of the answer's body is another.
    case flippedBit
  }

  struct Object: Sendable {
    var bytes: [UInt8]
    var generation: Int
    var metadata: String
    var updatedAt = "2026-11-24T02:00:00.000Z"
  }

  private struct Session: Sendable {
    var key: String
    var metadata: String
    var match: Int?
    var bytes: [UInt8] = []
    var isDone = false
  }

  private struct State {
    var objects: [String: Object] = [:]
    var sessions: [String: Session] = [:]
    var generation = 100
    var faults: [(method: String, part: String, skip: Int, fault: Fault)] = []
    var writes = 0
    var violations: [String] = []
    var ranges: [String] = []
    var date: String?
  }

  private let state = Mutex(State())
  private let pageSize: Int
  /// Whether the second page of a list leads to the first.
  private let circles: Bool

  init(pageSize: Int = 1000, circles: Bool = false) {
    self.pageSize = pageSize
    self.circles = circles
  }

  /// Lets the request after `skip` others of this method, whose target contains `part`, go wrong.
  func plan(_ fault: Fault, _ method: String, _ part: String = "", after skip: Int = 0) {
    state.withLock { $0.faults.append((method, part, skip, fault)) }
  }

  func object(_ name: String) -> Object? { state.withLock { $0.objects[name] } }
  func put(_ name: String, _ object: Object) { state.withLock { $0.objects[name] = object } }
  func setDate(_ date: String) { state.withLock { $0.date = date } }
  var names: [String] { state.withLock { $0.objects.keys.sorted { $0.compareUTF8($1) < 0 } } }
  /// How often an object was stored.
  var writes: Int { state.withLock { $0.writes } }
  var violations: [String] { state.withLock { $0.violations } }
  /// The `Content-Range` of each piece and each question.
  var ranges: [String] { state.withLock { $0.ranges } }
  var openSessions: Int { state.withLock { $0.sessions.values.count { !$0.isDone } } }
  var plannedFaults: Int { state.withLock { $0.faults.count } }

  func answer(_ request: TestRequest) -> Reaction {
    state.withLock { state in
      var fault: Fault?
      for index in state.faults.indices
      where state.faults[index].method == request.method && request.target.contains(state.faults[index].part)
      {
        if state.faults[index].skip > 0 {
          state.faults[index].skip -= 1
        } else {
          fault = state.faults.remove(at: index).fault
        }
        break
      }
      switch fault {
      case .status(let status): return .json(#"{"error":{"message":"asked for"}}"#, status: status)
      case .lostBefore: return .dropConnection
      case .takes(let count):
        _ = apply(request, &state, taking: count)
        return .dropConnection
      case .forgets(let applied):
        if applied { _ = apply(request, &state) }
        state.sessions = [:]
        return .dropConnection
      case .replaced:
        for key in Array(state.objects.keys) {
          state.generation += 1
          state.objects[key]?.generation = state.generation
        }
        return .response(apply(request, &state))
      case .lostAfter:
        _ = apply(request, &state)
        return .dropConnection
      case .halfBody: return .halfBody(apply(request, &state), fraction: 0.5)
      case .wrongChecksum:
        var response = apply(request, &state)
        let text = String(decoding: response.body, as: UTF8.self)
        response.body = Array(text.replacing(#/"crc32c":"[^"]*"/#, with: #""crc32c":"AAAAAA==""#).utf8)
        return .response(response)
      case .flippedBit:
        var response = apply(request, &state)
        response.body[response.body.count / 2] ^= 1
        return .response(response)
      case nil: return .response(apply(request, &state))
      }
    }
  }

  // MARK: The methods

  private func apply(_ request: TestRequest, _ state: inout State, taking limit: Int? = nil) -> TestResponse {
    var response = route(request, &state, limit)
    if let date = state.date { response.headers.append(HTTPField("Date", date)) }
    return response
  }

  private func route(_ request: TestRequest, _ state: inout State, _ limit: Int?) -> TestResponse {
    func query(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
    let path = request.path
    if path.hasPrefix("/upload/storage/v1/b/bucket/o") {
      if let key = query("upload_id") { return piece(request, key, &state, limit) }
      return insert(request, query, &state)
    }
    if path == "/storage/v1/b/bucket/o" { return list(query, state) }
    if path.hasPrefix("/storage/v1/b/bucket/o/") {
      let name = String(path.dropFirst("/storage/v1/b/bucket/o/".count))
      return object(request, name, query, &state)
    }
    return Self.error(404, "The specified bucket does not exist.")
  }

  private func insert(
    _ request: TestRequest,
    _ query: (String) -> String?,
    _ state: inout State
  ) -> TestResponse {
    let match = query("ifGenerationMatch").flatMap { Int($0) }
    if query("uploadType") == "resumable" {
      guard let name = query("name") else { return violation("no name", &state) }
      if let match, match != state.objects[name]?.generation ?? 0 { return Self.error(412, "precondition") }
      let key = "session\(state.sessions.count + 1)"
      state.sessions[key] = Session(key: name, metadata: Self.metadata(request.text), match: match)
      let host = request.header("Host") ?? ""
      let location = "http://\(host)/upload/storage/v1/b/bucket/o?uploadType=resumable&upload_id=\(key)"
      return TestResponse(200, headers: [HTTPField("Location", location)])
    }
    // Two parts: the resource and the content.
    let type = request.header("Content-Type") ?? ""
    guard let boundary = type.split(separator: "boundary=").last else {
      return violation("no boundary", &state)
    }
    let parts = request.text.split(separator: "--\(boundary)", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return violation("\(parts.count) parts", &state) }
    let resource = String(parts[1])
    let content = String(parts[2].split(separator: "\r\n\r\n", maxSplits: 1).last ?? "").dropLast(1)
    guard let name = resource.firstMatch(of: #/"name":"([^"]*)"/#)?.1 else {
      return violation("no name", &state)
    }
    return store(String(name), Array(content.utf8), Self.metadata(resource), match, &state)
  }

  private func store(
    _ name: String,
    _ bytes: [UInt8],
    _ metadata: String,
    _ match: Int?,
    _ state: inout State
  ) -> TestResponse {
    if let match, match != state.objects[name]?.generation ?? 0 { return Self.error(412, "precondition") }
    state.generation += 1
    state.writes += 1
    let object = Object(bytes: bytes, generation: state.generation, metadata: metadata)
    state.objects[name] = object
    return TestResponse(200, body: Array(Self.resource(name, object).utf8))
  }

  private func piece(
    _ request: TestRequest,
    _ key: String,
    _ state: inout State,
    _ limit: Int?
  ) -> TestResponse {
    guard var session = state.sessions[key] else { return Self.error(404, "no session") }
    if request.method == "DELETE" {
      state.sessions[key] = nil
      return TestResponse(499)
    }
    if session.isDone, let object = state.objects[session.key] {
      return TestResponse(200, body: Array(Self.resource(session.key, object).utf8))
    }
    let range = request.header("Content-Range") ?? ""
    state.ranges.append(range)
    guard let parts = range.firstMatch(of: #/^bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)$/#) else {
      return violation("Content-Range \(range)", &state)
    }
    let total = Int(parts.3)
    if let start = parts.1.flatMap({ Int($0) }), let last = parts.2.flatMap({ Int($0) }) {
      if last + 1 - start != request.body.count { return violation("range and body differ", &state) }
      if total == nil, !request.body.count.isMultiple(of: 256 << 10) {
        return violation("no multiple", &state)
      }
      if start > session.bytes.count { return violation("a gap", &state) }
      let fresh = request.body.dropFirst(session.bytes.count - start)
      session.bytes += limit.map { fresh.prefix($0) } ?? fresh
    }
    defer { state.sessions[key] = session }
    guard let total, session.bytes.count == total else {
      let last = session.bytes.count - 1
      return TestResponse(308, headers: last < 0 ? [] : [HTTPField("Range", "bytes=0-\(last)")])
    }
    let checksum = CRC32C.checksum(of: session.bytes).base64
    if request.header("X-Goog-Hash") != "crc32c=\(checksum)" { return violation("checksum", &state) }
    let response = store(session.key, session.bytes, session.metadata, session.match, &state)
    session.isDone = response.status == 200
    return response
  }

  private func object(
    _ request: TestRequest,
    _ name: String,
    _ query: (String) -> String?,
    _ state: inout State
  ) -> TestResponse {
    guard let object = state.objects[name] else { return Self.error(404, "No such object") }
    if request.method == "DELETE" {
      if let match = query("ifGenerationMatch"), match != String(object.generation) {
        return Self.error(412, "precondition")
      }
      state.objects[name] = nil
      return TestResponse(204)
    }
    if let generation = query("generation"), generation != String(object.generation) {
      return Self.error(404, "No such object")
    }
    if query("alt") != "media" { return TestResponse(200, body: Array(Self.resource(name, object).utf8)) }
    guard query("generation") != nil,
      let parts = (request.header("Range") ?? "").firstMatch(of: #/^bytes=(\d+)-(\d+)$/#),
      let first = Int(parts.1), let last = Int(parts.2), last < object.bytes.count
    else { return violation("a download without range and generation", &state) }
    return TestResponse(206, body: Array(object.bytes[first...last]))
  }

  private func list(_ query: (String) -> String?, _ state: State) -> TestResponse {
    let prefix = query("prefix") ?? ""
    var entries: [(name: String, object: Object?)] = []
    for name in state.objects.keys.sorted(by: { $0.compareUTF8($1) < 0 }) where name.hasPrefix(prefix) {
      let rest = name.dropFirst(prefix.count)
      if query("delimiter") == "/", let slash = rest.firstIndex(of: "/") {
        let folder = prefix + rest[...slash]
        if entries.last?.name != folder { entries.append((folder, nil)) }
      } else {
        entries.append((name, state.objects[name]))
      }
    }
    let start = Int(query("pageToken") ?? "0") ?? 0
    let page = entries.dropFirst(start).prefix(pageSize)
    let items = page.compactMap { entry in entry.object.map { Self.resource(entry.name, $0) } }
    let prefixes = page.filter { $0.object == nil }.map { "\"\($0.name)\"" }
    var next = start + page.count < entries.count ? #","nextPageToken":"\#(start + page.count)""# : ""
    if circles { next = #","nextPageToken":"\#(start > 0 ? 0 : pageSize)""# }
    let text =
      #"{"items":[\#(items.joined(separator: ","))],"prefixes":[\#(prefixes.joined(separator: ","))]\#(next)}"#
    return TestResponse(200, body: Array(text.utf8))
  }

  private func violation(_ text: String, _ state: inout State) -> TestResponse {
    state.violations.append(text)
    return Self.error(400, text)
  }

  private static func error(_ status: Int, _ message: String) -> TestResponse {
    TestResponse(status, body: Array(#"{"error":{"code":\#(status),"message":"\#(message)"}}"#.utf8))
  }

  private static func metadata(_ resource: String) -> String {
    resource.firstMatch(of: #/"metadata":(\{[^}]*\})/#).map { String($0.1) } ?? "{}"
  }

  private static func resource(_ name: String, _ object: Object) -> String {
    let checksum = CRC32C.checksum(of: object.bytes).base64
    return
      #"{"name":"\#(name)","generation":"\#(object.generation)","size":"\#(object.bytes.count)","crc32c":"\#(checksum)","updated":"\#(object.updatedAt)","metadata":\#(object.metadata)}"#
  }
}

/// Runs `body` with a client of a storage in memory, whose delays take no time.
func withStorage<R>(
  _ storage: MiniStorage = MiniStorage(),
  budget: Double = 300,
  onRetry: @escaping @Sendable (RetryNotice) -> Void = { _ in },
  _ body: (MiniStorage, StorageClient) async throws -> R
) async throws -> R {
  try await HTTPTestServer.withServer({ storage.answer($0) }) { server in
    let time = Locked(0.0)
    let clock = RunClock(
      now: { time.withLock { $0 } },
      sleep: { seconds in time.withLock { $0 += seconds } },
      random: { 0.5 }
    )
    let transport = CurlTransport()
    let caller = ServiceCaller(
      transport: transport,
      credentials: TokenProvider(Credentials(.none), transport: transport),
      policy: RetryPolicy(budget: budget),
      clock: clock,
      onRetry: onRetry
    )
    return try await body(storage, StorageClient(endpoint: server.url, caller: caller))
  }
}

/// Runs `body` with buckets as files, on their own queue.
func withCloudStorage<R>(
  _ storage: MiniStorage = MiniStorage(),
  _ body: (MiniStorage, CloudStorage) async throws -> R
) async throws -> R {
  try await HTTPTestServer.withServer({ storage.answer($0) }) { server in
    let cloud = CloudStorage(
      endpoint: server.url,
      credentials: Credentials(.none),
      transport: CurlTransport(),
      policy: RetryPolicy(initial: 0.001)
    )
    return try await body(storage, cloud)
  }
}

/// Bytes that differ everywhere, by a seed.
func sampleBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var generator = SplitMix64(seed: seed)
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 8)
  while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
  return Array(bytes.prefix(count))
}
