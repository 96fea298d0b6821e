import Foundation
import TestSupport
import Testing

@Suite("A copy that stopped", .timeLimit(.minutes(30)))
struct StoppedCopyTests {
  @Test("A copy that is killed once it has named its moment is resumed as of that moment.")
  func moment() async throws {
    let source = MiniFirestore.environment("prod")
    let target = MiniFirestore.environment("test")
    try source.load(jsonLines: documentLine("products/a", 1))
    try await withTwoServers(source.handler, target.handler) { tool in
      let copy = ["copy", "products", "--from", "prod", "--to", "test", "--keep-personal-data"]
      let killed = try await tool.onTerminal(copy, killedAt: "[y/N]")
      #expect(killed.output.contains("read at 20"), "\(killed.output)")
      try source.put("products/a", fields: #"{"n":{"integerValue":"2"}}"#)
      try source.put("products/b", fields: "{}")
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(try target.snapshot() == MiniFirestore.canonical(jsonLines: documentLine("products/a", 1)))
    }
  }

  enum Since: CaseIterable { case changed, deleted, createdAgain }

  @Test(
    "What somebody changed after a stopped copy had written it stays as they left it, and is noted.",
    arguments: Since.allCases
  )
  func changedAfterWrite(_ since: Since) async throws {
    let source = MiniFirestore.environment("prod")
    let target = MiniFirestore.environment("test")
    let names = (0..<6).map { "products/p\($0)" }
    let extraneous = ["products/x", "products/y"]
    func lines(_ names: [String]) -> String {
      names.map { documentLine($0, 1) }.joined(separator: "\n")
    }
    try source.load(jsonLines: lines(names))
    // What was deleted is created again: there is nothing but deletions to write.
    try target.load(jsonLines: lines(extraneous + (since == .createdAgain ? names : [])))
    let commits = CommitLimit()
    commits.allow(1)
    let refusal = Reaction.json(#"{"error":{"code":403,"status":"PERMISSION_DENIED"}}"#, status: 403)
    let handler: RequestHandler = { request in
      let isChange = request.kind == .commit && request.text.contains("documents/products/")
      return isChange && !commits.pass() ? refusal : target.handler(request)
    }
    try await withTwoServers(source.handler, handler) { tool in
      let copy = ["copy", "products", "--from", "prod", "--to", "test", "--keep-personal-data"]
      let deleting = ["--mode", "upsert", "--delete-extraneous", "--max-delete", "2"]
      try await tool.bare(copy + deleting + ["--batch-size", "1", "--in-flight", "1"]).expect(77)
      let theirs = try #require(
        since == .createdAgain
          ? extraneous.first { target.document($0) == nil } : names.first { target.document($0) != nil }
      )
      let fields = #"{"n":{"integerValue":"2"}}"#
      if since == .deleted { target.remove(theirs) } else { try target.put(theirs, fields: fields) }
      let left = target.document(theirs)?.fieldsJSON
      commits.allow(.max)
      let totals = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0).summary().totals
      #expect(totals.written == (since == .createdAgain ? 2 : 8) && totals.deleted == 2 && totals.balance)
      #expect(target.document(theirs)?.fieldsJSON == left)
      let findings = try await tool.findings(of: tool.lastRun())
      #expect(findings == [ListedFinding(theirs, "copy", "changed-since")])
    }
  }
}
