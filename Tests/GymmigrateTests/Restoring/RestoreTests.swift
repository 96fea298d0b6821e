import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("Restoring", .timeLimit(.minutes(60)))
struct RestoreTests {
  private static let unguarded = ["--max-delete", "100000"]

  /// A database after an accident, how it was, and the moment before.
  private struct Accident {
    let mini: MiniFirestore
    let before: [MiniDocument]
    let moment: String

    /// Random documents.
    init(seed: UInt64, count: Int) throws {
      var options = MiniFirestore.Options()
      options.seed = seed
      let mini = MiniFirestore(options)
      var random = RandomDatabase(seed: seed, database: DatabaseName(project: "test-project"))
      let lines = (0..<count).map { _ in JSONWriter.bytes { $0.document(random.next(), times: false) } }
      try mini.load(jsonLines: lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n"))
      try self.init(mini)
    }

    init(_ mini: MiniFirestore) throws {
      self.mini = mini
      before = mini.snapshot()
      moment = try #require(before.map(\.updateTime).max())
    }

    /// Deletions, overwrites, insertions, renamed fields and whole collections, at random.
    func happen(_ count: Int, seed: UInt64) throws {
      var random = SplitMix64(seed: seed)
      for number in 0..<count {
        let some = try #require(before.randomElement(using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: mini.remove(some.name)
        case 1: try mini.put(some.name, fields: #"{"n":{"integerValue":"\#(number)"}}"#)
        case 2: try mini.merge(some.name, fields: #"{"added":{"doubleValue":1}}"#)
        case 3:
          let other = try #require(before.randomElement(using: &random))
          try mini.put(some.name, fields: other.fieldsJSON)
        case 4:
          // Below a document that is there, and below one that is missing.
          try mini.put("\(some.name)/new/\(number)", fields: "{}")
          try mini.put("new/\(number)/missing/\(number)", fields: some.fieldsJSON)
        default:
          let collection = some.name.split(separator: "/").dropLast().joined(separator: "/") + "/"
          let gone = mini.snapshot().filter { $0.name.hasPrefix(collection) }
          if gone.count < 20 { for document in gone { mini.remove(document.name) } }
        }
      }
    }
  }

  // MARK: The whole

  @Test(
    "After random accidents, a restore to the moment or from an export makes everything as it was, and its undo the accident.",
    arguments: Settings.seeds(2)
  )
  func random(_ seed: UInt64) async throws {
    let accident = try Accident(seed: seed, count: 150)
    let mini = accident.mini
    let faults = mini.faults(
      FaultRule(
        [.list, .batchGet, .runQuery, .listCollectionIds],
        .percent(20),
        oneOf: [.error(.unavailable), .drop, .halfBody(0.5), .html(500)]
      ),
      FaultRule([.commit], .percent(20), oneOf: [.error(.aborted), .dropAfterApplying, .drop]),
      seed: seed
    )
    try await withTool(against: faults.handler) { tool, _ in
      try await tool.run("export", "--all", "-o", "back/", "--format", "jsonl", "--gzip").expect(0)
      try accident.happen(40, seed: seed)
      let after = mini.snapshot()
      for wanted in [
        ["--at", accident.moment], ["--from", "back"], ["--at", accident.moment, "--parallel", "4"],
      ] {
        let command = ["restore", "--all"] + wanted + tool.place
        try await tool.bare(command + ["-n"]).expect(0)
        #expect(mini.snapshot() == after, "seed \(seed)")
        try await tool.bare(command + Self.unguarded + ["--batch-size", "7"]).expect(0)
        #expect(mini.snapshot() == accident.before, "seed \(seed), \(wanted)")
        try await tool.run("runs", "undo", "last").expect(0)
        #expect(mini.snapshot() == after, "seed \(seed), \(wanted)")
      }
      // The plan as a file is the same.
      try await tool.run("restore", "--all", "--at", accident.moment, "-n", "-o", "plan.jsonl").expect(0)
      try await tool.bare(["migrate", "apply", "--plan", "plan.jsonl"] + Self.unguarded + tool.place).expect(
        0
      )
      #expect(mini.snapshot() == accident.before, "seed \(seed)")
    }
  }

  @Test(
    "A restore that is killed while it plans or at any commit is resumed to the same end, and can be undone.",
    arguments: [KillSwitch.Point.request(6)]
      + [2, 4, 6].flatMap { number in KillSwitch.Point.Timing.allCases.map { .commit(number, $0) } }
  )
  func killed(_ point: KillSwitch.Point) async throws {
    let accident = try Accident(seed: 3, count: 60)
    try accident.happen(25, seed: 7)
    let (mini, after) = (accident.mini, accident.mini.snapshot())
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, _ in
      func run(_ arguments: [String], until point: KillSwitch.Point = .never) async throws -> RunResult {
        try await kill.run(until: point) { try tool.startBare(arguments) }
      }
      let options = ["--batch-size", "3", "--in-flight", "2"] + Self.unguarded + tool.place
      let first = try await run(["restore", "--all", "--at", accident.moment] + options, until: point)
      try #require(first.signal == SIGKILL)
      let second = try await run(["runs", "resume", "last", "--json"])
      second.expect(0)
      #expect(try second.summary().totals.balance)
      #expect(mini.snapshot() == accident.before)
      #expect(mini.everything().contains { $0.name.hasPrefix("_gymmigrate_times/") })
      try await run(["runs", "undo", "last"] + tool.place).expect(0)
      #expect(mini.snapshot() == after)
    }
  }

