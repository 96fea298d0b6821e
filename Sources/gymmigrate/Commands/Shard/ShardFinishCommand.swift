import Configuration
import Integrity
import Logging
import MigrationEngine
import Shards
import Tables
import Transfer

struct ShardFinishCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "finish",
    abstract: "Check what all tasks did, and put it together.",
    discussion: """
      Exits with 75 and names the tasks that are missing or failed, as long as there are any. Else it checks every \
      part, adds up the counts, puts the \
      lists together in the order of the ranges, and writes one manifest and one summary. A run that wrote is entered into the ledger as done, and its lock \
      given back.

      The exit code is that of the command; of a check it prints the number of findings of each rule.

        gymmigrate shard finish /mnt/share/export
      """
  )

  @Argument(help: ArgumentHelp("The place of the plan.", valueName: "where"))
  var place: String

  @OptionGroup var logging: LoggingOptions

  func run() async throws {
    let place = try ShardPlace(place)
    let plan = try await place.shards.plan()
    var divided = try plan.jobRun(at: place)
    let bill = try place.bill(of: &divided)
    Invocation.current.notifier?.begin(on: divided.connection)
    try plan.assertSame(at: place)
    // What was written is not read again: neither the files of an import or a migration nor the schema are needed.
    if !plan.writes { try plan.assertSameSchema(at: place) }
    let resolver = EnvironmentResolver(divided.connection)
    let scratch = try Scratch()
    let finish = ShardFinish(plan, in: place.shards, scratch: scratch.path)
    var results = try await finish.checkParts(try await self.results(finish, plan, divided.connection))
    if let export = divided.job as? ExportJob, let table = try export.partsOfTable(plan) {
      results = try await finish.completeTable(results, table)
    }
    var summary = try finish.summary(results, environment: resolver.environment())
    let source = try divided.source.map { try EnvironmentResolver($0).environment() }
    summary.source = source.map { .environment($0) }
    summary.cost = try finish.cost(results).map {
      CostEstimate($0, at: try resolver.prices().of(edition: plan.edition))
    }
    summary.exitCode = ExitCodes.code(of: summary.status)
    let copy = divided.job as? CopyJob
    let copied = finish.copied(results)
    if copy != nil { summary.sections += copied.sections }
    let totals = finish.totals(results, of: summary.collections)
    if let totals { summary.sections.append(totals) }
    let lists = try await finish.mergeLists(results, keeping: CheckJob.partList)
    if plan.partExtension != nil {
      let export = divided.job as? ExportJob
      let schema = try resolver.schema()
      let format = try export?.exportFormat(schema, isPart: true)
      let writing = format?.writing(of: plan.reads.map(\.collection), by: schema) ?? TableWriting()
      let scope = try export?.scope(by: schema)
      try await finish.writeManifest(results, scope: scope, writing: writing, kind: format?.kind)
    }
    if plan.writes { try await close(plan, summary, on: divided.connection, bill) }
    Invocation.current.notifier?.note(summary, Invocation.current.traffic)
    try await finish.write(summary)
    let logger = logging.settings.logger()
    copy?.report(copied, of: plan, logger)
    if let copy, let source {
      copy.warnOfPeople(in: summary.collections, from: source, by: try resolver.schema(), logger)
    }
    let found = try (divided.job as? CheckJob)?.report(
      of: finish.findings(results) ?? [:],
      divided.connection
    )
    if !logging.json { try Self.write(found, totals, summary.cost) }
    try report(summary, lists, of: plan, at: place) {
      guard let found else { return try StandardOutput.write(line: summary.json) }
      try CheckText.write(found, findings: "\(scratch.path)/\(CheckJob.partList)", summary)
    }
  }

  /// Prints what one process prints: the table of a check, or the totals of a plan.
  private static func write(
    _ found: IntegrityReport?,
    _ totals: PlanTotals?,
    _ cost: CostEstimate?
  ) throws {
    if let found { try StandardOutput.write(found.table) }
    if let totals { try StandardOutput.write(MigrationText.together(totals)) }
    if totals != nil, let cost { try StandardOutput.write("To apply it: \(cost.text)\n") }
  }

  /// Returns how the ranges ended.
  ///
  /// - Throws: `.tryLater` if some have not; `.usage` if the run was undone or cleared, so that they never will.
  private func results(
    _ finish: ShardFinish,
    _ plan: ShardPlan,
    _ connection: ConnectionSettings
  ) async throws -> [ShardResult] {
    do {
      return try await finish.results()
    } catch {
      guard plan.writes, error.kind == .tryLater else { throw error }
      let entry = plan.ledgerEntry
      try await connection.withSession(of: "shard finish", logging.settings) { session in
        try await SharedRun(entry, of: session.ledger).assertNotEnded()
      }
      throw error
    }
  }

  /// Records the end of a run that wrote.
  private func close(
    _ plan: ShardPlan,
    _ summary: RunSummary,
    on connection: ConnectionSettings,
    _ bill: ShardBill?
  ) async throws {
    let entry = plan.ledgerEntry
    let isOfMigrations = !entry.migrations.isEmpty
    let rewritten =
      isOfMigrations ? [] : plan.job.connection.migrations(touchedBy: summary.collections.written)
    try bill?.beginEnd()
    try await connection.withSession(of: "shard finish", logging.settings) { session in
      if let bill { session.client.caller.traffic.account.share(bill) }
      let shared = SharedRun(entry, of: session.ledger)
      let totals = summary.totals
      try await shared.close(totals, isEmpty: totals.written == 0, rewriting: rewritten)
    }
  }

  private func report(
    _ summary: RunSummary,
    _ lists: [String],
    of plan: ShardPlan,
    at place: ShardPlace,
    printing: () throws -> Void
  ) throws {
    let logger = logging.settings.logger()
    for line in SummaryText.lines(summary) { logger.info("\(line)") }
    for list in lists { logger.notice("See \(place.store)/\(list).") }
    if plan.writes, summary.totals.written > 0, let folder = place.folder {
      let environment = try EnvironmentResolver(plan.job.connection).environment()
      let undo = ["gymmigrate", "migrate", "undo", plan.run, "--state-dir", folder]
      logger.notice("To undo: \(CommandLineText.quoted(undo + environment.confirmationWords))")
    }
    if logging.json { try printing() }
    if summary.exitCode != 0 { throw ExitStatus(summary.exitCode) }
  }
}
