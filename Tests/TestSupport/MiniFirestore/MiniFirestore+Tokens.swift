import Synchronization

extension MiniFirestore {
  /// Gives out `t1`, `t2`, ...: for an OAuth grant, or as the metadata server does.
  func token(_ request: TestRequest) throws -> TestResponse {
    if request.method == "GET" {
      guard request.header("Metadata-Flavor") == "Google" else { return TestResponse(403) }
    } else {
      let form = formFields(request.body)
      let grants = [
        "urn:ietf:params:oauth:grant-type:jwt-bearer": "assertion", "refresh_token": "refresh_token",
      ]
      guard request.method == "POST", let grant = form.first(where: { $0.name == "grant_type" })?.value,
        let needed = grants[grant], form.contains(where: { $0.name == needed && !$0.value.isEmpty })
      else {
        let text = #"{"error":"invalid_request","error_description":"the grant is not as it should be"}"#
        return TestResponse(400, body: Array(text.utf8))
      }
    }
    let number = state.withLock { state -> Int in
      state.tokensIssued += 1
      state.accessTokens["t\(state.tokensIssued)"] = options.requestsPerToken
      return state.tokensIssued
    }
    let text = #"{"access_token":"t\#(number)","expires_in":3599,"token_type":"Bearer"}"#
    return TestResponse(200, headers: [HTTPField("Metadata-Flavor", "Google")], body: Array(text.utf8))
  }

  /// How many tokens were given out.
  package var tokensIssued: Int { state.withLock { $0.tokensIssued } }

  /// Uses up one request of the token that came with this one.
  func authorize(_ request: TestRequest) throws {
    guard options.requiresAuthorization else { return }
    guard let header = request.header("Authorization") else { throw ServiceError.permissionDenied }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0] == "Bearer" else { throw ServiceError.tokenExpired }
    try state.withLock { state in
      guard let left = state.accessTokens[String(parts[1])], left > 0 else { throw ServiceError.tokenExpired }
      state.accessTokens[String(parts[1])] = left - 1
    }
  }
}
