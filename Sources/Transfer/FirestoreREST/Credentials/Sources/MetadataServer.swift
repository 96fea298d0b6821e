/// The metadata server of a machine in Google's cloud, which issues tokens of the machine's service account.
package struct MetadataServer: Sendable, Equatable {
  /// The default address; `GCE_METADATA_HOST` overrides it.
  package static let defaultHost = "metadata.google.internal"

  /// The host, with a port unless it is 80.
  package let host: String

  package init(host: String = defaultHost) { self.host = host }

  /// Returns the request for a token of the default service account.
  func tokenRequest(for scopes: [OAuthScope]) -> HTTPRequest {
    HTTPRequest(
      method: "GET",
      url: "http://\(host)/computeMetadata/v1/instance/service-accounts/default/token?scopes="
        + PercentEncoding.query(scopes.map(\.url).joined(separator: ",")),
      // The server requires this header, so that forged requests are refused.
      headers: [("Metadata-Flavor", "Google")],
      timeout: 10,
      maximumBodyBytes: 1 << 20
    )
  }

  /// Whether a response is from a metadata server, rather than from a proxy or a guest network.
  static func isGenuine(_ response: HTTPResponse) -> Bool {
    response.headers["metadata-flavor"]?.isIdentical(to: "Google") ?? false
  }
}
