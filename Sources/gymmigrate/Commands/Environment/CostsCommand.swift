import Configuration
import TypedDocuments

/// `gymmigrate costs`: shows what past runs were billed.
struct CostsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "costs",
    abstract: "Add up what past runs were billed.",
    discussion: """
      Adds up the lines of STATE-DIR/costs.jsonl, by environment and command, at the prices of their time; and the \
      documents by collection. A command with two environments counts in both. Of a run that is at work or was killed, what it may have been billed counts.

        gymmigrate costs --since 30d
        gymmigrate costs --since 24h -e prod --json
      """
  )

  @Option(help: ArgumentHelp("How far back.").withDefault("30d"), as: TypedValue.duration)
  var since = Duration.seconds(30 * 86_400)

  @Option(env: "Only runs on this environment.")
  var environment: String?

  @OptionGroup var folder: StateOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    let now = Timestamp.now
    let moment = Timestamp(seconds: max(0, now.seconds - Int64(since.inSeconds))) ?? now
    let (totals, others, skipped) = try totals(since: moment)
    if let warning = CostLedger(in: folder.stateDir).warning(ofSkipped: skipped) {
      Terminal.standardError.line("warning: \(warning)")
    }
    if json {
      return try StandardOutput.writeObject {
        $0.member("since", moment)
        $0.member("costs", record: totals.lines)
        $0.member("collections", record: totals.documents)
        $0.member("total", record: totals.all)
      }
    }
    if totals.lines.isEmpty {
      Terminal.standardError.line("Nothing was billed since \(moment), as far as \(folder.stateDir) knows.")
    }
    for line in CostText.lines(totals) { try StandardOutput.write("\(line)\n") }
    if others.isEmpty { return }
    let list = others.sorted().joined(separator: ", ")
    Terminal.standardError.line("It was also read by commands that count under another environment: \(list).")
  }

  /// Returns what was billed, the commands that read the environment but are counted for another one, and the lines that cannot
  /// be read.
  ///
  /// - Throws: `.configuration` for an environment that neither the configuration nor a record knows.
  private func totals(since moment: Timestamp) throws(Failure) -> (CostTotals, Set<String>, [Int]) {
    let ledger = CostLedger(in: folder.stateDir)
    var totals = CostTotals()
    let configuration = try ConfigurationResolver(ConfigurationChoice()).configuration()
    let asked = environment.flatMap { name in
      configuration.environments.first { $0.name.isIdentical(to: name) }
    }
    var (others, isKnown): (Set<String>, Bool) = ([], environment == nil || asked != nil)
    func add(_ record: CostRecord) {
      if totals.add(record, of: environment) {
        isKnown = true
      } else if let asked, record.hasSource(asked) {
        others.insert("\(record.command) (\(record.environment))")
      }
    }
    let skipped = try ledger.forEach(since: moment, add)
    for (run, cost) in ledger.unrecorded(since: moment) {
      if let record = configuration.costRecord(of: run, billed: cost) { add(record) }
    }
    if let environment, !isKnown { _ = try configuration.environment(named: environment) }
    return (totals, others, skipped)
  }
}

extension Configuration {
  /// Returns the record of what a run was billed without a line in the ledger; nil for what is never billed.
  func costRecord(of run: RunRecord, billed cost: Cost) -> CostRecord? {
    let named = try? environment(named: run.environment)
    if run.endpoint.isIdentical(to: DatabaseEnvironment.embeddedServer), named?.limits == nil { return nil }
    let prices = named.map { self.prices(of: $0) }
    let usd = prices.flatMap { $0.isExact ? $0.dollars(of: cost) : nil }
    let words = NamedCommand(of: run.arguments, below: Invocation.current.root).words
    let command = run.arguments.prefix(words).joined(separator: " ")
    return CostRecord(run, command: command, billed: cost, usd: usd)
  }
}
