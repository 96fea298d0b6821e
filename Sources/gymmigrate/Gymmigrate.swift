import Integrity
import MigrationEngine
import Mirror
import Platform
import Restoration
import Transfer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The root of the command line.
struct Gymmigrate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gymmigrate",
    abstract: "Batch import, export and migration of Firestore over its REST API.",
    version: gymmigrateVersion,
    subcommands: sets.flatMap(\.commands)
  )

  /// All commands, in sets of related ones, as the overview shows them.
  static let sets: [CommandSet] = [
    CommandSet(
      title: "Move data",
      commands: [
        ExportCommand.self, ExportVerify.self, ExportPrune.self, ImportCommand.self, CopyCommand.self,
        DiffCommand.self, RestoreCommand.self, MaskCommand.self, ManagedCommand.self,
      ],
      jobs: [ExportJob.self, ImportJob.self, CopyJob.self, RestoreJob.self]
    ),
    CommandSet(
      title: "Change data",
      commands: [MigrateCommand.self, FixCommand.self, DeleteCommand.self],
      jobs: [PlanJob.self, ApplyJob.self, UndoJob.self, FixJob.self, DeleteJob.self]
    ),
    CommandSet(
      title: "Check and look",
      commands: [
        CheckCommand.self, CountCommand.self, FindCommand.self, GetCommand.self, HistoryCommand.self,
        SchemaCommand.self, MirrorCommand.self,
      ],
      jobs: [CheckJob.self, PushJob.self]
    ),
    RegisteredApplication.commands,
    CommandSet(
      title: "Operate",
      commands: [
        InitCommand.self, RunsCommand.self, CostsCommand.self, EnvCommand.self, DoctorCommand.self,
        ServeCommand.self, CompletionCommand.self, ShardCommand.self,
      ],
      jobs: [ResetJob.self]
    ),
  ]
}

@main
enum Main {
  static func main() async {
    ProcessLimits.assertStandardDescriptors()
    // Files contain people's data, and files created by libraries are protected only by this mask.
    umask(0o077)
    _ = Allocator.returnsLargeBlocks
    Terminal.standardError.setFormat(.chosen)
    do throws(Failure) {
      try ProcessArguments.assertReadable()
      // Before any task starts, because without descriptors and threads not even tasks can run.
      try ProcessLimits.assertEnough()
    } catch {
      Terminal.standardError.lines("\(Colors.errorLabel) \(error)")
      Gymmigrate.exit(withError: ExitCode(ExitCodes.code(of: error.kind)))
    }
    Secrets.addProxies(of: ProcessInfo.processInfo.environment)
    Interruption.watch { work.withLock { $0 }?.cancel() }
    let task = Task {
      let code = await run()
      await notifier.withLock { $0 }?.end(code)
      return code
    }
    work.withLock { $0 = task }
    if Interruption.wasReceived { task.cancel() }
    let code = await task.value
    Terminal.standardError.clearStatus()
    if code == ExitCodes.brokenPipe { Interruption.endByBrokenPipe() }
    Gymmigrate.exit(withError: code == 0 ? nil : ExitCode(code))
  }

  /// The task that runs the command line.
  ///
  /// It is not a local variable, because a local would be leaked at exit, where nothing is released any more.
  private static let work = Locked<Task<Int32, Never>?>(nil)

  private static let notifier = Locked<Notifier?>(nil)

