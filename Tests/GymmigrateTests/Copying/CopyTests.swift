import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("Copy", .timeLimit(.minutes(60)))
struct CopyTests {
  private static func reference(_ database: String, _ path: String) -> String {
    #","r":{"referenceValue":"projects/p/databases/\#(database)/documents/\#(path)"}"#
  }

  /// Documents at the root, below documents, below missing ones, with references inside and outside.
  private static func gym(in database: String, count: Int = 120) -> [String] {
    (0..<count).flatMap { number in
      let id = String(1000 + number)
      var lines = [
        documentLine("products/\(id)", number, reference(database, "products/1000")),
        documentLine("exercises/\(id)/parts/p", number, reference("elsewhere", "a/b")),
      ]
      if number % 3 == 0 { lines.append(documentLine("products/\(id)/prices/x", number)) }
      return lines
    }
  }

  /// Documents with every kind of value at every kind of path; the same for another database but for their references.
  private static func random(in database: String, count: Int, seed: UInt64) -> [String] {
    var random = RandomDatabase(seed: seed, database: DatabaseName(project: "p", database: database))
    return (0..<count).map { _ in
      var json = JSONWriter()
      json.document(random.next(), times: false)
      return String(decoding: json.bytes, as: UTF8.self)
    }
  }

  // MARK: The whole

  @Test("A database with every value and every path is copied, references following, and diff finds nothing.")
  func everything() async throws {
    let seed = Settings.roundTripSeed + 10
    let count = Settings.copyDocuments
    try await withStores { tool in
      func lines(_ database: String) -> [String] { Self.random(in: database, count: count, seed: seed) }
      try await tool.load(lines("prod"), into: "prod")
      let copy = ["copy", "--all", "--from", "prod", "--to", "test", "--keep-personal-data", "--json"]
      let first = try await tool.bare(copy).expect(0)
      let summary = try first.summary()
      #expect(summary.totals.written == count, "seed \(seed)")
      #expect(summary.environment.database == "test" && summary.source?.database == "prod")
      #expect(summary.readTime != nil)
      // The same database made for another name: what the judge expects of references.
      #expect(try await tool.dump("test") == Set(lines("test")), "seed \(seed)")

      let second = try await tool.bare(copy + ["--mode", "upsert"]).expect(0)
      #expect(try second.summary().totals.unchanged == count, "seed \(seed)")
      let diff = try await tool.bare(["diff", "--all", "--from", "prod", "--to", "test"]).expect(0)
      #expect(diff.output.isEmpty, "seed \(seed)")

      // The export of one side is that side, whatever the order of its lines.
      let shuffled = Array(lines("prod").reversed())
      try tool.write(shuffled.joined(separator: "\n") + "\n", to: "snapshot.jsonl")
      let snapshot = try await tool.bare([
        "diff", "--all", "--from", "snapshot.jsonl", "--to", "test", "--from-source",
        "projects/p/databases/prod", "--json",
      ]).expect(0)
      #expect(try snapshot.summary().differences?.same == count)
    }
  }

  @Test("Faults at a fifth of the requests of both sides change nothing of it.", arguments: Settings.seeds(2))
  func faults(_ seed: UInt64) async throws {
    let source = MiniFirestore.environment("prod", seed: seed)
    let target = MiniFirestore.environment("test", seed: seed)
    let count = Settings.copyFaultDocuments
    func lines(_ database: String) -> String {
      let random = Self.random(in: database, count: count / 2, seed: seed)
      return (random + Self.gym(in: database, count: count * 3 / 14)).joined(separator: "\n")
    }
    try source.load(jsonLines: lines("prod"))
    let reads: [Fault] = [
      .error(.unavailable), .drop, .halfBody(0.5), .unterminated, .html(500), .error(.internalError),
    ]
    let writes: [Fault] = [
      .error(.unavailable), .error(.aborted), .dropAfterApplying, .drop, .resetAfterApplying, .halfBody(0.5),
    ]
    let kinds: Set<RequestKind> = [.list, .batchGet, .runQuery, .aggregation, .listCollectionIds]
    func broken(_ mini: MiniFirestore) -> ScriptedFaults {
      mini.faults(
        FaultRule(kinds, .percent(20), oneOf: reads),
        FaultRule([.commit], .percent(20), oneOf: writes),
        seed: seed
      )
    }
    let (first, second) = (broken(source), broken(target))
    try await withTwoServers(first.handler, second.handler) { tool in
      let copy = try await tool.bare([
        "copy", "--all", "--from", "prod", "--to", "test", "--batch-size", "\(max(7, min(count / 200, 100)))",
        "--keep-personal-data", "--json",
      ]).expect(0)
      let expected = try MiniFirestore.canonical(jsonLines: lines("test"))
      #expect(target.snapshot() == expected, "seed \(seed)")
      #expect(target.writtenDocuments.allSatisfy { $0.writes == 1 }, "seed \(seed)")
      #expect(try copy.summary().totals.written == expected.count, "seed \(seed)")
      let diff = try await tool.bare(["diff", "--all", "--from", "prod", "--to", "test"]).expect(0)
      #expect(diff.output.isEmpty, "seed \(seed)")
    }
    #expect(!first.played.isEmpty && !second.played.isEmpty, "seed \(seed)")
  }

