import Foundation
import LocalFirestore
import Platform

/// A client on one persistent connection that sends raw requests and parses responses with Foundation.
final class RESTClient {
  /// A response.
  struct Answer {
    var status: Int
    var headers: [String: String]
    var body: [UInt8]

    /// The body as JSON.
    var json: Any {
      get throws { try JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed) }
    }
  }

  /// A violation of the protocol by the server.
  struct Broken: Error {
    var what: String
  }

  /// The parent of the documents under test: `projects/P/databases/D/documents`.
  let root: String
  private let socket: Int32
  private var buffer: [UInt8] = []

  /// Connects to a server; `project` isolates the data from other tests.
  init(
    _ endpoint: String,
    project: String = "test-\(UInt32.random(in: 0 ... .max))",
    database: String = "(default)"
  )
    throws
  {
    root = "projects/\(project)/databases/\(database)/documents"
    guard let colon = endpoint.lastIndex(of: ":"),
      let port = UInt16(endpoint[endpoint.index(after: colon)...])
    else {
      throw Broken(what: "the endpoint \(endpoint)")
    }
    #if canImport(Glibc)
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    // A server that never answers must not hold up the other tests.
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Broken(what: "no connection to \(endpoint)") }
  }

  deinit { close(socket) }

  // MARK: Requests

  /// Sends a request and reads its response.
  func send(_ method: String, _ target: String, _ body: String? = nil) throws -> Answer {
    try write(Self.request(method, target, body))
    return try readAnswer()
  }

  /// A request as bytes.
  static func request(_ method: String, _ target: String, _ body: String? = nil) -> [UInt8] {
    // Google's emulator keeps some methods for the owner.
    var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer owner\r\n"
    if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
    return Array((head + "\r\n" + (body ?? "")).utf8)
  }

  /// Sends a request below the root of the documents: `/c/d`, `:commit`.
  func call(_ method: String, _ path: String, _ body: String? = nil) throws -> Answer {
    try send(method, "/v1/\(root)\(path)", body)
  }

  /// The object in the response to a request.
  func object(_ method: String, _ path: String, _ body: String? = nil) throws -> [String: Any] {
    let answer = try call(method, path, body)
    guard answer.status == 200, let object = try answer.json as? [String: Any] else {
      throw Broken(
        what: "\(method) \(path): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
      )
    }
    return object
  }

  /// The array in the response to a request.
  func array(_ path: String, _ body: String) throws -> [[String: Any]] {
    let answer = try call("POST", path, body)
    guard answer.status == 200, let array = try answer.json as? [[String: Any]] else {
      throw Broken(what: "\(path): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    }
    return array
  }

  /// The error in the response to a request, as `404 NOT_FOUND`; inside an array, as of streamed methods, as `[404 NOT_FOUND]`.
  ///
  /// Google's emulator has no array there.
  func failure(_ method: String, _ path: String, _ body: String? = nil) throws -> String {
    let answer = try call(method, path, body)
    let json = try answer.json
    let isArray = json is [Any]
    let holder = json as? [String: Any] ?? (json as? [[String: Any]])?.first
    guard let error = holder?["error"] as? [String: Any], error["code"] as? Int == answer.status,
      let message = error["message"] as? String, !message.isEmpty
    else { return "\(answer.status)" }
    let text = "\(answer.status) \(error["status"] as? String ?? "?")"
    let isStreamed = [":runQuery", ":runAggregationQuery", ":batchGet"].contains { path.hasSuffix($0) }
    return isArray || contractEndpoint != nil && isStreamed ? "[\(text)]" : text
  }

  // MARK: Shorthand

  /// Commits writes.
  @discardableResult
  func commit(_ writes: String) throws -> [String: Any] {
    try object("POST", ":commit", #"{"writes":[\#(writes)]}"#)
  }

  /// A write that sets a document.
  func set(_ path: String, _ fields: String = "{}", _ rest: String = "") -> String {
    #"{"update":{"name":"\#(root)/\#(path)","fields":\#(fields)}\#(rest)}"#
  }

  /// The results of a query, relative to the root.
  func query(_ query: String, below parent: String = "", readTime: String? = nil) throws -> [String] {
    let time = readTime.map { #","readTime":"\#($0)""# } ?? ""
    let elements = try array("\(parent):runQuery", #"{"structuredQuery":{\#(query)}\#(time)}"#)
    return elements.compactMap { ($0["document"] as? [String: Any])?["name"] as? String }
      .map { String($0.dropFirst(root.count + 1)) }
  }

  /// The documents on all pages of a list, relative to the root.
  func list(_ path: String, _ parameters: String = "") throws -> [String] {
    var names: [String] = []
    var token = ""
    while true {
      let page = try object("GET", "\(path)?\(parameters)\(token)")
      for document in page["documents"] as? [[String: Any]] ?? [] {
        names.append(String((document["name"] as? String ?? "").dropFirst(root.count + 1)))
      }
      guard let next = page["nextPageToken"] as? String else { return names }
      token = "&pageToken=\(next)"
    }
  }

  // MARK: Bytes

  /// Sends raw bytes.
  func write(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Broken(what: "the connection was closed") }
      sent += count
    }
  }

  private func fill() throws {
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(socket, &chunk, chunk.count, 0)
    guard count > 0 else { throw Broken(what: "the connection was closed") }
    buffer += chunk[..<count]
  }

  private func readLine() throws -> String {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
      }
      try fill()
    }
  }

  private func read(_ count: Int) throws -> [UInt8] {
    while buffer.count < count { try fill() }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  /// Reads one response.
  func readAnswer() throws -> Answer {
    let words = try readLine().split(separator: " ")
    guard words.count > 1, let status = Int(words[1]) else { throw Broken(what: "no status line") }
    var headers: [String: String] = [:]
    while case let line = try readLine(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
    }
    var body: [UInt8] = []
    if headers["transfer-encoding"] == "chunked" {
      while let size = Int(try readLine(), radix: 16), size > 0 {
        body += try read(size)
        _ = try readLine()
      }
      _ = try readLine()
    } else if status >= 200 {
      body = try read(Int(headers["content-length"] ?? "0") ?? 0)
    }
    return Answer(status: status, headers: headers, body: body)
  }
}

/// The server under test; nil for an in-memory store.
private let contractEndpoint = ProcessInfo.processInfo.environment["FIRESTORE_CONTRACT_ENDPOINT"]

/// Runs `body` with a client of the server under test: an in-memory store, or the server in
/// `FIRESTORE_CONTRACT_ENDPOINT`, with a new project.
func withClient<Result>(_ body: (RESTClient) async throws -> Result) async throws -> Result {
  if let contractEndpoint { return try await body(RESTClient(contractEndpoint)) }
  return try await LocalFirestoreServer.withServer(dataFile: nil) { try await body(RESTClient($0.endpoint)) }
}

/// Whether two JSON values are equal; the second is JSON text.
func isJSON(_ value: Any?, _ text: String) throws -> Bool {
  let expected = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  return (value as? NSObject)?.isEqual(expected) ?? false
}
