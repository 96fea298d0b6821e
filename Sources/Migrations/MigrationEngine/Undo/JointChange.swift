/// What a run wrote in one transaction, according to its journal; does no I/O.
struct JointChange: Sendable, Equatable {
  /// One document of the transaction.
  struct Part: Sendable, Equatable {
    var change: Change
    /// The result by name, as in the journal; nil without a response.
    var result: String?
    /// The update time that the transaction set, if the journal has it.
    var updateTime: Timestamp?
  }

  var number: Int
  var parts: [Part]

  /// Determines the state of the documents together, because a transaction writes all of them or none.
  ///
  /// - Parameters:
  ///   - current: The current documents, with the times of what undos restored.
  ///   - removed: The documents that an undo deleted.
  ///   - serverTime: A time by the service's clock before the run's first change.
  ///   - derived: Whether a change only maintains a derived value, which others may have written since.
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
    // A commit has a single update time.
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
    // What it would have created is missing, and what it would have deleted exists, so there is nothing to restore.
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
