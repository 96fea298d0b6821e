import CCurl
import Files
import FirestoreModels
import Platform
import Synchronization

/// A transport over libcurl's multi interface.
///
/// One event thread serves all requests; connections are kept alive and shared, with HTTP/2 over TLS. Bodies are decompressed
/// in the tasks that asked for them, so that the event thread only receives.
///
/// A request that may have reached the service is never sent again here. By itself, libcurl repeats a request
/// if a kept-alive connection closes without a response, even a POST that was applied. So bodies are provided
/// by a read callback that cannot be rewound, which turns such a repetition into an error.
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

  deinit {
    loop.stop()
  }

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

  package func reclaim(_ body: consuming [UInt8]) {
    inflater.reclaim(body)
  }
}

/// The result of one transfer.
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

  private static let initialised: Void = {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  }()

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

  func start() {
    BackgroundThread.start { self.run() }
  }

  // The event thread frees the multi handle once it has seen `stopped`. Others wake it under the lock and
  // before that, while the handle certainly exists.

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

/// An easy handle that is cleaned up when released.
private final class EasyHandle {
  let pointer: UnsafeMutableRawPointer

  init?() {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
  }

  deinit {
    curl_easy_cleanup(pointer)
  }
}

/// One transfer, used only by the event thread.
private final class CurlTransfer {
  let id: UInt64
  let continuation: CheckedContinuation<TransferResult, Never>
  private let request: HTTPRequest
  private var handle: EasyHandle
  private var requestHeaders: UnsafeMutablePointer<curl_slist>?
  private var sent = 0
  private var headers: [String: String] = [:]
  private var body: [UInt8] = []
  private var maximumBody = 0
  private var isTooLarge = false
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  init(
    id: UInt64,
    request: HTTPRequest,
    handle: EasyHandle,
    continuation: CheckedContinuation<TransferResult, Never>
  ) {
    self.id = id
    self.request = request
    self.handle = handle
    self.continuation = continuation
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_slist_free_all(requestHeaders)
    errorText.deallocate()
  }

