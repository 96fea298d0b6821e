package import FirestoreModels
package import Platform
import Synchronization

/// The few calls on file descriptors that files are read and written with; each either does all that it was asked
/// or gives the error number.
package enum SystemCall {
  /// What the system says about an error number: "No space left on device".
  package static func text(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
        return "error \(code)"
      }
      return String(cString: base)
    }
  }

  /// Opens a file; a signal in between does not fail it.
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

  /// Opens a file to be read.
  ///
  /// What is no regular file is opened without waiting for whoever is to write to it; it is read with
  /// ``readUnlessStopped(_:into:)``, which waits.
  package static func openToRead(_ path: String) -> (descriptor: Int32, mayWait: Bool, error: Int32) {
    let mayWait = !(status(path).status?.isRegularFile ?? true)
    let (descriptor, error) = open(path, O_RDONLY | (mayWait ? O_NONBLOCK : 0))
    return (descriptor, mayWait, error)
  }

  /// Opens a pipe or a device to be written to, once somebody reads it.
  ///
  /// - Returns: A descriptor, or the error number; neither where a signal has asked the process to stop.
  package static func openToWrite(_ path: String) -> (descriptor: Int32, error: Int32, isStopped: Bool) {
    while true {
      let (descriptor, error) = open(path, O_WRONLY | O_NONBLOCK)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return (descriptor, 0, false)
      }
      // A FIFO that nobody reads, which cannot be waited for in another way without being stuck in it.
      guard error == ENXIO, status(path).status?.isPipe ?? false else { return (-1, error, false) }
      if !StopSignal.wait(for: -1, milliseconds: 50) { return (-1, 0, true) }
    }
  }

  /// Whether a read of a descriptor, or a write to it, may wait for another program or a person.
  package static func mayWait(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && !status.isRegularFile
  }

  /// Reads what is there, at most the buffer's size, and waits for it no longer than until a signal asks the process to
  /// stop; 0 bytes at the end.
  package static func readUnlessStopped(
    _ descriptor: Int32,
    into buffer: UnsafeMutableRawBufferPointer
  ) -> (count: Int, error: Int32, isStopped: Bool) {
    while StopSignal.wait(for: descriptor) {
      let count = Platform.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return (count, 0, false) }
      if errno != EAGAIN, errno != EINTR { return (0, errno, false) }
    }
    return (0, 0, true)
  }

  /// Whether somebody who takes nothing was waited for in vain since a signal came.
  private static let isPatienceSpent = Atomic<Bool>(false)

  /// Writes all the bytes to a pipe, a terminal or a device, as ``write(_:_:)`` does; once a signal has asked the process to
  /// stop, it waits half a second at the most for somebody to take them.
  package static func writeUnlessStopped(
    _ descriptor: Int32,
    _ bytes: UnsafeRawBufferPointer
  ) -> (error: Int32, isStopped: Bool) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if !StopSignal.wait(for: descriptor, toWrite: true) {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let patience: Int32 = isPatienceSpent.load(ordering: .relaxed) ? 0 : 500
        if poll(&wait, 1, patience) == 0 {
          isPatienceSpent.store(true, ordering: .relaxed)
          return (0, true)
        }
      }
      // So much is taken without waiting where anything is.
      let piece = rest.prefix(Int(PIPE_BUF))
      let error = write(descriptor, UnsafeRawBufferPointer(rebasing: piece))
      if error != 0 { return (error, false) }
      rest = rest.dropFirst(piece.count)
    }
    return (0, false)
  }

  /// Writes all the bytes, through short writes and interruptions: 0, or the error number.
  package static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard var base = bytes.baseAddress else { return 0 }
    var left = bytes.count
    while left > 0 {
      let count = Platform.write(descriptor, base, left)
      if count < 0 {
        switch errno {
        case EINTR: continue
        case EAGAIN:
          // A pipe or terminal that somebody made non-blocking: wait until it takes more.
          var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&wait, 1, -1)
          continue
        default: return errno
        }
      }
      base += count
      left -= count
    }
    return 0
  }

  /// Reads what is there, at most the buffer's size; 0 bytes at the end.
  package static func read(
    _ descriptor: Int32,
    into buffer: UnsafeMutableRawBufferPointer
  ) -> (count: Int, error: Int32) {
    while true {
      let count = Platform.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return (count, 0) }
      if errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&wait, 1, -1)
      } else if errno != EINTR {
        return (0, errno)
      }
    }
  }

  /// Brings a file to the disk.
  ///
  /// What has no disk behind it (a pipe, a device) is as far as it can be.
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

  /// Cuts a file off at a length, as far as the system can.
  package static func truncate(_ descriptor: Int32, to length: off_t) {
    while ftruncate(descriptor, length) != 0, errno == EINTR {}
  }

  /// Brings a folder's entries to the disk, as far as its file system can.
  package static func synchronizeFolder(_ path: String) {
    let (descriptor, _) = open(path, O_RDONLY | O_DIRECTORY)
    if descriptor < 0 { return }
    _ = synchronize(descriptor)
    close(descriptor)
  }

  /// What a path leads to, nil with the error number where nothing does.
  package static func status(_ path: String) -> (status: stat?, error: Int32) {
    var status = stat()
    return stat(path, &status) == 0 ? (status, 0) : (nil, errno)
  }

  /// As ``status(_:)``, of a symbolic link itself.
  package static func linkStatus(_ path: String) -> (status: stat?, error: Int32) {
    var status = stat()
    return lstat(path, &status) == 0 ? (status, 0) : (nil, errno)
  }

  /// Makes a pipe that nobody reads an error of the write and no death of the process.
  package static let ignoringBrokenPipes: Void = {
    signal(SIGPIPE, SIG_IGN)
  }()
}

extension stat {
  package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
  var isPipe: Bool { st_mode & S_IFMT == S_IFIFO }
}

extension Failure {
  /// A file that cannot be written: which, and what the system says.
  package static func cannotWrite(_ path: String, _ cause: String, remedy: String? = nil) -> Failure {
    Failure(.cannotWrite, "write", path: path, cause: cause, remedy: remedy)
  }

  /// A file that cannot be written because of a system error.
  package static func cannotWrite(_ path: String, errno code: Int32) -> Failure {
    let remedy: String? =
      switch code {
      case ENOSPC, EDQUOT: "Free some room, or write elsewhere."
      case EACCES, EPERM, EROFS: "Choose a folder that you may write to."
      case ENOENT: "Make the folder first."
      default: nil
      }
    let cause =
      switch code {
      case EPIPE: "the program that reads it has ended"
      case EBADF: "it is closed"
      default: SystemCall.text(code)
      }
    return Failure(.cannotWrite, "write", path: path, cause: cause, remedy: remedy)
  }

  /// A file that cannot be read because of a system error.
  package static func cannotRead(_ path: String, errno code: Int32) -> Failure {
    let cause = code == EBADF ? "it is closed" : SystemCall.text(code)
    return Failure(.inputMissing, "read", path: path, cause: cause)
  }

  /// A file that a signal kept from being read or written.
  package static func stopped(_ operation: String, _ path: String) -> Failure {
    Failure(.interrupted, operation, path: path, cause: "it was stopped")
  }
}
