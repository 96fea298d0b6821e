import ArgumentParser
import Logging
import Transfer

/// What is said, and how.
struct TalkOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Say more; twice says more still.")
  var verbose: Int

  @Flag(name: .shortAndLong, help: "Say only warnings and errors.")
  var quiet = false

  @Option(help: "How log lines look: text or json.")
  var logFormat = LogFormat.text

  @Flag(name: .customLong("no-progress"), help: "Show no progress line on a terminal.")
  var noProgress = false

  @Flag(help: "Print the summary as one JSON object on standard output.")
  var json = false

  var level: Logger.Level {
    if quiet { return .warning }
    return switch verbose {
    case 0: .info
    case 1: .debug
    default: .trace
    }
  }

  func validate() throws {
    if quiet, verbose > 0 { throw ValidationError("--quiet and --verbose exclude each other.") }
  }
}
