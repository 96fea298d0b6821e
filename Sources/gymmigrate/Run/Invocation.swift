import Configuration
import Files
import FirestoreModels
import FirestoreREST
import Runs

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is the same for everything that one command line does: its words, the environment variables, the configuration,
/// and the run that it resumes.
///
/// ArgumentParser makes the commands itself, so they find it as a task-local value.
struct Invocation: Sendable {
  /// The command line as the environment variables completed it.
  var arguments = CompletedArguments([])
  /// The environment variables that are set; an empty one counts as not set.
  let variables: [String: String]
  /// The run that is resumed; nil for a new one.
  var resuming: RunRecord?
  /// The configuration files, each read once.
  let configurations = ConfigurationFiles()

  @TaskLocal static var current = Invocation()

  init(variables: [String: String] = ProcessInfo.processInfo.environment) {
    self.variables = variables.filter { !$0.value.isEmpty }
  }

  /// Parses and runs a command line that resumes a run.
  func resume(_ record: RunRecord, _ arguments: [String]) async throws {
    var invocation = self
    invocation.resuming = record
    try await Self.$current.withValue(invocation) { try await Main.perform(arguments) }
  }
}

/// Reads configuration files once, so that all that a command does goes by one state of them.
final class ConfigurationFiles: Sendable {
  static let operation = "read the configuration"

  private let known = Locked<[String: Result<Configuration?, Failure>]>([:])

  /// The configuration in a file; nil where there is no such file.
  ///
  /// - Throws: `.configuration`.
  func read(_ file: String) throws(Failure) -> Configuration? {
    try known.withLock { known in
      if let result = known[file] { return result }
      let result = Result { () throws(Failure) -> Configuration? in
        guard let bytes = try CredentialDiscovery.readFile(at: file, to: Self.operation) else { return nil }
        return try Configuration(parsing: String(decoding: bytes, as: UTF8.self), file: file)
      }
      known[file] = result
      return result
    }.get()
  }
}
