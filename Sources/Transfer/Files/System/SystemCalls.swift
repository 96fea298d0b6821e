package import Platform
import Synchronization

/// The system calls for reading and writing files.
///
/// Each one does everything that was requested, or returns the error number.
package enum SystemCall {
  /// Returns the system's message for an error number, such as "No space left on device".
  package static func text(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
        return "error \(code)"
      }
      return String(cString: base)
    }
  }

  /// Opens a file; retries after signals.
  package static func open(
    _ path: String,
    _ flags: Int32,
    mode: mode_t = 0o600
  ) -> (descriptor: Int32, error: Int32) {
    while true {
      let descriptor = Platform.open(path, flags | O_CLOEXEC, mode)
      if descriptor >= 0 { return (descriptor, 0) }
      if errno != EINTR { return (-1, errno) }
    }
  }

  /// Opens a file for reading.
  ///
  /// Anything but a regular file is opened without blocking; ``readUnlessStopped(_:into:within:)`` waits for its data.
  package static func openToRead(_ path: String) -> (descriptor: Int32, mayWait: Bool, error: Int32) {
    let mayWait = !(status(path).status?.isRegularFile ?? true)
    let (descriptor, error) = open(path, O_RDONLY | (mayWait ? O_NONBLOCK : 0))
    return (descriptor, mayWait, error)
  }

  /// Opens a pipe or a device for writing, after it has a reader.
  ///
  /// - Returns: The descriptor or the error number; neither if the process was asked to stop.
  package static func openToWrite(_ path: String) -> (descriptor: Int32, error: Int32, isStopped: Bool) {
    while true {
      let (descriptor, error) = open(path, O_WRONLY | O_NONBLOCK)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return (descriptor, 0, false)
      }
      // A FIFO without a reader; opening it in blocking mode could not be interrupted.
      guard error == ENXIO, status(path).status?.isPipe ?? false else { return (-1, error, false) }
      if !StopSignal.wait(for: -1, milliseconds: 50) { return (-1, 0, true) }
    }
  }

  /// Whether reading or writing a descriptor may block on another program or a person.
  package static func mayWait(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && !status.isRegularFile
  }

  /// Reads available bytes, at most the size of the buffer; the count is 0 at the end.
  ///
  /// It waits until data arrives or the process is asked to stop.
  ///
  /// - Parameter milliseconds: How long to wait before returning `ETIMEDOUT`; -1 for forever.
  package static func readUnlessStopped(
    _ descriptor: Int32,
    into buffer: UnsafeMutableRawBufferPointer,
    within milliseconds: Int32 = -1
  ) -> (count: Int, error: Int32, isStopped: Bool) {
    while StopSignal.wait(for: descriptor, milliseconds: milliseconds) {
      // A pipe that nobody has opened for writing would look like one at its end.
      if milliseconds >= 0, poll(descriptor, POLLIN, milliseconds: 0) == 0 { return (0, ETIMEDOUT, false) }
      let count = Platform.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return (count, 0, false) }
      if errno != EAGAIN, errno != EINTR { return (0, errno, false) }
    }
    return (0, 0, true)
  }

  /// Whether a reader consumed nothing during the grace period after a stop request.
  private static let isPatienceSpent = Atomic<Bool>(false)

  /// Writes all bytes to a pipe, terminal or device, like ``write(_:_:)``.
  ///
  /// After a stop request, it waits at most half a second for the reader.
  package static func writeUnlessStopped(
    _ descriptor: Int32,
    _ bytes: UnsafeRawBufferPointer
  ) -> (error: Int32, isStopped: Bool) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if !StopSignal.wait(for: descriptor, toWrite: true) {
        let patience: Int32 = isPatienceSpent.load(ordering: .relaxed) ? 0 : 500
        if poll(descriptor, POLLOUT, milliseconds: patience) == 0 {
          isPatienceSpent.store(true, ordering: .relaxed)
          return (0, true)
        }
      }
      // A ready pipe accepts this many bytes without blocking.
      let piece = rest.prefix(Int(PIPE_BUF))
      let error = write(descriptor, UnsafeRawBufferPointer(rebasing: piece))
      if error != 0 { return (error, false) }
      rest = rest.dropFirst(piece.count)
    }
    return (0, false)
  }

  /// Writes all bytes despite short writes and signals; returns 0 or the error number.
  package static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard var base = bytes.baseAddress else { return 0 }
    var left = bytes.count
    while left > 0 {
      let count = Platform.write(descriptor, base, left)
      if count < 0 {
        switch errno {
        case EINTR: continue
        case EAGAIN:
          // Somebody made the pipe or terminal non-blocking, so wait until it accepts more.
          _ = poll(descriptor, POLLOUT)
          continue
        default: return errno
        }
      }
      base += count
      left -= count
    }
    return 0
  }

  /// Reads available bytes, at most the size of the buffer; the count is 0 at the end.
  package static func read(
    _ descriptor: Int32,
    into buffer: UnsafeMutableRawBufferPointer
  ) -> (count: Int, error: Int32) {
    while true {
      let count = Platform.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return (count, 0) }
      if errno == EAGAIN {
        _ = poll(descriptor, POLLIN)
      } else if errno != EINTR {
        return (0, errno)
      }
    }
  }

  /// Waits until a descriptor is ready; returns 0 if that takes too long.
  private static func poll(_ descriptor: Int32, _ events: Int32, milliseconds: Int32 = -1) -> Int32 {
    var wait = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return Platform.poll(&wait, 1, milliseconds)
  }

  /// Flushes a file to disk and returns 0 or the error number.
  ///
  /// Pipes and devices, which have no disk, are ignored.
  package static func synchronize(_ descriptor: Int32) -> Int32 {
    while fsync(descriptor) != 0 {
      switch errno {
      case EINTR: continue
      case EINVAL, EROFS, ENOTSUP: return 0
      default: return errno
      }
    }
    return 0
  }

  /// Truncates a file, as far as the system allows.
  package static func truncate(_ descriptor: Int32, to length: off_t) {
    while ftruncate(descriptor, length) != 0, errno == EINTR {}
  }

  /// Flushes the entries of a folder to disk, as far as the file system allows.
  package static func synchronizeFolder(_ path: String) {
    let (descriptor, _) = open(path, O_RDONLY | O_DIRECTORY)
    if descriptor < 0 { return }
    _ = synchronize(descriptor)
    close(descriptor)
  }

  /// Returns the status of the file that a path resolves to, or nil and the error number.
  package static func status(_ path: String) -> (status: stat?, error: Int32) {
    var status = stat()
    return stat(path, &status) == 0 ? (status, 0) : (nil, errno)
  }

  /// Does the same as ``status(_:)``, but for a symbolic link itself.
  package static func linkStatus(_ path: String) -> (status: stat?, error: Int32) {
    var status = stat()
    return lstat(path, &status) == 0 ? (status, 0) : (nil, errno)
  }

  /// The name of this machine; nil if it has none.
  package static var hostName: String? {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return nil }
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return host.isEmpty ? nil : host
  }

  /// Makes writing to a pipe without a reader an error instead of a fatal signal.
  package static let ignoringBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()
}

