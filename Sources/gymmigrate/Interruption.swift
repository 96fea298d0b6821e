import Synchronization
import Transfer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// INT and TERM: the first one cancels the command, which finishes the commits in flight and tells how to go on; the
/// second one ends the process at once.
enum Interruption {
  private static let received = Atomic<Int32>(0)

  /// 130 after INT, 143 after TERM.
  static var exitCode: Int32 {
    let signal = received.load(ordering: .relaxed)
    return 128 + (signal == 0 ? SIGINT : signal)
  }

  static var wasReceived: Bool { received.load(ordering: .relaxed) != 0 }

  /// The end of a pipe that the signals' handler writes to.
  private static let alarm = Atomic<Int32>(-1)

  /// Watches from now on.
  ///
  /// Handlers, and not a mask with `sigwait`: the runtime has threads of its own by now, and on Linux its idle main
  /// thread takes every signal.
  static func watch(onFirst cancel: @escaping @Sendable () -> Void) {
    // A reader that goes away is an error of the write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    // So is a file that would be larger than the process may make it.
    signal(SIGXFSZ, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    alarm.store(ends[1], ordering: .relaxed)
    let listening = ends[0]
    BackgroundThread.start {
      var byte: UInt8 = 0
      while read(listening, &byte, 1) < 0, errno == EINTR {}
      Terminal.standardError.line("Stopping: what is in flight is finished first; once more stops at once.")
      cancel()
    }
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        // Nothing here but what POSIX allows in a handler.
        let saved = errno
        let (isFirst, _) = Interruption.received.compareExchange(
          expected: 0,
          desired: number,
          ordering: .relaxed
        )
        if !isFirst { _exit(128 + number) }
        var byte: UInt8 = 0
        _ = write(Interruption.alarm.load(ordering: .relaxed), &byte, 1)
        errno = saved
      }
    }
  }
}
