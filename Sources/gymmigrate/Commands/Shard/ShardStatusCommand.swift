import Shards

struct ShardStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which tasks are done, working, failed or missing.",
    discussion: """
      Prints one line per task: its index, its status, how many of its ranges are done, and who works on it or why it failed; with a bound on the bill, the most that all of them \
      were billed so far. It reads the place only, \
      not the database.

        gymmigrate shard status /mnt/share/export
      """
  )

  @Argument(help: ArgumentHelp("The place of the plan.", valueName: "where"))
  var place: String

  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    let place = try ShardPlace(place)
    let plan = try await place.shards.plan()
    let state = try await ShardState(of: plan, in: place.shards)
    var job = try plan.jobRun(at: place)
    let billed = try place.bill(of: &job)?.billed()
    if json {
      try StandardOutput.write(line: ShardText.json(plan, state, billed))
    } else {
      for line in ShardText.lines(plan, state, billed) { try StandardOutput.write("\(line)\n") }
    }
  }
}
