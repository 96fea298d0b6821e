import Configuration
import Logging
import MigrationEngine
import Mirror
import Platform
import Restoration
import Transfer
import TypedDocuments

extension RestoreJob: PerformableJob {
  /// The stage that applies the plan; before it, only the plan is made.
  private static let applying = 1

  func perform(as run: JobRun) async throws -> RunEnding {
    let access = try StorageAccess(for: sources + (output.map { [$0] } ?? []), run.connection).files
    try access.assertWritable(output, plan.html)
    return try await CommandRun(run).perform { session, folder in
      let kept = folder.file("restore.json")
      if session.checkpoints?.isPast(Self.applying - 1) ?? false,
        let numbers = try JSONFile.read(kept, as: RestoreNumbers.self)
      {
        return try await apply(numbers, in: session, folder, run)
      }
      let (ending, report) = try await planned(in: session, folder, run, via: access)
      if plan.isDryRun { return ending }
      try JSONFile.write(report.numbers.json, to: kept)
      for line in RestoreText.plan(report) { session.logger.notice("\(line)") }
      if let cost = ending.cost { session.logger.notice("\(cost.text)") }
      return try await apply(report.numbers, in: session, folder, run)
    }
  }

  // MARK: Planning

  /// Makes the plan: `plan.jsonl` of the run, and the requested output.
  private func planned(
    in session: Session,
    _ folder: RunDirectory,
    _ run: JobRun,
    via access: FileAccess
  ) async throws -> (CommandResult, RestoreReport) {
    let file = folder.file("plan.jsonl")
    // Left over from a run that was killed while planning.
    unlink(file)
    var planning = session
    // Changed documents are counted when they are written.
    if !plan.isDryRun { planning.database.counts = RunCounts() }
    let (report, numbers) = try await compared(in: planning, folder, via: access)
    var totals = PlanTotals([report], planning.counts)
    var found = RestoreReport(totals, numbers)
    found.leavesSome = planning.counts.totals.rejected > 0
    if plan.isDryRun, !run.output.json {
      let lines = RestoreText.plan(found) + report.examples.flatMap(MigrationText.example)
      try StandardOutput.write(RestoreText.text(lines))
    }
    let isQuiet = run.output.json || !plan.isDryRun
    var screen = PlanScreen(html: plan.html, connection: run.connection, isQuiet: isQuiet)
    screen.restored = restored(numbers)
    var ending = try await screen.conclude([report], totals, of: planning, folder)
    if plan.isDryRun { ending.status = session.plannedStatus }
    if plan.isDryRun, totals.changes.count(.delete) > 0 {
      let planned = try PlannedChanges(file: file, for: session.environment, folder: run.connection.stateDir)
      try await warnOfWhatStays(below: planned, in: session, folder)
    }
    if let output {
      try PlanEnd.copy(file, to: output, via: access)
      totals.file = output
      if output != "-" { ending.applies = try run.connection.applying(output, totals) }
    }
    ending.sections = [totals, found]
    if !plan.isDryRun { session.counts.addUnchanged(of: planning.counts) }
    return (ending, found)
  }

  /// Reports deletions of a plan that would be refused when it is applied, as something below their documents stays.
  private func warnOfWhatStays(
    below planned: PlannedChanges,
    in session: Session,
    _ folder: RunDirectory
  ) async throws {
    if !subcollections || decidesOnAllBelow(in: session) { return }
    let changes = try await planned.checked(in: session.client)
    guard case .list(let guarded) = ChangeSource.list(changes).guarded(by: session.client) else { return }
    let left = planned.deletions - (try await MigrationRunner(in: session, folder).deletions(of: guarded))
    if left == 0 { return }
    session.logger.warning(
      "\(NumberText.counted(left, "document")) of those to delete \(left == 1 ? "has" : "have") something below that stays, and will be left alone (has-subcollections)."
    )
  }

