import Configuration
import MigrationEngine
import Platform

/// `gymmigrate runs`: shows past runs, and resumes them.
struct RunsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract: "List past runs, and resume those that stopped.",
    discussion: """
      Every command leaves a folder in STATE-DIR/runs: what it was asked to do, its log, lists and summary, and if it \
      writes to a database, a journal of every change.

        gymmigrate runs list
        gymmigrate runs show last

      RUN is the id of a run, a part of one, or 'last'.
      """,
    subcommands: [RunsList.self, RunsShow.self, RunsResume.self, MigrateUndo.self, RunsPrune.self]
  )
}

struct RunsShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show what a run was asked to do, how it ended, and which files it left."
  )

  @Argument(help: "The run: its id, a part that no other has, or 'last'.", completion: CompletionValues.runs)
  var run: String
  @OptionGroup var folder: StateOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    let entry = try folder.history.entry(named: run)
    if json {
      return try StandardOutput.writeObject {
        RunText.members(of: entry, history: folder.history, to: &$0)
      }
    }
    let lines = RunText.lines(entry, history: folder.history, stateDir: folder.stateDir)
    try StandardOutput.write("\(lines.joined(separator: "\n"))\n")
  }
}

struct RunsResume: AsyncParsableCommand, PlacedCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Resume a run that was stopped or killed.",
    discussion: """
      Goes on from the last checkpoint; the counts are those of the whole run. The files that an import reads must be \
      unchanged.

      For a protected environment, give --confirm again. A run is resumed by the user who started it, from its \
      original folder: a copy is refused.

        gymmigrate runs resume last
        gymmigrate runs resume last --max-reads 200000
      """
  )

  @Argument(
    help: "The run: its id, a part that no other has, or 'last' (the last run that can be resumed).",
    completion: CompletionValues.resumableRuns
  )
  var run: String
  @Option(
    name: [.customShort("e"), .customLong("env")],
    help: .hidden("Not for a run, which has its environment.")
  )
  var environment: String?
  @OptionGroup var folder: StateOptions
  @OptionGroup var guards: ConfirmOptions
  @OptionGroup var bill: BillOptions
  @OptionGroup(visibility: .hidden) var notification: NotificationOptions
  @Flag(help: "Print the summary of the whole run as one JSON object on standard output.") var json = false
  @Flag(name: .shortAndLong, help: "Say warnings and errors only; that of the run itself does not count.")
  var quiet = false

  func validate() throws {
    if environment != nil {
      throw ValidationError("A run is resumed in the environment that it was begun in: leave out -e.")
    }
  }

  func run() async throws {
    let entry = try folder.history.entry(named: run, preferring: \.isResumable)
    let record = entry.record
    try assertOwn(record)
    if let refusal = refusal(to: entry) {
      let isOver = entry.isComplete || entry.isUndone
      throw run.isIdentical(to: "last") && isOver ? nothingLeft : refusal
    }
    sayIfPassing(record)
    var run = try jobRun(record)
    run.resuming = record
    run.confirmation = guards.confirmation
    if let bound = bill.bound {
      run.connection.bound = run.connection.bound?.replaced(by: bound) ?? bound
      run.source?.bound = run.connection.bound
    }
    if json { run.output.json = true }
    // The original `--quiet` does not apply when a run is resumed.
    run.output.quiet = quiet
    if chdir(record.workingDirectory) != 0 {
      throw Failure(
        .inputMissing,
        "resume",
        path: record.id,
        cause:
          "its folder \(record.workingDirectory) cannot be entered: \(String(cString: strerror(errno)))",
        remedy: "Put the folder back."
      )
    }
    if let job = run.job as? ApplyJob, job.isStep {
      return try await UpRun(job: job, run: run).resume(record)
    }
    try await run.perform()
  }

  /// Checks that the run's record can be trusted; for a copy, names the commands that work nevertheless.
  private func assertOwn(_ record: RunRecord) throws(Failure) {
    try folder.history.assertPrivate(record)
    do throws(Failure) {
      try folder.history.assertOwn(record)
    } catch {
      let place = ConnectionSettings.folderWords(folder.stateDir)
      func command(_ words: [String]) -> String {
        CommandLineText.quoted(["gymmigrate", "migrate"] + words + ["-e", record.environment])
      }
      throw error.advising(
        "If you know the run, undo it (\(command(["undo", record.id] + place))), or keep its changes (\(command(["unlock", record.id]))) and enter its command yourself, which does the rest."
      )
    }
  }

  /// If 'last' skips newer runs, first names the run.
  private func sayIfPassing(_ record: RunRecord) {
    let newest = RunHistory(in: folder.stateDir, warn: { _ in }).entries().last?.record
    guard run.isIdentical(to: "last"), let newest, !newest.id.isIdentical(to: record.id) else { return }
    Terminal.standardError.line(
      "Resuming \(record.id) (\(record.command)); of the newer runs, as \(newest.id) (\(newest.command)), none can go on."
    )
  }

  private var nothingLeft: Failure {
    Failure(
      .usage,
      "resume",
      path: run,
      cause: "no run in \(folder.stateDir)/runs stopped before it was done",
      remedy: "'gymmigrate runs list' shows the runs."
    )
  }

  /// Returns why a run cannot be resumed; nil if it can.
  private func refusal(to entry: RunHistory.Entry) -> Failure? {
    let record = entry.record
    func refuse(_ cause: String, _ remedy: String, kind: Failure.Kind = .usage) -> Failure {
      Failure(kind, "resume", path: record.id, cause: cause, remedy: remedy)
    }
    if entry.isRunning {
      return refuse("it is running", "Wait for its end, or stop it first.", kind: .tryLater)
    }
    if record.command.hasPrefix(ManagedCommand.prefix) {
      return refuse(
        "its work is the service's, which was not stopped",
        "See 'gymmigrate managed list -e \(record.environment)'."
      )
    }
    if record.shards != nil {
      return refuse(
        "its tasks are resumed by themselves",
        "Start those that are not done again: 'gymmigrate shard work'."
      )
    }
    let again = CommandLineText.quoted(["gymmigrate"] + record.arguments)
    if !record.writes {
      return refuse("it only reads, and begins from the start", "Run it again: \(again)")
    }
    if entry.status == "failed", !entry.stoppedEarly, entry.ending?.totals.written ?? 0 > 0 {
      let cause =
        (try? jobRun(record))?.job.writesItsInput ?? false
          && entry.ending?.exitCode == Int(ExitCodes.code(of: .inputMalformed))
        ? "its input was damaged or changed, and what it wrote may be, too"
        : "it was refused, and would be again after what it wrote"
      return refuse(cause, undoing(record, or: again))
    }
    if entry.status == "failed", !entry.stoppedEarly {
      return refuse("it was refused before it wrote anything", "Give the command again: \(again)")
    }
    if !entry.stoppedEarly {
      return refuse(
        "it is \(entry.status): nothing is left of it to do",
        "See 'gymmigrate runs show \(record.id)'."
      )
    }
    return nil
  }

  /// Returns how to go on after a run that wrote documents and cannot be resumed.
  private func undoing(_ record: RunRecord, or again: String) -> String {
    guard let job = try? jobRun(record).job, job.canUndo else { return "Give the command again: \(again)" }
    let undo = record.commandLine(job.undoGroup, "undo", in: folder.stateDir)
    return "Undo it (\(undo)), and give the command again, with what its error names: \(again)"
  }

  /// Returns the job of a run.
  ///
  /// - Throws: `.configuration` for a run of a version that recorded only words; `.inputMalformed` for an invalid job.
  private func jobRun(_ record: RunRecord) throws(Failure) -> JobRun {
    do throws(WireError) {
      if let job = record.job { return try JobRun(job) }
    } catch  where record.version.isIdentical(to: gymmigrateVersion) {
      throw Failure.damagedRecord(record, error.description)
    } catch {
      // The job was recorded by another version.
    }
    throw Failure(
      .configuration,
      "resume",
      path: record.id,
      cause: "version \(record.version) began it, and only that version can finish it",
      remedy: "Finish it there, or undo it: '\(record.commandLine("migrate", "undo", in: folder.stateDir))'."
    )
  }
}
