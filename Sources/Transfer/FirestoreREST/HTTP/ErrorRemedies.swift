extension FirestoreError {
  /// The kind of failure with which this error ends a command, and the remedy.
  ///
  /// The reason in its details takes precedence over the method, and that over the status.
  func kindAndRemedy(of rpc: RPC?) -> (Failure.Kind, String?) {
    ofReason ?? managedKindAndRemedy(of: rpc) ?? ofStatus(rpc)
  }

  /// The meaning of the reason in its ErrorInfo, from the list of Google's APIs (`google/api/error_reason.proto`); nil for
  /// any other reason, or none.
  private var ofReason: (Failure.Kind, String?)? {
    switch reason {
    case "SERVICE_DISABLED": (.configuration, "Enable the Cloud Firestore API for the project.")
    case "BILLING_DISABLED": (.configuration, "Enable billing for the project.")
    case "CONSUMER_INVALID", "CONSUMER_SUSPENDED":
      (
        .configuration,
        "The project does not exist, or is suspended: check its ID ('gymmigrate env show'), and the quota project of the credentials."
      )
    case "USER_PROJECT_DENIED":
      (
        .notPermitted,
        "The signer may not use the quota project of the credentials: it needs roles/serviceusage.serviceUsageConsumer there; 'gcloud auth application-default set-quota-project' names another one."
      )
    case "ACCESS_TOKEN_SCOPE_INSUFFICIENT":
      (
        .notPermitted,
        "The access token lacks the scope https://www.googleapis.com/auth/datastore (or cloud-platform): sign in again with it, or give the machine that scope. Roles do not help."
      )
    case "ACCESS_TOKEN_TYPE_UNSUPPORTED", "ACCOUNT_STATE_INVALID":
      (
        .configuration,
        "The credentials are of a kind or an account that cannot be used; 'gymmigrate env show' shows which are used."
      )
    case "SECURITY_POLICY_VIOLATED", "LOCATION_POLICY_VIOLATED", "ORG_RESTRICTION_VIOLATION":
      (
        .notPermitted,
        "A policy of the organization forbids it, such as VPC Service Controls; roles do not help."
      )
    case "RATE_LIMIT_EXCEEDED" where status != .resourceExhausted,
      "RESOURCE_QUOTA_EXCEEDED" where status != .resourceExhausted:
      (.tryLater, "A quota may be exhausted; try again later.")
    default: nil
    }
  }

  private func ofStatus(_ rpc: RPC?) -> (Failure.Kind, String?) {
    switch status {
    case _ where refusesOldReadTime:
      (
        .unavailable,
        "The read time is no longer readable: give a later one, or --read-time none to read the present."
      )
    case .permissionDenied:
      (.notPermitted, "The signer needs roles/datastore.viewer to read and roles/datastore.user to write.")
    case .unauthenticated:
      (.configuration, "The credentials were refused; 'gymmigrate env show' shows which are used.")
    case .notFound: (.configuration, "Check the project and the database ID ('gymmigrate env show').")
    case .failedPrecondition:
      (.configuration, "The query may need an index, or the database may be in Datastore mode.")
    case .resourceExhausted: (.tryLater, "A quota may be exhausted; try again later.")
    // Names were already checked against the documented limits, so the cause is a filter, an order, a time, or a limit of
    // this server. Other requests contain no arguments of the user.
    case .invalidArgument where rpc?.carriesArguments ?? false,
      .outOfRange where rpc?.carriesArguments ?? false:
      (
        .usage,
        "The server refuses the arguments of the command: check its names, filters, order and times. If they are right, report a bug."
      )
    case .invalidArgument, .outOfRange: (.internal, nil)
    case .unimplemented:
      (
        .configuration,
        "This server does not support it: check the endpoint and the database ('gymmigrate doctor')."
      )
    case .dataLoss:
      (
        .inputMalformed,
        "The server's store is damaged. If it is the embedded one, restore a copy, or move the file and its -wal and -shm files away and import an export."
      )
    case .ok, .alreadyExists, .aborted, .cancelled, .unknown, .deadlineExceeded, .internal, .unavailable:
      (.unavailable, "Try again later.")
    }
  }
}

extension Failure {
  /// Explains that the service refused every request because of the database ID, if that is the cause.
  ///
  /// The request is sent first, because other servers may accept other IDs.
  package func explained(by database: DatabaseName) -> Failure {
    if service?.status != .invalidArgument || database.hasValidID { return self }
    return Failure(
      .configuration,
      operation,
      path: path,
      cause: cause,
      remedy:
        "The id of a database is (default), or 4 to 63 small letters, digits and hyphens that begin with a letter; '\(database.database)' is none.",
      service: service
    )
  }
}
