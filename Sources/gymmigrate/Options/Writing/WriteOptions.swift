/// Options that confirm a write.
struct ConfirmOptions: ParsableArguments {
  @Option(
    help: "The name of a protected environment; see 'gymmigrate help writing'.",
    as: TypedValue.text("env")
  )
  var confirm: String?

  @Flag(name: .shortAndLong, help: "Do not ask.")
  var yes = false

  var confirmation: Confirmation { Confirmation(confirm: confirm, yes: yes) }
}

/// What a person confirmed.
struct Confirmation: Sendable {
  /// The protected environment that may be written to.
  var confirm: String?
  /// Whether to ask nothing.
  var yes = false
}

/// Options for how to write, and the guards before it.
struct WriteOptions: ParsableArguments {
  @Option(help: .hidden("Maximum writes per commit, 1 to 500."), from: 1, to: 500)
  var batchSize = 100

  @Option(help: .hidden("Maximum commits in flight, 1 to 64."), from: 1, to: 64)
  var inFlight = 8

  @Option(
    parsing: .unconditional,
    help: .hidden("The most writes a second, on average over the run."),
    as: TypedValue.positiveNumber
  )
  var maxWritesPerSecond: Double?

  @Flag(
    inversion: .prefixedNo,
    help: .hidden(
      "Start at 500 writes a second, half as many again every 5 minutes (default: on for the real service)."
    )
  )
  var ramp: Bool?

  @Option(
    parsing: .unconditional,
    help: "Stop beyond this many rejects and conflicts: 20, or 1.5%.",
    as: TypedValue.errorBudget
  )
  var maxErrors: ErrorBudget?

  @OptionGroup var guards: ConfirmOptions

  var settings: WriteSettings {
    var settings = WriteSettings()
    (settings.batchSize, settings.inFlight) = (batchSize, inFlight)
    (settings.maxWritesPerSecond, settings.ramp) = (maxWritesPerSecond, ramp)
    settings.errorBudget = maxErrors
    return settings
  }
}
