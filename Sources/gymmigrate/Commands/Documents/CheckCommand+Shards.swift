import Files
import FirestoreModels
import FirestoreREST
import Integrity
import Shards

extension CheckCommand: ShardedCommand {
  var runName: String { "check" }
  var shardTarget: ConnectionOptions { connection }

  func assertDivisible() throws {
    if listRules { throw refusal(of: "--list-rules", "it reads no documents") }
    if case .none? = readTime {
      throw refusal(of: "--read-time none", "the tasks would read at different moments")
    }
    let check = try check()
    let own = IntegrityCheck.perDocument(BuiltInSchema.rules(for: check.schema))
    if let rule = check.rules.first(where: { !own.contains($0) }) {
      throw refusal(
        of: "--rule \(rule.name)",
        "it compares documents, and each task reads a part of them",
        "Add --per-document for all rules that can be divided, and check the others with one process."
      )
    }
  }

  func division(in session: Session) async throws -> ShardDivision {
    ShardDivision(
      reads: try check().reads,
      readTime: readTime ?? .pinned,
      inputs: try EnvironmentResolver(connection).schemaFile().map { [$0] } ?? []
    )
  }

  /// The table of a check that was divided.
  ///
  /// - Parameter counts: The number of findings of each rule that has any.
  func table(of counts: [String: Int]) throws -> TerminalText {
    var report = IntegrityReport(rules: try check().rules)
    for rule in report.rules { report.add(counts[rule.name] ?? 0, of: rule) }
    return report.table
  }
}

extension ShardWork {
  /// The range to read, with the fields that the check looks at.
  func part(of check: IntegrityCheck) -> CollectionRead? {
    guard let number = range.read, check.reads.indices.contains(number) else { return nil }
    var read = check.reads[number]
    read.range = range.names
    return read
  }
}
