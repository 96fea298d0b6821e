import Integrity
import MigrationEngine
import Transfer

/// The store for the copy of a rehearsal.
enum RehearsalStore: String, CaseIterable {
  case embedded
  /// Google's emulator, started and ended by the rehearsal.
  case emulator
}

/// Tries migrations on a copy in a temporary folder, which is removed however the rehearsal ends.
struct RehearsalRun {
  /// The database to copy, which is only read.
  let source: ConnectionSettings
  let output: OutputSettings
  /// The settings of the migrations, without the migrations.
  let choice: MigrationChoice
  var limit: Int?
  var filters: [String] = []
  /// How the copied documents are masked; nil for no masking.
  var mask: MaskSettings?
  /// The page of the plan; nil for none.
  var html: String?
  var examples = 3
  var store = RehearsalStore.embedded

  func perform(_ migrations: [FolderMigration]) async throws -> Rehearsal {
    try FileAccess.local.assertWritable(html)
    let scratch = try Scratch()
    defer { withExtendedLifetime(scratch) {} }
    switch store {
    case .embedded: return try await perform(migrations, at: RehearsalPlace(scratch, beside: source, output))
    case .emulator:
      return try await EmulatorProcess.withEmulator(in: scratch.path) { endpoint in
        try await perform(migrations, at: RehearsalPlace(scratch, beside: source, at: endpoint, output))
      }
    }
  }

  private func perform(_ migrations: [FolderMigration], at place: RehearsalPlace) async throws -> Rehearsal {
    var copying = CopyJob(try selection(of: migrations, place))
    (copying.filters, copying.limit, copying.timeZone) = (filters, limit, choice.timeZone)
    (copying.reading, copying.mask) = (choice.reading, mask)
    try await place.copy(from: source, to: place.original, by: copying)
    var whole = SelectionSettings()
    whole.all = true
    try await place.copy(from: place.original, to: place.work, by: CopyJob(whole))
    return try await rehearse(migrations, at: place)
  }

  private func rehearse(_ migrations: [FolderMigration], at place: RehearsalPlace) async throws -> Rehearsal {
    var rehearsal = Rehearsal()
    try await judgeIndexes(of: migrations, &rehearsal)
    let before = try await place.check()
    rehearsal.plans = try await plan(migrations, at: place)
    for (migration, plan) in zip(migrations, rehearsal.plans) {
      rehearsal.judgeDeletions(of: migration, plan)
    }
    var runs: [String] = []
    let began = RunClock.system.now()
    for migration in migrations {
      let (run, _) = try await apply(migration, at: place)
      runs.append(run)
      rehearsal.seconds = RunClock.system.now() - began
      if let plan = try await plan([migration], at: place, isLast: true).first { rehearsal.verify(plan) }
    }
    for migration in migrations {
      let (run, report) = try await apply(migration, at: place)
      if report.changeCount > 0 { runs.append(run) }
      rehearsal.repeated(report)
    }
    rehearsal.compare(before, try await place.check())
    for run in runs.reversed() { try await place.undo(run) }
    let (differing, paths) = try await place.compare()
    rehearsal.judgeUndo(differing: differing, in: paths)
    return rehearsal
  }

  /// Returns the root collections that the migrations and the check read, with everything below them.
  private func selection(
    of migrations: [FolderMigration],
    _ place: RehearsalPlace
  ) throws -> SelectionSettings {
    var selection = SelectionSettings()
    var roots: [CollectionPath] = try place.integrity()?.reads.map(\.collection.root) ?? []
    for migration in try named(migrations).chosen(for: place.work) {
      // A group may be anywhere.
      if (migration as? DeclarativeMigration)?.scope.isGroup == true { selection.all = true }
      roots += (migration.reads + migration.writes).map(\.root)
    }
    if !selection.all { selection.collections = Set(roots).sorted().map(\.string) }
    return selection
  }

  func named(_ migrations: [FolderMigration]) -> MigrationChoice {
    var choice = choice
    choice.name(migrations)
    return choice
  }

  /// - Parameter isLast: Whether the plan only determines what is left to change.
  private func plan(
    _ migrations: [FolderMigration],
    at place: RehearsalPlace,
    isLast: Bool = false
  ) async throws -> [MigrationReport] {
    let named = named(migrations)
    let chosen = try named.chosen(for: place.work)
    let sources = chosen.map { ChangeSource.migration($0) }
    return try await place.run(PlanJob(named)) { session, folder in
      if !isLast { session.warnOfUnknownNames(in: chosen, isCopied: true) }
      var runner = MigrationRunner(in: session, folder)
      (runner.examples, runner.reviewColumns) = (examples, [])
      let (reports, totals) = try await runner.plan(sources.map { $0.guarded(by: session.client) }) { _ in }
      if !isLast {
        let screen = PlanScreen(html: html, connection: place.work, isQuiet: true)
        _ = try await screen.conclude(reports, totals, of: session, folder)
      }
      return reports
    }
  }

  private func apply(
    _ migration: FolderMigration,
    at place: RehearsalPlace
  ) async throws -> (run: String, report: MigrationReport) {
    let named = named([migration])
    guard let chosen = try named.chosen(for: place.work).first else {
      throw Failure(.internal, "rehearse", path: migration.name, cause: "it is not found")
    }
    return try await place.run(ApplyJob(named)) { session, folder in
      let source = ChangeSource.migration(chosen).guarded(by: session.client)
      let runner = MigrationRunner(in: session, folder, writing: WriteSettings())
      let report = try await LedgerRun(session, folder, sources: [source]).apply(source, by: runner)
      return (folder.id, report ?? MigrationReport(migration: chosen.id))
    }
  }
}
