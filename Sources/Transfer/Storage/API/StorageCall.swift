import FirestoreREST

/// What a request to Cloud Storage is for, in the words of its failures.
struct StorageCall {
  /// A verb phrase.
  let operation: String
  /// The object or bucket.
  let address: StorageAddress
  /// Whether the request writes, which determines the required role.
  private let writes: Bool

  init(_ operation: String, _ address: StorageAddress, writes: Bool = false) {
    (self.operation, self.address, self.writes) = (operation, address, writes)
  }

  private static let foreignRemedy =
    "This is not an answer of Cloud Storage: check the endpoint and any proxy."

  private func failure(_ kind: Failure.Kind, _ cause: String, _ remedy: String? = nil) -> Failure {
    Failure(kind, operation, path: address.description, cause: cause, remedy: remedy)
  }

  /// Returns the failure of a request that the service refused.
  func refused(_ response: HTTPResponse) -> Failure {
    let (message, reason) = Self.details(response)
    func failure(_ kind: Failure.Kind, _ cause: String?, _ remedy: String?) -> Failure {
      self.failure(kind, cause ?? message ?? "the service answers with status \(response.status)", remedy)
    }
    switch response.status {
    case 401:
      return failure(
        .configuration,
        "the credentials were refused",
        "Check whose they are with 'gymmigrate env show', and get new ones."
      )
    case 403 where reason == "accessNotConfigured" || reason == "SERVICE_DISABLED":
      return failure(.configuration, message, "Enable the Cloud Storage API for the project.")
    case 403 where reason == "insufficientPermissions" || reason == "ACCESS_TOKEN_SCOPE_INSUFFICIENT":
      return failure(
        .notPermitted,
        message,
        "The token does not cover Cloud Storage: get one with the scope cloud-platform or devstorage.read_write."
      )
    case 403:
      let role =
        writes
        ? "roles/storage.objectAdmin to write and replace objects"
        : "roles/storage.objectViewer to read and list objects"
      return failure(.notPermitted, message, "The signer needs \(role) in the bucket \(address.bucket).")
    case 404: return missingBucket
    case 412:
      return failure(
        .tryLater,
        "somebody else has written or deleted it since this run looked at it",
        "Nothing was replaced; run the command again if it is still needed."
      )
    case 429: return failure(.tryLater, message, "Too many requests; try again later.")
    case 400: return failure(.internal, message, nil)
    case 408, 500...599: return failure(.unavailable, message, "Try again later.")
    default: return failure(.unavailable, message, Self.foreignRemedy)
    }
  }

  var missingBucket: Failure {
    failure(
      .configuration,
      "there is no bucket '\(address.bucket)'",
      "Check its name, or create it: 'gcloud storage buckets create gs://\(address.bucket)'."
    )
  }

  /// Returns the failure of a request that is not sent again.
  func exhausted(_ outcome: Result<HTTPResponse, CallFailure>, after attempts: Int) -> Failure {
    let tried = attempts > 1 ? " (after \(attempts) attempts)" : ""
    switch outcome {
    case .success(let response):
      var failure = refused(response)
      failure.cause += tried
      return failure
    case .failure(let failure): return unanswered(failure, tried)
    }
  }

  private func unanswered(_ failure: CallFailure, _ tried: String) -> Failure {
    let cause = failure.reason + tried
    switch failure {
    case .notSent(let failure): return failure
    case .transport(let error) where error.kind == .cancelled:
      return self.failure(.interrupted, "it was stopped")
    case .transport(let error) where error.kind == .invalid:
      let remedy = "Check STORAGE_EMULATOR_HOST and the certificates of this machine."
      return self.failure(.configuration, cause, remedy)
    case .transport: return self.failure(.unavailable, cause, "Check the network and try again.")
    case .malformed, .foreign, .service, .unreadable: return foreign(cause)
    }
  }

  /// Returns the failure of a response that Cloud Storage would not give.
  func foreign(_ cause: String) -> Failure { failure(.unavailable, cause, Self.foreignRemedy) }

  /// Returns the failure of bytes that differ from those that were sent.
  func damaged(_ cause: String) -> Failure {
    failure(
      writes ? .unavailable : .inputMalformed,
      cause,
      "The bytes were changed on their way; try again, and check any proxy."
    )
  }

  /// The message and the reason of an error body, cleaned; nil if it has none.
  private static func details(_ response: HTTPResponse) -> (message: String?, reason: String?) {
    // A proxy's page may be long, and its first words say what it is.
    guard response.body.count <= 1 << 20 else { return (nil, nil) }
    let found = try? JSONParser().parse(response.body) { root throws(WireError) -> (String?, String?) in
      guard root.kind == .object, let error = root["error"], error.kind == .object else { return (nil, nil) }
      let message = error["message"]?.string.map { String(ForeignText.cleaned($0).prefix(500)) }
      var reason: String?
      for detail in error.list("errors") { reason = reason ?? detail["reason"]?.string }
      for detail in error.list("details") { reason = detail["reason"]?.string ?? reason }
      return (message.flatMap { $0.isEmpty ? nil : $0 }, reason)
    }
    return found ?? (nil, nil)
  }
}
