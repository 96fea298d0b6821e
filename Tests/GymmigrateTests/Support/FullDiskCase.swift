import Foundation
import TestSupport
import Testing

/// One run on a full disk, drawn by a seed, and what has to be true afterwards.
struct FullDiskCase: Sendable, CustomStringConvertible {
  /// What is done about the run that failed.
  enum CommandResult: Sendable {
    /// It is resumed, where there is room again.
    case resume
    /// It is resumed on a disk that is full once more, and then where there is room.
    case resumeTwice(FullDisk)
    /// It is undone.
    case undo
  }

  let seed: UInt64
  let work: KillWork
  let disk: FullDisk
  let ending: CommandResult
  private let baseline: FullDiskBaseline

  var description: String {
    "seed \(seed): \(work.name), \(disk.file) at \(disk.bytes), \(disk.times) times, \(disk.manner), then \(ending)"
  }

  init(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
    let works = try Self.works()
    work = works[Int(seed) % works.count]
    baseline = try await FullDiskBaselines.shared.of(work)
    disk = Self.disk(baseline, &random)
    self.seed = seed
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where work.undoes == nil: ending = .undo
    case 1: ending = .resumeTwice(Self.disk(baseline, &random))
    default: ending = .resume
    }
  }

  /// Every file of a run has its turn, the journal more often.
  private static func disk(_ baseline: FullDiskBaseline, _ random: inout SplitMix64) -> FullDisk {
    let names = baseline.sizes.keys.sorted()
    let isJournal = random.chance(percent: 40)
    let file = isJournal ? "journal.jsonl" : names.randomElement(using: &random) ?? "journal.jsonl"
    let size = baseline.sizes[file] ?? 0
    // One that is written again and again takes more than it is long.
    let most = file == "checkpoint.json" ? 3 * size : size
    let manner: FullDisk.Manner =
      random.chance(percent: 70) ? .write : random.chance(percent: 50) ? .sync : .stuck
    let times = [-1, 1, 2, 3].randomElement(using: &random) ?? -1
    return FullDisk(file: file, bytes: Int.random(in: 0...most, using: &random), times: times, manner: manner)
  }

  static func works() throws -> [KillWork] {
    let small = ["--batch-size", "10", "--in-flight", "4"]
    let before = try Samples.text(["users", "user_emails", "members"])
    func work(_ name: String, _ arguments: String...) -> KillWork {
      KillWork(
        name: "full disk: \(name)",
        arguments: arguments + small,
        before: before,
        delay: .milliseconds(20)
      )
    }
    var works = [
      work("fix", "fix", "members", "--all-documents", "--digits", "phone", "--set", "version=2"),
      work("apply", "migrate", "apply", "--all", "--prune", "--max-delete", "100000", "--page-size", "40"),
      work("delete", "delete", "members", "--all-documents"),
      work("delete --hard", "delete", "user_emails", "--all-documents", "--hard", "--max-delete", "100000"),
    ]
    for var work in [try KillWork.importing(), try KillWork.upserting()] {
      work.delay = .milliseconds(20)
      works.append(work)
    }
    works.append(
      KillWork(
        name: "full disk: undo",
        arguments: ["migrate", "undo", "last"] + small,
        undoes: ["migrate", "apply", "users-unify"],
        before: before,
        delay: .milliseconds(20)
      )
    )
    return works
  }

  /// Runs it.
  ///
  /// - Returns: Whether the disk was ever found full.
  func run() async throws -> Bool {
    let mini = try work.database()
    let kill = KillSwitch(mini.handler, delay: work.delay)
    var wasHit = false
    try await withTool(against: kill.handler) { tool, _ in
      try work.prepare(tool)
      try await work.begin(tool, mini, kill)
      let command = work.arguments + tool.place + ["--json"]
      let (result, isHit) = try await tool.run(command, on: disk)
      wasHit = isHit
      if try await judge(result, isHit, disk, tool, mini) { return }
      var next = try await self.next(tool, command)
      switch ending {
      case .undo where mini.totalWrites > 0:
        let undone = try await tool.runner.run(
          ["migrate", "undo", "last"] + tool.place,
          directory: tool.folder
        )
        try #require(undone.exitCode == 0, "\(self): \(undone.errors.suffix(1500))")
        #expect(try mini.snapshot() == MiniFirestore.canonical(jsonLines: work.before), "\(self)")
        return
      case .resumeTwice(let disk):
        let (again, isHit) = try await tool.run(next, on: disk)
        if try await judge(again, isHit, disk, tool, mini, isResumed: true) { return }
        next = try await self.next(tool, command)
      case .resume, .undo: break
      }
      let last = try await tool.runner.run(next, directory: tool.folder)
      try #require(last.exitCode == baseline.outcome.exitCode, "\(self): \(last.errors.suffix(1500))")
      let differences = try KillOutcome(last, mini, tool).differences(from: baseline.outcome)
      #expect(differences.isEmpty, "\(self): \(differences.joined(separator: "\n"))")
    }
    return wasHit
  }

  /// What takes the run up: the command itself where the run did not come to have a record.
  private func next(_ tool: Tool, _ command: [String]) async throws -> [String] {
    let result = try await tool.runner.run(["runs", "list", "--json"], directory: tool.folder)
    result.expect(0)
    var runs = try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [[String: Any]] ?? []
    if work.undoes != nil { runs.removeFirst() }
    guard let last = runs.last else { return command }
    #expect(last["canGoOn"] as? Bool == true, "\(self): \(last)")
    return ["runs", "resume", "last", "--json"]
  }

  /// Judges a run by how it ended.
  ///
  /// - Returns: Whether it is at its end.
  private func judge(
    _ result: RunResult,
    _ isHit: Bool,
    _ disk: FullDisk,
    _ tool: Tool,
    _ mini: MiniFirestore,
    isResumed: Bool = false
  ) async throws -> Bool {
    let told = "\(self): \(result.errors.suffix(1500))"
    // The last lines of the log come when everything is told; nobody waits for them.
    let isLate = disk.file == "operation.log" && result.exitCode == baseline.outcome.exitCode
    if !isHit || isLate {
      try #require(result.exitCode == baseline.outcome.exitCode, "\(told)")
      let differences = try KillOutcome(result, mini, tool).differences(from: baseline.outcome)
      #expect(differences.isEmpty, "\(self): \(differences.joined(separator: "\n"))")
      return true
    }
    try #require(result.exitCode == 73, "\(told)")
    #expect(result.complaints.count == 1 && result.complaints[0].contains(disk.file), "\(told)")
    #expect(tool.strayParts.isEmpty, "\(told)")
    // Without a record there was no run yet, and nothing was sent.
    if result.standardOutput.isEmpty {
      #expect(mini.totalWrites == 0, "\(told)")
      return false
    }
    let summary = try result.summary()
    #expect(summary.totals.balance, "\(told)")
    #expect(summary.status == "failed", "\(told)")
    if !isResumed { #expect(summary.totals.written == mini.totalWrites, "\(told)") }
    #expect(summary.totals.written <= mini.totalWrites, "\(told)")
    return false
  }
}

