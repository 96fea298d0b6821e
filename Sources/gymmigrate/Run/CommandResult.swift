import FirestoreModels
import Runs
import Transfer

/// How a command ended, apart from its counts.
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
  /// What the service bills at most, of a plan and of a copy.
  var cost: CostEstimate?
}
