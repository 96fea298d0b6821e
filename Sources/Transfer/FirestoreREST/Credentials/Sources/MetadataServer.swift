import FirestoreModels

/// The metadata server of a machine in Google's cloud, which hands out tokens of the machine's service account.
package struct MetadataServer: Sendable, Equatable {
  /// Its address unless `GCE_METADATA_HOST` says otherwise.
  package static let defaultHost = "metadata.google.internal"

  /// Its address, with a port where that is not 80.
  package let host: String

  /// Makes the server of a host.
  package init(host: String = defaultHost) {
    self.host = host
  }

  /// The request for a token of the default service account.
  func tokenRequest() -> HTTPRequest {
    HTTPRequest(
      method: "GET",
      url: "http://\(host)/computeMetadata/v1/instance/service-accounts/default/token?scopes="
        + PercentEncoding.query(Credentials.scope),
      // Without this header the server refuses, so that a forged request to it has no use.
      headers: [("Metadata-Flavor", "Google")],
      timeout: 10,
      maximumBodyBytes: 1 << 20
    )
  }

  /// Whether an answer is a metadata server's, and not that of a proxy or of a guest network.
  static func isGenuine(_ response: HTTPResponse) -> Bool {
    response.headers["metadata-flavor"]?.isIdentical(to: "Google") ?? false
  }
}
