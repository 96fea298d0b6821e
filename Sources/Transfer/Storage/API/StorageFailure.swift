import FirestoreREST

/// Failures of Cloud Storage, with their remedies.
enum StorageFailure {
  private static let foreignRemedy =
    "This is not an answer of Cloud Storage: check the endpoint and any proxy."

  /// Returns the failure of a request that the service refused.
  ///
  /// - Parameters:
  ///   - operation: A verb phrase.
  ///   - writes: Whether the request writes, which determines the required role.
  static func refused(
    _ response: HTTPResponse,
    _ operation: String,
    _ address: StorageAddress,
    writes: Bool
  ) -> Failure {
    let (message, reason) = details(response)
    func failure(_ kind: Failure.Kind, _ cause: String?, _ remedy: String?) -> Failure {
      let cause = cause ?? message ?? "the service answers with status \(response.status)"
      return Failure(kind, operation, path: address.description, cause: cause, remedy: remedy)
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
    case 404: return missingBucket(operation, address)
    case 412:
      return failure(
        .tryLater,
        "somebody else has written it since this run looked at it",
        "Nothing was replaced; run the command again if it is still needed."
      )
    case 429: return failure(.tryLater, message, "Too many requests; try again later.")
    case 400: return failure(.internal, message, nil)
    case 408, 500...599: return failure(.unavailable, message, "Try again later.")
    default: return failure(.unavailable, message, foreignRemedy)
    }
  }

  static func missingBucket(_ operation: String, _ address: StorageAddress) -> Failure {
    Failure(
      .configuration,
      operation,
      path: address.description,
      cause: "there is no bucket '\(address.bucket)'",
      remedy: "Check its name, or create it: 'gcloud storage buckets create gs://\(address.bucket)'."
    )
  }

  /// Returns the failure of a request without a response.
  static func unanswered(
    _ failure: CallFailure,
    _ operation: String,
    _ address: StorageAddress,
    attempts: Int
  ) -> Failure {
    let tried = attempts > 1 ? " (after \(attempts) attempts)" : ""
    func made(_ kind: Failure.Kind, _ remedy: String?) -> Failure {
      Failure(kind, operation, path: address.description, cause: failure.reason + tried, remedy: remedy)
    }
    switch failure {
    case .notSent(let failure): return failure
    case .transport(let error) where error.kind == .cancelled:
      return Failure(.interrupted, operation, path: address.description, cause: "it was stopped")
    case .transport(let error) where error.kind == .invalid:
      return made(.configuration, "Check STORAGE_EMULATOR_HOST and the certificates of this machine.")
    case .transport: return made(.unavailable, "Check the network and try again.")
    case .malformed, .foreign, .service, .unreadable: return made(.unavailable, foreignRemedy)
    }
  }

  /// Returns the failure of a response that Cloud Storage would not give.
  static func foreign(_ cause: String, _ operation: String, _ address: StorageAddress) -> Failure {
    Failure(.unavailable, operation, path: address.description, cause: cause, remedy: foreignRemedy)
  }

  /// Returns the failure of bytes that differ from those that were sent.
  static func damaged(_ operation: String, _ address: StorageAddress, _ cause: String) -> Failure {
    Failure(
      operation == "read" ? .inputMalformed : .unavailable,
      operation,
      path: address.description,
      cause: cause,
      remedy: "The bytes were changed on their way; try again, and check any proxy."
    )
  }

  /// The message and the reason of an error body, cleaned; nil if it has none.
  private static func details(_ response: HTTPResponse) -> (message: String?, reason: String?) {
    // A proxy's page may be long, and its first words say what it is.
    guard response.body.count <= 1 << 20 else { return (nil, nil) }
    do throws(WireError) {
      return try JSONParser().parse(response.body) { root throws(WireError) in
        guard root.kind == .object, let error = root["error"], error.kind == .object else {
          return (nil, nil)
        }
        let message = error["message"]?.string.map { String(ForeignText.cleaned($0).prefix(500)) }
        var reason: String?
        for detail in error.list("errors") { reason = reason ?? detail["reason"]?.string }
        for detail in error.list("details") { reason = detail["reason"]?.string ?? reason }
        return (message.flatMap { $0.isEmpty ? nil : $0 }, reason)
      }
    } catch {
      return (nil, nil)
    }
  }
}
