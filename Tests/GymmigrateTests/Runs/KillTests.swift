import Foundation
import TestSupport
import Testing

/// Kills a run, takes it up again until it ends, and compares with one that nobody killed.
struct KillJudge {
  let work: KillWork
  let seed: UInt64
  /// Whether the first kill waits for a checkpoint with a position.
  var waitsForPosition = false

  /// What happened, for sums.
  struct Story: Sendable, CustomStringConvertible {
    var points: [KillSwitch.Point] = []
    /// Resumes that began behind a position.
    var positions = 0
    var description: String { points.map(\.description).joined(separator: ", then ") }
  }

  func run(_ location: SourceLocation = #_sourceLocation) async throws -> Story {
    let baseline = try await KillBaselines.shared.of(work)
    var random = SplitMix64(seed: seed)
    var story = Story()
    let mini = try work.database()
    let kill = KillSwitch(mini.handler, delay: work.delay)
    try await withTool(against: kill.handler) { tool, _ in
      try work.prepare(tool)
      try await work.begin(tool, mini, kill)
      let command = work.arguments + tool.place + ["--json"]
      var point =
        waitsForPosition
        ? .holds { (try? Position(tool))??.isInside == true } : Self.point(baseline, &random)
      var next = command
      var position: Position?
      while true {
        story.points.append(point)
        let result = try await kill.run(until: point) { [next] in
          try tool.startBare(next)
        }
        let comment = Comment(rawValue: "\(work.name), seed \(seed): \(story)")
        if let position {
          let failure = position.contradiction(work, kill.requests)
          #expect(failure == nil, comment, sourceLocation: location)
          story.positions += 1
        }
        guard result.signal == SIGKILL else {
          let text = "\(comment) \(result.errors.suffix(1500))"
          try #require(result.exitCode == baseline.outcome.exitCode, "\(text)", sourceLocation: location)
          let differences = try KillOutcome(result, mini, tool).differences(from: baseline.outcome)
          #expect(differences.isEmpty, comment, sourceLocation: location)
          let status = try await Self.statuses(tool, of: work)
          let expected = baseline.outcome.exitCode == 0 ? "done" : "incomplete"
          #expect(status == [expected], comment, sourceLocation: location)
          let contradiction = try work.contradiction(mini, status: expected)
          #expect(contradiction == nil, comment, sourceLocation: location)
          return
        }
        // One that was killed before it had a folder left nothing to resume.
        let status = try await Self.statuses(tool, of: work)
        #expect(status == ["killed"] || status.isEmpty, comment, sourceLocation: location)
        next = status.isEmpty ? command : ["runs", "resume", "last"]
        position = status.isEmpty ? nil : try Position(tool)
        // Killed again sometimes, but not for ever.
        let isAgain = story.points.count < 4 && random.chance(percent: 40)
        point = isAgain ? Self.point(baseline, &random) : .never
      }
    }
    return story
  }

  private static func point(
    _ baseline: KillBaselines.Baseline,
    _ random: inout SplitMix64
  ) -> KillSwitch.Point {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6:
      let timing = KillSwitch.Point.Timing.allCases.randomElement(using: &random) ?? .before
      return .commit(Int.random(in: 1...max(1, baseline.commits), using: &random), timing)
    case 6..<8: return .request(Int.random(in: 1...max(1, baseline.requests), using: &random))
    default: return .moment(Int.random(in: 0...baseline.milliseconds, using: &random))
    }
  }

  /// How the runs are, as `runs list` prints; what the work undoes left out.
  private static func statuses(_ tool: Tool, of work: KillWork) async throws -> [String] {
    let result = try await tool.runner.run(["runs", "list", "--json"], directory: tool.folder)
    result.expect(0)
    var runs = try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [[String: Any]] ?? []
    if work.undoes != nil { runs.removeFirst() }
    if let last = runs.last {
      let shown = try await tool.runner.run(["runs", "show", "last"], directory: tool.folder)
      shown.expect(0)
      let isKilled = last["status"] as? String == "killed"
      #expect(shown.output.contains("\nresume       gymmigrate runs resume ") == isKilled)
      #expect(last["canGoOn"] as? Bool == isKilled)
    }
    return runs.compactMap { $0["status"] as? String }
  }
}

/// Where a checkpoint says that a run is.
private struct Position {
  let stage: Int
  let text: String

  /// That of the last run, nil where it has none.
  init?(_ tool: Tool) throws {
    let run = try #require(tool.runs().last)
    guard tool.exists("\(run)/checkpoint.json") else { return nil }
    let data = Data(try tool.text("\(run)/checkpoint.json").utf8)
    let json = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    let position = json["position"] as? [String: Any]
    let text = position?["place"] as? String ?? (position?["line"] as? Int).map { String($0) }
    guard let text, text != "0" else { return nil }
    stage = try #require(json["stage"] as? Int)
    self.text = text
  }

  /// Whether something of its part is done, and not all.
  var isInside: Bool { Int(text) != nil ? text != "0" : text.contains(" ") }

