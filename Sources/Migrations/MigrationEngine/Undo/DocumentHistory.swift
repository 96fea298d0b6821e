import Runs

/// What a run did to one document, according to its journal; does no I/O.
struct DocumentHistory: Sendable, Equatable {
  /// The state of the document compared with what the run did.
  enum State: Equatable {
    case untouched
    case asLeft
    /// As it was before the run, because an undo restored it or the run never wrote it; further undos may have written it since.
    case asBefore
    case changedSince
  }

  /// The change from before the run to after the last change that is known to be applied.
  private(set) var confirmed: Change?
  /// The update time of that change, if the service reported it.
  private(set) var updateTime: Timestamp?
  /// A later change whose result is unknown.
  private(set) var open: Change?
  /// Whether somebody wrote the document between two changes that are known to be applied.
  private var isInterrupted = false

  /// The document before the run; nil if there was none.
  var before: RawDocument? { (confirmed ?? open)?.before }

  mutating func take(_ line: JournalReader.Line) {
    switch line {
    case .head: return
    case .change(let change, _):
      if let open { resolve(open, by: change.before) }
      open = change
    case .settled(_, let result, let time):
      if let open, result == "written" { confirm(open, at: time) }
      open = nil
    }
  }

  /// Decides whether a change without a response was applied, by what a later one found.
  ///
  /// One that may have been applied before somebody wrote the document counts as applied.
  private mutating func resolve(_ change: Change, by found: RawDocument?) {
    if change.before?.updateTime == found?.updateTime { return }
    if change.isApplied(to: found) {
      confirm(change, at: found?.updateTime)
    } else if change.isInDoubt(found), confirmed?.isAsLeft(found, at: updateTime) != true {
      confirm(change, at: nil)
    }
  }

  /// Adds a change that is known to be applied.
  private mutating func confirm(_ change: Change, at time: Timestamp?) {
    isInterrupted = isInterrupted || isOfOthers(change.before)
    confirmed = change.based(on: confirmed.map(\.before) ?? change.before)
    updateTime = time
  }

  /// Whether somebody wrote the document that a change found after the last one that is known to be applied.
  private func isOfOthers(_ found: RawDocument?) -> Bool {
    // One that was read before the run's first change tells nothing about the time since.
    guard let confirmed, found?.updateTime != confirmed.before?.updateTime else { return false }
    return !confirmed.isAsLeft(found, at: updateTime)
  }

  /// Whether somebody wrote a document between two changes of the run that left it, so that it cannot be said what it would be
  /// without them.
  ///
  /// - Parameter current: As in ``state(of:replaced:serverTime:)``.
  func isContested(_ current: RawDocument?) -> Bool {
    if isInterrupted { return true }
    guard let open, confirmed?.isAsLeft(current, at: updateTime) == false else { return false }
    return isOfOthers(open.before)
  }

  /// Determines the state from the current document, nil if there is none.
  ///
  /// - Parameters:
  ///   - current: The document, with the times of what undos restored, as returned by ``RunChanges/known(_:of:)``.
  ///   - replaced: What undos replaced.
  ///   - serverTime: A time by the service's clock before the run's first change.
  func state(
    of current: RawDocument?,
    replaced: ReplacedStates = ReplacedStates(),
    serverTime: Timestamp?
  ) -> State {
    // First, because a missing document has no time, so that one that an undo removed may be missing since after the run.
    if let confirmed, confirmed.isExactlyAsLeft(current, at: updateTime) { return .asLeft }
    if let open, open.before == nil, current != nil, open.seemsApplied(to: current, since: serverTime) {
      return .asLeft
    }
    if let first = confirmed ?? open, first.isAsBefore(current, replaced) {
      return confirmed == nil ? .untouched : .asBefore
    }
    if let open, open.seemsApplied(to: current, since: serverTime) { return .asLeft }
    guard let confirmed else {
      guard let open else { return .untouched }
      return isUntouched(open, current, serverTime) ? .untouched : .changedSince
    }
    return confirmed.isAsLeft(current, at: updateTime) ? .asLeft : .changedSince
  }

