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

  /// Watches from now on.
  ///
  /// To be called before other threads are started, because they inherit the mask.
  static func watch(onFirst cancel: @escaping @Sendable () -> Void) {
    // A reader that goes away is an error of the write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    BackgroundThread.start {
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGINT)
      sigaddset(&signals, SIGTERM)
      while true {
        var signal: Int32 = 0
        guard sigwait(&signals, &signal) == 0 else { continue }
        if wasReceived { _exit(128 + signal) }
        received.store(signal, ordering: .relaxed)
        Terminal.standardError.line("Stopping: what is in flight is finished first; once more stops at once.")
        cancel()
      }
    }
  }
}
