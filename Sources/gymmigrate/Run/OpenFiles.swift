import FirestoreModels
import Platform

/// How many files and connections the process may have open.
enum OpenFiles {
  /// How many a command may need: those of the embedded store, connections at both of their ends, and lists.
  static let needed = 256

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

  /// Raises the limit where it is too low and may be raised.
  ///
  /// A run that meets the limit before its end only sees that no connection can be made, and takes it for the network.
  ///
  /// - Throws: ``Failure`` `.configuration` where it stays too low.
  static func assertEnough() throws(Failure) {
    var limit = rlimit()
    guard getrlimit(SystemConstant.openFiles, &limit) == 0, limit.rlim_cur < rlim_t(needed) else { return }
    if limit.rlim_max >= rlim_t(needed) {
      var raised = limit
      raised.rlim_cur = rlim_t(needed)
      if setrlimit(SystemConstant.openFiles, &raised) == 0 { return }
    }
    throw Failure(
      .configuration,
      "begin",
      cause: "the process may open \(limit.rlim_cur) files, and may need \(needed)",
      remedy: "Raise the limit: 'ulimit -n \(needed)' in the shell, LimitNOFILE in a systemd unit."
    )
  }
}
