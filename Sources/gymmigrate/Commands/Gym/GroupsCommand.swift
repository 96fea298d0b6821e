import GymServices
import Logging
import MigrationEngine
import Transfer

/// `gymmigrate groups`: manages groups and their members.
struct GroupsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "groups",
    abstract: "Create, fill, empty and delete groups with their members.",
    discussion: """
      Members and memberCount change together or not at all, in one transaction, also where others do the same at the \
      same time. What cannot be done is listed in rejects.jsonl with its code, and the command exits with 2: \
      group-not-found, group-full (10), already-member, not-member, user-not-found, last-admin. 'gymmigrate runs undo' \
      restores what a command changed.

        gymmigrate groups create 'Los del lunes' \\
            --owner 08IiQGmf0KBE9bwAj65r3ctInVea -e stage
        gymmigrate groups list -e stage
      """,
    subcommands: [
      GroupsList.self, GroupsShow.self, GroupsCreate.self, GroupsAdd.self, GroupsRemove.self,
      GroupsPromote.self, GroupsDemote.self, GroupsDelete.self,
    ],
    defaultSubcommand: GroupsList.self
  )
}

/// Whether a group becomes the current group.
struct CurrentGroupOptions: ParsableArguments {
  @Flag(help: "Make it the current group of those who join it (currentGroupId).")
  var current = false
}

/// The options of the commands that change groups.
struct GroupChangeOptions: ParsableArguments {
  @OptionGroup var trial: DryRunOption

  @OptionGroup var common: WritingOptions

  func jobRun(
    _ action: GroupsJob.Action,
    _ ids: [String],
    _ complete: (inout GroupsJob) -> Void = { _ in }
  ) -> JobRun {
    var job = GroupsJob(action, ids, isDryRun: trial.dryRun)
    complete(&job)
    return common.jobRun(job)
  }
}

extension GroupsJob: PerformableJob {
  /// Performs operations on groups, prints the IDs of created groups, and logs refusals.
  func perform(as run: JobRun) async throws -> RunEnding {
    let deletions = DeletionBound(maximum: maximumDeletes, options: run.confirmation)
    if writes, deletesForGood { try deletions.assertMayAsk() }
    var notices: [String] = []
    let listed = try file.map { _ in try operations(of: "") { notices.append($0) } }
    var command = CommandRun(run)
    command.inputs = file.map { [$0] } ?? []
    return try await command.perform { [notices] session, folder in
      try session.schema.assertGym("groups")
      for notice in notices { session.logger.warning("\(notice)") }
      let context = session.context(folder)
      let operations = try listed ?? self.operations(of: folder.id)
      let maximum =
        writes && deletesForGood ? try await allowed(by: deletions, of: operations, context) : nil
      let plan = isDryRun ? try TransactionPlan(name, over: session.client) : nil
      let refused = Locked<Set<DocumentPath>>([])
      // Without the database's lock, because each operation is a transaction and waits for nobody.
      try await GroupService.perform(operations, in: context, planning: plan, deletingAtMost: maximum) {
        operation,
        refusal in
        refused.withLock { _ = $0.insert(operation.path) }
        session.logger.warning("\(operation.path): \(refusal.rawValue). \(refusal.message)")
      }
      var ending = CommandResult(lists: context.lists)
      let created = operations.compactMap { operation in
        let isRefused = refused.withLock { $0.contains(operation.path) }
        return if case .create(let id, _, _) = operation, !isRefused { id } else { nil }
      }
      if !isDryRun { ending.sections = created.map { IDSection(name: "group", id: $0) } }
      if !run.output.json { try report(created, plan, in: session) }
      if context.counts.totals.leavesSomething { ending.status = .incomplete }
      return ending
    }
  }

  /// Refuses, or asks a person, if more is deleted than the limit allows; a resumed run keeps the limit that was given, and
  /// somebody who typed the number types what is left.
  ///
  /// - Returns: The maximum number of deletions; nil for no limit.
  private func allowed(
    by deletions: DeletionBound,
    of operations: [GroupOperation],
    _ context: RunContext
  ) async throws -> Int? {
    if let maximum = deletions.maximum, context.journal?.isEmpty == false { return maximum }
    let before = context.counts.deletions(of: context.journal)
    let count = try await GroupService(in: context).deletions(operations.map(\.path.id))
    return try deletions.allow(count, by: name, in: context.environment) + before
  }

  private func report(_ created: [String], _ plan: TransactionPlan?, in session: Session) throws(Failure) {
    if let plan { return try StandardOutput.write(MigrationText.plan(plan.report)) }
    for id in created { session.report("\(id)\n") }
  }
}

