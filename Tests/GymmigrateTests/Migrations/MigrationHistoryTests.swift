import Files
import Foundation
import TestSupport
import Testing

/// Three environments with a small database each, of which prod can be told to refuse a document, and one to come.
private struct Gates {
  private static let names = ["test", "stage", "prod", "next"]
  let databases = names.map { MiniFirestore.environment($0) }
  let isRefusing = Locked(false)

  func database(_ name: String) -> MiniFirestore {
    databases[Self.names.firstIndex(of: name) ?? 0]
  }

  /// Answers for the databases of some environments.
  func handler(_ names: [String]) -> RequestHandler {
    { request in
      let name = names.first { request.path.contains("/\(database($0).root)") } ?? names[0]
      let isThing = request.kind == .commit && request.text.contains("/documents/things/t3")
      if isThing, name == "prod", isRefusing.withLock({ $0 }) {
        return .response(ServiceError.permissionDenied.response(for: .commit))
      }
      return database(name).handler(request)
    }
  }

  func withFolder(_ count: Int, gated: Bool = true, _ body: (Tool) async throws -> Void) async throws {
    for database in databases {
      for number in 1...4 {
        try database.put("things/t\(number)", fields: #"{"n":{"integerValue":"\#(number)"}}"#)
      }
    }
    try await withTwoServers(handler(["prod"]), handler(["test", "stage", "next"])) { tool in
      if gated {
        let gates = "promote: { stage: { after: test }, prod: { after: stage, verified: true } }\n"
        try tool.write(tool.text("gymmigrate.yaml") + "\n" + gates, to: "gymmigrate.yaml")
      }
      for number in 1...count { try tool.write(Self.file(number), to: Self.path(number)) }
      try await body(tool)
    }
  }

  static func name(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  static func path(_ number: Int) -> String { "migrations/\(name(number))-set.yaml" }

  static func file(_ number: Int) -> String {
    """
    id: set-\(number)
    summary: Sets f\(number).
    collection: things
    steps:
      - set: {f\(number): \(number)}

    """
  }

  /// The ledger of an environment in a file of lines.
  func writeLedger(_ name: String, in tool: Tool) throws -> String {
    let runs = database(name).everything().filter { $0.name.hasPrefix("_gymmigrate_runs/") }
    return try tool.write(runs.map { $0.jsonLine + "\n" }.joined(), to: "ledger-\(name).jsonl")
  }
}

extension Tool {
  fileprivate func migrate(_ words: String..., on environment: String) async throws -> RunResult {
    try await bare(
      ["migrate"] + words + ["-e", environment, "-y"] + (environment == "prod" ? ["--confirm", "prod"] : [])
    )
  }

  fileprivate func up(_ last: Int, on environment: String, _ more: String...) async throws -> RunResult {
    try await bare(
      ["migrate", "up", "--to", "set-\(last)", "-e", environment, "-y"]
        + (environment == "prod" ? ["--confirm", "prod"] : []) + more
    )
  }
}

/// What `migrate status --environments --json` prints.
private struct PrintedTable: Decodable {
  struct State: Decodable {
    var environment: String
    var status, override: String?
    var changedSince: Bool
  }

  struct Row: Decodable {
    var name: String
    var states: [State]
  }

  var migrations: [Row]
}

@Suite("Migrations in several environments", .timeLimit(.minutes(60)))
struct MigrationHistoryTests {
  private func table(_ tool: Tool) async throws -> (text: String, rows: [PrintedTable.Row]) {
    let result = try await tool.bare(["migrate", "status", "--environments", "test,stage,prod", "--json"])
    result.expect(0)
    let table = try JSONDecoder().decode(PrintedTable.self, from: Data(result.standardOutput))
    return (result.output, table.migrations)
  }

  /// Compares the table with an independent reader of the ledgers.
  private func judge(_ printed: String, _ gates: Gates, _ tool: Tool) async throws {
    let ledgers = try ["test", "stage", "prod"].map { "\($0)=\(try gates.writeLedger($0, in: tool))" }
    let result = try await reader([tool.path("migrations")] + ledgers, tool, input: printed)
    #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
  }

  private func reader(_ words: [String], _ tool: Tool, input: String = "") async throws -> RunResult {
    let script = Samples.repository.appendingPathComponent("Tests/Judges/migration_table.py").path
    return try await BinaryRunner(executable: "/usr/bin/env").run(
      ["python3", script] + words,
      directory: tool.folder,
      input: Array(input.utf8)
    )
  }

  /// Puts a fourth environment behind each of the three, by every kind of gate, and compares what is refused with the same reader.
  private func judgeGates(_ gates: Gates, _ tool: Tool) async throws {
    let written = try tool.text("gymmigrate.yaml")
    let stage = try #require(written.split(separator: "\n").first { $0.contains(" stage:") })
    let settings = "\(written)\n\(stage.replacing("stage", with: "next"))\n"
    try tool.write(settings, to: "gymmigrate.yaml")
    // The third changed since.
    for record in ["test", "next"] {
      let migration = record == "test" ? "set-1" : "set-3"
      let words = ["migrate", "test", migration, "--from", "stage", "--record", "-e", record]
      try await tool.bare(words).expect(0)
    }
    for before in ["test", "stage", "prod"] {
      for rule in ["applied", "verified", "rehearsed"] {
        let more = ["verified": ", verified: true", "rehearsed": ", rehearsed: 7d"][rule] ?? ""
        try tool.write(settings + "promote: { next: { after: \(before)\(more) } }\n", to: "gymmigrate.yaml")
        let ledgers = try [before, "next"].map { try gates.writeLedger($0, in: tool) }
        let expected = try await reader(["--gate", before, rule, tool.path("migrations")] + ledgers, tool)
        let refused = expected.output.split(separator: "\n").joined(separator: ", ")
        let plan = try await tool.migrate("up", "-n", on: "next")
        #expect(plan.exitCode == (refused.isEmpty ? 0 : 77), "\(before), \(rule): \(plan.errors)")
        #expect(refused.isEmpty || plan.errors.contains("next: \(refused). "), "\(refused)\n\(plan.errors)")
      }
    }
    try tool.write(written, to: "gymmigrate.yaml")
  }

  @Test("Twelve migrations over three environments are in the table as a reader of the ledgers sees them.")
  func history() async throws {
    let gates = Gates()
    try await gates.withFolder(12, gated: false) { tool in
      try await tool.up(12, on: "test").expect(0)
      try await tool.up(10, on: "stage").expect(0)
      try await tool.migrate("down", on: "stage").expect(0)
      try await tool.migrate("baseline", "set-2", on: "prod").expect(0)
      try await tool.up(4, on: "prod").expect(0)
      // Of the fifth, two documents are written before one is refused, and the sixth is not begun.
      gates.isRefusing.withLock { $0 = true }
      try await tool.up(6, on: "prod", "--batch-size", "1", "--in-flight", "1").expect(77)
      // Changed after the fact, and accepted in one environment.
      try tool.write(Gates.file(3) + "# Another one.\n", to: Gates.path(3))
      try await tool.bare(["migrate", "up", "--accept-changed", "-e", "test"]).expect(0)
      // Applied without a folder, and so not verified.
      try await tool.migrate("apply", Gates.path(12), on: "stage").expect(0)

      let (printed, rows) = try await table(tool)
      let statuses = rows.map { row in row.states.map { ($0.status ?? "-") + ($0.changedSince ? "!" : "") } }
      let verified = ["verified", "verified", "pending"]
      #expect(
        statuses == [
          ["verified", "verified", "by hand"], ["verified", "verified", "by hand"],
          ["verified", "verified!", "verified!"], ["verified", "verified", "verified"],
          ["verified", "verified", "failed"], ["verified", "verified", "planned"], verified, verified,
          verified,
          ["verified", "undone", "pending"], ["verified", "pending", "pending"],
          ["verified", "applied", "pending"],
        ]
      )
      try await judge(printed, gates, tool)
      try await judgeGates(gates, tool)

      let text = try await tool.bare([
        "migrate", "status", "--environments", "test,stage,prod", "--html", "status.html",
      ]).expect(0)
      #expect(text.errors.contains("See status.html."), "\(text.errors)")
      let lines = text.output.split(separator: "\n")
      #expect(lines.count == 13 && lines[0].hasPrefix("migration  "))
      #expect(lines[3].contains("verified, changed since, ") && lines[5].contains("failed, "))
      #expect(lines[4].contains(", 4 written"))
      let page = try tool.text("status.html")
      #expect(page.components(separatedBy: "<tr>").count == 14 && !page.contains("<script"))
      #expect(page.contains("default-src 'none'") && page.contains(">failed</span>"))
      // Cheap: nothing but ledgers is read.
      try await tool.bare(["migrate", "status", "--environments", "test,nowhere"]).expectFailure(
        78,
        "nowhere"
      )
      try await tool.bare(["migrate", "status", "-e", "test", "--environments", "prod"]).expectFailure(64)

      // Once it is accepted there, too, the run is taken up and the rest follows.
      gates.isRefusing.withLock { $0 = false }
      try await tool.bare(["runs", "resume", "last", "--confirm", "prod"]).expect(0)
      try await tool.bare(["migrate", "up", "--accept-changed", "-e", "prod", "--confirm", "prod"]).expect(0)
      let after = try await table(tool)
      #expect(
        after.rows.map { $0.states[2].status } == ["by hand", "by hand"]
          + Array(repeating: "verified", count: 10)
      )
      try await judge(after.text, gates, tool)
    }
  }

