import Foundation
import TestSupport
import Testing

/// Random histories of `apply`, `fix`, `import`, `undo last` and `resume last`, interrupted now and then, against a model.
@Suite("Histories of runs", .timeLimit(.minutes(60)))
struct RunHistoriesTests {
  @Test(
    "'last' is always the right run, an undo goes all the way back, and counts are those of whole runs",
    arguments: Settings.seeds(3)
  )
  func random(_ seed: UInt64) async throws {
    try await LastRunTests.withMembers(12) { tool, mini, commits in
      var history = RandomHistory(seed: seed, tool: tool, mini: mini, commits: commits)
      for number in 1...7 { try await history.step(number) }
      while try await history.undoOldest() {}
      #expect(LastRunTests.members(mini) == history.beginning, history.comment)
    }
  }
}

/// One history, and what is known of it.
private struct RandomHistory {
  /// A run that wrote, or may have written.
  private struct Run {
    var id: String
    /// The documents before it.
    var before: [String: String]
    var isUndone = false
  }

  let beginning: [String: String]
  private let tool: Tool
  private let mini: MiniFirestore
  private let commits: CommitLimit
  private let seed: UInt64
  private var random: SplitMix64
  private var runs: [Run] = []
  /// The run that stopped, and the documents before it; for an undo, the number of the run that it undoes.
  private var stopped: (id: String, before: [String: String], undoes: Int?)?
  private var story: [String] = []

  init(seed: UInt64, tool: Tool, mini: MiniFirestore, commits: CommitLimit) {
    (self.seed, self.tool, self.mini, self.commits) = (seed, tool, mini, commits)
    random = SplitMix64(seed: seed)
    beginning = LastRunTests.members(mini)
  }

  var comment: Comment { Comment(rawValue: "seed \(seed): \(story.joined(separator: "; "))") }

  private var now: [String: String] { LastRunTests.members(mini) }

  private static let small = ["--batch-size", "3", "--in-flight", "1"]

  mutating func step(_ number: Int) async throws {
    let choice = Int.random(in: 0..<10, using: &random)
    if stopped != nil, choice < 6 { return try await resume() }
    if stopped != nil || choice < 3 { return _ = try await undo() }
    try await write(number)
  }

  /// Undoes the newest run that is not, if there is one.
  mutating func undoOldest() async throws -> Bool {
    if stopped != nil {
      try await resume()
      return true
    }
    return try await undo()
  }

  // MARK: Steps

  private mutating func write(_ number: Int) async throws {
    let before = now
    let result = try await interrupted(try command(number) + tool.place + ["--json"])
    let id = try tool.lastRun()
    let journal = try tool.text(".gymmigrate/runs/\(id)/journal.jsonl")
    if journal.split(separator: "\n").count > 1 { runs.append(Run(id: id, before: before)) }
    try judge(result, id, before)
  }

  private mutating func resume() async throws {
    guard let stopped else { return }
    let result = try await interrupted(["runs", "resume", "last", "--json"])
    #expect(result.errors.contains("Resuming run \(stopped.id)."), comment)
    if let undoes = stopped.undoes {
      try judgeUndo(result, stopped.id, of: undoes)
    } else {
      try judge(result, stopped.id, stopped.before)
    }
  }

  private mutating func undo() async throws -> Bool {
    guard let target = runs.lastIndex(where: { !$0.isUndone }) else {
      let result = try await tool.run("runs", "undo", "last")
      #expect(result.exitCode == 64, comment)
      return false
    }
    let result = try await interrupted(["runs", "undo", "last", "--json"] + tool.place + Self.small)
    #expect(result.errors.contains("Run \(runs[target].id): "), comment)
    try judgeUndo(result, try tool.lastRun(), of: target)
    return true
  }

  private mutating func command(_ number: Int) throws -> [String] {
    let none = ["--schema", "none"] + Self.small
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      try tool.write(
        "id: mark-\(number)\nsummary: M.\ncollection: members\nsteps:\n  - set: {mark: \(number)}\n",
        to: "mark-\(number).yaml"
      )
      return ["migrate", "apply", "mark-\(number).yaml"] + none
    case 1:
      let lines = (6..<18).map { documentLine("members/m\($0)", number) }
      try tool.write(lines.joined(separator: "\n") + "\n", to: "in-\(number).jsonl")
      return ["import", "in-\(number).jsonl", "--mode", "upsert"] + none
    case 2:
      // What is done is left out by the filter from then on.
      let unit = now["members/m0"]?.components(separatedBy: #""unit":{"stringValue":""#).last?.prefix {
        $0 != "\""
      }
      return ["fix", "members", "--where", "unit == \(unit ?? "")", "--set", "unit=u\(number)", "--no-touch"]
        + none
    default:
      return ["fix", "members", "--all-documents", "--set", "a=7", "--no-touch"] + none
    }
  }

  /// Runs a command whose commits are refused after some, or not.
  private mutating func interrupted(_ command: [String]) async throws -> RunResult {
    let limit = Bool.random(using: &random) ? Int.random(in: 0...4, using: &random) : Int.max
    story.append("\(command.prefix(3).joined(separator: " ")) (\(limit == .max ? "all" : "\(limit)"))")
    commits.allow(limit)
    defer { commits.allow(.max) }
    return try await tool.bare(command)
  }

  // MARK: Judging

  private mutating func judge(_ result: RunResult, _ id: String, _ before: [String: String]) throws {
    let summary = try result.summary()
    #expect(summary.runId == id && summary.totals.balance, comment)
    stopped = result.exitCode == 0 ? nil : (id, before, nil)
    guard result.exitCode == 0 else {
      #expect(result.exitCode == 77 && result.errors.contains("To resume"), "\(comment): \(result.errors)")
      return
    }
    let after = now
    let changed = Set(before.keys).union(after.keys).count { before[$0] != after[$0] }
    #expect(summary.totals.written == changed, "\(comment): \(summary.totals)")
  }

  private mutating func judgeUndo(_ result: RunResult, _ id: String, of target: Int) throws {
    let summary = try result.summary()
    #expect(summary.runId == id && summary.totals.balance, comment)
    guard result.exitCode == 0 else {
      #expect(result.exitCode == 77, "\(comment): \(result.errors)")
      stopped = (id, runs[target].before, target)
      return
    }
    stopped = nil
    runs[target].isUndone = true
    #expect(now == runs[target].before, comment)
  }
}
