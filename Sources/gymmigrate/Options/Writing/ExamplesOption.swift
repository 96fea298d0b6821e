/// The option for how many changes a command shows.
struct ExamplesOption: ParsableArguments {
  @Option(help: "How many changes a plan shows.", from: 0)
  var examples = 3
}
