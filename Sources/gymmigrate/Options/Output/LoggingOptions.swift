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

  var settings: OutputSettings {
    var settings = OutputSettings()
    (settings.quiet, settings.verbose) = (quiet, verbose)
    (settings.logFormat, settings.noProgress) = (logFormat, noProgress)
    return settings
  }
}

/// What is said, and how.
struct LoggingOptions: ParsableArguments {
  @OptionGroup var verbosity: VerbosityOptions

  @Flag(help: "Print the summary as one JSON object on standard output.")
  var json = false

  var settings: OutputSettings {
    var settings = verbosity.settings
    settings.json = json
    return settings
  }
}
