/// Who signs requests, and how a token is had for them.
///
/// Printing one never shows a secret.
package struct Credentials: Sendable, Equatable, CustomStringConvertible {
  /// The kinds that are supported.
  package enum Kind: Sendable, Equatable {
    /// Requests go out unsigned; Security Rules judge them.
    case none
    /// The emulator's administrator, `Bearer owner`.
    case emulatorOwner
    /// The embedded store of this process, or one that was given the token.
    case bearer(BearerToken)
    /// A service account's key file.
    case serviceAccount(ServiceAccount)
    /// gcloud's application-default credentials of a person.
    case authorizedUser(AuthorizedUser)
    /// The service account of the machine.
    case metadataServer(MetadataServer)
    /// A file with a token.
    case accessTokenFile(AccessTokenFile)
  }

  /// What is asked for: data and administration of Firestore.
  package static let scope = "https://www.googleapis.com/auth/datastore"

  /// The kind, with what it needs.
  package let kind: Kind
  /// The project that pays for requests (`x-goog-user-project`), where it is not the database's own.
  package let quotaProject: String?

  /// Makes credentials.
  package init(_ kind: Kind, quotaProject: String? = nil) {
    self.kind = kind
    self.quotaProject = quotaProject
  }

  /// The project that the credentials belong to, where they tell.
  package var project: String? {
    if case .serviceAccount(let account) = kind { account.project } else { nil }
  }

  /// The kind and who signs, for the line before a write.
  package var description: String {
    switch kind {
    case .none: "no credentials"
    case .emulatorOwner: "the emulator's owner"
    case .bearer: "the owner of the embedded store"
    case .serviceAccount(let account): "service account \(account.clientEmail) (\(account.path))"
    case .authorizedUser(let user):
      "user credentials \(user.account.map { "of \($0) " } ?? "")(\(user.path))"
    case .metadataServer(let server): "the service account of this machine (\(server.host))"
    case .accessTokenFile(let file): "access token (\(file.path))"
    }
  }
}