extension stat {
  package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
  var isPipe: Bool { st_mode & S_IFMT == S_IFIFO }
  /// The time at which the content was changed; nil if it is outside the range of timestamps.
  package var modified: Timestamp? {
    Timestamp(seconds: Int64(st_mtim.tv_sec), nanoseconds: Int32(st_mtim.tv_nsec))
  }
  /// The time at which the content or the attributes were changed.
  package var changed: Timestamp? {
    Timestamp(seconds: Int64(st_ctim.tv_sec), nanoseconds: Int32(st_ctim.tv_nsec))
  }
}

extension Failure {
  /// Returns the failure for a file that cannot be written, with the cause.
  package static func cannotWrite(_ path: String, _ cause: String, remedy: String? = nil) -> Failure {
    Failure(.cannotWrite, "write", path: path, cause: cause, remedy: remedy)
  }

  /// Returns the failure for a file that cannot be written, with a system error.
  package static func cannotWrite(_ path: String, errno code: Int32) -> Failure {
    let remedy: String? =
      switch code {
      case ENOSPC, EDQUOT: "Free some disk space, or write elsewhere."
      case EACCES, EPERM, EROFS: "Choose a folder that you may write to."
      case ENOENT: "Create the folder first."
      default: nil
      }
    let cause =
      switch code {
      case EPIPE: "the program that reads it has ended"
      case EBADF: "it is closed"
      default: SystemCall.text(code)
      }
    return cannotWrite(path, cause, remedy: remedy)
  }

  /// Returns the failure for a file that cannot be read, with a system error.
  package static func cannotRead(_ path: String, errno code: Int32) -> Failure {
    let cause = code == EBADF ? "it is closed" : SystemCall.text(code)
    return Failure(.inputMissing, "read", path: path, cause: cause)
  }

  /// Returns the failure for a file whose content is malformed.
  package static func malformed(_ path: String, _ cause: String, remedy: String? = nil) -> Failure {
    Failure(.inputMalformed, "read", path: path, cause: cause, remedy: remedy)
  }

  /// Returns the failure for a read or write that was interrupted by a signal.
  package static func stopped(_ operation: String, _ path: String) -> Failure {
    Failure(.interrupted, operation, path: path, cause: "it was stopped")
  }
}
