import Configuration

/// The URLs in credential files, which are used as written.
enum CredentialURL {
  /// The metadata server by name and by address (https://cloud.google.com/compute/docs/metadata/overview).
  private static let metadataServers = ["http://\(MetadataServer.defaultHost)", "http://169.254.169.254"]

  /// Whether data sent to a URL is encrypted, or does not leave this machine.
  ///
  /// - Parameter acceptsMetadataServer: Whether the metadata server counts as this machine.
  static func isConfidential(_ url: String, acceptsMetadataServer: Bool = false) -> Bool {
    guard let endpoint = endpoint(of: url) else { return false }
    if endpoint.utf8.starts(with: "https://".utf8) { return true }
    if EndpointAddress(endpoint).isHere { return true }
    return acceptsMetadataServer
      && metadataServers.contains { endpoint.isIdentical(to: $0) || endpoint.isIdentical(to: "\($0):80") }
  }

  /// Scheme, host and port of an http or https URL; nil if it has a user name, or is not such a URL.
  private static func endpoint(of url: String) -> String? {
    guard AccessToken.isHeaderSafe(url.utf8),
      let scheme = ["https://", "http://"].first(where: { url.utf8.starts(with: $0.utf8) })
    else { return nil }
    let authority = url.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
    return try? Configuration.checkedEndpoint("\(scheme)\(Substring(authority))")
  }

  /// Returns a URL without its query, which may contain a secret.
  static func withoutQuery(_ url: String) -> String {
    String(Substring(url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
  }
}
