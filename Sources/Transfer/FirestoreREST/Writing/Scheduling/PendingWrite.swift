/// A pending write to the service, encoded once.
package struct PendingWrite: Sendable {
  /// What stays, in one place: a write is copied from one list to another some ten times until it is settled.
  private final class Content: Sendable {
    let write: Write
    let json: [UInt8]
    let change: Change?
    let replans: Int

    init(_ write: Write, _ json: [UInt8], _ change: Change?, _ replans: Int) {
      (self.write, self.json, self.change, self.replans) = (write, json, change, replans)
    }
  }

  private let content: Content
  /// The approximate number of bytes held until it is settled: its JSON, again in the body of its commit, and its change.
  let bytes: Int
  var isJournaled = false
  /// Whether an attempt was sent; even the service's refusal may be the answer of something in between.
  var wasSent = false
  /// Whether the result of an attempt is unknown.
  ///
  /// It remains set, because a commit that had not been applied when it was read back may still be in flight.
  var mayBeApplied = false

  package var write: Write { content.write }
  /// The JSON of the write in a commit.
  var json: [UInt8] { content.json }
  /// The change that it makes, for the journal; nil for a write that was not derived from a document.
  var change: Change? { content.change }
  /// How often it was replanned because its document had changed.
  package var replans: Int { content.replans }

  init(_ write: Write, in database: DatabaseName, of change: Change? = nil, replans: Int = 0) {
    let json = write.json(in: database)
    content = Content(write, json, change, replans)
    bytes = 2 * json.count + (change?.heldBytes ?? 0)
  }

  init(_ change: Change, in database: DatabaseName, replans: Int = 0) {
    self.init(change.write, in: database, of: change, replans: replans)
  }
}

extension [PendingWrite] {
  var heldBytes: Int { reduce(0) { $0 + $1.bytes } }

  /// The number of deletes among them.
  var deletes: Int { count { $0.write.operation == .delete } }

  /// Marks the last attempt as sent.
  mutating func noteSent() {
    for index in indices { self[index].wasSent = true }
  }

  /// Marks the result of the last attempt as unknown.
  mutating func mayBeApplied() {
    for index in indices { self[index].mayBeApplied = true }
  }
}

/// The state of a document relative to a write, after reading it back.
enum WriteState: Equatable {
  case applied
  /// The write has not been applied and may be sent (again).
  case ready
  /// The document does not match the precondition.
  case conflict
}

extension PendingWrite {
  /// Returns the state for a current document, which is nil if it does not exist.
  func state(in current: RawDocument?) -> WriteState {
    let isMet =
      switch write.precondition {
      case .updateTime(let expected): current?.updateTime == expected
      case .exists(let exists): (current != nil) == exists
      case nil: true
      }
    // A guarded write changes what its precondition requires, so it has not been applied.
    if isMet && isGuarded { return .ready }
    if mayBeApplied && isApplied(in: current) { return .applied }
    return isMet ? .ready : .conflict
  }

  /// Whether the service refuses the write if its document has changed.
  var isGuarded: Bool {
    switch write.precondition {
    case .updateTime, .exists(false): true
    case .exists(true), nil: false
    }
  }

  /// Whether replanning it might apply it twice.
  var mustNotRepeat: Bool { mayBeApplied && write.hasIncrement }

  /// See ``Write/isApplied(in:)``.
  func isApplied(in current: RawDocument?) -> Bool { write.isApplied(in: current) }

  /// Returns the update time that the write set in a document that has its effect; nil if it is unknown because others have
  /// changed other fields since.
  ///
  /// It prevents a later change by somebody else from being taken for this write.
  ///
  /// - Parameter time: The time of the commit, as far as its documents show.
  func updateTime(in current: RawDocument?, committedAt time: Timestamp?) -> Timestamp? {
    guard let current, let found = current.updateTime else { return nil }
    if let time, time < found { return time }
    if let change, change.after?.asStored != current.fields.removing(change.serverTimes) { return nil }
    return found
  }
}

extension Write {
  /// Whether the document has the intended fields, apart from server times.
  ///
  /// Such a write would not change anything, so the update time reveals nothing.
  package func isApplied(in current: RawDocument?) -> Bool {
    switch operation.decoded {
    case .delete, .set: return current == nil
    case .update(let fields, let mask):
      guard let current else { return false }
      // The result of an increment is unknown, so other fields must decide.
      if hasIncrement, mask?.isEmpty ?? fields.isEmpty { return false }
      var intended = fields.asStored
      for transform in transforms {
        guard isApplied(transform, in: current.fields) else { return false }
        intended[transform.field] = current.fields[transform.field]
      }
      guard let mask else { return intended == current.fields }
      return mask.allSatisfy { intended[$0] == current.fields[$0] }
    }
  }

  private func isApplied(_ transform: FieldTransform, in fields: FieldMap) -> Bool {
    guard let value = fields[transform.field] else { return false }
    func holds(_ element: Value) -> Bool {
      value.array?.contains { ValueOrder.compare($0, element) == 0 } ?? false
    }
    switch transform.operation {
    case .requestTime:
      guard let time = value.timestamp else { return false }
      // A time from before the write is not its result.
      if case .updateTime(let before) = precondition { return time > before.flooredToMilliseconds }
      return true
    case .appendMissingElements(let elements): return elements.allSatisfy(holds)
    case .removeAllFromArray(let elements): return value.array != nil && !elements.contains(where: holds)
    case .increment: return true
    case .maximum(let bound): return ValueOrder.compare(value, bound) >= 0
    case .minimum(let bound): return ValueOrder.compare(value, bound) <= 0
    }
  }

  /// Whether it adds to a field, so that it is not idempotent.
  var hasIncrement: Bool {
    transforms.contains { if case .increment = $0.operation { true } else { false } }
  }

  /// Whether it could be applied twice with a different result.
  var isUnsafeToRepeat: Bool {
    guard hasIncrement else { return false }
    switch precondition {
    case .updateTime, .exists(false): return false
    case .exists(true), nil: return true
    }
  }
}

extension Timestamp {
  fileprivate var flooredToMilliseconds: Timestamp {
    Timestamp(seconds: seconds, nanoseconds: nanoseconds / 1_000_000 * 1_000_000) ?? self
  }
}
