import Transfer

/// What a command found, apart from its counts.
struct CommandResult: Sendable {
  var status = RunSummary.Status.done
  var readTime: Timestamp?
  /// Lists that have something in them, to be named at the end.
  var lists: [String] = []
  /// What the command adds to the summary, as what a comparison found.
  var sections: [any SummarySection] = []
  /// What was released, of `migrate unlock`.
  var release: RunSummary.Release?
  /// The command that applies exactly what was planned; nil where nothing was, or nothing is to do.
  var applies: String?
  /// A sentence with the command that comes next; nil for none.
  var offer: String?
  /// What the service bills at most, of a plan and of a copy.
  var cost: CostEstimate?
  /// How many documents each migration deletes, of a plan.
  var deletions: [String: Int] = [:]
  /// The columns of a part of a table.
  var columns: [String]?
  /// The number of findings of each rule that has any, of a check.
  var findings: [String: Int]?
}

/// How a run ended.
struct RunEnding: Sendable {
  var summary: RunSummary
  var result = CommandResult()
  var failure: Failure?
  var run: RunDirectory?
}
