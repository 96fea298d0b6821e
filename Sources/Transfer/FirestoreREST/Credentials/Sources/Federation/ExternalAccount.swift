/// An identity of another provider, whose token Google exchanges for one of its own: workload or workforce identity
/// federation (https://google.aip.dev/auth/4117).
package struct ExternalAccount: Sendable, Equatable, CustomStringConvertible {
  /// The Security Token Service, unless the file specifies another.
  static let defaultTokenURL = "https://sts.googleapis.com/v1/token"

  package let path: String
  /// The provider in the pool, as a full resource name.
  package let audience: String
  let subjectTokenType: String
  let tokenURL: String
  let source: SubjectTokenSource
  /// The OAuth client that authenticates the exchange, if any.
  let client: OAuthClient?
  /// The project that is billed for the exchanges of a workforce pool.
  let userProject: String?

  /// An OAuth client and its secret.
  struct OAuthClient: Sendable, Equatable {
    let id: String
    let secret: Secret?

    /// The value of the header `Authorization` (RFC 6749, section 2.3.1).
    var authorization: Secret { Secret("Basic \(Base64.standard("\(id):\(secret?.revealed ?? "")".utf8))") }
  }

  /// Reads a file of `type` `external_account`.
  ///
  /// - Parameter environment: The variables of this process, which determine whether a program may be run.
  init(_ file: CredentialFile, environment: [String: String]) throws(Failure) {
    let texts = try file.require("audience", "subject_token_type")
    path = file.path
    (audience, subjectTokenType) = (texts[0], texts[1])
    guard AccessToken.isHeaderSafe(audience.utf8), AccessToken.isHeaderSafe(subjectTokenType.utf8) else {
      throw file.malformed("its 'audience' or 'subject_token_type' has spaces or other than ASCII characters")
    }
    tokenURL = file["token_url"] ?? Self.defaultTokenURL
    guard CredentialURL.isConfidential(tokenURL) else {
      throw file.malformed(
        "its 'token_url' is neither an https URL nor one of this machine",
        remedy: Self.remedy
      )
    }
    client = file["client_id"].map { OAuthClient(id: $0, secret: file["client_secret"].map { Secret($0) }) }
    userProject = file["workforce_pool_user_project"]
    if userProject != nil, !Self.isWorkforce(audience) {
      throw file.malformed(
        "it has a 'workforce_pool_user_project', and its 'audience' is no workforce pool",
        remedy: Self.remedy
      )
    }
    source = try SubjectTokenSource(file, environment: environment)
  }

  package var description: String { "federated identity \(audience) (\(path))" }

  static let remedy =
    "Create the file with `gcloud iam workload-identity-pools create-cred-config`, or let google-github-actions/auth write it."

  /// Whether the audience is a provider for people, rather than for workloads.
  private static func isWorkforce(_ audience: String) -> Bool {
    let parts = audience.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    return parts.count > 5 && parts[2].isIdentical(to: "iam.googleapis.com")
      && parts[3].isIdentical(to: "locations") && parts[5].isIdentical(to: "workforcePools")
  }

  /// Returns the request that exchanges the provider's token for an access token (RFC 8693, section 2.1).
  func exchangeRequest(of subject: Secret, for scopes: [OAuthScope]) -> HTTPRequest {
    var form: [(name: String, value: String)] = [
      ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("audience", audience),
      ("scope", scopes.spaceSeparated),
      ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
      ("subject_token", subject.revealed), ("subject_token_type", subjectTokenType),
    ]
    // A client implies which project is billed.
    if let userProject, client == nil {
      let options = JSONWriter.object { $0.member("userProject", userProject) }
      form.append(("options", String(decoding: options, as: UTF8.self)))
    }
    var request = TokenEndpoint.post(to: tokenURL, form: form)
    if let client { request.headers.append(("Authorization", client.authorization.revealed)) }
    return request
  }
}
