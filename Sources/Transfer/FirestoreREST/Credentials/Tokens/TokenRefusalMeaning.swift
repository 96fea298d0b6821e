import Configuration

extension ExternalAccount {
  /// What a refusal of the Security Token Service means
  /// (https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token, RFC 8693, section 2.2.2).
  func meaning(of refusal: TokenRefusal) -> (kind: Failure.Kind, remedy: String) {
    switch refusal.code {
    case _ where refusal.reason?.isIdentical(to: "SERVICE_DISABLED") ?? false:
      (.configuration, "Enable the Security Token Service API (sts.googleapis.com) in the pool's project.")
    case "invalid_grant":
      (
        .configuration,
        "The token of the identity provider is refused: check that it has not expired, that its issuer and audience are those which the provider of the pool expects, and that this machine's clock is right."
      )
    case "invalid_target":
      (
        .configuration,
        "Check 'audience' in \(path): the pool and its provider have to exist and to be enabled."
      )
    case "invalid_request":
      (.configuration, "Check 'audience' and 'subject_token_type' in \(path).")
    case "invalid_client": (.configuration, "Check 'client_id' and 'client_secret' in \(path).")
    case "unauthorized_client", "access_denied":
      (
        .notPermitted,
        "Check the attribute condition of the provider \(audience): it does not admit this identity."
      )
    case _ where refusal.status == 403:
      (.notPermitted, "Check that the provider \(audience) admits this identity.")
    default: (.configuration, "Check 'token_url' and 'audience' in \(path).")
    }
  }
}

extension ImpersonatedAccount {
  /// What a refusal of `generateAccessToken` means.
  func meaning(of refusal: TokenRefusal) -> (kind: Failure.Kind, remedy: String) {
    if refusal.reason?.isIdentical(to: "SERVICE_DISABLED") ?? false {
      return (
        .configuration,
        "Enable the IAM Service Account Credentials API (iamcredentials.googleapis.com)."
      )
    }
    switch refusal.status {
    case 400:
      let longer =
        lifetime > Self.defaultLifetime ? " Tokens of over an hour need an organization policy." : ""
      return (.configuration, "Check the service account \(chain).\(longer)")
    case 401: return (.configuration, "The service refuses the token of \(source): check these credentials.")
    case 403: return (.notPermitted, permissionRemedy)
    case 404: return (.configuration, "Check that there is a service account \(chain.account).")
    default: return (.configuration, "Check \(url), and this machine's clock.")
    }
  }

  /// Who needs the role on which account; with delegates, each on the next.
  private var permissionRemedy: String {
    let first = "Grant \(source.principal) the role \(Self.role) on \(chain.delegates.first ?? chain.account)"
    if chain.delegates.isEmpty {
      // Google's guides to identity federation name this role.
      guard case .externalAccount = source.kind else { return "\(first)." }
      return "\(first); roles/iam.workloadIdentityUser will do, too."
    }
    let accounts = chain.delegates + [chain.account]
    let rest = zip(accounts, accounts.dropFirst()).map { "\($0) on \($1)" }
    return "\(first), and \(rest.joined(separator: ", "))."
  }
}
