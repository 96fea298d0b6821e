/// A person who signed in with `gcloud auth application-default login`: a refresh token (RFC 6749, section 6).
package struct AuthorizedUser: Sendable, Equatable {
  /// The endpoint for refresh tokens, which the file does not contain.
  static let tokenURI = "https://oauth2.googleapis.com/token"

  package let path: String
  /// The person's email address, if the file contains it.
  package let account: String?
  let clientID: String
  let clientSecret: Secret
  let refreshToken: Secret

  /// Reads a file of `type` `authorized_user`.
  init(_ file: CredentialFile) throws(Failure) {
    let texts = try file.require("client_id", "client_secret", "refresh_token")
    path = file.path
    account = file["account"]
    clientID = texts[0]
    clientSecret = Secret(texts[1])
    refreshToken = Secret(texts[2])
  }

  /// Returns the request that exchanges the refresh token for an access token.
  func tokenRequest() -> HTTPRequest {
    TokenEndpoint.post(
      to: Self.tokenURI,
      form: [
        ("grant_type", "refresh_token"), ("client_id", clientID), ("client_secret", clientSecret.revealed),
        ("refresh_token", refreshToken.revealed),
      ]
    )
  }
}
