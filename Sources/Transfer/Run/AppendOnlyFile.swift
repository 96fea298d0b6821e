public import Models
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that lines are appended to, each whole or not at all as far as the system keeps single writes whole.
public final class AppendOnlyFile: Sendable {
  /// Where it is.
  public let path: String
  private let descriptor: Mutex<Int32>

  /// Opens or makes the file.
  ///
  /// - Throws: `.cannotWrite`.
  public init(_ path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw Self.failure(path) }
    self.path = path
    self.descriptor = Mutex(descriptor)
  }

  deinit {
    _ = descriptor.withLock { close($0) }
  }

  /// Appends bytes.
  ///
  /// - Throws: `.cannotWrite`.
  public func append(_ bytes: [UInt8]) throws(Failure) {
    let written = descriptor.withLock { descriptor in
      bytes.withUnsafeBytes { buffer in
        var done = 0
        while done < buffer.count {
          let count = write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
          if count < 0 {
            if errno == EINTR { continue }
            return false
          }
          done += count
        }
        return true
      }
    }
    if !written { throw Self.failure(path) }
  }

  /// Whether nothing has been written to it yet, by anybody.
  var isEmpty: Bool { descriptor.withLock { lseek($0, 0, SEEK_END) } == 0 }

  /// Waits until everything appended is on the disk.
  ///
  /// - Throws: `.cannotWrite`.
  public func sync() throws(Failure) {
    if descriptor.withLock({ fsync($0) }) != 0 { throw Self.failure(path) }
  }

  private static func failure(_ path: String) -> Failure {
    Failure(.cannotWrite, "write", path: path, cause: String(cString: strerror(errno)))
  }
}
