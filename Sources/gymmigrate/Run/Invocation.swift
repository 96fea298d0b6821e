import Configuration
import Schema
import YAML

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the process has: its words, the environment variables and the configuration.
///
/// ArgumentParser makes the commands itself, so they find it as a task-local value.
struct Invocation: Sendable {
  /// The command line as the environment variables completed it.
  var arguments = CompletedArguments([])
  /// The environment variables that are set; an empty one counts as not set.
  let variables: [String: String]
  /// The configuration files, each read once.
  let configurations = ConfigurationFiles()
  /// The root of the commands.
  let root: any ParsableCommand.Type
  /// Counts the requests of the command, to databases and buckets; of one that makes several runs, those of each.
  var traffic = TrafficCounter()
  /// The bound of the bill that was given for all runs of a command that makes several; nil for that of the run.
  var bound: BillBound?
  /// Notifies monitors of the command; nil for one of which nobody is notified.
  var notifier: Notifier?
  /// The application that comes along; nil where none does.
  var application: (any Application.Type)?
  /// The jobs that records may hold.
  var jobs: [any Job.Type] = []

  @TaskLocal static var current = Invocation(of: NoCommand.self)

  init(of root: any ParsableCommand.Type) {
    self.root = root
    variables = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
  }

  /// What is invoked until the process says what.
  private struct NoCommand: ParsableCommand {}

  /// The application, where the data are its own.
  func application(of data: DatabaseSchema) -> (any Application.Type)? {
    application.flatMap { $0.name.isIdentical(to: data.name) ? $0 : nil }
  }

  /// The words of the command alone: `migrate apply`.
  var commandName: String {
    let words = arguments.words
    return words.prefix(NamedCommand(of: words, below: root).words).joined(separator: " ")
  }

  /// The names of the commands that do something by themselves: `export`, `migrate apply`.
  var commandNames: [String] {
    NamedCommand.all(below: root).compactMap { words, type in
      let configuration = type.configuration
      let isOne = configuration.subcommands.isEmpty || configuration.defaultSubcommand != nil
      return isOne ? words.joined(separator: " ") : nil
    }
  }

  /// A file of certificates to trust, by the variables that curl's own command line honours.
  var certificates: String? { variables["CURL_CA_BUNDLE"] ?? variables["SSL_CERT_FILE"] }

  /// The names of the schemas that come along.
  var schemas: [String] { application.map { [$0.name] } ?? [] }

  /// The configuration of those who have no file.
  func builtInConfiguration() throws(Failure) -> Configuration {
    guard let application else { return Configuration(environments: []) }
    return try Configuration.builtIn(application.environments, schemas: schemas)
  }
}

/// Reads configuration and schema files once, so that all that a command does goes by one state of them.
final class ConfigurationFiles: Sendable {
  static let operation = "read the configuration"

  private let known = Locked<[String: Result<Configuration?, Failure>]>([:])
  private let schemas = Locked<[String: Result<DatabaseSchema, Failure>]>([:])

  /// The schema in a file.
  ///
  /// - Throws: `.configuration`, also where there is no such file.
  func schema(_ file: String) throws(Failure) -> DatabaseSchema {
    try schemas.withLock { schemas in
      if let result = schemas[file] { return result }
      let result = Result { () throws(Failure) -> DatabaseSchema in
        do throws(Failure) {
          let text = try YAMLFile(file, kind: .configuration, operation: "read the schema").text()
          return try SchemaReader.schema(parsing: text, path: file)
        } catch {
          var failure = error
          if !FileCheck.exists(file) {
            failure.remedy =
              "Name one that is there, or give --schema none: then 'gymmigrate schema infer' writes a new one."
          }
          throw failure
        }
      }
      schemas[file] = result
      return result
    }.get()
  }

  /// The configuration in a file; nil where there is no such file.
  ///
  /// - Throws: `.configuration`.
  func read(_ file: String) throws(Failure) -> Configuration? {
    try known.withLock { known in
      if let result = known[file] { return result }
      let result = Result { () throws(Failure) -> Configuration? in
        guard let bytes = try CredentialDiscovery.readFile(at: file, to: Self.operation) else { return nil }
        return try Configuration(
          parsing: YAMLFile(file, kind: .configuration, operation: Self.operation).text(of: bytes),
          file: file,
          localProject: try Invocation.current.builtInConfiguration().environments.first?.database.project
            ?? "local",
          schemas: Invocation.current.schemas,
          commands: Invocation.current.commandNames
        )
      }
      known[file] = result
      return result
    }.get()
  }
}
