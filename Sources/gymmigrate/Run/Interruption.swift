import Platform
import Synchronization

/// INT, TERM and HUP: the first one cancels the command, which finishes the commits in flight and prints the command that resumes;
/// another INT or TERM ends the process at once.
enum Interruption {
  private static let received = Atomic<Int32>(0)

  /// 130 after INT, 143 after TERM, 129 after HUP.
  static var exitCode: Int32 {
    let signal = received.load(ordering: .relaxed)
    return 128 + (signal == 0 ? SIGINT : signal)
  }

  /// The command that resumes what is at work, for one that is stopped at once; nil where nothing could be resumed.
  static let resumeCommand = Locked<String?>(nil)

  static var wasReceived: Bool { received.load(ordering: .relaxed) != 0 }

  /// The end of a pipe that the signals' handler writes to.
  private static let alarm = Atomic<Int32>(-1)

  /// Whether nobody had ignored SIGPIPE when the process began.
  private static let endsByPipe = Atomic<Bool>(false)

  /// Whether a failure is that the reader of standard output has ended, which ends a filter without a word.
  static func isBrokenPipe(_ failure: Failure) -> Bool {
    failure.kind == .cannotWrite && StandardOutput.isBroken && endsByPipe.load(ordering: .relaxed)
      && failure.path.map { $0.isIdentical(to: StandardOutput.name) } ?? false
  }

  /// Ends the process as SIGPIPE does by itself.
  static func endByBrokenPipe() {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }

  /// Whether what `signal` returned is SIG_IGN, which is a number instead of a function.
  private static func isIgnoring(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
    unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Watches from now on.
  ///
  /// Handlers, and not a mask with `sigwait`: the runtime has threads of its own by now, and on Linux its idle main
  /// thread takes every signal.
  static func watch(onFirst cancel: @escaping @Sendable () -> Void) {
    // A reader that goes away is an error of the write, so that what is begun is ended before the process is.
    endsByPipe.store(!isIgnoring(signal(SIGPIPE, SIG_IGN)), ordering: .relaxed)
    // So is a file that would be larger than the process may make it.
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
      // Printed first, because the last line is the command that resumes; but a terminal that takes nothing is not waited for.
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
        // Nothing here but what POSIX allows in a handler.
        let saved = errno
        let (isFirst, _) = Interruption.received.compareExchange(
          expected: 0,
          desired: number,
          ordering: .relaxed
        )
        // Of a session that ends, HUP comes from the shell and from the terminal.
        if !isFirst, number != SIGHUP { _exit(128 + number) }
        var byte: UInt8 = 0
        _ = write(Interruption.alarm.load(ordering: .relaxed), &byte, 1)
        errno = saved
      }
      // A program that is started with nohup is meant to outlive the session.
      if number == SIGHUP, isIgnoring(before) { signal(SIGHUP, SIG_IGN) }
    }
  }
}
