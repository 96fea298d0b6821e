import Glibc
import Platform
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
    guard let changeDirectory else { return (ENOSYS, 0) }
    let (identifier, status) = ChildProcess.spawn([executable] + arguments, environment: environment) {
      actions in
      _ = changeDirectory(&actions, directory)
      for descriptor in 0...2 {
        posix_spawn_file_actions_adddup2(
          &actions,
          pipes[descriptor][descriptor == 0 ? 0 : 1],
          Int32(descriptor)
        )
      }
    }
    return (status, identifier)
  }
}
