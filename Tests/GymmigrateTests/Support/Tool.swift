import Foundation
import TestSupport
import Testing

/// The built program in a folder of its own, which is also its home.
struct Tool: Sendable {
  /// Where it runs; its state folder is below.
  let folder: URL
  let runner: BinaryRunner
  /// The options that name the place to work on, put behind every command that wants one.
  var place = ["-e", "local"]
  /// Beside PATH and HOME.
  var environment: [String: String] = [:]
  /// Whether runs wait for each other's turn.
  var isGated = true

  /// Runs a command on the place.
  func run(
    _ arguments: String...,
    input: [UInt8] = [],
    timeout: Duration = .seconds(1800)
  ) async throws -> RunResult {
    try await bare(arguments + place, input: input, timeout: timeout)
  }

  /// Runs a command line as it is.
  func bare(
    _ arguments: [String],
    input: [UInt8] = [],
    timeout: Duration = .seconds(1800)
  ) async throws -> RunResult {
    func run() async throws -> RunResult {
      try await runner.run(
        arguments,
        environment: environment,
        directory: folder,
        input: input,
        timeout: timeout
      )
    }
    return isGated ? try await Gate.shared.pass { try await run() } : try await run()
  }

  /// Starts a command on the place and does not wait for it.
  func start(_ arguments: String..., timeout: Duration = .seconds(1800)) throws -> RunningBinary {
    try startBare(arguments + place, timeout: timeout)
  }

  /// Starts a command line as it is and does not wait for it.
  func startBare(_ arguments: [String], timeout: Duration = .seconds(1800)) throws -> RunningBinary {
    try runner.start(arguments, environment: environment, directory: folder, timeout: timeout)
  }

  /// Runs a command line as it is, which `running` is while it runs.
  func bare(
    _ arguments: [String],
    as running: Later<RunningBinary>,
    timeout: Duration = .seconds(1800)
  ) async throws -> RunResult {
    let process = try startBare(arguments, timeout: timeout)
    running.set(process)
    return await process.wait()
  }

  // MARK: Files

  /// A path in the folder.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Writes a file into the folder and returns its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: file)
    return path(name)
  }

  /// Makes an empty folder, and those that it is in.
  func createFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
  }

  /// The text of a file in the folder.
  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// The names in a folder below, sorted; none where it is missing.
  func names(in name: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
  }

  /// The folders of the runs so far, oldest first, relative to the folder.
  func runs() -> [String] {
    // A name has the second alone, and several runs may begin in one. Without the Z, 08 sorts before 08.5.
    func beginning(_ run: String) -> String {
      let record =
        try? JSONSerialization.jsonObject(with: Data(text("\(run)/run.json").utf8)) as? [String: Any]
      return (record?["startedAt"] as? String ?? "").replacing("Z", with: "")
    }
    return names(in: ".gymmigrate/runs").map { ".gymmigrate/runs/\($0)" }.map { ($0, beginning($0)) }
      .sorted { $0.1 < $1.1 }.map(\.0)
  }
}

/// A folder and the program in it.
func withTool(_ body: (Tool) async throws -> Void) async throws {
  let runner = try BinaryRunner()
  try await withTemporaryDirectory { folder in try await body(Tool(folder: folder, runner: runner)) }
}

/// The program against a server that answers by a handler.
func withTool(
  against handler: @escaping RequestHandler,
  largestBody: Int = 16 << 20,
  _ body: (Tool, HTTPTestServer) async throws -> Void
) async throws {
  try await withTool { tool in
    try await HTTPTestServer.withServer(handler, largestBody: largestBody) { server in
      var tool = tool
      tool.place = tool.at(server)
      try await body(tool, server)
    }
  }
}

/// The program against a MiniFirestore.
func withMini(
  _ mini: MiniFirestore = MiniFirestore(),
  _ body: (Tool, MiniFirestore) async throws -> Void
) async throws {
  try await withTool(against: mini.handler) { tool, _ in try await body(tool, mini) }
}

extension Tool {
  /// The options that name a MiniFirestore behind a server.
  func at(_ server: HTTPTestServer) -> [String] {
    ["--schema", "gym", "--project", "test-project", "--database", "(default)", "--endpoint", server.url]
  }
}

