package struct HTTPRequest: Sendable {
  /// `GET`, `POST`, `PATCH` or `DELETE`.
  package var method: String
  /// The absolute URL, percent-encoded.
  package var url: String
  /// The headers, in the order of sending.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]?
  /// The time limit of the entire exchange, in seconds.
  package var timeout: Double
  /// The largest accepted response body, decompressed, in bytes.
  package var maximumBodyBytes: Int
  /// Whether a compressed response is requested and decompressed; otherwise its body is returned as it was sent.
  package var decompresses = true
  /// What the request may be billed.
  var billing = Billing.nothing
  /// Whether its cost has been reserved.
  var isReserved = false

  package init(
    method: String,
    url: String,
    headers: [(name: String, value: String)] = [],
    body: [UInt8]? = nil,
    timeout: Double = 75,
    maximumBodyBytes: Int = 64 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.maximumBodyBytes = maximumBodyBytes
  }
}

/// A complete HTTP response with any status.
package struct HTTPResponse: Sendable {
  package var status: Int
  /// The headers by lower-case name; the last one of repeated headers.
  package var headers: [String: String]
  /// The body, decompressed.
  package var body: [UInt8]
  /// The size of the body as received, in bytes.
  package var wireBytes: Int

  package init(status: Int, headers: [String: String] = [:], body: [UInt8] = [], wireBytes: Int = 0) {
    self.status = status
    self.headers = headers
    self.body = body
    self.wireBytes = wireBytes
  }
}

/// Why there is no complete response.
package struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds that callers distinguish.
  package enum Kind: Sendable, Equatable {
    /// Nothing was sent: no address, no connection, no TLS session.
    case notConnected
    /// The request may have reached the service: a time-out, a reset, a partial body.
    case lost
    /// The response exceeds the limit of the request.
    case bodyTooLarge
    /// The caller was cancelled.
    case cancelled
    /// The request cannot be sent: a malformed URL, an untrusted certificate.
    case invalid
  }

  package var kind: Kind
  /// curl's message with the host, without headers or query.
  package var message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  package var description: String { message }
}

/// Sends HTTP requests.
///
/// Wrappers add one concern each: credentials, retries, counting.
package protocol HTTPTransport: Sendable {
  /// Sends a request and returns its complete response, whatever its status.
  ///
  /// - Throws: ``TransportError`` if there is no complete response; a cancelled task gets `.cancelled` immediately.
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse

  /// Recycles the memory of a body that is no longer needed.
  func reclaim(_ body: consuming [UInt8])
}

extension HTTPTransport {
  package func reclaim(_ body: consuming [UInt8]) {}
}
