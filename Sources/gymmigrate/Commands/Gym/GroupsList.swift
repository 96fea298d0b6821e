import GymModels
import GymServices

struct GroupsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the groups, one per line.",
    discussion: """
      The columns are id, memberCount, 'active' or 'inactive', and name, separated by tabs. A \
      group that the apps cannot read is 'unreadable'; 'gymmigrate check' says why.
      """
  )

  @Flag(help: "Print JSON instead of lines.") var json = false
  @OptionGroup var common: PrintingOptions

  func run() async throws {
    try await common.perform("groups list") { session in
      try session.schema.assertGym("groups")
      var all: [RawDocument] = []
      for try await page in session.client.pages(of: CollectionRead(GymCollection.groups)) {
        session.counts.update(GymCollection.groups) { $0.read += page.count }
        if json {
          all += page
        } else {
          for group in page { try StandardOutput.write(cells: GroupCells.of(group)) }
        }
      }
      if json { try StandardOutput.writeArray { $0.documents(all) } }
      return CommandResult()
    }
  }
}

struct GroupsShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a group and its members.",
    discussion: """
      Prints the line of 'groups list', then one line per member: its id, role, 'active' or 'inactive', when it \
      joined, and its name. Exits with 66 where there is no such group.
      """
  )

  @Argument(help: "The id of the group.")
  var id: String

  @Flag(help: "Print a JSON array instead of lines: the group, then its members.") var json = false
  @OptionGroup var common: PrintingOptions

  func validate() throws { try TypedValue.assertIDs([id]) }

  func run() async throws {
    try await common.perform("groups show") { session in
      try session.schema.assertGym("groups")
      let path = GroupService.group(id)
      guard let group = try await session.client.batchGet([path])[path] else {
        throw Failure(.inputMissing, "show", path: path.string, cause: "there is no group with that ID")
      }
      var members: [RawDocument] = []
      for try await page in session.client.pages(of: CollectionRead(GymCollection.members(of: path))) {
        members += page
      }
      session.counts.update(GymCollection.groups) { $0.read += 1 }
      session.counts.update(GymCollection.members(of: path)) { $0.read += members.count }
      if json {
        try StandardOutput.writeArray { $0.documents([group] + members) }
        return CommandResult()
      }
      try StandardOutput.write(cells: GroupCells.of(group))
      for member in members { try StandardOutput.write(cells: GroupCells.of(member: member)) }
      return CommandResult()
    }
  }
}

/// The cells of the line of a group, or of a member.
private enum GroupCells {
  static func of(_ document: RawDocument) -> [String] {
    guard let group = try? Group(document) else { return unreadable(document, of: 4) }
    return [
      document.path.id, String(group.memberCount), group.isActive ? "active" : "inactive", group.name,
    ]
  }

  static func of(member document: RawDocument) -> [String] {
    guard let member = try? GroupMember(document) else { return unreadable(document, of: 5) }
    return [
      document.path.id, member.role, member.isActive ? "active" : "inactive",
      member.joinedAt.description, member.displayName,
    ]
  }

  /// Returns the cells for a document that the apps cannot decode.
  private static func unreadable(_ document: RawDocument, of columns: Int) -> [String] {
    (0..<columns).map { $0 == 0 ? document.path.id : $0 == 2 ? "unreadable" : "-" }
  }
}
