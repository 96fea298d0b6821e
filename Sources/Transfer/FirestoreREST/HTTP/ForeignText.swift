import Files

/// Text from servers, proxies and libraries.
package enum ForeignText {
  /// Returns the text without anything that looks like a secret, of this process or of others.
  ///
  /// Secrets are a login in a URL, credentials in a header, or a parameter with a token, as in redirect URLs.
  package static func cleaned(_ text: String) -> String {
    Secrets.redacted(text)
      .replacing(login) { match in "\(match.1)\(Secrets.mark)@" }
      .replacing(credentials) { match in "\(match.1)\(Secrets.mark)" }
      .replacing(parameter) { match in "\(match.1)\(Secrets.mark)" }
  }

  private nonisolated(unsafe) static let login = #/([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^\s\/?#"'<>]*@/#

  /// A short word after the name of a scheme may be ordinary text.
  private nonisolated(unsafe) static let credentials =
    #/\b((?:bearer|basic|digest|negotiate)\s+)[A-Za-z0-9._~+\/%-]{20,}=*/#.ignoresCase()

  private nonisolated(unsafe) static let parameter =
    #/\b((?:access_?token|refresh_?token|id_?token|token|assertion|client_?secret|secret|password|passwd|signature|sig|api_?key|key|code|x-goog-signature|x-amz-signature)=)[^\s&;"'<>]{8,}/#
    .ignoresCase()
}
