package import FirestoreREST

/// Looks up and registers single entries of `user_emails`, the index from an email address to the first account that used it.
package enum EmailService {
  /// Why an address cannot be registered; the raw value is the code in messages.
  package enum Refusal: String, Error, Sendable, CaseIterable {
    case taken = "email-taken"
    case namesNobody = "entry-no-user"
    case userNotFound = "user-not-found"
    case otherAddress = "other-address"

    package var message: String {
      switch self {
      case .taken:
        "The address is registered for another user, and stays so. 'gymmigrate email resolve' says whether that user still has it."
      case .namesNobody:
        "The address has an entry whose primaryUserId is missing, blank or not a text. \(EmailService.remedy)"
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

  /// What a resolved address turned out to be.
  package enum Resolution: Sendable, Equatable {
    /// There is no entry.
    case nobody
    /// There is an entry, which names no user.
    case namesNobody
    /// The entry names this user.
    case user(String)
  }

  /// Why the user of an entry is none to rely on; the raw value is what is said of the user.
  package enum Doubt: String, Sendable, CaseIterable {
    case gone = "is not there"
    case inactive = "is inactive"
    case otherAddress = "has another address in email, or none"
  }

  /// What to do about an entry whose user is not the one who has the address.
  package static let remedy = "'gymmigrate migrate plan user-emails' shows who gets it."

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

  /// Returns the user of an address, with one read.
  package static func resolve(_ address: String, in client: FirestoreClient) async throws -> Resolution {
    let path = try path(of: address)
    guard let entry = try await client.batchGet([path])[path] else { return .nobody }
    return UserEmailEntry.primaryUser(in: entry.fields).map { .user($0) } ?? .namesNobody
  }

  /// Returns what is doubtful about the user of an address, as the app reads users, with one read.
  package static func doubts(
    about id: String,
    with address: String,
    in client: FirestoreClient
  ) async throws -> [Doubt] {
    guard PathLimits.violation(ofID: id, isDocument: true) == nil else { return [.gone] }
    let path = DocumentPath(GymCollection.users, id)
    guard let user = try await client.batchGet([path])[path] else { return [.gone] }
    let has = try has(user, self.path(of: address))
    return (AppUser(user).isActive ? [] : [.inactive]) + (has ? [] : [.otherAddress])
  }

  /// Whether a user has the address of an entry.
  private static func has(_ user: RawDocument, _ entry: DocumentPath) -> Bool {
    let own = user.fields[UserEmailEntry.Field.email]?.string.map(EmailIndex.normalised)
    return own?.isIdentical(to: entry.id) ?? false
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
      guard has(owner, path) else { return .leave(.refused(.otherAddress)) }
      if let entry = try await transaction.document(path) {
        guard let current = UserEmailEntry.primaryUser(in: entry.fields) else {
          return .leave(.refused(.namesNobody))
        }
        return .leave(current.isIdentical(to: id) ? .unchanged : .refused(.taken))
      }
      let entry = UserEmailEntry(primaryUserId: id, email: path.id)
      return .commit([entry.creation(because: "email-registered")], .registered)
    }
    if try end.hasCommitted(path) { return .registered }
    return result ?? .unchanged
  }
}
