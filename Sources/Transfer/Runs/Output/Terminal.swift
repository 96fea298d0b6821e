package import Files
import Platform
import Synchronization

/// Standard error: lines of output and, on a terminal, a status line below them that is overwritten.
///
/// No text can control the terminal (see ``TerminalText``), and no secret of this process is shown (see ``Secrets``).
package final class Terminal: Sendable {
  /// The terminal of this process's standard error.
  package static let standardError = Terminal(descriptor: 2)

  private let descriptor: Int32
  /// Whether it is a terminal that a person may be watching.
  package let isInteractive: Bool
  private let status = Mutex("")
  private let format = Mutex(LogFormat.text)

  /// Creates a terminal from a file descriptor, which is not closed.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
    isInteractive = isatty(descriptor) == 1
  }

  /// Sets the format of all lines from now on.
  package func setFormat(_ format: LogFormat) { self.format.withLock { $0 = format } }

  private var isJSON: Bool { format.withLock { $0 == .json } }

  /// Writes a line above the status line.
  package func line(_ text: String) {
    if isJSON { return line(json: LogLine.json(text)) }
    write(line: TerminalText.escaped(text))
  }

  /// Writes lines of the program itself, keeping their line feeds; as JSON, they are one message.
  package func lines(_ text: TerminalText) {
    if isJSON { return line(json: LogLine.json(text.description)) }
    write(line: text.description)
  }

  /// Writes one line of JSON.
  func line(json: [UInt8]) {
    write(line: String(decoding: TerminalText.escaped(json: json), as: UTF8.self))
  }

  private func write(line: String) {
    status.withLock { status in
      write((status.isEmpty ? "" : "\r\u{1B}[K") + line + "\n" + status)
    }
  }

  /// Replaces the status line, if the terminal is interactive.
  package func setStatus(_ text: String) {
    guard isInteractive else { return }
    status.withLock { status in
      status = String(TerminalText.escaped(text).prefix(columns - 1))
      write("\r\u{1B}[K" + status)
    }
  }

  /// Clears the status line.
  package func clearStatus() {
    status.withLock { status in
      if !status.isEmpty { write("\r\u{1B}[K") }
      status = ""
    }
  }

  private var columns: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private func write(_ text: String) {
    // Output is not data: if nobody reads it, nothing is lost.
    var text = Secrets.redacted(text)
    text.withUTF8 { _ = SystemCall.writeUnlessStopped(descriptor, UnsafeRawBufferPointer($0)) }
  }
}
