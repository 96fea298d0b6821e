/// The words that the process was started with.
enum ProcessArguments {
  /// Refuses to begin where the words cannot be read.
  ///
  /// On Linux, Swift reads them from `/proc`. Where that is not mounted there are none, not even the program's own name, and
  /// any command would print the overview and end in 0.
  ///
  /// - Throws: ``Failure`` `.configuration` where there are none.
  static func assertReadable(_ words: [String] = CommandLine.arguments) throws(Failure) {
    guard words.isEmpty else { return }
    throw Failure(
      .configuration,
      "read",
      path: "/proc/self/cmdline",
      cause: "without it, the arguments of the command line are unknown",
      remedy: "Mount /proc: 'mount -t proc proc /proc'; in a chroot or a container, too."
    )
  }
}
