/// What the documents of a commit reveal about it after its response was lost.
///
/// A commit is atomic: one of its writes stands for all, and all documents that it created have the same
/// create time.
enum LostCommit: Equatable {
  case applied, notApplied, unknown

  /// Decides by the current documents.
  init(on chunk: CommitScheduler.Chunk, _ documents: [DocumentPath: RawDocument]) {
    var seemsApplied = false
    var created: Set<Timestamp> = []
    for write in chunk.writes where write.mayBeApplied && write.isGuarded {
      let current = documents[write.write.path]
      switch write.state(in: current) {
      case .ready:
        if !write.isApplied(in: current) {
          self = .notApplied
          return
        }
      case .applied:
        seemsApplied = true
        // A later change of other fields may have raised the update time, but nothing lowers it.
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
