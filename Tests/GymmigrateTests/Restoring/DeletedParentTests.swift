import Foundation
import TestSupport
import Testing

@Suite("A document is not deleted from above one that stays", .timeLimit(.minutes(60)))
struct DeletedParentTests {
  private static let changed = #"{"theirs":{"nullValue":null}}"#

  private static func names(_ mini: MiniFirestore) -> [String] { mini.snapshot().map(\.name).sorted() }

  /// A database with a document, the moment at which it has no others, and others since.
  private func withOthers(
    _ others: [String],
    _ mini: MiniFirestore = MiniFirestore(),
    by handler: RequestHandler? = nil,
    _ body: (Tool, [String]) async throws -> Void
  ) async throws {
    try mini.put("a/old", fields: "{}")
    let moment = try #require(mini.document("a/old")).updateTime
    for name in others { try mini.put(name, fields: "{}") }
    try await withTool(against: handler ?? mini.handler) { tool, _ in
      try await body(tool, ["restore", "--all", "--at", moment, "--max-delete", "99"] + tool.place)
    }
  }

  /// Has somebody write documents before a commit that deletes one, unless they are written already.
  private func write(_ names: [String], whileDeleting deleted: String, in mini: MiniFirestore) {
    let isDone = Later<Void>()
    mini.setBeforeCommit { _, request in
      if !request.documentNames.contains(deleted) || isDone.isSet { return }
      isDone.set(())
      for name in names { try? mini.put(name, fields: Self.changed) }
    }
  }

  /// The last run's rejected documents with their codes.
  private func rejects(_ tool: Tool) throws -> [String] {
    try tool.list("rejects.jsonl", of: tool.lastRun()).map { "\($0["path"] ?? "") \($0["code"] ?? "")" }
      .sorted()
  }

  @Test("A restore leaves a document if somebody changes or creates one below it while the restore deletes.")
  func restore() async throws {
    let mini = MiniFirestore()
    let others = ["a/p", "a/p/s/y", "a/p/s/y/deep/d", "a/q", "a/q/s/y", "a/r", "a/r/s/y"]
    try await withOthers(others, mini) { tool, restore in
      write(["a/p/s/y/deep/d", "a/q/s/new"], whileDeleting: "a/p/s/y/deep/d", in: mini)
      try await tool.bare(restore).expect(2)
      let left = ["a/old", "a/p", "a/p/s/y", "a/p/s/y/deep/d", "a/q", "a/q/s/new"]
      #expect(Self.names(mini) == left)
      #expect(
        try rejects(tool) == [
          "a/p has-subcollections", "a/p/s/y has-subcollections", "a/p/s/y/deep/d conflict",
          "a/q has-subcollections",
        ]
      )
    }
  }

  @Test("What a restore creates or keeps below a document that was missing does not keep that one.")
  func missing() async throws {
    let mini = MiniFirestore()
    for name in ["a/p/s/kept", "a/p/s/gone"] { try mini.put(name, fields: "{}") }
    try await withOthers(["a/p", "a/p/s/new"], mini) { tool, restore in
      mini.remove("a/p/s/gone")
      try await tool.bare(restore).expect(0)
      #expect(Self.names(mini) == ["a/old", "a/p/s/gone", "a/p/s/kept"])
    }
  }

  @Test("A resumed restore leaves a document below which one was created since.")
  func resumed() async throws {
    let mini = MiniFirestore()
    let running = Later<RunningBinary>()
    let faults = mini.faults(
      FaultRule(
        [.commit],
        .number(1),
        .end(running, applied: true),
        where: { $0.documentNames.contains("a/p/s/y") }
      ),
      maximumConsecutive: .max
    )
    try await withOthers(["a/p", "a/p/s/y", "a/q"], mini, by: faults.handler) { tool, restore in
      #expect(try await tool.bare(restore, as: running).signal == SIGKILL)
      faults.setOn(false)
      for name in ["a/p/s/new", "a/q/s/new"] { try mini.put(name, fields: "{}") }
      try await tool.bare(["runs", "resume", "last"]).expect(2)
      #expect(Self.names(mini) == ["a/old", "a/p", "a/p/s/new", "a/q", "a/q/s/new"])
      #expect(try rejects(tool) == ["a/p has-subcollections", "a/q has-subcollections"])
    }
  }

  @Test("An undo leaves a document if somebody changes or creates one below it while the undo deletes.")
  func undo() async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, _ in
      let names = ["c/p", "c/p/s/y", "c/q", "c/q/s/y", "c/r", "c/r/s/y"]
      try tool.write(names.map { documentLine($0, 1) }.joined(separator: "\n") + "\n", to: "in.jsonl")
      try await tool.run("import", "in.jsonl", "--schema", "none").expect(0)
      write(["c/p/s/y", "c/q/s/new"], whileDeleting: "c/p/s/y", in: mini)
      try await tool.run("runs", "undo", "last").expect(2)
      #expect(Self.names(mini) == ["c/p", "c/p/s/y", "c/q", "c/q/s/new"])
      let listed = ["c/p has-subcollections", "c/p/s/y conflict", "c/q has-subcollections"]
      #expect(try rejects(tool) == listed)
    }
  }

  @Test(
    "A copy leaves an extraneous document if somebody changes or creates one below it, but not for what the source has."
  )
  func copy() async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    for name in ["products/a", "products/missing/parts/y"] {
      try source.load(jsonLines: documentLine(name, 1))
      try target.load(jsonLines: documentLine(name, 1))
    }
    let extraneous = ["missing", "p", "p/parts/y", "q", "r", "r/parts/y"].map { "products/\($0)" }
    try target.load(jsonLines: extraneous.map { documentLine($0, 0) }.joined(separator: "\n"))
    try await withTwoServers(source.handler, target.handler) { tool in
      write(["products/p/parts/y", "products/q/parts/new"], whileDeleting: "products/p/parts/y", in: target)
      let copy = try await tool.bare([
        "copy", "products", "--from", "prod", "--to", "test", "--delete-extraneous", "--max-delete", "9",
        "--keep-personal-data", "--json",
      ]).expect(2)
      let totals = try copy.summary().totals
      #expect(totals.conflicted == 1 && totals.rejected == 2 && totals.deleted == 3 && totals.balance)
      let left = ["a", "missing/parts/y", "p", "p/parts/y", "q", "q/parts/new"]
      #expect(Self.names(target) == left.map { "products/\($0)" })
    }
  }
}
