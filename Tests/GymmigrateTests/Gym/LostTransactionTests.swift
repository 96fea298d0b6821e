import Foundation
import TestSupport
import Testing

@Suite("Commands that are killed at the commit of their transaction, and resumed", .timeLimit(.minutes(30)))
struct LostTransactionTests {
  /// A command and what it does to the gym.
  struct Work: Sendable, CustomTestStringConvertible {
    var command: [String]
    var written: Int
    var new = 0
    var deleted = 0

    var testDescription: String { command.joined(separator: " ") }
  }

  private static let works = [
    Work(command: ["setup", "set", "u0"], written: 1, new: 1),
    Work(command: ["email", "register", "u1@example.com", "u1"], written: 1, new: 1),
    // A group, its first member, and the user.
    Work(command: ["groups", "create", "Dos", "--owner", "u1", "--current"], written: 3, new: 2),
    // A member, the count, and the user.
    Work(command: ["groups", "add", "g", "u2", "--current"], written: 3, new: 1),
    Work(command: ["groups", "remove", "g", "u1"], written: 3, deleted: 1),
    Work(command: ["groups", "promote", "g", "u1"], written: 1),
    // Two members, the group, and the user whose current one it was. The bound is just what is deleted.
    Work(command: ["groups", "delete", "g", "--max-delete", "3"], written: 4, deleted: 3),
  ]

  /// Three users, of whom the first is an admin, and a group of the first two, which is the current one of the second.
  private static func gym() throws -> MiniFirestore {
    let mini = MiniFirestore()
    for number in 0..<3 {
      let current = number == 1 ? #","currentGroupId":{"stringValue":"g"}"# : ""
      let role = number == 0 ? "admin" : "member"
      try mini.put(
        "users/u\(number)",
        fields:
          #"{"id":{"stringValue":"u\#(number)"},"fullName":{"stringValue":"Persona \#(number)"},"#
          + #""email":{"stringValue":"u\#(number)@example.com"},"role":{"stringValue":"\#(role)"},"#
          + #""isActive":{"booleanValue":true}\#(current)}"#
      )
      if number == 2 { continue }
      try mini.put(
        "groups/g/members/u\(number)",
        fields:
          #"{"displayName":{"stringValue":"Persona \#(number)"},"role":{"stringValue":"\#(role)"},"#
          + #""isActive":{"booleanValue":true}}"#
      )
    }
    try mini.put(
      "groups/g",
      fields: #"{"name":{"stringValue":"Uno"},"createdBy":{"stringValue":"u0"},"#
        + #""memberCount":{"integerValue":"2"},"isActive":{"booleanValue":true}}"#
    )
    return mini
  }

  /// Kills a command at its first commit.
  private func kill(
    _ command: [String],
    in mini: MiniFirestore,
    applied: Bool,
    _ body: (Tool) async throws -> Void
  ) async throws {
    let running = Later<RunningBinary>()
    let faults = mini.faults(FaultRule([.commit], .number(1), .end(running, applied: applied)))
    try await withTool(against: faults.handler) { tool, _ in
      let killed = try await tool.bare(command + tool.place, as: running)
      try #require(killed.signal == SIGKILL, "\(killed.errors)")
      faults.setOn(false)
      try await body(tool)
    }
  }

  @Test("The counts, the exit code and the undo are those of the whole run", arguments: works, [true, false])
  func resumed(_ work: Work, applied: Bool) async throws {
    let mini = try Self.gym()
    let before = mini.lines()
    try await kill(work.command, in: mini, applied: applied) { tool in
      let resumed = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
      let totals = try resumed.summary().totals
      let counted = [totals.written, totals.new, totals.deleted]
      #expect(counted == [work.written, work.new, work.deleted] && totals.balance, "\(totals)")
      #expect(totals.rejected == 0 && totals.unchanged == 0, "\(totals)")
      #expect(resumed.errorLines.contains { $0.hasPrefix("To undo: ") }, "\(resumed.errors)")
      try await tool.run("runs", "undo", "last").expect(0)
      #expect(mini.lines() == before)
    }
  }

  @Test("What somebody changed since counts as written, and is a note")
  func changedSince() async throws {
    let mini = try Self.gym()
    try await kill(["groups", "add", "g", "u2"], in: mini, applied: true) { tool in
      try mini.merge("groups/g", fields: #"{"name":{"stringValue":"Tres"}}"#)
      let resumed = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
      let totals = try resumed.summary().totals
      #expect(totals.written == 2 && totals.new == 1 && totals.balance, "\(totals)")
      let notes = try tool.text(".gymmigrate/runs/\(tool.lastRun())/findings.csv")
      #expect(notes.contains("changed-since") && notes.contains("groups/g"), "\(notes)")
      #expect(mini.document("groups/g")?.fieldsJSON.contains("Tres") == true)
    }
  }
}