  @Test("What somebody else writes after the plan was made is left alone, listed, and the end is 2.")
  func otherWriter() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (1...6).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"))
    let accident = try Accident(mini)
    for number in 1...3 { try mini.put("a/\(number)", fields: #"{"n":{"integerValue":"0"}}"#) }
    mini.remove("a/4")
    try mini.put("a/new", fields: "{}")
    mini.setBeforeCommit { number, _ in
      if number > 0 { return }
      try? mini.put("a/1", fields: #"{"theirs":{"nullValue":null}}"#)
      try? mini.put("a/4", fields: #"{"theirs":{"nullValue":null}}"#)
      try? mini.put("a/new", fields: #"{"theirs":{"nullValue":null}}"#)
    }
    try await withTool(against: mini.handler) { tool, _ in
      let result = try await tool.bare(
        ["restore", "a", "--at", accident.moment, "--json"] + Self.unguarded + tool.place
      ).expect(2)
      let report = try Self.report(result)
      #expect(report["conflicts"] == 3 && report["updates"] == 2 && report["creates"] == 0)
      let theirs = mini.snapshot().filter { $0.fieldsJSON.contains("theirs") }.map(\.name)
      #expect(theirs == ["a/1", "a/4", "a/new"])
      #expect(
        accident.before.filter { !theirs.contains($0.name) }
          == mini.snapshot().filter { !theirs.contains($0.name) }
      )
      let rejects = try tool.text("\(try #require(tool.runs().last))/rejects.jsonl")
      #expect(theirs.allSatisfy { rejects.contains("\"\($0)\"") } && rejects.contains("conflict"))
    }
  }

  /// The numbers of the summary's section.
  private static func report(_ result: RunResult) throws -> [String: Int] {
    let json = try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [String: Any]
    let section = try #require(json?["restore"] as? [String: Any])
    return section.compactMapValues { $0 as? Int }
  }

  // MARK: What is left alone

  @Test("Paths, kinds, filters and what was changed since narrow a restore down.")
  func narrowed() async throws {
    let mini = MiniFirestore()
    let names = ["a/1", "a/1/s/x", "a/2", "a/3", "a/10", "b/1"]
    try mini.load(jsonLines: names.map { documentLine($0, 1) }.joined(separator: "\n"))
    let accident = try Accident(mini)
    func spoil() throws {
      for name in ["a/1", "a/1/s/x", "a/10", "b/1"] {
        try mini.put(name, fields: #"{"n":{"integerValue":"2"}}"#)
      }
      mini.remove("a/2")
      try mini.put("a/new", fields: #"{"n":{"integerValue":"3"}}"#)
    }
    try spoil()
    let late = try #require(mini.document("a/new")).updateTime
    try mini.put("a/3", fields: #"{"n":{"integerValue":"2"}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      func changed(_ options: String...) async throws -> [String] {
        try await tool.bare(
          ["restore", "--at", accident.moment, "-n", "-o", "plan.jsonl"] + options + tool.place
        ).expect(0)
        let lines = try tool.text("plan.jsonl").split(separator: "\n").dropLast()
        return try lines.map { line in
          let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
          return json?["path"] as? String ?? ""
        }
      }
      #expect(try await changed("a/1", "a/2") == ["a/1", "a/1/s/x", "a/2"])
      #expect(try await changed("a/1", "--no-subcollections") == ["a/1"])
      #expect(try await changed("a/*/s") == ["a/1/s/x"])
      #expect(try await changed("b", "a/10") == ["a/10", "b/1"])
      #expect(try await changed("a", "--only", "deleted") == ["a/2"])
      #expect(try await changed("a", "--only", "created") == ["a/new"])
      #expect(try await changed("a", "--only", "created", "--only", "deleted") == ["a/2", "a/new"])
      #expect(try await changed("a", "--where", "n == 2") == ["a/1", "a/10", "a/3"])
      #expect(try await changed("a", "--where", "n == 3") == ["a/new"])
      #expect(
        try await changed("a", "--keep-changed-since", late) == ["a/1", "a/1/s/x", "a/10", "a/2", "a/new"]
      )

      let kept = try await tool.bare(
        ["restore", "--all", "--at", accident.moment, "--keep-changed-since", late, "--json"] + Self.unguarded
          + tool.place
      ).expect(0)
      let numbers = try Self.report(kept)
      #expect(numbers["kept"] == 1 && numbers["writtenSince"] == 6)
      let findings = try tool.text("\(try #require(tool.runs().last))/findings.csv")
      #expect(findings.contains(#""a/3","restore","kept""#))
      #expect(mini.snapshot().filter { $0.name != "a/3" } == accident.before.filter { $0.name != "a/3" })
      let text = try await tool.run("restore", "a", "--at", accident.moment, "-n").output
      #expect(
        text.hasPrefix("Since \(accident.moment): ")
          && text.contains("\na: 0 to create, 1 to update, 0 to delete\n")
          && text.contains("\n  ~ a/3\n")
      )
      let done = try await tool.run("restore", "a", "--at", accident.moment).expect(0)
      #expect((done.errors + done.output).components(separatedBy: "Since ").count == 2, "\(done.errors)")
    }
  }

  @Test("A document with subcollections that the restore does not decide on is not deleted.")
  func shallow() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: documentLine("a/1", 1))
    let accident = try Accident(mini)
    try mini.put("a/new", fields: "{}")
    try mini.put("a/new/s/1", fields: "{}")
    try await withTool(against: mini.handler) { tool, _ in
      let command = ["restore", "a", "--at", accident.moment] + Self.unguarded + tool.place
      try await tool.bare(command + ["--no-subcollections"]).expect(2)
      #expect(mini.document("a/new") != nil)
      try await tool.bare(command).expect(0)
      #expect(mini.snapshot() == accident.before)
    }
  }

