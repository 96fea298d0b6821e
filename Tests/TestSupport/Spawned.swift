import Glibc
import Synchronization

/// A new process in its own process group, and this side's ends of its three pipes.
struct Spawned {
  let identifier: pid_t
  let input: Int32
  let output: Int32
  let errors: Int32

  init(
    _ executable: String,
    _ arguments: [String],
    _ environment: [String],
    _ directory: String
  ) throws {
    var pipes: [[Int32]] = []
    let (status, identifier) = try descriptorLock.withLock { _ -> (Int32, pid_t) in
      for _ in 0..<3 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw TestServerError("pipe") }
        ends.forEach(setCloseOnExec)
        pipes.append(ends)
      }
      return Self.spawn(executable, arguments, environment, directory, pipes)
    }
    close(pipes[0][0])
    close(pipes[1][1])
    close(pipes[2][1])
    guard status == 0 else {
      close(pipes[0][1])
      close(pipes[1][0])
      close(pipes[2][0])
      throw BinaryRunner.Failure(description: "\(executable): \(String(cString: strerror(status)))")
    }
    self.identifier = identifier
    (input, output, errors) = (pipes[0][1], pipes[1][0], pipes[2][0])
  }

  private typealias ChangeDirectory =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32

  /// posix_spawn_file_actions_addchdir_np, which the C library has and its Swift module does not show.
  private static let changeDirectory = dlsym(nil, "posix_spawn_file_actions_addchdir_np")
    .map { unsafeBitCast($0, to: ChangeDirectory.self) }

  private static func spawn(
    _ executable: String,
    _ arguments: [String],
    _ environment: [String],
    _ directory: String,
    _ pipes: [[Int32]]
  ) -> (status: Int32, identifier: pid_t) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    guard let changeDirectory else { return (ENOSYS, 0) }
    _ = changeDirectory(&actions, directory)
    posix_spawn_file_actions_adddup2(&actions, pipes[0][0], 0)
    posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 1)
    posix_spawn_file_actions_adddup2(&actions, pipes[2][1], 2)

    var attributes = posix_spawnattr_t()
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

    var argumentList = ([executable] + arguments).map { strdup($0) } + [nil]
    var environmentList = environment.map { strdup($0) } + [nil]
    defer { for pointer in argumentList + environmentList { free(pointer) } }
    var identifier: pid_t = 0
    let status = posix_spawn(&identifier, executable, &actions, &attributes, &argumentList, &environmentList)
    return (status, identifier)
  }
}
