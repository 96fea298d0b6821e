import Configuration
import TypedDocuments

/// The position of a copy: a stage for each scope, and one for the deletions.
struct CopyPosition: JSONRecord {
  /// The index of the scope; the number of scopes for the deletions.
  var stage = 0
  private var lastPath: String?
  /// The number of documents of the scope that were handed on.
  var taken = 0
  /// The number of documents to delete that were handed on, deepest first.
  var deletions = 0
  /// The counts of references.
  var references = ReferenceRewriter.Counts()
  /// The number of scopes.
  var scopes = 0
  /// The number of documents to delete.
  var extraneous = 0
  var readTime: Timestamp?
  /// The cost of the plan, and whether it is a minimum; nil in a checkpoint of an earlier version.
  var cost: Cost?
  var isMinimum: Bool?
  /// The report on the part that is copied, if only a part is.
  var part: SubsetReport?
  /// What was read back; nil if the copy does not verify.
  var readBack: ReadBack.Counts?

  /// The last document of the scope that was handed on.
  var last: DocumentPath? {
    get { lastPath.flatMap { DocumentPath($0) } }
    set { lastPath = newValue?.string }
  }

  /// - Throws: `.inputMalformed` if the checkpoint is not that of a copy.
  init(_ plan: Copy.Plan, resuming checkpoint: Checkpoint?) throws(Failure) {
    if let resumed = try checkpoint?.position(as: CopyPosition.self) {
      self = resumed
      return
    }
    scopes = plan.scopes.count
    extraneous = plan.extraneous
    readTime = plan.readTime
    (cost, isMinimum) = (plan.isCounted ? plan.cost : Cost(reads: plan.leastReads), !plan.isCounted)
    part = plan.part
  }

  var checkpoint: Checkpoint.State { Checkpoint.State(stage: stage, at: self) }
}
