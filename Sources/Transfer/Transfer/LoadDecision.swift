import FirestoreREST
import Schema

/// Decides what is written of a document, given the mode and who sets its times.
struct LoadDecision: Sendable {
  let mode: WriteMode
  /// Who sets the times of the documents of an input.
  var times: @Sendable (_ input: Int) -> LoadTimes
  let schema: DatabaseSchema

  /// Checks changes for objections before they are made; nil to make every change.
  var guarding: LoadGuard?
  /// Adds default fields to a document; `isNew` says whether it does not exist yet.
  var completing: (@Sendable (RawDocument, _ isNew: Bool) -> RawDocument)?
  /// Called with each change that is going to be made.
  var recording: (@Sendable (Change) -> Void)?
  /// The fields that could not be used, of which a document that is replaced keeps the stored values; nil for none.
  var skipped: SkippedFields?
  /// Whether a document that has an update time is only written over the version of that time, so that one that was written
  /// or deleted since is left alone.
  var heedsTimes = false

  private static let creation = ["create"]
  private let reasons: [String]

  init(mode: WriteMode, times: LoadTimes, schema: DatabaseSchema) {
    (self.mode, self.schema) = (mode, schema)
    self.times = { _ in times }
    reasons = [mode.rawValue]
  }

  func decide(_ document: LoadDocument, current: RawDocument?) -> WriteMode.Decision {
    let decision = decideTimes(completed(document, current), current)
    guard case .change(var change) = decision else { return decision }
    if isOutdated(document, current) {
      let what = current == nil ? "deleted" : "written"
      return .rejected(
        FirestoreError(.aborted, "it was \(what) since it was listed; plan again, and import that list"),
        breach: WriteMode.changedSince
      )
    }
    change.input = document.input
    if let objection = guarding?.refusal(of: change) {
      let status: FirestoreError.Status = current == nil ? .notFound : .failedPrecondition
      return .rejected(FirestoreError(status, objection.message), breach: objection.code)
    }
    change.reasons = current == nil ? Self.creation : reasons
    return .change(change)
  }

  /// Whether a document was listed with an update time that is not that of the current one.
  ///
  /// Mode create detects this by itself.
  private func isOutdated(_ document: LoadDocument, _ current: RawDocument?) -> Bool {
    guard heedsTimes, mode != .create, case .decoded(let listed) = document.content,
      let time = listed.updateTime
    else { return false }
    return current?.updateTime != time
  }

  /// Whether a document brings a time of creation that differs from the stored one and is not written.
  func drops(timeOf document: LoadDocument, _ current: RawDocument?) -> Bool {
    guard times(document.input) == .server, case .decoded(let document) = document.content,
      let field = schema.collection(document.path.collection)?.createTime, field.setter == .server,
      document.fields[field.path]?.timestamp != nil
    else { return false }
    // Compared both ways, so that times that only a spreadsheet's rounding sets apart count as equal.
    guard let current, current.fields[field.path]?.timestamp != nil else { return true }
    return document.brings(field.path, laterThan: current) || current.brings(field.path, laterThan: document)
  }

  /// Returns a document as it is to be written: with defaults, and with the stored values of skipped fields.
  private func completed(_ document: LoadDocument, _ current: RawDocument?) -> LoadDocument {
    if case .absent = document.content { return document }
    var complete = document
    if let completing { complete.content = .decoded(completing(document.document, current == nil)) }
    guard mode == .upsert || mode == .replace, let current else { return complete }
    return skipped?.completed(complete, from: current) ?? complete
  }

  /// Returns a document as a list of rejects has it, so that an import of the list does what this one would have done.
  ///
  /// It is the document of the input, with the update time that it depends on. It is nil for a document that was to be
  /// deleted, and for one that lacks skipped fields: the list of these has the document with all of them.
  func listed(_ document: LoadDocument) -> RawDocument? {
    if case .absent = document.content { return nil }
    if let skipped, !skipped.fields(of: document.path).isEmpty { return nil }
    var listed = document.document
    if !heedsTimes { listed.updateTime = nil }
    return listed
  }

  private func decideTimes(_ document: LoadDocument, _ current: RawDocument?) -> WriteMode.Decision {
    if case .absent = document.content { return mode.decide(document, current: current) }
    switch times(document.input) {
    case .kept: break
    case .changed:
      guard mode != .create, let current,
        let field = schema.collection(document.path.collection)?.serverUpdateTime
      else { break }
      if mode.hasAll(of: document, current) { return .unchanged }
      let incoming = document.document
      if incoming.brings(field, laterThan: current) { break }
      return decide(incoming, current: current, setting: [field])
    case .server:
      guard let collection = schema.collection(document.path.collection) else { break }
      let set = current == nil ? collection.serverTimes : collection.serverUpdateTime.map { [$0] } ?? []
      return decide(document.document, current: current, keeping: collection.serverTimes, setting: set)
    }
    return mode.decide(document, current: current)
  }

  /// Decides on a document whose times are first replaced by the stored ones, so that they never count as a difference.
  private func decide(
    _ document: RawDocument,
    current: RawDocument?,
    keeping kept: [FieldPath]? = nil,
    setting set: [FieldPath]
  ) -> WriteMode.Decision {
    var document = document
    for field in kept ?? set { document.fields[field] = current?.fields[field] }
    let decision = mode.decide(.decoded(document), current: current)
    guard case .change(let change) = decision else { return decision }
    return .change(change.setting(set))
  }
}

extension RawDocument {
  /// Whether a field holds a later time than in another document, or that document has none.
  ///
  /// Differences below a millisecond do not count, because spreadsheets round times to that.
  fileprivate func brings(_ field: FieldPath, laterThan other: RawDocument) -> Bool {
    guard let time = fields[field]?.timestamp else { return false }
    guard let known = other.fields[field]?.timestamp else { return true }
    let seconds = Double(time.seconds - known.seconds)
    return seconds * 1000 + Double(time.nanoseconds - known.nanoseconds) / 1_000_000 >= 1
  }
}
