import FirestoreModels

/// What the documents of a commit show of it, whose answer was lost.
///
/// A commit is atomic: what holds of one of its writes holds of all, and all the documents that it made were made at
/// one moment.
enum CommitVerdict: Equatable {
  case applied, notApplied, unknown

  /// Judges by the documents as they are now.
  init(on chunk: CommitScheduler.Chunk, _ documents: [DocumentPath: RawDocument]) {
    var seemsApplied = false
    var created: Set<Timestamp> = []
    for write in chunk.writes where write.mayBeApplied && write.isGuarded {
      let current = documents[write.write.path]
      switch write.state(in: current) {
      case .ready:
        if !write.leavesUnchanged(current) {
          self = .notApplied
          return
        }
      case .applied:
        seemsApplied = true
        // The update time may be that of a later change of other fields, but never an earlier one.
        if let changed = current?.updateTime, let before = chunk.notBefore, changed <= before {
          self = .notApplied
          return
        }
        if write.write.precondition == .exists(false), let time = current?.createTime { created.insert(time) }
      case .conflict: break
      }
    }
    if created.count > 1 {
      self = .notApplied
    } else {
      self = seemsApplied ? .applied : .unknown
    }
  }
}
