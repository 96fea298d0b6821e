/// The command line that the process was started with.
enum ProcessArguments {
  /// Refuses to begin if the command line cannot be read.
  ///
  /// On Linux, Swift reads it from `/proc`. If that is not mounted, there are no words, not even the program's own name, and any
  /// command would print the overview and end with 0.
  ///
  /// - Throws: ``Failure`` `.configuration` if there are no words.
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

  /// Refuses an empty word, before anything is read or written under a name that nobody gave.
  ///
  /// It usually comes from an unset shell variable. `--confirm` compares its value, and an empty `--null` or `--null-text` is a
  /// valid text.
  ///
  /// - Throws: ``Failure`` `.usage` that names the preceding word.
  static func assertGiven(_ words: [String]) throws(Failure) {
    let takers = ["--confirm", "--null", "--null-text"]
    for (index, word) in words.enumerated() where word.isEmpty {
      let before = index > 0 ? words[index - 1] : ""
      if takers.contains(before) { continue }
      throw Failure(
        .usage,
        "use",
        path: before.hasPrefix("-") ? before : "an argument",
        cause: "it is empty",
        remedy: "Give a value, or leave it out. A variable of the shell that is not set leaves an empty one."
      )
    }
  }
}
