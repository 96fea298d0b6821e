import Files
import Platform

/// A token of the embedded store, which is chosen by whoever runs the store; it never expires.
///
/// Printing it never reveals it.
package struct BearerToken: Sendable, Equatable {
  /// The maximum size of a token file, in bytes.
  static let maximumFileBytes = 4096

  let secret: Secret

  /// The text, which may only go to the store that checks it.
  package var revealed: String { secret.revealed }

  /// Returns a new random token of 256 bits.
  package static func random() -> BearerToken {
    var generator = SystemRandomNumberGenerator()
    return BearerToken(
      Secret(Base64.urlSafe((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    )
  }

  private init(_ secret: Secret) { self.secret = secret }

  /// Reads the token in a file, without surrounding white space.
  ///
  /// - Throws: `.configuration` if the file does not exist, if users other than its owner may access it, or
  ///   if it does not contain exactly one token.
  package init(
    file path: String,
    of what: String = "token",
    remedy make: String = "Write a long random text to it, and run 'chmod 600' on it."
  ) throws(Failure) {
    func failure(_ cause: String, _ remedy: String) -> Failure {
      Failure(.configuration, "read the \(what)", path: path, cause: cause, remedy: remedy)
    }
    let (descriptor, error) = SystemCall.open(path, O_RDONLY | O_NONBLOCK)
    if descriptor < 0 { throw failure(SystemCall.text(error), make) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.isRegularFile else {
      throw failure("it is not a regular file", make)
    }
    if status.st_mode & 0o077 != 0 {
      throw failure("users other than its owner may read or change it", "Run 'chmod 600' on it.")
    }
    var bytes = [UInt8](repeating: 0, count: Self.maximumFileBytes + 1)
    var count = 0
    while count < bytes.count {
      let (more, error) = bytes.withUnsafeMutableBytes {
        SystemCall.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
      }
      if error != 0 { throw failure(SystemCall.text(error), make) }
      if more == 0 { break }
      count += more
    }
    guard count <= Self.maximumFileBytes, let secret = try? SubjectTokenFormat.checked(Array(bytes[..<count]))
    else { throw failure("it does not contain exactly one \(what)", make) }
    self.secret = secret
  }
}
