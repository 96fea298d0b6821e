/// What a failed commit means for its writes.
enum CommitFailure: Equatable {
  /// No retry can succeed, for example because of the credentials or the endpoint.
  case fatal
  /// Not applied, because others change the same documents.
  case contended
  /// Not applied, and may be sent again; `overloaded` if the service asks for less.
  case notApplied(overloaded: Bool)
  /// Possibly applied.
  case unknown
  /// Not applied, because a document does not match its precondition.
  case preconditionFailed(FirestoreError)
  /// Not applied, and permanently refused.
  case refused(FirestoreError, tooBig: Bool)

  init(_ failure: CallFailure) {
    switch failure {
    case .notSent: self = .fatal
    case .malformed, .unreadable, .foreign: self = .unknown
    case .transport(let error):
      switch error.kind {
      case .notConnected: self = .notApplied(overloaded: false)
      case .lost, .bodyTooLarge: self = .unknown
      case .cancelled, .invalid: self = .fatal
      }
    case .service(let error):
      if !error.isFromService {
        self = error.code == 413 ? .refused(error, tooBig: true) : .unknown
        return
      }
      switch error.status {
      case .permissionDenied, .unauthenticated, .unimplemented, .dataLoss: self = .fatal
      case .aborted: self = .contended
      // Google's emulator refuses a large request this way: it is not a quota, so waiting does not help.
      case .resourceExhausted where Self.mentionsSize(error.message): self = .refused(error, tooBig: true)
      case .resourceExhausted: self = .notApplied(overloaded: true)
      case .ok, .unavailable, .deadlineExceeded, .unknown, .internal, .cancelled: self = .unknown
      case .alreadyExists, .notFound, .failedPrecondition: self = .preconditionFailed(error)
      case .invalidArgument, .outOfRange: self = .refused(error, tooBig: Self.mentionsSize(error.message))
      }
    }
  }

  /// Whether the same writes may be sent again, so that the failure counts as a retry.
  var isRetried: Bool {
    switch self {
    case .contended, .notApplied, .unknown: true
    case .fatal, .preconditionFailed, .refused: false
    }
  }

  /// Whether a refusal is probably due to the size of the commit.
  ///
  /// The message may change, so this only decides how fast commits shrink; the chunk is halved in any case.
  private static func mentionsSize(_ message: String) -> Bool {
    let text = message.lowercased()
    return ["too big", "payload size", "writes allowed", "exceeds maximum size"].contains {
      text.contains($0)
    }
  }
}
