/// A file with a bare access token, which another program refreshes.
package struct AccessTokenFile: Sendable, Equatable {
  /// How often the file is read again, in seconds.
  static let rereadInterval = 60.0

  package let path: String

  /// Returns the token in the file's content, without surrounding white space.
  func token(in bytes: [UInt8]?, at now: Double) throws(Failure) -> AccessToken {
    guard let bytes else { throw failure("there is no such file") }
    do throws(WireError) {
      return AccessToken(try SubjectTokenFormat.checked(bytes), refreshTime: now + Self.rereadInterval)
    } catch {
      throw failure(error.description)
    }
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
