import Foundation
import TestSupport
import Testing

@Suite("Documents that a migration rejects", .timeLimit(.minutes(10)))
struct RejectedDocumentTests {
  @Test("Two values of the wrong type are one line, which is corrected and imported as it is.")
  func once() async throws {
    let mini = MiniFirestore()
    try mini.put(
      "users/u",
      fields:
        #"{"nombre":{"stringValue":"Ana"},"activo":{"stringValue":"si"},"telefono":{"integerValue":"5512345678"}}"#
    )
    try await withTool(against: mini.handler) { tool, _ in
      // Several migrations leave it alone.
      try await tool.run("migrate", "apply", "users-unify", "is-active").expect(2)
      let both = try tool.text(".gymmigrate/runs/\(try tool.lastRun())/findings.csv")
      #expect(
        both.contains("\"users-unify\",\"wrong-type\"") && both.contains("\"is-active\",\"wrong-type\""),
        "\(both)"
      )
      #expect(try tool.list("rejects.jsonl", of: tool.lastRun()).map { $0["path"] as? String } == ["users/u"])
      let result = try await tool.run("migrate", "apply", "users-unify", "--json").expect(2)
      #expect(try result.summary().totals.rejected == 1)
      let run = try tool.lastRun()
      let rejects = try tool.list("rejects.jsonl", of: run)
      #expect(rejects.map { $0["path"] as? String } == ["users/u"])
      let message = try #require(rejects.first?["message"] as? String)
      #expect(message.contains("telefono is integer") && message.contains("activo is string"), "\(message)")
      let findings = try tool.text(".gymmigrate/runs/\(run)/findings.csv")
      #expect(findings.components(separatedBy: "\"wrong-type\"").count == 3, "\(findings)")

      let corrected = try tool.text(".gymmigrate/runs/\(run)/rejects.jsonl")
        .replacing(#""stringValue":"si""#, with: #""booleanValue":true"#)
        .replacing(#""integerValue":"5512345678""#, with: #""stringValue":"5512345678""#)
      try tool.write(corrected, to: "rejects.jsonl")
      try await tool.run("import", "rejects.jsonl", "--mode", "upsert").expect(0)
      let again = try await tool.run("migrate", "apply", "users-unify", "--json")
      #expect(try again.summary().totals.rejected == 0)
    }
  }

  @Test(
    "A line has the whole document as it was, and when it was written, where the service refuses the change, too.",
    arguments: [false, true]
  )
  func refused(isPlanned: Bool) async throws {
    try await withTool { tool in
      let text = String(repeating: "x", count: 600_000)
      let fields = #""t":{"stringValue":"\#(text)"},"k":{"integerValue":"1"},"o":{"stringValue":"other"}"#
      try tool.write(#"{"name":"c/1","fields":{\#(fields)}}"# + "\n", to: "in.jsonl")
      try await tool.run("import", "in.jsonl").expect(0)
      let fix = ["fix", "c", "--all-documents", "--copy", "t=u", "--set", "k=9"] + tool.place
      if isPlanned {
        try await tool.bare(fix + ["-n"]).expect(0)
        let plan = ".gymmigrate/runs/\(try tool.lastRun())/plan.jsonl"
        try await tool.run("migrate", "apply", "--plan", plan).expect(2)
      } else {
        try await tool.bare(fix).expect(2)
      }
      let listed = try tool.list("rejects.jsonl", of: tool.lastRun()).first?["document"] as? [String: Any]
      #expect(listed?["updateTime"] != nil)
      let rejects = ".gymmigrate/runs/\(try tool.lastRun())/rejects.jsonl"
      let again = try await tool.run("import", rejects, "--mode", "upsert", "--json").expect(0)
      #expect(try again.summary().totals.unchanged == 1)
    }
  }

  @Test(
    "A line takes nothing back that was written since it was listed, and makes no document that was deleted.",
    arguments: ["upsert", "merge"]
  )
  func outdated(_ mode: String) async throws {
    let mini = MiniFirestore()
    let fields =
      #"{"nombre":{"stringValue":"Ana"},"activo":{"booleanValue":true},"telefono":{"integerValue":"5512345678"}}"#
    for user in ["users/changed", "users/deleted", "users/same"] { try mini.put(user, fields: fields) }
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("migrate", "apply", "users-unify").expect(2)
      let corrected = try tool.text(".gymmigrate/runs/\(tool.lastRun())/rejects.jsonl")
        .replacing(#""integerValue":"5512345678""#, with: #""stringValue":"5512345678""#)
      try tool.write(corrected, to: "rejects.jsonl")
      let since = fields.replacing("Ana", with: "Eva")
      try mini.put("users/changed", fields: since)
      mini.remove("users/deleted")

      for words in [["-n"], []] {
        let command = ["import", "rejects.jsonl", "--mode", mode, "--json"] + words + tool.place
        let result = try await tool.bare(command).expect(2)
        let totals = try result.summary().totals
        #expect(totals.conflicted == 2 && totals.rejected == 0)
        let rejects = try tool.list("rejects.jsonl", of: tool.lastRun())
        #expect(rejects.compactMap { $0["path"] as? String }.sorted() == ["users/changed", "users/deleted"])
        #expect(rejects.allSatisfy { $0["code"] as? String == "conflict" && $0["document"] == nil })
      }
      #expect("\(try mini.document("users/changed")?.fields()["nombre"] ?? "")".contains("Eva"))
      #expect(mini.document("users/deleted") == nil)
      #expect("\(try mini.document("users/same")?.fields()["telefono"] ?? "")".contains("stringValue"))
      // What is as the line wants it is no conflict, though it was written since.
      let again = try await tool.run("import", "rejects.jsonl", "--mode", mode, "--json")
      #expect(try again.summary().totals.unchanged == 1)
    }
  }

  @Test("What an interrupted import of a list wrote is its own, though somebody changed it since.")
  func resumed() async throws {
    let mini = MiniFirestore()
    let fields = #"{"nombre":{"stringValue":"Ana"},"telefono":{"integerValue":"5512345678"}}"#
    let users = ["users/a", "users/b", "users/c"]
    for user in users { try mini.put(user, fields: fields) }
    func phone(_ user: String) throws -> String { "\(try mini.document(user)?.fields()["telefono"] ?? "")" }
    let running = Later<RunningBinary>()
    let faults = mini.faults(
      FaultRule(
        [.commit],
        .number(3),
        .end(running),
        where: { String(decoding: $0.body, as: UTF8.self).contains("documents/users/") }
      )
    )
    faults.setOn(false)
    try await withTool(against: faults.handler) { tool, _ in
      try await tool.run("migrate", "apply", "users-unify").expect(2)
      let corrected = try tool.text(".gymmigrate/runs/\(tool.lastRun())/rejects.jsonl")
        .replacing(#""integerValue":"5512345678""#, with: #""stringValue":"5512345678""#)
      try tool.write(corrected, to: "rejects.jsonl")
      faults.setOn(true)
      let words = ["import", "rejects.jsonl", "--mode", "upsert", "--batch-size", "1", "--in-flight", "1"]
      let result = try await tool.bare(words + tool.place, as: running)
      #expect(result.signal == SIGKILL, "\(result.errors)")
      faults.setOn(false)
      let written = try users.filter { try phone($0).contains("stringValue") }
      try #require(written.count == 2)
      try mini.put(written[0], fields: #"{"nombre":{"stringValue":"Eva"}}"#)

      let resumed = try await tool.bare(["runs", "resume", "last", "--yes", "--json"]).expect(0)
      let totals = try resumed.summary().totals
      #expect(totals.written == 3 && totals.rejected == 0, "\(resumed.output)")
      #expect("\(try mini.document(written[0])?.fields()["nombre"] ?? "")".contains("Eva"))
    }
  }
}
