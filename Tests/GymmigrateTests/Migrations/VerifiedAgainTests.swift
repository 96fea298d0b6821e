import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("What was written since a migration was verified", .timeLimit(.minutes(60)))
struct VerifiedAgainTests {
  private static let migration =
    "id: set-a\nsummary: Sets a.\ncollection: things\nsteps:\n  - set: {a: 1}\n"

  private func status(_ tool: Tool) async throws -> String {
    let result = try await tool.bare(["migrate", "status", "--environments", "test"]).expect(0)
    return String(try #require(result.output.split(separator: "\n").last))
  }

  private func pending(_ tool: Tool) async throws -> String {
    let result = try await tool.bare(["migrate", "pending", "-e", "test"]).expect(0)
    #expect(result.output == "")
    return result.errors
  }

  /// A migration that is verified in test, and not applied in prod.
  private func withVerified(
    _ migration: String = Self.migration,
    _ body: (Tool) async throws -> Void
  ) async throws {
    try await withStores { tool in
      try tool.write(migration, to: "migrations/1-a.yaml")
      for environment in ["test", "prod"] {
        try await tool.load((1...3).map { documentLine("things/t\($0)", $0) }, into: environment)
      }
      try await tool.bare(["migrate", "up", "-e", "test"]).expect(0)
      #expect(try await status(tool).contains("verified"))
      try await body(tool)
    }
  }

  @Test("A copy over what a migration wrote takes 'verified' away, until it is verified again.")
  func copied() async throws {
    try await withVerified { tool in
      let copy = ["copy", "things", "--from", "prod", "--to", "test", "--mode", "upsert"]
      try await tool.bare(copy + ["--keep-personal-data"]).expect(0)
      #expect(try await status(tool).contains(" applied"))
      for line in [try await pending(tool), try await tool.bare(["migrate", "up", "-e", "test"]).errors] {
        #expect(line.contains("1-a was verified before 'copy"), "\(line)")
        #expect(line.contains("gymmigrate migrate verify --record 1-a -e test"), "\(line)")
      }
      try await tool.bare(["migrate", "verify", "--record", "1-a", "-e", "test"]).expect(1)
      #expect(try await status(tool).contains(" applied"))
      let found = try await pending(tool)
      #expect(found.contains("a plan since found changes"), "\(found)")
      #expect(found.contains("gymmigrate migrate apply 1-a -e test"), "\(found)")
      try await tool.bare(["migrate", "apply", "1-a", "-e", "test"]).expect(0)
      try await tool.bare(["migrate", "verify", "--record", "1-a", "-e", "test"]).expect(0)
      #expect(try await status(tool).contains("verified"))
      #expect(try await pending(tool).hasPrefix("Nothing is pending in test.\n"))
    }
  }

  @Test("So does an import into its collection, and none into another one.")
  func imported() async throws {
    try await withVerified { tool in
      try await tool.load([documentLine("others/t1", 1)], into: "test")
      #expect(try await status(tool).contains("verified"))
      try await tool.load([documentLine("things/t1", 1)], into: "test", mode: "upsert")
      #expect(try await status(tool).contains(" applied"))
      #expect(try await pending(tool).contains("1-a was verified before 'import"))
    }
  }

  @Test("So does the undo of a deletion from before it, and not the undo of what came later.")
  func undone() async throws {
    try await withStores { tool in
      try tool.write(Self.migration, to: "migrations/1-a.yaml")
      try await tool.load((1...3).map { documentLine("things/t\($0)", $0) }, into: "test")
      let deletion = ["delete", "things", "--id", "t3", "--hard", "--max-delete", "1", "-e", "test"]
      try await tool.bare(deletion).expect(0)
      let earlier = try tool.lastRun()
      try await tool.bare(["migrate", "up", "-e", "test"]).expect(0)
      try await tool.load([documentLine("things/t1", 1)], into: "test", mode: "upsert")
      try await tool.bare(["migrate", "undo", "last", "-e", "test"]).expect(0)
      #expect(try await status(tool).contains("verified"))
      try await tool.bare(["migrate", "undo", earlier, "-e", "test", "-y"]).expect(0)
      #expect(try await status(tool).contains(" applied"))
    }
  }

  @Test("So does a restore of a part.")
  func restored() async throws {
    try await withVerified { tool in
      try tool.write(documentLine("things/t1", 7), to: "old.jsonl")
      let restore = ["restore", "things", "--from", "old.jsonl", "--scope", "partial"]
      try await tool.bare(restore + ["-e", "test"]).expect(0)
      #expect(try await status(tool).contains(" applied"))
    }
  }

  @Test("So does a fix of its collection, and a plan file of a restore, and none of another one.")
  func fixed() async throws {
    try await withVerified { tool in
      try await tool.load([documentLine("others/t1", 1)], into: "test")
      try await tool.bare(["fix", "others", "--all-documents", "--set", "a=2", "-e", "test"]).expect(0)
      #expect(try await status(tool).contains("verified"))
      try await tool.bare(["fix", "things", "--where", "n == 1", "--set", "a=2", "-e", "test"]).expect(0)
      #expect(try await status(tool).contains(" applied"))
      #expect(try await pending(tool).contains("1-a was verified before 'fix things'"))
      try await tool.bare(["migrate", "apply", "1-a", "-e", "test"]).expect(0)
      try await tool.bare(["migrate", "verify", "--record", "1-a", "-e", "test"]).expect(0)
      #expect(try await status(tool).contains("verified"))
      try tool.write(documentLine("things/t1", 7), to: "old.jsonl")
      let restore = ["restore", "things", "--from", "old.jsonl", "--scope", "partial", "-n", "-o", "p.jsonl"]
      try await tool.bare(restore + ["-e", "test"]).expect(0)
      try await tool.bare(["migrate", "apply", "--plan", "p.jsonl", "-e", "test"]).expect(0)
      #expect(try await status(tool).contains(" applied"))
    }
  }

  @Test("So does a plan file of any other command, and that of an undo is refused.")
  func otherPlans() async throws {
    try await withVerified { tool in
      let planned = try await tool.bare(["migrate", "undo", "last", "-n", "-e", "test"]).expect(0)
      #expect(planned.lastLine.hasPrefix("To carry this out: gymmigrate migrate undo "))
      let plan = ".gymmigrate/runs/\(try tool.lastRun())/plan.jsonl"
      try await tool.bare(["migrate", "apply", "--plan", plan, "-e", "test"])
        .expectFailure(64, "it is the plan of an undo", "gymmigrate migrate undo ")
      #expect(try await status(tool).contains("verified"))

      try await tool.bare(["fix", "things", "--where", "n == 1", "--set", "b=2", "-n", "-e", "test"]).expect(
        0
      )
      let fix = try tool.text(".gymmigrate/runs/\(try tool.lastRun())/plan.jsonl")
      let lines = fix.replacing(#""migration":"fix""#, with: #""migration":"mirror-push""#)
        .split(separator: "\n").dropLast()
      try tool.write(wholePlan(of: Array(lines)), to: "push.jsonl")
      try await tool.bare(["migrate", "apply", "--plan", "push.jsonl", "-e", "test"]).expect(0)
      #expect(try await status(tool).contains(" applied"))
    }
  }

  @Test(
    "So does an import that is divided among tasks, until it is finished and has left the collection alone.",
    arguments: ["things", "others"]
  )
  func divided(_ collection: String) async throws {
    try await withVerified { tool in
      let gate = "promote: { prod: { after: test, verified: true } }\n"
      try tool.write(tool.text("gymmigrate.yaml") + "\n" + gate, to: "gymmigrate.yaml")
      let lines = (1...20).map { documentLine("\(collection)/new\($0)", $0) }
      try tool.write(lines.joined(separator: "\n") + "\n", to: "new.jsonl")
      let plan = ["shard", "plan", "--shards", "2", "--to", "W", "--", "import", "new.jsonl", "-e", "test"]
      try await tool.bare(plan).expect(0)
      for task in ["0", "1"] {
        try await tool.bare(["shard", "work", "W", "--task", task]).expect(0)
        #expect(try await status(tool).contains(" applied"))
        #expect(try await pending(tool).contains("1-a is not verified while 'import"))
        try await tool.bare(["migrate", "up", "-e", "prod", "--confirm", "prod"])
          .expectFailure(77, "1-a is not verified in test while run", "'gymmigrate migrate status -e test'")
      }
      try await tool.bare(["shard", "finish", "W"]).expect(0)
      let isVerified = collection == "others"
      #expect(try await status(tool).contains(isVerified ? "verified" : " applied"))
      let up = try await tool.bare(["migrate", "up", "-e", "prod", "--confirm", "prod"])
      if isVerified {
        up.expect(0)
      } else {
        #expect(try await pending(tool).contains("1-a was verified before 'import"))
        up.expectFailure(77, "migrate verify 1-a --record")
      }
    }
  }

  @Test("So does a fix of a pattern that may select a collection of its group.", arguments: ["thing*", "*"])
  func group(_ pattern: String) async throws {
    let migration = Self.migration.replacing("collection:", with: "collection-group:")
    try await withVerified(migration) { tool in
      let fix = ["fix", pattern, "--where", "n == 1", "--unset", "a", "-e", "test"]
      try await tool.bare(fix).expect(0)
      #expect(try await status(tool).contains(" applied"))
    }
  }

  @Test("So does a restore to a moment before it was verified.", arguments: ["--all", "things"])
  func restoredToMoment(_ scope: String) async throws {
    try await withVerified { tool in
      try await tool.load([documentLine("things/t4", 4)], into: "test")
      let moment = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)).description
      let corrected = documentLine("things/t4", 4, #","a":{"integerValue":"1"}"#)
      try await tool.load([corrected], into: "test", mode: "upsert")
      try await tool.bare(["migrate", "verify", "--record", "1-a", "-e", "test"]).expect(0)
      #expect(try await status(tool).contains("verified"))
      let restored = try await tool.bare(["restore", scope, "--at", moment, "-e", "test"]).expect(0)
      #expect(restored.errors.contains("verified after that moment, which no longer holds: set-a."))
      #expect(try await status(tool).contains(" applied"))
      #expect(try await pending(tool).contains("1-a was verified before 'restore"))
      try await tool.bare(["migrate", "undo", "last", "-e", "test", "-y"]).expect(0)
      #expect(try await status(tool).contains("verified"), "it is as it was verified")
    }
  }
}
