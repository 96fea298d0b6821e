/// Runs another program and collects its output.
package enum ChildProcess {
  /// The result of a program that has ended.
  package struct Output: Sendable {
    /// The bytes written to its standard output.
    package var bytes: [UInt8]
    /// Its exit status; nil if a signal ended it.
    package var status: Int32?
  }

  /// Why there is no output.
  package enum Problem: Error, Sendable, Equatable {
    /// It cannot be started, with the system's error number.
    case cannotStart(Int32)
    case timedOut
    case tooMuchOutput
    case cancelled
  }

  /// How long to wait for output before checking whether the program has ended, in milliseconds.
  private static let interval: Int32 = 20

  /// Runs a program and blocks until it has ended.
  ///
  /// Its standard input is empty, and its standard error is discarded. It leads its own process group, which is killed with it.
  ///
  /// - Parameters:
  ///   - words: The program, looked up in `PATH` if it has no slash, and its arguments.
  ///   - environment: All of its environment variables.
  ///   - timeout: The seconds after which it is killed.
  ///   - maximumBytes: The amount of output beyond which it is killed.
  ///   - isCancelled: Called every few milliseconds.
  package static func run(
    _ words: [String],
    environment: [String: String],
    timeout: Double,
    maximumBytes: Int,
    isCancelled: () -> Bool
  ) throws(Problem) -> Output {
    let end = ContinuousClock.now + .seconds(timeout)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .cannotStart(errno) }
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    let (child, error) = spawn(words, environment: environment.map { "\($0.key)=\($0.value)" }) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    }
    close(ends[1])
    defer { close(ends[0]) }
    if error != 0 { throw .cannotStart(error) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    var output = Output(bytes: [], status: nil)
    var isOpen = true
    while true {
      // Everything it wrote before its end is in the pipe by now.
      var status: Int32 = 0
      let ended = waitpid(child, &status, WNOHANG)
      // If the system reaps children automatically, the status is lost, and the output has to suffice.
      let hasEnded = ended == child || (ended < 0 && errno == ECHILD)
      var problem: Problem?
      if isOpen { isOpen = drain(ends[0], into: &output.bytes, maximumBytes: maximumBytes) }
      if output.bytes.count > maximumBytes {
        problem = .tooMuchOutput
      } else if !hasEnded, ContinuousClock.now >= end {
        problem = .timedOut
      } else if !hasEnded, isCancelled() {
        problem = .cancelled
      }
      if hasEnded {
        if let problem { throw problem }
        // The low seven bits are the signal that ended it, if any.
        output.status = status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
        return output
      }
      if let problem {
        kill(-child, SIGKILL)
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        throw problem
      }
      var wait = pollfd(fd: isOpen ? ends[0] : -1, events: Int16(POLLIN), revents: 0)
      _ = poll(&wait, 1, interval)
    }
  }

  /// Reads the available output; returns false at the end.
  private static func drain(_ descriptor: Int32, into bytes: inout [UInt8], maximumBytes: Int) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count <= maximumBytes {
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return false }
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      bytes.append(contentsOf: chunk[..<count])
    }
    return true
  }

  // MARK: Starting

  #if canImport(Darwin)
    package typealias FileActions = posix_spawn_file_actions_t?
  #else
    package typealias FileActions = posix_spawn_file_actions_t
  #endif

  /// Starts a program as the leader of a process group, with default signal handling regardless of this process's own.
  ///
  /// - Parameters:
  ///   - words: The program, looked up in `PATH` if it has no slash, and its arguments.
  ///   - environment: All of its environment variables, as `NAME=VALUE`.
  ///   - prepare: Adds actions for its descriptors and its folder.
  /// - Returns: The process ID, and 0 or the system's error number.
  package static func spawn(
    _ words: [String],
    environment: [String],
    _ prepare: (inout FileActions) -> Void
  ) -> (child: pid_t, error: Int32) {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    prepare(&actions)
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var wordList = words.map { strdup($0) } + [nil]
    var variableList = environment.map { strdup($0) } + [nil]
    defer { for pointer in wordList + variableList { free(pointer) } }
    guard let program = words.first else { return (0, ENOENT) }
    var child: pid_t = 0
    let error = posix_spawnp(&child, program, &actions, &attributes, &wordList, &variableList)
    return (child, error)
  }
}