  /// Compares the database with the wanted state, and lists the changes.
  private func compared(
    in session: Session,
    _ folder: RunDirectory,
    via access: FileAccess
  ) async throws -> (MigrationReport, RestoreNumbers) {
    if !folder.isResumed, let filter = try query.filter(in: session.client.database, session.schema) {
      session.logger.reportOmissions(by: [filter])
    }
    let list = try await list(in: session, via: access)
    var runner = MigrationRunner(in: session, folder)
    runner.examples = plan.examples
    // A plan that is applied is checked then, with all that it deletes.
    let source = plan.isDryRun ? list.guarded(by: SubcollectionGuard.lister(session.client)) : list
    var report = try await runner.plan(.list(source))
    report.reads = list.numbers.reads + readsBelow(report, in: session)
    if !names.isEmpty { try await assertKnown(list.absent, in: session) }
    return (report, list.numbers)
  }

  /// The reads of looking below the documents to be deleted: once more before, unless all that is there is restored, too.
  private func readsBelow(_ report: MigrationReport, in session: Session) -> Int {
    let covered = report.reasons[UTF8Key(SubcollectionGuard.coveringReason), default: 0]
    if covered > 0 { return decidesOnAllBelow(in: session) ? covered : 2 * covered }
    // Before it is applied, it is not known which documents have subcollections.
    return plan.isDryRun ? report.readsBelow : 2 * report.deletions
  }

  /// Reports named collections and documents that are on neither side.
  ///
  /// - Throws: `.inputMissing` for documents.
  private func assertKnown(_ absent: [CollectionScope], in session: Session) async throws {
    let documents = absent.compactMap(\.document)
    session.warnOfUnknownNames(in: absent.map { CollectionRead($0.name) })
    let collections = absent.filter { $0.document == nil }
    await session.warnOfEmpty(collections.map(\.read))
    let schema = session.schema
    for path in collections.map(\.name)
    where path.parent == nil && schema.collection(path) == nil && schema.hint(of: path) == nil {
      session.logger.notice("A document is named with its collection: COLLECTION/\(path).")
    }
    try Failure.assertFound(
      documents,
      in: [:],
      addition: ", neither now nor in what is to be restored, and nothing was written",
      remedy: "Leave it out, or look up its id with 'gymmigrate find'."
    )
  }

  private func list(in session: Session, via access: FileAccess) async throws -> RestoreList {
    let state = try await wanted(in: session, via: access)
    let isDeep = subcollections && state.knowledge.isDeep
    var rules = RestoreRules(
      state.knowledge,
      session.schema,
      references: state.side.database == session.client.database ? nil : state.side.database,
      to: session.client.database,
      isDeep: isDeep
    )
    (rules.keepsChangedSince, rules.only) = (keepsChangedSince, Set(only))
    rules.filter = try query.filter(in: session.client.database, session.schema).map { DocumentFilter($0) }
    let names = names.isEmpty && !state.knowledge.isGroup ? state.knowledge.collections : names
    return try await RestoreList(
      CollectionSelection(names, isDeep: isDeep),
      to: state,
      rules,
      reading: reading,
      in: session.database
    )
  }

  /// Returns the wanted state of the database.
  private func wanted(in session: Session, via access: FileAccess) async throws -> WantedState {
    if let moment {
      return WantedState(.database(session.environment, session.client, at: .at(moment)), at: moment)
    }
    if let mirror = session.source, let file = mirror.environment.mirror {
      let info = try MirrorInfo(MirrorFile(file, for: .reading))
      try info.assertUnmasked(path: file)
      if sourceDatabase != info.database { try info.assertOf(session.environment, path: file) }
      if names.isEmpty { try await info.sayUnknown(in: session) }
      return WantedState(
        .database(mirror.environment, mirror.client, at: .pinned),
        info.knowledge,
        at: info.database == session.client.database ? info.readTime : nil
      )
    }
    session.progress.begin("read the backup", total: nil)
    defer { session.progress.end() }
    return try WantedState(
      files: sources,
      of: session.environment,
      source: sourceDatabase,
      isPartial: isPartial,
      progress: session.progress,
      via: access
    )
  }

  // MARK: Applying

