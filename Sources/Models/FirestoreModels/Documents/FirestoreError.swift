/// An error reported by the service, over HTTP or inside a stream or a batch response.
public struct FirestoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The status codes of `google.rpc.Code` by their numbers, which are those of `FirestoreErrorCode` in the
  /// Firebase SDK.
  public enum Code: Int, Sendable, CaseIterable {
    /// Success; no error has it.
    case ok = 0
    case cancelled = 1
    case unknown = 2
    case invalidArgument = 3
    case deadlineExceeded = 4
    case notFound = 5
    case alreadyExists = 6
    case permissionDenied = 7
    case resourceExhausted = 8
    case failedPrecondition = 9
    case aborted = 10
    case outOfRange = 11
    case unimplemented = 12
    case `internal` = 13
    case unavailable = 14
    case dataLoss = 15
    case unauthenticated = 16

    /// The names in JSON by the numbers.
    private static let names = [
      "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
      "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
      "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
    ]

    /// The name in JSON: `NOT_FOUND`.
    public var name: String { Self.names[rawValue] }

    /// Finds the status of an error by its name in JSON; nil for an unknown name, and for `OK`, which no error has.
    public init?(name: String) {
      guard let status = Self.allCases.first(where: { $0.name == name && $0 != .ok }) else { return nil }
      self = status
    }

    /// The HTTP status that carries this status (google/rpc/code.proto).
    public var httpCode: Int {
      switch self {
      case .ok: 200
      case .invalidArgument, .failedPrecondition, .outOfRange: 400
      case .unauthenticated: 401
      case .permissionDenied: 403
      case .notFound: 404
      case .alreadyExists, .aborted: 409
      case .resourceExhausted: 429
      case .cancelled: 499
      case .unknown, .internal, .dataLoss: 500
      case .unimplemented: 501
      case .unavailable: 503
      case .deadlineExceeded: 504
      }
    }

    /// The most likely status of a response without one, such as a proxy's page or an empty body.
    package init(httpCode: Int) {
      switch httpCode {
      case 400: self = .invalidArgument
      case 401: self = .unauthenticated
      case 403: self = .permissionDenied
      case 404: self = .notFound
      case 408, 504: self = .deadlineExceeded
      case 409: self = .aborted
      case 429: self = .resourceExhausted
      case 499: self = .cancelled
      case 501: self = .unimplemented
      case 500: self = .internal
      case 502, 503: self = .unavailable
      case 400..<500: self = .failedPrecondition
      default: self = .unknown
      }
    }
  }

  /// The type of ``status``.
  public typealias Status = Code

  /// The HTTP status of the response (404), or the one of ``status``; not the number of a ``Code``.
  public var code: Int
  /// The service's message, for people only: it may change, so no decision depends on it.
  public var message: String
  /// The status, on which decisions depend.
  public var status: Status
  /// The `reason` of an ErrorInfo detail, such as `ACCESS_TOKEN_EXPIRED` or `SERVICE_DISABLED`.
  public var reason: String?
  /// The delay that the service requests (RetryInfo or Retry-After), in seconds.
  public var retryDelay: Double?
  /// Whether the response has the service's error format; false for a proxy's page.
  public var isFromService: Bool
  /// Whether the message may name people that nobody may see; decisions still depend on it.
  package var hidesMessage = false

  /// Creates an error; the HTTP status defaults to that of `status`.
  public init(
    _ status: Status,
    _ message: String,
    code: Int? = nil,
    reason: String? = nil,
    retryDelay: Double? = nil,
    isFromService: Bool = true
  ) {
    self.code = code ?? status.httpCode
    self.message = message
    self.status = status
    self.reason = reason
    self.retryDelay = retryDelay
    self.isFromService = isFromService
  }

  /// The message for people.
  package var shownMessage: String {
    hidesMessage ? "the message may name people, and is not shown" : message
  }

  /// One line: `NOT_FOUND (404): …`.
  public var description: String {
    "\(status.name) (\(code)): \(shownMessage)".split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
