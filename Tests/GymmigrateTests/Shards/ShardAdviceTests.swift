import TestSupport
import Testing

@Suite("What sharded commands advise", .timeLimit(.minutes(60)))
struct ShardAdviceTests {
  @Test("The lines of a plan work as they are, and whoever meets a run of tasks is told how it ends.")
  func lines() async throws {
    try await withStores { tool in
      try await tool.load((1...40).map { documentLine("things/t\($0)", $0) }, into: "test")
      try tool.write("id: a\nsummary: S.\ncollection: things\nsteps:\n  - set: {a: 1}\n", to: "a.yaml")
      let plan = [
        "shard", "plan", "--shards", "2", "--to", "a place", "--", "migrate", "apply", "a.yaml", "-e", "test",
      ]
      let planned = try await tool.bare(plan).expect(0)
      let work = try #require(planned.errors.split(separator: "\n").first { $0.hasPrefix("Each task") })
      #expect(work.hasSuffix(": gymmigrate shard work 'a place' --task 0"), "\(work)")
      try await tool.bare(["shard", "work", "a place", "--task", "0"]).expect(0)
      let finish = "gymmigrate shard finish '\(tool.path("a place"))'"
      let fix = ["fix", "things", "--all-documents", "--set", "b=1", "-e", "test"]
      // While its lease has not run out.
      let early = try await tool.bare(fix)
      early.expectFailure(75, "holds the lock", finish, "--state-dir '\(tool.path("a place"))'")
      #expect(!early.errors.contains("runs out in"), "\(early.errors)")
      let held = try await tool.bare(["migrate", "status", "-e", "test"])
      #expect(held.output.contains("holds the lock") && held.output.contains(finish), "\(held.output)")
      try await tool.bare(["migrate", "unlock", "-e", "test"]).expect(0)
      let refused = try await tool.bare(fix)
      refused.expectFailure(75, finish, "--state-dir '\(tool.path("a place"))'")
      #expect(!refused.errors.contains("runs resume"))
      let status = try await tool.bare(["migrate", "status", "-e", "test"])
      #expect(status.output.contains(finish), "\(status.output)")
      try await tool.bare(["shard", "work", "a place", "--task", "1"]).expect(0)
      let finished = try await tool.bare(["shard", "finish", "a place"]).expect(0)
      let undo = try #require(finished.lastLine.hasPrefix("To undo: gymmigrate ") ? finished.lastLine : nil)
      #expect(undo.hasSuffix("--state-dir '\(tool.path("a place"))'"), "\(undo)")
      try await tool.bare(fix).expect(0)
    }
  }

  @Test(
    "The plan warns of what is named and has no documents.",
    arguments: [
      ["export", "tings", "-e", "test"], ["copy", "tings", "--from", "test", "--to", "stage", "-y"],
    ]
  )
  func misspelt(_ command: [String]) async throws {
    try await withStores { tool in
      try await tool.load([documentLine("things/t1", 1)], into: "test")
      let planned = try await tool.bare(["shard", "plan", "--shards", "2", "--to", "W", "--"] + command)
      planned.expect(0)
      #expect(planned.errors.contains("tings has no documents. Did you mean 'things'?"), "\(planned.errors)")
    }
  }

  private static func migration(_ id: String, _ place: String, _ step: String) -> String {
    "id: \(id)\nsummary: S.\n\(place)\nsteps:\n  - \(step)\n"
  }

