import FirestoreModels

/// Requests and responses of OAuth token endpoints (RFC 6749, section 5) and of the metadata server.
enum TokenEndpoint {
  /// The content of a response.
  enum Answer: Sendable, Equatable {
    case token(AccessToken)
    /// A transient error, with the seconds to wait if the server specifies them.
    case unavailable(cause: String, retryAfter: Double?)
    /// A refusal, with OAuth's error code (such as `invalid_grant`) if there is one.
    case refused(code: String?, cause: String)
  }

  /// Returns a request with a form as its body.
  static func post(to url: String, form: [(name: String, value: String)]) -> HTTPRequest {
    let body = form.map { "\(PercentEncoding.query($0.name))=\(PercentEncoding.query($0.value))" }
    return HTTPRequest(
      method: "POST",
      url: url,
      headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")],
      body: Array(body.joined(separator: "&").utf8),
      timeout: 30,
      maximumBodyBytes: 1 << 20
    )
  }

  /// Reads a response received at `now` (seconds since 1970).
  static func answer(_ response: HTTPResponse, at now: Double) -> Answer {
    switch response.status {
    case 200: return token(in: response.body, at: now)
    case 408, 429, 500...599:
      return .unavailable(
        cause: "HTTP \(response.status)",
        retryAfter: response.headers["retry-after"].flatMap { Double($0) }
      )
    default:
      let (code, text) = refusal(in: response.body)
      let parts = ["HTTP \(response.status)", code, text].compactMap { $0 }
      return .refused(code: code, cause: parts.joined(separator: ", "))
    }
  }

  private static func token(in body: [UInt8], at now: Double) -> Answer {
    let token = try? JSONParser(maximumDepth: 32).parse(body) { root throws(WireError) -> AccessToken? in
      guard let text = root["access_token"]?.string, AccessToken.isHeaderSafe(text.utf8) else { return nil }
      let lifetime = root["expires_in"].flatMap { WireDecoder.integer($0) }
      return AccessToken(Secret(text), issuedAt: now, lifetime: lifetime.map { Double(max(0, $0)) })
    }
    // A captive portal also responds with 200.
    return (token ?? nil).map { .token($0) } ?? .refused(code: nil, cause: "the response has no token")
  }

  /// Reads OAuth's `{"error": code, "error_description": text}`, or Google's `{"error": {"status",
  /// "message"}}`.
  private static func refusal(in body: [UInt8]) -> (code: String?, text: String?) {
    let parsed = try? JSONParser(maximumDepth: 32).parse(body) {
      root throws(WireError) -> (String?, String?) in
      let error = root["error"]
      return (
        error?.string ?? error?["status"]?.string,
        root["error_description"]?.string ?? error?["message"]?.string
      )
    }
    let isWord: (UInt8) -> Bool = { $0 == UInt8(ascii: "_") || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) }
    let code = parsed?.0.flatMap { $0.utf8.count <= 40 && $0.utf8.allSatisfy(isWord) ? $0 : nil }
    return (code, parsed?.1.map(harmless))
  }

  /// Returns a server's text in one line, without words long enough to be a token or a key.
  static func harmless(_ text: String) -> String {
    let words = ForeignText.cleaned(text).split(whereSeparator: \.isWhitespace).map {
      $0.utf8.count > 32 ? "…" : $0
    }
    let line = words.joined(separator: " ")
    return line.utf8.count <= 300 ? line : String(line.prefix(200)) + "…"
  }
}
