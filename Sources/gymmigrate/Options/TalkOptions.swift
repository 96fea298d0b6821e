import ArgumentParser
import Logging
import Runs

/// How loudly it is said, and in which form.
struct VoiceOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Say more; twice says more still.")
  var verbose: Int

  @Flag(name: .shortAndLong, help: "Say only warnings and errors.")
  var quiet = false

  @Option(help: "How log lines look: text or json.")
  var logFormat = LogFormat.text

  @Flag(name: .customLong("no-progress"), help: "Show no progress line on a terminal.")
  var noProgress = false

  func validate() throws {
    if quiet, verbose > 0 { throw ValidationError("--quiet and --verbose exclude each other.") }
  }
}

/// What is said, and how.
struct TalkOptions: ParsableArguments {
  @OptionGroup var voice: VoiceOptions

  @Flag(help: "Print the summary as one JSON object on standard output.")
  var json = false

  var quiet: Bool {
    get { voice.quiet }
    set { voice.quiet = newValue }
  }
  var logFormat: LogFormat { voice.logFormat }
  var noProgress: Bool { voice.noProgress }

  var level: Logger.Level {
    if voice.quiet { return .warning }
    return switch voice.verbose {
    case 0: .info
    case 1: .debug
    default: .trace
    }
  }
}

extension TalkOptions {
  /// The talk of a command whose `--json` is another: no summary is printed.
  static func withoutSummary(_ voice: VoiceOptions) -> TalkOptions {
    var talk = TalkOptions()
    talk.voice = voice
    talk.json = false
    return talk
  }
}
