import TestSupport
import Testing

@Suite("The bound of the deletions of several migrations", .timeLimit(.minutes(60)))
struct DeletionBoundTests {
  private static let pruning = """
    id: visitors
    summary: Deletes visitors.
    collection: check_ins
    where: type == visitor
    steps:
      - delete: hard

    """

  private static let renaming = """
    id: guests
    summary: Makes guests visitors.
    collection: check_ins
    where: type == guest
    steps:
      - set: { type: visitor }

    """

  private static func checkIns(_ type: String, _ count: Int) -> Documents {
    Dictionary(
      uniqueKeysWithValues: (1...count).map { number in
        let id = "\(type)\(number)"
        return ("check_ins/\(id)", ["id": s(id), "type": s(type)])
      }
    )
  }

  @Test("It is one number for all, refused before anything is written, and such a run bars no other.")
  func together() async throws {
    try await withTool { tool in
      var documents = Self.checkIns("visitor", 3)
      documents["users/u"] = ["fullName": s("Ana Paz"), "email": s("a@b.mx")]
      for name in ["g", "h", "i"] { documents["user_emails/\(name)@b.mx"] = ["primaryUserId": s("nobody")] }
      try await tool.load(documents)
      try tool.write(Self.pruning, to: "m.yaml")
      let before = try await tool.documents()
      let apply = ["migrate", "apply", "users-unify", "user-emails", "m.yaml", "--prune"] + tool.place
      for bound in ["0", "5"] {
        let refused = try await tool.bare(apply + ["--max-delete", bound])
        refused.expectFailure(77, "user-emails, visitors", "and 6 are meant; nothing was written")
        #expect(try await tool.documents() == before)
      }
      let applied = try await tool.bare(apply + ["--max-delete", "6", "--json"])
      #expect(try applied.summary().totals.deleted == 6, "\(applied.errors)")
    }
  }

  @Test("A migration that refuses to delete does so before another one writes.")
  func refusing() async throws {
    try await withTool { tool in
      try await tool.load([
        "members/m": ["firstName": s("Ana")], "user_emails/g@b.mx": ["primaryUserId": s("nobody")],
      ])
      let before = try await tool.documents()
      let apply = ["migrate", "apply", "is-active", "user-emails", "--prune", "--max-delete", "5"]
      try await tool.bare(apply + tool.place).expectFailure(77, "users has no documents")
      #expect(try await tool.documents() == before)
      try await tool.run("migrate", "apply", "is-active").expect(0)
    }
  }

  @Test("What an earlier migration leaves is counted, not what is there.")
  func dependent() async throws {
    try await withTool { tool in
      try await tool.load(Self.checkIns("visitor", 3).merging(Self.checkIns("guest", 2)) { old, _ in old })
      try tool.write(Self.pruning, to: "visitors.yaml")
      try tool.write(Self.renaming, to: "guests.yaml")
      let before = try await tool.documents()
      let apply = ["migrate", "apply", "guests.yaml", "visitors.yaml", "--max-delete"]
      try await tool.bare(apply + ["4"] + tool.place).expectFailure(
        77,
        "and 5 are meant; nothing was written"
      )
      #expect(try await tool.documents() == before)
      try await tool.bare(apply + ["5"] + tool.place).expect(0)
      #expect(try await tool.documents().isEmpty)
    }
  }

  @Test(
    "Somebody who is asked again, because the run was interrupted, types what is left.",
    arguments: [1, 2]
  )
  func typedAgain(_ migrations: Int) async throws {
    let mini = MiniFirestore()
    for number in 1...40 {
      try mini.put("check_ins/v\(number)", fields: #"{"type":{"stringValue":"visitor"}}"#)
    }
    let left = { @Sendable () in mini.snapshot().count { $0.name.hasPrefix("check_ins/") } }
    // Once 15 or a few more are gone, the server deletes no more.
    var rule = FaultRule([.commit], .always, oneOf: [.error(.unavailable)])
    rule.matches = { request in
      left() <= 25 && String(decoding: request.body, as: UTF8.self).contains("check_ins/")
    }
    let faults = ScriptedFaults(mini.handler, rules: [rule], maximumConsecutive: .max)
    try await withTool(against: faults.handler) { tool, _ in
      try tool.write(Self.pruning, to: "visitors.yaml")
      try tool.write(Self.renaming, to: "guests.yaml")
      let names = ["visitors.yaml", "guests.yaml"].prefix(migrations)
      let slow = ["--batch-size", "5", "--in-flight", "1", "--retry-for", "10ms"]
      let stopped = try await tool.onTerminal(["migrate", "apply"] + names + slow + tool.place, typing: "40")
      #expect(stopped.output.contains("To resume"), "\(stopped.output)")
      // A commit may hold fewer than five.
      let rest = left()
      try #require((1...25).contains(rest))
      faults.setOn(false)
      let resumed = try await tool.onTerminal(
        ["runs", "resume", try tool.lastRun()],
        typing: "\(rest)"
      )
      #expect(resumed.exitCode == 0, "\(resumed.output)")
      #expect(left() == 0)
    }
  }
}
