import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Somebody writes between a commit and its lost answer", .timeLimit(.minutes(30)))
struct LostAnswerTests {
  /// A service that applies the first commit of documents, lets somebody else write, and loses the answer.
  private func handler(_ mini: MiniFirestore, _ write: @escaping @Sendable () -> Void) -> RequestHandler {
    let answered = Answered()
    return { request in
      let reaction = mini.handler(request)
      guard request.kind == .commit, request.text.contains("/documents/c/1"), answered.isFirst else {
        return reaction
      }
      write()
      return .dropConnection
    }
  }

  private final class Answered: Sendable {
    private let count = Mutex(0)

    /// True once.
    var isFirst: Bool {
      count.withLock { count in
        count += 1
        return count == 1
      }
    }
  }

  private static let others = [#""w":{"stringValue":"T"}"#, #""n":{"integerValue":"1"}"#]

  @Test("An undo leaves what they wrote, also in other fields, and lists it", arguments: others)
  func undo(field: String) async throws {
    let mini = MiniFirestore()
    for id in 0..<3 { try mini.put("c/\(id)", fields: #"{"n":{"integerValue":"1"}}"#) }
    // Equal values are no proof that nobody wrote: what was changed and changed back is theirs, too.
    let written = handler(mini) {
      try? mini.merge("c/1", fields: #"{"n":{"integerValue":"7"}}"#)
      try? mini.merge("c/1", fields: "{\(field)}")
    }
    try await withTool(against: written) { tool, _ in
      try tool.write("id: q\nsummary: x\ncollection: c\nsteps:\n  - set: { q: 1 }\n", to: "q.yaml")
      try await tool.run("migrate", "apply", "q.yaml").expect(0)
      let undo = try await tool.run("migrate", "undo", "last", "--json").expect(2)
      let totals = try undo.summary().totals
      #expect(totals.written == 2 && totals.conflicted == 1)
      let left = try #require(mini.document("c/1")).fieldsJSON
      #expect(left.contains(field) && left.contains(#""q":"#))
      #expect(mini.document("c/0")?.fieldsJSON.contains(#""q":"#) == false)
    }
  }

  /// Answers the first commit of `c/1` as if it were refused: it is made, and the run does not learn of it.
  private static func refusing(_ mini: MiniFirestore) -> RequestHandler {
    let answered = Answered()
    let refusal = Reaction.json(#"{"error":{"code":403,"status":"PERMISSION_DENIED"}}"#, status: 403)
    return { request in
      let reaction = mini.handler(request)
      let isMeant = request.kind == .commit && request.text.contains("/documents/c/1")
      return isMeant && answered.isFirst ? refusal : reaction
    }
  }

  private static let changing = [
    ["delete", "c", "--all-documents", "--hard", "--max-delete", "9"],
    ["fix", "c", "--all-documents", "--set", "q=1"],
  ]

  @Test("Resumed, a run leaves what another wrote since, and undoing both restores all", arguments: changing)
  func resume(_ command: [String]) async throws {
    let mini = MiniFirestore()
    for id in 0..<3 { try mini.put("c/\(id)", fields: #"{"n":{"integerValue":"1"}}"#) }
    func fields() -> [String?] { (0..<3).map { mini.document("c/\($0)")?.fieldsJSON } }
    let before = fields()
    try await withTool(against: Self.refusing(mini)) { tool, _ in
      let common = ["--schema", "none", "--batch-size", "1", "--in-flight", "1"] + tool.place
      try await tool.bare(command + common).expect(77)
      let run = try tool.lastRun()
      try tool.write(documentLine("c/1", 100) + "\n", to: "in.jsonl")
      try await tool.bare(["import", "in.jsonl", "--mode", "upsert"] + common).expect(0)
      let (load, theirs) = (try tool.lastRun(), mini.document("c/1")?.fieldsJSON)
      try await tool.bare(["runs", "resume", run]).expect(2)
      #expect(mini.document("c/1")?.fieldsJSON == theirs)
      for undone in [load, run] { try await tool.run("migrate", "undo", undone).expect(0) }
      #expect(fields() == before)
    }
  }

  /// A command that is resumed, and what somebody makes of `c/1` before: nothing, or something that no filter selects.
  struct Hiding: Sendable, CustomTestStringConvertible {
    var command: [String]
    var left: String?

    var testDescription: String { command.joined(separator: " ") + (left == nil ? ", deleted" : ", changed") }
  }

  private static let hiding = [
    Hiding(command: ["fix", "c", "--all-documents", "--set", "q=1"]),
    Hiding(command: ["migrate", "apply", "q.yaml"]),
    Hiding(command: ["import", "in.jsonl", "--mode", "upsert"]),
    Hiding(command: ["import", "in.jsonl", "--mode", "upsert"], left: other),
    Hiding(command: ["fix", "c", "--where", "n == 1", "--set", "q=1"], left: other),
    Hiding(command: ["delete", "c", "--where", "n == 1", "--hard", "--max-delete", "9"], left: other),
  ]
  private static let other = #"{"n":{"integerValue":"7"}}"#

  @Test("Resumed, a run lists as a conflict what it may have written and does not meet", arguments: hiding)
  func unmet(_ hiding: Hiding) async throws {
    let mini = MiniFirestore()
    for id in 0..<3 { try mini.put("c/\(id)", fields: #"{"n":{"integerValue":"1"}}"#) }
    try await withTool(against: Self.refusing(mini)) { tool, _ in
      try tool.write("id: q\nsummary: x\ncollection: c\nsteps:\n  - set: { q: 1 }\n", to: "q.yaml")
      let lines = (0..<3).map { documentLine("c/\($0)", 2) + "\n" }
      try tool.write(lines.joined(), to: "in.jsonl")
      let common = ["--schema", "none", "--batch-size", "1", "--in-flight", "1"] + tool.place
      try await tool.bare(hiding.command + common).expect(77)
      let run = try tool.lastRun()
      mini.remove("c/1")
      if let left = hiding.left { try mini.put("c/1", fields: left) }
      let theirs = mini.document("c/1")?.fieldsJSON
      let resumed = try await tool.bare(["runs", "resume", run, "--json"]).expect(2)
      let totals = try resumed.summary().totals
      #expect(totals.read == 3 && totals.written == 2 && totals.balance, "\(totals)")
      #expect(totals.conflicted == 1 && totals.rejected == 0, "\(totals)")
      let rejects = try tool.list("rejects.jsonl", of: run)
      #expect(rejects.compactMap { $0["path"] as? String } == ["c/1"])
      #expect(rejects.first?["code"] as? String == "conflict")
      #expect(mini.document("c/1")?.fieldsJSON == theirs)
    }
  }

  @Test(
    "What an interrupted import was not allowed to create is no conflict of its undo, whatever runs did since",
    arguments: [false, true],
    [false, true]
  )
  func refusedCreation(isResumed: Bool, isDeleted: Bool) async throws {
    let mini = MiniFirestore()
    try mini.put("c/0", fields: #"{"n":{"integerValue":"1"}}"#)
    let before = mini.document("c/0")?.fieldsJSON
    let answered = Answered()
    let refusal = Reaction.json(#"{"error":{"code":403,"status":"PERMISSION_DENIED"}}"#, status: 403)
    let handler: RequestHandler = { request in
      let isMeant = request.kind == .commit && request.text.contains("/documents/c/")
      return isMeant && answered.isFirst ? refusal : mini.handler(request)
    }
    try await withTool(against: handler) { tool, _ in
      let common = ["--schema", "none"] + tool.place
      try tool.write(documentLine("c/0", 2) + "\n" + documentLine("c/1", 2) + "\n", to: "in.jsonl")
      try await tool.bare(["import", "in.jsonl", "--mode", "create"] + common).expect(77)
      let load = try tool.lastRun()
      if isResumed { try await tool.bare(["runs", "resume", load]).expect(2) }
      let change =
        isDeleted
        ? ["delete", "c", "--id", "0", "--hard", "--max-delete", "1"]
        : ["fix", "c", "--where", "n == 1", "--set", "q=1", "--no-touch"]
      try await tool.bare(change + common).expect(0)
      let undone = [try tool.lastRun(), load]
      for run in undone { try await tool.run("migrate", "undo", run).expect(0) }
      #expect(mini.document("c/0")?.fieldsJSON == before && mini.document("c/1") == nil)
    }
  }
}
