import FirestoreModels

/// What the failure of a commit means for its writes.
enum CommitFailure: Equatable {
  /// No later attempt can succeed: the credentials, the endpoint.
  case fatal
  /// Nothing was applied, and it may be sent again; `overloaded` where the service asks for less.
  case notApplied(overloaded: Bool)
  /// It may have been applied.
  case unknown
  /// Nothing was applied because a document is not what its write expects.
  case preconditionFailed(FirestoreError)
  /// Nothing was applied, and it never will be as it is.
  case refused(FirestoreError, tooBig: Bool)

  init(_ failure: CallFailure) {
    switch failure {
    case .credentials: self = .fatal
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
      case .aborted, .resourceExhausted: self = .notApplied(overloaded: true)
      case .unavailable, .deadlineExceeded, .unknown, .internal, .cancelled: self = .unknown
      case .alreadyExists, .notFound, .failedPrecondition: self = .preconditionFailed(error)
      case .invalidArgument, .outOfRange: self = .refused(error, tooBig: Self.mentionsSize(error.message))
      }
    }
  }

  /// Whether the same writes may be sent again, so that the failure counts as a retry.
  var isRetried: Bool {
    switch self {
    case .notApplied, .unknown: true
    case .fatal, .preconditionFailed, .refused: false
    }
  }

  /// Whether a refusal is likely to be of the commit's size.
  ///
  /// The text may change, so it decides no more than how soon commits become smaller; the chunk is halved
  /// whatever it says.
  private static func mentionsSize(_ message: String) -> Bool {
    let text = message.lowercased()
    return ["too big", "payload size", "writes allowed"].contains { text.contains($0) }
  }
}
