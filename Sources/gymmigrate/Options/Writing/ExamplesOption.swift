/// How much is shown of what a command would change.
struct ExamplesOption: ParsableArguments {
  @Option(help: "How many changes a plan shows.", from: 0)
  var examples = 3
}