  // MARK: Files

  @Test("An increment lies over its whole export; what it cannot know is as it is.")
  func increments() async throws {
    let mini = MiniFirestore()
    let dated = #","updatedAt":{"timestampValue":"2026-01-01T00:00:00Z"}"#
    try mini.load(jsonLines: (1...4).map { documentLine("a/\($0)", $0, dated) }.joined(separator: "\n"))
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("export", "--all", "-o", "n", "--dated").expect(0)
      func put(_ name: String, _ number: Int, isDated: Bool) throws {
        let time = #","updatedAt":{"timestampValue":"2125-01-01T00:00:00Z"}"#
        try mini.put(name, fields: #"{"n":{"integerValue":"\#(number)"}\#(isDated ? time : "")}"#)
      }
      try put("a/1", 11, isDated: true)
      try put("a/5", 5, isDated: true)
      // In no increment.
      try put("a/2", 12, isDated: false)
      try put("a/6", 6, isDated: false)
      try await tool.run("export", "--all", "-o", "n", "--dated", "--since", "last").expect(0)
      let folders = tool.names(in: "n").filter { $0.hasPrefix("2") }.map { "n/\($0)" }
      try #require(folders.count == 2)
      let wanted = mini.snapshot()
      try put("a/1", 0, isDated: true)
      try put("a/2", 0, isDated: false)
      mini.remove("a/5")
      try put("a/7", 7, isDated: false)
      let from = ["--from", folders[0], "--from", folders[1]] + Self.unguarded + tool.place
      try await tool.bare(["restore", "--all"] + from).expect(0)
      // What was written after the increment without a time, and before it too, is as the whole export has it.
      #expect(mini.snapshot().filter { $0.name != "a/2" } == wanted.filter { $0.name != "a/2" })
      #expect(mini.document("a/2")?.fieldsJSON.contains(#""integerValue":"2""#) ?? false)

      for wrong in [[folders[1], folders[0]], [folders[0], folders[0]]] {
        let sources = wrong.flatMap { ["--from", $0] }
        try await tool.bare(["restore", "--all", "-n"] + sources + tool.place).expect(64)
      }
      try await tool.run("restore", "--all", "-n", "--from", folders[1])
        .expectFailure(77, "it is an increment", "Name the whole export and the increments since")
    }
  }

