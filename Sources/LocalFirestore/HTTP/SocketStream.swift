import Platform

/// A connected socket with buffered reads and complete writes.
///
/// Blocking; for use by one thread.
final class SocketStream {
  /// Why a stream ended.
  enum StreamError: Error {
    /// The peer closed it or timed out, or the server is stopping.
    case closed
    /// The peer exceeded a size limit.
    case tooLong
    /// The peer violated the protocol.
    case malformed
  }

  private let socket: Int32
  private var buffer: [UInt8]
  private var start = 0
  private var end = 0

  /// Wraps a socket, which the caller closes.
  init(_ socket: Int32) {
    self.socket = socket
    buffer = [UInt8](repeating: 0, count: 64 << 10)
  }

  /// Moves buffered bytes to the front and reads more.
  private func fill() throws(StreamError) {
    if start == end {
      start = 0
      end = 0
    } else if end == buffer.count {
      buffer.replaceSubrange(0..<(end - start), with: buffer[start..<end])
      end -= start
      start = 0
    }
    if end == buffer.count { throw .tooLong }
    while true {
      let space = end..<buffer.count
      let count = buffer.withUnsafeMutableBytes {
        recv(socket, $0.baseAddress.map { $0 + space.lowerBound }, space.count, 0)
      }
      if count > 0 {
        end += count
        return
      }
      if count == 0 || errno != EINTR { throw .closed }
    }
  }

  /// Reads through the next empty line and returns what precedes it; at most the buffer size.
  func readHead() throws(StreamError) -> [UInt8] {
    var scanned = 0
    while true {
      // Empty lines before a request are skipped (RFC 9112 2.2).
      while start < end, scanned == 0,
        buffer[start] == UInt8(ascii: "\r") || buffer[start] == UInt8(ascii: "\n")
      {
        start += 1
      }
      var index = start + scanned
      while index < end {
        if buffer[index] == UInt8(ascii: "\n"), index > start {
          let before = buffer[index - 1] == UInt8(ascii: "\r") ? index - 2 : index - 1
          if before >= start, buffer[before] == UInt8(ascii: "\n") {
            let head = Array(buffer[start..<before])
            start = index + 1
            return head
          }
        }
        index += 1
      }
      scanned = end - start
      try fill()
    }
  }

  /// Reads a line without its terminator.
  func readLine() throws(StreamError) -> [UInt8] {
    var scanned = 0
    while true {
      if let newline = buffer[(start + scanned)..<end].firstIndex(of: UInt8(ascii: "\n")) {
        var line = Array(buffer[start..<newline])
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        start = newline + 1
        return line
      }
      scanned = end - start
      try fill()
    }
  }

  /// Appends exactly `count` bytes to `body`.
  func read(_ count: Int, into body: inout [UInt8]) throws(StreamError) {
    try consume(count) { body.append(contentsOf: $0) }
  }

  /// Reads and discards exactly `count` bytes.
  func skip(_ count: Int) throws(StreamError) { try consume(count) { _ in } }

  private func consume(_ count: Int, _ body: (ArraySlice<UInt8>) -> Void) throws(StreamError) {
    var remaining = count
    while remaining > 0 {
      if start == end { try fill() }
      let part = min(remaining, end - start)
      body(buffer[start..<start + part])
      start += part
      remaining -= part
    }
  }

  /// Writes two buffers completely, in one packet if they fit.
  func write(_ first: [UInt8], _ second: [UInt8] = []) throws(StreamError) {
    let isClosed = first.withUnsafeBytes { a in
      second.withUnsafeBytes { b in
        var parts = [a, b].compactMap { part in
          part.baseAddress.map { iovec(iov_base: UnsafeMutableRawPointer(mutating: $0), iov_len: part.count) }
        }
        while let first = parts.first {
          if first.iov_len == 0 {
            parts.removeFirst()
            continue
          }
          var message = msghdr()
          let count = parts.count
          var sent = parts.withUnsafeMutableBufferPointer { buffer in
            message.msg_iov = buffer.baseAddress
            message.msg_iovlen = .init(count)
            // Writing to a closed connection must be an error rather than a signal.
            return sendmsg(socket, &message, SystemConstant.noSignal)
          }
          if sent < 0 {
            if errno == EINTR { continue }
            return true
          }
          while sent > 0 {
            let part = min(sent, parts[0].iov_len)
            parts[0].iov_base = parts[0].iov_base.map { $0 + part }
            parts[0].iov_len -= part
            sent -= part
            if parts[0].iov_len == 0 { parts.removeFirst() }
          }
        }
        return false
      }
    }
    if isClosed { throw .closed }
  }
}
