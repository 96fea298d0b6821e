import FirestoreModels
import Runs

/// The position of a copy: a stage for each scope, and one for the deletions.
struct CopyPosition: Sendable {
  /// The index of the scope; the number of scopes for the deletions.
  var stage = 0
  /// The last document of the scope that was passed on.
  var last: DocumentPath?
  /// The number of documents of the scope that were passed on.
  var taken = 0
  /// The last line of the list of deletions that is done.
  var deletions = 0
  /// The counts of references.
  var references = ReferenceRewriter.Counts()
  /// The number of scopes.
  var scopes = 0
  /// The number of documents to delete.
  var extraneous = 0
  var readTime: Timestamp?

  init(_ plan: Copy.Plan, resuming checkpoint: Checkpoint?) {
    if let checkpoint {
      self = CopyPosition(checkpoint)
      return
    }
    scopes = plan.scopes.count
    extraneous = plan.extraneous
    readTime = plan.readTime
  }

  init(_ checkpoint: Checkpoint) {
    let counters = checkpoint.state.counters
    stage = checkpoint.state.stage
    scopes = counters["scopes"] ?? 0
    if stage < scopes {
      last = checkpoint.state.position.flatMap { DocumentPath($0) }
    } else {
      deletions = checkpoint.state.position.flatMap { Int(count: $0) } ?? 0
    }
    taken = counters["taken"] ?? 0
    extraneous = counters["extraneous"] ?? 0
    references.rewritten = counters["references.rewritten"] ?? 0
    references.kept = counters["references.kept"] ?? 0
    references.storageURLs = counters["references.storageURLs"] ?? 0
    if let seconds = counters["readTime.seconds"],
      let nanoseconds = counters["readTime.nanoseconds"].flatMap({ Int32(exactly: $0) })
    {
      readTime = Timestamp(seconds: Int64(seconds), nanoseconds: nanoseconds)
    }
  }

  var checkpoint: Checkpoint.State {
    var counters = [
      "scopes": scopes, "taken": taken, "extraneous": extraneous,
      "references.rewritten": references.rewritten, "references.kept": references.kept,
      "references.storageURLs": references.storageURLs,
    ]
    if let readTime {
      counters["readTime.seconds"] = Int(readTime.seconds)
      counters["readTime.nanoseconds"] = Int(readTime.nanoseconds)
    }
    let position = stage < scopes ? last?.string : String(deletions)
    return Checkpoint.State(stage: stage, position: position, counters: counters)
  }
}
