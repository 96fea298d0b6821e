import Foundation
import TestSupport
import Testing

@Suite("Dated exports", .timeLimit(.minutes(60)))
struct ScheduledExportTests {
  @Test(
    "A night is a folder of its own, whole, with latest leading to it and one line of JSON about it."
  )
  func scheduledExport() async throws {
    try await withMini(.withSamples(ScheduledExportFixture.few)) { tool, _ in
      let result = try await tool.bare(ScheduledExportFixture.command + tool.place + ["--json"]).expect(0)
      let name = try #require(tool.exports.first)
      try await tool.expectWhole(name)
      #expect(tool.strangers == [])
      let summary = try result.summary()
      #expect(summary.collections.count == ScheduledExportFixture.few.count)
      #expect(summary.collections.allSatisfy { $0.file == "nightly/\(name)/\($0.name).jsonl" })
      #expect(summary.readTime != nil)
      // People's data are for their owner alone.
      let mode = try FileManager.default.attributesOfItem(atPath: tool.path("nightly/\(name)"))[
        .posixPermissions
      ]
      #expect(mode as? Int == 0o700)
      let log = try tool.text("\(tool.runs()[0])/operation.log")
      for text in try Samples.personal() where (log + result.errors + result.output).contains(text) {
        Issue.record("a log holds '\(text)'")
      }
      try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0)
      #expect(tool.exports.count == 2)
      #expect(try tool.latestNight() == tool.scheduledExport(1))
    }
  }

  @Test(
    "An export that was asked for in another way removes nothing of the others, and no variable says how many stay."
  )
  func series() async throws {
    try await withMini(.withSamples(["app_config", "products"])) { tool, _ in
      for _ in 0..<2 { try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0) }
      let whole = tool.exports
      #expect(whole.count == 2)
      let others: [[String]] = [
        ["products", "--limit", "1"], ["products"], ["--all", "--where", "stock == 0"],
        ["--all", "--fields", "name"],
        ["--all", "--no-subcollections"], ["--all", "--order-by", "name"], ["--all", "--format", "xlsx"],
      ]
      for other in others {
        let partial = ["export"] + other + ["-o", "nightly", "--dated", "--keep", "1"]
        try await tool.bare(partial + tool.place).expect(0)
        #expect(Set(tool.exports).isSuperset(of: whole), "\(other)")
      }
      var variable = tool
      variable.environment["GYMMIGRATE_KEEP"] = "1"
      try await variable.bare(ScheduledExportFixture.command + tool.place).expect(0)
      #expect(Set(tool.exports).isSuperset(of: whole))
      try await tool.bare(ScheduledExportFixture.command + ["--keep", "2"] + tool.place).expect(0)
      #expect(Set(tool.exports).isDisjoint(with: whole))
      // Of the whole ones the newest two; of the others all.
      #expect(tool.exports.count == others.count + 2)
      try await tool.bare(["export", "products", "-o", "p.csv", "--keep", "1"] + tool.place).expect(64)
    }
  }

  @Test("Increments stay as long as the whole export that they follow, whatever else is exported meanwhile.")
  func basesOfIncrements() async throws {
    try await withMini(.withSamples(["products"])) { tool, _ in
      try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0)
      try await tool.bare(ScheduledExportFixture.command + ["--since", "last"] + tool.place).expect(0)
      let series = tool.exports
      #expect(try tool.text("nightly/\(series[1])/manifest.json").contains("\"since\""))
      try await tool.bare(
        ScheduledExportFixture.command + ["--no-subcollections", "--keep", "1"] + tool.place
      ).expect(0)
      #expect(tool.exports.count == 3 && Set(tool.exports).isSuperset(of: series))
      try await tool.bare(ScheduledExportFixture.command + ["--keep", "1"] + tool.place).expect(0)
      #expect(tool.exports.count == 2 && Set(tool.exports).isDisjoint(with: series))
    }
  }

  @Test("Old exports go, and nothing else does.")
  func retention() async throws {
    let mini = try MiniFirestore.withSamples(["app_config"])
    try await withTool(against: mini.handler) { tool, server in
      let manager = FileManager.default
      try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0)
      let first = try tool.scheduledExport(0)
      // One with something of somebody's in it, one of another database, one without a manifest, a file, a link.
      try manager.copyItem(
        atPath: tool.path("nightly/\(first)"),
        toPath: tool.path("nightly/2020-01-01T000000Z")
      )
      try tool.write("mine", to: "nightly/2020-01-01T000000Z/note.txt")
      try manager.copyItem(
        atPath: tool.path("nightly/\(first)"),
        toPath: tool.path("nightly/2020-01-02T000000Z")
      )
      let manifest = try tool.text("nightly/\(first)/manifest.json")
      try tool.write(
        manifest.replacing("projects/test-project/", with: "projects/another/"),
        to: "nightly/2020-01-02T000000Z/manifest.json"
      )
      try manager.createDirectory(
        atPath: tool.path("nightly/2020-01-03T000000Z"),
        withIntermediateDirectories: false
      )
      try tool.write("x", to: "nightly/2020-01-04T000000Z")
      try manager.createSymbolicLink(
        atPath: tool.path("nightly/2020-01-05T000000Z"),
        withDestinationPath: first
      )
      try manager.copyItem(
        atPath: tool.path("nightly/\(first)"),
        toPath: tool.path("nightly/2020-01-06T000000Z")
      )
      try manager.copyItem(
        atPath: tool.path("nightly/\(first)"),
        toPath: tool.path("nightly/before-the-move")
      )

      let result = try await tool.bare(ScheduledExportFixture.command + tool.place + ["--keep", "2"])
      result.expect(0)
      let second = try tool.latestNight()
      #expect(
        tool.exports == [
          "2020-01-01T000000Z", "2020-01-02T000000Z", "2020-01-03T000000Z", "2020-01-04T000000Z",
          "2020-01-05T000000Z", first, second,
        ]
      )
      #expect(tool.exists("nightly/before-the-move/manifest.json"))
      #expect(result.errors.contains("nightly/2020-01-01T000000Z is old and stays"))

      try await tool.bare(ScheduledExportFixture.command + tool.place + ["--keep", "1"]).expect(0)
      #expect(tool.exports.last == (try tool.latestNight()))
      #expect(!tool.exports.contains(first) && !tool.exports.contains(second))
      #expect(try tool.text("nightly/2020-01-01T000000Z/note.txt") == "mine")
      #expect(tool.strangers == ["before-the-move"])
    }
  }

  @Test("Two at once: the second one says so and ends in 75; a killed one is in nobody's way.")
  func lock() async throws {
    let mini = try MiniFirestore.withSamples(ScheduledExportFixture.few)
    // The question for the moment comes before anything is made.
    let stall = Fault.custom { request, inner in
      request.target.contains("/_gymmigrate") ? inner(request) : .stall
    }
    let faults = mini.faults(FaultRule([.list, .runQuery], .always, stall), maximumConsecutive: .max)
    try await withTool(against: faults.handler) { tool, _ in
      faults.setOn(false)
      try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0)
      let yesterday = try tool.latestNight()
      faults.setOn(true)
      let running = try tool.startBare(ScheduledExportFixture.command + tool.place)
      // Only a request that has met the fault stalls: without one, the export would go on when the faults end.
      func isStalled() -> Bool { faults.played.contains { !$0.request.target.contains("/_gymmigrate") } }
      while tool.strangers.isEmpty || !isStalled() {
        try await Task.sleep(for: .milliseconds(5))
      }
      faults.setOn(false)
      let second = try await tool.bare(ScheduledExportFixture.command + tool.place)
      second.expectFailure(75, "nightly", "another export is writing there")
      #expect(second.errorLines.count == 1)
      running.send(SIGKILL)
      _ = await running.wait()
      #expect(!tool.strangers.isEmpty, "the killed one left what it had")
      try await tool.expectWhole(yesterday)
      try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0)
      #expect(tool.strangers == [])
      #expect(tool.exports.count == 2)
    }
  }

  @Test("A place that cannot be taken is found out before anything is asked.")
  func noPlace() async throws {
    let mini = try MiniFirestore.withSamples(["app_config"])
    try await withTool(against: mini.handler) { tool, server in
      try tool.write("x", to: "file")
      try await tool.bare(["export", "--all", "-o", "file", "--dated"] + tool.place).expectFailure(73, "file")
      try await tool.bare(["export", "--all", "-o", "no/such", "--dated"] + tool.place).expectFailure(
        73,
        "no/such"
      )
      try tool.createFolder("taken/latest")
      try await tool.bare(["export", "--all", "-o", "taken", "--dated"] + tool.place)
        .expectFailure(73, "taken/latest")
      for wrong in [
        ["-o", "exports.csv", "--dated"], ["-o", "-", "--dated"], ["-o", "n", "--dated", "--keep", "0"],
        ["-o", "n", "--format", "jsonl", "--since", "last"], ["-o", "n", "--dated", "--since", "yesterday"],
        ["-o", "n", "--format", "jsonl", "--since", "2026-01-01T00:00:00Z", "--subcollections"],
        ["-o", "n", "--dated", "--since", "last", "--limit", "3"],
      ] {
        let result = try await tool.bare(["export", "--all"] + wrong + tool.place)
        #expect(result.exitCode == 64, "\(wrong): \(result.errors)")
      }
      #expect(server.requests.isEmpty)
    }
  }

  // MARK: Increments

  private static func user(_ id: String, _ fields: String) -> String {
    "{\"fields\":{\(fields)},\"name\":\"users/\(id)\"}\n"
  }

  private static func updated(_ secondsAgo: Double) -> String {
    let text = Date(timeIntervalSinceNow: -secondsAgo).ISO8601Format()
    return "\"updatedAt\":{\"timestampValue\":\"\(text)\"}"
  }

  @Test("--since last exports what is new, says what it cannot see, and moves on only when all went well.")
  func increments() async throws {
    let mini = MiniFirestore()
    try mini.load(
      jsonLines: Self.user("old", Self.updated(7200)) + Self.user("recent", Self.updated(60))
        + Self.user("undated", "\"n\":{\"integerValue\":\"1\"}")
        + "{\"fields\":{},\"name\":\"user_emails/a@b.mx\"}\n"
    )
    let faults = mini.faults(
      FaultRule([.runQuery], .always, .error(.permissionDenied)),
      maximumConsecutive: .max
    )
    faults.setOn(false)
    let increment = ScheduledExportFixture.command + ["--since", "last"]
    try await withTool(against: faults.handler) { tool, _ in
      func names(_ file: String) throws -> [String] {
        try tool.text("nightly/latest/\(file).jsonl").split(separator: "\n").map {
          let json = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
          return try #require(json?["name"] as? String)
        }
      }
      // The first one has no mark and is whole.
      try await tool.bare(increment + tool.place).expect(0)
      #expect(try names("users") == ["users/old", "users/recent", "users/undated"])
      #expect(try !tool.text("nightly/latest/manifest.json").contains("since"))
      let whole = try tool.latestNight()

      try mini.put("users/new", fields: "{\(Self.updated(0))}")
      let second = try await tool.bare(increment + tool.place).expect(0)
      // `recent` lies in the overlap of ten minutes.
      #expect(try names("users") == ["users/recent", "users/new"])
      #expect(try names("user_emails") == ["user_emails/a@b.mx"])
      #expect(second.errors.contains("users: 1 document without "))
      #expect(try tool.text("nightly/latest/manifest.json").contains("\"since\""))
      try await tool.bare(["export", "verify", "nightly"]).expect(0)

      // By itself it is no database; behind the whole one it adds to it.
      for (names, isSaid) in [(["nightly/latest"], true), (["nightly/\(whole)", "nightly/latest"], false)] {
        let planned = try await tool.bare(["import", "-n", "-e", "local", "--duplicates", "last"] + names)
        #expect(planned.errors.contains("is an increment, which lacks") == isSaid, "\(planned.errors)")
      }

      let marks = try tool.text("nightly/.high-water-mark.json")
      faults.setOn(true)
      try await tool.bare(increment + tool.place).expect(77)
      faults.setOn(false)
      #expect(try tool.text("nightly/.high-water-mark.json") == marks)

      // An increment is no whole export: it takes nobody's place, and stays as long as the one that it adds to.
      try await tool.bare(increment + tool.place + ["--keep", "1"]).expect(0)
      #expect(tool.exports.count == 3 && tool.exports.contains(whole))
      // A damaged mark is no reason to leave documents out, and the next increment has marks again.
      try tool.write("{\"marks\":[{}]}", to: "nightly/.high-water-mark.json")
      for isDamaged in [true, false] {
        let export = try await tool.bare(increment + tool.place).expect(0)
        #expect(export.errors.contains("Everything is exported") == isDamaged, "\(export.errors)")
        #expect(try tool.text("nightly/latest/manifest.json").contains("\"since\"") == !isDamaged)
      }
      // The next whole one lets the old one and its increments go.
      try await tool.bare(ScheduledExportFixture.command + ["--keep", "1"] + tool.place).expect(0)
      #expect(tool.exports == [try tool.latestNight()])
    }
  }

  @Test("export prune says why each stays, and removes the others; so does an export with the same options.")
  func pruning() async throws {
    try await withMini(.withSamples(["products"])) { tool, _ in
      try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0)
      let newest = try #require(tool.exports.first)
      // Nights of long ago, each a copy of it.
      let nights = ["2020-01-01", "2020-01-30", "2020-01-31", "2020-02-01", "2020-02-02"].map {
        "\($0)T020000Z"
      }
      for night in nights {
        try FileManager.default.copyItem(
          atPath: tool.path("nightly/\(newest)"),
          toPath: tool.path("nightly/\(night)")
        )
      }
      let policy = ["--keep-monthly", "3", "--keep-daily", "2"]
      let plan = try await tool.bare(["export", "prune", "nightly"] + policy + ["-n"]).expect(0)
      let states = [
        "would be removed", "would be removed", "monthly", "would be removed", "daily, monthly",
        "daily, monthly",
      ]
      let lines = zip(nights + [newest], states).map { "\($0)\t\($1)" }
      #expect(plan.output == lines.joined(separator: "\n") + "\n")
      #expect(tool.exports.count == 6)
      try await tool.bare(["export", "prune", "nightly"] + policy).expect(0)
      #expect(tool.exports == [nights[2], nights[4], newest])
      let export = ScheduledExportFixture.command + ["--keep-yearly", "1", "--keep-within", "1h"]
      try await tool.bare(export + tool.place).expect(0)
      #expect(tool.exports.count == 2 && tool.exports.contains(newest))
      try await tool.bare(["export", "prune", "nightly"]).expect(64)
      try await tool.bare(["export", "prune", "none", "--keep", "1"]).expect(66)
      #expect(!FileManager.default.fileExists(atPath: tool.path("none")))
    }
  }

  // MARK: Verifying

  @Test("export verify finds every way in which a file can be another one.")
  func verifying() async throws {
    try await withMini(.withSamples(ScheduledExportFixture.few)) { tool, _ in
      func verify(_ folder: String = "out") async throws -> RunResult {
        try await tool.bare(["export", "verify", folder])
      }
      try await tool.run("export", "--all", "-o", "out/", "--format", "jsonl", "--gzip").expect(0)
      try await tool.run("export", "users", "products", "-o", "csv/", "--format", "csv").expect(0)
      try await tool.run("export", "users", "products", "-o", "xlsx/", "--format", "xlsx").expect(0)
      for folder in ["out", "csv", "xlsx"] {
        let result = try await verify(folder)
        result.expect(0)
        #expect(result.output.split(separator: "\n").allSatisfy { $0.hasSuffix("\tok") })
      }
      let users = URL(fileURLWithPath: tool.path("csv/users.csv"))
      let good = try Data(contentsOf: users)
      var bad = good
      bad[100] ^= 1
      try bad.write(to: users)
      var result = try await verify("csv")
      result.expect(1)
      #expect(result.output.contains("csv/users.csv\tits SHA-256 differs\n"))
      #expect(result.output.contains("csv/products.csv\tok\n"))
      try good.dropLast(200).write(to: users)
      result = try await verify("csv")
      result.expect(1)
      #expect(
        result.output.contains("csv/users.csv\tit has \(good.count - 200) bytes, and \(good.count) in the")
      )
      try FileManager.default.removeItem(at: users)
      result = try await verify("csv/")
      result.expect(1)
      #expect(result.output.contains("csv/users.csv\tit is missing\n"))
      try good.write(to: users)
      try await verify("csv").expect(0)
      let manifest = try tool.text("out/manifest.json")
      try tool.write(
        manifest.replacing("\"documents\":20,", with: "\"documents\":21,"),
        to: "out/manifest.json"
      )
      result = try await tool.bare(["export-verify", "out", "--json"])
      result.expect(1)
      let json = try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [String: Any]
      #expect(json?["status"] as? String == "differences")
      #expect(result.output.contains("it holds 20 documents, and 21 in the manifest"))
      try tool.write(
        manifest.replacing("\"users.jsonl.gz\"", with: "\"../users.jsonl.gz\""),
        to: "out/manifest.json"
      )
      try await verify().expectFailure(65, "out")
      try tool.write("{", to: "out/manifest.json")
      try await verify().expectFailure(65, "out/manifest.json")
      try await verify("nowhere").expectFailure(66, "nowhere")
    }
  }

  @Test("A collection that is called verify can still be exported.")
  func collectionCalledVerify() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: "{\"fields\":{},\"name\":\"verify/v1\"}\n")
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.bare(["export", "-o", "v.jsonl", "verify"] + tool.place).expect(0)
      #expect(try tool.text("v.jsonl").contains("\"verify/v1\""))
    }
  }
}
