import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Migrations of a folder", .timeLimit(.minutes(60)))
struct MigrateUpTests {
  /// Members of one field each in every environment, and a folder of migrations.
  private func withFolder(_ files: [String: String], _ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      for (name, text) in files { try tool.write(text, to: "migrations/\(name).yaml") }
      for environment in ["test", "stage", "prod"] {
        try await tool.load((1...3).map { documentLine("things/t\($0)", $0) }, into: environment)
      }
      try await body(tool)
    }
  }

  private static func setting(_ field: String, _ header: String = "") -> String {
    "id: set-\(field)\nsummary: Sets \(field).\n\(header)collection: things\nsteps:\n  - set: {\(field): 1}\n"
  }

  private static let three = ["1-a": setting("a"), "2-b": setting("b"), "3-c": setting("c")]

  private func pending(_ tool: Tool, _ environment: String = "test") async throws -> [String] {
    let result = try await tool.bare(["migrate", "pending", "-e", environment]).expect(0)
    return result.output.split(separator: "\n").map { line in
      line.split(separator: "\t").prefix(2).joined(separator: " ")
    }
  }

  @Test("Up on the gym's sample is what apply of the three is, with and without a folder of files.")
  func gym() async throws {
    try await withStores { tool in
      let files = ["users", "user_emails", "members"].map { Samples.file($0) }
      for environment in ["test", "stage", "prod"] {
        let place = ["-e", environment, "--confirm", environment, "-q"]
        // One commit at a time: where a user has no createdAt, the order of creation decides about the index.
        try await tool.bare(["import", "--in-flight", "1"] + files + place).expect(0)
      }
      let three = ["users-unify", "user-emails", "is-active"]
      try await tool.bare(["migrate", "apply"] + three + ["-e", "test", "-q"]).expect(2)
      #expect(
        try await pending(tool, "stage") == [
          "01-users-unify pending", "02-user-emails pending", "03-is-active pending",
        ]
      )
      let up = try await tool.bare(["migrate", "up", "-e", "stage", "--json"]).expect(2)
      let lines = up.output.split(separator: "\n").map { Data($0.utf8) }
      let summaries = try lines.map { try JSONDecoder().decode(Summary.self, from: $0) }
      let names = ["plan", "apply", "verify", "apply", "verify", "apply", "verify"]
      #expect(summaries.map { $0.command.split(separator: " ")[1] } == names.map { Substring($0) })
      let samples = Samples.repository.appendingPathComponent("samples/gym/migrations").path
      try FileManager.default.copyItem(atPath: samples, toPath: tool.path("migrations"))
      try await tool.bare(["migrate", "up", "-e", "prod", "--confirm", "prod", "-q"]).expect(2)
      for environment in ["stage", "prod"] {
        #expect(try await pending(tool, environment) == [])
        try await expectSame("test", environment, tool)
      }
    }
  }

  @Test("The last lines name what each migration leaves for a person.")
  func left() async throws {
    try await withStores { tool in
      try await tool.bare(["import", Samples.file("users"), "-e", "test", "-q"]).expect(0)
      let up = try await tool.bare(["migrate", "up", "-e", "test", "--examples", "0"]).expect(2)
      let said = up.errorLines.filter { $0.contains(": see .gymmigrate/") }
      #expect(said.first?.contains("users-unify: see ") == true, "\(up.errors)")
      #expect(Array(up.errorLines.suffix(said.count)) == said, "\(up.errors)")
    }
  }

  @Test(
    "A review of a migration that is done keeps the command that resumes from going on, neither is it taken in silence."
  )
  func reviewOfWhatIsDone() async throws {
    try await withStores { tool in
      try await tool.bare(["import", Samples.file("users"), "-e", "test", "-q"]).expect(0)
      try await tool.bare(["migrate", "plan", "users-unify", "-e", "test", "-q"]).expect(0)
      let review = "\(try #require(tool.runs().last))/review.csv"
      let up = ["migrate", "up", "-e", "test", "--examples", "0", "--review", review]
      try await tool.bare(up + ["--to", "users-unify"]).expect(2)
      let rest = try await tool.bare(up)
      #expect([0, 2].contains(rest.exitCode), "\(rest.errors)")
      #expect(rest.errors.contains("--review is for users-unify. That is not pending, so it is not used."))
      #expect(try await pending(tool) == [])
      // Neither is it where nothing at all is pending.
      let again = try await tool.bare(up).expect(0)
      #expect(again.errors.contains("--review is for users-unify. That is not pending, so it is not used"))
      try tool.write(
        "id: x\nsummary: X.\ncollection: things\nsteps:\n  - set: {a: 1}\n",
        to: "migrations/1-x.yaml"
      )
      try await tool.bare(up).expectFailure(64, "--review is for users-unify")
    }
  }

  @Test("With --json nothing to do is a summary, too.")
  func nothing() async throws {
    try await withFolder(Self.three) { tool in
      try await tool.bare(["migrate", "up", "-e", "test", "-q"]).expect(0)
      let again = try await tool.bare(["migrate", "up", "-e", "test", "--json"]).expect(0)
      let summary = try again.summary()
      #expect(summary.command == "migrate up" && summary.status == "done" && summary.exitCode == 0)
    }
  }

  @Test("A step that breaks the schema is found by lint, and passes by its name, too, where that is allowed.")
  func breaches() async throws {
    try await withStores { tool in
      let step = "steps:\n  - set-if-missing: {unheard: 1}\n"
      try tool.write(
        "schema: x\ncollections: {things: {unknown-fields: unexpected, fields: {n: integer}}}",
        to: "x.yaml"
      )
      try tool.write("id: city\nsummary: S.\ncollection: things\n\(step)", to: "migrations/1-city.yaml")
      try await tool.load([documentLine("things/t", 1)], into: "test")
      let lint = try await tool.bare(["migrate", "lint", "--schema", "x.yaml"]).expect(1)
      #expect(lint.output.hasPrefix("1-city\tbreaks-schema\t"), "\(lint.output)")
      let place = ["-e", "test", "--schema", "x.yaml"]
      for name in ["city", "1-city"] {
        try await tool.bare(["migrate", "plan", name] + place)
          .expectFailure(65, "give --allow-schema-breaks")
        let plan = try await tool.bare(["migrate", "plan", name, "--allow-schema-breaks"] + place).expect(0)
        #expect(plan.output.contains("1 to update"), "\(plan.output)")
      }
      for words in [["--all"], ["is-active"]] {
        try await tool.bare(["migrate", "plan", "--allow-schema-breaks", "-e", "test"] + words).expect(64)
      }
    }
  }

  /// Compares all documents of two environments, but for the times that the server set.
  private func expectSame(_ first: String, _ second: String, _ tool: Tool) async throws {
    let result = try await tool.bare(
      ["diff", "--all", "--from", first, "--to", second, "--ignore-fields", "updatedAt,createdAt"]
    )
    #expect(result.exitCode == 0, "\(result.output.prefix(2000))")
  }

  @Test("Down says so where the last run wrote nothing.")
  func downOfNothing() async throws {
    let same = Self.setting("a").replacing("set-a", with: "set-b")
    try await withFolder(["1-a": Self.setting("a"), "2-b": same]) { tool in
      try await tool.bare(["migrate", "up", "-e", "test"]).expect(0)
      let before = try await tool.dump("test")
      for (isFirst, left) in [(true, ["2-b undone"]), (false, ["1-a undone", "2-b undone"])] {
        let down = try await tool.bare(["migrate", "down", "-e", "test", "-y"]).expect(0)
        #expect(down.errors.contains("nothing is put back") == isFirst, "\(down.errors)")
        #expect(try await pending(tool) == left)
        #expect((try await tool.dump("test") == before) == isFirst)
      }
    }
  }

  @Test(
    "Up applies each by a run of its own, to the one that is named and then the rest, and down takes back the last."
  )
  func upAndDown() async throws {
    try await withFolder(Self.three) { tool in
      let before = try await tool.dump("test")
      try await tool.bare(["migrate", "up", "-e", "test", "-n"]).expect(0)
      #expect(try await pending(tool) == ["1-a pending", "2-b pending", "3-c pending"])
      try await tool.bare(["migrate", "up", "--to", "set-b", "-e", "test"]).expect(0)
      #expect(try await pending(tool) == ["3-c pending"])
      let after = try await tool.dump("test")
      #expect(after.count == 3 && after.allSatisfy { $0.contains("\"b\":") && !$0.contains("\"c\":") })
      try await tool.bare(["migrate", "up", "-e", "test"]).expect(0)
      let again = try await tool.bare(["migrate", "up", "-e", "test"]).expect(0)
      #expect(again.errorLines.count == 2 && again.errors.hasPrefix("Nothing is pending in test.\nBilled: "))
      var place = tool
      place.place = ["-e", "test"]
      let commands = try await place.ledger().runs.map(\.command).filter { $0.hasPrefix("migrate") }
      #expect(commands == ["1-a", "2-b", "3-c"].map { "migrate apply migrations/\($0).yaml" })
      for left in [
        ["3-c undone"], ["2-b undone", "3-c undone"], ["1-a undone", "2-b undone", "3-c undone"],
      ] {
        try await tool.bare(["migrate", "down", "-e", "test", "-y"]).expect(0)
        #expect(try await pending(tool) == left)
      }
      #expect(try await tool.dump("test") == before)
      let nothing = try await tool.bare(["migrate", "down", "-e", "test"]).expect(0)
      let said = "No migration of the folder is applied in test.\nBilled: "
      #expect(nothing.errorLines.count == 2 && nothing.errors.hasPrefix(said))
    }
  }

  @Test("'down' names every migration of the run that it undoes.")
  func joint() async throws {
    try await withFolder(Self.three) { tool in
      try await tool.bare(["migrate", "apply", "set-a", "set-b", "set-c", "-e", "test"]).expect(0)
      let plan = try await tool.bare(["migrate", "down", "-e", "test", "-n"]).expect(0)
      #expect(plan.errors.contains("Undoing 1-a, 2-b and 3-c (one run) in test."), "\(plan.errors)")
      #expect(plan.lastLine == "To carry this out: gymmigrate migrate down -e test", "\(plan.errors)")
    }
  }

  private func states(_ tool: Tool) async throws -> [String] {
    let result = try await tool.bare(["migrate", "status", "--environments", "test"]).expect(0)
    return result.output.split(separator: "\n").dropFirst().map { line in
      let cells = line.split(separator: " ", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      let words = cells[1].components(separatedBy: ", ")
      return "\(cells[0]) \(words[0]), \(words.last ?? "")"
    }
  }

  @Test("A run that found nothing to change does not outlive the undo of the one that wrote.")
  func takenBack() async throws {
    try await withFolder(Self.three) { tool in
      let before = try await tool.dump("test")
      try await tool.bare(["migrate", "apply", "set-a", "-e", "test"]).expect(0)
      let run = try tool.lastRun()
      try await tool.bare(["migrate", "apply", "set-a", "-e", "test"]).expect(0)
      let planned = try await tool.bare(["migrate", "undo", "last", "-e", "test", "-n"])
      #expect(planned.lastLine == "To carry this out: gymmigrate migrate undo \(run) -e test")
      let undone = try await tool.bare(["migrate", "undo", "last", "-e", "test"]).expect(0)
      let again = "To apply it again: gymmigrate migrate apply set-a -e test"
      #expect(undone.lastLine == again, "\(undone.errors)")
      #expect(try await tool.dump("test") == before)
      #expect(try await pending(tool) == ["1-a undone", "2-b pending", "3-c pending"])
      #expect(try await states(tool)[0] == "1-a undone, 3 written")
      try await tool.bare(["migrate", "up", "-e", "test"]).expect(0)
      #expect(try await pending(tool) == [])

      let applied = try await tool.dump("test")
      try await tool.bare(["migrate", "apply", "set-c", "-e", "test"]).expect(0)
      // 'set-b' came earlier, and found nothing later.
      try await tool.bare(["migrate", "apply", "set-b", "-e", "test"]).expect(0)
      #expect(
        try await states(tool) == [
          "1-a verified, 3 written", "2-b verified, 3 written", "3-c verified, 3 written",
        ]
      )
      try await tool.bare(["migrate", "down", "-e", "test"]).expect(0)
      #expect(try await pending(tool) == ["3-c undone"])
      #expect(try await states(tool)[2] == "3-c undone, 3 written")
      #expect(try await tool.dump("test").allSatisfy { $0.contains("\"b\":") && !$0.contains("\"c\":") })
      try await tool.bare(["migrate", "up", "-e", "test"]).expect(0)
      #expect(try await tool.dump("test").count == applied.count)
    }
  }

  @Test("What was undone is pending again, also if it was done by hand or applied before.")
  func pendingAgain() async throws {
    try await withFolder(["1-a": Self.setting("a")]) { tool in
      try await tool.bare(["migrate", "baseline", "1-a", "-e", "test"]).expect(0)
      #expect(try await pending(tool) == [])
      try await tool.bare(["migrate", "apply", "set-a", "-e", "test"]).expect(0)
      try await tool.bare(["migrate", "down", "-e", "test"]).expect(0)
      #expect(try await pending(tool) == ["1-a undone"])
      try await tool.bare(["migrate", "up", "-e", "test"]).expect(0)
      #expect(try await pending(tool) == [])
    }
  }

  @Test(
    "What was done by hand is not applied, what is irreversible not taken back, and what is for others left out."
  )
  func headers() async throws {
    let files = [
      "1-a": Self.setting("a"), "2-b": Self.setting("b", "irreversible: It stays.\n"),
      "3-c": Self.setting("c", "environments: [stage]\n"), "4-d": Self.setting("d", "after: 3-c\n"),
    ]
    try await withFolder(files) { tool in
      try await tool.bare(["migrate", "baseline", "1-a", "-e", "prod"]).expectFailure(77, "--confirm prod")
      try await tool.bare(["migrate", "baseline", "1-a", "-e", "prod", "--confirm", "prod"]).expect(0)
      try await tool.bare(["migrate", "up", "-e", "prod", "--confirm", "prod"])
        .expectFailure(77, "4-d", "it comes after 3-c, which is not applied in prod")
      let up = ["migrate", "up", "--to", "3-c", "-e", "prod"]
      try await tool.bare(up).expectFailure(77, "--confirm prod")
      try await tool.bare(up + ["--confirm", "prod"]).expect(0)
      let documents = try await tool.dump("prod")
      #expect(documents.allSatisfy { $0.contains("\"b\":") && !$0.contains("\"a\":") })
      let down = ["migrate", "down", "-e", "prod", "--confirm", "prod"]
      try await tool.bare(down).expectFailure(77, "2-b", "irreversible: It stays.")
      #expect(try await tool.dump("prod") == documents)
      try await tool.bare(["migrate", "baseline", "4-d", "-e", "prod", "--confirm", "prod"]).expect(0)
      try await tool.bare(down).expectFailure(64, "4-d", "by hand")
      #expect(try await pending(tool, "prod") == [])
      try await tool.bare(["migrate", "up", "-e", "stage"]).expect(0)
      #expect(try await tool.dump("stage").allSatisfy { $0.contains("\"d\":") })
    }
  }

  @Test("A file that changed after it was applied is an error with both checksums, until it is accepted.")
  func changed() async throws {
    try await withFolder(Self.three) { tool in
      try await tool.bare(["migrate", "up", "--to", "2-b", "-e", "test"]).expect(0)
      let applied = try await tool.dump("test")
      try tool.write(Self.setting("b") + "  - set: {e: 1}\n", to: "migrations/2-b.yaml")
      let sums = try await Judge.script(
        "import hashlib, sys; print(*[hashlib.sha256(f.encode()).hexdigest() for f in sys.argv[1:]])",
        Self.setting("b"),
        Self.setting("b") + "  - set: {e: 1}\n"
      ).split(whereSeparator: \.isWhitespace).map(String.init)
      try #require(sums.count == 2)
      for command in ["up", "pending"] {
        try await tool.bare(["migrate", command, "-e", "test"])
          .expectFailure(77, "migrations/2-b.yaml", sums[0], sums[1], "--accept-changed")
      }
      #expect(try await tool.dump("test") == applied)
      try await tool.bare(["migrate", "up", "--accept-changed", "--to", "2-b", "-e", "test"]).expect(0)
      #expect(try await tool.dump("test") == applied)
      #expect(try await pending(tool) == ["3-c pending"])
      // It may be applied by hand, as any other.
      try await tool.bare(["migrate", "apply", "set-b", "-e", "test"]).expect(0)
      #expect(try await tool.dump("test").allSatisfy { $0.contains("\"e\":") })
    }
  }

  @Test("Interrupted half way, the same command goes on; what comes after is planned in the meantime.")
  func interrupted() async throws {
    let mini = MiniFirestore.environment("test")
    for number in 1...20 {
      try mini.put("things/t\(number)", fields: #"{"n":{"integerValue":"\#(number)"}}"#)
    }
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTwoServers(mini.handler, kill.handler) { tool in
      var tool = tool
      tool.place = ["-e", "test"]
      for (name, text) in Self.three { try tool.write(text, to: "migrations/\(name).yaml") }
      let slow = ["--batch-size", "5", "--in-flight", "1"]
      try await tool.runKilled(at: 4, by: kill, "migrate", "up", "--batch-size", "5", "--in-flight", "1")
      #expect(try await pending(tool) == ["1-a running", "2-b planned", "3-c planned"])
      try await tool.bare(["migrate", "up"] + slow + tool.place).expect(0)
      #expect(try await pending(tool) == [])
      #expect(mini.snapshot().filter { $0.name.hasPrefix("things/") }.count == 20)
      // A field each: nothing was written twice.
      #expect(mini.writtenDocuments.filter { $0.name.hasPrefix("things/") }.allSatisfy { $0.writes == 3 })
    }
  }

  /// Twenty documents, and three migrations that set a field of each, a commit of five at a time.
  private func withTwenty(
    _ handler: (MiniFirestore) -> ScriptedFaults,
    _ body: (Tool, MiniFirestore, ScriptedFaults) async throws -> Void
  ) async throws {
    let mini = MiniFirestore.environment("test")
    for number in 1...20 {
      try mini.put("things/t\(number)", fields: #"{"n":{"integerValue":"\#(number)"}}"#)
    }
    let faults = handler(mini)
    try await withTwoServers(mini.handler, faults.handler) { tool in
      var tool = tool
      tool.place = ["-e", "test"]
      for (name, text) in Self.three { try tool.write(text, to: "migrations/\(name).yaml") }
      try await body(tool, mini, faults)
    }
  }

  private static let slow = ["migrate", "up", "--batch-size", "5", "--in-flight", "1", "-e", "test"]

  @Test(
    "Interrupted, it ends with the command that does all of it; one of its runs that is resumed by itself is verified, too.",
    arguments: [false, true]
  )
  func signalled(resumesAlone: Bool) async throws {
    try await withTwenty { mini in
      mini.faults(
        FaultRule([.commit], .always, .drip(chunk: 64, interval: .milliseconds(3))),
        maximumConsecutive: .max
      )
    } _: { tool, mini, faults in
      let running = Later<RunningBinary>()
      faults.before(.commit, 4) { _ in running.get()?.send(SIGINT) }
      let stopped = try await tool.bare(Self.slow, as: running).expect(130)
      let again = "gymmigrate \(Self.slow.joined(separator: " "))"
      #expect(stopped.lastLine == "To resume: \(again)")
      faults.setOn(false)
      #expect(try await pending(tool) == ["1-a failed", "2-b planned", "3-c planned"])
      if resumesAlone {
        let resumed = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
        #expect(try resumed.summary().totals.written == 20)
        #expect(resumed.lastLine == "Pending still: set-b, set-c. To apply them, too: \(again)")
        #expect(try await states(tool)[0] == "1-a verified, 20 written")
        #expect(try await pending(tool) == ["2-b pending", "3-c pending"])
      }
      try await tool.bare(Self.slow).expect(0)
      #expect(try await states(tool) == ["1-a", "2-b", "3-c"].map { "\($0) verified, 20 written" })
      #expect(mini.writtenDocuments.filter { $0.name.hasPrefix("things/") }.allSatisfy { $0.writes == 3 })
    }
  }

  @Test("Stopped while it verifies, the same command verifies that first.")
  func stoppedVerifying() async throws {
    let running = Later<RunningBinary>()
    let reads = Mutex(0)
    try await withTwenty { mini in
      ScriptedFaults(
        { request in
          // The plan, the run and the verification of the first read the documents once each.
          if request.kind == .list, request.path.contains("/documents/things"),
            !request.target.contains("pageToken")
          {
            let number = reads.withLock { count in
              count += 1
              return count
            }
            if number == 3 {
              running.get()?.send(SIGINT)
              return .stall
            }
          }
          return mini.handler(request)
        },
        rules: [],
        maximumConsecutive: .max
      )
    } _: { tool, _, _ in
      let up = ["migrate", "up", "--to", "1-a", "-e", "test"]
      let stopped = try await tool.bare(up, as: running).expect(130)
      #expect(stopped.lastLine == "To resume: gymmigrate \(up.joined(separator: " "))")
      #expect(try await states(tool)[0] == "1-a applied, 20 written")
      let again = try await tool.bare(up).expect(0)
      #expect(again.errors.contains("Nothing is pending in test."))
      #expect(try await states(tool)[0] == "1-a verified, 20 written")
      // Once is enough.
      try await tool.bare(up).expect(0)
      #expect(reads.withLock { $0 } == 4)
    }
  }

  @Test("A new file is an error until it is written; one that is like a fix does what that does.")
  func new() async throws {
    try await withStores { tool in
      let made = try await tool.bare(["migrate", "new", "add-locale"]).expect(0)
      #expect(made.output.wholeMatch(of: /migrations\/\d{8}-\d{4}-add-locale\.yaml\n/) != nil)
      #expect(!made.errors.contains("comes before"))
      try tool.write(
        "id: z\nsummary: S.\ncollection: c\nsteps:\n  - set: {a: 1}\n",
        to: "migrations/90-z.yaml"
      )
      let before = try await tool.bare(["migrate", "new", "other"]).expect(0)
      #expect(before.errors.contains("-other.yaml comes before 90-z.yaml by its name"), "\(before.errors)")
      try FileManager.default.removeItem(atPath: tool.path("migrations/90-z.yaml"))
      try FileManager.default.removeItem(atPath: tool.path(String(before.output.dropLast())))
      try await tool.bare(["migrate", "pending", "-e", "test"]).expectFailure(
        65,
        "-add-locale.yaml",
        "'summary'"
      )
      try await tool.bare(["migrate", "new", "Locale"]).expectFailure(64, "'Locale' is no name")
      try await tool.bare(["migrate", "new", "x", "--like", "delete", "users"]).expectFailure(64, "fix")
      try FileManager.default.removeItem(atPath: tool.path("migrations"))
      let fix = [
        "fix", "members", "--where", "isActive == true", "--digits", "phone", "--set", "code=\"007\"",
      ]
      try await tool.bare(["migrate", "new", "digits", "--like"] + fix).expect(0)
      for environment in ["test", "stage"] {
        try await tool.bare(["import", Samples.file("members"), "-e", environment, "-q"]).expect(0)
      }
      try await tool.bare(fix + ["-e", "test", "-y", "-q"]).expect(0)
      try await tool.bare(["migrate", "up", "-e", "stage", "-y", "-q"]).expect(0)
      try await expectSame("test", "stage", tool)
      let copied = try await tool.dump("stage")
      #expect(copied.count == 420 && copied.contains { $0.contains(#""code":{"stringValue":"007"}"#) })
    }
  }
}
