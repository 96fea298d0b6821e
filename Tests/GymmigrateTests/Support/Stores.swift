import Foundation
import TestSupport
import Testing

/// The program beside an embedded store in memory, at the address that is given.
func withStore(_ body: (Tool, _ url: String) async throws -> Void) async throws {
  try await withTool { tool in
    let server = try tool.startBare(["serve", "--memory", "--port", "0"], timeout: .seconds(3600))
    let isUp = await server.waitForText("FIRESTORE_EMULATOR_HOST=", on: .errors)
    try #require(isUp && server.text(.errors).hasSuffix("\n"))
    let address = try #require(
      server.text(.errors).split(separator: "\n").last?.split(separator: "=").last
    )
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(tool, "http://\(address)"))
    } catch {
      result = .failure(error)
    }
    server.send(SIGTERM)
    _ = await server.wait()
    try result.get()
  }
}

/// The program beside an embedded store in memory that holds the environments of a configuration: `prod` (protected),
/// `stage` and `test`.
func withStores(_ body: (Tool) async throws -> Void) async throws {
  try await withStore { tool, url in
    var tool = tool
    tool.place = []
    try tool.configure(prod: url, others: url)
    try await body(tool)
  }
}

/// The program between two servers: `prod`, which is protected, at the first, and `test` and `stage` at the second.
func withTwoServers(
  _ source: @escaping RequestHandler,
  _ target: @escaping RequestHandler,
  _ body: (Tool) async throws -> Void
) async throws {
  try await withTool(against: source) { tool, first in
    try await HTTPTestServer.withServer(target) { second in
      var tool = tool
      tool.place = []
      try tool.configure(prod: first.url, others: second.url)
      try await body(tool)
    }
  }
}

/// A document of one number as a line of JSON; `more` goes behind the number, with its comma.
func documentLine(_ name: String, _ number: Int, _ more: String = "") -> String {
  #"{"fields":{"n":{"integerValue":"\#(number)"}\#(more)},"name":"\#(name)"}"#
}

extension Tool {
  /// Writes the configuration of the environments, each a database of its name in the project `p`.
  func configure(prod: String, others: String) throws {
    try write(
      """
      project: p
      schema: gym
      environments:
        prod: { database: prod, endpoint: "\(prod)", protected: true }
        stage: { database: stage, endpoint: "\(others)" }
        test: { database: test, endpoint: "\(others)" }
      """,
      to: "gymmigrate.yaml"
    )
  }

  /// Imports lines of JSON into an environment.
  func load(_ lines: [String], into environment: String, mode: String = "create") async throws {
    try write(lines.joined(separator: "\n") + "\n", to: "load.jsonl")
    try await bare(
      ["import", "load.jsonl", "-e", environment, "--mode", mode, "--confirm", environment, "-q"]
    ).expect(0)
  }

  /// Every document of an environment, as lines of JSON.
  func dump(_ environment: String) async throws -> Set<String> {
    try? FileManager.default.removeItem(atPath: path("dump-\(environment).jsonl"))
    try await bare([
      "export", "--all", "--subcollections", "-e", environment, "-o", "dump-\(environment).jsonl", "-q",
    ]).expect(0)
    // Of an empty database there is no file.
    guard exists("dump-\(environment).jsonl") else { return [] }
    return Set(
      try text("dump-\(environment).jsonl").utf8.split(separator: 0x0A).map { String(Substring($0)) }
    )
  }
}

extension MiniFirestore {
  /// The database of one environment of ``Tool/configure(prod:others:)``.
  static func environment(_ name: String, seed: UInt64 = 1) -> MiniFirestore {
    var options = MiniFirestore.Options()
    options.project = "p"
    options.database = name
    options.seed = seed
    return MiniFirestore(options)
  }
}
