import Configuration
import Logging
import TypedDocuments

struct ManagedList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the operations of a database, running and ended, the newest first.",
    discussion: """
      Prints one line per operation, with tabs: the last part of its name, what it is, its state in the service's words, \
      when it began, documents done of those estimated, and the prefix. The service forgets old operations, and lists \
      those of indexes, too.

        gymmigrate managed list -e prod
        gymmigrate managed list -e prod --running --json
      """
  )

  @Flag(help: "List only operations that have not ended.")
  var running = false

  @OptionGroup var common: PrintingOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    try await common.perform("managed list", silently: true) { session in
      try ManagedWork.assertDatabase(session)
      let operations = try await session.client.operations().filter { !running || !$0.isDone }
      if json {
        try StandardOutput.writeArray { list in
          for operation in operations { list.record(OperationSection(operation)) }
        }
        return CommandResult()
      }
      if operations.isEmpty {
        session.logger.warning(
          "There are no \(running ? "running " : "")operations in \(session.environment.name)."
        )
      }
      for operation in operations { try StandardOutput.write("\(ManagedText.line(operation))\n") }
      return CommandResult()
    }
  }
}
