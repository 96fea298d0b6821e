import Configuration
import Mirror

struct MirrorStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show how old a mirror is, and what a pull would read.",
    discussion: """
      Nothing is read but counts, one read for every 1,000 documents counted; with --offline nothing at all.

        gymmigrate mirror status prod.sqlite
        gymmigrate mirror status prod.sqlite --offline
      """
  )

  @OptionGroup var mirror: MirrorArgument
  @Flag(help: "Look at the file alone.") var offline = false
  @Flag(help: "Print JSON instead of lines.") var json = false
  @OptionGroup var common: PrintingOptions

  func run() async throws {
    if offline {
      let name = DatabaseEnvironment.mirrorPrefix + mirror.file
      let schema = try EnvironmentResolver(common.connection.settings.target(name)).schema()
      return try show(try await MirrorStatus.find(mirror.file, schema, client: nil))
    }
    let connection = try mirror.connection(common.connection.settings)
    try await common.perform("mirror status", on: connection) { session in
      try show(try await MirrorStatus.find(mirror.file, session.schema, client: session.client))
      return CommandResult()
    }
  }

  private func show(_ status: MirrorStatus) throws {
    if json {
      try StandardOutput.write(line: MirrorText.json(status))
    } else {
      try StandardOutput.write(MirrorText.status(status, mirror.file))
    }
  }
}
