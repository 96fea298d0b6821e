import CLinux
import Platform

/// Sends a growing file to disk while it is written, and then evicts it from memory.
///
/// Otherwise, nothing of a file is sent before `fsync`, which then has to wait for all of it. Also, a large file would take
/// over, page by page, the memory in which the system caches other files; most pages would be newly allocated, which costs
/// more than copying into them. At most two windows wait for the disk.
struct WriteBehind {
  private static let window = 8 << 20

  private let window: Int
  /// The number of bytes that are on disk or being sent there.
  private var sent = 0
  private var isSupported = true

  init(window: Int = WriteBehind.window) { self.window = window }

  /// Records that a regular file, written from its beginning, has `count` bytes.
  ///
  /// - Returns: 0, or the error number of a write that failed on its way to the disk. `fsync` does not report it again.
  mutating func advance(_ descriptor: Int32, to count: Int) -> Int32 {
    #if os(Linux)
      while isSupported, count - sent >= window {
        var code = Self.code { gm_begin_writing(descriptor, Int64(sent), Int64(window)) }
        if code == 0, sent >= window {
          let last = sent - window
          code = Self.code { gm_finish_writing(descriptor, Int64(last), Int64(window)) }
          if code == 0 { _ = posix_fadvise(descriptor, off_t(last), off_t(window), POSIX_FADV_DONTNEED) }
        }
        switch code {
        case 0: sent += window
        // This file system or sandbox does not support it.
        case ENOSYS, EINVAL, ESPIPE, EPERM, ENOTSUP: isSupported = false
        default: return code
        }
      }
    #endif
    return 0
  }

  private static func code(_ call: () -> Int32) -> Int32 {
    while call() != 0 {
      if errno != EINTR { return errno }
    }
    return 0
  }
}
