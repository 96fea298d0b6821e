/// What a run wrote in one transaction, by the lines of its journal; pure.
struct JointChange: Sendable, Equatable {
  /// One document of it.
  struct Part: Sendable, Equatable {
    var change: Change
    /// The result by name, as in the journal; nil where nothing was heard.
    var result: String?
    /// The update time that the transaction set, where the journal has it.
    var updateTime: Timestamp?
  }

  /// Its number in the journal.
  var number: Int
  var parts: [Part]

  /// Judges the documents together: a transaction wrote all of them or none.
  ///
  /// - Parameters:
  ///   - current: The documents as they are now, with the times of what undos restored.
  ///   - removed: Those that an undo deleted.
  ///   - serverTime: A moment by the service's clock before the run's first change.
  ///   - derived: Whether a change only keeps up a value that is derived again, so that others may have written it since.
  func state(
    of current: [DocumentPath: RawDocument],
    removed: Set<DocumentPath> = [],
    serverTime: Timestamp?,
    ignoring derived: (Change) -> Bool = { _ in false }
  ) -> DocumentHistory.State {
    if parts.contains(where: { $0.result == "written" }) {
      return writtenState(of: current, removed, parts.filter { !derived($0.change) })
    }
    if parts.allSatisfy({ $0.result != nil }) { return .untouched }
    return openState(of: current, serverTime)
  }

  private func writtenState(
    of current: [DocumentPath: RawDocument],
    _ removed: Set<DocumentPath>,
    _ parts: [Part]
  ) -> DocumentHistory.State {
    // One commit has one time.
    let time = self.parts.compactMap(\.updateTime).min()
    if parts.allSatisfy({ $0.change.isAsLeft(current[$0.change.path], at: $0.updateTime ?? time) }) {
      return .asLeft
    }
    let isBefore = parts.allSatisfy { part in
      part.change.isAsBefore(current[part.change.path], isRemoved: removed.contains(part.change.path))
    }
    return isBefore ? .asBefore : .changedSince
  }

  private func openState(
    of current: [DocumentPath: RawDocument],
    _ serverTime: Timestamp?
  )
    -> DocumentHistory.State
  {
    let isUnwritten = parts.contains { part in
      guard let time = part.change.before?.updateTime else { return false }
      return current[part.change.path]?.updateTime == time
    }
    if isUnwritten { return .untouched }
    // What it would have made is not there, and what it would have deleted is: nothing of it is left to put back.
    let existence = parts.filter { $0.change.before == nil || $0.change.isDeletion }
    if !existence.isEmpty,
      existence.allSatisfy({ ($0.change.before == nil) == (current[$0.change.path] == nil) })
    {
      return .untouched
    }
    let times = Set(parts.compactMap { current[$0.change.path]?.updateTime })
    let isApplied =
      times.count <= 1
      && parts.allSatisfy { $0.change.seemsApplied(to: current[$0.change.path], since: serverTime) }
    return isApplied ? .asLeft : .changedSince
  }
}
