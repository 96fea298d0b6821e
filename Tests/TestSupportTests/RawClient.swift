import Dispatch
import Foundation
import Glibc
import TestSupport

/// What came back over a raw connection.
struct RawAnswer: Sendable {
  enum CommandResult: Sendable {
    /// The answer was complete.
    case complete
    /// The server closed the connection first.
    case closed
    /// The server reset the connection first.
    case reset
    /// Anything else, the client's patience at an end included.
    case failed
  }

  var status = 0
  var head = ""
  var body: [UInt8] = []
  var ending = CommandResult.closed

  var text: String { String(decoding: body, as: UTF8.self) }
}

/// A connection that sends bytes as they are, and knows just enough HTTP to tell where an answer ends.
///
/// Every call runs on a thread of Dispatch's, never on the cooperative pool.
final class RawClient: @unchecked Sendable {
  // Unchecked: tests use it from one task, call after call.
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  init(port: UInt16, patience: Duration = .seconds(30)) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    let (seconds, attoseconds) = patience.components
    var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    close(descriptor)
  }

  func send(_ text: String) async {
    await send(Array(text.utf8))
  }

  func send(_ bytes: [UInt8]) async {
    await onThread { client in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Glibc.send(client.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Waits until the next answer's head has come, and so much of its body.
  func waitForBody(_ count: Int) async {
    await onThread { client in
      while true {
        let end = Data(client.buffer).range(of: Data("\r\n\r\n".utf8))?.upperBound
        if let end, client.buffer.count >= end + count { return }
        guard client.fill() == nil else { return }
      }
    }
  }

  /// The next answer.
  func receive() async -> RawAnswer {
    await onThread { $0.read() }
  }

  private func onThread<R: Sendable>(_ work: @escaping @Sendable (RawClient) -> R) async -> R {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: work(self)) }
    }
  }

  private func fill() -> RawAnswer.CommandResult? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count > 0 {
      buffer += bytes[..<count]
      return nil
    }
    if count == 0 { return .closed }
    return errno == ECONNRESET ? .reset : .failed
  }

  private func read() -> RawAnswer {
    var answer = RawAnswer()
    var end = Data(buffer).range(of: Data("\r\n\r\n".utf8))
    while end == nil {
      if let ending = fill() {
        answer.ending = ending
        return answer
      }
      end = Data(buffer).range(of: Data("\r\n\r\n".utf8))
    }
    guard let end else { return answer }
    answer.head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
    answer.status = Int(answer.head.split(separator: " ").dropFirst().first ?? "") ?? 0
    buffer.removeFirst(end.upperBound)
    if answer.status == 100 {
      answer.ending = .complete
    } else if answer.head.contains("Transfer-Encoding: chunked") {
      readChunks(into: &answer)
    } else {
      let line = answer.head.components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Length: ") }
      readBytes(Int(line?.dropFirst(16) ?? "") ?? 0, into: &answer)
    }
    return answer
  }

  private func readBytes(_ count: Int, into answer: inout RawAnswer) {
    answer.ending = .complete
    while buffer.count < count {
      if let ending = fill() {
        answer.ending = ending
        break
      }
    }
    answer.body += buffer.prefix(count)
    buffer.removeFirst(min(count, buffer.count))
  }

  private func readChunks(into answer: inout RawAnswer) {
    while true {
      while !buffer.contains(0x0A) {
        if let ending = fill() {
          answer.ending = ending
          return
        }
      }
      let line = String(decoding: buffer.prefix { $0 != 0x0D }, as: UTF8.self)
      buffer.removeFirst(line.utf8.count + 2)
      let size = Int(line, radix: 16) ?? 0
      readBytes(size, into: &answer)
      guard answer.ending == .complete else { return }
      var end = RawAnswer()
      readBytes(2, into: &end)
      if size == 0 || end.ending != .complete { return }
    }
  }
}

/// One request over a connection of its own.
func exchange(
  _ server: HTTPTestServer,
  _ method: String = "GET",
  _ target: String = "/",
  body: String = "",
  headers: [String] = [],
  patience: Duration = .seconds(30)
) async throws -> RawAnswer {
  let client = try RawClient(port: server.port, patience: patience)
  var lines = ["\(method) \(target) HTTP/1.1", "Host: test", "Connection: close"] + headers
  if !body.isEmpty { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
  await client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
  return await client.receive()
}
