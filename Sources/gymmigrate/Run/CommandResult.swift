/// The results of a command, apart from its counts.
struct CommandResult: Sendable {
  var status = RunSummary.Status.done
  var readTime: Timestamp?
  /// Lists that are not empty, to be named at the end.
  var lists: [String] = []
  /// What the command adds to the summary, such as the result of a comparison.
  var sections: [any SummarySection] = []
  /// What `migrate unlock` released.
  var release: RunSummary.Release?
  /// The command that applies exactly what was planned; nil if nothing was planned, or nothing is to be done.
  var applies: String?
  /// A sentence with the command to run next; nil for none.
  var offer: String?
  /// For a plan or a copy, the maximum cost.
  var cost: CostEstimate?
  /// For a plan, the number of documents that each migration deletes.
  var deletions: [String: Int] = [:]
  /// The columns of a part of a table.
  var columns: [String]?
  /// For a check, the number of findings of each rule that has any.
  var findings: [String: Int]?
}

struct RunEnding: Sendable {
  var summary: RunSummary
  var result = CommandResult()
  var failure: Failure?
  var run: RunDirectory?
}
