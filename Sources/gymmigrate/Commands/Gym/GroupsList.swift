import ArgumentParser
import Files
import FirestoreModels
import FirestoreREST
import GymServices
import Runs

/// `gymmigrate groups list`.
struct GroupsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the groups, one per line.",
    discussion: "The columns are id, memberCount, 'active' or 'inactive', and name, separated by tabs."
  )

  @Flag(help: "Print a JSON array instead of lines.") var json = false
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var verbosity: VerbosityOptions

  func run() async throws {
    let isJSON = json
    let command = CommandRun(name: "groups list", connection: connection, logging: .withoutSummary(verbosity))
    try await command.performWithoutRun { session in
      try session.schema.assertGym("groups")
      var json = JSONWriter()
      var all: [RawDocument] = []
      for try await page in session.client.pages(of: CollectionRead(GroupService.groups)) {
        session.counts.update(GroupService.groups) { $0.read += page.count }
        if isJSON {
          all += page
          continue
        }
        for group in page { try StandardOutput.write(Self.line(group)) }
      }
      guard isJSON else { return CommandResult() }
      json.array { list in for group in all { list.document(group, in: nil, times: false) } }
      try StandardOutput.write(json: json.bytes + [UInt8(ascii: "\n")])
      return CommandResult()
    }
  }

  private static func line(_ group: RawDocument) -> TerminalText {
    let count = group.fields["memberCount"]?.integer.map(String.init) ?? "-"
    let isActive = group.fields["isActive"]?.boolean ?? true
    return
      "\(group.path.id)\t\(count)\t\(isActive ? "active" : "inactive")\t\(group.fields["name"]?.string ?? "-")\n"
  }
}

/// `gymmigrate groups show`.
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
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var verbosity: VerbosityOptions

  func validate() throws { try GroupsCommand.validate(ids: [id]) }

  func run() async throws {
    let (id, isJSON) = (id, json)
    let command = CommandRun(name: "groups show", connection: connection, logging: .withoutSummary(verbosity))
    try await command.performWithoutRun { session in
      try session.schema.assertGym("groups")
      let path = GroupService.group(id)
      guard let group = try await session.client.batchGet([path])[path] else {
        throw Failure(.inputMissing, "show", path: path.string, cause: "there is no group with that id")
      }
      var members: [RawDocument] = []
      for try await page in session.client.pages(of: CollectionRead(GroupService.members(of: path))) {
        members += page
      }
      session.counts.update(GroupService.groups) { $0.read += 1 }
      session.counts.update(GroupService.members(of: path)) { $0.read += members.count }
      if isJSON {
        var json = JSONWriter()
        json.array { list in
          for document in [group] + members { list.document(document, in: nil, times: false) }
        }
        try StandardOutput.write(json: json.bytes + [UInt8(ascii: "\n")])
        return CommandResult()
      }
      try StandardOutput.write(Self.line(group))
      for member in members { try StandardOutput.write(Self.line(ofMember: member)) }
      return CommandResult()
    }
  }

  private static func line(_ group: RawDocument) -> TerminalText {
    let count = group.fields["memberCount"]?.integer.map(String.init) ?? "-"
    let isActive = group.fields["isActive"]?.boolean ?? true
    return
      "\(group.path.id)\t\(count)\t\(isActive ? "active" : "inactive")\t\(group.fields["name"]?.string ?? "-")\n"
  }

  private static func line(ofMember member: RawDocument) -> TerminalText {
    let isActive = member.fields["isActive"]?.boolean ?? true
    let cells = [
      member.path.id, member.fields["role"]?.string ?? "-", isActive ? "active" : "inactive",
      member.fields["joinedAt"]?.timestamp?.description ?? "-", member.fields["displayName"]?.string ?? "-",
    ]
    return "\(cells.map { TerminalText($0) }.joined(separator: "\t"))\n"
  }
}
