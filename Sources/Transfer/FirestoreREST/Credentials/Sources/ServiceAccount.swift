/// A service account with its private key, which signs an assertion to get a token (RFC 7523).
package struct ServiceAccount: Sendable, Equatable {
  /// The audience of every assertion, whatever the file's `token_uri` (as in google-auth).
  static let audience = "https://oauth2.googleapis.com/token"
  /// The lifetime of an assertion in seconds; Google accepts at most an hour.
  static let lifetime: Int64 = 3600

  /// The email address of the account, which is the issuer.
  package let clientEmail: String
  package let path: String
  let tokenURI: String
  let privateKeyID: String?
  let privateKey: Secret

  /// Reads a key file of `type` `service_account`.
  init(_ file: CredentialFile) throws(Failure) {
    let texts = try file.require("client_email", "private_key", "token_uri")
    path = file.path
    clientEmail = texts[0]
    privateKey = Secret(texts[1])
    tokenURI = texts[2]
    privateKeyID = file["private_key_id"]
    guard CredentialURL.isConfidential(tokenURI) else {
      throw file.malformed("its 'token_uri' is not an https URL")
    }
    // Checks now that the key can sign, rather than failing in the middle of a run.
    _ = try assertion(for: [.datastore], at: 0)
  }

  /// Returns a signed JSON Web Token, valid for an hour from `now` (seconds since 1970).
  func assertion(for scopes: [OAuthScope], at now: Int64) throws(Failure) -> String {
    let header = JSONWriter.object {
      $0.member("alg", "RS256")
      $0.member("typ", "JWT")
      $0.member("kid", privateKeyID)
    }
    let claims = JSONWriter.object {
      $0.member("iss", clientEmail)
      $0.member("scope", scopes.spaceSeparated)
      $0.member("aud", Self.audience)
      $0.member("iat", now)
      $0.member("exp", now + Self.lifetime)
    }
    let signed = "\(Base64.urlSafe(header)).\(Base64.urlSafe(claims))"
    do throws(RS256.SigningError) {
      return "\(signed).\(Base64.urlSafe(try RS256.signature(of: Array(signed.utf8), pem: privateKey)))"
    } catch {
      throw Failure(
        .configuration,
        "sign with the service account's key",
        path: path,
        cause: error == .malformedKey
          ? "its 'private_key' is not an RSA key in PEM without a password" : "OpenSSL refused the key",
        remedy: "Create a new key for \(clientEmail) and use its file."
      )
    }
  }

  /// Returns the request that exchanges an assertion for a token.
  func tokenRequest(for scopes: [OAuthScope], at now: Int64) throws(Failure) -> HTTPRequest {
    let assertion = Secret(try assertion(for: scopes, at: now))
    return TokenEndpoint.post(
      to: tokenURI,
      form: [
        ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion.revealed),
      ]
    )
  }
}
