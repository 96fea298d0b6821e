import Foundation
import Synchronization
import TestSupport
import Testing

/// Sharded commands by the program itself, as a batch engine runs them: many processes, some killed, some started twice.
@Suite("Sharded commands", .timeLimit(.minutes(60)))
struct ShardTests {
  /// Documents of IDs of several kinds, with subcollections, also below documents that do not exist.
  private func lines(_ count: Int, seed: UInt64) -> [String] {
    var random = SplitMix64(seed: seed)
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    return (0..<count).map { number in
      let chance = String((0..<20).map { _ in letters[Int.random(in: letters.indices, using: &random)] })
      // A field that only some documents have, so that the parts of a table find their columns in different orders.
      let rare = ["", #","zeta":{"stringValue":"a,b"}"#, #","alpha":{"stringValue":"\"q\"\n"}"#]
        .randomElement(using: &random)
      switch number % 4 {
      case 0: return documentLine("users/\(chance)", number, rare ?? "")
      case 1: return documentLine("users/user\(number)", number, rare ?? "")
      case 2: return documentLine("orders/o\(number)", number)
      default: return documentLine("orders/missing\(number % 40)/items/\(chance)", number)
      }
    }
  }

  private func plan(
    _ tool: Tool,
    _ shards: Int,
    to place: String,
    _ command: String...
  ) async throws -> RunResult {
    try await plan(tool, shards, to: place, command)
  }

  private func plan(
    _ tool: Tool,
    _ shards: Int,
    to place: String,
    _ command: [String]
  ) async throws -> RunResult {
    try await tool.bare(["shard", "plan", "--shards", "\(shards)", "--to", place, "--"] + command)
  }

  /// Runs all tasks at once, some of them twice.
  private func work(_ tool: Tool, _ tasks: Int, at place: String, twice: Set<Int> = []) async throws {
    try await withThrowingTaskGroup(of: (Int, RunResult).self) { group in
      for task in Array(0..<tasks) + twice.sorted() {
        group.addTask {
          (task, try await tool.bare(["shard", "work", place, "--task", "\(task)", "--tasks", "\(tasks)"]))
        }
      }
      for try await (task, result) in group {
        #expect(result.exitCode == 0, "task \(task): \(result.errors)")
      }
    }
  }

  /// The parts of a run, put together.
  private func joined(_ tool: Tool, _ place: String, _ ending: String) throws -> Data {
    var data = Data()
    for name in tool.names(in: "\(place)/parts") where name.hasSuffix(ending) {
      data += try Data(contentsOf: URL(fileURLWithPath: tool.path("\(place)/parts/\(name)")))
    }
    return data
  }

  private func content(_ tool: Tool, _ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: tool.path(name)))
  }

  @Test("A misspelt word behind -- is named as it is elsewhere.")
  func misspelt() async throws {
    try await withTool { tool in
      for (words, meant) in [
        ("exprot users", "export"), ("exprot users -e test", "export"), ("migrate aply x", "migrate apply"),
        ("export users --formt csv", "--format"),
      ] {
        let command = words.split(separator: " ").map(String.init)
        try await tool.bare(["shard", "plan", "--shards", "3", "--to", "S", "--"] + command)
          .expectFailure(64, "there is no such", "Did you mean \(meant)?")
      }
      #expect(!tool.exists("S"))
    }
  }

  @Test("The parts of an export, put together, are the export of one process, byte for byte")
  func export() async throws {
    try await withStores { tool in
      try await tool.load(lines(2400, seed: 3), into: "test")
      try await tool.bare(["export", "--all", "-e", "test", "-o", "one.jsonl", "-q"]).expect(0)
      try await plan(tool, 4, to: "W", "export", "--all", "-e", "test").expect(0)
      // Written after the read time, and so in no part.
      try await tool.load([documentLine("users/late", 1)], into: "test")
      let early = try await tool.bare(["shard", "finish", "W"])
      early.expectFailure(75, "4 of 4 tasks", "0, 1, 2, 3")
      try await work(tool, 4, at: "W", twice: [1, 2])
      try await tool.bare(["shard", "work", "W", "--task", "3"]).expect(0)
      let finished = try await tool.bare(["shard", "finish", "W", "--json"]).expect(0)
      let summary = try finished.summary()
      #expect(summary.totals.read == 2400)
      #expect(summary.collections.map(\.name).sorted() == ["orders", "orders/*/items", "users"])
      let parts = try joined(tool, "W", ".jsonl")
      #expect(try parts == content(tool, "one.jsonl"))
      #expect(tool.names(in: "W/parts").count > 4)

      // Finishing again changes nothing, and the parts are an export.
      let manifest = try content(tool, "W/parts/manifest.json")
      try await tool.bare(["shard", "finish", "W"]).expect(0)
      #expect(try content(tool, "W/parts/manifest.json") == manifest)
      #expect(try joined(tool, "W", ".jsonl") == parts)
      try await tool.bare(["export", "verify", "W/parts"]).expect(0)
      try await tool.bare(["import", "W/parts", "-e", "stage", "-q"]).expect(0)
      try await tool.bare(["diff", "--all", "--from", "W/parts", "--to", "stage", "-q"]).expect(0)
      let runs = try await tool.bare(["runs", "list", "--state-dir", "W"])
      #expect(runs.output.contains("\(summary.runId)  test         done    2,400 read  export"))

      // A part that somebody changed is found.
      try tool.write("{}\n", to: "W/parts/00001.jsonl")
      try await tool.bare(["shard", "finish", "W"]).expectFailure(65, "00001.jsonl")
    }
  }

  @Test("All tasks have one bound, which a larger one replaces")
  func bounds() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (0..<1000).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"))
    try await withTool(against: mini.handler) { tool, _ in
      let small = try await plan(tool, 2, to: "S", ["export", "a", "--max-reads", "3"] + tool.place)
      small.expectFailure(75, "--max-reads 3 allows for all tasks")
      try await plan(tool, 2, to: "W", ["export", "a", "--max-reads", "900"] + tool.place).expect(0)
      func work(_ more: String...) async throws -> [RunResult] {
        var results: [RunResult] = []
        for task in ["0", "1"] {
          results.append(try await tool.bare(["shard", "work", "W", "--task", task] + more))
        }
        return results
      }
      let stopped = try await work()
      #expect(stopped.contains { $0.exitCode == 75 })
      for result in stopped where result.exitCode != 0 {
        result.expectFailure(
          75,
          "--max-reads 900 allows for all tasks",
          "Give 'gymmigrate shard work' a larger bound"
        )
      }
      try await tool.bare(["shard", "finish", "W"]).expect(75)
      for result in try await work("--max-reads", "4000") { result.expect(0) }
      let finished = try await tool.bare(["shard", "finish", "W", "--json"]).expect(0)
      let summary = try finished.summary()
      #expect(summary.totals.read == 1000 && (1000...4000).contains(summary.billed?.reads ?? 0))
      let status = try await tool.bare(["shard", "status", "W"])
      #expect(status.output.contains("reads at most"), "\(status.output)")

      // What a plan left that its bound ended is no bound of the next one, and results are no other run's.
      try await plan(tool, 1, to: "S", ["export", "a"] + tool.place).expect(0)
      try await tool.bare(["shard", "work", "S", "--task", "0"]).expect(0)
      try FileManager.default.removeItem(atPath: tool.path("W/plan.json"))
      try await plan(tool, 2, to: "W", ["export", "a"] + tool.place).expectFailure(
        73,
        "of another run is there"
      )
      try await plan(tool, 1, to: "G", ["export", "a", "--max-reads", "9000"] + tool.place).expect(0)
      try FileManager.default.removeItem(atPath: tool.path("G/bill.json"))
      try await tool.bare(["shard", "work", "G", "--task", "0"]).expectFailure(66, "bill.json", "gone")

      try await plan(tool, 1, to: "U", ["export", "a"] + tool.place).expect(0)
      try await tool.bare(["shard", "work", "U", "--task", "0", "--max-reads", "900"])
        .expectFailure(64, "planned without a bound")
      try await tool.bare(["shard", "work", "U", "--task", "0"]).expect(0)
    }
  }

  @Test("A task with an edited review is refused (65), though it has as many bytes as that of the plan.")
  func editedReview() async throws {
    try await withStores { tool in
      let name = #"{"fields":{"fullName":{"stringValue":"Tadeo"}},"name":"users/a"}"#
      try await tool.load([name], into: "test")
      func review(_ surname: String) throws {
        let row = "users/a,users-unify,name-one-word,Tadeo,Tadeo,\(surname)\n"
        try tool.write("document,migration,code,found,firstName,paternalLastName\n" + row, to: "r.csv")
      }
      try review("Luna")
      let apply = ["migrate", "apply", "users-unify", "--review", "r.csv", "-e", "test"]
      try await plan(tool, 1, to: "W", apply).expect(0)
      let written = try await tool.dump("test")
      try review("Rios")
      try await tool.bare(["shard", "work", "W", "--task", "0"])
        .expectFailure(65, "r.csv", "it has changed since the tasks were planned")
      #expect(try await tool.dump("test") == written)
      try review("Luna")
      try await tool.bare(["shard", "work", "W", "--task", "0"]).expect(0)
    }
  }

  @Test("A run that was undone before its tasks were done is not asked to be finished")
  func undone() async throws {
    try await withStores { tool in
      try await tool.load(lines(400, seed: 8), into: "test")
      try tool.write("id: one\nsummary: X.\ncollection: users\nsteps:\n  - set: { m: 1 }\n", to: "one.yaml")
      try await plan(tool, 2, to: "W", "migrate", "apply", "one.yaml", "-e", "test").expect(0)
      try await tool.bare(["shard", "work", "W", "--task", "0"]).expect(0)
      try await tool.bare(["shard", "finish", "W"]).expectFailure(75, "1 of 2 tasks")
      try await tool.bare(["migrate", "undo", "last", "--state-dir", "W", "-y"]).expect(0)
      try await tool.bare(["shard", "finish", "W"]).expectFailure(64, "it was undone")
    }
  }

  @Test("What the ranges were billed is in the summary of the whole, and in the costs of those who did them")
  func costs() async throws {
    try await withStores { tool in
      try await tool.load(lines(400, seed: 5), into: "stage")
      func check(_ place: String, _ command: String...) async throws {
        try await tool.bare(["shard", "plan", "--shards", "2", "--to", place, "--"] + command).expect(0)
        for task in ["0", "1"] {
          try await tool.bare(["shard", "work", place, "--task", task, "--state-dir", "state-\(place)"])
            .expect(0)
        }
        let finished = try await tool.bare(["shard", "finish", place, "--json"]).expect(0)
        let billed = try #require(try finished.summary().billed)
        #expect(billed.reads >= 400)
        #expect(try await tool.bare(["shard", "finish", place]).errors.contains("Billed: "))
        let costs = try await tool.bare(["costs", "--state-dir", "state-\(place)", "--json"])
        let json = try JSONSerialization.jsonObject(with: Data(costs.standardOutput)) as? [String: Any]
        let total = try #require((json?["total"] as? [String: Any])?["billed"] as? [String: Int])
        // A task that writes looks at the lock, too.
        #expect((billed.reads...billed.reads + 50).contains(total["reads"] ?? 0), "\(total)")
        #expect((billed.writes...billed.writes + 50).contains(total["writes"] ?? 0), "\(total)")
      }
      try await check("E", "export", "--all", "-e", "stage")
      try await check("C", "copy", "--all", "--from", "stage", "--to", "test", "-y")
    }
  }

  @Test("The parts of a CSV have the columns of the whole table, whichever part a field appears in first")
  func table() async throws {
    try await withStores { tool in
      try await tool.load(lines(2000, seed: 4), into: "test")
      let export = ["export", "users", "-e", "test", "--schema", "none", "--format", "csv"]
      try await tool.bare(export + ["-o", "one.csv", "-q"]).expect(0)
      try await tool.bare(["shard", "plan", "--shards", "3", "--to", "W", "--"] + export).expect(0)
      try await work(tool, 3, at: "W")
      try await tool.bare(["shard", "finish", "W"]).expect(0)
      #expect(try joined(tool, "W", ".csv") == content(tool, "one.csv"))
      try await tool.bare(["export", "verify", "W/parts", "-q"]).expect(0)
      try await tool.bare(["shard", "finish", "W"]).expect(0)
      #expect(try joined(tool, "W", ".csv") == content(tool, "one.csv"))
    }
  }

  @Test("A check of the rules over one document finds, divided, what one process finds, in the same order")
  func check() async throws {
    try await withStores { tool in
      let payments = (0..<600).map { number in
        let snapshot =
          #","membershipPlanSnapshot":{"mapValue":{"fields":{"planName":{"stringValue":"Mes"}}}}"#
        return documentLine(
          "payments/p\(number * 7919 % 10007)",
          number,
          #","type":{"stringValue":"membership"}"# + (number % 3 == 0 ? "" : snapshot)
        )
      }
      try await tool.load(lines(1200, seed: 6) + payments, into: "test")
      let check = ["check", "--per-document", "-e", "test"]
      let one = try await tool.bare(check + ["--json", "--read-time", "now"]).expect(1)
      let expected = try JSONDecoder().decode(Findings.self, from: Data(one.output.utf8))
      #expect(expected.rules["payment-snapshot-missing"] == 200)
      let whole = try #require(tool.names(in: ".gymmigrate/runs").last { $0.contains("check") })

      try await tool.bare(["shard", "plan", "--shards", "3", "--to", "W", "--"] + check).expect(0)
      // Written after the read time, and so not judged.
      try await tool.load([documentLine("users/late", 1)], into: "test")
      try await work(tool, 3, at: "W", twice: [0])
      let finished = try await tool.bare(["shard", "finish", "W"]).expect(1)
      let table = finished.output.split(separator: "\n").dropFirst().map { line in
        line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
      }
      for row in table { #expect(Int(row[0]) == expected.rules[row[1]], "\(row)") }
      #expect(table.map { $0[1] }.sorted() == expected.rules.keys.sorted())
      let run = try #require(tool.names(in: "W/runs").first)
      #expect(
        try content(tool, "W/runs/\(run)/findings.csv")
          == content(tool, ".gymmigrate/runs/\(whole)/findings.csv")
      )
      #expect(tool.names(in: "W/runs/\(run)").contains("summary.json"))
    }
  }

  private struct Findings: Decodable {
    var rules: [String: Int]
  }

  @Test("A check that compares documents is not divided", arguments: [[], ["--rule", "not-unique"]])
  func undividedCheck(rules: [String]) async throws {
    try await withStores { tool in
      let plan = try await tool.bare(
        ["shard", "plan", "--shards", "2", "--to", "W", "--", "check", "-e", "test"] + rules
      )
      plan.expectFailure(64, "compares documents", "--per-document")
      #expect(!FileManager.default.fileExists(atPath: tool.path("W/plan.json")))
    }
  }

  private static let migration = """
    id: mark
    summary: Marks users.
    collection: users
    steps:
      - set: {seen: true}
    """

  @Test(
    "A migration ends in the database of one process, though tasks are killed and started twice, and is undone as a whole"
  )
  func apply() async throws {
    try await withStores { tool in
      var tool = tool
      tool.place = ["-e", "test"]
      try tool.write(Self.migration, to: "mark.yaml")
      for environment in ["test", "stage"] { try await tool.load(lines(2400, seed: 5), into: environment) }
      let before = try await tool.dump("test")
      let apply = ["migrate", "apply", "mark.yaml", "--schema", "none"]
      try await tool.bare(apply + ["-e", "stage", "-q"]).expect(0)
      try await tool.bare(["shard", "plan", "--shards", "3", "--to", "W", "--"] + apply + ["-e", "test"])
        .expect(0)

      // Nobody else migrates between plan and finish, and the run cannot be resumed as one.
      try await tool.bare(apply + ["-e", "test"]).expectFailure(75, "mark.yaml")
      try await tool.bare(["runs", "resume", "last", "--state-dir", "W"]).expectFailure(64, "shard work")
      for task in 0..<3 {
        let worker = try tool.startBare(["shard", "work", "W", "--task", "\(task)"], timeout: .seconds(600))
        // Killed at its first range that is done.
        _ = await worker.waitForText("Range", on: .errors)
        worker.send(SIGKILL)
        _ = await worker.wait()
      }
      try await work(tool, 3, at: "W", twice: [0, 1, 2])
      let finished = try await tool.bare(["shard", "finish", "W", "--json"]).expect(0)
      let totals = try finished.summary().totals
      #expect(totals.balance && totals.written == 1200 && totals.read == 1200)
      #expect(try await tool.dump("test") == tool.dump("stage"))
      let run = try finished.summary().runId
      var ledger = try await tool.ledger()
      #expect(ledger.lease == nil)
      // The import is recorded before it.
      #expect(ledger.runs.dropFirst().map(\.runId) == [run] && ledger.runs.last?.status == "done")
      try await tool.bare(["shard", "work", "W", "--task", "1"]).expect(0)

      let undone = try await tool.bare(["migrate", "undo", run, "--state-dir", "W", "--json"]).expect(0)
      #expect(try undone.summary().totals.written == 1200)
      #expect(try await tool.dump("test") == before)
      ledger = try await tool.ledger()
      #expect(ledger.runs.dropFirst().map(\.status) == ["undone", "done"])
      try await tool.bare(["shard", "finish", "W"]).expectFailure(64, "undone")
    }
  }

  @Test(
    "The counts of a range are those of all its tries, also of a process that stands still and is replaced"
  )
  func takeover() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (0..<600).map { documentLine("orders/o\($0)", $0) }.joined(separator: "\n"))
    let commits = Mutex(0)
    try await withTool(against: { request in
      let isWrite =
        request.kind == .commit && String(decoding: request.body, as: UTF8.self).contains("/orders/")
      let number = commits.withLock { commits in
        if isWrite { commits += 1 }
        return commits
      }
      // The first process comes no further than this, and its last commits are applied all the same.
      if isWrite, number > 8, number <= 12 {
        _ = mini.handler(request)
        return .stall
      }
      return mini.handler(request)
    }) { tool, _ in
      try tool.write(Self.migration.replacing("users", with: "orders"), to: "mark.yaml")
      let apply = ["migrate", "apply", "mark.yaml", "--schema", "none", "--batch-size", "10"] + tool.place
      try await tool.bare(["shard", "plan", "--shards", "1", "--to", "T", "--"] + apply).expect(0)
      let first = try tool.startBare(["shard", "work", "T", "--task", "0"], timeout: .seconds(600))
      while commits.withLock({ $0 }) < 9 { try await Task.sleep(for: .milliseconds(20)) }
      first.send(SIGSTOP)
      try await work(tool, 1, at: "T")
      let finished = try await tool.bare(["shard", "finish", "T", "--json"]).expect(0)
      let totals = try finished.summary().totals
      #expect(totals.balance && totals.read == 600 && totals.written == 600, "\(totals)")
      // It finds that its claim is gone, and writes nothing more.
      let left = mini.totalChanges
      first.send(SIGCONT)
      #expect(await first.wait().exitCode == 75)
      #expect(mini.totalChanges == left)
      // All that both have written is undone.
      try await tool.run("migrate", "undo", try finished.summary().runId, "--state-dir", "T", "-q").expect(0)
      #expect(
        mini.lines().filter { !$0.key.hasPrefix("_gymmigrate") }.allSatisfy { !$0.value.contains("seen") }
      )
    }
  }

  @Test("With a tenth of the requests failing, each document is written once and counted once")
  func faults() async throws {
    let mini = MiniFirestore()
    let count = Mutex(0)
    try await withTool(against: { request in
      let number = count.withLock { count in
        count += 1
        return count
      }
      let failure = Reaction.json(
        #"{"error":{"code":503,"status":"UNAVAILABLE","message":"try again"}}"#,
        status: 503
      )
      switch number % 20 {
      // Refused before it is applied, and answered wrongly after it was.
      case 7: return failure
      case 17:
        _ = mini.handler(request)
        return failure
      default: return mini.handler(request)
      }
    }) { tool, _ in
      try tool.write(lines(1200, seed: 6).joined(separator: "\n") + "\n", to: "a.jsonl")
      let place = tool.place
      try await tool.bare(["shard", "plan", "--shards", "3", "--to", "I", "--", "import", "a.jsonl"] + place)
        .expect(0)
      try await work(tool, 3, at: "I", twice: [1])
      let imported = try await tool.bare(["shard", "finish", "I", "--json"]).expect(0)
      #expect(try imported.summary().totals.written == 1200)
      let documents = mini.lines().filter { !$0.key.hasPrefix("_gymmigrate") }
      #expect(documents.count == 1200)

      try tool.write(Self.migration, to: "mark.yaml")
      let apply = ["migrate", "apply", "mark.yaml", "--schema", "none"] + place
      try await tool.bare(["shard", "plan", "--shards", "3", "--to", "M", "--"] + apply).expect(0)
      try await work(tool, 3, at: "M", twice: [2])
      let applied = try await tool.bare(["shard", "finish", "M", "--json"]).expect(0)
      let totals = try applied.summary().totals
      #expect(totals.balance && totals.read == 600 && totals.written == 600)
      try await tool.run("migrate", "undo", try applied.summary().runId, "--state-dir", "M", "-q").expect(0)
      #expect(mini.lines().filter { !$0.key.hasPrefix("_gymmigrate") } == documents)
    }
  }

  @Test("A copy and an import, with documents that occur twice, end in the database of one process")
  func transfer() async throws {
    try await withStores { tool in
      let all = lines(1600, seed: 8)
      let again = all.enumerated().filter { $0.offset % 7 == 0 }.map {
        $0.element.replacing("\"integerValue\":\"", with: "\"integerValue\":\"9")
      }
      try tool.createFolder("in")
      try tool.write(all.joined(separator: "\n") + "\n", to: "in/a.jsonl")
      try tool.write(again.joined(separator: "\n") + "\n", to: "in/b.jsonl")
      let twice = try await plan(tool, 3, to: "I", "import", "in", "-e", "test", "--mode", "upsert")
      twice.expectFailure(65, "in/b.jsonl", "line 1 has the same document as line 1 of in/a.jsonl (229 lines")
      let deciding = ["--mode", "upsert", "--duplicates", "last"]
      try await tool.bare(["import", "in", "-e", "stage", "-q"] + deciding).expect(0)
      try await tool.bare(
        ["shard", "plan", "--shards", "3", "--to", "I", "--", "import", "in", "-e", "test"] + deciding
      ).expect(0)
      try await work(tool, 3, at: "I", twice: [0])
      let imported = try await tool.bare(["shard", "finish", "I", "--json"]).expect(0)
      let totals = try imported.summary().totals
      #expect(totals.read == all.count + again.count && totals.superseded == again.count && totals.balance)
      let stage = try await tool.dump("stage")
      #expect(try await tool.dump("test") == stage)

      try await plan(tool, 3, to: "K", "copy", "--all", "--from", "test", "--to", "prod", "--confirm", "prod")
        .expect(0)
      try await work(tool, 3, at: "K", twice: [2])
      let copied = try await tool.bare(["shard", "finish", "K", "--json"]).expect(0)
      #expect(try copied.summary().totals.written == 1600)
      #expect(try await tool.dump("prod") == stage)
    }
  }

  @Test("What cannot be divided is refused in one line, and leaves nothing behind")
  func refusals() async throws {
    try await withStores { tool in
      try await tool.load(lines(8, seed: 9), into: "test")
      let cases: [(String, [String])] = [
        ("--limit", ["export", "users", "-e", "test", "--limit", "3"]),
        ("--order-by", ["export", "users", "-e", "test", "--order-by", "n"]),
        ("--format", ["export", "users", "-e", "test", "--format", "xlsx"]),
        ("--output", ["export", "users", "-e", "test", "-o", "x.jsonl"]),
        ("inequality", ["export", "users", "-e", "test", "--where", "n > 3"]),
        ("by others", ["migrate", "apply", "user-emails", "-e", "test"]),
        (
          "--delete-extraneous",
          ["copy", "users", "--from", "test", "--to", "stage", "--delete-extraneous", "--max-delete", "1"]
        ),
        ("--max-delete", ["migrate", "apply", "is-active", "-e", "test", "--max-delete", "1"]),
        ("fix", ["fix", "users", "--all-documents", "--run", "cat", "-e", "test"]),
        ("--max-errors", ["import", "load.jsonl", "-e", "test", "--max-errors", "3"]),
        ("count", ["count", "users", "-e", "test"]),
        ("local", ["export", "users", "-e", "local"]),
      ]
      for (text, command) in cases {
        let result = try await tool.bare(["shard", "plan", "--shards", "2", "--to", "W", "--"] + command)
        result.expectFailure(64, text)
      }
      #expect(tool.names(in: "W").filter { !$0.hasPrefix(".") }.isEmpty)
      try await plan(tool, 2, to: "W", "export", "users", "-e", "test").expect(0)
      try await plan(tool, 2, to: "W", "export", "users", "-e", "test").expectFailure(73, "the plan of run")
      try await tool.bare(["shard", "work", "W"]).expectFailure(64, "--task")
      try await tool.bare(["shard", "work", "W", "--task", "0", "--tasks", "3"]).expectFailure(64, "3 tasks")
      try await tool.bare(["shard", "work", "nowhere", "--task", "0"]).expectFailure(66, "nowhere")
      var kubernetes = tool
      kubernetes.environment = ["JOB_COMPLETION_INDEX": "1"]
      try await kubernetes.bare(["shard", "work", "W"]).expect(0)
    }
  }
}
