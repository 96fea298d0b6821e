import Foundation
import TestSupport
import Testing

@Suite("A bound on the bill", .timeLimit(.minutes(60)))
struct BillBoundTests {
  @Test("A reading command ends before the request that could be billed more, and leaves nothing half.")
  func reads() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (1...10).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"))
    try await withTool(against: mini.handler) { tool, _ in
      let export = ["export", "a", "-o", "a.jsonl", "--no-subcollections"] + tool.place
      let few = try await tool.bare(export + ["--max-reads", "9"])
      few.expectFailure(75, "--max-reads 9", "Allow more")
      // The same command would end at the same request.
      #expect(!few.errors.contains("To resume"))
      #expect(!tool.names(in: ".").contains("a.jsonl"))
      // The time of the service, whether it reads at a moment, and the page after the last document.
      let enough = try await tool.bare(export + ["--max-reads", "14", "--json"]).expect(0)
      let json = try JSONSerialization.jsonObject(with: Data(enough.standardOutput)) as? [String: Any]
      let billed = try #require(json?["billed"] as? [String: Int])
      #expect((11...14).contains(billed["reads"] ?? 0) && billed["writes"] == 0)
      #expect(try tool.text("a.jsonl").split(separator: "\n").count == 10)
      let none = try await tool.run("count", "a", "--max-reads", "0", "--json")
      none.expectFailure(75, "--max-reads 0")
      #expect(try none.summary().resumeCommand == nil)
      #expect(try await tool.run("count", "a", "--max-reads", "3").output == "a\t10\n")
    }
  }

  @Test(
    "A run that writes goes on with a larger bound, and is never billed more than the bound of the whole."
  )
  func writes() async throws {
    try await withMini { tool, mini in
      try tool.write((1...50).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"), to: "a.jsonl")
      let first = try await tool.bare(
        ["import", "a.jsonl", "--batch-size", "5", "--max-writes", "30"] + tool.place
      )
      first.expectFailure(75, "--max-writes 30", "Allow more")
      let run = try tool.lastRun()
      #expect(
        first.lastLine == "To resume: gymmigrate runs resume \(run) --max-writes MORE",
        "\(first.errors)"
      )
      let shown = try await tool.bare(["runs", "show", "last"]).expect(0)
      #expect(shown.output.contains("\nresume       gymmigrate runs resume \(run) --max-writes MORE\n"))
      let done = mini.snapshot().count
      #expect(done > 0 && mini.totalWrites <= 30)
      try await tool.bare(["runs", "resume", "last"]).expect(75)
      #expect(mini.snapshot().count == done && mini.totalWrites <= 30)
      let last = try await tool.bare(["runs", "resume", "last", "--max-writes", "100", "--json"]).expect(0)
      #expect(mini.snapshot().count == 50)
      let json = try JSONSerialization.jsonObject(with: Data(last.standardOutput)) as? [String: Any]
      let billed = try #require(json?["billed"] as? [String: Int])
      // The documents, and of each process the ledger and the lock.
      #expect((50 + 6...62).contains((billed["writes"] ?? 0) + (billed["deletes"] ?? 0)))
      #expect(
        try tool.text("\(try #require(tool.runs().last))/billed.json").contains(
          "\"writes\":\(billed["writes"] ?? 0)"
        )
      )
    }
  }

  /// The program with an environment `test` on a server, which has ten documents.
  private func withEnvironment(_ more: String, _ body: (Tool) async throws -> Void) async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (1...10).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"))
    try await withTool(against: mini.handler) { tool, server in
      var tool = tool
      tool.place = ["-e", "test"]
      let place = "project: test-project, database: '(default)', endpoint: '\(server.url)'"
      try tool.write("environments:\n  test: { \(place), \(more) }\n", to: "gymmigrate.yaml")
      try await body(tool)
    }
  }

  @Test("After a bound of the file, the file is to be changed, and no option is offered.")
  func file() async throws {
    try await withEnvironment("limits: { run: { writes: 20 } }") { tool in
      try tool.write((11...40).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"), to: "b.jsonl")
      let bounds = ["--batch-size", "1", "--in-flight", "1", "--max-writes", "1000"]
      let first = try await tool.bare(["import", "b.jsonl", "--json"] + bounds + tool.place)
      first.expectFailure(75, "'limits' of test", "Raise 'limits' in the file")
      let command = "gymmigrate runs resume \(try tool.lastRun())"
      #expect(first.lastLine == "To resume after that: \(command)", "\(first.errors)")
      #expect(try first.summary().resumeCommand == nil && first.output.contains(#""canResume":true"#))
      let shown = try await tool.bare(["runs", "show", "last"]).expect(0)
      #expect(shown.output.hasSuffix("\nresume       \(command)\n"), "\(shown.output)")
      try await tool.bare(["runs", "resume", "last", "--max-writes", "9999"]).expect(75)
      let raised = try tool.text("gymmigrate.yaml").replacing("writes: 20", with: "writes: 200")
      try tool.write(raised, to: "gymmigrate.yaml")
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(try await tool.run("count", "a").output == "a\t40\n")
    }
  }

  @Test("A run that is resumed with one bound keeps the others.")
  func others() async throws {
    let mini = MiniFirestore()
    for index in 0..<60 { try mini.put("c/d\(index)", fields: #"{"a":{"stringValue":"Name"}}"#) }
    try await withTool(against: mini.handler) { tool, _ in
      let fix = ["fix", "c", "--all-documents", "--lower", "a", "--batch-size", "5"]
      let bounds = ["--max-writes", "25", "--max-reads", "1000"]
      try await tool.bare(fix + bounds + tool.place).expectFailure(75, "--max-writes 25")
      let run = try tool.lastRun()
      let resume = ["runs", "resume", run]
      try await tool.bare(resume + ["--max-reads", "2000"]).expectFailure(75, "--max-writes 25")
      #expect(mini.totalWrites <= 25)
      try await tool.bare(resume + ["--max-writes", "1000"]).expect(0)
      #expect(mini.snapshot().allSatisfy { !$0.fieldsJSON.contains("Name") })
    }
  }

  @Test(
    "What a bound kept from being sent is nobody's write: the resumed run decides again what people have edited since."
  )
  func unsent() async throws {
    let mini = MiniFirestore()
    for index in 0..<60 { try mini.put("c/d\(index)", fields: #"{"a":{"stringValue":"Name"}}"#) }
    try await withTool(against: mini.handler) { tool, _ in
      let fix = ["fix", "c", "--all-documents", "--lower", "a", "--batch-size", "5"]
      try await tool.bare(fix + ["--max-writes", "25"] + tool.place).expect(75)
      let run = try tool.lastRun()
      let edited = mini.snapshot().filter { $0.fieldsJSON.contains("Name") }.map(\.name)
      try #require((1..<60).contains(edited.count))
      for name in edited { try mini.put(name, fields: #"{"a":{"stringValue":"EDIT"}}"#) }
      let before = mini.snapshot().filter { edited.contains($0.name) }
      try await tool.bare(["runs", "resume", run, "--max-writes", "1000"]).expect(0)
      #expect(
        mini.snapshot().allSatisfy { !$0.fieldsJSON.contains("EDIT") && !$0.fieldsJSON.contains("Name") }
      )
      try await tool.run("migrate", "undo", run, "-y").expect(0)
      #expect(mini.snapshot().filter { edited.contains($0.name) } == before)
    }
  }

  @Test(
    "A bound in dollars goes by the prices of the environment; where an operation has none it is refused."
  )
  func dollars() async throws {
    try await withEnvironment("prices: { reads: 100, writes: 100, deletes: 100 }") { tool in
      let export = ["export", "a", "-o", "a.jsonl", "--no-subcollections"] + tool.place
      let few = try await tool.bare(export + ["--max-cost", "0.009"])
      few.expectFailure(75, "--max-cost 0.009")
      #expect(!tool.names(in: ".").contains("a.jsonl"))
      try await tool.bare(export + ["--max-cost", "0.02"]).expect(0)
      try await tool.run("count", "a", "--max-cost", "a").expect(64)
      let bound = ["--batch-size", "1", "--in-flight", "1", "--max-cost", "0.018", "--mode", "upsert"]
      try tool.write((11...40).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"), to: "b.jsonl")
      let first = try await tool.bare(["import", "b.jsonl"] + bound + tool.place)
      first.expectFailure(75, "--max-cost 0.018")
      #expect(first.lastLine.hasSuffix("--max-cost MORE"))
      try await tool.bare(["runs", "resume", "last", "--max-cost", "1"]).expect(0)
    }
    try await withEnvironment("edition: enterprise") { tool in
      try await tool.run("count", "a", "--max-cost", "1").expectFailure(
        78,
        "not known for the Enterprise edition"
      )
      try await tool.run("count", "a", "--max-reads", "9").expect(0)
      // 50 documents of 20 KiB are 5 units each to read, and 20 to write, at least; their JSON is little more.
      let text = String(repeating: "x", count: 20_000)
      let lines = (1...50).map {
        #"{"name":"b/\#($0)","fields":{"t":{"stringValue":"\#(text)"}}}"#
      }
      try tool.write(lines.joined(separator: "\n"), to: "large.jsonl")
      let written = try await tool.run("import", "large.jsonl")
      #expect(written.errors.contains("write units of 1 KiB, beside index entries"), "\(written.errors)")
      let read = try await tool.run("export", "b", "-o", "b.jsonl", "--json")
      let summary = try JSONSerialization.jsonObject(with: Data(read.standardOutput)) as? [String: Any]
      let units = try #require(summary?["units"] as? [String: [String: Int]])
      let most = try #require(units["reads"]?["most"])
      #expect(units["writes"] == ["least": 0, "most": 0])
      #expect(units["reads"]?["least"] ?? 0 >= 50 && (250...320).contains(most), "\(units)")
    }
  }

  @Test("An environment's limits hold for a run and for the runs of a day, and costs adds them up.")
  func limits() async throws {
    try await withEnvironment("limits: { run: { reads: 14 }, day: { reads: 30 } }") { tool in
      let export = ["export", "a", "-o", "a.jsonl", "--no-subcollections"] + tool.place
      for _ in 0..<2 { try await tool.bare(export).expect(0) }
      try await tool.bare(export + ["--max-reads", "99"]).expectFailure(
        75,
        "'limits: day' of test in gymmigrate.yaml"
      )
      let spent = try await tool.bare(export)
      spent.expectFailure(75, "'limits: day' of test in gymmigrate.yaml")
      #expect(
        spent.errors.firstMatch(of: /used today before this: [23][0-9] reads/) != nil,
        "\(spent.errors)"
      )
      let sums = try await tool.bare(["costs", "--since", "1d", "--json"]).expect(0)
      let json = try JSONSerialization.jsonObject(with: Data(sums.standardOutput)) as? [String: Any]
      let lines = try #require(json?["costs"] as? [[String: Any]])
      #expect(
        lines.count == 1 && lines.first?["command"] as? String == "export"
          && lines.first?["runs"] as? Int ?? 0 >= 2
      )
      let billed = try #require((lines.first?["billed"] as? [String: Int])?["reads"])
      #expect((20...30).contains(billed))
      #expect((json?["collections"] as? [[String: Any]])?.first?["read"] as? Int ?? 0 >= 20)
      let table = try await tool.bare(["costs"])
      #expect(table.output.hasPrefix("environment  command  runs  reads"), "\(table.output)")
      try await tool.bare(["costs", "-e", "tets"]).expectFailure(78, "Did you mean test?")
      let divided = ["shard", "plan", "--shards", "2", "--to", "s", "--", "export", "a"] + tool.place
      try await tool.bare(divided).expectFailure(64, "'limits: day' of test")
    }
    // The rows of a mirror are no writes of its database.
    try await withEnvironment("limits: { day: { reads: 1000 } }") { tool in
      try await tool.bare(["mirror", "pull", "-o", "m.sqlite"] + tool.place).expect(0)
      let json = try JSONSerialization.jsonObject(
        with: Data(try await tool.bare(["costs", "--json"]).standardOutput)
      )
      let documents = (json as? [String: Any])?["collections"] as? [[String: Any]] ?? []
      #expect(documents.contains { ($0["read"] as? Int ?? 0) > 0 })
      #expect(documents.allSatisfy { $0["written"] as? Int == 0 }, "\(documents)")
    }
    // Nobody bills the embedded store.
    try await withStores { tool in
      try tool.write(documentLine("a/1", 1), to: "a.jsonl")
      try await tool.bare(["import", "a.jsonl", "-e", "local", "--schema", "none"]).expect(0)
      let costs = try await tool.bare(["costs"])
      #expect(costs.output.isEmpty && costs.errors.contains("Nothing was billed"), "\(costs.output)")
    }
    // Of a copy each side has its own.
    try await withStores { tool in
      let lines = (1...9).map { documentLine("a/\($0)", 1) }
      try await tool.load(lines, into: "stage")
      try await tool.bare(["copy", "a", "--from", "stage", "--to", "test", "-y"]).expect(0)
      func copy(_ environment: String) async throws -> [String: Int] {
        let costs = try await tool.bare(["costs", "-e", environment, "--json"]).expect(0)
        #expect(!costs.errors.contains("another environment"), "\(costs.errors)")
        let json = try JSONSerialization.jsonObject(with: Data(costs.standardOutput)) as? [String: Any]
        let sums = try #require(json?["costs"] as? [[String: Any]])
        let line = try #require(sums.first { $0["command"] as? String == "copy" })
        return try #require(line["billed"] as? [String: Int])
      }
      let (source, target) = (try await copy("stage"), try await copy("test"))
      #expect(source["reads"] ?? 0 >= 9 && source["writes"] == 0, "\(source)")
      #expect(target["writes"] ?? 0 >= 9, "\(target)")
      // A comparison with a file is that of the one database, on whatever side.
      try tool.write(lines.joined(separator: "\n"), to: "a.jsonl")
      for sides in [("stage", "a.jsonl"), ("a.jsonl", "test"), ("local", "a.jsonl"), ("a.jsonl", "local")] {
        let diff = ["diff", "a", "--schema", "none", "--from", sides.0, "--to", sides.1]
        _ = try await tool.bare(diff)
      }
      let lists = try await tool.bare(["costs"]).output
      #expect(lists.contains(/stage +diff +1 +[1-9]/) && lists.contains(/test +diff +1 +[1-9]/), "\(lists)")
      #expect(!lists.contains("local"), "\(lists)")
      // A line of an older version does not tell the sides apart.
      let ledger = tool.path(".gymmigrate/costs.jsonl")
      let old = try tool.text(".gymmigrate/costs.jsonl").replacing(/,"ofSource":\{[^}]*\}/, with: "")
      try Data(old.utf8).write(to: URL(fileURLWithPath: ledger))
      let costs = try await tool.bare(["costs", "-e", "stage"])
      #expect(costs.errors.contains("another environment: copy (test)."), "\(costs.errors)")
    }
    try await withStores { tool in
      let text = try tool.text("gymmigrate.yaml")
      let limited = text.replacing("stage: {", with: "stage: { limits: { run: { reads: 9 } },")
      try tool.write(limited, to: "gymmigrate.yaml")
      try await tool.load([documentLine("a/1", 1)], into: "stage")
      // A copy reads the source, whose limit is one of all tasks, too.
      let plan = ["shard", "plan", "--shards", "2", "--to", "s", "--"]
      let copy = ["copy", "a", "--from", "stage", "--to", "test", "-y"]
      try await tool.bare(plan + copy).expectFailure(75, "'limits' of stage")
    }
    // The bound that is reached is named, and no other; so it is by doctor, which asks for no count then.
    try await withEnvironment("limits: { run: { reads: 1000 }, day: { reads: 900 } }") { tool in
      let export = try await tool.run("export", "a", "-o", "a.jsonl", "--max-reads", "3")
      export.expectFailure(75, "more than --max-reads 3 allows")
      try await tool.run("export", "a", "-o", "a.jsonl", "--max-reads", "950").expect(0)
      let doctor = try await tool.run("doctor")
      #expect(doctor.output.contains("not counted, as reads are bounded"), "\(doctor.output)")
    }
    // What any run may read does not make a search longer.
    try await withEnvironment("limits: { run: { reads: 1000 } }") { tool in
      let missing = try await tool.run("history", "a/none")
      missing.expectFailure(66, "a/none")
      let reads = try #require(missing.errors.firstMatch(of: /a: ([0-9,]+) read/)?.1)
      #expect((Int(reads.replacing(",", with: "")) ?? 0) <= 100, "\(missing.errors)")
    }
    // A run of the day that asks for more than a run may.
    try await withEnvironment("limits: { run: { reads: 5 } }") { tool in
      try await tool.run("export", "a", "-o", "a.jsonl").expectFailure(75, "'limits' of test")
    }
  }

  @Test("Where a bound keeps a copy from counting, it says no number of documents and reads.")
  func copies() async throws {
    try await withStores { tool in
      try await tool.load((1...9).map { documentLine("a/\($0)", 1) }, into: "stage")
      let copy = ["copy", "--from", "stage", "--to", "test", "-n"]
      let bound = try await tool.bare(copy + ["a", "--max-reads", "900"])
      for line in ["a: not counted", "in all an unknown number of documents", "an unknown number of reads"] {
        #expect(bound.errors.contains(line), "\(bound.errors)")
      }
      let both = try await tool.bare(copy + ["a", "a/*/sub", "--no-subcollections"])
      #expect(both.errors.contains("in all at least 9 documents; mode"), "\(both.errors)")
    }
  }

  @Test("A database has the limits of its environment, by whatever options it is named.")
  func limitsByOptions() async throws {
    try await withStore { tool, url in
      func configure(_ limits: String) throws {
        try tool.write(
          """
          project: p
          environments:
            prod: { database: prod, endpoint: "\(url)", protected: true, limits: { \(limits) } }
            stage: { database: stage, endpoint: "\(url)", limits: { \(limits) } }
            test: { database: test, endpoint: "\(url)", limits: { run: { reads: 1000 } } }
          """,
          to: "gymmigrate.yaml"
        )
      }
      try configure("run: { reads: 1000 }")
      for environment in ["prod", "stage"] {
        try await tool.load((1...10).map { documentLine("a/\($0)", 1) }, into: environment)
      }
      let export = ["export", "a", "-o", "a.jsonl"]
      for (limits, name) in [("run: { reads: 5 }", "limits"), ("day: { reads: 5 }", "limits: day")] {
        try configure(limits)
        for place in [["-e", "test"], ["--project", "p", "--endpoint", url]] {
          for database in ["prod", "stage"] {
            try await tool.bare(export + place + ["--database", database])
              .expectFailure(75, "'\(name)' of \(database) in gymmigrate.yaml")
          }
        }
      }
      try await tool.bare(["count", "a", "-e", "test"]).expect(0)
    }
  }

  @Test("'runs prune' keeps what a killed run was billed, with or without --yes.", arguments: [false, true])
  func prune(_ isUndone: Bool) async throws {
    try await withStores { tool in
      try tool.write(documentLine("a/1", 1), to: "a.jsonl")
      try await tool.bare(["import", "a.jsonl", "-e", "test", "--schema", "none"]).expect(0)
      let id = try tool.lastRun()
      let run = ".gymmigrate/runs/\(id)"
      // As a process that is killed leaves it.
      for file in ["\(run)/summary.json", ".gymmigrate/costs.jsonl"] {
        try FileManager.default.removeItem(atPath: tool.path(file))
      }
      let bill = try tool.text("\(run)/billed.json").replacing(/,"recorded":\{[^}]*\}/, with: "")
      try tool.write(bill, to: "\(run)/billed.json")
      if isUndone { try await tool.bare(["runs", "undo", id, "--yes", "-e", "test"]).expect(0) }
      for run in tool.runs() {
        let record = try tool.text("\(run)/run.json")
        let aged = record.replacing(#/"startedAt":"\d{4}/#, with: #""startedAt":"2020"#)
        try tool.write(aged, to: "\(run)/run.json")
      }
      func billed() async throws -> [String: Int] {
        let costs = try await tool.bare(["costs", "--since", "3000d", "--json"]).expect(0)
        let json = try JSONSerialization.jsonObject(with: Data(costs.standardOutput)) as? [String: Any]
        return try #require((json?["total"] as? [String: Any])?["billed"] as? [String: Int])
      }
      let before = try await billed()
      #expect(before["writes"] ?? 0 >= 1, "\(before)")
      for _ in 0..<2 {
        try await tool.bare(["runs", "prune", "--older-than", "90d"] + (isUndone ? [] : ["--yes"])).expect(0)
        #expect(!tool.exists(run))
        #expect(try await billed() == before)
      }
      let lines = try tool.text(".gymmigrate/costs.jsonl").split(separator: "\n")
      #expect(lines.count { $0.contains(#""runId":"\#(id)""#) } == 1, "\(lines)")
    }
  }

  @Test("What one process cannot keep is refused.")
  func refusals() async throws {
    try await withMini { tool, _ in
      try await tool.run("managed", "list", "--max-reads", "9").expectFailure(64, "Leave out --max-reads")
      try await tool.run("count", "a", "--max-reads", "few").expect(64)
    }
  }

  @Test("A managed export or import is not started where 'limits' or an option bounds the bill.")
  func managed() async throws {
    let service = ManagedService(other: MiniFirestore.environment("test").handler)
    try await withTool(against: service.handler) { tool, server in
      func configure(_ limits: String) throws {
        let test = "{ database: test, endpoint: \"\(server.url)\"\(limits) }"
        try tool.write("project: p\nenvironments:\n  test: \(test)\n", to: "gymmigrate.yaml")
      }
      for limits in ["run: { writes: 10 }", "day: { writes: 10 }", "run: { cost: 0.01 }"] {
        try configure(", limits: { \(limits) }")
        for words in [["export", "--all", "--to"], ["import", "--from"]] {
          try await tool.bare(["managed"] + words + ["gs://backups/a", "-e", "test"])
            .expectFailure(64, "'limits'")
        }
        try await tool.bare(["managed", "list", "-e", "test"]).expect(0)
      }
      try configure("")
      try await tool.bare([
        "managed", "import", "--from", "gs://backups/a", "-e", "test", "--max-writes", "10",
      ]).expectFailure(64, "--max-writes")
      #expect(service.starts == 0)
    }
  }
}
