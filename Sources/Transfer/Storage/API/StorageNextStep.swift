import FirestoreREST

/// What to do after one attempt of a request.
///
/// For the statuses that are retried, see https://cloud.google.com/storage/docs/retry-strategy.
enum StorageNextStep {
  /// The service has responded; the caller interprets the status.
  case answered(HTTPResponse)
  /// Send the same request again after a delay.
  ///
  /// If it may have been applied, that is looked up first, unless repeating it does no harm: a lookup, a list, a download, the
  /// start of an upload (a second one is another session), and a deletion of one generation.
  case retry(reason: String, asked: Double?, mayBeApplied: Bool)
  /// No attempt can succeed.
  case fail

  static func after(_ outcome: Result<HTTPResponse, CallFailure>) -> StorageNextStep {
    func again(_ reason: String, _ asked: Double? = nil, isApplied: Bool) -> StorageNextStep {
      .retry(reason: reason, asked: asked, mayBeApplied: isApplied)
    }
    switch outcome {
    case .success(let response):
      let asked = response.headers["retry-after"].flatMap { Double($0) }.map { max(0, $0) }
      switch response.status {
      // It was refused before it was processed.
      case 429: return again("status 429", asked, isApplied: false)
      case 408, 500, 502, 503, 504: return again("status \(response.status)", asked, isApplied: true)
      default: return .answered(response)
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
