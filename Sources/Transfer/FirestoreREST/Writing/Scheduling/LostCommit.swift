/// What the documents of a commit reveal about it after its response was lost.
///
/// A commit is atomic: one of its writes represents all of them, and all documents that it created have the same create
/// time.
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

  /// Returns the earliest possible time of the commit, given that it was applied; nil if no document shows it.
  ///
  /// All of its writes have the same time, so a document with a later time was written by somebody else since.
  static func time(of writes: [PendingWrite], _ documents: [DocumentPath: RawDocument]) -> Timestamp? {
    writes.filter(\.isGuarded).compactMap { write in
      let current = documents[write.write.path]
      guard write.state(in: current) == .applied else { return nil }
      return write.write.precondition == .exists(false) ? current?.createTime : current?.updateTime
    }.min()
  }
}
