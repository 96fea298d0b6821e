import Configuration
import Schema
import Tables
import YAML

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The context of the process: its command line, environment variables and configuration.
///
/// ArgumentParser creates the commands itself, so they access it as a task-local value.
struct Invocation: Sendable {
  /// The command line, completed from environment variables.
  var arguments = CompletedArguments([])
  /// The environment variables that are set; empty ones count as not set.
  let variables: [String: String]
  /// The configuration files, each read once.
  let configurations = ConfigurationFiles()
  let root: any ParsableCommand.Type
  /// Counts the requests of the command, to databases and buckets; for a command with several runs, those of the current run.
  var traffic = TrafficCounter()
  /// For a command with several runs, the cost limit given for all of them; nil if the run's own applies.
  var bound: BillBound?
  /// Notifies monitors of the command; nil if nobody is notified.
  var notifier: Notifier?
  /// The built-in application; nil if there is none.
  var application: (any Application.Type)?
  /// The types of jobs that records may contain.
  var jobs: [any Job.Type] = []

  @TaskLocal static var current = Invocation(of: NoCommand.self)

  init(of root: any ParsableCommand.Type) {
    self.root = root
    variables = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
  }

  /// The root command before the process has set one.
  private struct NoCommand: ParsableCommand {}

  /// Returns the application if the data are its own.
  func application(of data: DatabaseSchema) -> (any Application.Type)? {
    application.flatMap { $0.name.isIdentical(to: data.name) ? $0 : nil }
  }

  /// The name of the command only: `migrate apply`.
  var commandName: String {
    let words = arguments.words
    return words.prefix(NamedCommand(of: words, below: root).words).joined(separator: " ")
  }

  /// The names of all commands that can be run: `export`, `migrate apply`.
  var commandNames: [String] {
    NamedCommand.all(below: root).compactMap { words, type in
      let configuration = type.configuration
      let isOne = configuration.subcommands.isEmpty || configuration.defaultSubcommand != nil
      return isOne ? words.joined(separator: " ") : nil
    }
  }

  /// A file of trusted certificates, from the same variables as curl's command line.
  var certificates: String? { variables["CURL_CA_BUNDLE"] ?? variables["SSL_CERT_FILE"] }

  /// The names of the built-in schemas.
  var schemas: [String] { application.map { [$0.name] } ?? [] }

  /// Returns the configuration that applies if there is no file.
  func builtInConfiguration() throws(Failure) -> Configuration {
    guard let application else { return Configuration(environments: []) }
    return try Configuration.builtIn(application.environments, schemas: schemas)
  }
}

/// Reads each configuration and schema file once, so that a command sees a single state of them.
final class ConfigurationFiles: Sendable {
  static let operation = "read the configuration"

  private let known = Locked<[UTF8Key: Result<Configuration?, Failure>]>([:])
  private let schemas = Locked<[UTF8Key: Result<DatabaseSchema, Failure>]>([:])

  /// Returns the schema in a file.
  ///
  /// - Throws: `.configuration`, also if the file does not exist.
  func schema(_ file: String) throws(Failure) -> DatabaseSchema {
    try schemas.withLock { schemas in
      if let result = schemas[UTF8Key(file)] { return result }
      let result = Result { () throws(Failure) -> DatabaseSchema in
        do throws(Failure) {
          let text = try YAMLFile(file, kind: .configuration, operation: "read the schema").text()
          return try SchemaReader.schema(parsing: text, path: file, days: LocalTimeZone.days)
        } catch {
          var failure = error
          if !FileCheck.exists(file) {
            failure.remedy =
              "Name one that is there, or give --schema none: then 'gymmigrate schema infer' writes a new one."
          }
          throw failure
        }
      }
      schemas[UTF8Key(file)] = result
      return result
    }.get()
  }

  /// Returns the configuration in a file; nil if the file does not exist.
  ///
  /// - Throws: `.configuration`.
  func read(_ file: String) throws(Failure) -> Configuration? {
    try known.withLock { known in
      if let result = known[UTF8Key(file)] { return result }
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
      known[UTF8Key(file)] = result
      return result
    }.get()
  }
}