  @Test(
    "An increment in which every collection is whole says what was there, and its whole export what was below."
  )
  func wholeIncrement() async throws {
    let mini = MiniFirestore()
    let names = ["a/1", "a/2", "a/2/below/x", "b/1"]
    try mini.load(jsonLines: names.map { documentLine($0, 1) }.joined(separator: "\n"))
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("export", "--all", "--subcollections", "-o", "n", "--dated").expect(0)
      mini.remove("a/1")
      mini.remove("b/1")
      try mini.put("a/3", fields: #"{"n":{"integerValue":"3"}}"#)
      try await tool.run("export", "--all", "-o", "n", "--dated", "--since", "last").expect(0)
      let folders = tool.names(in: "n").filter { $0.hasPrefix("2") }.map { "n/\($0)" }
      try #require(folders.count == 2)
      #expect(try !tool.text("\(folders[1])/manifest.json").contains("since"))
      let wanted = mini.snapshot()
      for name in ["a/1", "a/4", "b/1", "c/1"] { try mini.put(name, fields: "{}") }
      for name in ["a/2", "a/2/below/x", "a/3"] { mini.remove(name) }
      let from = ["--from", folders[0], "--from", folders[1]] + Self.unguarded + tool.place
      try await tool.bare(["restore", "--all"] + from).expect(0)
      #expect(mini.snapshot() == wanted)
    }
  }

