import ArgumentParser
import Logging
import Runs

/// How loudly it is said, and in which form.
struct VerbosityOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Increase verbosity; repeat for debug output.")
  var verbose: Int

  @Flag(name: .shortAndLong, help: "Log warnings and errors only.")
  var quiet = false

  @Option(help: "Format of log lines: text or json.")
  var logFormat = LogFormat.text

  @Flag(name: .customLong("no-progress"), help: "Show no progress line on a terminal.")
  var noProgress = false

  func validate() throws {
    if quiet, verbose > 0 { throw ValidationError("--quiet and --verbose exclude each other.") }
  }
}

/// What is said, and how.
struct LoggingOptions: ParsableArguments {
  @OptionGroup var verbosity: VerbosityOptions

  @Flag(help: "Print the summary as one JSON object on standard output.")
  var json = false

  var quiet: Bool {
    get { verbosity.quiet }
    set { verbosity.quiet = newValue }
  }
  var logFormat: LogFormat { verbosity.logFormat }
  var noProgress: Bool { verbosity.noProgress }

  var level: Logger.Level {
    if verbosity.quiet { return .warning }
    return switch verbosity.verbose {
    case 0: .info
    case 1: .debug
    default: .trace
    }
  }
}

extension LoggingOptions {
  /// The logging of a command whose `--json` is another: no summary is printed.
  static func withoutSummary(_ verbosity: VerbosityOptions) -> LoggingOptions {
    var logging = LoggingOptions()
    logging.verbosity = verbosity
    logging.json = false
    return logging
  }
}
