/// The response of a program that was run to get a token: one JSON object (https://google.aip.dev/auth/4117).
struct ProgramResponse {
  /// The latest known version of the format.
  private static let latestVersion: Int64 = 1

  let token: Secret
  /// When it expires, in seconds since 1970, if the program says so.
  let expiry: Int64?

  /// Reads a response.
  ///
  /// - Throws: What is wrong with the response, or the error that the program reports.
  init(_ bytes: [UInt8]) throws(WireError) {
    (token, expiry) = try TokenEndpoint.parse(bytes) { root throws(WireError) -> (Secret, Int64?) in
      guard let version = root["version"]?.integer else { throw WireError("it has no 'version'") }
      guard version <= Self.latestVersion else { throw WireError("its version \(version) is not supported") }
      guard let success = root["success"]?.boolean else { throw WireError("it has no 'success'") }
      if !success {
        let code = root["code"].flatMap { $0.string ?? $0.integer.map { "\($0)" } }
        guard let code, let message = root["message"]?.string else {
          throw WireError("it reports a failure without 'code' and 'message'")
        }
        throw WireError("it reports \(TokenEndpoint.harmless("\(code): \(message)"))")
      }
      let member: JSONCursor?
      switch root["token_type"]?.string {
      case "urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id_token":
        member = root["id_token"]
      case "urn:ietf:params:oauth:token-type:saml2": member = root["saml_response"]
      case nil: throw WireError("it has no 'token_type'")
      case .some: throw WireError("its 'token_type' is not supported")
      }
      guard let text = member?.string else { throw WireError("it has no token of its 'token_type'") }
      if let expiry = root["expiration_time"], WireDecoder.integer(expiry) == nil, !expiry.isNull {
        throw WireError("its 'expiration_time' is not a number of seconds")
      }
      return (
        try SubjectTokenFormat.checked(Array(text.utf8)),
        root["expiration_time"].flatMap { WireDecoder.integer($0) }
      )
    }
  }

  /// Whether the token is valid at a time, in seconds since 1970.
  func isValid(at now: Double) -> Bool { expiry.map { Double($0) > now } ?? true }
}
