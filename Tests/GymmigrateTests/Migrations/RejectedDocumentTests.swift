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
      let result = try await tool.run("migrate", "apply", "users-unify", "--json")
      result.expect(2)
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
}
