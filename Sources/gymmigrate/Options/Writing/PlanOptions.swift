import ArgumentParser

/// Whether a one-off is only planned, and how much of it is shown.
struct PlanOptions: ParsableArguments {
  @Flag(name: [.customShort("n"), .long], help: "Plan only, as 'migrate plan' does; nothing is written.")
  var dryRun = false

  @Option(help: ArgumentHelp("How many changes a plan shows.", valueName: "n"), from: 0)
  var examples = 3

  @OptionGroup var page: PageOptions

  func validate() throws {
    try page.assertPlanning(dryRun)
  }
}
