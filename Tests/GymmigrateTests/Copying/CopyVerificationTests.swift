import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("copy --verify", .timeLimit(.minutes(60)))
struct CopyVerificationTests {
  /// What happens to documents of a commit on their way to the database, or right after it.
  enum Accident: CaseIterable, Sendable {
    case nothing, flipped, lost, changedByOthers
  }

  private static let names = (0..<60).map { "products/\(1000 + $0)" }
  private static let lines = names.enumerated().map { documentLine($1, $0 + 100) }.joined(separator: "\n")

  /// A server that does something to one document of most commits, and tells to which.
  private final class Proxy: Sendable {
    let mini = MiniFirestore.environment("test")
    private let state: Mutex<(random: SplitMix64, happened: [(name: String, what: Accident)])>

    init(seed: UInt64) { state = Mutex((SplitMix64(seed: seed), [])) }

    var happened: [(name: String, what: Accident)] { state.withLock { $0.happened } }

    var handler: RequestHandler {
      { request in
        guard request.kind == .commit else { return self.mini.handler(request) }
        let names = CopyVerificationTests.names.filter { request.text.contains("/documents/\($0)\"") }
        guard let (name, what) = self.choose(among: names) else { return self.mini.handler(request) }
        var passed = request
        if what == .flipped {
          let number = 100 + (Int(name.suffix(4)) ?? 0) - 1000
          // One bit of the last digit.
          let text = request.text.replacingOccurrences(of: "\"\(number)\"", with: "\"\(number ^ 1)\"")
          passed.body = Array(text.utf8)
        }
        let reaction = self.mini.handler(passed)
        if what == .lost { self.mini.remove(name) }
        if what == .changedByOthers { try? self.mini.put(name, fields: #"{"n":{"integerValue":"7"}}"#) }
        return reaction
      }
    }

    private func choose(among names: [String]) -> (String, Accident)? {
      state.withLock { state in
        guard let name = names.randomElement(using: &state.random),
          let what = Accident.allCases.randomElement(using: &state.random), what != .nothing
        else { return nil }
        state.happened.append((name, what))
        return (name, what)
      }
    }
  }

  @Test(
    "Bits that flip and documents that are lost are found, and what others wrote meanwhile is told from them.",
    arguments: Settings.seeds(8)
  )
  func accidents(_ seed: UInt64) async throws {
    let source = MiniFirestore.environment("prod")
    try source.load(jsonLines: Self.lines)
    let proxy = Proxy(seed: seed)
    try await withTwoServers(source.handler, proxy.handler) { tool in
      let copy = try await tool.bare([
        "copy", "products", "--from", "prod", "--to", "test", "--keep-personal-data", "--batch-size", "7",
        "--verify",
      ])
      let happened = proxy.happened
      let wrong = Set(happened.filter { $0.what != .changedByOthers }.map(\.name))
      copy.expect(wrong.isEmpty ? 0 : 2)
      let others = happened.count { $0.what == .changedByOthers }
      let said =
        "Read back: \(60 - others - wrong.count) documents as written, \(wrong.count) not."
        + (others == 0 ? "" : " Changed since by others: \(others).")
      #expect(copy.errors.contains(said), "seed \(seed): \(copy.errors)")
      #expect(copy.errors.contains("Counted in the source: 60 documents."))
      #expect(Set(try Self.listed(tool)) == wrong, "seed \(seed)")
    }
  }

  @Test("A document that the source's answers leave out is missed by its number.")
  func lostOnTheWay() async throws {
    let (whole, part) = (MiniFirestore.environment("prod"), MiniFirestore.environment("prod"))
    try whole.load(jsonLines: Self.lines)
    try part.load(jsonLines: Self.lines)
    part.remove(Self.names[17])
    let target = MiniFirestore.environment("test")
    let source: RequestHandler = { request in
      request.kind == .aggregation ? whole.handler(request) : part.handler(request)
    }
    try await withTwoServers(source, target.handler) { tool in
      for selection in [["products"], ["--all"]] {
        let copy =
          ["copy", "--from", "prod", "--to", "test", "--keep-personal-data", "--mode", "upsert"] + selection
        try await tool.bare(copy).expect(0)
        let verified = try await tool.bare(copy + ["--verify"]).expect(2)
        #expect(
          verified.errors.contains("has 60 documents at the read time, and 59 were read"),
          "\(verified.errors)"
        )
      }
    }
  }

  @Test("What is deleted in the target is not counted as read of the source.", arguments: [["a"], ["--all"]])
  func extraneous(_ selection: [String]) async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    func lines(_ names: String...) -> String { names.map { documentLine($0, 1) }.joined(separator: "\n") }
    try source.load(jsonLines: lines("a/1", "a/2", "a/1/b/1"))
    try target.load(jsonLines: lines("a/3", "a/1/b/2", "a/3/c/1"))
    try await withTwoServers(source.handler, target.handler) { tool in
      let copied = try await tool.bare(
        [
          "copy", "--from", "prod", "--to", "test", "--mode", "upsert", "--delete-extraneous", "--max-delete",
          "3", "--keep-personal-data", "--verify",
        ] + selection
      ).expect(0)
      #expect(!copied.errors.contains("at the read time"), "\(copied.errors)")
      #expect(target.snapshot().map(\.name) == ["a/1", "a/1/b/1", "a/2"])
    }
  }

