package import FirestoreREST

/// Restores what a run changed: every document that is still as the run left it becomes exactly what it was before.
///
/// Documents that the run created are deleted, and those that it deleted are created again. A document that was changed since is
/// left alone and listed as conflicted. What the run meant to change and did not is left alone, too. What the run wrote in one
/// transaction is restored in one transaction, the last one first, or left alone as a whole.
///
/// A document that the run created is not deleted while something lies below it that came later and stays
/// (``SubcollectionGuard``). What was there before the run was there without the document then, too.
package struct UndoRun: ChangeList {
  /// `undo RUN`.
  package let id: String
  /// The collections that the run changed; they are not read, but their documents are looked up.
  package let collections: [CollectionPath]
  private let changes: RunChanges
  private let client: FirestoreClient
  private let rules: (any RestorationRules)?
  /// What is planned to be deleted, apart from transactions; nothing while writing, when it is gone or stays.
  private let deletions: PlannedDeletions

  /// The number of documents that are looked up together.
  private static let batch = 300

  /// What precedes the path in the position of a document that the run created; with it, the text is no path of a document.
  private static let createdMark = "created/"

  /// - Parameter rules: The application's rules; nil for none.
  /// - Throws: `.notPermitted` if the run changed another database; `.cannotWrite`.
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
    deletions = try PlannedDeletions()
  }

  /// Looks up every document and records the change that restores it.
  ///
  /// Those that the run created follow, deepest first, so that what lies below is settled before it is looked for.
  ///
  /// Positions are paths of documents that existed before the run, followed by paths of those that it created, with a mark, and
  /// by numbers of transactions.
  package func record(
    in sink: any PlanSink,
    after position: String?,
    mark: (String) async throws -> Void
  ) async throws {
    var number = position.flatMap { Int($0) }
    if number == nil {
      let existing = position.flatMap { DocumentPath($0) }
      var created: DocumentPath?
      if let position, existing == nil {
        created = DocumentPath(String(Substring(position.utf8.dropFirst(Self.createdMark.utf8.count))))
      } else {
        try await record(.existing, in: sink, after: existing) { try await mark($0.string) }
      }
      let last = created?.segments.count
      for segments in try changes.segmentsOfCreated() {
        if let last, last < segments { continue }
        let path = last == segments ? created : nil
        try await record(.created(segments: segments), in: sink, after: path) {
          try await mark(Self.createdMark + $0.string)
        }
      }
    }
    _ = try await sink.drain()
    while let joint = try changes.jointChange(before: number) {
      try Task.checkCancellation()
      try await sink.record(decision(on: joint))
      try await mark(String(joint.number))
      number = joint.number
    }
  }

  private func record(
    _ part: RunChanges.Part,
    in sink: any PlanSink,
    after path: DocumentPath?,
    mark: (DocumentPath) async throws -> Void
  ) async throws {
    var last = path
    let isWritten = try await sink.drain()
    while true {
      try Task.checkCancellation()
      let page = try changes.page(part, after: last, limit: min(Self.batch, client.lookupSize))
      guard let end = page.last?.path else { return }
      let current = try await client.batchGet(page.map(\.path))
      let known = try changes.known(current, of: page.map(\.path))
      let settled = try changes.settled(page.map(\.path))
      var outcomes = page.map { path, history in
        let isContested = history.isContested(known.documents[path])
        // A run that was resumed after its undo may have written it again.
        if settled.contains(path), !isContested { return Outcome(.unchanged) }
        let state = history.state(
          of: known.documents[path],
          replaced: known.replaced[path] ?? ReplacedStates(),
          serverTime: changes.serverTime
        )
        if state == .asLeft, isContested {
          return Outcome(.conflict, findings: [.conflict(path, .changedBetween)])
        }
        return outcome(for: path, state, history.before, current[path])
      }
      if case .created = part { outcomes = try await withoutOrphans(outcomes, isWritten: isWritten) }
      for (entry, outcome) in zip(page, outcomes) {
        let document = current[entry.path] ?? RawDocument(path: entry.path, fields: FieldMap())
        try await sink.record(outcome, of: document)
      }
      last = end
      try await mark(end)
    }
  }

  // MARK: What lies below

  /// Withholds deletions that would leave something without its document.
  private func withoutOrphans(_ outcomes: [Outcome], isWritten: Bool) async throws -> [Outcome] {
    let deleted = outcomes.compactMap { $0.change?.before }
    let documents = Dictionary(deleted.map { ($0.path, $0) }) { first, _ in first }
    // What lies below one that is withheld withholds those above it, too.
    if !isWritten { try await deletions.insert(deleted.map(\.path)) }
    var kept: [Outcome] = []
    for some in outcomes.chunks(of: SubcollectionGuard.width) {
      var some = Array(some)
      try await SubcollectionGuard.withhold(&some) { path in
        guard let document = documents[path] else { return [] }
        return try await orphans(of: document)
      }
      kept += some
    }
    return kept
  }

  /// Returns the IDs of the collections in which the deletion of a document would leave others that came after the run began.
  ///
  /// The time at which the document was created does not matter: an undo may have created it again. For the same reason, what
  /// lies below and was created again counts as later.
  ///
  /// - Parameter kept: Returns those that are not deleted together with it.
  private func orphans(
    of document: RawDocument,
    keeping kept: ([DocumentPath]) async throws -> [DocumentPath] = { $0 }
  ) async throws -> [String] {
    if try await client.collectionIDs(below: document.path).isEmpty { return [] }
    return try await client.collectionIDs(below: document.path) { below in
      let later = below.filter { other in
        guard let time = changes.serverTime, let created = other.createTime else { return true }
        return created >= time
      }
      // The run or its undo may have created others again.
      let new = try changes.withoutExisting(later.map(\.path))
      return try await kept(try await deletions.kept(of: new))
    }
  }

  /// Returns why the deletions of a transaction would leave something without its document; nil if they do not.
  private func orphanage(of changes: [Change], in reader: any DocumentReader) async throws -> String? {
    let deleted = changes.filter(\.isDeletion)
    let paths = Set(deleted.map(\.path))
    for document in deleted.compactMap(\.before) {
      let ids = try await orphans(of: document) { below in
        let others = below.filter { !paths.contains($0) }
        if others.isEmpty { return [] }
        // A plan knows what transactions before it delete.
        return Array(try await reader.documents(others).keys)
      }
      if !ids.isEmpty { return SubcollectionGuard.message(document.path.string, leaving: ids) }
    }
    return nil
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
    let known = try changes.known(current, of: made.map(\.path), ignoring: isDerived)
    let state = joint.state(
      of: known.documents,
      replaced: known.replaced,
      serverTime: changes.serverTime,
      ignoring: isDerived
    )
    func all(_ outcome: (DocumentPath) -> Outcome) -> [JointDecision.Decided] {
      made.map { (current[$0.path] ?? RawDocument(path: $0.path, fields: FieldMap()), outcome($0.path)) }
    }
    func conflict(_ reason: String, _ code: String = Finding.conflictCode) -> [JointDecision.Decided] {
      all { path in
        let finding = Finding(.reject, path: path, code: code, message: reason)
        return Outcome(.conflict, findings: [finding])
      }
    }
    let restorable = made.filter { !isDerived($0) }.map(\.path)
    if try !changes.settled(restorable, in: joint.number).isEmpty { return all { _ in Outcome(.unchanged) } }
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
      if let reason = try await orphanage(of: restored, in: reader) {
        return conflict(reason, DeclarativeMigration.Code.hasSubcollections.rawValue)
      }
      let written: [JointDecision.Decided] = restored.map { change in
        let document = change.before ?? RawDocument(path: change.path, fields: FieldMap())
        return (document, Outcome(.change(change)))
      }
      let paths = Set(restored.map(\.path))
      return written + all { _ in Outcome(.unchanged) }.filter { !paths.contains($0.document.path) }
    }
  }
}
