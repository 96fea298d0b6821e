import Foundation
import TestSupport
import Testing

@Suite("What applying a plan costs", .timeLimit(.minutes(60)))
struct CostForecastTests {
  /// What comes on top, as docs/migrating.md says: the lock, the ledger, and a read for each commit.
  private static let overhead = 30

  /// Things below forty parents; some of them, and some of a root collection, are of the one kind that filters ask for.
  private func withThings(_ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      let below = (0..<40).flatMap { parent in
        (0..<3).map { documentLine("p\(parent % 2)/d\(parent)/things/t\($0)", parent) }
      }
      try await tool.load(below + (0..<60).map { documentLine("things/t\($0)", $0) }, into: "test")
      try await body(tool)
    }
  }

  @Test(
    "The forecast of a fix is what it is billed at least, whatever reads it: a collection, a group, a pattern.",
    arguments: [
      ["things"], ["things", "--group"], ["p0/*/things"], ["p1/d1/things"],
    ]
  )
  func fix(_ scope: [String]) async throws {
    try await withThings { tool in
      for (number, filter) in ["n == 1", "n == -1", "n > 3", "n >= 0", "n != 4"].enumerated() {
        let fix =
          ["fix"] + scope + ["--where", filter, "--set", "z\(number)=1", "-e", "test", "--schema", "none"]
        let forecast = try await tool.bare(fix + ["-n", "--json"]).expect(0)
        let done = try await tool.bare(fix + ["--json"]).expect(0)
        let (planned, billed) = (try forecast.billedReads("cost"), try done.billedReads())
        #expect(billed <= planned + Self.overhead, "\(scope) \(filter): \(planned) planned, \(billed) billed")
        #expect(planned <= billed, "\(scope) \(filter): \(planned) planned, \(billed) billed")
      }
    }
  }

  @Test(
    "So is that of a deletion, which holds what is there against its bound before.",
    arguments: [["things"], ["p0/*/things"]]
  )
  func delete(_ scope: [String]) async throws {
    try await withThings { tool in
      for filter in ["n == 2", "n >= 0"] {
        let delete =
          ["delete"] + scope + [
            "--where", filter, "--hard", "--max-delete", "99", "-e", "test", "--schema", "none",
          ]
        let (planned, billed) = (
          try await tool.bare(delete + ["-n", "--json"]).billedReads("cost"),
          try await tool.bare(delete + ["--json"]).billedReads()
        )
        #expect(billed <= planned + Self.overhead, "\(scope) \(filter): \(planned) planned, \(billed) billed")
        #expect(planned <= billed, "\(scope) \(filter): \(planned) planned, \(billed) billed")
      }
    }
  }

  /// Documents of which every other one has something below it.
  private static let withBelow = (0..<100).flatMap { number in
    [documentLine("forks/f\(number)", number)]
      + (number % 2 == 0 ? [documentLine("forks/f\(number)/tines/t", 0)] : [])
  }

  @Test(
    "So is that of a deletion that leaves documents with subcollections, and decides on all before the first."
  )
  func deleteAround() async throws {
    try await withStores { tool in
      try await tool.load(Self.withBelow, into: "test")
      let delete =
        ["delete", "forks", "--all-documents", "--hard", "--max-delete", "50", "-e", "test"]
        + ["--schema", "none", "--json"]
      let planned = try await tool.bare(delete + ["-n"]).expect(2).billedReads("cost")
      let billed = try await tool.bare(delete).expect(2).billedReads()
      #expect(planned <= billed && billed <= planned + Self.overhead, "\(planned) planned, \(billed) billed")
    }
  }

  @Test(
    "So is that of a restore, before it and with -n, also where what is below a document to be deleted may stay.",
    arguments: [["forks"], ["forks", "--no-subcollections"], ["forks", "--scope", "partial"]]
  )
  func restore(_ scope: [String]) async throws {
    try await withStores { tool in
      try await tool.load([documentLine("forks/a", 1)], into: "test")
      try await tool.bare(["export", "--all", "-e", "test", "-o", "backup", "--format", "jsonl"]).expect(0)
      try await tool.load(Self.withBelow, into: "test")
      let restore =
        ["restore"] + scope + ["--from", "backup", "--max-delete", "999", "-e", "test", "--schema", "none"]
        + ["--json", "-y"]
      let planned = try await tool.bare(restore + ["-n"]).billedReads("cost")
      let done = try await tool.bare(restore)
      let billed = try done.billedReads()
      let said = try #require(
        done.errors.firstMatch(of: /(\d+) reads, 0 writes, \d+ deletes/).flatMap { Int($0.1) }
      )
      #expect(billed <= planned + Self.overhead, "\(planned) planned, \(billed) billed")
      #expect(planned <= said, "\(planned) planned, \(said) said")
    }
  }

  @Test("So is that of an undo, which looks below each document that it deletes.")
  func undo() async throws {
    try await withThings { tool in
      let undo = ["runs", "undo", "last", "-e", "test", "--yes", "--json"]
      let (planned, billed) = (
        try await tool.bare(undo + ["-n"]).billedReads("cost"), try await tool.bare(undo).billedReads()
      )
      // Each of the 180 documents, and what is below it.
      #expect(planned == 360)
      #expect(planned <= billed && billed <= planned + Self.overhead, "\(billed) billed")
    }
  }

  @Test(
    "So is that of a copy, whatever its target has; it has no deletions that a rejected document prevents.",
    arguments: ["create", "upsert", "merge", "replace"],
    [[], ["--no-subcollections"]]
  )
  func copy(_ mode: String, _ depth: [String]) async throws {
    try await withStores { tool in
      for (collection, existing) in [("none", 0..<0), ("one", 150..<151), ("many", 100..<200)] {
        try await tool.load((100..<300).map { documentLine("\(collection)/t\($0)", $0) }, into: "stage")
        let others = (Array(existing) + Array(500..<560)).map { documentLine("\(collection)/t\($0)", 0) }
        try await tool.load(others, into: "test")
        let copy =
          ["copy", collection, "--from", "stage", "--to", "test", "--mode", mode, "--delete-extraneous"]
          + ["--max-delete", "60", "--schema", "none", "--json", "-y"] + depth
        let (dry, done) = (try await tool.bare(copy + ["-n"]), try await tool.bare(copy))
        let (planned, billed) = (try dry.billedReads("cost"), try done.billedReads())
        // How many documents are looked up with one that exists depends on the commit that it came into.
        let isExact = mode != "create" || existing.isEmpty
        #expect(!isExact || planned <= billed, "\(collection): \(planned) planned, \(billed) billed")
        #expect(billed <= planned + Self.overhead, "\(collection): \(planned) planned, \(billed) billed")
        #expect(try dry.summary().cost?.deletes == done.summary().totals.deleted, "\(collection)")
        // Before the first write it is a minimum where documents may be below, otherwise a maximum.
        let said = try done.billedReads("cost")
        #expect(
          depth.isEmpty ? said <= billed : billed <= said + Self.overhead,
          "\(collection): \(said) said"
        )
      }
    }
  }

  @Test(
    "So is that of a pattern below documents, which reads these, too, on each side.",
    arguments: [
      ["copy", "--from", "stage", "--to", "test", "--mode", "upsert"],
      [
        "copy", "--from", "stage", "--to", "test", "--mode", "upsert", "--delete-extraneous",
        "--max-delete", "9",
      ],
      ["restore", "--from", "backup", "--max-delete", "9", "-e", "test"],
    ]
  )
  func pattern(_ words: [String]) async throws {
    try await withStores { tool in
      let parents = (0..<200).map { documentLine("p/d\($0)", $0) }
      for (database, number) in [("stage", 1), ("test", 2)] {
        let below = (0..<3).map { documentLine("p/d\($0)/things/t", number) }
        try await tool.load(parents + below, into: database)
      }
      try await tool.bare(["export", "--all", "-e", "test", "-o", "backup", "--format", "jsonl"]).expect(0)
      let changed = (0..<3).map { documentLine("p/d\($0)/things/t", 3) }
      try await tool.load(changed, into: "test", mode: "upsert")
      let command = [words[0], "p/*/things"] + words.dropFirst() + ["--schema", "none", "--json", "-y"]
      let (dry, done) = (try await tool.bare(command + ["-n"]), try await tool.bare(command).expect(0))
      let (planned, billed) = (try dry.billedReads("cost"), try done.billedReads())
      #expect(planned <= billed && billed <= planned + Self.overhead, "\(planned) planned, \(billed) billed")
    }
  }

  @Test("A rehearsal is billed where the copy comes from, and the limits of the day hold.")
  func rehearsal() async throws {
    try await withThings { tool in
      let file = "id: a\nsummary: Sets a.\ncollection: things\nsteps:\n  - set: {a: 1}\n"
      try tool.write(file, to: "migrations/1-a.yaml")
      let rehearse = ["migrate", "test", "a", "--from", "test", "--schema", "none"]
      let first = try await tool.bare(rehearse).expect(0)
      #expect(first.errors.firstMatch(of: /Billed: 6[0-9] reads, 0 writes/) != nil, "\(first.errors)")
      let lines = try tool.text(".gymmigrate/costs.jsonl").split(separator: "\n")
      let last = try #require(lines.last)
      #expect(
        last.contains(#""command":"migrate test""#) && last.contains(#""environment":"test""#),
        "\(last)"
      )
      #expect(last.firstMatch(of: /"reads":6[0-9]/) != nil && last.contains(#""writes":0"#), "\(last)")
      let few = try await tool.bare(rehearse + ["--max-reads", "30"])
      few.expectFailure(75, "--max-reads 30")
      #expect(!few.errors.contains("not made"), "\(few.errors)")
      try tool.write(
        tool.text("gymmigrate.yaml").replacing(
          "{ database: test,",
          with: "{ limits: { day: { reads: 100 } }, database: test,"
        ),
        to: "gymmigrate.yaml"
      )
      try await tool.bare(rehearse).expectFailure(75, "limits")
    }
  }
}
