/// A change to one document: from what was read to what is intended.
package struct Change: Sendable {
  /// What becomes of the document.
  enum Effect: Sendable {
    /// It is created with these fields.
    case creation(FieldMap)
    /// Some of its fields become others.
    case update(FieldEdit)
    /// It is deleted.
    case deletion
  }

  /// The document.
  package let path: DocumentPath
  /// As it was read, with its update time; nil where it is to be created.
  package let before: RawDocument?
  /// What becomes of it: what stays is held once.
  let effect: Effect
  /// Fields that the service sets to the time of the commit.
  package var serverTimes: [FieldPath]
  /// Why, as short codes in a fixed order (`fullName-from-parts`), for totals and plan files.
  package var reasons: [String]

  /// Makes a change.
  ///
  /// - Parameter after: As of ``after``.
  package init(
    path: DocumentPath,
    before: RawDocument?,
    after: FieldMap?,
    serverTimes: [FieldPath] = [],
    reasons: [String] = []
  ) {
    self.path = path
    self.before = before
    self.serverTimes = serverTimes
    self.reasons = reasons
    effect =
      if let after {
        before.map { .update(FieldEdit(from: $0.fields, to: after)) } ?? .creation(after)
      } else {
        .deletion
      }
  }

  /// Makes a change of some fields of a document.
  ///
  /// - Parameter edit: What is set and removed; the fields of `serverTimes` are removed.
  package init(
    of before: RawDocument,
    _ edit: FieldEdit,
    serverTimes: [FieldPath] = [],
    reasons: [String] = []
  ) {
    path = before.path
    self.before = before
    effect = .update(edit)
    self.serverTimes = serverTimes
    self.reasons = reasons
  }

  /// The fields as they will be, those of `serverTimes` left out; nil where it is to be deleted.
  package var after: FieldMap? {
    switch effect {
    case .creation(let fields): fields
    case .update(let edit): before?.fields.applying(edit)
    case .deletion: nil
    }
  }

  /// Whether the document is to be deleted.
  package var isDeletion: Bool { if case .deletion = effect { true } else { false } }
}

extension Change: Equatable {
  /// Whether both make the same of the same.
  package static func == (a: Change, b: Change) -> Bool {
    a.path == b.path && a.before == b.before && a.after == b.after && a.serverTimes == b.serverTimes
      && a.reasons == b.reasons
  }
}

extension Change {
  /// What a write makes of the document that it was decided on, nil where there is none.
  ///
  /// Fields that the service computes, in whatever way, count as ``serverTimes``.
  package init(_ write: Write, over before: RawDocument?) {
    let serverTimes = write.transforms.map(\.field)
    var after: FieldMap?
    switch write.operation {
    case .delete: break
    case .update(let fields, nil): after = fields
    case .update(let fields, let mask?):
      var fieldsAfter = before?.fields ?? FieldMap()
      for path in mask { fieldsAfter[path] = fields[path] }
      after = fieldsAfter
    }
    for path in serverTimes { after?[path] = nil }
    self.init(path: write.path, before: before, after: after, serverTimes: serverTimes)
  }

  /// Whether the document stays as it is.
  package var isEmpty: Bool { serverTimes.isEmpty && before?.fields == after }

  /// Whether a document, nil where there is none, is as the change leaves it; server times aside.
  package func isApplied(to current: RawDocument?) -> Bool {
    guard let after else { return current == nil }
    guard var fields = current?.fields else { return false }
    for path in serverTimes { fields[path] = nil }
    return fields == after
  }
}
