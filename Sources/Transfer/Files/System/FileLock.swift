import Platform

/// A lock (`flock`) that processes take by opening a file.
package enum FileLock {
  /// Runs `body` while no other process holds the lock.
  ///
  /// - Parameters:
  ///   - path: A file that is created if missing, and never removed.
  ///   - isRequired: Whether to refuse on a file system without locks.
  /// - Throws: `.cannotWrite`; errors of `body`.
  package static func holding<Result>(
    _ path: String,
    isRequired: Bool,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (descriptor, code) = SystemCall.open(path, O_RDWR | O_CREAT, mode: 0o600)
    if descriptor < 0 { throw Failure.cannotWrite(path, errno: code) }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      if errno == EINTR { continue }
      if isRequired { throw Failure.cannotWrite(path, errno: errno) }
      break
    }
    return try body()
  }
}
