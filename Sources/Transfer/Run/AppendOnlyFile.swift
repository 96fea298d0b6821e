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
  private let synced = Atomic<Int>(0)

  /// Opens or makes the file.
  ///
  /// - Throws: `.cannotWrite`.
  public init(_ path: String) throws(Failure) {
    let (descriptor, error) = SystemCall.open(path, O_WRONLY | O_CREAT | O_APPEND, mode: 0o600)
    if error != 0 { throw Failure.cannotWrite(path, errno: error) }
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
    let error = descriptor.withLock { descriptor in
      bytes.withUnsafeBytes { SystemCall.write(descriptor, $0) }
    }
    if error != 0 { throw Failure.cannotWrite(path, errno: error) }
  }

  /// Bytes that are known to be on the disk.
  var syncedLength: Int { synced.load(ordering: .relaxed) }

  /// Bytes in it.
  public var length: Int { descriptor.withLock { Int(lseek($0, 0, SEEK_END)) } }

  /// Whether nothing has been written to it yet, by anybody.
  var isEmpty: Bool { length == 0 }

  /// Takes the file for this process until it ends; false where another process has it.
  func lock() -> Bool {
    descriptor.withLock { flock($0, LOCK_EX | LOCK_NB) == 0 }
  }

  /// Waits until everything appended is on the disk.
  ///
  /// - Throws: `.cannotWrite`.
  public func sync() throws(Failure) {
    let (error, length) = descriptor.withLock { descriptor in
      (SystemCall.synchronize(descriptor), Int(lseek(descriptor, 0, SEEK_END)))
    }
    if error != 0 { throw Failure.cannotWrite(path, errno: error) }
    synced.store(length, ordering: .relaxed)
  }
}