  @Test(
    "What was read back before a KILL counts in the run that is resumed, and so does what differed then.",
    arguments: [false, true]
  )
  func resumed(_ afterCheckpoint: Bool) async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    let lines = (0..<600).map { documentLine("products/\(1000 + $0)", $0 + 100) }
    try source.load(jsonLines: lines.joined(separator: "\n"))
    let flipping: RequestHandler = { request in
      var passed = request
      if request.kind == .commit, request.text.contains("/documents/products/1000\"") {
        passed.body = Array(request.text.replacingOccurrences(of: "\"100\"", with: "\"101\"").utf8)
      }
      return target.handler(passed)
    }
    let kill = KillSwitch(flipping, delay: .milliseconds(20))
    try await withTwoServers(source.handler, kill.handler) { tool in
      let point = KillSwitch.Point.holds {
        let text = try? tool.text("\(tool.runs()[0])/checkpoint.json")
        return text?.firstMatch(of: /"asWritten":[1-9]/) != nil
      }
      let killed = try await kill.run(until: afterCheckpoint ? point : .commit(20, .after)) {
        try tool.startBare([
          "copy", "products", "--from", "prod", "--to", "test", "--keep-personal-data", "--mode", "upsert",
          "--batch-size", "4", "--in-flight", "1", "--verify",
        ])
      }
      try #require(killed.signal == SIGKILL, "\(killed.errors)")
      let resumed = try await kill.run(until: .never) { try tool.startBare(["runs", "resume", "last"]) }
      resumed.expect(2)
      #expect(resumed.errors.contains("Read back: 599 documents as written, 1 not."), "\(resumed.errors)")
      #expect(try Self.listed(tool) == [Self.names[0]])
    }
  }

  @Test("A divided copy reports at its end what one process does, except for the counts of the source.")
  func divided() async throws {
    let source = MiniFirestore.environment("prod")
    let target = MiniFirestore.environment("test")
    let reference = #","r":{"referenceValue":"projects/p/databases/prod/documents/products/1000"}"#
    let lines = Self.names.enumerated().map { documentLine($1, $0 + 100, reference) }
    try source.load(jsonLines: lines.joined(separator: "\n"))
    let flipping: RequestHandler = { request in
      var passed = request
      if request.kind == .commit {
        passed.body = Array(request.text.replacingOccurrences(of: "\"117\"", with: "\"116\"").utf8)
      }
      return target.handler(passed)
    }
    try await withTwoServers(source.handler, flipping) { tool in
      let planned = try await tool.bare([
        "shard", "plan", "--shards", "2", "--to", "W", "--", "copy", "products", "--from", "prod", "--to",
        "test", "--keep-personal-data", "--verify",
      ]).expect(0)
      let uncounted = "The source of a divided copy is not counted"
      #expect(planned.errors.contains(uncounted))
      for task in ["0", "1"] { try await tool.bare(["shard", "work", "W", "--task", task]).expect(0) }
      let finished = try await tool.bare(["shard", "finish", "W", "--json"]).expect(2)
      for text in [": 60 references.", "Read back: 59 documents as written, 1 not.", uncounted] {
        #expect(finished.errors.contains(text), "\(text): \(finished.errors)")
      }
      let json = try JSONSerialization.jsonObject(with: Data(finished.standardOutput)) as? [String: Any]
      #expect(
        json?["references"] as? [String: Int] == ["rewritten": 60, "kept": 0, "storageURLs": 0],
        "\(finished.output)"
      )
      #expect(
        json?["readBack"] as? [String: Int] == ["asWritten": 59, "changedSince": 0, "differing": 1],
        "\(finished.output)"
      )
      let run = try finished.summary().runId
      #expect(try tool.text("W/runs/\(run)/differences.jsonl").contains("\"path\":\"\(Self.names[17])\""))
    }
  }

  @Test("It is for what is written.")
  func dryRun() async throws {
    try await withStores { tool in
      try await tool.bare(["copy", "a", "--from", "prod", "--to", "test", "--verify", "-n"]).expect(64)
    }
  }

  /// The documents of differences.jsonl, in the only run that has one.
  private static func listed(_ tool: Tool) throws -> [String] {
    let runs = tool.path(".gymmigrate/runs")
    return try FileManager.default.contentsOfDirectory(atPath: runs).flatMap { run in
      let text = try? String(contentsOfFile: "\(runs)/\(run)/differences.jsonl", encoding: .utf8)
      return try (text ?? "").split(separator: "\n").compactMap { line in
        (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])?["path"]
      }
    }
  }
}