/// The ID of what a command created, in the summary.
struct IDSection: SummarySection {
  let name: StaticString
  let id: String

  var line: String? { nil }

  func encode(to encoder: any Encoder) throws { try id.encode(to: encoder) }
}

struct GroupsCreate: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create a group with its owner as the first admin.",
    discussion: """
      Group, member and memberCount 1 are one transaction. The id of the group is made by the run and printed.

        gymmigrate groups create 'Los del lunes' \\
            --owner 08IiQGmf0KBE9bwAj65r3ctInVea -e stage
      """
  )

  @Argument(help: "The name of the group.")
  var name: String

  @Option(help: "The id of the user who owns it.", as: TypedValue.text("id"))
  var owner: String

  @Option(help: "The owner's name in the group (default: that of the user).", as: TypedValue.text("text"))
  var displayName: String?

  @OptionGroup var current: CurrentGroupOptions
  @OptionGroup var options: GroupChangeOptions

  func validate() throws {
    if let displayName, PlainText.tidied(displayName).isEmpty {
      throw ValidationError("--display-name: give a name, or leave the option out for that of the user.")
    }
    if PlainText.isBlank(name) { throw ValidationError("Give the group a name.") }
    try TypedValue.assertIDs([owner])
  }

  func jobRun() -> JobRun {
    options.jobRun(.create, [owner]) { job in
      (job.groupName, job.displayName) = (PlainText.tidied(name), displayName)
      job.setsCurrent = current.current
    }
  }
}

struct GroupsAdd: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add members to a group, or those of a file to theirs.",
    discussion: """
      A file is a table with the columns groupId, userId, displayName, photoURL and role (the last three may be \
      missing), or JSON Lines with documents of groups/G/members; rejects.jsonl of an earlier run, once corrected, is \
      one. Each member is a transaction of its own.

        gymmigrate groups add 0zkIwz8egD623nJzoAjc 0Ch5yTMb067cZrtGfAE2TgTHwTIh \\
            -e stage
        gymmigrate groups add --from members.csv -e stage
      """
  )

  @Argument(help: "The id of the group, then those of users.")
  var ids: [String] = []

  @Option(localFile: "A file with groups and members.")
  var from: String?

  @Flag(help: "Add them as admins.")
  var admin = false

  @OptionGroup var current: CurrentGroupOptions
  @OptionGroup var options: GroupChangeOptions

  func validate() throws {
    if from == nil, ids.count < 2 {
      throw ValidationError("Give the id of a group and those of users, or --from.")
    }
    if from != nil, !ids.isEmpty || admin || current.current {
      throw ValidationError("--from says who is added to which group: give it alone.")
    }
    try TypedValue.assertIDs(ids)
  }

  func jobRun() -> JobRun {
    options.jobRun(.add, ids) { job in
      (job.file, job.isAdmin, job.setsCurrent) = (from, admin, current.current)
    }
  }
}

struct GroupsRemove: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove members from a group.",
    discussion: """
      Each member is a transaction of its own, with memberCount and the user's currentGroupId, where it names this \
      group. The last active admin stays (last-admin): delete the group instead.

        gymmigrate groups remove 0zkIwz8egD623nJzoAjc 0Ch5yTMb067cZrtGfAE2TgTHwTIh \\
            -e stage    # not-member
      """
  )

  @OptionGroup var members: GroupMemberOptions

  func jobRun() -> JobRun { members.options.jobRun(.remove, members.ids) }
}

struct GroupsDelete: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete groups with their members.",
    discussion: """
      Deletes the documents for good, the members first, and takes the group from the currentGroupId of every user. \
      It requires --max-delete, or \
      asks on a terminal; groups and members are counted before, and where there are more, nothing is deleted. \
      'gymmigrate runs undo' restores all of it.

        gymmigrate groups delete 0zkIwz8egD623nJzoAjc -e stage -n
        gymmigrate groups delete 0zkIwz8egD623nJzoAjc --max-delete 11 -e stage
      """
  )

  @Argument(help: "The ids of groups.")
  var ids: [String]

  @Option(help: "Delete nothing if more documents than this would be deleted, members included.", from: 0)
  var maxDelete: Int?

  @OptionGroup var options: GroupChangeOptions

  func validate() throws { try TypedValue.assertIDs(ids) }

  func jobRun() -> JobRun { options.jobRun(.delete, ids) { $0.maximumDeletes = maxDelete } }
}
