import Foundation
import TestSupport
import Testing

/// The scripts of samples/github-actions/gymmigrate, as GitHub calls them.
@Suite("The action for GitHub")
struct ActionTests {
  private static let action = Samples.repository.appendingPathComponent("samples/github-actions/gymmigrate")

  private func bash(
    _ arguments: [String],
    _ environment: [String: String] = [:],
    in folder: URL
  ) async throws -> RunResult {
    var environment = environment
    environment["GITHUB_PATH"] = folder.appendingPathComponent("paths").path
    environment["GITHUB_OUTPUT"] = folder.appendingPathComponent("outputs").path
    environment["RUNNER_TEMP"] = folder.path
    return try await BinaryRunner(executable: "/bin/bash")
      .run(arguments, environment: environment, directory: folder)
  }

  private func script(_ name: String) -> String { Self.action.appendingPathComponent(name).path }

  private func text(_ name: String, in folder: URL) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      .trimmingCharacters(in: .newlines)
  }

  /// Makes a package whose program calls the one that is tested, and returns its SHA-256.
  private func package(in folder: URL) async throws -> String {
    let program = try BinaryRunner().executable
    let made = try await bash(
      [
        "-c",
        """
        mkdir -p gymmigrate-1/bin
        printf '#!/bin/sh\\nexec "%s" "$@"\\n' '\(program)' >gymmigrate-1/bin/gymmigrate
        chmod +x gymmigrate-1/bin/gymmigrate
        tar -czf package.tar.gz gymmigrate-1
        sha256sum package.tar.gz | cut -d ' ' -f 1
        """,
      ],
      in: folder
    )
    return made.output.trimmingCharacters(in: .newlines)
  }

  @Test("The package is installed, and the job gets the exit code of the command with its quoted words")
  func installsAndRuns() async throws {
    try await withTemporaryDirectory { folder in
      let package = ["PACKAGE": "package.tar.gz", "SHA256": try await package(in: folder)]
      let installed = try await bash([script("install.sh")], package, in: folder)
      #expect(installed.exitCode == 0, "\(installed.errors)")
      let path = try text("paths", in: folder) + ":/usr/bin:/bin"
      func run(_ command: String) async throws -> RunResult {
        try await bash([script("run.sh")], ["PATH": path, "COMMAND": command], in: folder)
      }
      try Data("{\"name\":\"x/a b\",\"fields\":{}}\n".utf8).write(
        to: folder.appendingPathComponent("x.jsonl")
      )
      #expect(try await run("import x.jsonl -e local --source projects/p/databases/d").exitCode == 0)
      let found = try await run("get 'x/a b' -e local; touch injected")
      #expect(found.exitCode == 64)
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("injected").path))
      #expect(try await run("get 'x/a b' -e local").output.contains("x/a b"))
      #expect(try await run("get x/none -e local").exitCode == 66)
      #expect(try text("outputs", in: folder).split(separator: "\n").last == "exit-code=66")
      #expect(try await run("get 'x").exitCode != 0)
    }
  }

  @Test("A package with another sum, and one that comes without encryption, are not unpacked")
  func refusesOthers() async throws {
    try await withTemporaryDirectory { folder in
      let sum = try await package(in: folder)
      for (package, sum, code) in [
        ("package.tar.gz", String(sum.reversed()), 65), ("http://127.0.0.1:1/x.tar.gz", sum, 64),
      ] {
        let refused = try await bash(
          [script("install.sh")],
          ["PACKAGE": package, "SHA256": sum],
          in: folder
        )
        #expect(refused.exitCode == Int32(code))
      }
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("paths").path))
    }
  }
}
