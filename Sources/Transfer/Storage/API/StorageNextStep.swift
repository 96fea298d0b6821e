import FirestoreREST

/// What kind of request was sent to Cloud Storage, for the decision on what follows a failure.
enum StorageRequestKind: Sendable {
  /// It changes nothing, or changes the same when it is sent twice: a look, a list, a download, the start of an upload (of which a
  /// second one is another session), a deletion of one generation.
  case repeatable
  /// It may have written: what became of it is looked up before anything is sent again.
  case write
}

/// What is done after one attempt of a request.
///
/// Which statuses are retried: https://cloud.google.com/storage/docs/retry-strategy.
enum StorageNextStep: Equatable {
  /// The service has answered; the status is the caller's to read.
  case answered
  /// The same request is sent again after a delay: nothing was applied, or once more does no harm.
  case retry(reason: String, asked: Double?)
  /// After a delay it is looked up whether the request was applied.
  case lookFirst(reason: String, asked: Double?)
  /// No attempt will succeed.
  case fail

  static func after(
    _ outcome: Result<HTTPResponse, CallFailure>,
    of kind: StorageRequestKind
  ) -> StorageNextStep {
    func again(_ reason: String, _ asked: Double? = nil, isApplied: Bool) -> StorageNextStep {
      kind == .write && isApplied
        ? .lookFirst(reason: reason, asked: asked) : .retry(reason: reason, asked: asked)
    }
    switch outcome {
    case .success(let response):
      let asked = response.headers["retry-after"].flatMap { Double($0) }.map { max(0, $0) }
      switch response.status {
      // Refused before it was looked at.
      case 429: return again("status 429", asked, isApplied: false)
      case 408, 500, 502, 503, 504: return again("status \(response.status)", asked, isApplied: true)
      default: return .answered
      }
    case .failure(.transport(let error)):
      switch error.kind {
      case .notConnected: return again(error.message, isApplied: false)
      case .lost: return again(error.message, isApplied: true)
      case .bodyTooLarge, .cancelled, .invalid: return .fail
      }
    case .failure(.malformed(let reason)): return again(reason, isApplied: true)
    case .failure: return .fail
    }
  }
}
