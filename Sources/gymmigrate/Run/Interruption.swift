import Platform
import Synchronization

/// Handles INT, TERM and HUP: the first signal cancels the command, which completes the commits in flight and prints the command
/// that resumes; another INT or TERM ends the process at once.
enum Interruption {
  private static let received = Atomic<Int32>(0)

  /// 130 after INT, 143 after TERM, 129 after HUP.
  static var exitCode: Int32 {
    let signal = received.load(ordering: .relaxed)
    return 128 + (signal == 0 ? SIGINT : signal)
  }

  /// The command that resumes the current work if it is stopped at once; nil if nothing could be resumed.
  static let resumeCommand = Locked<String?>(nil)

  static var wasReceived: Bool { received.load(ordering: .relaxed) != 0 }

  /// The end of the pipe that the signal handler writes to.
  private static let alarm = Atomic<Int32>(-1)

  /// Whether SIGPIPE was not ignored when the process began.
  private static let endsByPipe = Atomic<Bool>(false)

  /// Whether a failure means that the reader of standard output has gone, which ends a filter silently.
  static func isBrokenPipe(_ failure: Failure) -> Bool {
    failure.kind == .cannotWrite && StandardOutput.isBroken && endsByPipe.load(ordering: .relaxed)
      && failure.path.map { $0.isIdentical(to: StandardOutput.name) } ?? false
  }

  /// Ends the process as SIGPIPE does by default.
  static func endByBrokenPipe() {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }

  /// Whether a handler returned by `signal` is SIG_IGN, which is a number instead of a function.
  private static func isIgnoring(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
    unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Starts watching for signals.
  ///
  /// It installs handlers rather than a mask with `sigwait`, because the runtime already has its own threads, and on Linux its
  /// idle main thread receives every signal.
  static func watch(onFirst cancel: @escaping @Sendable () -> Void) {
    // A closed reader becomes a write error, so that work in progress is completed before the process ends.
    endsByPipe.store(!isIgnoring(signal(SIGPIPE, SIG_IGN)), ordering: .relaxed)
    // The same goes for a file that would exceed the process's size limit.
    signal(SIGXFSZ, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    alarm.store(ends[1], ordering: .relaxed)
    StopSignal.prepare()
    let listening = ends[0]
    let stop = { @Sendable in
      StopSignal.raise()
      cancel()
    }
    BackgroundThread.start {
      var byte: UInt8 = 0
      while read(listening, &byte, 1) < 0, errno == EINTR {}
      // The message is printed first, because the last line must be the command that resumes; but a blocked terminal must not
      // delay stopping.
      BackgroundThread.start {
        usleep(250_000)
        stop()
      }
      let resume = resumeCommand.withLock { $0 }.map { " To resume after that: \($0)" } ?? ""
      Terminal.standardError.line(
        "Stopping: what is in flight is finished first; once more stops at once.\(resume)"
      )
      stop()
    }
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let before = signal(number) { number in
        // Only what POSIX permits in a signal handler.
        let saved = errno
        let (isFirst, _) = Interruption.received.compareExchange(
          expected: 0,
          desired: number,
          ordering: .relaxed
        )
        // When a session ends, HUP comes from both the shell and the terminal.
        if !isFirst, number != SIGHUP { _exit(128 + number) }
        var byte: UInt8 = 0
        _ = write(Interruption.alarm.load(ordering: .relaxed), &byte, 1)
        errno = saved
      }
      // A program started with nohup is meant to outlive the session.
      if number == SIGHUP, isIgnoring(before) { signal(SIGHUP, SIG_IGN) }
    }
  }
}
