/// A scope that an access token is requested for (https://developers.google.com/identity/protocols/oauth2/scopes).
package struct OAuthScope: Sendable, Equatable {
  package let url: String

  /// Data and administration of Firestore.
  package static let datastore = OAuthScope(url: "https://www.googleapis.com/auth/datastore")
  /// Reading, writing and deleting objects in Cloud Storage.
  package static let devstorage = OAuthScope(url: "https://www.googleapis.com/auth/devstorage.read_write")
  /// Everything in Google Cloud that the roles of the account permit.
  static let cloudPlatform = OAuthScope(url: "https://www.googleapis.com/auth/cloud-platform")
}

extension [OAuthScope] {
  /// The scopes as OAuth writes them (RFC 6749, section 3.3).
  var spaceSeparated: String { map(\.url).joined(separator: " ") }
}
