import FirestoreREST

/// The kind of a request to Cloud Storage, which determines what to do after a failure.
enum StorageRequestKind: Sendable {
  /// A request that changes nothing, or has the same effect if it is sent twice.
  ///
  /// These are a lookup, a list, a download, the start of an upload (a second one is another session), and a deletion of
  /// one generation.
  case repeatable
  /// A request that may have written, so that its effect is looked up before anything is sent again.
  case write
}

/// What to do after one attempt of a request.
///
/// For the statuses that are retried, see https://cloud.google.com/storage/docs/retry-strategy.
enum StorageNextStep: Equatable {
  /// The service has responded; the caller interprets the status.
  case answered
  /// Send the same request again after a delay: nothing was applied, or repeating it does no harm.
  case retry(reason: String, asked: Double?)
  /// After a delay, look up whether the request was applied.
  case lookFirst(reason: String, asked: Double?)
  /// No attempt can succeed.
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
      // It was refused before it was processed.
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
