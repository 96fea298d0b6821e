import Models

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The few calls on file descriptors that files are read and written with; each either does all that it was asked
/// or gives the error number.
enum SystemCall {
  /// What the system says about an error number: "No space left on device".
  static func text(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
        return "error \(code)"
      }
      return String(cString: base)
    }
  }

  /// Opens a file; a signal in between does not fail it.
  static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) -> (descriptor: Int32, error: Int32)
  {
    while true {
      #if canImport(Glibc)
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, mode)
      #else
        let descriptor = Darwin.open(path, flags | O_CLOEXEC, mode)
      #endif
      if descriptor >= 0 { return (descriptor, 0) }
      if errno != EINTR { return (-1, errno) }
    }
  }

  /// Writes all the bytes, through short writes and interruptions: 0, or the error number.
  static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard var base = bytes.baseAddress else { return 0 }
    var left = bytes.count
    while left > 0 {
      #if canImport(Glibc)
        let count = Glibc.write(descriptor, base, left)
      #else
        let count = Darwin.write(descriptor, base, left)
      #endif
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
  static func read(
    _ descriptor: Int32,
    into buffer: UnsafeMutableRawBufferPointer
  ) -> (count: Int, error: Int32) {
    while true {
      #if canImport(Glibc)
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #else
        let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
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
  static func synchronize(_ descriptor: Int32) -> Int32 {
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
  static func truncate(_ descriptor: Int32, to length: off_t) {
    while ftruncate(descriptor, length) != 0, errno == EINTR {}
  }

  /// Brings a folder's entries to the disk, as far as its file system can.
  static func synchronizeFolder(_ path: String) {
    let (descriptor, _) = open(path, O_RDONLY | O_DIRECTORY)
    if descriptor < 0 { return }
    _ = synchronize(descriptor)
    close(descriptor)
  }

  /// What a path leads to, nil with the error number where nothing does.
  static func status(_ path: String) -> (status: stat?, error: Int32) {
    var status = stat()
    return stat(path, &status) == 0 ? (status, 0) : (nil, errno)
  }

  /// As ``status(_:)``, of a symbolic link itself.
  static func linkStatus(_ path: String) -> (status: stat?, error: Int32) {
    var status = stat()
    return lstat(path, &status) == 0 ? (status, 0) : (nil, errno)
  }

  /// Makes a pipe that nobody reads an error of the write and no death of the process.
  static let ignoringBrokenPipes: Void = {
    signal(SIGPIPE, SIG_IGN)
  }()
}

extension stat {
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}

extension Failure {
  /// A file that cannot be written: which, and what the system says.
  static func cannotWrite(_ path: String, _ cause: String, remedy: String? = nil) -> Failure {
    Failure(.cannotWrite, "write", path: path, cause: cause, remedy: remedy)
  }

  /// A file that cannot be written because of a system error.
  static func cannotWrite(_ path: String, errno code: Int32) -> Failure {
    let remedy: String? =
      switch code {
      case ENOSPC, EDQUOT: "Free some room, or write elsewhere."
      case EACCES, EPERM, EROFS: "Choose a folder that you may write to."
      case ENOENT: "Make the folder first."
      default: nil
      }
    let cause = code == EPIPE ? "the program that reads it has ended" : SystemCall.text(code)
    return Failure(.cannotWrite, "write", path: path, cause: cause, remedy: remedy)
  }
}
