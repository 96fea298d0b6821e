/// What an access token is asked for (https://developers.google.com/identity/protocols/oauth2/scopes).
package struct OAuthScope: Sendable, Equatable {
  package let url: String

  /// Data and administration of Firestore.
  package static let datastore = OAuthScope(url: "https://www.googleapis.com/auth/datastore")
  /// Objects of Cloud Storage: reading, writing and deleting them.
  package static let devstorage = OAuthScope(url: "https://www.googleapis.com/auth/devstorage.read_write")
  /// Everything of Google Cloud that the signer's roles permit.
  static let cloudPlatform = OAuthScope(url: "https://www.googleapis.com/auth/cloud-platform")
}

extension [OAuthScope] {
  /// The scopes as OAuth writes them (RFC 6749, section 3.3).
  var spaceSeparated: String { map(\.url).joined(separator: " ") }
}
