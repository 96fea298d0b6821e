import Files
package import Logging
import Platform

/// The format of log lines on standard error.
package enum LogFormat: String, Codable, Sendable, CaseIterable {
  /// `warning: message key=value`, for display.
  case text
  /// One JSON object per line: time, level, message, and the metadata as members.
  case json
}

/// A log handler that writes lines to standard error, or to a file.
package struct LineLogHandler: LogHandler {
  /// The metadata of every line.
  package var metadata: Logger.Metadata = [:]
  /// The lowest level that is written.
  package var logLevel: Logger.Level
  private let write: @Sendable (LogEvent, Logger.Metadata) -> Void

  /// Creates a handler that writes to standard error.
  package init(
    format: LogFormat,
    level: Logger.Level,
    isColored: Bool = false,
    terminal: Terminal = .standardError
  ) {
    logLevel = level
    write = { event, metadata in
      switch format {
      case .json: terminal.line(json: LogLine.json(event, metadata))
      case .text: terminal.lines(LogLine.text(event, metadata, isColored: isColored))
      }
    }
  }

  /// Creates a handler that writes to a file such as `operation.log`, always as text with the time.
  init(_ file: AppendOnlyFile) {
    logLevel = .debug
    write = { event, metadata in
      let line: TerminalText = "\(Timestamp.now) \(event.level.rawValue) \(LogLine.body(event, metadata))\n"
      // A failed write cannot be reported here: the run checks the file's failure and ends.
      try? file.append(Array(Secrets.redacted(line.description).utf8))
    }
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) { write(event, metadata.merging(event.metadata ?? [:]) { $1 }) }
}

enum LogLine {
  static func text(_ event: LogEvent, _ metadata: Logger.Metadata, isColored: Bool) -> TerminalText {
    let label: TerminalText = "\(event.level.rawValue):"
    return switch event.level {
    case .info, .notice: "\(body(event, metadata))"
    case .warning: "\(label.colored(.yellow, if: isColored)) \(body(event, metadata))"
    case .error, .critical: "\(label.colored(.red, if: isColored)) \(body(event, metadata))"
    default: "\(label) \(body(event, metadata))"
    }
  }

  static func body(_ event: LogEvent, _ metadata: Logger.Metadata) -> String {
    let pairs = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
    return "\(event.message)\(pairs.joined())"
  }

  static func json(_ event: LogEvent, _ metadata: Logger.Metadata) -> [UInt8] {
    json(event.level, "\(event.message)", metadata)
  }

  /// Returns a line of text as JSON: its label, as in `error: …`, is the level.
  static func json(_ line: String) -> [UInt8] {
    for level in [Logger.Level.error, .warning] {
      let label = "\(level.rawValue): "
      guard line.utf8.starts(with: label.utf8) else { continue }
      return json(level, String(decoding: line.utf8.dropFirst(label.utf8.count), as: UTF8.self), [:])
    }
    return json(.notice, line, [:])
  }

  private static func json(
    _ level: Logger.Level,
    _ message: String,
    _ metadata: Logger.Metadata
  ) -> [UInt8] {
    JSONWriter.object {
      $0.member("time", .now)
      $0.member("level", level.rawValue)
      $0.member("message", message)
      for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
        $0.key(key)
        $0.string("\(value)")
      }
    }
  }
}

extension Timestamp {
  /// The current time of this machine's clock, in milliseconds.
  ///
  /// It is only for logs and run IDs; read times are the server's.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec / 1_000_000 * 1000))
  }
}
