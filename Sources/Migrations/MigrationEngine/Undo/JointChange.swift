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
  ///   - replaced: What undos replaced.
  ///   - serverTime: A time by the service's clock before the run's first change.
  ///   - derived: Whether a change only maintains a derived value, which others may have written since.
  func state(
    of current: [DocumentPath: RawDocument],
    replaced: [DocumentPath: ReplacedStates] = [:],
    serverTime: Timestamp?,
    ignoring derived: (Change) -> Bool = { _ in false }
  ) -> DocumentHistory.State {
    if parts.contains(where: { $0.result == "written" }) {
      return writtenState(of: current, replaced, parts.filter { !derived($0.change) })
    }
    if parts.allSatisfy({ $0.result != nil }) { return .untouched }
    return openState(of: current, replaced, serverTime)
  }

  private func writtenState(
    of current: [DocumentPath: RawDocument],
    _ replaced: [DocumentPath: ReplacedStates],
    _ parts: [Part]
  ) -> DocumentHistory.State {
    // A commit has a single update time.
    let time = self.parts.compactMap(\.updateTime).min()
    let isAsLeft = parts.allSatisfy { $0.isAsLeft(current, replaced, at: $0.updateTime ?? time) }
    let isExact = parts.contains { part in
      part.change.isExactlyAsLeft(current[part.change.path], at: part.updateTime ?? time)
    }
    if isAsLeft, isExact { return .asLeft }
    if !parts.isEmpty, parts.allSatisfy({ $0.isAsBefore(current, replaced) }) { return .asBefore }
    return isAsLeft ? .asLeft : .changedSince
  }

  private func openState(
    of current: [DocumentPath: RawDocument],
    _ replaced: [DocumentPath: ReplacedStates],
    _ serverTime: Timestamp?
  )
    -> DocumentHistory.State
  {
    let isUnwritten = parts.contains { part in
      part.change.before?.updateTime != nil && part.isAsBefore(current, replaced)
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

extension JointChange.Part {
  fileprivate func isAsLeft(
    _ current: [DocumentPath: RawDocument],
    _ replaced: [DocumentPath: ReplacedStates],
    at time: Timestamp?
  ) -> Bool {
    let document = current[change.path]
    if change.isAsLeft(document, at: time) { return true }
    guard let time, let states = replaced[change.path], states.derivedSince.contains(time) else {
      return false
    }
    return change.isApplied(to: document)
  }

  fileprivate func isAsBefore(
    _ current: [DocumentPath: RawDocument],
    _ replaced: [DocumentPath: ReplacedStates]
  ) -> Bool {
    change.isAsBefore(current[change.path], replaced[change.path] ?? ReplacedStates())
  }
}
