package import FirestoreREST

/// `app_config/setup`, whose existence means that the first admin is set up.
package enum SetupService {
  /// The content of the setup document.
  package struct State: Sendable, Equatable {
    /// The user who set it up; nil if the field is missing or not a text.
    package var adminUserId: String?
    package var createdAt: Timestamp?
  }

  /// Why the setup is refused; the raw value is the code in messages.
  package enum Refusal: String, Error, Sendable, CaseIterable {
    case alreadySetUp = "already-set-up"
    case userNotFound = "user-not-found"
    case notAdmin = "not-admin"

    package var message: String {
      switch self {
      case .alreadySetUp: "app_config/setup is there already; it is never changed."
      case .userNotFound: "There is no user with that ID."
      case .notAdmin: "The user is not an active user with role admin."
      }
    }
  }

  /// Returns the setup; nil if there is none.
  package static func state(in client: FirestoreClient) async throws -> State? {
    guard let document = try await client.batchGet([GymCollection.setup])[GymCollection.setup] else {
      return nil
    }
    return State(
      adminUserId: document.fields["adminUserId"]?.string,
      createdAt: document.fields["createdAt"]?.timestamp
    )
  }

  private static func refusal(setup: RawDocument?, user: RawDocument?) -> Refusal? {
    if setup != nil { return .alreadySetUp }
    guard let user else { return .userNotFound }
    let fields = UserFields(user.fields)
    let isAdmin = fields.role?.isIdentical(to: UserRole.admin.rawValue) ?? false
    return isAdmin && fields.effectiveIsActive ? nil : .notAdmin
  }

  /// Sets the first admin, in one transaction that also checks the user.
  ///
  /// - Parameter plan: Receives the change instead of the database; nil to write it.
  /// - Returns: Why it was refused; nil if it succeeded.
  /// - Throws: ``Failure``; `.tryLater` if other programs kept changing the documents.
  package static func set(
    admin id: String,
    in context: RunContext,
    planning plan: TransactionPlan? = nil
  ) async throws -> Refusal? {
    let user = DocumentPath(GymCollection.users, id)
    let (refusal, end) = try await RecordedTransaction(in: context, planning: plan).run(
      on: GymCollection.setup
    ) {
      transaction -> RecordedTransaction.Decision<Refusal?> in
      let setup = try await transaction.document(GymCollection.setup)
      if let refusal = Self.refusal(setup: setup, user: try await transaction.document(user)) {
        return .leave(refusal)
      }
      let fields: FieldMap = ["adminUserId": .string(id)]
      return .commit(
        [Change(creating: GymCollection.setup, fields, stamping: "createdAt", reason: "setup")],
        nil
      )
    }
    if try end.hasCommitted(GymCollection.setup) { return nil }
    return refusal ?? nil
  }
}

extension TransactionEnd {
  /// Whether it wrote, even if the response was lost and a later attempt found it done.
  ///
  /// - Throws: ``Failure`` if it ended without a decision: refused by the service, or because other programs kept changing what
  ///   it read.
  func hasCommitted(_ path: DocumentPath) throws(Failure) -> Bool {
    switch self {
    case .committed: return true
    case .left: return false
    case .refused(let error):
      throw Failure(.unavailable, "write", path: path.string, cause: "\(error.status.name): \(error.message)")
    case .contended:
      throw Failure(
        .tryLater,
        "write",
        path: path.string,
        cause: "others kept changing what it depends on",
        remedy: "Run the command again."
      )
    }
  }
}
