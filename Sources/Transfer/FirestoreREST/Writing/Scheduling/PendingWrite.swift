package import FirestoreModels

/// A write on its way to the service, with its JSON made once.
package struct PendingWrite: Sendable {
  /// The write.
  package let write: Write
  /// Its JSON, as it stands in a commit.
  let json: [UInt8]
  /// The document that it was decided on, nil where there is none or it is not known.
  let before: RawDocument?
  /// How often it was planned again because its document had changed.
  package let replans: Int
  /// Whether the journal holds it.
  var isJournaled = false
  /// Whether an attempt ended without telling if it was applied.
  ///
  /// It stays so: what was not applied when it was read back may still be on its way.
  var mayBeApplied = false

  /// Makes one.
  init(_ write: Write, in database: DatabaseName, before: RawDocument? = nil, replans: Int = 0) {
    var json = JSONWriter()
    json.write(write, in: database)
    self.write = write
    self.json = json.bytes
    self.before = before
    self.replans = replans
  }

  /// Bytes of it in a commit's body, with its comma.
  var bytes: Int { json.count + 1 }
}

/// How a document stands to a write, judged by reading it back.
enum WriteState: Equatable {
  /// The write has been applied.
  case applied
  /// The write has not been applied and can be sent (again).
  case ready
  /// The document is not what the write expects.
  case conflict
}

extension PendingWrite {
  /// Judges by the document as it is now (nil where there is none).
  func state(in current: RawDocument?) -> WriteState {
    switch write.precondition {
    case .updateTime(let expected):
      if let current, current.updateTime == expected { return .ready }
      return mayBeApplied && isApplied(in: current) ? .applied : .conflict
    case .exists(false):
      if current == nil { return .ready }
      return mayBeApplied && isApplied(in: current) ? .applied : .conflict
    case .exists(true):
      if mayBeApplied && isApplied(in: current) { return .applied }
      return current == nil ? .conflict : .ready
    case nil:
      return mayBeApplied && isApplied(in: current) ? .applied : .ready
    }
  }

  /// Whether the write is refused by the service when its document has changed.
  var isGuarded: Bool {
    switch write.precondition {
    case .updateTime, .exists(false): true
    case .exists(true), nil: false
    }
  }

  /// Whether applying the write to the document changes nothing, so that its update time tells nothing.
  func leavesUnchanged(_ current: RawDocument?) -> Bool { isApplied(in: current) }

  /// Whether it cannot be planned again once it may have been applied, because that might be the second time.
  var mustNotRepeat: Bool { mayBeApplied && write.hasIncrement }

  /// Whether the document is as the write leaves it, server times aside.
  private func isApplied(in current: RawDocument?) -> Bool {
    switch write.operation {
    case .delete: return current == nil
    case .update(let fields, let mask):
      guard let current else { return false }
      // What an increment made cannot be told from what was there: the other fields have to tell.
      if write.hasIncrement, mask?.isEmpty ?? fields.isEmpty { return false }
      var intended = fields.asStored
      for transform in write.transforms {
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
      // A time that the document had when it was read is not this write's.
      if case .updateTime(let before) = write.precondition { return time > before.flooredToMilliseconds }
      return true
    case .appendMissingElements(let elements): return elements.allSatisfy(holds)
    case .removeAllFromArray(let elements): return value.array != nil && !elements.contains(where: holds)
    case .increment: return true
    case .maximum(let bound): return ValueOrder.compare(value, bound) >= 0
    case .minimum(let bound): return ValueOrder.compare(value, bound) <= 0
    }
  }
}

extension Write {
  /// Whether it adds to a field, so that applying it twice differs from applying it once.
  var hasIncrement: Bool {
    transforms.contains { if case .increment = $0.operation { true } else { false } }
  }

  /// Whether nothing would stop it from being applied twice where that makes a difference.
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
