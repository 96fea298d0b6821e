import MigrationEngine

/// Options for how documents are read.
struct ReadingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Documents a page, 1 to 300.", visibility: .hidden), from: 1, to: 300)
  var pageSize = 300

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Requests at a time, 1 to 16, or auto: 8.",
      valueName: "n"
    ).withDefault("1"),
    transform: Parallelism.init(typed:)
  )
  var parallel = Parallelism(requests: 1)

  var settings: ReadingSettings {
    var settings = ReadingSettings()
    (settings.pageSize, settings.parallel) = (pageSize, parallel.requests)
    return settings
  }
}

extension MigrationRunner {
  /// Sets how the runner reads.
  mutating func read(as options: ReadingSettings) {
    pageSize = options.pageSize
    parallel = options.parallel
  }
}

/// The number of concurrent requests; with more than 16, the waiting pages would not fit in 64 MiB.
struct Parallelism {
  var requests: Int

  init(requests: Int) {
    self.requests = requests
  }

  /// - Throws: `ValidationError` that says what is expected.
  init(typed text: String) throws {
    if text == "auto" {
      requests = 8
    } else if let number = Int(text), (1...16).contains(number) {
      requests = number
    } else {
      throw ValidationError("give a whole number from 1 to 16, or auto.")
    }
  }
}
