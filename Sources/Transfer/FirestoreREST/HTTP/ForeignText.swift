import Files

/// What servers, proxies and libraries say about a request.
enum ForeignText {
  /// The text without what looks like a secret, be it this process's or somebody else's: a login in a URL, a header's
  /// credentials, and parameters that carry tokens, as URLs do that are redirected to.
  static func cleaned(_ text: String) -> String {
    text
      .replacing(login) { match in "\(match.1)\(Secrets.mark)@" }
      .replacing(credentials) { match in "\(match.1)\(Secrets.mark)" }
      .replacing(parameter) { match in "\(match.1)\(Secrets.mark)" }
  }

  private nonisolated(unsafe) static let login = #/([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^\s\/?#"'<>]*@/#

  /// A scheme's name is a word of its own where what follows is short.
  private nonisolated(unsafe) static let credentials =
    #/\b((?:bearer|basic|digest|negotiate)\s+)[A-Za-z0-9._~+\/%-]{20,}=*/#.ignoresCase()

  private nonisolated(unsafe) static let parameter =
    #/\b((?:access_?token|refresh_?token|id_?token|token|assertion|client_?secret|secret|password|passwd|signature|sig|api_?key|key|code|x-goog-signature|x-amz-signature)=)[^\s&;"'<>]{8,}/#
    .ignoresCase()
}
