import FirestoreModels

/// A file with a bare access token, which another program refreshes.
package struct AccessTokenFile: Sendable, Equatable {
  /// How often the file is read again, in seconds.
  static let rereadInterval = 60.0

  /// The path.
  package let path: String

  package init(path: String) {
    self.path = path
  }

  /// Returns the token in the file's content, without surrounding white space.
  func token(in bytes: [UInt8]?, at now: Double) throws(Failure) -> AccessToken {
    guard let bytes else { throw failure("there is no such file") }
    let blank: (UInt8) -> Bool = { $0 == 0x20 || ($0 >= 0x09 && $0 <= 0x0D) }
    let text = bytes.drop(while: blank).reversed().drop(while: blank).reversed()
    if text.isEmpty { throw failure("it is empty") }
    guard AccessToken.isHeaderSafe(text) else { throw failure("it does not contain exactly one token") }
    return AccessToken(
      Secret(String(decoding: text, as: UTF8.self)),
      expiry: nil,
      refreshTime: now + Self.rereadInterval
    )
  }

  private func failure(_ cause: String) -> Failure {
    Failure(
      .configuration,
      "read the access token",
      path: path,
      cause: cause,
      remedy: "Write it with `gcloud auth print-access-token`."
    )
  }
}
