package import FirestoreREST

/// Looks up and registers single entries of `user_emails`, the index from an email address to the first account that used it.
package enum EmailService {
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
    /// It was already registered for this user.
    case unchanged
    case refused(Refusal)
  }

  /// Returns the path of an address's entry.
  ///
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

  /// Returns the user of an address, with one read; nil if nobody is registered.
  package static func resolve(_ address: String, in client: FirestoreClient) async throws -> String? {
    let path = try path(of: address)
    return try await client.batchGet([path])[path]?.fields[UserEmailEntry.Field.primaryUserId]?.string
  }

  /// Whether a user is active, as the app reads it; nil if there is no such user.
  package static func isActive(_ id: String, in client: FirestoreClient) async throws -> Bool? {
    guard PathLimits.violation(ofID: id, isDocument: true) == nil else { return nil }
    let path = DocumentPath(GymCollection.users, id)
    return try await client.batchGet([path])[path].map { AppUser($0).isActive }
  }

  /// Registers an address like the apps: normalized, in one transaction, and never over another person's entry.
  ///
  /// - Parameter plan: Receives the change instead of the database; nil to write it.
  /// - Throws: ``Failure``; `.tryLater` if other programs kept changing the documents.
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
