import Platform
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 with a thread per connection, so that requests may block on the database.
///
/// It uses plain sockets: sending head and body separately without TCP_NODELAY costs 40 ms per request on a
/// persistent connection, and ignoring `Expect: 100-continue` a second per large commit.
final class LoopbackServer: Sendable {
  private struct State {
    var connections: Set<Int32> = []
    var threads = 0
    var isStopping = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  let port: UInt16
  private let listener: Int32
  private let service: FirestoreService
  private let receiveTimeout: Double
  private let budget: BodyBudget
  private let access: LocalFirestoreServer.Access
  private let state = Mutex(State())

  /// Listens on a port (0 selects a free one) and serves requests.
  ///
  /// - Throws: ``Failure`` `.configuration` if the port is not available.
  init(
    port: UInt16,
    service: FirestoreService,
    limits: LocalFirestoreServer.Limits,
    access: LocalFirestoreServer.Access
  ) throws(Failure) {
    (listener, self.port) = try Self.openListener(port)
    self.service = service
    self.access = access
    receiveTimeout = limits.receiveTimeout
    budget = BodyBudget(limits.heldBodyBytes)
    state.withLock { $0.threads += 1 }
    if !BackgroundThread.tryToStart({ self.acceptAll() }) {
      close(listener)
      throw Failure(.internal, "start the embedded store", cause: "no thread can be created")
    }
  }

  private static func openListener(_ port: UInt16) throws(Failure) -> (Int32, UInt16) {
    if let listener = LoopbackSocket.listen(on: port) { return listener }
    throw Failure(
      .configuration,
      "listen on port",
      path: "\(port)",
      cause: String(cString: strerror(errno)),
      remedy: "Choose another port, or 0 for any."
    )
  }

  private func acceptAll() {
    defer { endThread() }
    while true {
      let socket = accept(listener, nil, nil)
      if socket < 0 {
        if state.withLock({ $0.isStopping }) { break }
        // Out of descriptors, or the client has disconnected: continue with the next one.
        if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM { usleep(10_000) }
        if errno == EBADF || errno == EINVAL { break }
        continue
      }
      serve(socket)
    }
    close(listener)
  }

  private func serve(_ socket: Int32) {
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    // A client that does not read a long response would keep a snapshot open.
    var timeout = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    // A client that sends nothing would keep its thread and its partial body.
    let seconds = receiveTimeout.rounded(.down)
    timeout.tv_sec = .init(seconds)
    timeout.tv_usec = .init((receiveTimeout - seconds) * 1e6)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    let isServed = state.withLock { state in
      if state.isStopping { return false }
      state.connections.insert(socket)
      state.threads += 1
      return true
    }
    guard isServed else {
      close(socket)
      return
    }
    let hasThread = BackgroundThread.tryToStart {
      ServerConnection(socket, self.service, self.budget, self.access).serve()
      self.end(socket)
      self.endThread()
    }
    if !hasThread {
      end(socket)
      endThread()
    }
  }

  private func end(_ socket: Int32) {
    // Closed under the lock, because the descriptor may be reused afterwards.
    state.withLock { state in
      state.connections.remove(socket)
      close(socket)
    }
  }

  private func endThread() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.threads -= 1
      guard state.threads == 0 else { return nil }
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Stops accepting connections, lets open requests finish, and returns when every thread has ended.
  func stop() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        state.isStopping = true
        shutdown(listener, Int32(SHUT_RDWR))
        for socket in state.connections { shutdown(socket, Int32(SHUT_RD)) }
        if state.threads > 0 { state.waiting = continuation }
        return state.threads == 0
      }
      if isOver { continuation.resume() }
    }
  }
}
