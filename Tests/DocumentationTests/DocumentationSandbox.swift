import Foundation
import TestSupport

/// Where the commands of one page are run: a folder with the samples beside it, and a store in memory behind every
/// environment but `local`, seeded with the samples; for a page about the managed service, one that the tests play.
///
/// The environments are those of a configuration in the home folder, so that a page's command lines stay as they are.
/// No request can reach the real service signed: there is nobody who would sign.
struct DocumentationSandbox {
  /// The room could not be set up.
  struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  let folder: URL
  private let variables: [String: String]
  /// The address of the store, which pages call ``namedEndpoint``.
  private let endpoint: String
  private static let namedEndpoint = "http://127.0.0.1:8085"
  private let shell: BinaryRunner

  /// Sets up a folder, runs `body` in it, and stops the store.
  static func open(
    environments: Set<String>,
    isManaged: Bool,
    _ body: (DocumentationSandbox) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let binary = try BinaryRunner()
      if isManaged {
        try await HTTPTestServer.withServer(managedService()) { server in
          try await body(try DocumentationSandbox(home: folder, binary, serving: server.url))
        }
        return
      }
      let store = try binary.start(
        ["serve", "--port", "0", "--memory"],
        directory: folder,
        timeout: .seconds(1800)
      )
      do {
        guard await store.waitForText("FIRESTORE_EMULATOR_HOST=", on: .errors) else {
          throw Trouble("the store did not come up: \(store.text(.errors))")
        }
        let sandbox = try DocumentationSandbox(home: folder, binary, serving: store.text(.errors))
        for name in environments.sorted() { try await sandbox.seed(name, with: binary) }
        try await body(sandbox)
      } catch {
        store.send(SIGTERM)
        _ = await store.wait()
        throw error
      }
      store.send(SIGTERM)
      _ = await store.wait()
    }
  }

  /// The managed service over empty databases.
  private static func managedService() -> RequestHandler {
    let databases = ["test", "stage", "prod"].map { name in
      var options = MiniFirestore.Options()
      (options.project, options.database) = ("sajarubox", name)
      return MiniFirestore(options)
    }
    return ManagedService(other: { request in
      let database = databases.first { request.path.contains("/\($0.root)") }
      return (database ?? databases[0]).handler(request)
    }).handler
  }

  private init(home: URL, _ binary: BinaryRunner, serving: String) throws {
    guard let endpoint = serving.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output else {
      throw Trouble("the store does not print its address: \(serving)")
    }
    self.endpoint = String(endpoint)
    let tools = home.appendingPathComponent(".bin")
    folder = home.appendingPathComponent("work")
    for folder in [tools, folder] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      at: tools.appendingPathComponent("gymmigrate"),
      withDestinationURL: URL(fileURLWithPath: binary.executable)
    )
    try FileManager.default.createSymbolicLink(
      at: folder.appendingPathComponent("samples"),
      withDestinationURL: Page.root.appendingPathComponent("samples")
    )
    shell = try BinaryRunner(executable: "/bin/bash")
    variables = [
      "HOME": home.path,
      "PATH": "\(tools.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
      "LC_ALL": "C.UTF-8",
      "GCE_METADATA_HOST": "127.0.0.1:1",
    ]
    let configuration = """
      project: sajarubox
      schema: gym
      environments:
        test: { database: test, storageBucket: sajarubox_test, endpoint: "\(endpoint)" }
        stage: { database: stage, storageBucket: sajarubox_stage, endpoint: "\(endpoint)" }
        prod: { database: prod, storageBucket: sajarubox_prod, endpoint: "\(endpoint)", protected: true }
        legacy: { database: (default), endpoint: "\(endpoint)", protected: true }
      """
    let place = home.appendingPathComponent(".config/gymmigrate")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try configuration.write(
      to: place.appendingPathComponent("gymmigrate.yaml"),
      atomically: true,
      encoding: .utf8
    )
  }

  private func seed(_ environment: String, with binary: BinaryRunner) async throws {
    let samples = try FileManager.default.contentsOfDirectory(
      atPath: Page.root.appendingPathComponent("samples/gym").path
    ).filter { $0.hasSuffix(".jsonl") }.sorted().map { "samples/gym/\($0)" }
    let result = try await binary.run(
      ["import"] + samples + [
        "-e", environment, "--confirm", environment, "-q", "--state-dir", "../.seeding",
      ],
      environment: variables,
      directory: folder
    )
    guard result.exitCode == 0 else {
      throw Trouble("cannot seed \(environment): \(result.errors)")
    }
  }

  /// Reads its input to the end, as `head` itself does not: whether a program still writes when `head` has ended, and
  /// fails, is a race.
  private static let head = #"head() { command head "$@"; if [ -p /dev/stdin ]; then cat > /dev/null; fi; }"#

  /// Runs a command unchanged, but for the address of the store.
  func run(_ command: DocumentedCommand) async throws -> RunResult {
    try await shell.run(
      ["-c", "set -o pipefail\n\(Self.head)\n\(command.text.replacing(Self.namedEndpoint, with: endpoint))"],
      environment: variables,
      directory: folder
    )
  }

  /// Writes a file that a page shows.
  func write(_ name: String, _ text: String) throws {
    try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
  }
}