  @Test(
    "KILL at a commit and 'runs resume': an uninterrupted copy, at the moment of its beginning.",
    arguments: [false, true]
  )
  func killed(_ whileDeleting: Bool) async throws {
    let source = MiniFirestore.environment("prod")
    let target = MiniFirestore.environment("test")
    try source.load(jsonLines: Self.gym(in: "prod").joined(separator: "\n"))
    try target.load(jsonLines: documentLine("products/old", 1) + "\n" + documentLine("products/older", 2))
    let running = Later<RunningBinary>()
    let faults = target.faults(
      FaultRule(
        [.commit],
        .number(whileDeleting ? 1 : 9),
        .end(running, applied: true),
        where: { !whileDeleting || $0.text.contains("\"delete\"") }
      ),
      maximumConsecutive: .max
    )
    try await withTwoServers(source.handler, faults.handler) { tool in
      let killed = [
        "copy", "products", "exercises", "--from", "prod", "--to", "test", "--keep-personal-data",
        "--batch-size", "10", "--in-flight", "2", "--mode", "upsert", "--delete-extraneous", "--max-delete",
        "2",
      ]
      #expect(try await tool.bare(killed, as: running).signal == SIGKILL)
      faults.setOn(false)
      // What comes after the beginning is of another moment.
      try source.load(jsonLines: documentLine("products/zzz", 7))
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(
        try target.snapshot()
          == MiniFirestore.canonical(jsonLines: Self.gym(in: "test").joined(separator: "\n"))
      )
      #expect(target.writtenDocuments.allSatisfy { $0.writes == 1 })
      let summary = try JSONDecoder().decode(
        Summary.self,
        from: Data(try tool.text("\(tool.runs()[0])/summary.json").utf8)
      )
      #expect(summary.totals.deleted == 2 && summary.totals.balance)
      #expect(summary.totals.written == Self.gym(in: "test").count + 2)
      // References to elsewhere are listed once each, whatever was done twice.
      #expect(try tool.text("\(tool.runs()[0])/references.jsonl").split(separator: "\n").count == 120)
    }
  }

  @Test("A moment that the service no longer keeps ends the copy, which says so and mixes nothing.")
  func closedWindow() async throws {
    let source = MiniFirestore.environment("prod")
    let target = MiniFirestore.environment("test")
    try source.load(jsonLines: Self.gym(in: "prod", count: 700).joined(separator: "\n"))
    let faults = source.faults(
      FaultRule(
        [.runQuery],
        .number(4),
        .error(ServiceError(400, "INVALID_ARGUMENT", "read_time is too old"))
      )
    )
    try await withTwoServers(faults.handler, target.handler) { tool in
      let copy = try await tool.bare([
        "copy", "products", "--from", "prod", "--to", "test", "--keep-personal-data",
      ])
      copy.expectFailure(69, "is no longer readable", "Copy again from the beginning")
      // A run that is resumed reads at its moment.
      #expect(!copy.errors.contains("To resume"))
      #expect(target.totalWrites == 0 || copy.lastLine.hasPrefix("To undo: "), "\(copy.errors)")
      #expect(target.totalWrites == target.snapshot().count)
    }
  }

