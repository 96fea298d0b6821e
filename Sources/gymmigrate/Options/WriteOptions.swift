import ArgumentParser
import Transfer

/// The guards before a write.
struct ConfirmOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The name of the protected environment that is to be written.", valueName: "env")
  )
  var confirm: String?

  @Flag(name: .shortAndLong, help: "Ask nothing: a protected environment without --confirm is refused.")
  var yes = false
}

/// How it may be written, and the guards before it.
struct WriteOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Writes a commit at the most, 1 to 500.", valueName: "n"))
  var batchSize = 100

  @Option(help: ArgumentHelp("Commits in flight at the most.", valueName: "n"))
  var inFlight = 8

  @Option(help: ArgumentHelp("Writes a second that are never exceeded.", valueName: "n"))
  var maxWritesPerSecond: Double?

  @Flag(
    inversion: .prefixedNo,
    help:
      "Start at 500 writes a second, half as many again every 5 minutes (default: on for the real service)."
  )
  var ramp: Bool?

  @Option(
    help: ArgumentHelp(
      "Stop when more documents than this were rejected or conflicted: a number, or a share as 1.5%.",
      valueName: "n|n%"
    )
  )
  var maxErrors: String?

  @OptionGroup var guards: ConfirmOptions

  var errorBudget: ErrorBudget? { maxErrors.flatMap { ErrorBudget(parsing: $0) } }

  var limits: BatchLimits { BatchLimits(maximumWrites: batchSize, maximumInFlight: inFlight) }

  func pacer(for environment: Environment) -> WritePacer {
    WritePacer(ramp: ramp ?? environment.isRealService, maximum: maxWritesPerSecond)
  }

  func validate() throws {
    if !(1...500).contains(batchSize) { throw ValidationError("--batch-size is a number from 1 to 500.") }
    if !(1...64).contains(inFlight) { throw ValidationError("--in-flight is a number from 1 to 64.") }
    if let maxWritesPerSecond, maxWritesPerSecond <= 0 {
      throw ValidationError("--max-writes-per-second is a number above 0.")
    }
    if let maxErrors, ErrorBudget(parsing: maxErrors) == nil {
      throw ValidationError("--max-errors is a number from 0, or a share from 0% to 100%.")
    }
  }
}
