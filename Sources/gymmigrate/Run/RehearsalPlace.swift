import Configuration
import Integrity
import MigrationEngine
import Schema
import Transfer

/// The store of a rehearsal, embedded in a temporary folder or an emulator, with the original copy and the one to work on.
struct RehearsalPlace: Sendable {
  /// The database to migrate.
  let work: ConnectionSettings
  /// The original copy, for the comparison at the end.
  let original: ConnectionSettings
  private let output: OutputSettings

  /// - Parameter endpoint: The address of an emulator; nil for the embedded store.
  init(
    _ scratch: Scratch,
    beside source: ConnectionSettings,
    at endpoint: String? = nil,
    _ output: OutputSettings
  ) {
    var work = source.beside(DatabaseEnvironment.localName)
    // Costs are limited where the copy is read; here nothing is billed.
    (work.stateDir, work.bound, work.endpoint, work.isScratch) = (scratch.path, nil, endpoint, true)
    self.work = work
    var original = work
    original.database = "original"
    self.original = original
    self.output = output.silent
  }

  /// Performs one run.
  ///
  /// Documents left for review are not a problem.
  func run<Result>(
    _ job: any PerformableJob,
    _ body: (Session, RunDirectory) async throws -> Result
  ) async throws -> Result {
    var found: Result?
    let command = CommandRun(JobRun(job: job, connection: work, output: output))
    try await forgiving {
      try await command.perform { session, folder in
        found = try await body(session, folder)
        return CommandResult()
      }
    }
    if let found { return found }
    throw Failure(.internal, "rehearse", cause: "a run was empty")
  }

  private func forgiving(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let status as ExitStatus where status.rawValue == ExitCodes.incomplete {}
  }

  /// Copies including personal data, because it stays on this machine and is removed at the end.
  func copy(from source: ConnectionSettings, to target: ConnectionSettings, by job: CopyJob) async throws {
    var job = job
    job.keepsPersonalData = true
    var run = JobRun(job: job, connection: target, source: source, output: output)
    run.confirmation.yes = true
    try await forgiving { _ = try await run.perform() }
  }

  /// Returns the check of the schema; nil if there is no schema.
  func integrity() throws -> IntegrityCheck? {
    if try EnvironmentResolver(work).schema().collections.isEmpty { return nil }
    return try CheckJob().check(work)
  }

  /// Returns the number of findings of each rule.
  func check() async throws -> [String: Int] {
    guard let check = try integrity() else { return [:] }
    return try await run(CheckJob()) { session, folder in
      var counts: [String: Int] = [:]
      try await IntegrityRun(in: session.context(folder)).check(check) {
        counts[$0.rule.name, default: 0] += 1
      }
      return counts
    }
  }

  func undo(_ run: String) async throws {
    let (_, changes) = try UndoTarget.find(run, in: work.stateDir)
    try await self.run(UndoJob(of: run, isDryRun: false)) { session, folder in
      let source = try UndoTarget.source(changes, of: run, in: session)
      let runner = MigrationRunner(in: session, folder, writing: WriteSettings())
      _ = try await LedgerRun(session, folder, sources: [source], undoes: run).apply(source, by: runner)
    }
  }

  /// Compares the result of the undo with the original copy, value by value.
  ///
  /// - Returns: How many documents differ, and the first of them.
  func compare() async throws -> (count: Int, examples: [String]) {
    var counts = DiffCounts()
    let file = "\(work.stateDir)/differences.txt"
    try await CommandRun(name: "migrate test", connection: work, output: output).performReading(
      from: original,
      to: work
    ) { context, from, to in
      guard let from, let to else { throw Failure(.internal, "compare", cause: "a side is missing") }
      var options = Diff.Options(selection: CollectionSelection(nil, isDeep: true))
      options.output = file
      let diff = Diff(
        from: .database(from.environment, from.client, at: .none),
        to: .database(to.environment, to.client, at: .none),
        options: options,
        runCounts: context.counts,
        progress: context.progress,
        logger: context.logger
      )
      counts = try await diff.run().counts
      return CommandResult()
    }
    let count = counts.onlyInFrom + counts.onlyInTo + counts.different + counts.unreadable
    if count == 0 { return (0, []) }
    // The beginning suffices, because there may be a line for each document.
    let text = String(decoding: try FileHead(file).bytes, as: UTF8.self)
    return (count, text.split(separator: "\n").prefix(3).map(String.init))
  }
}
