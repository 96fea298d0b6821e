/// Options for how much is printed, and in which form.
struct VerbosityOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: .hidden("Increase verbosity; repeat for debug output."))
  var verbose: Int

  @Flag(
    name: .shortAndLong,
    help: "Say warnings and errors only; see 'gymmigrate help output'."
  )
  var quiet = false

  @Option(
    help: .hidden("Format of log lines: text or json.").withDefault("text"),
    as: TypedValue.logFormat
  )
  var logFormat = LogFormat.text

  @Flag(help: .hidden("Show no progress line on a terminal."))
  var noProgress = false

  @Option(
    help: .hidden("Colors: auto (on a terminal, unless NO_COLOR is set), always or never."),
    as: TypedValue.color
  )
  var color = ColorChoice.auto

  @OptionGroup(visibility: .hidden) var notification: NotificationOptions

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

struct LoggingOptions: ParsableArguments {
  @OptionGroup var verbosity: VerbosityOptions

  @Flag(help: "Print the summary as one JSON object.")
  var json = false

  var settings: OutputSettings {
    var settings = verbosity.settings
    settings.json = json
    return settings
  }
}
