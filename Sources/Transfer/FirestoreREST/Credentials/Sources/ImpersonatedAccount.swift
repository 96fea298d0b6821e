package import Configuration

/// A service account that other credentials may impersonate (`generateAccessToken` of the IAM Service Account Credentials
/// API).
package struct ImpersonatedAccount: Sendable, Equatable, CustomStringConvertible {
  static let role = "roles/iam.serviceAccountTokenCreator"
  /// The service, unless a file or the environment specifies another.
  static let defaultEndpoint = "https://iamcredentials.googleapis.com"
  /// The lifetime of a token in seconds, unless a file requests another.
  static let defaultLifetime: Int64 = 3600
  /// The lifetimes that the service accepts; more than an hour requires an organization policy.
  private static let lifetimes: ClosedRange<Int64> = 600...43_200

  /// The credentials that request the tokens.
  package let source: Credentials
  /// The impersonated account, with the delegates that lead to it.
  package let chain: ServiceAccountChain
  let url: String
  let lifetime: Int64

  /// Creates an account that the user named.
  ///
  /// - Parameter endpoint: Scheme, host and port of the service.
  init(_ chain: ServiceAccountChain, source: Credentials, endpoint: String) {
    self.source = source.scoped(to: [.cloudPlatform])
    self.chain = chain
    url = "\(endpoint)/v1/projects/-/serviceAccounts/\(chain.account):generateAccessToken"
    lifetime = Self.defaultLifetime
  }

  /// Reads the members of a file that has a `service_account_impersonation_url`.
  init(_ file: CredentialFile, source: Credentials) throws(Failure) {
    self.source = source.scoped(to: [.cloudPlatform])
    url = try file.require("service_account_impersonation_url")[0]
    guard CredentialURL.isConfidential(url) else {
      throw file.malformed(
        "its 'service_account_impersonation_url' is neither an https URL nor one of this machine"
      )
    }
    guard let account = Self.account(in: url) else {
      throw file.malformed(
        "its 'service_account_impersonation_url' does not end in a service account and ':generateAccessToken'"
      )
    }
    let delegates = try file.texts("delegates").map { delegate in
      String(Substring(delegate.utf8.dropFirst(delegate.hasPrefix(Self.prefix) ? Self.prefix.utf8.count : 0)))
    }
    guard delegates.allSatisfy(ServiceAccountChain.isAccount) else {
      throw file.malformed("its 'delegates' have one that is not a service account")
    }
    chain = ServiceAccountChain(account, delegates: delegates)
    let options = try file.object("service_account_impersonation")
    lifetime = try options?.integer("token_lifetime_seconds") ?? Self.defaultLifetime
    guard Self.lifetimes.contains(lifetime) else {
      throw file.malformed("its 'token_lifetime_seconds' is not within 600 and 43200")
    }
  }

  package var description: String {
    let through = chain.delegates.isEmpty ? "" : " through \(chain.delegates.joined(separator: ", "))"
    // One file has both.
    if case .externalAccount(let account) = source.kind {
      return "federated identity \(account.audience) as \(chain.account)\(through) (\(account.path))"
    }
    return "\(source) impersonating \(chain.account)\(through)"
  }

  private static let prefix = "projects/-/serviceAccounts/"
  private static let method = ":generateAccessToken"

  /// The account in the URL of `generateAccessToken`; nil if it is another URL.
  static func account(in url: String) -> String? {
    guard url.hasSuffix(method), let slash = url.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    let name = String(Substring(url.utf8[slash...].dropFirst().dropLast(method.utf8.count)))
    return ServiceAccountChain.isAccount(name) ? name : nil
  }

  /// Returns the request for a token, signed with a token of the source.
  func tokenRequest(signedWith token: AccessToken, for scopes: [OAuthScope]) -> HTTPRequest {
    let json = JSONWriter.object {
      $0.member("delegates", strings: chain.delegates.map { Self.prefix + $0 })
      $0.member("lifetime", "\(lifetime)s")
      $0.member("scope", strings: scopes.map(\.url))
    }
    var headers = [
      (name: "Authorization", value: "Bearer \(token.secret.revealed)"),
      ("Content-Type", "application/json"), ("Accept", "application/json"),
    ]
    if let payer = source.quotaProject { headers.append(("x-goog-user-project", payer)) }
    return HTTPRequest(
      method: "POST",
      url: url,
      headers: headers,
      body: json,
      timeout: 30,
      maximumBodyBytes: TokenEndpoint.maximumBytes
    )
  }
}
