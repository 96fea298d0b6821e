import GymServices

struct GroupsPromote: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "promote",
    abstract: "Make members of a group its admins.",
    discussion: """
        gymmigrate groups promote 0zkIwz8egD623nJzoAjc \\
            0Ch5yTMb067cZrtGfAE2TgTHwTIh -e stage -n
      """
  )

  @OptionGroup var members: GroupMemberOptions

  func jobRun() -> JobRun { members.options.jobRun(.promote, members.ids) }
}

struct GroupsDemote: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "demote",
    abstract: "Make admins of a group its members.",
    discussion: """
      The last active admin stays one (last-admin): promote another first.

        gymmigrate groups demote 0zkIwz8egD623nJzoAjc 0Ch5yTMb067cZrtGfAE2TgTHwTIh \\
            -e stage -n
      """
  )

  @OptionGroup var members: GroupMemberOptions

  func jobRun() -> JobRun { members.options.jobRun(.demote, members.ids) }
}

/// The group and the members to change.
struct GroupMemberOptions: ParsableArguments {
  @Argument(help: "The id of the group, then those of users.")
  var ids: [String]

  @OptionGroup var options: GroupChangeOptions

  func validate() throws {
    if ids.count < 2 { throw ValidationError("Give the id of a group and those of users.") }
    try TypedValue.assertIDs(ids)
  }
}
