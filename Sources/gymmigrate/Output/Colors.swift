import Platform

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// When colors are shown.
enum ColorChoice: String, CaseIterable {
  case auto, always, never
}

extension TypedValue {
  static let color = ValueReader("when", expecting: "auto, always or never") { ColorChoice(rawValue: $0) }
}

/// Whether standard output and standard error show colors: as `--color` says, or else on a terminal unless NO_COLOR is set
/// (https://no-color.org).
///
/// The option is read directly from the command line, because errors in the command line are also printed.
enum Colors {
  static let output = areShown(on: 1)
  static let errors = LogFormat.chosen == .text && areShown(on: 2)

  /// The label before the message of an error.
  static var errorLabel: TerminalText { TerminalText("error:").colored(.red, if: errors) }

  private static func areShown(on descriptor: Int32) -> Bool {
    switch choice {
    case .always: return true
    case .never: return false
    case .auto:
      let variables = ProcessInfo.processInfo.environment
      let isRefused = variables["NO_COLOR"]?.isEmpty == false || variables["TERM"] == "dumb"
      return !isRefused && isatty(descriptor) == 1
    }
  }

  private static let choice: ColorChoice = {
    let words = CommandLine.arguments.prefix { $0 != "--" }
    let given = zip(words, words.dropFirst() + [""]).compactMap { word, next in
      word.hasPrefix("--color=") ? String(word.dropFirst(8)) : word == "--color" ? next : nil
    }
    return given.last.flatMap { ColorChoice(rawValue: $0) } ?? .auto
  }()
}

extension LogFormat {
  /// The format that the words or the variables of this process choose, which are read directly for the same reason.
  static let chosen: LogFormat = {
    let words = Setting.given(in: Array(CommandLine.arguments.dropFirst()))
    let text = words["log-format"] ?? ProcessInfo.processInfo.environment["GYMMIGRATE_LOG_FORMAT"]
    return text.flatMap { LogFormat(rawValue: $0) } ?? .text
  }()
}
