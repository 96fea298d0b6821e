/// One HTTP request.
package struct HTTPRequest: Sendable {
  /// The method: `GET`, `POST`, `PATCH`, `DELETE`.
  package var method: String
  /// The absolute URL, percent-encoded.
  package var url: String
  /// Headers in the order in which they are sent.
  package var headers: [(name: String, value: String)]
  /// The body; nothing is sent where it is nil.
  package var body: [UInt8]?
  /// How long the whole exchange may take, in seconds.
  package var timeout: Double
  /// The largest body that is accepted in answer, inflated, in bytes.
  package var maximumBodyBytes: Int

  /// Makes a request.
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

/// One complete HTTP answer, whatever its code.
package struct HTTPResponse: Sendable {
  /// The code, as 200 or 404.
  package var status: Int
  /// Headers by their names in lower case; of a repeated one, the last.
  package var headers: [String: String]
  /// The body, inflated.
  package var body: [UInt8]
  /// The bytes that came over the network for the body.
  package var wireBytes: Int

  /// Makes an answer.
  package init(status: Int, headers: [String: String] = [:], body: [UInt8] = [], wireBytes: Int = 0) {
    self.status = status
    self.headers = headers
    self.body = body
    self.wireBytes = wireBytes
  }
}

/// Why there is no complete answer.
package struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The classes that callers decide by.
  package enum Kind: Sendable, Equatable {
    /// Nothing was sent: no address, no connection, no TLS session.
    case notConnected
    /// The request may have reached the service: a time-out, a reset, half a body.
    case lost
    /// The answer is larger than the request allows.
    case bodyTooLarge
    /// The caller was cancelled.
    case cancelled
    /// The request cannot be sent at all: a malformed URL, a certificate that is not trusted.
    case invalid
  }

  /// The class.
  package var kind: Kind
  /// curl's words for it, and the host, without headers or query.
  package var message: String

  /// Makes an error.
  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The message.
  package var description: String { message }
}

/// Sends one request and returns its complete answer.
///
/// Implementations are wrapped, one concern each: credentials, retries, counting.
package protocol HTTPTransport: Sendable {
  /// Sends a request.
  ///
  /// - Throws: ``TransportError`` where no complete answer came; a cancelled task gets `.cancelled` at once. Any
  ///   HTTP code is an answer, not an error.
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}