  @Test("A document that changes after it was listed is not deleted, whenever that is.")
  func changedBeforeDeletion() async throws {
    let source = MiniFirestore.environment("prod")
    let target = MiniFirestore.environment("test")
    try source.load(jsonLines: documentLine("products/a", 1))
    try target.load(
      jsonLines: ["early", "late", "gone", "surplus"].map { documentLine("products/\($0)", 0) }.joined(
        separator: "\n"
      )
    )
    let faults = target.faults()
    // Before the copy's own commit, and between the look at the documents and the commit that deletes them.
    faults.before(.commit, 1) { _ in
      try? target.put("products/early", fields: #"{"n":{"integerValue":"5"}}"#)
      target.remove("products/gone")
    }
    faults.before(.commit, 2) { _ in try? target.put("products/late", fields: #"{"n":{"integerValue":"6"}}"#)
    }
    try await withTwoServers(source.handler, faults.handler) { tool in
      let copy = try await tool.bare([
        "copy", "products", "--from", "prod", "--to", "test", "--delete-extraneous", "--max-delete", "4",
        "--json",
      ]).expect(2)
      let totals = try copy.summary().totals
      #expect(totals.conflicted == 2 && totals.deleted == 1 && totals.unchanged == 1 && totals.balance)
      #expect(
        try target.snapshot()
          == MiniFirestore.canonical(
            jsonLines: [
              documentLine("products/a", 1), documentLine("products/early", 5),
              documentLine("products/late", 6),
            ].joined(separator: "\n")
          )
      )
    }
  }

  @Test("A document is not deleted without what is below it, and the others are")
  func subcollectionsStay() async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    try source.load(jsonLines: documentLine("products/a", 1))
    try target.load(
      jsonLines: ["products/gone", "products/kept", "products/kept/parts/1"].map { documentLine($0, 0) }
        .joined(separator: "\n")
    )
    try await withTwoServers(source.handler, target.handler) { tool in
      let copy = [
        "copy", "products", "--from", "prod", "--to", "test", "--delete-extraneous", "--max-delete", "4",
        "--json",
      ]
      let shallow = try await tool.bare(copy + ["--no-subcollections"]).expect(2)
      let totals = try shallow.summary().totals
      #expect(totals.rejected == 1 && totals.deleted == 1 && totals.balance, "\(totals)")
      #expect(target.snapshot().map(\.name) == ["products/a", "products/kept", "products/kept/parts/1"])
      try await tool.bare(copy).expect(0)
      #expect(target.snapshot().map(\.name) == ["products/a"])
    }
  }

  @Test(
    "On a terminal it asks, and only yes continues; --yes answers, and never stands in for --confirm.",
    arguments: [
      ("n", ["--to", "test"], 77, 0), ("", ["--to", "test"], 77, 0), ("yes", ["--to", "test"], 0, 1),
      ("-", ["--to", "test", "--yes"], 0, 1), ("-", ["--to", "prod", "--yes"], 77, 0),
      ("stage", ["--to", "prod"], 77, 0),
    ]
  )
  func asks(_ answer: String, _ options: [String], _ code: Int32, _ copied: Int) async throws {
    try await withStores { tool in
      try await tool.load([documentLine("products/a", 1)], into: "stage")
      let told = try await Judge.python(
        [
          "-c",
          """
          import os, pty, sys
          process, terminal = pty.fork()
          if process == 0: os.execv(sys.argv[2], sys.argv[2:])
          said, answered = b"", sys.argv[1] == "-"
          while True:
              try: some = os.read(terminal, 4096)
              except OSError: break
              if not some: break
              said += some
              if not answered and (b"[y/N]" in said or b"Type its name" in said):
                  os.write(terminal, sys.argv[1].encode() + b"\\n")
                  answered = True
          print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), answered)
          """,
          answer, tool.runner.executable, "copy", "products", "--from", "stage",
        ] + options,
        in: tool.folder
      )
      #expect(told.output == "\(code) True\n", "\(told.errors)")
      #expect(try await tool.dump("test").count == copied)
      #expect(try await tool.dump("prod").isEmpty)
    }
  }

  // MARK: What is meant

  @Test("Names, patterns, filters and limits copy what they say.")
  func selections() async throws {
    try await withStores { tool in
      try await tool.load(
        Self.gym(in: "stage", count: 9),
        into: "stage"
      )
      // The ledger has two documents: the import and this run.
      try await tool.bare(["fix", "products", "--where", "n == 8", "--set", "m=1", "-e", "stage"]).expect(0)
      func copied(_ arguments: String...) async throws -> Int {
        let result = try await tool.bare(
          ["copy"] + arguments + ["--from", "stage", "--to", "test", "--json"]
        ).expect(0)
        return try result.summary().totals.written
      }
      #expect(try await copied("products", "--no-subcollections", "--limit", "4") == 4)
      #expect(try await copied("products", "--where", "n >= 7", "--mode", "upsert") == 2)
      #expect(try await copied("products/*/prices") == 3)
      #expect(try await copied("prod*") == 3)
      #expect(try await copied("--catalogues") == 9)
      #expect(try await copied("--all") == 0)
      #expect(try await tool.dump("test").count == 21)
      // No name and no pattern brings what is gymmigrate's own, but its own name.
      #expect(try await copied("_gymmigrate_runs") == 2)
    }
  }

