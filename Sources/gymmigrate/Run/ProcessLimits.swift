import Platform

/// The system's limits for the process: open files, threads, and address space.
///
/// A run that reaches a limit later would only see failing connections and mistake them for network errors, or be killed by the
/// system.
enum ProcessLimits {
  /// The number of open files that a command may need: for the embedded store, both ends of connections, and lists.
  private static let files = 256
  /// The number of concurrent threads, of which each connection to the embedded store takes one.
  private static let threads = 32
  /// The address space in bytes; each thread takes 8 MiB for its stack and up to 64 MiB for its heap.
  private static let addressSpace: rlim_t = 1 << 30

  /// Opens something for each closed standard descriptor, before anything else is opened that would take its number and receive
  /// what is printed to it.
  ///
  /// Input and output are opened in the opposite direction, so that using them fails as if they were closed; messages to standard
  /// error may be lost.
  static func assertStandardDescriptors() {
    for (descriptor, flags) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
    ]
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      _ = open("/dev/null", flags)
    }
  }

  /// Checks every limit, and raises that of open files if it is too low.
  ///
  /// - Throws: ``Failure`` `.configuration` if one stays too low.
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
