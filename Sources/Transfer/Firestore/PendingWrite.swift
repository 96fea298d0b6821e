public import Models

/// A write on its way to the service, with its JSON made once.
public struct PendingWrite: Sendable {
  /// The write.
  public let write: Write
  /// Its JSON, as it stands in a commit.
  let json: [UInt8]
  /// How often it was planned again because its document had changed.
  public let replans: Int
  /// Whether an attempt ended without telling if it was applied.
  var mayBeApplied = false

  /// Makes one.
  init(_ write: Write, in database: DatabaseName, replans: Int = 0) {
    var json = JSONWriter()
    json.write(write, in: database)
    self.write = write
    self.json = json.bytes
    self.replans = replans
  }

  /// Bytes of it in a commit's body, with its comma.
  var bytes: Int { json.count + 1 }
}

/// How a document stands to a write, judged by reading it back.
enum Standing: Equatable {
  /// The write has been applied.
  case applied
  /// The write has not been applied and can be sent (again).
  case ready
  /// The document is not what the write expects.
  case conflict
}

extension PendingWrite {
  /// Judges by the document as it is now (nil where there is none).
  func standing(in current: RawDocument?) -> Standing {
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

  /// Whether being applied shows that the whole commit was: only where the write could not have been true before.
  func provesCommit(in current: RawDocument?) -> Bool {
    switch write.precondition {
    case .updateTime, .exists(false): standing(in: current) == .applied
    case .exists(true), nil: false
    }
  }

  /// Whether the document is as the write leaves it, server times aside.
  private func isApplied(in current: RawDocument?) -> Bool {
    switch write.operation {
    case .delete: return current == nil
    case .update(let fields, let mask):
      guard let current else { return false }
      var intended = fields
      var actual = current.fields
      for transform in write.transforms {
        guard Self.isApplied(transform, in: actual) else { return false }
        intended[transform.field] = nil
        actual[transform.field] = nil
      }
      guard let mask else { return intended == actual }
      return mask.allSatisfy { intended[$0] == actual[$0] }
    }
  }

  private static func isApplied(_ transform: FieldTransform, in fields: FieldMap) -> Bool {
    let value = fields[transform.field]
    switch transform.operation {
    case .requestTime: return value?.timestamp != nil
    case .appendMissingElements(let elements):
      guard let array = value?.array else { return false }
      return elements.allSatisfy(array.contains)
    case .removeAllFromArray(let elements):
      guard let array = value?.array else { return false }
      return !elements.contains(where: array.contains)
    // What an increment made cannot be told from what was there; such writes carry an update time, which tells.
    case .increment, .maximum, .minimum: return value != nil
    }
  }
}
