import Files
import FirestoreModels
import FirestoreREST
import Runs
import Shards

/// The range of a sharded run that a command works on, and how it ended.
final class ShardWork: Sendable {
  /// How the command ended.
  struct Ending: Sendable {
    var summary: RunSummary
    var failure: Failure?
    var run: RunDirectory?
  }

  let plan: ShardPlan
  let range: ShardPlan.Range
  /// The folder that its run folder is in.
  let stateDir: String
  /// The run of an earlier process that is resumed; nil for none.
  let resumed: RunRecord?
  /// What it may have of the rate of the whole run; nil for a command that only reads.
  let pace: WritePacer.Share?
  /// Asked before each commit whether the whole run may write.
  let gate: CommitGate
  private let ending = Locked<Ending?>(nil)
  private let columns = Locked<[String]?>(nil)
  private let findings = Locked<[String: Int]?>(nil)

  init(
    _ range: ShardPlan.Range,
    of plan: ShardPlan,
    stateDir: String,
    resumed: RunRecord?,
    pace: WritePacer.Share?,
    gate: CommitGate
  ) {
    self.gate = gate
    self.plan = plan
    self.range = range
    self.stateDir = stateDir
    self.resumed = resumed
    self.pace = pace
  }

  /// What is read, within the range.
  var read: CollectionRead {
    let planned = range.read.map { plan.reads[$0] }
    var read = CollectionRead(planned?.collection ?? CollectionPath(nil, "-"))
    read.reach = planned?.reach ?? .collection
    read.kind = planned?.kind
    read.range = range.names
    read.readTime = plan.readTime
    return read
  }

  /// The moment that the whole run reads.
  var readTime: ReadTimeChoice { plan.readTime.map { .at($0) } ?? .none }

  /// Records how the command ended.
  func end(_ summary: RunSummary, failure: Failure?, run: RunDirectory?) {
    ending.withLock { $0 = Ending(summary: summary, failure: failure, run: run) }
  }

  /// How the command ended; nil while it works.
  var result: Ending? { ending.withLock { $0 } }

  /// The columns of the part.
  var partColumns: [String]? { columns.withLock { $0 } }

  func setColumns(_ names: [String]) { columns.withLock { $0 = names } }

  /// The number of findings of each rule that has any, of a check.
  var findingCounts: [String: Int]? { findings.withLock { $0 } }

  func setFindings(_ counts: [String: Int]) { findings.withLock { $0 = counts } }
}
