/// Sockets that only this machine can reach, on 127.0.0.1.
package enum LoopbackSocket {
  /// Listens on a port; 0 selects a free one.
  ///
  /// - Returns: The socket, which the caller closes, and its port; nil on failure, with the reason in `errno`.
  package static func listen(on port: UInt16) -> (descriptor: Int32, port: UInt16)? {
    let descriptor = socket(AF_INET, SystemConstant.streamSocket, 0)
    if descriptor < 0 { return nil }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && Platform.listen(descriptor, 512) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    if isBound { return (descriptor, UInt16(bigEndian: address.sin_port)) }
    let error = errno
    close(descriptor)
    errno = error
    return nil
  }

  /// Returns a port on which nothing listens; nil if there is none.
  ///
  /// Another program may take it before it is used.
  package static func freePort() -> UInt16? {
    guard let (descriptor, port) = listen(on: 0) else { return nil }
    close(descriptor)
    return port
  }
}
