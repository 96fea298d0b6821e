import Platform

/// Standard output: the result of a command.
package enum StandardOutput {
  /// Its name in failures.
  package static let name = "standard output"

  private static let broken = Locked(false)

  /// Whether the program that reads it has ended, as `head` does once it has enough.
  package static var isBroken: Bool { broken.withLock { $0 } }

  /// The failure of a write to it.
  static func failure(errno code: Int32) -> Failure {
    if code == EPIPE { broken.withLock { $0 = true } }
    return Failure.cannotWrite(name, errno: code)
  }

  /// Writes text for display, without secrets.
  ///
  /// - Throws: `.cannotWrite`.
  package static func write(_ text: TerminalText) throws(Failure) {
    try write(data: Array(Secrets.redacted(text.description).utf8))
  }

  /// Writes JSON about a run, without secrets.
  ///
  /// - Throws: `.cannotWrite`.
  package static func write(json: [UInt8]) throws(Failure) {
    try write(data: Secrets.redacted(json))
  }

  /// Writes data for programs, unchanged.
  ///
  /// - Throws: `.cannotWrite`.
  package static func write(data bytes: [UInt8]) throws(Failure) {
    let (error, isStopped) = bytes.withUnsafeBytes { bytes in
      SystemCall.mayWait(1) ? SystemCall.writeUnlessStopped(1, bytes) : (SystemCall.write(1, bytes), false)
    }
    if isStopped { throw Failure.stopped("write", name) }
    if error != 0 { throw failure(errno: error) }
  }
}
