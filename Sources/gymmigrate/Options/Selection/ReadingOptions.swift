import MigrationEngine

/// Options for how documents are read.
struct ReadingOptions: ParsableArguments {
  @Option(help: .hidden("Documents a page, 1 to 300."), from: 1, to: 300)
  var pageSize = 300

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Requests at a time, 1 to 16, or auto: 8.").withDefault("1"),
    as: TypedValue.parallelism
  )
  var parallel = 1

  var settings: ReadingSettings {
    var settings = ReadingSettings()
    (settings.pageSize, settings.parallel) = (pageSize, parallel)
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
