package import Foundation
import Glibc
import Synchronization

/// The result of running a program.
package struct RunResult: Sendable {
  /// The bytes written to standard output.
  package let standardOutput: [UInt8]
  /// The bytes written to standard error.
  package let standardError: [UInt8]
  /// The exit code; 128 and the signal's number where a signal ended the run, as in shells.
  package let exitCode: Int32
  /// The signal that ended the run, nil if it exited.
  package let signal: Int32?
  /// Whether the run was killed because of the time limit.
  package let timedOut: Bool

  /// Standard output as text.
  package var output: String { String(decoding: standardOutput, as: UTF8.self) }
  /// Standard error as text.
  package var errors: String { String(decoding: standardError, as: UTF8.self) }
}

/// Runs the built program, or any other, without anything of this process's environment but `PATH` (and what steers a
/// sanitizer).
///
///     let runner = try BinaryRunner()
///     let result = try await runner.run(["count", "users"], directory: folder)
///     #expect(result.exitCode == 0)
package struct BinaryRunner: Sendable {
  /// The program could not be found or started.
  package struct Failure: Error, CustomStringConvertible {
    /// The reason.
    package let description: String
  }

  /// The path of the program.
  package let executable: String

  /// Finds the program: the file given, else the one that `GYMMIGRATE_BINARY` names, else `gymmigrate` beside the
  /// running tests.
  package init(executable: String? = nil) throws {
    let candidates = [executable ?? ProcessInfo.processInfo.environment["GYMMIGRATE_BINARY"]].compactMap {
      $0
    }
    let folders = [
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "",
      Bundle.main.executablePath ?? "", CommandLine.arguments.first ?? "",
    ]
    let beside = folders.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
      .map { $0.appendingPathComponent("gymmigrate").path }
    let all = candidates.isEmpty ? beside : candidates
    guard let found = all.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw Failure(description: "no executable at \(all.joined(separator: ", "))")
    }
    self.executable = found
  }

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - environment: All that the program sees beside `PATH` (this process's, unless given) and `HOME` (the
  ///     working directory, unless given).
  ///   - directory: The working directory, by default the folder for temporary files.
  ///   - input: What the program reads from standard input.
  ///   - timeout: After this time the program and its children are killed.
  package func run(
    _ arguments: [String],
    environment: [String: String] = [:],
    directory: URL? = nil,
    input: [UInt8] = [],
    timeout: Duration = .seconds(1800)
  ) async throws -> RunResult {
    let running = try start(
      arguments,
      environment: environment,
      directory: directory,
      input: input,
      timeout: timeout
    )
    return await running.wait()
  }

  /// Starts the program and does not wait for it.
  ///
  /// The parameters are those of `run`.
  package func start(
    _ arguments: [String],
    environment: [String: String] = [:],
    directory: URL? = nil,
    input: [UInt8] = [],
    timeout: Duration = .seconds(1800)
  ) throws -> RunningBinary {
    let folder = directory?.path ?? FileManager.default.temporaryDirectory.path
    var variables = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder,
    ]
    variables.merge(Sanitizer.variables) { $1 }
    variables.merge(environment) { $1 }
    return try RunningBinary(
      executable,
      arguments,
      variables.map { "\($0.key)=\($0.value)" }.sorted(),
      folder,
      input,
      timeout
    )
  }
}
