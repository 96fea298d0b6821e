import Foundation

/// An error as the service reports it: HTTP status, canonical status, message, and perhaps a reason.
package struct ServiceError: Error, Sendable, CustomStringConvertible {
  /// The HTTP status.
  package var httpStatus: Int
  /// The canonical name, such as `UNAVAILABLE`.
  package var status: String
  /// The text for people, which nobody may depend on.
  package var message: String
  /// The ErrorInfo reason, such as `ACCESS_TOKEN_EXPIRED`.
  package var reason: String?
  /// Seconds of a RetryInfo detail.
  package var retryDelay: Double?
  /// Header fields of the response, such as `Retry-After`.
  package var headers: [HTTPField] = []

  /// Puts an error together.
  package init(
    _ httpStatus: Int,
    _ status: String,
    _ message: String,
    reason: String? = nil,
    retryDelay: Double? = nil,
    headers: [HTTPField] = []
  ) {
    self.httpStatus = httpStatus
    self.status = status
    self.message = message
    self.reason = reason
    self.retryDelay = retryDelay
    self.headers = headers
  }

  /// 400: the request is wrong whatever the state of the database.
  package static func invalidArgument(_ message: String) -> ServiceError {
    ServiceError(400, "INVALID_ARGUMENT", message)
  }
  /// 400: the request does not fit the state of the database.
  package static func failedPrecondition(_ message: String) -> ServiceError {
    ServiceError(400, "FAILED_PRECONDITION", message)
  }
  /// 404.
  package static func notFound(_ message: String) -> ServiceError { ServiceError(404, "NOT_FOUND", message) }
  /// 409: a document was there that should not be.
  package static func alreadyExists(_ message: String) -> ServiceError {
    ServiceError(409, "ALREADY_EXISTS", message)
  }
  /// 501: the service can, MiniFirestore cannot.
  package static func unimplemented(_ message: String) -> ServiceError {
    ServiceError(501, "UNIMPLEMENTED", message)
  }
  /// 409: contention; nothing was applied.
  package static let aborted = ServiceError(
    409,
    "ABORTED",
    "Too much contention on these documents. Please try again."
  )
  /// 429.
  package static let resourceExhausted = ServiceError(
    429,
    "RESOURCE_EXHAUSTED",
    "Some resource has been exhausted, perhaps a per-user quota."
  )
  /// 503.
  package static let unavailable = ServiceError(
    503,
    "UNAVAILABLE",
    "The datastore operation timed out, or the data was temporarily unavailable."
  )
  /// 504: it may have been applied.
  package static let deadlineExceeded = ServiceError(504, "DEADLINE_EXCEEDED", "Deadline exceeded.")
  /// 500.
  package static let internalError = ServiceError(500, "INTERNAL", "Internal error encountered.")
  /// 403.
  package static let permissionDenied = ServiceError(
    403,
    "PERMISSION_DENIED",
    "Missing or insufficient permissions."
  )
  /// 401: the token is too old.
  package static let tokenExpired = ServiceError(
    401,
    "UNAUTHENTICATED",
    "Request had invalid authentication credentials.",
    reason: "ACCESS_TOKEN_EXPIRED"
  )

  /// The number of the canonical status (google.rpc.Code).
  package var code: Int {
    let names = [
      "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
      "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
      "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
    ]
    return names.firstIndex(of: status) ?? 2
  }

  /// The one-member object that holds the error.
  package var object: [UInt8] {
    var details: [[String: Any]] = []
    if let reason {
      details.append([
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com",
        "metadata": ["service": "firestore.googleapis.com"],
      ])
    }
    if let retryDelay {
      details.append(["@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "\(retryDelay)s"])
    }
    var error: [String: Any] = ["code": httpStatus, "message": message, "status": status]
    if !details.isEmpty { error["details"] = details }
    let data = try? JSONSerialization.data(withJSONObject: ["error": error], options: [.sortedKeys])
    return data.map { Array($0) } ?? []
  }

  /// The response: the object for most methods, an array that holds it for the streaming ones.
  package func response(for kind: RequestKind) -> TestResponse {
    var body = object
    if RequestKind.streaming.contains(kind) {
      body = Array("[".utf8) + body + Array("\n]\n".utf8)
    }
    return TestResponse(httpStatus, headers: headers, body: body)
  }

  /// Status and message.
  package var description: String { "\(httpStatus) \(status): \(message)" }
}
