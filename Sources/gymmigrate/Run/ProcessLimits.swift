import Platform

/// What the system lets the process have: files and connections, threads, address space.
///
/// A run that meets a limit before its end only sees that no connection can be made, and takes it for the network, or is ended by the
/// system.
enum ProcessLimits {
  /// The open files that a command may need: those of the embedded store, connections at both of their ends, and lists.
  private static let files = 256
  /// The threads that may run side by side, of which each connection to the embedded store takes one.
  private static let threads = 32
  /// The address space, of which each thread takes 8 MiB for its stack and up to 64 MiB for its memory; in bytes.
  private static let addressSpace: rlim_t = 1 << 30

  /// Opens something for each of the standard descriptors that is closed; before anything else is opened, which would
  /// take its number, and what is printed with it.
  ///
  /// Input and output are opened for the other direction, so that using them fails as on a closed one; what is said on
  /// standard error may get lost.
  static func assertStandardDescriptors() {
    for (descriptor, flags) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
    ]
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      _ = open("/dev/null", flags)
    }
  }

  /// Checks every limit, and raises that of open files where it is too low and may be raised.
  ///
  /// - Throws: ``Failure`` `.configuration` where one stays too low.
  static func assertEnough() throws(Failure) {
    try assertEnoughFiles()
    try assertEnoughAddressSpace()
    if !BackgroundThread.canRun(threads) {
      throw tooLow(
        "cannot start \(threads) threads",
        "Raise the limit: 'ulimit -u' in the shell, TasksMax in a systemd unit, the pids limit of a container."
      )
    }
  }

  private static func assertEnoughFiles() throws(Failure) {
    var limit = rlimit()
    guard getrlimit(SystemConstant.openFiles, &limit) == 0, limit.rlim_cur < rlim_t(files) else { return }
    if limit.rlim_max >= rlim_t(files) {
      var raised = limit
      raised.rlim_cur = rlim_t(files)
      if setrlimit(SystemConstant.openFiles, &raised) == 0 { return }
    }
    throw tooLow(
      "may open \(limit.rlim_cur) files, and may need \(files)",
      "Raise the limit: 'ulimit -n \(files)' in the shell, LimitNOFILE in a systemd unit."
    )
  }

  private static func assertEnoughAddressSpace() throws(Failure) {
    var limit = rlimit()
    guard getrlimit(SystemConstant.addressSpace, &limit) == 0, limit.rlim_cur < addressSpace else { return }
    throw tooLow(
      "may have \(limit.rlim_cur >> 20) MiB of address space, and may need \(addressSpace >> 20)",
      "Raise the limit: 'ulimit -v \(addressSpace >> 10)' in the shell, LimitAS in a systemd unit; limit the memory itself instead."
    )
  }

  private static func tooLow(_ cause: String, _ remedy: String) -> Failure {
    Failure(.configuration, "begin", cause: "the process \(cause)", remedy: remedy)
  }
}
