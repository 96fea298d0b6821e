import ArgumentParser
import Configuration
import Files
import FirestoreModels
import FirestoreREST
import Runs
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
  /// The commands and their options.
  var commands: @Sendable () throws(Failure) -> CommandTree = { () throws(Failure) in
    throw Failure(.internal, "describe the commands", cause: "nobody said them")
  }
  /// Parses the words of another command.
  var parse: @Sendable ([String]) throws -> any ParsableCommand = { _ in
    throw Failure(.internal, "parse", cause: "nobody said the commands")
  }
  /// Counts the requests of the command, to databases and buckets.
  let traffic = TrafficCounter()

  @TaskLocal static var current = Invocation()

  init(variables: [String: String] = ProcessInfo.processInfo.environment) {
    self.variables = variables.filter { !$0.value.isEmpty }
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
        let bytes = try YAMLFile(file, kind: .configuration, operation: "read the schema").bytes()
        return try SchemaReader.schema(parsing: String(decoding: bytes, as: UTF8.self), path: file)
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
          parsing: String(decoding: bytes, as: UTF8.self),
          file: file,
          localProject: try BuiltInSchema.configuration().environments.first?.database.project ?? "local",
          schemas: BuiltInSchema.names
        )
      }
      known[file] = result
      return result
    }.get()
  }
}