  /// Completes, parses and runs the command line of this process.
  private static func perform() async throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    // A subcommand of `export` would be parsed as a collection, so it is a separate command.
    for name in ["verify", "prune"] where arguments.starts(with: ["export", name]) {
      arguments.replaceSubrange(..<2, with: ["export-\(name)"])
    }
    if arguments == ["version"] { arguments = ["--version"] }
    if let text = try HelpText.answer(to: arguments) {
      return try StandardOutput.write(TerminalText(lines: "\(text)\n"))
    }
    var invocation = Invocation(of: Gymmigrate.self)
    invocation.application = RegisteredApplication.self
    invocation.jobs = Gymmigrate.sets.flatMap(\.jobs)
    // A shell requests completions for an option's value.
    if arguments.first == "---completion" {
      _ = try Invocation.$current.withValue(invocation) { try Gymmigrate.parseAsRoot(arguments) }
    }
    if let failure = RepeatedOption.failure(in: arguments) { throw failure }
    let completed = try CompletedArguments(
      arguments,
      variables: invocation.variables,
      below: Gymmigrate.self
    )
    invocation.arguments = completed
    let parsed: any ParsableCommand
    do {
      parsed = try Gymmigrate.parseAsRoot(completed.parsed)
    } catch {
      throw explained(error, completed)
    }
    try ProcessArguments.assertGiven(arguments)
    invocation.notifier = Notifier(of: parsed, in: invocation)
    notifier.withLock { $0 = invocation.notifier }
    do {
      try await Invocation.$current.withValue(invocation) {
        invocation.notifier?.begin(for: parsed)
        var command = parsed
        if var asynchronous = command as? any AsyncParsableCommand { return try await asynchronous.run() }
        try command.run()
      }
    } catch let failure as Failure {
      throw completed.naming(failure)
    } catch is CancellationError {
      throw Failure(.interrupted, "finish \(invocation.commandName)", cause: "it was stopped")
    }
  }

  /// Returns the error of a command line, or a failure that names the environment variable without which it would be valid.
  private static func explained(_ error: any Error, _ completed: CompletedArguments) -> any Error {
    if Gymmigrate.exitCode(for: error) == .success { return error }
    if let misspelt = MisspeltWord.failure(in: completed.words, below: Gymmigrate.self) { return misspelt }
    let message = Gymmigrate.message(for: error)
    for addition in completed.additions {
      do {
        _ = try Gymmigrate.parseAsRoot(completed.without(addition).parsed)
      } catch  where Gymmigrate.message(for: error).isIdentical(to: message) {
        continue
      } catch {
        // Something else is wrong, too.
      }
      return Failure(.usage, "use", path: addition.variable, cause: message)
    }
    return error
  }

  /// Prints help, or anything else that the parser itself provides; returns the exit code.
  private static func printed(_ text: TerminalText) -> Int32 {
    do throws(Failure) {
      try StandardOutput.write(text)
      return ExitCodes.done
    } catch {
      return reported(error)
    }
  }

  /// Prints a failure; returns the exit code.
  private static func reported(_ failure: Failure) -> Int32 {
    if Interruption.isBrokenPipe(failure) { return ExitCodes.brokenPipe }
    Terminal.standardError.lines("\(Colors.errorLabel) \(failure)")
    // A command that records a run has reported its end itself.
    if failure.kind == .interrupted, Interruption.wasReceived {
      let words = Setting.shown(Array(CommandLine.arguments.dropFirst()))
      let same = CommandLineText.quoted(["gymmigrate"] + words)
      Terminal.standardError.line("To resume: \(Interruption.resumeCommand.withLock { $0 } ?? same)")
    }
    return ExitCodes.code(of: failure.kind)
  }

  /// Describes an error of the command line in one line, with the command that shows help.
  private static func usage(_ error: any Error) -> String {
    let cause = Gymmigrate.message(for: error).split(separator: "\n").map(String.init)
    let pointer = Gymmigrate.fullMessage(for: error).split(separator: "\n").last { $0.hasPrefix("  See '") }
    let said = pointer.flatMap { $0.split(separator: "'").dropFirst().first }.map(String.init)
    let help = said.map { said -> String in
      // Errors found while a command runs do not name the command.
      let help = said == "gymmigrate --help" ? "\(command) --help" : said
      // A command that was parsed separately does not name the program.
      return " See '\(help.hasPrefix("gymmigrate") ? help : "gymmigrate \(help)")'."
    }
    // A list of values has one value per line.
    let values = cause.dropFirst().filter { $0.hasPrefix("  - ") }.map { $0.dropFirst(4) }
    let list = values.isEmpty ? "" : " \(values.joined(separator: ", "))"
    return (cause.first.map { sentence($0 + list) } ?? "the command line is wrong.") + (help ?? "")
  }

  /// The words of this process's command line that name the command, as far as they are valid.
  private static var command: String {
    let words = Array(CommandLine.arguments.dropFirst())
    let named = words.prefix(NamedCommand(of: words, below: Gymmigrate.self).words)
    return (["gymmigrate"] + named).joined(separator: " ")
  }

  /// Formats a message of the parser like all others: starting in lower case and ending with a period.
  private static func sentence(_ message: String) -> String {
    let isWord = message.dropFirst().first?.isLowercase ?? false
    let begun = isWord ? message.prefix(1).lowercased() + message.dropFirst() : message
    return begun.hasSuffix(".") || begun.hasSuffix("?") ? begun : "\(begun)."
  }

  /// Runs the command line of this process; returns the exit code.
  private static func run() async -> Int32 {
    do {
      try await perform()
      return ExitCodes.done
    } catch let failure as Failure {
      return reported(failure)
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      let code = Gymmigrate.exitCode(for: error)
      if code == .success { return printed("\(TerminalText(lines: Gymmigrate.fullMessage(for: error)))\n") }
      Terminal.standardError.lines("\(Colors.errorLabel) \(TerminalText(lines: usage(error)))")
      return code.rawValue
    }
  }
}
