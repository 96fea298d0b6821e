import Configuration
import TypedDocuments

/// `gymmigrate costs`: what past runs were billed.
struct CostsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "costs",
    abstract: "Add up what past runs were billed.",
    discussion: """
      Adds up the lines of STATE-DIR/costs.jsonl, by environment and command, at the prices of their time; and the \
      documents by collection. Of a run that is at work or was killed, what it may have been billed counts.

        gymmigrate costs --since 30d
        gymmigrate costs --since 24h -e prod --json
      """
  )

  @Option(
    help: ArgumentHelp("How far back.", valueName: "duration").withDefault("30d"),
    transform: TypedValue.duration
  )
  var since = Duration.seconds(30 * 86_400)

  @Option(
    name: [.customShort("e"), .customLong("env")],
    help: "Only runs on this environment.",
    completion: CompletionValues.environments
  )
  var environment: String?

  @OptionGroup var folder: StateOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    let now = Timestamp.now
    let moment = Timestamp(seconds: max(0, now.seconds - Int64(since.inSeconds))) ?? now
    let (totals, known) = try totals(since: moment)
    if json {
      return try StandardOutput.writeObject {
        $0.member("since", moment)
        $0.member("costs", record: totals.lines)
        $0.member("collections", record: totals.documents)
        $0.member("total", record: totals.all)
      }
    }
    if totals.lines.isEmpty {
      let meant = environment?.meant(among: known) ?? ""
      Terminal.standardError.line(
        "Nothing was billed since \(moment), as far as \(folder.stateDir) knows.\(meant)"
      )
    }
    for line in CostText.lines(totals) { try StandardOutput.write("\(line)\n") }
  }

  /// What was billed, and the environments that are known of.
  private func totals(since moment: Timestamp) throws(Failure) -> (CostTotals, Set<String>) {
    let ledger = CostLedger(in: folder.stateDir)
    var totals = CostTotals()
    let configuration = try ConfigurationResolver(ConfigurationChoice()).configuration()
    var known = Set(configuration.environments.map(\.name))
    func add(_ record: CostRecord) {
      known.insert(record.environment)
      if environment.map({ $0.isIdentical(to: record.environment) }) ?? true { totals.add(record) }
    }
    try ledger.forEach(since: moment, add)
    for (run, cost) in ledger.unrecorded(since: moment) {
      let named = try? configuration.environment(named: run.environment)
      // What no service bills has no line, either.
      if run.endpoint.isIdentical(to: DatabaseEnvironment.embeddedServer), named?.limits == nil { continue }
      let prices = named.map { configuration.prices(of: $0) }
      let usd = prices.flatMap { $0.isExact ? $0.dollars(of: cost) : nil }
      let words = NamedCommand(of: run.arguments, below: Invocation.current.root).words
      let command = run.arguments.prefix(words).joined(separator: " ")
      add(CostRecord(run, command: command, billed: cost, usd: usd))
    }
    return (totals, known)
  }
}