/// Lets a few programs run at a time: the machine has few cores, and the tests have time limits. Many of them wait most of their time.
actor Gate {
  static let shared = Gate(width: 5)

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(width: Int) { free = width }

  nonisolated func pass<R: Sendable>(_ body: () async throws -> R) async throws -> R {
    await enter()
    do {
      let result = try await body()
      await leave()
      return result
    } catch {
      await leave()
      throw error
    }
  }

  private func enter() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  private func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}

extension RunResult {
  /// The lines of standard error.
  var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

  /// The lines that report an error.
  var complaints: [String] { errorLines.filter { $0.lowercased().hasPrefix("error:") } }

  /// The last line of standard error.
  var lastLine: String { errorLines.last ?? "" }

  /// The one summary that standard output is.
  func summary(_ location: SourceLocation = #_sourceLocation) throws -> Summary {
    #expect(output.hasSuffix("}\n") && output.split(separator: "\n").count == 1, sourceLocation: location)
    return try JSONDecoder().decode(Summary.self, from: Data(standardOutput))
  }

  /// Expects an exit code, and shows what was said where it is another.
  @discardableResult
  func expect(_ code: Int32, _ location: SourceLocation = #_sourceLocation) -> RunResult {
    #expect(exitCode == code && !timedOut, "\(errors.suffix(2000))", sourceLocation: location)
    return self
  }

  /// Expects that the command failed with a code and said so in one line that holds these texts.
  func expectFailure(_ code: Int32, _ texts: String..., at location: SourceLocation = #_sourceLocation) {
    expect(code, location)
    #expect(complaints.count == 1, "\(errors.suffix(2000))", sourceLocation: location)
    for text in texts where !text.isEmpty {
      #expect(complaints.first?.contains(text) ?? false, "\(text): \(errors)", sourceLocation: location)
    }
  }
}

/// The summary of a run, with every member that the contract has.
struct Summary: Decodable {
  struct Counts: Decodable, Equatable {
    var read, created, written, unchanged, skipped, superseded, rejected, conflicted, review, deleted,
      new: Int

    var balance: Bool {
      read + created == written + unchanged + skipped + superseded + rejected + conflicted
    }
  }

  struct Collection: Decodable {
    var name: String
    var counts: Counts
    var file: String?

    enum Keys: String, CodingKey { case name, file }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      name = try container.decode(String.self, forKey: .name)
      file = try container.decodeIfPresent(String.self, forKey: .file)
      counts = try Counts(from: decoder)
    }
  }

  struct Place: Decodable {
    var name, project, database, endpoint: String

    enum Keys: String, CodingKey { case name, project, database, endpoint, path }

    /// A file or a folder has a path instead of all this.
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      if let path = try container.decodeIfPresent(String.self, forKey: .path) {
        (name, project, database, endpoint) = (path, "", "", "")
        return
      }
      name = try container.decode(String.self, forKey: .name)
      project = try container.decode(String.self, forKey: .project)
      database = try container.decode(String.self, forKey: .database)
      endpoint = try container.decode(String.self, forKey: .endpoint)
    }
  }

  struct Differences: Decodable, Equatable {
    var same, onlyInFrom, onlyInTo, different, unreadable: Int
  }

  struct Cost: Decodable, Equatable {
    var reads, writes, deletes: Int
    var usd: Double?
  }

  var command, status, runId, startedAt: String
  var cost, billed: Cost?
  var exitCode: Int32
  var environment: Place
  var source: Place?
  var differences: Differences?
  var readTime: String?
  var durationSeconds: Double
  var collections: [Collection]
  var totals: Counts
  var requests, retries, bytesIn, bytesOut: Int
  var resumeCommand: String?
  var error: String?

  subscript(collection: String) -> Counts? { collections.first { $0.name == collection }?.counts }
}

/// Something that a handler on another thread needs and that is known only later.
final class Later<Value: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var stored: Value?

  /// Whether it is known.
  var isSet: Bool { condition.withLock { stored != nil } }

  /// Makes it known.
  func set(_ value: Value) {
    condition.withLock { stored = value }
    condition.broadcast()
  }

  /// Waits until it is known, for ten minutes at most.
  ///
  /// It blocks its thread, so it is for servers' threads; a test awaits `value()`.
  func get() -> Value? {
    condition.withLock {
      let end = Date(timeIntervalSinceNow: 600)
      while stored == nil, condition.wait(until: end) {}
      return stored
    }
  }

  /// Waits as `get` does, on a thread of its own: tests share as many threads as there are cores.
  func value() async -> Value? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: self.get()) }
    }
  }
}