  @Test(
    "A part of an export never deletes or removes what it cannot know, and is refused without --scope partial."
  )
  func partial() async throws {
    let mini = MiniFirestore()
    let more = #","m":{"integerValue":"1"}"#
    try mini.load(jsonLines: ["a/1", "a/2", "b/1"].map { documentLine($0, 1, more) }.joined(separator: "\n"))
    try await withTool(against: mini.handler) { tool, _ in
      let exports: [(name: String, options: [String])] = [
        ("fields", ["--all", "--fields", "n"]), ("filter", ["a", "--where", "n == 1"]),
        ("limit", ["a", "--limit", "1"]), ("some", ["a", "--subcollections"]),
      ]
      for export in exports {
        try await tool.bare(
          ["export", "-o", "\(export.name)/", "--format", "jsonl"] + export.options + tool.place
        ).expect(0)
      }
      let changed = #"{"m":{"integerValue":"2"},"n":{"integerValue":"2"},"o":{"nullValue":null}}"#
      func spoil() throws {
        for name in ["a/1", "b/1", "a/new", "b/new"] { try mini.put(name, fields: changed) }
        mini.remove("a/2")
      }
      func restored(_ name: String) async throws -> [String: String] {
        try spoil()
        let command = ["restore", "--all", "--from", name] + Self.unguarded + tool.place
        let commits = mini.requestCount(.commit)
        try await tool.bare(command).expect(77)
        #expect(mini.requestCount(.commit) == commits)
        try await tool.bare(command + ["--scope", "partial"]).expect(0)
        return Dictionary(uniqueKeysWithValues: mini.snapshot().map { ($0.name, $0.fieldsJSON) })
      }
      let whole = #"{"m":{"integerValue":"1"},"n":{"integerValue":"1"}}"#
      let fields = try await restored("fields")
      #expect(fields["a/1"] == #"{"m":{"integerValue":"2"},"n":{"integerValue":"1"},"o":{"nullValue":null}}"#)
      #expect(fields["b/1"] == fields["a/1"] && fields["a/2"] == #"{"n":{"integerValue":"1"}}"#)
      let filter = try await restored("filter")
      #expect(filter["a/1"] == whole && filter["a/2"] == whole && filter["a/new"] == changed)
      #expect(filter["b/1"] == changed)
      let limit = try await restored("limit")
      #expect(limit["a/1"] == whole && limit["a/2"] == nil && limit["a/new"] == changed)
      let some = try await restored("some")
      #expect(some["a/1"] == whole && some["a/2"] == whole && some["a/new"] == nil)
      #expect(some["b/1"] == changed && some["b/new"] == changed)
    }
  }

  @Test("An export of a database without documents is one, and restores that there are none.")
  func nothing() async throws {
    try await withMini { tool, mini in
      try await tool.run("export", "--all", "-o", "none", "--format", "jsonl").expect(0)
      try await tool.run("import", "none").expect(0)
      try mini.put("a/1", fields: "{}")
      try await tool.run("restore", "--all", "--from", "none", "--max-delete", "1", "--yes").expect(0)
      #expect(!mini.snapshot().contains { $0.name == "a/1" })
      // What lies beside its manifest is refused, and never passed over.
      try tool.write(#"{"name":"b/1","fields":{}}"# + "\n", to: "none/more.jsonl")
      let restore = ["restore", "--all", "--from", "none", "--max-delete", "1", "--yes"]
      for command in [["import", "none"], restore] {
        try await tool.bare(command + tool.place).expectFailure(65, "none", "more.jsonl")
      }
      #expect(!mini.snapshot().contains { $0.name == "b/1" })
    }
  }

  @Test("A file of some fields, which does not say so, takes no others away.", arguments: [nil, "partial"])
  func someFields(_ scope: String?) async throws {
    let mini = MiniFirestore()
    try mini.put("a/1", fields: #"{"n":{"integerValue":"1"},"m":{"stringValue":"kept"}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      let export = ["export", "a", "--fields", "n"] + tool.place
      try await tool.bare(export + ["-o", "a.jsonl"]).expect(0)
      try await tool.bare(export + ["-o", "a", "--format", "managed"])
        .expectFailure(64, "A managed export has whole documents")
      let before = mini.lines()["a/1"]
      try mini.merge("a/1", fields: #"{"n":{"integerValue":"2"}}"#)
      try tool.write(try tool.text("a.jsonl"), to: "folder/a.jsonl")
      let source = scope.map { ["folder", "--scope", $0] } ?? ["a.jsonl"]
      try await tool.bare(["restore", "a", "--from"] + source + tool.place).expect(0)
      #expect(mini.lines()["a/1"] == before)
      let findings = try tool.text("\(try #require(tool.runs().last))/findings.csv")
      #expect(findings.contains("not-known"), "\(findings)")
    }
  }

  @Test("A managed export puts back what it has, deletes nothing, and is of one database.")
  func managed() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (1...3).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"))
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("export", "--all", "-o", "google", "--format", "managed").expect(0)
      let before = mini.lines().filter { $0.key.hasPrefix("a/") }
      try mini.put("a/1", fields: "{}")
      try mini.put("a/new", fields: "{}")
      let command = ["restore", "--all", "--from", "google"]
      try await tool.bare(command + tool.place).expect(77)
      let elsewhere = ["--project", "elsewhere", "--endpoint", tool.place.last ?? "", "--schema", "none"]
      let other = try await tool.bare(command + elsewhere + ["--scope", "partial", "-n"])
      other.expectFailure(77, "it is an export of projects/test-project")
      #expect(mini.requestCount(.commit) == 0)
      try await tool.bare(command + tool.place + ["--scope", "partial"]).expect(0)
      var after = mini.lines().filter { $0.key.hasPrefix("a/") }
      #expect(after.removeValue(forKey: "a/new") != nil && after == before)
    }
  }

