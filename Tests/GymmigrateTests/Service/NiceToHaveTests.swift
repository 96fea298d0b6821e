import Foundation
import TestSupport
import Testing

/// What a run could do without: its failure costs what it would have told, and nothing else.
@Suite("Requests that are only nice to have", .timeLimit(.minutes(60)))
struct NiceToHaveTests {
  private static let faults: [(name: String, fault: Fault)] = [
    ("DEADLINE_EXCEEDED", .error(.deadlineExceeded)), ("PERMISSION_DENIED", .error(.permissionDenied)),
    ("UNIMPLEMENTED", .error(.unimplemented("It is not offered."))),
    ("RESOURCE_EXHAUSTED", .error(.resourceExhausted)),
    ("no answer", .stall),
  ]

  /// A command that reads or writes; what it leaves on standard output has to be the same.
  private static let commands: [[String]] = [
    ["export", "users", "members", "-o", "-", "--format", "jsonl"],
    ["export", "--all", "-o", "backup/", "--format", "jsonl"],
    ["export", "--all", "-o", "nights", "--dated"],
    ["count", "users", "classes"], ["count", "--all"], ["count", "members", "--group"],
    ["check"], ["find", "lia"], ["doctor"], ["report", "month", "2026-01"],
    ["migrate", "plan", "--all", "--examples", "0"],
    ["migrate", "plan", "groups-recount", "--examples", "0"],
    ["migrate", "verify", "is-active"],
    ["fix", "users", "--where", "telefono > 0", "--convert", "telefono=string", "-n"],
    ["delete", "products", "--where", "stock == 0", "-n"],
    ["delete", "products", "--where", "stock == 0", "--hard", "--max-delete", "9"],
    ["migrate", "apply", "groups-recount", "is-active"],
  ]

  @Test(
    "Every command does its work and ends as without them, whatever counting and describing come to.",
    arguments: 0..<faults.count
  )
  func commands(_ index: Int) async throws {
    let (name, fault) = Self.faults[index]
    // Side by side, because they mostly wait.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, command) in Self.commands.enumerated() {
        if number >= 4 { try await group.next() }
        group.addTask {
          let healthy = try await Self.healthy.outcome(of: command)
          let failing = try await Self.run(command, fault)
          let words = "\(name): \(command.joined(separator: " "))"
          #expect(healthy.exit == failing.exit, "\(words): \(failing.errors)")
          #expect(healthy.output == failing.output, "\(words)")
          #expect(healthy.paths == failing.paths, "\(words)")
        }
      }
      try await group.waitForAll()
    }
  }

  private struct Outcome {
    var exit: Int32?
    var output: String
    var errors: String
    var paths: [String]
  }

  /// Runs each command once without faults.
  private actor Healthy {
    private var runs: [[String]: Task<Outcome, any Error>] = [:]

    func outcome(of command: [String]) async throws -> Outcome {
      let task = runs[command] ?? Task { try await NiceToHaveTests.run(command, nil) }
      runs[command] = task
      return try await task.value
    }
  }

  private static let healthy = Healthy()

  private static func run(_ command: [String], _ fault: Fault?) async throws -> Outcome {
    let mini = try MiniFirestore.withSamples(Samples.all())
    let handler: RequestHandler = { request in
      let isDescription = request.method == "GET" && request.rawPath.hasSuffix("/databases/%28default%29")
      guard let fault, request.kind == .aggregation || isDescription else { return mini.handler(request) }
      let faults = mini.faults(FaultRule([], .always, fault), maximumConsecutive: .max)
      return faults.handler(request)
    }
    return try await withToolResult(against: handler) { tool in
      let result = try await tool.bare(command + tool.place)
      // Which documents there are afterwards, of the commands that write.
      let paths = mini.snapshot().map(\.name)
      // The doctor says what it could not look at, and names the port; names cost more reads than a count.
      let lines = result.output.split(separator: "\n").filter { !$0.hasPrefix("To apply it:") }
      let output = command[0] == "doctor" ? "" : lines.joined(separator: "\n")
      return Outcome(exit: result.exitCode, output: output, errors: result.errors, paths: paths)
    }
  }

  private static func withToolResult<R>(
    against handler: @escaping RequestHandler,
    _ body: (Tool) async throws -> R
  ) async throws -> R {
    var result: R?
    try await withTool(against: handler) { tool, _ in result = try await body(tool) }
    return try #require(result)
  }

  @Test("A count that is slower than what is read is billed for what it was, in every run the same.")
  func bill() async throws {
    let mini = try MiniFirestore.withSamples(Samples.all())
    let rules = [FaultRule([.aggregation], .always, .delay(.milliseconds(150)))]
    let slow = ScriptedFaults(mini.handler, rules: rules, maximumConsecutive: .max)
    let commands = [
      ["count", "users", "--where", "zz == 1"], ["check", "users"],
      ["fix", "users", "--all-documents", "--set", "zz=1", "-n"],
    ]
    for command in commands {
      var bills: Set<String> = []
      for handler in [mini.handler, slow.handler] {
        try await withTool(against: handler) { tool, _ in
          let result = try await tool.bare(command + tool.place)
          bills.formUnion(
            result.errors.split(separator: "\n").filter { $0.hasPrefix("Billed") }.map(String.init)
          )
        }
      }
      #expect(bills.count == 1 && !(bills.first?.contains("perhaps") ?? true), "\(bills)")
    }
  }

  @Test(
    "A copy and a comparison do theirs, and the screen of the copy says what is not known.",
    arguments: 0..<faults.count
  )
  func twoSides(_ index: Int) async throws {
    let mini = try MiniFirestore.withSamples(Samples.all())
    let rules = [FaultRule([.aggregation], .always, Self.faults[index].fault)]
    let faults = ScriptedFaults(mini.handler, rules: rules, maximumConsecutive: .max)
    let target = MiniFirestore()
    try await HTTPTestServer.withServer(target.handler) { copy in
      try await withTool(against: faults.handler) { tool, server in
        let from = ["--from-project", "test-project", "--from-endpoint", server.url]
        let to = ["--project", "test-project", "--endpoint", copy.url]
        let copied = try await tool.bare(["copy", "products", "classes", "--yes"] + from + to).expect(0)
        #expect(copied.errors.contains("products: not counted"))
        #expect(copied.errors.contains("an unknown number of reads"))
        #expect(target.snapshot().count == 64)
        let yaml = """
          project: test-project
          environments:
            one: { endpoint: "\(server.url)" }
            two: { endpoint: "\(copy.url)" }
          """
        try tool.write(yaml, to: "gymmigrate.yaml")
        try await tool.bare(["diff", "products", "classes", "--from", "one", "--to", "two"]).expect(0)
      }
    }
  }
}
