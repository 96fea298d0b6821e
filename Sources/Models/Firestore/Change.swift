/// A change to one document: from what was read to what is intended.
public struct Change: Sendable, Equatable {
  /// The document.
  public var path: DocumentPath
  /// As it was read, with its update time; nil where it is to be created.
  public var before: RawDocument?
  /// The fields as they will be, those of `serverTimes` left out; nil where it is to be deleted.
  public var after: FieldMap?
  /// Fields that the service sets to the time of the commit.
  public var serverTimes: [FieldPath]
  /// Why, as short codes in a fixed order (`fullName-from-parts`), for totals and plan files.
  public var reasons: [String]

  /// Makes a change.
  public init(
    path: DocumentPath,
    before: RawDocument?,
    after: FieldMap?,
    serverTimes: [FieldPath] = [],
    reasons: [String] = []
  ) {
    self.path = path
    self.before = before
    self.after = after
    self.serverTimes = serverTimes
    self.reasons = reasons
  }
}

extension Change {
  /// What a write makes of the document that it was decided on, nil where there is none.
  ///
  /// Fields that the service computes, in whatever way, count as ``serverTimes``.
  public init(_ write: Write, over before: RawDocument?) {
    self.init(path: write.path, before: before, after: nil, serverTimes: write.transforms.map(\.field))
    switch write.operation {
    case .delete: return
    case .update(let fields, nil): after = fields
    case .update(let fields, let mask?):
      var fieldsAfter = before?.fields ?? FieldMap()
      for path in mask { fieldsAfter[path] = fields[path] }
      after = fieldsAfter
    }
    for path in serverTimes { after?[path] = nil }
  }

  /// Whether the document stays as it is.
  public var isEmpty: Bool { serverTimes.isEmpty && before?.fields == after }

  /// Whether a document, nil where there is none, is as the change leaves it; server times aside.
  public func isApplied(to current: RawDocument?) -> Bool {
    guard let after else { return current == nil }
    guard var fields = current?.fields else { return false }
    for path in serverTimes { fields[path] = nil }
    return fields == after
  }
}
