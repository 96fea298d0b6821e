import Configuration
import FirestoreModels
import FirestoreREST
import Logging
import Runs
import Transfer

extension CopyCommand: ShardedCommand {
  var runName: String { "copy" }
  var shardTarget: ConnectionOptions { connection.target(to) }
  var shardSource: ConnectionOptions? { source.connection(to: from, beside: connection) }
  var shardWrite: WriteOptions? { write }

  func assertDivisible() throws {
    if dryRun { throw refusal(of: "--dry-run", "nothing is written") }
    if limit != nil { throw refusal(of: "--limit", "no task knows how many documents the others have") }
    if deleteExtraneous { throw refusal(of: "--delete-extraneous", "--max-delete is a bound of one process") }
    if case .none? = readTime {
      throw refusal(of: "--read-time none", "the tasks would read at different moments")
    }
    try write.assertDivisible()
  }

  func division(in session: Session) async throws -> ShardDivision {
    guard let source = session.source else { throw Failure(.internal, "copy", cause: "there is no source") }
    let options = try options()
    let run = try RunDirectory(in: connection.stateDir, command: "copy")
    let copy = try await copy(options, from: source, in: session, run)
    let wanted = try await copy.reads()
    try await session.reading(source).prepare(wanted, isAll: selection.all, selection.emptiness)
    let plan = try await copy.prepare()
    let prices = try EnvironmentResolver(connection).configuration().prices
    let cost = CostEstimate(plan.cost, at: await session.prices(prices), isMinimum: !plan.isCounted)
    for line in CopyText.screen(plan, cost, options, session, source) { session.logger.notice("\(line)") }
    try Guard.ask("Copy?", with: write.guards)
    if CollectionScope.interleave(plan.scopes) {
      throw Failure(
        .usage,
        "divide the copy of",
        path: plan.scopes.map(\.name.string).joined(separator: ", "),
        cause: "what is named overlaps, and two tasks would write the same documents",
        remedy: "Name the outer collections only."
      )
    }
    let reads = copy.reads(of: plan)
    try ShardDivision.assertOrderedByName(reads)
    return ShardDivision(reads: reads, readTime: ReadTimeChoice(plan.readTime))
  }
}
