import GymServices
import Logging
import MigrationEngine

/// `gymmigrate setup`: shows and sets the first admin.
struct SetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Show or set the first admin (app_config/setup).",
    subcommands: [SetupShow.self, SetupSet.self],
    defaultSubcommand: SetupShow.self
  )
}

struct SetupShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show who is the first admin.",
    discussion:
      "Prints the id of the user and when it was set up, separated by a tab. Exits with 1 where nobody is."
  )

  @Flag(help: "Print JSON instead of lines.") var json = false
  @OptionGroup var common: PrintingOptions

  func run() async throws {
    try await common.perform("setup show", counting: false) { session in
      try session.schema.assertGym("setup")
      let state = try await SetupService.state(in: session.client)
      if json {
        try StandardOutput.writeObject {
          $0.member("adminUserId", state?.adminUserId)
          $0.member("createdAt", state?.createdAt?.description)
          $0.member("isSetUp", state != nil)
        }
      } else if let state {
        try StandardOutput.write("\(state.adminUserId ?? "-")\t\(state.createdAt?.description ?? "-")\n")
      }
      return CommandResult(status: state == nil ? .differences : .done)
    }
  }
}

struct SetupSet: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set the first admin, once.",
    discussion: """
      Writes app_config/setup in one transaction with the look at the user, who must be an active admin; the time \
      comes from the server. One that is there is never changed: exits with 1 then. A user who is none, or is no \
      active admin, ends the command in 66 or 65.

        gymmigrate setup set 08IiQGmf0KBE9bwAj65r3ctInVea -e stage
      """
  )

  @Argument(help: "The id of the user.")
  var uid: String

  @OptionGroup var trial: DryRunOption

  @OptionGroup var common: WritingOptions

  func validate() throws { try TypedValue.assertIDs([uid]) }

  func jobRun() -> JobRun { common.jobRun(SetupJob(admin: uid, isDryRun: trial.dryRun)) }
}

extension SetupJob: PerformableJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    try await CommandRun(run).perform { session, folder in
      try session.schema.assertGym("setup")
      let plan = isDryRun ? try TransactionPlan(name, over: session.client) : nil
      let context = session.context(folder)
      guard let refusal = try await SetupService.set(admin: user, in: context, planning: plan) else {
        if isDryRun { session.logger.notice("\(user) would be the first admin.") }
        return CommandResult(lists: context.lists)
      }
      if refusal == .alreadySetUp {
        session.logger.notice("\(refusal.message)")
        return CommandResult(status: .differences)
      }
      throw Failure(
        refusal == .userNotFound ? .inputMissing : .inputMalformed,
        "set up",
        path: "users/\(user)",
        cause: "\(refusal.rawValue): \(refusal.message)"
      )
    }
  }
}