  /// Returns the transfer of an easy handle.
  static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
    var pointer: UnsafeMutableRawPointer?
    _ = gm_curl_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
    return pointer.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Configures the handle and adds it to the multi handle, which borrows `self` until ``remove(from:)``.
  func start(on multi: UnsafeMutableRawPointer, certificates: String?) -> CURLMcode {
    let easy = handle.pointer
    let me = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    _ = gm_curl_restrict_protocols(easy)
    _ = gm_curl_set_string(easy, CURLOPT_URL, request.url)
    // Names are data: `..` must not be resolved.
    _ = gm_curl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
    _ = gm_curl_set_pointer(easy, CURLOPT_PRIVATE, me)
    _ = gm_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    _ = gm_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    _ = gm_curl_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1)
    _ = gm_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, 15_000)
    _ = gm_curl_set_long(easy, CURLOPT_TIMEOUT_MS, Int((request.timeout * 1000).rounded(.up)))
    _ = gm_curl_set_long(easy, CURLOPT_BUFFERSIZE, 64 << 10)
    _ = gm_curl_set_string(easy, CURLOPT_USERAGENT, "gymmigrate/\(gymmigrateVersion)")
    if request.url.hasPrefix("https:") {
      _ = gm_curl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
      _ = gm_curl_set_long(easy, CURLOPT_PIPEWAIT, 1)
    } else {
      _ = gm_curl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    }
    if let certificates { _ = gm_curl_set_string(easy, CURLOPT_CAINFO, certificates) }
    if isLoopback(request.url) { _ = gm_curl_set_string(easy, CURLOPT_NOPROXY, "*") }

    // Without Expect, curl does not wait for status 100 before larger bodies.
    var headers = request.headers + [("Expect", "")]
    if request.decompresses { headers.append(("Accept-Encoding", "gzip")) }
    for (name, value) in headers {
      let line = value.isEmpty ? "\(name):" : "\(name): \(value)"
      if let longer = curl_slist_append(requestHeaders, line) { requestHeaders = longer }
    }
    _ = gm_curl_set_headers(easy, requestHeaders)

    if let body = request.body {
      _ = gm_curl_set_long(easy, CURLOPT_POST, 1)
      _ = gm_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      _ = gm_curl_set_callback(easy, CURLOPT_READFUNCTION) { buffer, size, count, user in
        CurlTransfer.from(user)?.read(into: buffer, size * count) ?? Int(CURL_READFUNC_ABORT)
      }
      _ = gm_curl_set_pointer(easy, CURLOPT_READDATA, me)
    } else if request.method == "GET" {
      _ = gm_curl_set_long(easy, CURLOPT_HTTPGET, 1)
    }
    if request.method != "GET" { _ = gm_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method) }

    _ = gm_curl_set_callback(easy, CURLOPT_WRITEFUNCTION) { data, size, count, user in
      CurlTransfer.from(user)?.receive(data, size * count) ?? 0
    }
    _ = gm_curl_set_pointer(easy, CURLOPT_WRITEDATA, me)
    _ = gm_curl_set_callback(easy, CURLOPT_HEADERFUNCTION) { data, size, count, user in
      CurlTransfer.from(user)?.receiveHeader(data, size * count) ?? 0
    }
    _ = gm_curl_set_pointer(easy, CURLOPT_HEADERDATA, me)
    return curl_multi_add_handle(multi, easy)
  }

  func remove(from multi: UnsafeMutableRawPointer) {
    curl_multi_remove_handle(multi, handle.pointer)
  }

  /// Returns the handle after a reset; connections remain with the multi handle.
  func takeHandle() -> EasyHandle {
    curl_easy_reset(handle.pointer)
    return handle
  }

  func result(_ code: CURLcode) -> TransferResult {
    let easy = handle.pointer
    if code == CURLE_OK {
      var status = 0
      _ = gm_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
      var wireBytes: curl_off_t = 0
      _ = gm_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T, &wireBytes)
      return .success(HTTPResponse(status: status, headers: headers, body: body, wireBytes: Int(wireBytes)))
    }
    if isTooLarge {
      return .failure(.larger(than: request.maximumBodyBytes))
    }
    var requestBytes = 0
    _ = gm_curl_get_long(easy, CURLINFO_REQUEST_SIZE, &requestBytes)
    let detail = String(cString: errorText)
    let message = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
    return .failure(
      TransportError(Self.kind(of: code, wasSent: requestBytes > 0 || sent > 0), ForeignText.cleaned(message))
    )
  }

  private static func kind(of code: CURLcode, wasSent: Bool) -> TransportError.Kind {
    switch code {
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_PEER_FAILED_VERIFICATION,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER:
      .invalid
    default:
      wasSent ? .lost : .notConnected
    }
  }

  // MARK: Callbacks

  private static func from(_ user: UnsafeMutableRawPointer?) -> CurlTransfer? {
    user.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  private func read(into buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
    guard let all = request.body else { return 0 }
    let count = min(room, all.count - sent)
    guard count > 0 else { return 0 }
    all.withUnsafeBytes { bytes in
      UnsafeMutableRawPointer(buffer).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[sent..<sent + count]).baseAddress
          ?? UnsafeRawPointer(buffer),
        byteCount: count
      )
    }
    sent += count
    return count
  }

  /// The largest body, as it is received; what cannot be compressed grows a little.
  private var maximumReceived: Int {
    let maximum = request.maximumBodyBytes
    return request.decompresses && headers["content-encoding"] != nil
      ? maximum + maximum / 1000 + 1024 : maximum
  }

  private func receive(_ data: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
    if body.isEmpty {
      maximumBody = maximumReceived
      var announced: curl_off_t = -1
      _ = gm_curl_get_offset(handle.pointer, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced)
      if announced > 0 { body.reserveCapacity(min(Int(announced), maximumBody, 1 << 20)) }
    }
    if body.count + count > maximumBody {
      isTooLarge = true
      return 0
    }
    body.append(contentsOf: UnsafeRawBufferPointer(start: data, count: count))
    return count
  }

  private func receiveHeader(_ data: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
    let line = String(decoding: UnsafeRawBufferPointer(start: data, count: count), as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      headers.removeAll()
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
      headers[line[..<colon].lowercased()] = String(value.prefix(while: { !$0.isNewline }))
    }
    return count
  }
}

/// Whether a URL is on this machine, which no proxy can reach.
private func isLoopback(_ url: String) -> Bool {
  ["127.", "localhost:", "localhost/", "[::1]"].contains { url.hasPrefix("http://\($0)") }
}