  @Test(
    "Migrations that cannot be divided together are refused, whichever comes first.",
    arguments: [
      ("collection: c", "collection: c\nwhere: n < 300", "an inequality"),
      ("collection: c", "collection: c\nwhere: n is-not-null", "an inequality"),
      ("collection-group: c", "collection-group: c\nwhere: n < 300", "an inequality"),
      ("collection: g/*/c", "collection-group: c", "overlaps"),
      ("collection-group: c", "collection: g/*/c", "overlaps"),
      ("collection: g/x1/c", "collection-group: c", "overlaps"),
      ("collection: c", "collection-group: c", "overlaps"),
    ]
  )
  func together(_ first: String, _ second: String, _ why: String) async throws {
    try await withStores { tool in
      let lines = ["c/1", "g/x1/c/1"].map { documentLine($0, 1) }
      try await tool.load(lines, into: "test")
      try tool.write(Self.migration("one", first, "lower: a"), to: "one.yaml")
      try tool.write(Self.migration("two", second, "copy: {from: a, to: b}"), to: "two.yaml")
      for names in [["one.yaml", "two.yaml"], ["two.yaml", "one.yaml"]] {
        let command = ["migrate", "apply"] + names + ["-e", "test"]
        let plan = try await tool.bare(["shard", "plan", "--shards", "2", "--to", "W", "--"] + command)
        plan.expectFailure(64, why)
      }
    }
  }

  @Test("The plan of several divided migrations counts each document once.")
  func plannedOnce() async throws {
    try await withStores { tool in
      try await tool.load((1...40).map { documentLine("c/t\($0)", $0) }, into: "test")
      try tool.write(Self.migration("one", "collection: c", "set: {a: x}"), to: "one.yaml")
      try tool.write(Self.migration("two", "collection: c", "copy: {from: a, to: b}"), to: "two.yaml")
      let command = ["migrate", "plan", "one.yaml", "two.yaml", "-e", "test"]
      try await tool.bare(["shard", "plan", "--shards", "2", "--to", "W", "--"] + command).expect(0)
      for task in 0..<2 { try await tool.bare(["shard", "work", "W", "--task", "\(task)"]).expect(0) }
      let finished = try await tool.bare(["shard", "finish", "W"]).expect(0)
      #expect(finished.output.contains("of 40 documents"), "\(finished.output)")
    }
  }

  @Test(
    "A task writes to an environment that is protected where it works only if it was confirmed with the plan."
  )
  func protected() async throws {
    try await withStores { tool in
      let documents = (0..<20).map { documentLine("things/t\($0)", $0) }
      try tool.write(documents.joined(separator: "\n"), to: "in.jsonl")
      func plan(_ place: String, _ more: String...) async throws {
        let load = ["import", "in.jsonl", "--schema", "none"] + more
        try await tool.bare(["shard", "plan", "--shards", "2", "--to", place, "--"] + load).expect(0)
      }
      func work(_ place: String, _ task: Int) async throws -> RunResult {
        try await tool.bare(["shard", "work", place, "--task", "\(task)"])
      }
      try await plan("S", "-e", "stage")
      let open = try tool.text("gymmigrate.yaml")
      try tool.write(open.replacing("stage: {", with: "stage: { protected: true,"), to: "gymmigrate.yaml")
      try await work("S", 0).expectFailure(77, "stage", "it is protected here", "--confirm stage")
      #expect(try await tool.dump("stage").isEmpty)

      try await plan("P", "-e", "prod", "--confirm", "prod")
      try await work("P", 0).expect(0)
      // A plan of a version that did not record it.
      let recorded = try tool.text("P/plan.json")
      try tool.write(recorded.replacing(#""confirmed":true,"#, with: ""), to: "P/plan.json")
      try await work("P", 1).expectFailure(77, "--confirm prod")
      try tool.write(recorded, to: "P/plan.json")
      try await work("P", 1).expect(0)
      try await tool.bare(["shard", "finish", "P"]).expect(0)
      #expect(try await tool.dump("prod").count == documents.count)
    }
  }

  @Test("A CSV of several collections is refused with what can be done instead.")
  func tables() async throws {
    try await withStores { tool in
      try await tool.load([documentLine("a/1", 1), documentLine("b/1", 1)], into: "test")
      let export = ["export", "a", "b", "-e", "test"]
      let plan = ["shard", "plan", "--shards", "2", "--to", "W", "--"] + export
      try await tool.bare(plan + ["--format", "csv"]).expectFailure(64, "leave out --format csv")
      try await tool.bare(plan).expect(0)
    }
  }
}
