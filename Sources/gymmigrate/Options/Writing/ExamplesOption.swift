/// How much is shown of what a command would change.
struct ExamplesOption: ParsableArguments {
  @Option(help: ArgumentHelp("How many changes a plan shows.", valueName: "n"), from: 0)
  var examples = 3
}
