import Dispatch
import Foundation
import Synchronization

/// A small HTTP/1.1 server on the loopback interface, a thread for each connection.
///
/// It plays the reactions of its handler, including misbehavior, and records every request.
///
///     try await HTTPTestServer.withServer({ _ in .json(#"{"documents":[]}"#) }) { server in
///       // ... call server.url ...
///       #expect(server.requests.count == 1)
///     }
package final class HTTPTestServer: Sendable {
  private struct State {
    var requests: [TestRequest] = []
    var kinds: [RequestKind: Int] = [:]
    var connections: [Int: Socket] = [:]
    var connectionCount = 0
    var active = 0
    var peak = 0
    var isClosed = false
  }

  /// The port assigned by the system.
  package let port: UInt16
  private let listener: Socket
  private let handler: RequestHandler
  private let onHead: @Sendable (TestRequest) -> Reaction?
  private let largestBody: Int
  private let state = Mutex(State())
  private let threads = DispatchGroup()

  private init(
    handler: @escaping RequestHandler,
    onHead: @escaping @Sendable (TestRequest) -> Reaction?,
    largestBody: Int
  ) throws {
    (listener, port) = try Socket.listening()
    self.handler = handler
    self.onHead = onHead
    self.largestBody = largestBody
  }

  /// Runs a server for the time of `body`; every connection is closed and every thread has ended when it returns.
  ///
  /// - Parameters:
  ///   - handler: Called with every complete request.
  ///   - onHead: Called before a request's body is read; a reaction given here is played at once and ends the
  ///     connection with the body unread (such requests are in the log, without a body). nil continues.
  ///   - largestBody: A longer request body is answered with 413.
  package static func withServer<R>(
    _ handler: @escaping RequestHandler,
    onHead: @escaping @Sendable (TestRequest) -> Reaction? = { _ in nil },
    largestBody: Int = 16 << 20,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (HTTPTestServer) async throws -> R
  ) async throws -> R {
    let server = try HTTPTestServer(handler: handler, onHead: onHead, largestBody: largestBody)
    server.start()
    do {
      let result = try await body(server)
      await server.close()
      return result
    } catch {
      await server.close()
      throw error
    }
  }

  /// Scheme, host and port: `http://127.0.0.1:PORT`.
  package var url: String { "http://127.0.0.1:\(port)" }

  /// Host and port, as in the emulator variable.
  package var host: String { "127.0.0.1:\(port)" }

  // Arrays of their own: the thread sanitizer does not see that a shared one is shared no more.

  /// Every request so far, in the order of arrival.
  package var requests: [TestRequest] { state.withLock { $0.requests.map { $0 } } }

  /// The requests of one kind so far.
  package func requests(_ kind: RequestKind) -> [TestRequest] {
    state.withLock { $0.requests.filter { $0.kind == kind } }
  }

  /// How many connections were accepted so far.
  package var connectionCount: Int { state.withLock { $0.connectionCount } }

  /// The largest number of requests that were being answered at the same time.
  package var peakConcurrency: Int { state.withLock { $0.peak } }

  /// Closes all open connections; new ones are accepted.
  package func dropConnections() {
    state.withLock { state in
      for socket in state.connections.values { socket.shutDown() }
    }
  }

  // MARK: Threads

  private func start() {
    spawn {
      while let socket = self.listener.accept() {
        self.take(socket)
      }
      self.listener.closeDescriptor()
    }
  }

  private func spawn(_ work: @escaping @Sendable () -> Void) {
    threads.enter()
    Thread.detachNewThread {
      work()
      self.threads.leave()
    }
  }

  private func close() async {
    state.withLock { state in
      state.isClosed = true
      for socket in state.connections.values { socket.shutDown() }
    }
    listener.shutDown()
    await withCheckedContinuation { continuation in
      threads.notify(queue: .global()) { continuation.resume() }
    }
  }

  private func take(_ socket: Socket) {
    let number = state.withLock { state -> Int? in
      guard !state.isClosed else { return nil }
      let number = state.connectionCount
      state.connectionCount += 1
      state.connections[number] = socket
      return number
    }
    guard let number else { return socket.closeDescriptor() }
    spawn {
      self.serve(socket, number)
      // Taken off the list first, so that nobody shuts down a descriptor that is somebody else's by then.
      self.state.withLock { _ = $0.connections.removeValue(forKey: number) }
      socket.closeDescriptor()
    }
  }

  private func serve(_ socket: Socket, _ number: Int) {
    var connection = HTTPConnection(socket: socket, largestBody: largestBody)
    do throws(ReadFailure) {
      while true {
        var request = try connection.readHead()
        request.connection = number
        if let reaction = onHead(request) {
          record(&request)
          _ = connection.play(reaction, keepAlive: false)
          state.withLock { $0.active -= 1 }
          return
        }
        request.body = try connection.readBody(of: request)
        record(&request)
        let keepAlive = request.header("Connection")?.lowercased() != "close"
        let continues = connection.play(handler(request), keepAlive: keepAlive)
        state.withLock { $0.active -= 1 }
        guard continues else { return }
      }
    } catch .malformed(let status) {
      let text = "{\"error\":{\"code\":\(status),\"message\":\"not HTTP as this server reads it\"}}"
      _ = connection.play(.json(text, status: status), keepAlive: false)
    } catch {
      // The client has closed the connection, as it may.
    }
  }

  private func record(_ request: inout TestRequest) {
    let kind = request.kind
    state.withLock { state in
      request.index = state.requests.count
      request.kindIndex = state.kinds[kind, default: 0]
      state.kinds[kind, default: 0] += 1
      state.active += 1
      state.peak = max(state.peak, state.active)
      state.requests.append(request)
    }
  }
}