  private func apply(
    _ numbers: RestoreNumbers,
    in session: Session,
    _ folder: RunDirectory,
    _ run: JobRun
  ) async throws -> CommandResult {
    let file = folder.file("plan.jsonl")
    if FileCheck.exists(file) {
      let planned = try PlannedChanges(file: file, for: session.environment, folder: run.connection.stateDir)
      let changes =
        decidesOnAllBelow(in: session)
        ? try await planned.decided(at: numbers.readTime, in: session.client)
        : try await planned.checked(in: session.client)
      let deletions = DeletionBound(maximum: maximumDeletes, options: run.confirmation)
      try deletions.assertAllows(changes, from: file)
      if !folder.isResumed { try Guard.ask("Restore?", with: run.confirmation) }
      let whole = ChangeSource.list(changes)
      let source = whole.guarded(by: session.client)
      var runner = MigrationRunner(in: session, folder, writing: run.write)
      runner.maximumDeletes = try await deletions.limit(of: whole, as: source, by: runner, in: session)
      let (taking, rewritten) = try planned.effects(for: run.connection)
      let ledger = LedgerRun(
        session,
        folder,
        sources: [source],
        takingBack: taking,
        rewriting: rewritten
      )
      try await ledger.perform { [runner] in
        _ = try await runner.apply(source, stage: Self.applying)
      }
    }
    let report = RestoreReport(session.counts, numbers)
    if !run.output.json { session.report(RestoreText.text(RestoreText.done(report))) }
    return CommandResult(lists: MigrationRunner.lists.map(folder.file), sections: [report])
  }

  /// Whether everything below a deleted document is also decided.
  private func decidesOnAllBelow(in session: Session) -> Bool {
    let isOfMirror = session.source?.environment.mirror != nil
    return !isOfMirror && !isPartial && keepsChangedSince == nil && query.filters.isEmpty
  }

  /// Returns what is restored, if it is entire collections, to a known point in time; nil for a part.
  private func restored(_ numbers: RestoreNumbers) -> RestoredCollections? {
    let isWhole = query.filters.isEmpty && only.isEmpty && keepsChangedSince == nil
    let isOfCollections = names.allSatisfy { CollectionPath($0) != nil }
    guard isWhole, isOfCollections, let moment = numbers.moment else { return nil }
    let collections = numbers.collections ?? []
    return RestoredCollections(collections, isAll: names.isEmpty, at: moment, readAt: numbers.readTime)
  }
}

extension RunCounts {
  /// Adds the documents of a plan that are not to be changed.
  fileprivate func addUnchanged(of planned: RunCounts) {
    for collection in planned.collections {
      guard let path = CollectionPath(collection.name) else { continue }
      open(path)
      update(path) { counts in
        counts.unchanged += collection.counts.unchanged
        counts.skipped += collection.counts.skipped
        counts.read += collection.counts.unchanged + collection.counts.skipped
      }
    }
  }
}

extension MirrorInfo {
  /// What a mirror covers: all root collections, or those that it has if they may be some, with everything below.
  ///
  /// If a pull reads only changes, this is limited to subcollections in the schema and in earlier pulls.
  fileprivate var knowledge: WantedKnowledge {
    var knowledge = WantedKnowledge()
    (knowledge.knowsAbsence, knowledge.knowsAbsentFields) = (!isPartial, !mayLackFields)
    if !isWhole { knowledge.collections = roots.map(\.string) }
    for root in collections where root.mark != nil {
      let below = collections.map(\.path).filter {
        $0 != root.path && CollectionPattern($0).root == root.path
      }
      knowledge.patternsBelow[root.path] = Set(below)
    }
    return knowledge
  }

  private var roots: [CollectionPath] { Set(collections.map { CollectionPattern($0.path).root }).sorted() }

  /// Says which root collections of a database are left alone, because the mirror may have been made without them.
  fileprivate func sayUnknown(in session: Session) async throws {
    if isWhole { return }
    let unknown = try await session.client.collectionIDs().compactMap { CollectionPath($0) }
      .filter { !$0.isReserved && !roots.contains($0) }
    if unknown.isEmpty { return }
    session.logger.warning(
      "Left alone, because the mirror does not say that it had all collections: \(unknown.map(\.string).joined(separator: ", "))."
    )
  }
}
