package import FirestoreREST

/// `user_emails`, the index from an email address to the account that had it first, one entry at a time.
package struct EmailService: Sendable {
  /// Why an address cannot be registered; the raw value is the code in messages.
  package enum Refusal: String, Error, Sendable, CaseIterable {
    case taken = "email-taken"
    case userNotFound = "user-not-found"
    case otherAddress = "other-address"

    package var message: String {
      switch self {
      case .taken: "The address is registered for another user, and stays so."
      case .userNotFound: "There is no user with that ID."
      case .otherAddress: "The user has another address in the field email."
      }
    }
  }

  package enum Registration: Sendable, Equatable {
    case registered
    /// It was so already.
    case unchanged
    case refused(Refusal)
  }

  private let client: FirestoreClient

  package init(_ client: FirestoreClient) {
    self.client = client
  }

  /// - Throws: `.usage` for an address that cannot have one.
  package static func path(of address: String) throws(Failure) -> DocumentPath {
    let email = EmailIndex.normalised(address)
    if let problem = EmailIndex.problem(ofNormalised: email) {
      throw Failure(
        .usage,
        "use the address",
        path: address,
        cause: problem.message
      )
    }
    return DocumentPath(GymCollection.userEmails, email)
  }

  /// The user whose address it is, in one read; nil where nobody is registered.
  package func resolve(_ address: String) async throws -> String? {
    let path = try Self.path(of: address)
    return try await client.batchGet([path])[path]?.fields[UserEmailEntry.Field.primaryUserId]?.string
  }

  /// Whether a user is active, as the app reads it; nil where there is none.
  package func isActive(_ id: String) async throws -> Bool? {
    guard PathLimits.violation(ofID: id, isDocument: true) == nil else { return nil }
    let path = DocumentPath(GymCollection.users, id)
    return try await client.batchGet([path])[path].map { AppUser($0).isActive }
  }

  /// Registers an address as the apps do: in one transaction, normalised, and never over another person's entry.
  ///
  /// - Parameter plan: What takes the change instead of the database; nil to write it.
  /// - Throws: ``Failure``; `.tryLater` where other programs kept changing the documents.
  package static func register(
    _ address: String,
    for id: String,
    in context: RunContext,
    planning plan: TransactionPlan? = nil
  ) async throws -> Registration {
    let path = try path(of: address)
    let user = DocumentPath(GymCollection.users, id)
    let (result, end) = try await RecordedTransaction(in: context, planning: plan).run(on: path) {
      transaction -> RecordedTransaction.Decision<Registration> in
      guard let owner = try await transaction.document(user) else { return .leave(.refused(.userNotFound)) }
      let own = owner.fields["email"]?.string.map(EmailIndex.normalised)
      guard own?.isIdentical(to: path.id) ?? false else { return .leave(.refused(.otherAddress)) }
      if let entry = try await transaction.document(path) {
        let current = entry.fields[UserEmailEntry.Field.primaryUserId]?.string
        return .leave(current?.isIdentical(to: id) ?? false ? .unchanged : .refused(.taken))
      }
      let entry = UserEmailEntry(primaryUserId: id, email: path.id)
      return .commit([entry.creation(because: "email-registered")], .registered)
    }
    try end.assertSettled(path)
    if end.isCommitted { return .registered }
    return result ?? .unchanged
  }
}
