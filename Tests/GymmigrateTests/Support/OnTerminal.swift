import Foundation
import TestSupport

extension Tool {
  /// Runs a command on a terminal of its own, on which lines are typed; the output is all that the terminal showed.
  func onTerminal(_ arguments: [String], typing lines: String...) async throws -> RunResult {
    try await Self.onTerminal([runner.executable] + arguments, typing: lines, in: folder)
  }

  /// The same of any program.
  static func onTerminal(
    _ command: [String],
    typing lines: [String] = [],
    in folder: URL
  ) async throws -> RunResult {
    // The terminal keeps what is typed until it is read, so it may be typed before it is asked for.
    let script = """
      import os, pty, sys
      child, terminal = pty.fork()
      if child == 0:
          os.execv(sys.argv[2], sys.argv[2:])
      os.write(terminal, sys.argv[1].encode())
      while True:
          try:
              data = os.read(terminal, 65536)
          except OSError:
              break
          if not data:
              break
          sys.stdout.buffer.write(data)
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
      """
    let typed = lines.map { $0 + "\n" }.joined()
    return try await Gate.shared.pass {
      try await Judge.python(["-c", script, typed] + command, in: folder)
    }
  }
}
