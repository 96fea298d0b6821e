import Glibc
import Synchronization

/// Held while a descriptor is made and marked close-on-exec, and while a process is started, so that no child
/// inherits a socket or a pipe.
let descriptorLock = Mutex<Void>(())

/// Marks a descriptor so that it does not survive into a child.
func setCloseOnExec(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

/// An error while setting up the test server.
package struct TestServerError: Error, CustomStringConvertible {
  /// The failed call and the system error.
  package let description: String

  init(_ call: String) {
    description = "\(call): \(String(cString: strerror(errno)))"
  }
}

/// The few socket calls that the server needs.
///
/// The owner closes it.
struct Socket: Sendable {
  let descriptor: Int32

  /// A listening socket on the loopback interface, on a port that was free.
  static func listening() throws -> (socket: Socket, port: UInt16) {
    let type =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_INET, type, 0)
    guard descriptor >= 0 else { throw TestServerError("socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = 0
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && listen(descriptor, 512) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard status else {
      let error = TestServerError("bind")
      close(descriptor)
      throw error
    }
    return (Socket(descriptor: descriptor), UInt16(bigEndian: address.sin_port))
  }

  /// The next connection; nil when the socket was shut down.
  func accept() -> Socket? {
    while true {
      var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&item, 1, -1) > 0 || errno == EINTR else { return nil }
      let connection = descriptorLock.withLock { _ in
        let connection = Glibc.accept(descriptor, nil, nil)
        if connection >= 0 { setCloseOnExec(connection) }
        return connection
      }
      if connection >= 0 {
        var one: Int32 = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return Socket(descriptor: connection)
      }
      guard errno == EINTR || errno == ECONNABORTED || errno == EAGAIN else { return nil }
    }
  }

  /// Appends what has arrived, at least one byte; false at the end of the stream and on errors.
  func receive(into buffer: inout [UInt8], limit: Int = 1 << 16) -> Bool {
    let received = [UInt8](unsafeUninitializedCapacity: limit) { bytes, count in
      var result = -1
      repeat { result = recv(descriptor, bytes.baseAddress, limit, 0) } while result < 0 && errno == EINTR
      count = max(0, result)
    }
    buffer += received
    return !received.isEmpty
  }

  /// Sends everything; false when the peer has closed the connection.
  func send(_ bytes: some Collection<UInt8>) -> Bool {
    let bytes = ContiguousArray(bytes)
    return bytes.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
        let result = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        if result < 0 {
          guard errno == EINTR else { return false }
        } else {
          sent += result
        }
      }
      return true
    }
  }

  /// Waits until the peer disconnects or the socket is shut down here; false if the time was up first.
  func waitForHangUp(_ duration: Duration?) -> Bool {
    let deadline = duration.map { ContinuousClock.now + $0 }
    while true {
      var milliseconds: Int32 = -1
      if let deadline {
        let rest = (deadline - .now) / .milliseconds(1)
        milliseconds = Int32(min(max(0, rest.rounded(.up)), 1e9))
      }
      var item = pollfd(descriptor: descriptor)
      let result = poll(&item, 1, milliseconds)
      if result > 0 { return true }
      if result == 0 { return false }
      guard errno == EINTR else { return true }
    }
  }

  /// Ends both directions: pending calls on the socket return.
  func shutDown() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Makes the next close reset the connection.
  func resetOnClose() {
    var value = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
  }

  func closeDescriptor() {
    close(descriptor)
  }
}

extension pollfd {
  fileprivate init(descriptor: Int32) {
    // POLLRDHUP, which the Glibc module does not import: the peer has closed or half closed.
    self.init(fd: descriptor, events: 0x2000, revents: 0)
  }
}