  @Test("What cannot be restored is refused with one sentence, and nothing is written.")
  func refused() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (1...5).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"))
    let accident = try Accident(mini)
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("export", "--all", "-o", "back", "--format", "jsonl").expect(0)
      try await tool.run("export", "--all", "-o", "torn", "--format", "jsonl").expect(0)
      for _ in 1...2 { try await tool.run("export", "--all", "-o", "dated", "--dated").expect(0) }
      try await tool.run("export", "--all", "-o", "single", "--dated").expect(0)
      let text = try tool.text("torn/a.jsonl")
      try tool.write(String(text.dropLast(text.split(separator: "\n").last?.count ?? 0)), to: "torn/a.jsonl")
      try mini.put("a/6", fields: "{}")
      try mini.put("a/7", fields: "{}")
      let spoilt = mini.snapshot()
      let here = ["--schema", "none", "--endpoint", tool.place.last ?? ""]
      let elsewhere = here + ["--project", "elsewhere", "--database", "(default)", "-n"]
      try tool.configure(prod: tool.place.last ?? "", others: tool.place.last ?? "")
      for (code, words, options) in [
        (64, "it is in the future", ["--at", "2199-01-01T00:00:00Z"] + tool.place),
        (66, "The earliest moment that works is", ["--at", "2020-01-01T00:00:00Z"] + tool.place),
        (64, "give a time as 2026-", ["--at", "soon"] + tool.place),
        (65, "torn/a.jsonl", ["--from", "torn"] + tool.place),
        (66, "nowhere", ["--from", "nowhere"] + tool.place),
        (64, "it holds 2 exports", ["--from", "dated"] + tool.place),
        (64, "it holds 1 export.", ["--from", "single"] + tool.place),
        (64, "is an environment: 'copy'", ["--from", "stage@2026-01-01T00:00:00Z"] + tool.place),
        (77, "it is an export of projects/test-project", ["--from", "back"] + elsewhere),
        (77, "it is protected", ["--from", "back", "-e", "prod"]),
        (77, "it deletes 2 documents", ["--at", accident.moment, "--max-delete", "1"] + tool.place),
        (77, "no maximum was given", ["--at", accident.moment] + tool.place),
      ] as [(Int32, String, [String])] {
        try await tool.bare(["restore", "--all"] + options).expectFailure(code, words)
        #expect(mini.requestCount(.commit) == 0 && mini.snapshot() == spoilt, "\(options)")
      }
      try await tool.bare(["restore", "--all", "--from", "back"] + Self.unguarded + tool.place).expect(0)
      #expect(mini.snapshot() == accident.before)
    }
  }

  @Test("A window that closes while it is read ends the restore before anything is written.")
  func closedWindow() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (1...900).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"))
    let accident = try Accident(mini)
    for number in 1...3 { mini.remove("a/\(number)") }
    let spoilt = mini.snapshot()
    let old = Fault.error(ServiceError(400, "FAILED_PRECONDITION", "The requested read_time is too old."))
    for request in [4, 6] {
      let faults = mini.faults(FaultRule([.runQuery, .list], .number(request), old))
      try await withTool(against: faults.handler) { tool, _ in
        let result = try await tool.bare(
          ["restore", "a", "--at", accident.moment] + Self.unguarded + tool.place
        )
        result.expectFailure(69, "is no longer readable", "nothing was written")
        #expect(!result.errors.contains("To resume"))
        #expect(mini.requestCount(.commit) == 0 && mini.snapshot() == spoilt)
      }
    }
  }

  @Test(
    "What is below the documents of a mirror is restored with them, unless it is to be left out",
    arguments: [
      (["--all"], true), (["c"], true), (["c/a", "c/b"], true), (["--all", "--no-subcollections"], false),
      (["c", "--no-subcollections"], false),
    ]
  )
  func belowMirror(what: [String], isDeep: Bool) async throws {
    let mini = MiniFirestore()
    for path in ["c/a", "c/a/s/k", "c/b"] { try mini.put(path, fields: #"{"n":{"integerValue":"1"}}"#) }
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("mirror", "pull", "-o", "m.sqlite").expect(0)
      for path in ["c/a", "c/a/s/k", "c/b/t/new"] {
        try mini.put(path, fields: #"{"n":{"integerValue":"2"}}"#)
      }
      try await tool.bare(["restore"] + what + ["--from", "mirror:m.sqlite"] + Self.unguarded + tool.place)
        .expect(0)
      func number(_ path: String) throws -> String { try #require(mini.document(path)).fieldsJSON }
      #expect(try number("c/a") == #"{"n":{"integerValue":"1"}}"#)
      #expect(try number("c/a/s/k") == #"{"n":{"integerValue":"\#(isDeep ? 1 : 2)"}}"#)
      // A pull may read the changes of c alone, and then knows no subcollection that it has not met.
      #expect(mini.document("c/b/t/new") != nil)
      let findings = "\(try #require(tool.runs().last))/findings.csv"
      let isListed =
        try tool.exists(findings) && tool.text(findings).contains(#""c/b/t/new","restore","not-known""#)
      #expect(isListed == isDeep)
    }
  }

  @Test(
    "A plan promises no deletion of a document that has subcollections and is restored without them.",
    arguments: [["--from", "shallow"], ["--from", "all", "--no-subcollections"]]
  )
  func shallowPlan(_ what: [String]) async throws {
    let mini = MiniFirestore()
    try mini.put("u/1", fields: "{}")
    try await withTool(against: mini.handler) { tool, _ in
      let export = ["export", "--all", "--format", "jsonl"] + tool.place
      try await tool.bare(export + ["--no-subcollections", "-o", "shallow/"]).expect(0)
      try await tool.bare(export + ["-o", "all/"]).expect(0)
      try mini.put("u/2", fields: "{}")
      try mini.put("u/2/s/5", fields: "{}")
      let restore = ["restore", "--all"] + what + tool.place
      let plan = try await tool.bare(restore + ["-n"])
      plan.expect(2)
      #expect(plan.output.contains("Nothing to restore besides what is left alone."), "\(plan.output)")
      let rejects = try tool.text("\(try #require(tool.runs().last))/rejects.jsonl")
      #expect(rejects.contains("has-subcollections"))
      let result = try await tool.bare(restore + Self.unguarded)
      result.expect(2)
      #expect(result.output.contains("Nothing to restore besides what is left alone."), "\(result.output)")
      #expect(mini.document("u/2") != nil)
      try mini.put("u/3", fields: "{}")
      #expect(
        try await tool.bare(restore + ["-n"]).output.contains("u: 0 to create, 0 to update, 1 to delete")
      )
    }
  }

  @Test(
    "A document below which something stays is not deleted: what the wanted state does not know, or is to be kept.",
    arguments: ["mirror", "partial", "kept"]
  )
  func staysBelow(_ kind: String) async throws {
    let mini = MiniFirestore()
    try mini.put("c/a", fields: "{}")
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("mirror", "pull", "-o", "m.sqlite").expect(0)
      try await tool.run("export", "c", "-o", "group/", "--group", "--format", "jsonl").expect(0)
      try await tool.run("export", "--all", "-o", "all/", "--format", "jsonl").expect(0)
      try mini.put("c/gone", fields: "{}")
      try mini.put("c/new", fields: "{}")
      let moment = try #require(mini.document("c/new")).updateTime
      try mini.put("c/new/deep/d", fields: "{}")
      let what =
        switch kind {
        case "mirror": ["--all", "--from", "mirror:m.sqlite"]
        case "partial": ["--all", "--from", "group", "--scope", "partial"]
        default: ["--all", "--from", "all", "--keep-changed-since", moment]
        }
      let plan = try await tool.bare(["restore"] + what + ["-n"] + tool.place)
      // A source of some collections decides on nothing below: the plan leaves the document alone.
      if kind == "partial" {
        plan.expect(2)
      } else {
        plan.expect(0)
        #expect(
          plan.errors.contains("1 document of those to delete has something below that stays"),
          "\(plan.errors)"
        )
      }
      let result = try await tool.bare(["restore"] + what + Self.unguarded + tool.place)
      result.expect(2)
      let rejects = try tool.text("\(try #require(tool.runs().last))/rejects.jsonl")
      #expect(rejects.contains("has-subcollections"), "\(result.errors)")
      #expect(mini.document("c/gone") == nil && mini.document("c/new") != nil)
      #expect(mini.document("c/new/deep/d") != nil)
    }
  }

  @Test("A mirror is a wanted state, too.")
  func mirror() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (1...4).map { documentLine("products/p\($0)", $0) }.joined(separator: "\n"))
    let accident = try Accident(mini)
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("mirror", "pull", "-o", "m.sqlite").expect(0)
      mini.remove("products/p1")
      try mini.put("products/p2", fields: "{}")
      try mini.put("products/new", fields: "{}")
      try mini.put("other/1", fields: "{}")
      try await tool.bare(["restore", "--all", "--from", "mirror:m.sqlite"] + Self.unguarded + tool.place)
        .expect(0)
      #expect(mini.snapshot() == accident.before)
    }
  }

  @Test("A file of SQLite knows of collections created since that they are new, if it says that it had all.")
  func collectionsSince() async throws {
    let mini = MiniFirestore()
    try mini.put("products/p", fields: "{}")
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("export", "--all", "-o", "all.sqlite", "-q").expect(0)
      try await tool.run("export", "products", "-o", "some.sqlite", "-q").expect(0)
      try mini.put("other/1", fields: "{}")
      func restore(_ file: String) async throws -> RunResult {
        let what = ["restore", "--all", "--from", "mirror:\(file)"] + Self.unguarded
        return try await tool.bare(what + tool.place)
      }
      // One of an earlier version does not say it.
      let code = "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as db: db.execute(sys.argv[2])"
      let forget = "CREATE TABLE whole AS SELECT * FROM _mirror WHERE name = 'whole'"
      for sql in [forget, "DELETE FROM _mirror WHERE name = 'whole'"] {
        try await Judge.python(["-c", code, tool.path("all.sqlite"), sql]).expect(0)
      }
      for file in ["all.sqlite", "some.sqlite"] {
        let restored = try await restore(file)
        restored.expect(0)
        #expect(restored.errors.contains("had all collections: other."), "\(restored.errors)")
        #expect(mini.document("other/1") != nil)
      }
      let back = "INSERT INTO _mirror SELECT * FROM whole"
      try await Judge.python(["-c", code, tool.path("all.sqlite"), back]).expect(0)
      try await restore("all.sqlite").expect(0)
      #expect(mini.document("other/1") == nil)
    }
  }
}
