package import FirestoreREST

/// Restores what a run changed: every document that is still as the run left it becomes exactly what it was before.
///
/// Documents that the run created are deleted, and those that it deleted are created again. A document that was changed since is
/// left alone and listed as conflicted. What the run meant to change and did not is left alone, too. What the run wrote in one
/// transaction is restored in one transaction, the last one first, or left alone as a whole.
package struct UndoRun: ChangeList {
  /// `undo RUN`.
  package let id: String
  /// The collections that the run changed; they are not read, but their documents are looked up.
  package let collections: [CollectionPath]
  private let changes: RunChanges
  private let client: FirestoreClient
  private let rules: (any RestorationRules)?

  /// The number of documents that are looked up together.
  private static let batch = 300

  /// - Parameter rules: The application's rules; nil for none.
  /// - Throws: `.notPermitted` if the run changed another database.
  package init(
    _ run: String,
    _ changes: RunChanges,
    client: FirestoreClient,
    rules: (any RestorationRules)? = nil
  ) throws(Failure) {
    try changes.assertOf(client.database, "undo", run)
    id = "undo \(run)"
    collections = changes.collections
    self.changes = changes
    self.client = client
    self.rules = rules
  }

  package var applied: [LedgerEntry.Applied] { [LedgerEntry.Applied(id: id, checksum: nil)] }

  /// Looks up every document and records the change that restores it.
  ///
  /// Positions are paths of documents, followed by numbers of transactions.
  package func record(
    in sink: any PlanSink,
    after position: String?,
    mark: (String) async throws -> Void
  ) async throws {
    var number = position.flatMap { Int($0) }
    if number == nil { try await recordSingle(in: sink, after: position, mark: mark) }
    while let joint = try changes.jointChange(before: number) {
      try Task.checkCancellation()
      try await sink.record(decision(on: joint))
      try await mark(String(joint.number))
      number = joint.number
    }
  }

  private func recordSingle(
    in sink: any PlanSink,
    after position: String?,
    mark: (String) async throws -> Void
  ) async throws {
    var last = position.flatMap { DocumentPath($0) }
    while true {
      try Task.checkCancellation()
      let page = try changes.page(after: last, limit: min(Self.batch, client.lookupSize), withJoint: false)
      guard let end = page.last?.path else { return }
      let current = try await client.batchGet(page.map(\.path))
      let known = try changes.known(current, of: page.map(\.path))
      for (path, history) in page {
        let state = history.state(
          of: known.documents[path],
          replaced: known.replaced[path] ?? ReplacedStates(),
          serverTime: changes.serverTime
        )
        let outcome = outcome(for: path, state, history.before, current[path])
        try await sink.record(outcome, of: current[path] ?? RawDocument(path: path, fields: FieldMap()))
      }
      last = end
      try await mark(end.string)
    }
  }

  /// Returns the outcome for one document, nil if there is none.
  private func outcome(
    for path: DocumentPath,
    _ state: DocumentHistory.State,
    _ before: RawDocument?,
    _ current: RawDocument?
  ) -> Outcome {
    switch state {
    case .untouched, .asBefore: return Outcome(.unchanged)
    case .changedSince: return Outcome(.conflict)
    case .asLeft:
      let change = Self.restoration(of: path, to: before, from: current)
      return Outcome(change.map { .change($0) } ?? .unchanged)
    }
  }

  private static func restoration(
    of path: DocumentPath,
    to before: RawDocument?,
    from current: RawDocument?
  ) -> Change? {
    if before?.fields == current?.fields { return nil }
    let reason = before == nil ? "created-by-run" : current == nil ? "deleted-by-run" : "changed-by-run"
    return Change(path: path, before: current, after: before?.fields, reasons: [reason])
  }

  // MARK: Transactions

  private func decision(on joint: JointChange) -> JointDecision {
    JointDecision(path: joint.parts[0].change.path) { reader in
      try await outcomes(for: joint, in: reader)
    } didCommit: { restored, times in
      for (change, time) in zip(restored, times) {
        guard let part = joint.parts.first(where: { $0.change.path == change.path }) else { continue }
        try changes.note(change, at: time, restores: part.change.before)
      }
    }
  }

  /// Returns the outcomes of a transaction's documents, and of those that change with them.
  private func outcomes(
    for joint: JointChange,
    in reader: any DocumentReader
  ) async throws -> [JointDecision.Decided] {
    let made = joint.parts.map(\.change)
    let current = try await reader.documents(made.map(\.path))
    func isDerived(_ change: Change) -> Bool { rules?.isDerived(change) ?? false }
    let known = try changes.known(current, of: made.map(\.path))
    let state = joint.state(
      of: known.documents,
      replaced: known.replaced,
      serverTime: changes.serverTime,
      ignoring: isDerived
    )
    func all(_ outcome: (DocumentPath) -> Outcome) -> [JointDecision.Decided] {
      made.map { (current[$0.path] ?? RawDocument(path: $0.path, fields: FieldMap()), outcome($0.path)) }
    }
    func conflict(_ reason: String) -> [JointDecision.Decided] {
      all { path in
        let finding = Finding(.reject, path: path, code: Finding.conflictCode, message: reason)
        return Outcome(.conflict, findings: [finding])
      }
    }
    switch state {
    case .untouched, .asBefore: return all { _ in Outcome(.unchanged) }
    case .changedSince: return conflict(Finding.Conflict.otherChangedSince.rawValue)
    case .asLeft: break
    }
    let restoring = made.compactMap { change in
      isDerived(change)
        ? nil : Self.restoration(of: change.path, to: change.before, from: current[change.path])
    }
    switch try await rules?.complete(restoring, undoing: made, in: reader) ?? .changes(restoring) {
    case .refused(let reason): return conflict(reason)
    case .changes(let restored):
      let written: [JointDecision.Decided] = restored.map { change in
        let document = change.before ?? RawDocument(path: change.path, fields: FieldMap())
        return (document, Outcome(.change(change)))
      }
      let paths = Set(restored.map(\.path))
      return written + all { _ in Outcome(.unchanged) }.filter { !paths.contains($0.document.path) }
    }
  }
}
