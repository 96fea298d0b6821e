import Configuration

/// The credentials that sign requests.
///
/// Printing them never reveals a secret.
package struct Credentials: Sendable, Equatable, CustomStringConvertible {
  package enum Kind: Sendable, Equatable {
    /// Requests are not signed; Security Rules apply.
    case none
    /// The emulator's administrator, `Bearer owner`.
    case emulatorOwner
    /// The token of the embedded store.
    case bearer(BearerToken)
    /// A service account's key file.
    case serviceAccount(ServiceAccount)
    /// The application-default credentials of a person, from gcloud.
    case authorizedUser(AuthorizedUser)
    /// The service account of this machine.
    case metadataServer(MetadataServer)
    /// A file with an access token.
    case accessTokenFile(AccessTokenFile)
    /// An identity of another provider, by identity federation.
    case externalAccount(ExternalAccount)
    /// A service account that other credentials sign as.
    indirect case impersonated(ImpersonatedAccount)
  }

  package let kind: Kind
  /// The project billed for requests (`x-goog-user-project`), if it is not the database's own.
  package let quotaProject: String?
  /// The scopes for which access tokens are requested.
  ///
  /// A person's credentials and an access token file have the scopes that were granted before.
  package let scopes: [OAuthScope]

  package init(_ kind: Kind, quotaProject: String? = nil, scopes: [OAuthScope] = [.datastore]) {
    self.kind = kind
    self.quotaProject = quotaProject
    self.scopes = scopes
  }

  /// Returns the same credentials for tokens with other scopes.
  package func scoped(to scopes: [OAuthScope]) -> Credentials {
    Credentials(kind, quotaProject: quotaProject, scopes: scopes)
  }

  /// Whether the credentials depend on something that is renewed elsewhere, and so may be unusable for a moment.
  var areRenewedElsewhere: Bool {
    switch kind {
    case .accessTokenFile, .externalAccount: true
    case .impersonated(let account): account.source.areRenewedElsewhere
    case .none, .emulatorOwner, .bearer, .serviceAccount, .authorizedUser, .metadataServer: false
    }
  }

  /// The kind and the identity, for the line before a write.
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
    case .externalAccount(let account): account.description
    case .impersonated(let account): account.description
    }
  }

  /// To whom a role has to be granted, for remedies.
  var principal: String {
    switch kind {
    case .serviceAccount(let account): account.clientEmail
    case .impersonated(let account): account.chain.account
    case .externalAccount(let account): "the federated identity of \(account.audience)"
    case .authorizedUser(let user): user.account ?? "the person of \(user.path)"
    case .metadataServer: "the service account of this machine"
    case .accessTokenFile(let file): "the owner of the token in \(file.path)"
    case .none, .emulatorOwner, .bearer: description
    }
  }
}