extension Tool {
  /// Files that were to be renamed, and are still there.
  fileprivate var strayParts: [String] {
    runs().flatMap { run in names(in: run).filter { $0.hasSuffix(".part") } }
  }
}

/// A run that nothing happened to: all that it leaves, and how long its files are.
struct FullDiskBaseline: Sendable {
  var outcome: KillOutcome
  var sizes: [String: Int]
}

/// The baselines of the works, each made once.
actor FullDiskBaselines {
  static let shared = FullDiskBaselines()

  private var tasks: [String: Task<FullDiskBaseline, any Error>] = [:]

  func of(_ work: KillWork) async throws -> FullDiskBaseline {
    let task = tasks[work.name] ?? Task { try await Self.make(work) }
    tasks[work.name] = task
    return try await task.value
  }

  private static func make(_ work: KillWork) async throws -> FullDiskBaseline {
    let mini = try work.database()
    let kill = KillSwitch(mini.handler, delay: work.delay)
    let made = Later<FullDiskBaseline>()
    try await withTool(against: kill.handler) { tool, _ in
      try work.prepare(tool)
      try await work.begin(tool, mini, kill)
      let result = try await kill.run(until: .never) {
        try tool.startBare(work.arguments + tool.place + ["--json"])
      }
      let run = try #require(tool.runs().last)
      var sizes: [String: Int] = [:]
      for name in tool.names(in: run) {
        sizes[name] = try Data(contentsOf: tool.folder.appendingPathComponent("\(run)/\(name)")).count
      }
      made.set(FullDiskBaseline(outcome: try KillOutcome(result, mini, tool), sizes: sizes))
    }
    return try #require(made.get())
  }
}
