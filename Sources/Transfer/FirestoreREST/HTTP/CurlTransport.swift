import CCurl
import Platform
import Synchronization

/// A transport over libcurl's multi interface.
///
/// One event thread serves all requests; connections are kept alive and shared, with HTTP/2 over TLS. Bodies are
/// decompressed in the tasks that sent the requests, so that the event thread only receives.
///
/// A request that may have reached the service is never repeated here. On its own, libcurl repeats a request if a
/// kept-alive connection closes without a response, even a POST that was applied. So bodies are provided by a read callback
/// that cannot be rewound, which turns such a repetition into an error.
package final class CurlTransport: HTTPTransport {
  private let loop: CurlEventLoop
  private let inflater = BodyInflater()

  /// Starts the event thread, which ends when the transport is released.
  ///
  /// - Parameter certificates: A file of certificates to trust instead of the system's.
  package init(certificates: String? = nil) {
    loop = CurlEventLoop(certificates: certificates)
    loop.start()
  }

  deinit { loop.stop() }

  package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let id = loop.register()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        loop.add(id, request, continuation)
      }
    } onCancel: {
      loop.cancel(id)
    }
    var response = try result.get()
    if request.decompresses, let encodings = response.headers["content-encoding"] {
      response.body = try inflater.decoded(response.body, encodings, atMost: request.maximumBodyBytes)
    }
    return response
  }

  package func reclaim(_ body: consuming [UInt8]) { inflater.reclaim(body) }
}

typealias TransferResult = Result<HTTPResponse, TransportError>

/// The command queue and the thread that executes it.
private final class CurlEventLoop: Sendable {
  private enum Command {
    case add(UInt64, HTTPRequest, CheckedContinuation<TransferResult, Never>)
    case cancel(UInt64)
  }

  private struct State {
    var commands: [Command] = []
    var nextID: UInt64 = 0
    /// The registered IDs without a result; true if the task was cancelled.
    var pending: [UInt64: Bool] = [:]
    var stopped = false
  }

  private let state = Mutex(State())
  /// Only the event thread uses it, except for `curl_multi_wakeup`, which is thread-safe.
  private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

  private static let initialised: Void = { curl_global_init(Int(CURL_GLOBAL_DEFAULT)) }()

  private let certificates: String?

  init(certificates: String?) {
    self.certificates = certificates
    Self.initialised
    guard let multi = curl_multi_init() else {
      preconditionFailure("libcurl has no memory for a multi handle")
    }
    self.multi = multi
    _ = gm_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    _ = gm_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, 64)
    _ = gm_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 64)
  }

  func start() { BackgroundThread.start { self.run() } }

  // The event thread frees the multi handle once it has seen `stopped`. Others wake it under the lock and before that,
  // while the handle certainly exists.

  func stop() {
    state.withLock { state in
      state.stopped = true
      curl_multi_wakeup(multi)
    }
  }

  /// Returns a new ID.
  ///
  /// It is registered before the transfer is added, because a cancellation may overtake the addition.
  func register() -> UInt64 {
    state.withLock { state in
      state.nextID += 1
      state.pending[state.nextID] = false
      return state.nextID
    }
  }

  func add(_ id: UInt64, _ request: HTTPRequest, _ continuation: CheckedContinuation<TransferResult, Never>) {
    state.withLock { state in
      state.commands.append(.add(id, request, continuation))
      curl_multi_wakeup(multi)
    }
  }

  func cancel(_ id: UInt64) {
    state.withLock { state in
      guard state.pending[id] != nil else { return }
      state.pending[id] = true
      state.commands.append(.cancel(id))
      curl_multi_wakeup(multi)
    }
  }

  // MARK: On the event thread

  private func run() {
    var transfers: [UInt64: CurlTransfer] = [:]
    var idle: [EasyHandle] = []

    func finish(_ transfer: CurlTransfer, _ result: TransferResult) {
      transfers[transfer.id] = nil
      state.withLock { _ = $0.pending.removeValue(forKey: transfer.id) }
      let handle = transfer.takeHandle()
      if idle.count < 64 { idle.append(handle) }
      transfer.continuation.resume(returning: result)
    }

    while true {
      let (commands, stopped) = state.withLock { state in
        defer { state.commands.removeAll(keepingCapacity: true) }
        return (state.commands, state.stopped)
      }
      for command in commands {
        switch command {
        case .add(let id, let request, let continuation):
          let cancelled = state.withLock { $0.pending[id] ?? true }
          guard !cancelled, let handle = idle.popLast() ?? EasyHandle() else {
            state.withLock { _ = $0.pending.removeValue(forKey: id) }
            continuation.resume(
              returning: .failure(
                cancelled
                  ? TransportError(.cancelled, "cancelled") : TransportError(.notConnected, "out of memory")
              )
            )
            continue
          }
          let transfer = CurlTransfer(id: id, request: request, handle: handle, continuation: continuation)
          transfers[id] = transfer
          let code = transfer.start(on: multi, certificates: certificates)
          if code != CURLM_OK {
            finish(transfer, .failure(TransportError(.invalid, String(cString: curl_multi_strerror(code)))))
          }
        case .cancel(let id):
          if let transfer = transfers[id] {
            transfer.remove(from: multi)
            finish(transfer, .failure(TransportError(.cancelled, "cancelled")))
          }
        }
      }

      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      var left: Int32 = 0
      while let message = curl_multi_info_read(multi, &left) {
        guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
          let transfer = CurlTransfer.of(easy)
        else { continue }
        let code = gm_curl_message_result(message)
        transfer.remove(from: multi)
        finish(transfer, transfer.result(code))
      }

      if stopped, transfers.isEmpty { break }
      curl_multi_poll(multi, nil, 0, 1000, nil)
    }
    idle.removeAll()
    curl_multi_cleanup(multi)
  }
}
