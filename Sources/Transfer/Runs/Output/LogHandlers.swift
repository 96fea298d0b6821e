import Files
package import FirestoreModels
package import Logging
import Platform

/// How log lines look on standard error.
package enum LogFormat: String, Sendable, CaseIterable {
  /// `warning: message key=value`, for people.
  case text
  /// One JSON object a line: time, level, message, and the metadata as members.
  case json
}

/// Log lines on standard error.
package struct TerminalLogHandler: LogHandler {
  /// What every line carries.
  package var metadata: Logger.Metadata = [:]
  /// The least level that is said.
  package var logLevel: Logger.Level
  private let format: LogFormat
  private let terminal: Terminal

  /// Makes a handler.
  package init(format: LogFormat, level: Logger.Level, terminal: Terminal = .standardError) {
    self.format = format
    self.terminal = terminal
    logLevel = level
  }

  /// One member of ``metadata``.
  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes one line.
  package func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    switch format {
    case .json: terminal.line(json: LogLine.json(event, all))
    case .text: terminal.line(LogLine.text(event, all))
    }
  }
}

/// Log lines in a file, `operation.log`: always as text with their time.
package struct FileLogHandler: LogHandler {
  /// What every line carries.
  package var metadata: Logger.Metadata = [:]
  /// The least level that is kept.
  package var logLevel: Logger.Level = .debug
  private let file: AppendOnlyFile

  init(_ file: AppendOnlyFile) {
    self.file = file
  }

  /// One member of ``metadata``.
  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes one line.
  package func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    let line: TerminalText = "\(Timestamp.now) \(event.level.rawValue) \(LogLine.body(event, all))\n"
    // There is nobody to report to from here: the run looks at the file's failure, and ends.
    try? file.append(Array(Secrets.redacted(line.description).utf8))
  }
}

private enum LogLine {
  static func text(_ event: LogEvent, _ metadata: Logger.Metadata) -> String {
    switch event.level {
    case .info, .notice: body(event, metadata)
    default: "\(event.level.rawValue): \(body(event, metadata))"
    }
  }

  static func body(_ event: LogEvent, _ metadata: Logger.Metadata) -> String {
    let pairs = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
    return "\(event.message)\(pairs.joined())"
  }

  static func json(_ event: LogEvent, _ metadata: Logger.Metadata) -> [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.key("time")
      $0.timestamp(.now)
      $0.key("level")
      $0.string(event.level.rawValue)
      $0.key("message")
      $0.string("\(event.message)")
      for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
        $0.key(key)
        $0.string("\(value)")
      }
    }
    return json.bytes
  }
}

extension Timestamp {
  /// This machine's time, in milliseconds.
  ///
  /// For logs and run ids; what is read at is the server's to say.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec / 1_000_000 * 1_000_000))
      ?? .epoch
  }

  private static let epoch: Timestamp = {
    guard let epoch = Timestamp(seconds: 0) else {
      preconditionFailure("1970 lies within the years 1 to 9999")
    }
    return epoch
  }()
}