  @Test("A dry run writes nothing and reports what a run would do, and a run does that.")
  func dryRun() async throws {
    try await withStores { tool in
      try await tool.load(Self.gym(in: "stage", count: 6), into: "stage")
      try await tool.load(
        [
          documentLine("products/1000", 99), documentLine("products/old", 1),
          documentLine("exercises/1001/parts/q", 1),
        ],
        into: "test"
      )
      let before = try await tool.dump("test")
      let copy = [
        "copy", "--catalogues", "--from", "stage", "--to", "test", "--mode", "upsert", "--delete-extraneous",
      ]
      let dry = try await tool.bare(copy + ["-n", "--json"]).expect(0)
      // 6 products, 6 parts of exercises, 2 prices; one product is there otherwise, two documents are surplus.
      #expect(dry.errors.contains("would create 13, update 1 and delete 2 documents"))
      #expect(try dry.summary().totals.written == 0)
      #expect(try dry.summary().cost?.writes == 14 && dry.summary().cost?.deletes == 2)
      #expect(try await tool.dump("test") == before)

      let refused = try await tool.bare(copy + ["--max-delete", "1"])
      refused.expectFailure(77, "2 documents of the target would be deleted")
      #expect(try await tool.dump("test") == before)
      let done = try await tool.bare(copy + ["--max-delete", "2", "--json"]).expect(0)
      #expect(try done.summary().totals.written == 16 && done.summary().totals.deleted == 2)
      #expect(try await tool.dump("test") == Set(Self.gym(in: "test", count: 6)))
    }
  }

  @Test("Nothing is deleted where something could not be copied.")
  func incomplete() async throws {
    try await withStores { tool in
      try await tool.load([documentLine("products/a", 1), documentLine("products/b", 2)], into: "stage")
      try await tool.load([documentLine("products/a", 9), documentLine("products/z", 1)], into: "test")
      let words = ["copy", "products", "--from", "stage", "--to", "test", "--delete-extraneous"]
      let dry = try await tool.bare(words + ["-n", "--max-delete", "0"]).expect(2)
      for text in [
        "--max-delete allows 0: such a copy writes nothing at all.", "Nothing would be deleted",
        "would create 1, update 0 and delete 0 documents",
      ] { #expect(dry.errors.contains(text), "\(text)\n\(dry.errors)") }
      let copy = try await tool.bare(words + ["--max-delete", "9"]).expect(2)
      #expect(copy.errors.contains("Nothing was deleted"))
      #expect(
        try await tool.dump("test") == [
          documentLine("products/a", 9), documentLine("products/b", 2), documentLine("products/z", 1),
        ]
      )
    }
  }

  @Test("Before the first write it says who, from where, to where, how much and what it costs.")
  func screen() async throws {
    try await withStores { tool in
      try await tool.load(Self.gym(in: "prod", count: 4).filter { !$0.contains("/prices/") }, into: "prod")
      let result = try await tool.bare(["copy", "products", "--from", "prod", "--to", "test"]).expect(0)
      for text in [
        "Copying from prod (protected): project p, database prod, http://127.0.0.1:", "to test: project p",
        "products: 4 documents",
        "at least 5 reads: less than 0.01 USD for these (list prices of nam5",
        "), and a write per document that differs",
        "Rewritten to projects/p/databases/test: 4 references.",
      ] { #expect(result.errors.contains(text), "\(text)\n\(result.errors)") }

      // Prices of one's own: 5 reads of 1 USD, 4 writes of 2 USD; 4 documents more are read where they are compared.
      let settings = try tool.text("gymmigrate.yaml")
      try tool.write(
        settings + "\nprices: { reads: 100000, writes: 200000, deletes: 1 }\n",
        to: "gymmigrate.yaml"
      )
      let again = ["copy", "products", "--from", "prod", "--to", "test", "--mode", "upsert", "--json"]
      let copied = try await tool.bare(again)
      #expect(
        copied.errors.contains(
          "at least 9 reads: at least 9.00 USD (prices of gymmigrate.yaml), and a write per document that differs"
        )
      )
      #expect(try copied.summary().cost == Summary.Cost(reads: 9, writes: 0, deletes: 0, usd: 9))
      let dry = try await tool.bare(again + ["-n"])
      #expect(dry.errors.contains("9 reads, 0 writes, 0 deletes: at most 9.00 USD"))
      #expect(try dry.summary().cost == Summary.Cost(reads: 9, writes: 0, deletes: 0, usd: 9))
    }
  }
}