  private func isUntouched(_ change: Change, _ current: RawDocument?, _ serverTime: Timestamp?) -> Bool {
    if change.before != nil { return false }
    // One that was not written since is not younger, either.
    guard let created = current?.createTime ?? current?.updateTime, let serverTime else {
      return current == nil
    }
    return created < serverTime
  }
}

/// The states in which undos found a document, nobody else having written it since.
struct ReplacedStates: Sendable, Equatable {
  /// The update times of these states, and of those that they had restored.
  var times: Set<Timestamp> = []
  /// Whether it was missing, or is, because an undo deleted it.
  var isRemoved = false
  /// The update times of states since which only derived values have been written, by undos, what they undid, and the run itself.
  var derivedSince: Set<Timestamp> = []
}

extension Change {
  /// Whether a document is as a confirmed change left it, that is, nobody has written it since.
  ///
  /// Equal fields prove nothing, because somebody may have changed them and changed them back.
  ///
  /// - Parameter updateTime: The update time that the change set; if nil, the fields decide.
  func isAsLeft(_ current: RawDocument?, at updateTime: Timestamp?) -> Bool {
    guard !isDeletion else { return current == nil }
    guard let updateTime, let now = current?.updateTime else { return isApplied(to: current) }
    return now == updateTime
  }

  /// As ``isAsLeft(_:at:)``, if the update time proves it.
  func isExactlyAsLeft(_ current: RawDocument?, at updateTime: Timestamp?) -> Bool {
    guard !isDeletion, let updateTime else { return false }
    return current?.updateTime == updateTime
  }

  /// Whether a document is unchanged since before the change, and not only equal to it: a later run may have written the same.
  ///
  /// - Parameter replaced: What undos replaced. What another program wrote or deleted proves nothing.
  func isAsBefore(_ current: RawDocument?, _ replaced: ReplacedStates) -> Bool {
    guard let before else { return replaced.isRemoved }
    if let time = before.updateTime, replaced.times.contains(time) { return true }
    guard let current else { return false }
    guard let time = before.updateTime, let now = current.updateTime else {
      return before.fields == current.fields
    }
    return now == time
  }

  /// Whether a change without a response seems to be applied, and nothing written since, judging by the document's times.
  ///
  /// A program that wrote the same fields cannot be told apart from the run.
  func seemsApplied(to current: RawDocument?, since serverTime: Timestamp?) -> Bool {
    guard isApplied(to: current) else { return false }
    guard let current else { return true }
    if let written = current.updateTime, let serverTime, written < serverTime { return false }
    guard let before else {
      guard let created = current.createTime else { return true }
      return created == current.updateTime
    }
    if let created = current.createTime, let old = before.createTime, created != old { return false }
    return current.updateTime != before.updateTime
  }
}

extension Change {
  /// Whether a document has what an update sets and was written since the update was decided; other fields may have changed.
  func isContained(in current: RawDocument?) -> Bool {
    guard let current, let before, current.updateTime != before.updateTime,
      case .update(let fields, let mask?) = write.operation.decoded, !mask.isEmpty
    else { return false }
    return mask.allSatisfy { fields[$0] == current.fields[$0] }
  }
}

extension DocumentHistory {
  /// The JSON for the spool.
  var json: [UInt8] {
    JSONWriter.object { json in
      func change(_ name: StaticString, _ change: Change?) {
        guard let change else { return }
        json.key(name)
        json.object { $0.members(of: change) }
      }
      change("confirmed", confirmed)
      change("open", open)
      if let updateTime {
        json.key("updateTime")
        json.timestamp(updateTime)
      }
      if isInterrupted { json.member("isInterrupted", true) }
    }
  }

  /// Reads what ``json`` wrote.
  init(_ json: JSONCursor, _ decoder: inout WireDecoder) throws(WireError) {
    if let change = json["confirmed"] { confirmed = try decoder.change(change) }
    if let change = json["open"] { open = try decoder.change(change) }
    if let time = json["updateTime"] { updateTime = try WireDecoder.timestamp(time, member: "updateTime") }
    isInterrupted = json["isInterrupted"] != nil
  }
}
