extension LocalFirestoreServer {
  /// Which requests are accepted.
  ///
  /// A loopback port is open to every user of the machine, and web pages can send requests to it: across
  /// origins as plain text, which needs no preflight
  /// (https://fetch.spec.whatwg.org/#cors-safelisted-request-header), or through a host name that resolves to
  /// 127.0.0.1. A request must therefore name this machine in `Host`, must not come from a page of another
  /// origin, must send its body as JSON, and must carry the token if there is one.
  package struct Access: Sendable {
    /// The token required as `Authorization: Bearer TOKEN`; nil accepts any credentials.
    package var token: String?
    /// Additional host names of the server, without a port.
    package var hosts: [String]

    package init(token: String? = nil, hosts: [String] = []) {
      self.token = token
      self.hosts = hosts
    }
  }
}

extension LocalFirestoreServer.Access {
  /// Why a request is refused; nil if it is accepted.
  ///
  /// - Parameter hasBody: Whether a body follows the head.
  func refusal(of head: RequestHead, hasBody: Bool) -> FirestoreError? {
    guard let host = head.headers["host"] else {
      // An HTTP/1.0 health check without headers is not a browser.
      if head.isVersion10, head.headers["origin"] == nil { return tokenRefusal(of: head) }
      return .invalid("The request has no Host header.")
    }
    guard let name = Self.name(ofHost: host), isKnown(name) else {
      return FirestoreError(
        .permissionDenied,
        "The Host header does not name this server. 'gymmigrate serve --host NAME' adds one."
      )
    }
    // A same-origin page would be one of this server's responses, none of which has a script.
    let own = "http://\(host.lowercased())"
    let isOwn = head.headers["origin"].map { $0.lowercased().isIdentical(to: own) } ?? true
    if !isOwn || ![nil, "same-origin", "none"].contains(head.headers["sec-fetch-site"]?.lowercased()) {
      return FirestoreError(.permissionDenied, "Requests from web pages of other origins are refused.")
    }
    if let refusal = tokenRefusal(of: head) { return refusal }
    if hasBody, !Self.isJSON(head.headers["content-type"]) {
      return FirestoreError(
        .invalidArgument,
        "The content-type of a body must be application/json.",
        code: 415
      )
    }
    return nil
  }

  private func tokenRefusal(of head: RequestHead) -> FirestoreError? {
    guard let token else { return nil }
    if let authorization = head.headers["authorization"], Self.isSame(authorization, "Bearer \(token)") {
      return nil
    }
    return FirestoreError(
      .unauthenticated,
      "The request does not have this server's token as 'Authorization: Bearer TOKEN'."
    )
  }

  /// Compares in constant time.
  private static func isSame(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// The name in a `Host` header without the port, in lower case; nil if malformed.
  ///
  /// Any port is accepted, because a forwarded port differs from the server's.
  static func name(ofHost host: String) -> String? {
    let bytes = Array(host.lowercased().utf8)
    let end: Int
    if bytes.first == UInt8(ascii: "[") {
      guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      end = close + 1
    } else {
      end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    }
    let port = bytes[end...]
    if let first = port.first {
      guard first == UInt8(ascii: ":"), port.dropFirst().allSatisfy(\.isASCIIDigit) else { return nil }
    }
    // A trailing dot marks a fully qualified name.
    var name = bytes[..<end]
    if name.last == UInt8(ascii: ".") { name.removeLast() }
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }

  /// Whether a text is valid in ``hosts``.
  package static func isHostName(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._[]:".utf8.contains($0) }
    return isPlain && name(ofHost: text).map { $0.isIdentical(to: text.lowercased()) } ?? false
  }

  /// Whether a lower-case name is a loopback name or one of ``hosts``.
  private func isKnown(_ name: String) -> Bool {
    (["localhost", "[::1]"] + hosts).contains { $0.lowercased().isIdentical(to: name) }
      || Self.isLoopbackAddress(name)
  }

  /// Whether a text is an address of 127.0.0.0/8 in four decimal numbers.
  private static func isLoopbackAddress(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4, String(parts[0]) == "127" else { return false }
    return parts.allSatisfy { part in
      (1...3).contains(part.count) && part.allSatisfy(\.isASCIIDigit)
        && UInt8(String(decoding: part, as: UTF8.self)) != nil
    }
  }

  private static func isJSON(_ type: String?) -> Bool {
    guard let type else { return false }
    let name = type.prefix { $0 != ";" }.lowercased()
    return name.split(whereSeparator: \.isWhitespace) == ["application/json"]
  }
}
