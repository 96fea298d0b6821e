import FirestoreModels

@testable import Configuration
@testable import Files
@testable import FirestoreREST

/// Credential files, and what token servers, identity providers and programs answer.
func fuzzCredentials(_ input: [UInt8]) {
  // Each input would leave its secrets behind.
  defer { Secrets.forgetAll() }
  credentialFile(input)
  for status in [200, 400, 403] {
    let response = HTTPResponse(status: status, body: input)
    check(TokenEndpoint.answer(response, at: 1_800_000_000))
    check(TokenEndpoint.impersonationAnswer(response, at: 1_800_000_000))
  }
  for format in [SubjectTokenFormat.text, .json(member: "value")] {
    if let token = attempt({ () throws(WireError) in try format.token(in: input) }) {
      expect(AccessToken.isHeaderSafe(token.revealed.utf8), "a token cannot be sent")
    }
  }
  if let response = attempt({ () throws(WireError) in try ProgramResponse(input) }) {
    expect(AccessToken.isHeaderSafe(response.token.revealed.utf8), "a program's token cannot be sent")
    _ = (response.isValid(at: 0), response.isValid(at: .infinity))
  }
  let text = String(decoding: input, as: UTF8.self)
  if let words = CommandWords.split(text) {
    let quoted = words.map { "'\($0.replacing("'", with: "'\"'\"'"))'" }.joined(separator: " ")
    expect(CommandWords.split(quoted) == words, "words are others after they were quoted")
  }
  if let chain = ServiceAccountChain(text) {
    expect(ServiceAccountChain(chain.description) == chain, "accounts are others after they were printed")
  }
  if CredentialURL.isConfidential(text) {
    let rest = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    expect(!authority.contains(UInt8(ascii: "@")), "a URL with a user name is accepted")
    expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a URL with a control character is accepted")
  }
}

private func credentialFile(_ input: [UInt8]) {
  let discovery = CredentialDiscovery(
    environment: [TokenProgram.permission: "1"],
    readFile: { _ in input }
  )
  let credentials: Credentials
  do throws(Failure) {
    credentials = try discovery.resolve(explicitFile: "c.json")
  } catch {
    expect(error.kind == .configuration, "a credential file fails with \(error.kind)")
    expect(!error.description.contains("\n"), "an error of several lines")
    return
  }
  expect(!credentials.description.isEmpty && !credentials.principal.isEmpty, "nobody signs")
  if case .impersonated(let account) = credentials.kind {
    expect(CredentialURL.isConfidential(account.url), "a token is sent over the network")
    let token = AccessToken(Secret("token"), expiry: nil, refreshTime: nil)
    _ = account.tokenRequest(signedWith: token, for: [.datastore])
  }
  if case .externalAccount(let account) = credentials.kind {
    expect(CredentialURL.isConfidential(account.tokenURL), "a token is sent over the network")
    _ = account.exchangeRequest(of: Secret("subject"), for: [.datastore])
  }
}

private func check(_ answer: TokenAnswer<AccessToken>) {
  switch answer {
  case .value(let token):
    expect(AccessToken.isHeaderSafe(token.secret.revealed.utf8), "an access token cannot be sent")
  case .unavailable: break
  case .refused(let refusal):
    expect(refusal.cause.utf8.count <= 1000, "a cause of \(refusal.cause.utf8.count) bytes")
  }
}
