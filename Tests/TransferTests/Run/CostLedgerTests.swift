import Configuration
import Files
import FirestoreModels
import Foundation
import TestSupport
import Testing
import TypedDocuments

@testable import FirestoreREST
@testable import Runs

@Suite("The ledger of costs")
struct CostLedgerTests {
  private func environment(_ name: String) -> DatabaseEnvironment {
    DatabaseEnvironment(name: name, database: DatabaseName(project: "p", database: name))
  }

  private func record(
    _ name: String,
    _ reads: Int,
    usd: Double? = 0.5,
    collections: [String] = []
  ) -> CostRecord {
    var summary = RunSummary(command: "export", runID: "r", environment: nil, startedAt: .now)
    summary.collections = collections.map { collection in
      var counts = DocumentCounts()
      (counts.read, counts.written, counts.deleted) = (3, 2, 1)
      return RunSummary.Collection(name: collection, counts: counts)
    }
    return CostRecord(summary, command: "export", in: environment(name), billed: Cost(reads: reads), usd: usd)
  }

  private func moment(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

  @Test("Lines are read back as they were written, and one that is torn is stepped over.")
  func lines() async throws {
    try await withTemporaryDirectory { folder in
      let ledger = CostLedger(in: folder.path)
      var found: [CostRecord] = []
      try ledger.forEach(since: moment("2000-01-01T00:00:00Z")) { found.append($0) }
      #expect(found.isEmpty)
      let records = [
        record("a", 5), record("b", 7, usd: nil, collections: ["users", "users/u1/notes", "users/u2/notes"]),
      ]
      try ledger.append(records[0])
      try AppendOnlyFile(folder.appendingPathComponent("costs.jsonl").path).append(
        Array("{\"startedAt\":\n[]\n".utf8)
      )
      try ledger.append(records[1])
      try ledger.forEach(since: moment("2000-01-01T00:00:00Z")) { found.append($0) }
      #expect(found == records)
      #expect(records[1].collections.map(\.name) == ["users", "notes"])
      #expect(
        records[1].collections.map(\.read) == [3, 6] && records[1].collections.map(\.written) == [1, 2]
      )
      // No document is named.
      let text = try String(contentsOfFile: "\(folder.path)/costs.jsonl", encoding: .utf8)
      #expect(!text.contains("u1"))
      found = []
      try ledger.forEach(since: moment("9000-01-01T00:00:00Z")) { found.append($0) }
      #expect(found.isEmpty)
      #expect(
        try ledger.billed(since: moment("2000-01-01T00:00:00Z"), of: environment("a")).cost == Cost(reads: 5)
      )
    }
  }

  @Test(
    "A torn last line takes no other with it, and is told of until a record of an earlier time follows it.",
    arguments: [("{\"startedAt\":\"2026-", [2]), ("{}\n[]\n", [2, 3]), ("\n", [2])]
  )
  func torn(_ text: String, _ numbers: [Int]) async throws {
    try await withTemporaryDirectory { folder in
      let (ledger, file) = (CostLedger(in: folder.path), folder.appendingPathComponent("costs.jsonl").path)
      let records = [record("a", 5), record("a", 7)]
      try ledger.append(records[0])
      try AppendOnlyFile(file).append(Array(text.utf8))
      try ledger.append(records[1])
      var found: [CostRecord] = []
      let skipped = try ledger.forEach(since: moment("2000-01-01T00:00:00Z")) { found.append($0) }
      #expect(found == records && skipped == numbers)
      #expect(try ledger.forEach(since: moment("9000-01-01T00:00:00Z")) { _ in }.isEmpty)
      let warning = try #require(ledger.warning(ofSkipped: skipped))
      #expect(warning.hasPrefix("\(file):2") && warning.contains("and 1 after it") == (numbers.count > 1))
      #expect(ledger.warning(ofSkipped: []) == nil)
    }
  }

  @Test("A run that was killed counts as far as its folder tells, until a line has it.")
  func killed() async throws {
    try await withTemporaryDirectory { folder in
      let (state, place) = (folder.path, environment("a"))
      let run = try RunDirectory(in: state, command: "import")
      try run.write(
        RunRecord(
          id: run.id,
          command: "import",
          arguments: ["import"],
          workingDirectory: state,
          environment: place,
          startedAt: .now,
          writes: true
        )
      )
      let ledger = CostLedger(in: state)
      let account = Account()
      try account.keep(in: run)
      let cost = try await account.reserve(Cost(reads: 10))
      func billed(_ name: String = "a") throws -> Int {
        try ledger.billed(since: moment("2000-01-01T00:00:00Z"), of: environment(name)).cost.reads
      }
      // Saved ahead.
      #expect(try billed() == 111 && billed("b") == 0)
      account.settle(cost, as: cost)
      try account.close()
      #expect(try billed() == 10)
      try ledger.append(
        CostRecord(
          try #require(ledger.unrecorded(since: moment("2000-01-01T00:00:00Z")).first?.run),
          command: "import",
          billed: account.takeUnrecorded(),
          usd: nil
        )
      )
      try run.noteRecorded()
      #expect(try billed() == 10)
      // What a resumed run is billed comes on top.
      let next = Account()
      try next.keep(in: run)
      next.settle(try await next.reserve(Cost(reads: 4)), as: Cost(reads: 4))
      #expect(next.takeUnrecorded() == Cost(reads: 4) && next.takeUnrecorded() == Cost())
    }
  }

  @Test(
    "A damaged line is reported, whatever follows, if its own time or that of a line before it is in the period."
  )
  func damaged() async throws {
    let now = Timestamp.now
    let moment = try #require(Timestamp(seconds: now.seconds - 3600))
    func line(_ hours: Int64) throws -> String {
      var record = record("a", 5)
      record.startedAt = try #require(Timestamp(seconds: now.seconds - hours * 3600))
      return String(decoding: record.line, as: UTF8.self)
    }
    let (recent, old) = (try line(0), try line(3))
    let (torn, oldTorn) = ("\(recent.prefix(120))\n", "\(old.prefix(120))\n")
    for (lines, numbers) in [
      ([torn, recent], [1]), ([torn, old], [1]), ([recent, "{\n", old], [2]), (["{\n", old], []),
      ([oldTorn, old], []), (["{\n", old, torn, "[\n", recent, old], [3, 4]),
    ] {
      try await withTemporaryDirectory { folder in
        try AppendOnlyFile(folder.appendingPathComponent("costs.jsonl").path).append(
          Array(lines.joined().utf8)
        )
        let skipped = try CostLedger(in: folder.path).forEach(since: moment) { _ in }
        #expect(skipped == numbers, "\(lines)")
      }
    }
  }

  @Test(
    "The line of a killed run is added once, with the time of the run, and hides no damaged line before it."
  )
  func completed() async throws {
    try await withTemporaryDirectory { folder in
      let now = Timestamp.now
      let run = RunRecord(
        id: "r",
        command: "import",
        arguments: ["import"],
        workingDirectory: folder.path,
        environment: environment("a"),
        startedAt: try #require(Timestamp(seconds: now.seconds - 86_400)),
        writes: true
      )
      try AppendOnlyFile(folder.appendingPathComponent("costs.jsonl").path).append(Array("{\n".utf8))
      let ledger = CostLedger(in: folder.path)
      let record = CostRecord(run, command: "import", billed: Cost(reads: 7), usd: nil)
      for _ in 0..<2 { try ledger.complete(run, with: record) }
      let all = try ledger.records(of: run)
      #expect(all.map(\.billed.reads) == [7] && all.map(\.startedAt) == [run.startedAt])
      let hourAgo = try #require(Timestamp(seconds: now.seconds - 3600))
      var found = 0
      #expect(try ledger.forEach(since: hourAgo) { _ in found += 1 } == [1] && found == 0)
    }
  }

  @Test("What a command with two databases read of the other one counts there; an older line is whole.")
  func sides() async throws {
    var copy = record("b", 10, usd: 0.5, collections: ["users"])
    copy.note(reads: 7, of: "a", usd: (source: 0.25, own: 0.125))
    var unpriced = record("b", 3)
    unpriced.note(reads: 2, of: "a", usd: (source: nil, own: 0.125))
    try await withTemporaryDirectory { folder in
      let ledger = CostLedger(in: folder.path)
      var found: [CostRecord] = []
      for one in [copy, record("b", 1)] { try ledger.append(one) }
      try ledger.forEach(since: moment("2000-01-01T00:00:00Z")) { found.append($0) }
      #expect(found.map(\.ofSource?.reads) == [7, nil])
      var totals = CostTotals()
      for one in found { totals.add(one) }
      #expect(totals.lines.map(\.environment) == ["a", "b"] && totals.lines.map(\.runs) == [1, 2])
      #expect(totals.lines.map(\.billed.reads) == [7, 4] && totals.lines.map(\.usd) == [0.25, 0.625])
      #expect(totals.all.billed.reads == 11 && totals.all.runs == 2 && totals.all.usd == 0.875)
      #expect(totals.documents.map(\.environment) == ["b"])
    }
    var one = CostTotals()
    let added = [copy, record("b", 1)].map { one.add($0, of: "a") }
    #expect(added == [true, false] && one.all.billed.reads == 7 && one.all.usd == 0.25)
    one.add(unpriced, of: "a")
    #expect(one.all.billed.reads == 9 && one.all.usd == nil)
  }

  @Test("A resumed run adds the documents that no earlier line of it counts.")
  func resumed() async throws {
    try await withTemporaryDirectory { folder in
      let (ledger, start) = (CostLedger(in: folder.path), Timestamp.now)
      func line(_ run: String, _ counts: [String: Int]) -> CostRecord {
        var summary = RunSummary(command: "import", runID: run, environment: nil, startedAt: start)
        summary.collections = counts.sorted { $0.key < $1.key }.map { name, count in
          var counts = DocumentCounts()
          (counts.read, counts.written, counts.deleted) = (count, count, count / 10)
          return RunSummary.Collection(name: name, counts: counts)
        }
        return CostRecord(summary, command: "import", in: environment("a"), billed: Cost(reads: 1), usd: nil)
      }
      let run = RunRecord(
        id: "r",
        command: "import",
        arguments: ["import"],
        workingDirectory: folder.path,
        environment: environment("a"),
        startedAt: start,
        writes: true
      )
      try ledger.append(line("other", ["users": 1000]))
      for (users, rooms) in [(100, 0), (170, 0), (170, 30), (300, 30)] {
        let counts = ["users": users, "rooms": rooms].filter { $0.value > 0 }
        var next = line("r", counts)
        next.leaveOut(try ledger.records(of: run))
        try ledger.append(next)
      }
      let all = try ledger.records(of: run)
      #expect(all.flatMap(\.collections).filter { $0.name == "users" }.map(\.read) == [100, 70, 0, 130])
      var totals = CostTotals()
      for one in all { totals.add(one) }
      #expect(totals.documents.map(\.collection) == ["rooms", "users"])
      #expect(totals.documents.map(\.read) == [30, 300] && totals.documents.map(\.written) == [27, 270])
      #expect(totals.documents.map(\.deleted) == [3, 30])
    }
  }

  @Test("Sums are by environment and command, sorted; a price that is not known is in none.")
  func totals() {
    var totals = CostTotals()
    for one in [
      record("b", 1), record("a", 2, usd: nil), record("b", 4, collections: ["users"]), record("c", 8),
    ] {
      totals.add(one)
    }
    #expect(totals.lines.map(\.environment) == ["a", "b", "c"])
    #expect(totals.lines.map(\.billed.reads) == [2, 5, 8] && totals.lines.map(\.runs) == [1, 2, 1])
    #expect(
      totals.lines.map(\.usd) == [nil, 1, 0.5] && totals.all.usd == nil && totals.all.billed.reads == 15
    )
    #expect(totals.documents.map(\.collection) == ["users"] && totals.documents.first?.deleted == 1)
    var cents = CostTotals()
    for usd in [0.1, 0.2] { cents.add(record("a", 1, usd: usd)) }
    #expect(cents.all.usd == 0.3)
  }
}
