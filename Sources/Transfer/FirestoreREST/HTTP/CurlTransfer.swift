import CCurl
import Configuration

/// An easy handle that is cleaned up when released.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer

  init?() {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
  }

  deinit { curl_easy_cleanup(pointer) }
}

/// One transfer, used only by the event thread.
final class CurlTransfer {
  let id: UInt64
  let continuation: CheckedContinuation<TransferResult, Never>
  private var request: HTTPRequest
  private var handle: EasyHandle
  private var requestHeaders: UnsafeMutablePointer<curl_slist>?
  private var sent = 0
  private var hasBegun = false
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
    return from(pointer)
  }

  /// Configures the handle and adds it to the multi handle, which borrows `self` until ``remove(from:)``.
  func start(on multi: UnsafeMutableRawPointer, certificates: String?) -> CURLMcode {
    let easy = handle.pointer
    let me = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    _ = gm_curl_restrict_protocols(easy)
    _ = gm_curl_set_string(easy, CURLOPT_URL, request.url)
    // Names are data, so `..` must not be resolved.
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
    if !Self.mayGoThroughProxy(request.url) { _ = gm_curl_set_string(easy, CURLOPT_NOPROXY, "*") }

    // Without an `Expect` header, curl does not wait for status 100 before sending larger bodies.
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
    gm_curl_set_prerequest(
      easy,
      { user, _, _, _, _ in CurlTransfer.from(user)?.begins() ?? false ? 0 : 1 },
      me
    )
    return curl_multi_add_handle(multi, easy)
  }

  /// Whether a request may go through a proxy: only if it is encrypted, because tokens are also sent over plain HTTP, and
  /// only if it leaves this machine.
  private static func mayGoThroughProxy(_ url: String) -> Bool {
    url.lowercased().hasPrefix("https://") && !EndpointAddress(url).isHere
  }

  func remove(from multi: UnsafeMutableRawPointer) {
    curl_multi_remove_handle(multi, handle.pointer)
  }

  /// Returns the handle after a reset; connections remain with the multi handle.
  func takeHandle() -> EasyHandle {
    // The sender may reuse the memory as soon as it has the response.
    request.body = nil
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
    // The request was sent, and would have been sent again; the counts are those of the second attempt.
    let isSecond = code == CURLE_ABORTED_BY_CALLBACK
    let detail = isSecond ? "the connection ended without an answer" : String(cString: errorText)
    let message = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
    let kind = Self.kind(of: code, wasSent: requestBytes > 0 || sent > 0 || isSecond)
    return .failure(TransportError(kind, ForeignText.cleaned(message)))
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

  /// Whether the request may be sent, which is true once.
  ///
  /// On its own, curl would repeat a GET if a reused connection ends without a response. The server may have processed and
  /// billed it, so that is a failed attempt like any other.
  private func begins() -> Bool {
    defer { hasBegun = true }
    return !hasBegun
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

  /// The maximum size of a body as received; incompressible data grows slightly when it is compressed.
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
      isTooLarge = announced > maximumBody
      if announced > 0, !isTooLarge { body.reserveCapacity(Int(announced)) }
    }
    if isTooLarge || body.count + count > maximumBody {
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
