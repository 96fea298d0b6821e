import FirestoreModels
import FirestoreREST
import Shards
import Tables
import Transfer

extension ExportCommand: ShardedCommand {
  var runName: String { "export" }
  var shardTarget: ConnectionOptions { connection }

  var shardPart: String? {
    switch format {
    case .csv: "csv"
    default: gzip ? "jsonl.gz" : "jsonl"
    }
  }

  func assertDivisible() throws {
    switch format {
    case .xlsx?, .sqlite?:
      throw refusal(of: "--format", "only JSON Lines and CSV can be put together from parts")
    case .csv?, .jsonl?, nil: break
    }
    if limit != nil { throw refusal(of: "--limit", "no task knows how many documents the others have") }
    if orderBy != nil { throw refusal(of: "--order-by", "the parts are in the order of names") }
    if schedule.dated { throw refusal(of: "--dated", "name the folder with --to") }
    if schedule.since != nil { throw refusal(of: "--since", "the marks of increments belong to one process") }
    if case .none? = readTime {
      throw refusal(of: "--read-time none", "the tasks would read at different moments")
    }
  }

  /// The table that the parts of a CSV file make; nil for JSON Lines.
  func partsOfTable(_ plan: ShardPlan) throws -> CSVParts? {
    let schema = try EnvironmentResolver(connection).schema()
    guard case .csv(let options) = try exportFormat(schema), let read = plan.reads.first else { return nil }
    return try CSVParts(of: read.kind ?? read.collection, fields: try fieldPaths(), options: options)
  }

  func division(in session: Session) async throws -> ShardDivision {
    let selection = CollectionSelection(all ? nil : collections, isDeep: isDeep)
    let moment = try await session.moment(readTime ?? .pinned)
    let reads = try await session.reads(of: selection, query, at: moment)
    try ShardDivision.assertOrderedByName(reads)
    return ShardDivision(reads: reads, readTime: ReadTimeChoice(moment))
  }
}