  /// What of the requests of a resume asks for something that was done; nil where nothing does.
  func contradiction(_ work: KillWork, _ requests: [TestRequest]) -> String? {
    if work.files.isEmpty {
      let parts = text.split(separator: " ")
      let reads = requests.filter { request in
        (request.kind == .list || request.kind == .runQuery) && !request.target.contains("_gymmigrate")
          && !request.text.contains("_gymmigrate")
      }
      guard parts.count == 2, let first = reads.first else { return nil }
      // Of those side by side, any may arrive first.
      let width = work.arguments.contains("--parallel") ? 8 : 1
      let isThere = reads.prefix(width).contains { read in
        read.kind == .runQuery && read.text.contains("/documents/\(parts[1])\"")
      }
      return isThere ? nil : first.target
    }
    let line = Int(text) ?? 0
    var done: [Substring] = []
    var later: [Substring] = []
    for (index, file) in work.files.enumerated() {
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
      let count = index < stage ? lines.count : index == stage ? min(line, lines.count) : 0
      done += lines[..<count]
      later += lines[count...]
    }
    func names(_ lines: [Substring]) -> Set<String> {
      Set(
        lines.compactMap { $0.components(separatedBy: "\"name\":\"").last?.components(separatedBy: "\"")[0] }
      )
    }
    let forbidden = names(done).subtracting(names(later))
    for request in requests where request.kind == .commit || request.kind == .batchGet {
      if let name = request.documentNames.first(where: { forbidden.contains($0) }) {
        return "\(name) is asked for again, behind \(stage) \(text)"
      }
    }
    return nil
  }
}

@Suite("Kills", .timeLimit(.minutes(60)))
struct KillTests {
  @Test(
    "KILL anywhere, also of what is resumed: all that an uninterrupted run leaves.",
    arguments: try KillWork.sample(),
    Settings.seeds(2)
  )
  func sample(_ work: KillWork, _ seed: UInt64) async throws {
    // Together with its name the seed is another one for each work.
    let mixed = work.name.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) }
    try await Gate.shared.pass { _ = try await KillJudge(work: work, seed: mixed).run() }
  }
}

extension KillTests {
  @Test("What lies before the position of a checkpoint is not asked for again.", arguments: [0, 3])
  func position(_ index: Int) async throws {
    let work = try KillWork.sample()[index]
    try await Gate.shared.pass {
      let story = try await KillJudge(work: work, seed: 1, waitsForPosition: true).run()
      #expect(story.positions > 0)
    }
  }
}

extension KillTests {
  private static func orders(_ numbers: Range<Int>, _ fields: String) -> String {
    numbers.map { #"{"fields":{\#(fields)},"name":"orders/o\#($0)"}"# + "\n" }.joined()
  }

  /// Works that report something of their first documents at their end.
  static func reporting() -> [KillWork] {
    let before = orders(
      1000..<1600,
      #""note":{"stringValue":" X "},"status":{"stringValue":"shipped"}"#
    )
    let schema = """
      schema: s
      collections:
        orders:
          immutable: {when: status == shipped}
          fields:
            note: string
            qty: {type: integer, range: {min: 1, max: 9}}
            status: {type: string, values: [open, shipped]}
      """
    let rows = (1000..<1600).map { "o\($0),shipped,12\n" }.joined()
    func migration(_ id: String, _ step: String) -> (name: String, text: String) {
      ("\(id).yaml", "id: \(id)\nsummary: X.\ncollection: orders\nsteps:\n  - \(step): note\n")
    }
    let small = ["--batch-size", "10", "--in-flight", "2"]
    let table = ["import", "orders.csv", "--schema", "s.yaml", "--mode", "upsert", "--validate", "warn"]
    let apply = ["migrate", "apply", "one.yaml", "two.yaml", "--page-size", "40", "--schema", "none"]
    return [
      KillWork(
        name: "warnings",
        arguments: table + small,
        files: [("s.yaml", schema), ("orders.csv", "__name__,status,qty\n\(rows)")],
        before: before
      ),
      KillWork(
        name: "rejects",
        arguments: ["import", "new.jsonl", "--schema", "none"] + small,
        files: [("new.jsonl", orders(1500..<2200, #""note":{"stringValue":"new"}"#))],
        before: before
      ),
      KillWork(
        name: "migrations",
        // A stage has to last for several checkpoints, also where one takes long.
        arguments: apply + ["--batch-size", "4", "--in-flight", "2"],
        files: [migration("one", "trim"), migration("two", "lower")],
        before: before
      ),
    ]
  }

  private struct Report: Equatable {
    var exitCode: Int32
    var output: String
    var warnings: [String]
    var rows: String?
  }

  private func report(_ work: KillWork, killed: Bool) async throws -> Report {
    let mini = try work.database()
    let kill = KillSwitch(mini.handler, delay: work.delay)
    let report = Later<Report>()
    try await withTool(against: kill.handler) { tool, _ in
      try work.prepare(tool)
      let stage = work.name == "migrations" ? 1 : 0
      let point = KillSwitch.Point.holds {
        (try? Position(tool))?.map { $0.isInside && $0.stage == stage } ?? false
      }
      var result = try await kill.run(until: killed ? point : .never) {
        // The place names the gym's schema.
        try tool.startBare(work.arguments + tool.place.dropFirst(2))
      }
      if killed {
        try #require(result.signal == SIGKILL, "\(result.errors)")
        result = try await kill.run(until: .never) {
          try tool.startBare(["runs", "resume", "last"])
        }
      }
      let run = try #require(tool.runs().last)
      report.set(
        Report(
          exitCode: result.exitCode,
          output: result.output,
          warnings: result.errorLines.filter {
            $0.contains(", the first by name orders/o1000") || $0.contains(" more like it.")
          },
          rows: try? tool.text("\(run)/warnings.csv")
        )
      )
    }
    return try #require(report.get())
  }

  @Test("What a resumed run prints and lists is of all of it.", arguments: reporting())
  func report(_ work: KillWork) async throws {
    try await Gate.shared.pass {
      let whole = try await report(work, killed: false)
      #expect(!whole.output.isEmpty || whole.warnings.count == 3, "\(whole)")
      let again = try await report(work, killed: true)
      #expect(again == whole, "\(again)\n\(whole)")
    }
  }
}
