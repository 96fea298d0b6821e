/// A response of a server that takes part in getting a token.
enum TokenAnswer<Value: Sendable>: Sendable {
  case value(Value)
  /// A transient error, with the seconds to wait if the server specifies them.
  case unavailable(cause: String, retryAfter: Double?)
  case refused(TokenRefusal)
}

/// Why a server refuses a request.
struct TokenRefusal: Sendable, Equatable {
  /// The HTTP status; nil if the response itself is invalid.
  var status: Int?
  /// OAuth's error code (such as `invalid_grant`) or Google's (such as `PERMISSION_DENIED`), if there is one.
  var code: String?
  /// Google's reason (such as `SERVICE_DISABLED`), if there is one.
  var reason: String?
  /// A line with all of this.
  var cause: String
}

/// Requests and responses of OAuth token endpoints (RFC 6749, section 5), of the metadata server and of the IAM Service
/// Account Credentials API.
enum TokenEndpoint {
  /// The maximum size of a response or file, in bytes.
  static let maximumBytes = 1 << 20
  private static let maximumDepth = 32

  /// Returns a request with a form as its body.
  static func post(to url: String, form: [(name: String, value: String)]) -> HTTPRequest {
    let body = form.map { "\(PercentEncoding.query($0.name))=\(PercentEncoding.query($0.value))" }
    return HTTPRequest(
      method: "POST",
      url: url,
      headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")],
      body: Array(body.joined(separator: "&").utf8),
      timeout: 30,
      maximumBodyBytes: maximumBytes
    )
  }

  /// Reads the response of an OAuth endpoint, received at `now` (seconds since 1970).
  static func answer(_ response: HTTPResponse, at now: Double) -> TokenAnswer<AccessToken> {
    answer(response) { body in
      let token = try? parse(body) { root throws(WireError) -> AccessToken? in
        guard let token = root["access_token"]?.string, AccessToken.isToken(token) else { return nil }
        let lifetime = root["expires_in"].flatMap { WireDecoder.integer($0) }
        return AccessToken(Secret(token), issuedAt: now, lifetime: lifetime.map { Double(max(0, $0)) })
      }
      // A captive portal also responds with 200.
      return (token ?? nil).map { .value($0) } ?? refused("the response has no token")
    }
  }

  /// Reads the response of `generateAccessToken`, received at `now` (seconds since 1970).
  static func impersonationAnswer(_ response: HTTPResponse, at now: Double) -> TokenAnswer<AccessToken> {
    answer(response) { body in
      let found = try? parse(body) { root throws(WireError) -> (Secret, Timestamp)? in
        guard let token = root["accessToken"]?.string, AccessToken.isToken(token) else { return nil }
        let secret = Secret(token)
        guard let expiry = root["expireTime"]?.string.flatMap({ Timestamp($0) }) else { return nil }
        return (secret, expiry)
      }
      guard let (secret, expiry) = found else {
        return refused("the response has no token with a time at which it expires")
      }
      let lifetime = Double(expiry.seconds) - now
      if lifetime <= 0 { return refused("by this machine's clock, the token in the response has expired") }
      return .value(AccessToken(secret, issuedAt: now, lifetime: lifetime))
    }
  }

  /// Reads a response, depending on its status.
  ///
  /// - Parameter read: Reads the body of a response with status 200.
  static func answer<Value>(
    _ response: HTTPResponse,
    read: ([UInt8]) -> TokenAnswer<Value>
  ) -> TokenAnswer<Value> {
    switch response.status {
    case 200: return read(response.body)
    case 408, 429, 500...599:
      return .unavailable(
        cause: "HTTP \(response.status)",
        retryAfter: response.headers["retry-after"].flatMap { Double($0) }
      )
    default: return .refused(refusal(response))
    }
  }

  /// Returns the refusal of an invalid response.
  static func refused<Value>(_ cause: String) -> TokenAnswer<Value> {
    .refused(TokenRefusal(cause: cause))
  }

  /// Reads the JSON object of a response, a credential file or a token's file, all of which are small.
  static func parse<Result>(
    _ body: [UInt8],
    _ read: (JSONCursor) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    try JSONParser(maximumBytes: maximumBytes, maximumDepth: maximumDepth).parse(body) {
      root throws(WireError) in
      guard root.kind == .object else { throw WireError("it is not a JSON object") }
      return try read(root)
    }
  }

  /// Reads OAuth's `{"error": code, "error_description": text}`, or Google's `{"error": {"status", "message", "details"}}`.
  private static func refusal(_ response: HTTPResponse) -> TokenRefusal {
    var refusal = TokenRefusal(status: response.status, cause: "")
    var text: String?
    _ = try? parse(response.body) { root throws(WireError) in
      let error = root["error"]
      refusal.code = word(error?.string ?? error?["status"]?.string)
      text = (root["error_description"]?.string ?? error?["message"]?.string).map(harmless)
      guard let details = error?["details"] else { return }
      for detail in details.elements {
        if let reason = word(detail["reason"]?.string) { refusal.reason = reason }
      }
    }
    let parts = ["HTTP \(response.status)", refusal.code, text].compactMap { $0 }
    refusal.cause = parts.joined(separator: ", ")
    return refusal
  }

  /// Returns a code if it is a single word, as all codes are.
  private static func word(_ text: String?) -> String? {
    let isPart: (UInt8) -> Bool = { $0 == UInt8(ascii: "_") || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) }
    return text.flatMap { $0.utf8.count <= 40 && $0.utf8.allSatisfy(isPart) ? $0 : nil }
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