  @Test(
    "A gate refuses what is not applied or not verified before it, with the commands that are missing, and then passes."
  )
  func gates() async throws {
    let gates = Gates()
    try await gates.withFolder(3) { tool in
      try await tool.up(1, on: "stage").expectFailure(
        77,
        "01-set is pending in test",
        "'gymmigrate migrate up --to 01-set -e test'",
        "--override"
      )
      try await tool.up(2, on: "test").expect(0)
      try await tool.up(2, on: "stage").expect(0)
      try await tool.up(3, on: "stage").expectFailure(77, "03-set is pending in test")
      // Whatever name leads to it.
      let disguised = ["-e", "test", "--database", "stage"]
      try await tool.bare(["migrate", "up"] + disguised).expectFailure(77, "03-set is pending in test")
      try await tool.up(2, on: "prod").expect(0)

      try await tool.up(3, on: "test").expect(0)
      try await tool.migrate("apply", "set-3", on: "stage").expect(0)
      let verify = "gymmigrate migrate verify 03-set --record -e stage"
      let before = try await tool.dump("prod")
      try await tool.up(3, on: "prod").expectFailure(77, "03-set is not verified in stage", "'\(verify)'")
      // A plan is shown before it is refused.
      let plan = try await tool.up(3, on: "prod", "-n")
      plan.expect(77)
      #expect(plan.output.contains("set-3: 0 to create, 4 to update"))
      #expect(try await tool.dump("prod") == before)
      try await tool.bare(verify.split(separator: " ").dropFirst().map(String.init)).expect(0)
      try await tool.up(3, on: "prod").expect(0)
      #expect(try await table(tool).rows.allSatisfy { $0.states[2].override == nil })
    }
  }

  @Test("An override passes, and the ledger keeps its reason for what the gate would have refused.")
  func override() async throws {
    let gates = Gates()
    try await gates.withFolder(2) { tool in
      try await tool.up(1, on: "test").expect(0)
      try await tool.up(2, on: "stage", "--override", " ").expectFailure(64, "--override: give the reason")
      try await tool.up(2, on: "stage", "--override", "Test is down, says Ana.").expect(0)
      let (printed, rows) = try await table(tool)
      #expect(rows.map { $0.states[1].override } == [nil, "Test is down, says Ana."])
      try await judge(printed, gates, tool)
      let text = try await tool.bare(["migrate", "status", "--environments", "stage"])
      #expect(text.output.contains(", gate overridden"))
    }
  }
}
