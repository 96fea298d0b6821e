import Foundation
import TestSupport
import Testing

@Suite("Series of classes on the command line", .timeLimit(.minutes(60)))
struct ClassSeriesTests {
  private static let generate = [
    "classes", "generate", "--nombre", "Box", "--days", "mon,wed", "--from", "2026-01-05", "--to",
    "2026-01-18",
    "--start", "07:00", "--minutes", "60", "--capacity", "20",
  ]

  private func generate(_ tool: Tool, _ more: String...) async throws -> RunResult {
    try await tool.bare(Self.generate + more + tool.place)
  }

  @Test("-n counts, lists and ends as the run: on nothing, on a part, and on a class that was changed.")
  func preview() async throws {
    try await withTool { tool in
      func both() async throws -> (Summary.Counts, Int32, text: String) {
        let preview = try await generate(tool, "-n", "--json")
        let counts = try #require(try preview.summary()["classes"])
        let text = try await generate(tool, "-n")
        #expect(text.exitCode == preview.exitCode)
        let run = try await generate(tool, "--json")
        #expect(run.exitCode == preview.exitCode)
        let written = try #require(try run.summary()["classes"])
        #expect(counts.read == written.read && counts.skipped == written.written)
        #expect(counts.unchanged == written.unchanged && counts.rejected == written.rejected)
        return (counts, preview.exitCode, text.output)
      }
      let first = try await both()
      #expect(first.0.skipped == 4 && first.1 == 0 && first.text.hasPrefix("4 classes would be created"))
      let names = try await tool.documents().keys.sorted()
      try await tool.run("delete", "classes", "--id", try id(names[0]), "--hard", "-y", "--max-delete", "1")
        .expect(0)
      try await tool.run(
        "fix",
        "classes",
        "--where",
        "__name__ == ref(\(names[1]))",
        "--set",
        "capacidadMax=5"
      ).expect(0)
      let second = try await both()
      #expect(second.0.skipped == 1 && second.0.rejected == 1 && second.0.unchanged == 2 && second.1 == 2)
      #expect(second.text.hasPrefix("1 class would be created"))
    }
  }

  @Test("An hour without its zero is the same hour, and so the same series.")
  func hour() async throws {
    try await withTool { tool in
      try await generate(tool).expect(0)
      let words = Self.generate.map { $0 == "07:00" ? "7:00" : $0 }
      let again = try await tool.bare(words + ["--json"] + tool.place).expect(0)
      #expect(try again.summary()["classes"]?.unchanged == 4)
      for time in ["7:0", "7.00", "a:00", "17:0", "25:00"] {
        let words = Self.generate.map { $0 == "07:00" ? time : $0 }
        try await tool.bare(words + tool.place).expectFailure(64, "as 07:00")
      }
    }
  }

  private func id(_ path: String) throws -> String {
    try #require(path.split(separator: "/").last.map(String.init))
  }

  @Test("Cancelling says 66 where no class has the id, and its JSON has the bookings that the lines have.")
  func cancel() async throws {
    try await withTool { tool in
      let series = try await generate(tool).output.trimmingCharacters(in: .newlines)
      for flags in [["-n"], [], ["--json"]] {
        try await tool.bare(["classes", "cancel-series", "TYPO"] + flags + tool.place).expectFailure(
          66,
          "TYPO"
        )
      }
      let classes = try await tool.documents().keys.sorted().map(id)
      let booking = [
        "classId": s(classes[0]), "userId": s("u\t1"), "gymId": s("sajarubox"), "estado": s("activa"),
      ]
      try await tool.load([
        "classBookings/b1": booking, "classBookings/b2": booking.merging(["estado": s("cancelada")]) { $1 },
      ])
      // A series whose classes are all in the past is no typo.
      try await tool.run("classes", "cancel-series", series, "--from", "2030-01-01").expect(0)
      for flags in [["-n"], []] {
        let command = ["classes", "cancel-series", series, "--from", "2026-01-01"] + flags
        let text = try await tool.bare(command + ["-n"].filter { !flags.contains($0) } + tool.place)
        #expect(text.output.contains("booked\tclassBookings/b1\t\(classes[0])\t"))
        let json = try await tool.bare(command + ["--json"] + tool.place).expect(0)
        let summary = try JSONSerialization.jsonObject(with: Data(json.standardOutput)) as? [String: Any]
        let bookings = summary?["bookings"] as? [[String: String]]
        #expect(bookings == [["booking": "classBookings/b1", "class": classes[0], "user": "u\t1"]])
      }
    }
  }

  @Test("A cancellation that is resumed lists the bookings and what is left of the whole series.")
  func resumedCancellation() async throws {
    let mini = MiniFirestore()
    let series = #""recurrenceGroupId":{"stringValue":"s"},"isActive":{"booleanValue":true}"#
    for day in 1...4 {
      let date = #""fecha":{"timestampValue":"2026-01-0\#(day)T18:00:00Z"}"#
      try mini.put("classes/c\(day)", fields: "{\(series),\(date)}")
      let booking = #""classId":{"stringValue":"c\#(day)"},"userId":{"stringValue":"u"}"#
      try mini.put("classBookings/b\(day)", fields: #"{\#(booking),"estado":{"stringValue":"activa"}}"#)
    }
    try mini.put("classes/undated", fields: "{\(series)}")
    var rule = FaultRule([.commit], .always, .error(.permissionDenied))
    rule.matches = { String(decoding: $0.body, as: UTF8.self).contains("classes/c3") }
    let faults = ScriptedFaults(mini.handler, rules: [rule], maximumConsecutive: .max)
    try await withTool(against: faults.handler) { tool, _ in
      let cancel = ["classes", "cancel-series", "s", "--from", "2026-01-02"]
      let stopped = try await tool.bare(cancel + ["--batch-size", "1", "--in-flight", "1"] + tool.place)
      #expect(stopped.errors.contains("To resume"), "\(stopped.errors)")
      faults.setOn(false)
      let resumed = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
      let summary = try JSONSerialization.jsonObject(with: Data(resumed.standardOutput)) as? [String: Any]
      let bookings = summary?["bookings"] as? [[String: String]]
      #expect(bookings?.compactMap { $0["class"] }.sorted() == ["c2", "c3", "c4"])
      let left = summary?["left"] as? [String: Any]
      #expect(left?["before"] as? Int == 1 && left?["undated"] as? [String] == ["classes/undated"])
    }
  }

  @Test("--json has the id of a series and of a group that is created.")
  func ids() async throws {
    func member(_ name: String, _ result: RunResult) throws -> String? {
      let summary = try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [String: Any]
      return summary?[name] as? String
    }
    try await withTool { tool in
      let series = try #require(try member("series", await generate(tool, "--json").expect(0)))
      let classes = try await tool.documents().values
      #expect(classes.allSatisfy { ($0["recurrenceGroupId"] as? [String: String])?["stringValue"] == series })
      try await tool.load(["users/u1": ["fullName": s("Ana Ruiz")]])
      let create = ["groups", "create", "Lunes", "--owner", "u1", "--json"]
      #expect(try member("group", await tool.bare(create + ["-n"] + tool.place).expect(0)) == nil)
      let group = try #require(try member("group", await tool.bare(create + tool.place).expect(0)))
      #expect(try await tool.documents().keys.contains("groups/\(group)"))
    }
  }
}
