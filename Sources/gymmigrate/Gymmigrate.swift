import ArgumentParser
import Models
import Transfer

/// The root of the command line.
struct Gymmigrate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gymmigrate",
    abstract: "Batch import, export and migration of Firestore over its REST API.",
    discussion: """
      Start with the embedded store, which needs no account:

        gymmigrate import samples/gym/users.jsonl -e local
        gymmigrate migrate plan users-unify -e local
        gymmigrate migrate apply users-unify -e local
        gymmigrate export users -e local -o users.csv

      Then name a real environment in gymmigrate.yaml ('gymmigrate env list' shows those that are known).
      Standard output is data; what gymmigrate has to say goes to standard error.

      \(ExitCodes.help)
      """,
    version: gymmigrateVersion,
    subcommands: [
      ExportCommand.self, ImportCommand.self, MigrateCommand.self, CountCommand.self, EnvCommand.self,
      ServeCommand.self,
    ]
  )
}

@main
enum Main {
  static func main() async {
    let work = Guarded<Task<Int32, Never>?>(nil)
    Interruption.watch { work.withLock { $0 }?.cancel() }
    let task = Task { await run(Array(CommandLine.arguments.dropFirst())) }
    work.withLock { $0 = task }
    if Interruption.wasReceived { task.cancel() }
    let code = await task.value
    Terminal.standardError.clearStatus()
    Gymmigrate.exit(withError: code == 0 ? nil : ExitCode(code))
  }

  /// Parses and runs a command line; what it returns is the exit code.
  private static func run(_ arguments: [String]) async -> Int32 {
    do {
      var command = try Gymmigrate.parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      return ExitCodes.done
    } catch let failure as Failure {
      Terminal.standardError.line("error: \(failure)")
      return ExitCodes.code(of: failure.kind)
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      let code = Gymmigrate.exitCode(for: error)
      if code == .success { Gymmigrate.exit(withError: error) }
      Terminal.standardError.line(Gymmigrate.fullMessage(for: error))
      return code.rawValue
    }
  }
}
