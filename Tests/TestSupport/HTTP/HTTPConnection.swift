import Glibc

/// Why reading failed for one request's head or body.
enum ReadFailure: Error {
  /// The client closed the connection.
  case closed
  /// The client did not speak HTTP/1.1, or exceeded a limit; with the response status.
  case malformed(Int)
}

/// One connection, used by its own thread only: reads requests, plays reactions.
struct HTTPConnection {
  static let largestHead = 1 << 20

  let socket: Socket
  let largestBody: Int
  private var buffer: [UInt8] = []
  /// The number of consumed bytes in `buffer`.
  private var position = 0

  init(socket: Socket, largestBody: Int) {
    self.socket = socket
    self.largestBody = largestBody
  }

  // MARK: Reading

  /// The next request without its body.
  mutating func readHead() throws(ReadFailure) -> TestRequest {
    var lines: [String] = []
    while true {
      let line = try readLine()
      if line.isEmpty {
        if lines.isEmpty { continue }
        break
      }
      lines.append(line)
    }
    let parts = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0", parts[1].hasPrefix("/") else {
      throw .malformed(400)
    }
    var fields: [HTTPField] = []
    for line in lines.dropFirst() {
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed(400) }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      fields.append(HTTPField(String(line[..<colon]), String(value)))
    }
    return TestRequest(method: String(parts[0]), target: String(parts[1]), headers: fields)
  }

  /// The body that belongs to the head, after a 100 Continue if the client expects it.
  mutating func readBody(of head: TestRequest) throws(ReadFailure) -> [UInt8] {
    let isChunked = head.header("Transfer-Encoding")?.lowercased() == "chunked"
    let length = head.header("Content-Length").map { Int($0) ?? -1 } ?? 0
    guard length >= 0 else { throw .malformed(400) }
    guard length <= largestBody else { throw .malformed(413) }
    if head.header("Expect")?.lowercased() == "100-continue", isChunked || length > 0 {
      guard socket.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { throw .closed }
    }
    guard isChunked else { return try readBytes(length) }
    var body: [UInt8] = []
    while true {
      let line = try readLine()
      guard let size = Int(line.prefix { $0 != ";" }, radix: 16), size >= 0 else { throw .malformed(400) }
      guard body.count + size <= largestBody else { throw .malformed(413) }
      if size == 0 { break }
      body += try readBytes(size)
      guard try readLine().isEmpty else { throw .malformed(400) }
    }
    while try !readLine().isEmpty {}
    return body
  }

  private mutating func readLine() throws(ReadFailure) -> String {
    while true {
      let newline = buffer.withUnsafeBytes { bytes -> Int? in
        guard position < bytes.count, let base = bytes.baseAddress else { return nil }
        return memchr(base + position, 0x0A, bytes.count - position).map { UnsafeRawPointer($0) - base }
      }
      if let newline {
        var line = buffer[position..<newline]
        if line.last == 0x0D { line.removeLast() }
        position = newline + 1
        return String(decoding: line, as: UTF8.self)
      }
      guard buffer.count - position <= Self.largestHead else { throw .malformed(431) }
      try fill()
    }
  }

  private mutating func readBytes(_ count: Int) throws(ReadFailure) -> [UInt8] {
    while buffer.count - position < count {
      try fill(wanting: count - (buffer.count - position))
    }
    let bytes = Array(buffer[position..<position + count])
    position += count
    return bytes
  }

  private mutating func fill(wanting count: Int = 0) throws(ReadFailure) {
    if position > 0 {
      buffer.removeFirst(position)
      position = 0
    }
    guard socket.receive(into: &buffer, limit: min(max(count, 1 << 16), 1 << 20)) else { throw .closed }
  }

  // MARK: Answering

  /// Plays a reaction; true if the connection may carry another request.
  func play(_ reaction: Reaction, keepAlive: Bool) -> Bool {
    switch reaction {
    case .response(let response):
      let closing = response.headers.contains { $0.name.lowercased() == "connection" && $0.value == "close" }
      return socket.send(head(response, length: response.body.count) + response.body) && keepAlive && !closing
    case .chunked(let response, let chunk):
      guard socket.send(head(response, length: nil)) else { return false }
      guard sendChunks(response.body[...], size: chunk) else { return false }
      return socket.send(Array("0\r\n\r\n".utf8)) && keepAlive
    case .responseThenClose(let response):
      _ = socket.send(head(response, length: response.body.count) + response.body)
    case .dropConnection:
      break
    case .reset:
      socket.resetOnClose()
    case .halfBody(let response, let fraction):
      _ = socket.send(head(response, length: response.body.count) + part(response, fraction))
    case .halfBodyThenReset(let response, let fraction):
      _ = socket.send(head(response, length: response.body.count) + part(response, fraction))
      socket.resetOnClose()
    case .truncatedChunked(let response, let fraction):
      guard socket.send(head(response, length: nil)) else { return false }
      _ = sendChunks(part(response, fraction), size: 1 << 14)
    case .drip(let response, let chunk, let interval):
      guard socket.send(head(response, length: response.body.count)) else { return false }
      return drip(response.body, chunk: chunk, interval: interval) && keepAlive
    case .stall:
      _ = socket.waitForHangUp(nil)
    case .stallInBody(let response, let fraction):
      guard socket.send(head(response, length: response.body.count) + part(response, fraction)) else {
        return false
      }
      _ = socket.waitForHangUp(nil)
    case .delayed(let duration, let reaction):
      guard !socket.waitForHangUp(duration) else { return false }
      return play(reaction, keepAlive: keepAlive)
    }
    return false
  }

  private func head(_ response: TestResponse, length: Int?) -> [UInt8] {
    var lines = ["HTTP/1.1 \(response.status) \(Self.reason(response.status))"]
    if !response.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
      lines.append("Content-Type: application/json; charset=UTF-8")
    }
    lines += response.headers.map { "\($0.name): \($0.value)" }
    lines.append(length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked")
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  private func part(_ response: TestResponse, _ fraction: Double) -> ArraySlice<UInt8> {
    let count = Int(Double(response.body.count) * min(max(fraction, 0), 1))
    // "Part" is never all of it, or the fault would be none.
    return response.body.prefix(min(count, max(0, response.body.count - 1)))
  }

  private func sendChunks(_ body: ArraySlice<UInt8>, size: Int) -> Bool {
    var rest = body
    while !rest.isEmpty {
      let chunk = rest.prefix(max(1, size))
      rest = rest.dropFirst(chunk.count)
      let frame = Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
      guard socket.send(frame) else { return false }
    }
    return true
  }

  private func drip(_ body: [UInt8], chunk: Int, interval: Duration) -> Bool {
    var rest = body[...]
    while !rest.isEmpty {
      guard socket.send(rest.prefix(max(1, chunk))) else { return false }
      rest = rest.dropFirst(max(1, chunk))
      if !rest.isEmpty, socket.waitForHangUp(interval) { return false }
    }
    return true
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 409: "Conflict"
    case 413: "Content Too Large"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: "Status"
    }
  }
}
