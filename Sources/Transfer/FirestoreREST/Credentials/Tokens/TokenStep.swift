/// A request on the way to a token: how it is made, how its response is read, and what a refusal means.
struct TokenStep<Value: Sendable>: Sendable {
  /// What is requested, as a verb phrase.
  var purpose = "get an access token"
  /// For whom the token is requested, for errors.
  let signer: String
  let endpoint: String
  /// The request at a time, in seconds since 1970.
  let request: @Sendable (Double) throws(Failure) -> HTTPRequest
  /// Reads a response received at a time, in seconds since 1970.
  let read: @Sendable (HTTPResponse, Double) -> TokenAnswer<Value>
  /// The kind of failure and the remedy of a refusal.
  let meaning: @Sendable (TokenRefusal) -> (kind: Failure.Kind, remedy: String)
  /// The meaning of a failed connection, and the number of attempts before it applies; nil if the failure may be transient.
  var unreachable: (attempts: Int, failure: Failure)?

  /// Returns the failure of a refused request.
  func failure(of refusal: TokenRefusal) -> Failure {
    let (kind, remedy) = meaning(refusal)
    return Failure(
      kind,
      "\(purpose) for \(signer)",
      path: "from \(endpoint)",
      cause: refusal.cause,
      remedy: remedy
    )
  }
}

extension TokenStep<AccessToken> {
  /// The request that exchanges a service account's assertion.
  static func serviceAccount(_ account: ServiceAccount, _ credentials: Credentials) -> TokenStep {
    TokenStep(
      signer: credentials.description,
      endpoint: CredentialURL.withoutQuery(account.tokenURI),
      request: { now throws(Failure) in
        try account.tokenRequest(for: credentials.scopes, at: Int64(now))
      },
      read: TokenEndpoint.answer,
      meaning: { _ in
        (
          .configuration,
          "Check that the key of \(account.clientEmail) is neither deleted nor disabled and that this machine's clock is right."
        )
      }
    )
  }

  /// The request that exchanges a person's refresh token.
  static func authorizedUser(_ user: AuthorizedUser, _ credentials: Credentials) -> TokenStep {
    TokenStep(
      signer: credentials.description,
      endpoint: AuthorizedUser.tokenURI,
      request: { _ in user.tokenRequest() },
      read: TokenEndpoint.answer,
      meaning: { _ in
        (
          .configuration,
          "Run `gcloud auth application-default login`, and check that this machine's clock is right."
        )
      }
    )
  }

  /// The request to the metadata server.
  static func metadataServer(_ server: MetadataServer, _ credentials: Credentials) -> TokenStep {
    TokenStep(
      signer: credentials.description,
      endpoint: server.host,
      request: { _ in server.tokenRequest(for: credentials.scopes) },
      read: { response, now in
        if response.status < 500, !MetadataServer.isGenuine(response) {
          return TokenEndpoint.refused("the response is not from a metadata server")
        }
        return TokenEndpoint.answer(response, at: now)
      },
      meaning: { _ in
        (.configuration, "Check that this machine has a service account, or use a service account key.")
      },
      // Most likely there is no metadata server, and the user is waiting.
      unreachable: (3, CredentialDiscovery.nothingFound)
    )
  }

  /// The request that exchanges the token of another identity provider.
  static func exchange(
    of subject: Secret,
    _ account: ExternalAccount,
    _ credentials: Credentials
  ) -> TokenStep {
    TokenStep(
      signer: credentials.description,
      endpoint: CredentialURL.withoutQuery(account.tokenURL),
      request: { _ in account.exchangeRequest(of: subject, for: credentials.scopes) },
      read: TokenEndpoint.answer,
      meaning: account.meaning
    )
  }

  /// The request for a token of an account that the source impersonates.
  static func impersonation(
    _ account: ImpersonatedAccount,
    signedWith token: AccessToken,
    _ credentials: Credentials
  ) -> TokenStep {
    TokenStep(
      signer: credentials.description,
      endpoint: CredentialURL.withoutQuery(account.url),
      request: { _ in account.tokenRequest(signedWith: token, for: credentials.scopes) },
      read: TokenEndpoint.impersonationAnswer,
      meaning: account.meaning
    )
  }
}

extension TokenStep<Secret> {
  /// The request for the token of another identity provider.
  static func subject(_ address: SubjectTokenSource.TokenAddress, _ account: ExternalAccount) -> TokenStep {
    TokenStep(
      purpose: "get the token of the identity provider",
      signer: account.description,
      endpoint: CredentialURL.withoutQuery(address.url),
      request: { _ in address.request },
      read: { response, _ in
        TokenEndpoint.answer(response) { body in
          do throws(WireError) {
            return .value(try address.format.token(in: body))
          } catch {
            return TokenEndpoint.refused("the response cannot be used: \(error)")
          }
        }
      },
      meaning: { _ in
        (
          .configuration,
          "Check 'credential_source' of \(account.path), and whether this job may still have a token (GitHub Actions: `permissions: id-token: write`)."
        )
      }
    )
  }
}
