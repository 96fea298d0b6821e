public import Models

/// Data on standard output.
public enum StandardOutput {
  /// Writes all bytes.
  ///
  /// - Throws: `.cannotWrite`.
  public static func write(_ bytes: [UInt8]) throws(Failure) {
    let error = bytes.withUnsafeBytes { SystemCall.write(1, $0) }
    if error != 0 { throw Failure.cannotWrite("standard output", errno: error) }
  }

  /// Writes a text.
  ///
  /// - Throws: `.cannotWrite`.
  public static func write(_ text: String) throws(Failure) {
    try write(Array(text.utf8))
  }
}
