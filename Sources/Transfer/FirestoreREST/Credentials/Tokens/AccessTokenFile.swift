import FirestoreModels

/// A file that holds a bare access token, which somebody else keeps fresh.
package struct AccessTokenFile: Sendable, Equatable {
  /// How long its token is used before the file is read again, in seconds.
  static let rereadInterval = 60.0

  /// The file.
  package let path: String

  /// Makes a credential of a file that is read when a token is needed.
  package init(path: String) {
    self.path = path
  }

  /// The token in the file's text, without the white space around it.
  func token(in bytes: [UInt8]?, at now: Double) throws(Failure) -> AccessToken {
    guard let bytes else { throw failure("there is no such file") }
    let blank: (UInt8) -> Bool = { $0 == 0x20 || ($0 >= 0x09 && $0 <= 0x0D) }
    let text = bytes.drop(while: blank).reversed().drop(while: blank).reversed()
    if text.isEmpty { throw failure("it is empty") }
    guard AccessToken.isHeaderSafe(text) else { throw failure("it does not hold one bare token") }
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
