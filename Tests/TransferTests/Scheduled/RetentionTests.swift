import Configuration
import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import Transfer

@Suite("Which exports stay") struct RetentionTests {
  // MARK: Policies

  /// The same rules, written from restic's page: the newest of each of the newest n periods, and the oldest of all where
  /// there are fewer.
  private func reference(_ policy: RetentionPolicy, _ times: [Timestamp]) -> [Set<String>] {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    func key(_ time: Timestamp, _ parts: Set<Calendar.Component>) -> [Int] {
      let date = Date(timeIntervalSince1970: TimeInterval(time.seconds))
      let found = calendar.dateComponents(parts, from: date)
      return [found.year, found.yearForWeekOfYear, found.weekOfYear, found.month, found.day].map { $0 ?? 0 }
    }
    let rules: [(String, Int?, Set<Calendar.Component>)] = [
      ("daily", policy.daily, [.year, .month, .day]),
      ("weekly", policy.weekly, [.yearForWeekOfYear, .weekOfYear]),
      ("monthly", policy.monthly, [.year, .month]), ("yearly", policy.yearly, [.year]),
    ]
    var reasons = times.map { _ in Set<String>() }
    for index in times.indices.prefix(policy.last ?? 0) { reasons[index].insert("last") }
    for (name, count, parts) in rules {
      guard let count else { continue }
      var newest: [[Int]: Int] = [:]
      for index in times.indices.reversed() { newest[key(times[index], parts)] = index }
      for index in newest.values.sorted().prefix(count) { reasons[index].insert(name) }
      if newest.count < count, !times.isEmpty { reasons[times.count - 1].insert(name) }
    }
    if let within = policy.within, let first = times.first {
      for index in times.indices where first.seconds - times[index].seconds <= within {
        reasons[index].insert("within")
      }
    }
    return reasons
  }

