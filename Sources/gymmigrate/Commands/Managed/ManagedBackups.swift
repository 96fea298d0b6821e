import Configuration
import Logging

struct ManagedBackups: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backups",
    abstract: "List the backup schedules of a database and the backups that Firestore has made.",
    discussion: """
      Prints one line per schedule (how often, for how long a backup is kept, its ID), then one per backup, the newest \
      first: its state, the moment that it shows, when it expires, the number of documents if the service says it, and \
      its name. Google's own tools make and restore them.

        gymmigrate managed backups -e prod
      """
  )

  @OptionGroup var common: PrintingOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    try await common.perform("managed backups", silently: true) { session in
      try ManagedWork.assertDatabase(session)
      let schedules = try await session.client.backupSchedules()
      let (backups, unreachable) = try await session.client.backups()
      if json {
        try StandardOutput.write(line: ManagedText.json(schedules, backups, unreachable: unreachable))
      } else {
        for schedule in schedules { try StandardOutput.write("\(ManagedText.line(schedule))\n") }
        for backup in backups { try StandardOutput.write("\(ManagedText.line(backup))\n") }
      }
      if schedules.isEmpty { session.logger.warning("\(session.environment.name) has no backup schedule.") }
      for location in unreachable {
        session.logger.warning("\(location) did not answer: its backups are not listed.")
      }
      return CommandResult()
    }
  }
}
