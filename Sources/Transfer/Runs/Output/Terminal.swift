package import Files
import Platform
import Synchronization

/// Standard error: lines of talk and, on a terminal, one line of progress below them that is written over.
///
/// Nothing in a text steers the terminal (see ``TerminalText``), and no secret of this process is shown (see ``Secrets``).
package final class Terminal: Sendable {
  /// The one of this process.
  package static let standardError = Terminal(descriptor: 2)

  private let descriptor: Int32
  /// Whether a person is watching.
  package let isInteractive: Bool
  private let status = Mutex("")

  /// Makes one over a file descriptor that stays the caller's.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
    isInteractive = isatty(descriptor) == 1
  }

  /// Writes a line; a status line stays below it.
  package func line(_ text: String) {
    write(line: TerminalText.escaped(text))
  }

  /// Writes lines of the program's own, whose line feeds stay.
  package func lines(_ text: TerminalText) {
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

  /// Shows a status line instead of the last one; only on a terminal.
  package func setStatus(_ text: String) {
    guard isInteractive else { return }
    status.withLock { status in
      status = String(TerminalText.escaped(text).prefix(columns - 1))
      write("\r\u{1B}[K" + status)
    }
  }

  /// Takes the status line away.
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
    // Talk is not data: where nobody takes it, nothing is lost.
    var text = Secrets.redacted(text)
    text.withUTF8 { _ = SystemCall.writeUnlessStopped(descriptor, UnsafeRawBufferPointer($0)) }
  }
}