  @Test("Policies at random keep what the reference keeps", arguments: 1...20)
  func policies(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      var policy = RetentionPolicy()
      func number() -> Int? { Bool.random(using: &random) ? Int.random(in: 1...8, using: &random) : nil }
      (policy.last, policy.daily, policy.weekly) = (number(), number(), number())
      (policy.monthly, policy.yearly) = (number(), number())
      policy.within = number().map { Int64($0) * 40_000 }
      var seconds: Int64 = 1_790_000_000
      let most: Int64 = [3_600, 90_000, 3_000_000].randomElement(using: &random) ?? 1
      let times = (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in
        seconds -= Int64.random(in: 1...most, using: &random)
        return Timestamp(seconds: seconds)
      }
      #expect(policy.reasons(for: times).map { Set($0) } == reference(policy, times))
    }
  }

  // MARK: Exports

  private func manifest(_ collections: [String], since: String? = nil) throws -> Manifest {
    let moment = try since.map { try #require(Timestamp($0)) }
    return Manifest(
      toolVersion: "0",
      environment: "d",
      database: DatabaseName(project: "p", database: "d"),
      readTime: nil,
      scope: Manifest.Scope(collections: collections, subcollections: true),
      files: [
        Manifest.File(file: "x.jsonl", collection: "x", documents: 0, bytes: 0, sha256: "", since: moment)
      ]
    )
  }

  /// A folder with whole exports on three days of which the middle one has two increments, and one of another series.
  private func withExports(_ body: (DatedFolders, String) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("nightly").path
      let exports = try DatedFolders(path)
      for (name, manifest) in [
        ("2026-03-01T020000Z", try manifest(["x"])), ("2026-03-02T020000Z", try manifest(["x"])),
        ("2026-03-02T080000Z", try manifest(["x"], since: "2026-03-02T02:00:00Z")),
        ("2026-03-02T090000Z", try manifest(["y"])),
        ("2026-03-02T100000Z", try manifest(["x"], since: "2026-03-02T08:00:00Z")),
        ("2026-03-31T020000Z", try manifest(["x"])),
      ] {
        try manifest.write(to: "\(path)/\(name)")
        try Data().write(to: URL(fileURLWithPath: "\(path)/\(name)/x.jsonl"))
      }
      try await body(exports, path)
    }
  }

  private var policy: RetentionPolicy {
    var policy = RetentionPolicy()
    policy.monthly = 2
    return policy
  }

  @Test("Increments go with the whole export that they add to, and another series by itself")
  func increments() async throws {
    try await withExports { exports, path in
      let decisions = try await exports.decisions(by: policy)
      #expect(
        decisions.map(\.reasons) == [["monthly"], [], [], ["monthly"], [], ["monthly"]],
        "\(decisions.map(\.reasons))"
      )
      let result = await exports.remove(decisions)
      #expect(result.removed.sorted() == ["2026-03-02T020000Z", "2026-03-02T080000Z", "2026-03-02T100000Z"])
      let left = FilePaths.names(in: path).filter { DatedName.isName($0) }.sorted()
      #expect(left == ["2026-03-01T020000Z", "2026-03-02T090000Z", "2026-03-31T020000Z"])
    }
  }

  @Test(
    "A whole export stays while one of its increments is within the duration before the newest export",
    arguments: [
      (86_400, ["01", "15+", "19+", "20+", "21"], 5), (86_399, ["01", "15+", "19+", "20+", "21"], 1),
      (14 * 86_400, ["01", "02", "21+"], 2),
    ]
  )
  func within(seconds: Int64, days: [String], kept: Int) throws {
    let exports: [DatedManifest] = try days.map { day in
      let since = day.hasSuffix("+") ? "2026-11-01T02:00:00Z" : nil
      return ("2026-11-\(day.prefix(2))T020000Z", try manifest(["x"], since: since))
    }
    var policy = RetentionPolicy()
    policy.within = seconds
    let decisions = RetentionRule.decisions(on: exports, by: policy)
    #expect(decisions.map(\.stays) == days.indices.map { $0 >= days.count - kept })
  }

  @Test(
    "An empty export takes the place of those of its kind only, and of none if its manifest has no kind.",
    arguments: [
      (.jsonl, [[], [], ["last"]], [[], [], ["last"]]), (.csv, [[], ["last"], ["last"]], [["last"]]),
      (nil, [[], ["last"]], []),
    ] as [(FileName.Kind?, [[String]], [[String]])]
  )
  func empty(_ kind: FileName.Kind?, _ all: [[String]], _ like: [[String]]) throws {
    var empty = try manifest(["x"])
    (empty.kind, empty.files) = (kind, [])
    let names = ["2026-03-01T020000Z", "2026-03-02T020000Z", "2026-03-03T020000Z"]
    var exports: [DatedManifest] = [
      (names[0], try manifest(["x"])), (names[1], try manifest(["x"])), (names[2], empty),
    ]
    func states(_ decisions: [RetentionDecision]) -> [[String]] { decisions.map(\.reasons) }
    let policy = RetentionPolicy(last: 1)
    #expect(states(RetentionRule.decisions(on: exports, by: policy)) == all)
    func decided(by name: String) -> [[String]] {
      states(RetentionRule.decisions(on: exports, like: name, by: policy, incomplete: []))
    }
    #expect(decided(by: names[2]) == like)
    // What may add to an empty export stays with it.
    exports.append(("2026-03-04T020000Z", try manifest(["x"], since: "2026-03-03T02:00:00Z")))
    if kind == nil { #expect(decided(by: "2026-03-04T020000Z") == []) }
  }

  @Test("An export that lacks a file, or part of one, stays and does not count", arguments: [false, true])
  func incomplete(isCut: Bool) async throws {
    try await withExports { exports, path in
      let file = "\(path)/2026-03-31T020000Z/x.jsonl"
      if isCut {
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
      } else {
        try FileManager.default.removeItem(atPath: file)
      }
      let decisions = try await exports.decisions(by: RetentionPolicy(last: 1))
      #expect(
        decisions.map(\.reasons) == [[], ["last"], ["increment"], ["last"], ["increment"], ["incomplete"]],
        "\(decisions.map(\.reasons))"
      )
    }
  }

  @Test("Where an increment cannot be removed, all that it adds to stays", arguments: ["080000Z", "100000Z"])
  func stuck(time: String) async throws {
    try await withExports { exports, path in
      try Data().write(to: URL(fileURLWithPath: "\(path)/2026-03-02T\(time)/note.txt"))
      let result = await exports.remove(try await exports.decisions(by: policy))
      let isLast = time == "100000Z"
      #expect(result.removed == (isLast ? [] : ["2026-03-02T100000Z"]))
      #expect(result.kept.count == (isLast ? 3 : 2) && result.kept.last == "2026-03-02T020000Z")
    }
  }
}
