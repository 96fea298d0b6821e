import Shards

struct ShardWorkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "work",
    abstract: "Do the share of one task.",
    discussion: """
      Which task it is, is said by --task, or by the variables of the engine that started it: CLOUD_RUN_TASK_INDEX, \
      JOB_COMPLETION_INDEX or \
      SLURM_ARRAY_TASK_ID. Run it where the command itself would run: with the same configuration, credentials and \
      input files.

      It may be started again, also on another machine: what was begun is resumed. It ends with 0 once its ranges are \
      done; 'shard finish' reports what was rejected. Retry after any other exit code but 64 and 78.

      A bound on the bill (--max-reads, --max-writes, --max-cost) is given to 'shard plan' with the command, and is that of \
      all tasks. A task that it stops exits with 75; here a larger bound replaces it.

        gymmigrate shard work /mnt/share/export
        gymmigrate shard work /mnt/share/export --task 3 --tasks 16
      """
  )

  @Argument(help: ArgumentHelp("The place of the plan.", valueName: "where"))
  var place: String

  @Option(help: ArgumentHelp("The index of the task, from 0.", valueName: "i"), from: 0)
  var task: Int?

  @Option(help: "The number of tasks, which must be the plan's.", from: 1)
  var tasks: Int?

  @OptionGroup var state: StateOptions

  @OptionGroup var bill: BillOptions

  @OptionGroup var verbosity: VerbosityOptions

  @Flag(help: "Print a JSON object at the end: the task, its number of ranges, and the run.") var json = false

  func run() async throws {
    let place = try ShardPlace(place)
    let plan = try await place.shards.plan()
    let identity = try TaskIdentity(
      task: task,
      tasks: tasks,
      variables: Invocation.current.variables,
      planned: plan.tasks
    )
    let words = Invocation.current.arguments.words + (task == nil ? ["--task", "\(identity.index)"] : [])
    Interruption.resumeCommand.withLock { $0 = CommandLineText.quoted(["gymmigrate"] + words) }
    let worker = try ShardWorker(
      task: identity.index,
      of: plan,
      at: place,
      stateDir: state.stateDir,
      bound: bill.bound,
      output: verbosity.settings
    )
    do {
      try await worker.run()
    } catch {
      await worker.record(error)
      throw error
    }
    if json { try StandardOutput.write(line: ShardText.worked(identity.index, of: plan)) }
  }
}
