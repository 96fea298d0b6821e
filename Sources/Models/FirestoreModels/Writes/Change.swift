/// An intended change to one document: its state when it was read, and its new state.
///
/// Migrations and imports produce changes; ``write`` turns a change into a REST write with a mask and a precondition.
///
///     let change = Change(
///       of: document,
///       ["name": .string("Ana López"), "title": nil],
///       serverTimes: [FieldPath(field: "updatedAt")],
///       reasons: ["name-from-title"]
///     )
///     change.differences.map(\.path)    // [name, title, updatedAt]
///     change.write.precondition         // .updateTime(…), as the document was read
package struct Change: Sendable, Equatable {
  /// What a change does to its document.
  package enum Kind: String, Sendable, CaseIterable {
    case create, update, delete
  }

  enum Effect: Sendable {
    /// Creates the document with these fields.
    case creation(FieldMap)
    /// Creates the document with fields that are encoded already.
    case encodedCreation(EncodedDocument)
    /// Sets and deletes some fields.
    case update(FieldEdit)
    /// Replaces all fields, whatever the document has.
    case replacement(FieldMap)
    /// Deletes the document.
    case deletion
  }

  package let path: DocumentPath
  /// The document as it was read, with its update time; nil to create it.
  package let before: RawDocument?
  /// What the change does; unchanged fields are not copied.
  let effect: Effect
  /// The fields that the service sets to the commit time.
  package var serverTimes: [FieldPath] = []
  /// The reasons as short codes in a fixed order (`name-from-title`), for totals and plan files.
  package var reasons: [String] = []
  /// The index of the file or sheet that an import has it from; 0 for other changes.
  package var input = 0

  /// The intended fields without those in ``serverTimes``; nil to delete the document.
  package var after: FieldMap? {
    switch effect {
    case .creation(let fields), .replacement(let fields): fields
    case .encodedCreation(let document): document.fields
    case .update(let edit): before?.fields.applying(edit)
    case .deletion: nil
    }
  }

  /// An estimate of the size of the change as JSON, in bytes.
  package var estimatedBytes: Int {
    if case .encodedCreation(let document) = effect { document.creation.count + 100 } else { 512 }
  }

  package var isDeletion: Bool { if case .deletion = effect { true } else { false } }

  package var kind: Kind { isDeletion ? .delete : before == nil ? .create : .update }

  package static func == (a: Change, b: Change) -> Bool {
    a.path == b.path && a.before == b.before && a.after == b.after && a.serverTimes == b.serverTimes
      && a.reasons == b.reasons && a.input == b.input
  }
}

extension Change {
  /// Creates a change from complete documents.
  package init(
    path: DocumentPath,
    before: RawDocument?,
    after: FieldMap?,
    serverTimes: [FieldPath] = [],
    reasons: [String] = []
  ) {
    let effect: Effect =
      if let after {
        before.map { .update(FieldEdit(from: $0.fields, to: after)) } ?? .creation(after)
      } else {
        .deletion
      }
    self.init(path: path, before: before, effect: effect, serverTimes: serverTimes, reasons: reasons)
  }

  /// Creates a change to some fields of a document.
  ///
  /// - Parameter edit: The fields to set and delete, including deletions of the fields in `serverTimes`.
  package init(
    of before: RawDocument,
    _ edit: FieldEdit,
    serverTimes: [FieldPath] = [],
    reasons: [String] = []
  ) {
    let effect = Effect.update(edit)
    self.init(path: before.path, before: before, effect: effect, serverTimes: serverTimes, reasons: reasons)
  }

  /// Creates a change that creates a document, with one field set to the commit time by the service.
  package init(creating path: DocumentPath, _ fields: FieldMap, stamping time: String, reason: String) {
    let times = [FieldPath(field: time)]
    self.init(path: path, before: nil, after: fields, serverTimes: times, reasons: [reason])
  }

  /// Creates a change that creates an already encoded document.
  package init(creating document: EncodedDocument) {
    self.init(path: document.path, before: nil, effect: .encodedCreation(document))
  }

  /// Creates a change that replaces all fields of a document, whatever it has.
  package init(replacing before: RawDocument, with fields: FieldMap) {
    self.init(path: before.path, before: before, effect: .replacement(fields))
  }

  /// Creates a change that modifies nothing, and whose write fails if the document does not exist.
  package init(touching path: DocumentPath) {
    self.init(of: RawDocument(path: path, fields: FieldMap()), FieldEdit())
  }

  /// Returns the same change based on another version of the document; nil for a missing document.
  package func based(on before: RawDocument?) -> Change {
    Change(path: path, before: before, after: after, serverTimes: serverTimes, reasons: reasons)
  }

  /// Returns the same change with these fields set to the commit time by the service.
  package func setting(_ times: [FieldPath]) -> Change {
    if times.isEmpty || isDeletion { return self }
    let after = after?.removing(times)
    var change =
      if case .replacement = effect, let before, let after {
        Change(replacing: before, with: after)
      } else {
        Change(path: path, before: before, after: after)
      }
    (change.serverTimes, change.reasons, change.input) = (times, reasons, input)
    return change
  }

  /// Whether the change leaves the document as it is.
  package var isEmpty: Bool {
    if case .encodedCreation = effect { return false }
    return serverTimes.isEmpty && before?.fields == after
  }

  /// Whether a document (nil if missing) is already as the change leaves it, ignoring server times.
  package func isApplied(to current: RawDocument?) -> Bool {
    guard let after else { return current == nil }
    return current?.fields.removing(serverTimes) == after
  }

  /// Whether a change without a response may have been applied to a document (nil if missing) that somebody has written since.
  package func isInDoubt(_ current: RawDocument?) -> Bool {
    if current?.updateTime == before?.updateTime || isApplied(to: current) { return false }
    // A document that was deleted has another time of creation when it is made again.
    return !isDeletion || current?.createTime != before?.createTime
  }
}
