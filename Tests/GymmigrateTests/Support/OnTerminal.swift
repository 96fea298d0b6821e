import Foundation
import TestSupport

extension Tool {
  /// Runs a command on a terminal of its own, on which lines are typed; the output is all that the terminal showed.
  ///
  /// - Parameter text: The command is killed as soon as the terminal shows this.
  func onTerminal(
    _ arguments: [String],
    typing lines: String...,
    killedAt text: String = ""
  ) async throws -> RunResult {
    try await Self.onTerminal([runner.executable] + arguments, typing: lines, killedAt: text, in: folder)
  }

  /// The same of any program.
  static func onTerminal(
    _ command: [String],
    typing lines: [String] = [],
    killedAt text: String = "",
    in folder: URL
  ) async throws -> RunResult {
    // The terminal keeps what is typed until it is read, so it may be typed before it is asked for.
    let script = """
      import os, pty, sys
      child, terminal = pty.fork()
      if child == 0:
          os.execv(sys.argv[3], sys.argv[3:])
      os.write(terminal, sys.argv[1].encode())
      end, shown = sys.argv[2].encode(), b""
      while True:
          try:
              data = os.read(terminal, 65536)
          except OSError:
              break
          if not data:
              break
          sys.stdout.buffer.write(data)
          shown += data if end else b""
          if end and end in shown:
              os.kill(child, 9)
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
      """
    let typed = lines.map { $0 + "\n" }.joined()
    return try await Gate.shared.pass {
      try await Judge.python(["-c", script, typed, text] + command, in: folder)
    }
  }
}
