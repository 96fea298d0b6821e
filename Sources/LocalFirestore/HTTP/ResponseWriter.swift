/// Writes a response: a short one at once with its length, a long one in chunks as it grows.
final class ResponseWriter: BodyWriter {
  /// The minimum size of a chunk in bytes.
  private static let piece = 256 << 10

  var bytes: [UInt8] = []
  private let stream: SocketStream
  private let canStream: Bool
  private let keepsAlive: Bool
  private let isHead: Bool
  private var hasBegun = false

  init(_ stream: SocketStream, to head: RequestHead?, keepsAlive: Bool) {
    self.stream = stream
    self.keepsAlive = keepsAlive
    isHead = head?.method == "HEAD"
    canStream = head?.isVersion10 == false && !isHead
  }

  func flushIfLong() throws {
    guard canStream, bytes.count >= Self.piece else { return }
    if !hasBegun {
      try stream.write(header(status: 200, type: Self.json, length: nil))
      hasBegun = true
    }
    try sendChunk()
  }

  /// Completes a successful response.
  func finish(type: String = ResponseWriter.json) throws {
    if hasBegun {
      try sendChunk()
      try stream.write(Array("0\r\n\r\n".utf8))
    } else {
      try send(status: 200, type: type)
    }
  }

  /// Completes a failed response; after the first chunk, the error is one more element of the array.
  ///
  /// - Parameter inArray: Whether the method streams and returns its errors in an array.
  func fail(_ error: FirestoreError, inArray: Bool) throws {
    let json = JSONWriter.bytes { $0.error(error) }
    if hasBegun {
      bytes.append(contentsOf: ",\n".utf8)
      bytes.append(contentsOf: json)
      bytes.append(UInt8(ascii: "]"))
      return try finish()
    }
    bytes = inArray ? Array("[".utf8) + json + Array("]".utf8) : json
    try send(status: error.code, type: Self.json)
  }

  /// The media type of responses.
  static let json = "application/json; charset=UTF-8"

  private func send(status: Int, type: String) throws {
    let head = header(status: status, type: type, length: bytes.count)
    try stream.write(head, isHead ? [] : bytes)
  }

  private func sendChunk() throws {
    if bytes.isEmpty { return }
    let size = Array((String(bytes.count, radix: 16) + "\r\n").utf8)
    bytes.append(contentsOf: "\r\n".utf8)
    try stream.write(size, bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  private func header(status: Int, type: String, length: Int?) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(Self.phrase(status))\r\nContent-Type: \(type)\r\n"
    text += length.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n"
    // Browsers must not interpret a response as a page, script or style.
    text += "X-Content-Type-Options: nosniff\r\n"
    if status == 401 { text += "WWW-Authenticate: Bearer\r\n" }
    if !keepsAlive { text += "Connection: close\r\n" }
    return Array((text + "\r\n").utf8)
  }

  private static func phrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 409: "Conflict"
    case 415: "Unsupported Media Type"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    default: "Error"
    }
  }
}
