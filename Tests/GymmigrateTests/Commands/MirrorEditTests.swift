import Foundation
import TestSupport
import Testing

@Suite("Rows of a mirror with another ID, and tables that a tool changed", .timeLimit(.minutes(60)))
struct MirrorEditTests {
  private let mini = MiniFirestore()

  private func put(_ name: String, _ total: String, _ more: String = #""x":{"integerValue":"1"}"#) throws {
    try mini.put(name, fields: "{\"total\":\(total),\(more)}")
  }

  /// Pulls a mirror of the documents so far.
  ///
  /// - Parameter rules: What the schema declares of their collection beside its fields.
  private func withMirror(
    _ rules: String = "",
    by handler: RequestHandler? = nil,
    _ body: (Tool) async throws -> Void
  ) async throws {
    try await withTool(against: handler ?? mini.handler) { tool, server in
      var tool = tool
      let schema = """
        schema: t
        collections:
          d: { \(rules)fields: { total: double, x: integer, updatedAt: timestamp } }
        """
      try tool.write(schema, to: "s.yaml")
      tool.place = ["--schema", "s.yaml"] + tool.at(server).dropFirst(2)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      try await body(tool)
    }
  }

  @discardableResult
  private func sql(_ statements: String, _ tool: Tool) async throws -> [[String]] {
    let code = """
      import sqlite3, sys
      with sqlite3.connect(sys.argv[1]) as db:
          for statement in sys.argv[2].split(";"):
              for row in db.execute(statement):
                  print("\\t".join(map(str, row)))
      """
    let result = try await Judge.python(["-c", code, tool.path("m.sqlite"), statements])
    result.expect(0)
    return result.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
  }

  private func push(_ tool: Tool) async throws -> RunResult {
    try await tool.run("mirror", "push", "m.sqlite", "--max-delete", "9", "-y", "-q")
  }

  /// The fields of a document as JSON; nil if there is none.
  private func fields(_ name: String) -> String? { mini.document(name)?.fieldsJSON }

  private func isThere(_ names: String...) -> [Bool] { names.map { mini.document($0) != nil } }

  /// The number of documents that the last run left because others are left, by default those whose rows have another ID.
  private func withheld(_ tool: Tool, _ code: String = "successor-refused") throws -> Int {
    try tool.text("\(#require(tool.runs().last))/rejects.jsonl").split(separator: "\n")
      .filter { $0.contains(code) }.count
  }

  @Test("A row with another ID takes along the exact values of its cells that nobody edited.")
  func exactValues() async throws {
    let (large, zero) = (#"{"integerValue":"9007199254740993"}"#, #"{"doubleValue":-0.0}"#)
    try put("d/a", large)
    try put("d/z", zero)
    try put("e/large", large)
    try put("e/zero", zero, #""x":{"integerValue":"5"}"#)
    try await withMirror { tool in
      try await sql(
        "UPDATE d SET _id = 'b' WHERE _id = 'a'; UPDATE d SET _id = 'y', x = 5 WHERE _id = 'z'",
        tool
      )
      try await push(tool).expect(0)
      #expect(isThere("d/a", "d/z") == [false, false])
      #expect(fields("d/b") == fields("e/large") && fields("d/y") == fields("e/zero"))
      // A row takes the place of one that moves on.
      try await sql("UPDATE d SET _id = 'c' WHERE _id = 'b'; UPDATE d SET _id = 'b' WHERE _id = 'y'", tool)
      try await push(tool).expect(0)
      #expect(isThere("d/y") == [false])
      #expect(fields("d/c") == fields("e/large") && fields("d/b") == fields("e/zero"))
      #expect(
        try await sql(
          "SELECT (SELECT count(*) FROM _mirror_edits), (SELECT count(*) FROM _mirror_moves)",
          tool
        ) == [["0", "0"]]
      )
      try await tool.run("mirror", "verify", "m.sqlite", "-q").expect(0)
    }
  }

  @Test(
    "A document stays if its row was given another ID and cannot be written there, whatever else was edited."
  )
  func refusedMoves() async throws {
    for id in ["a", "k", "v", "1", "2"] { try put("d/\(id)", #"{"doubleValue":5}"#) }
    try await withMirror { tool in
      try await sql(
        """
        UPDATE d SET _id = 'b', total = 'five' WHERE _id = 'a'; UPDATE d SET _id = 'k2', x = 3 WHERE _id = 'k'; \
        UPDATE d SET _id = 'w', x = 4 WHERE _id = 'v'; UPDATE d SET _id = '3' WHERE _id = '2'; \
        UPDATE d SET total = 'bad' WHERE _id = '3'; UPDATE d SET _id = '2', x = 7 WHERE _id = '1'
        """,
        tool
      )
      try put("d/w", #"{"doubleValue":77}"#)
      let before = fields("d/2")
      try await push(tool).expect(2)
      #expect(isThere("d/a", "d/b", "d/v", "d/1", "d/3") == [true, false, true, true, false])
      #expect(isThere("d/k", "d/k2") == [false, true])
      #expect(fields("d/2") == before)
      #expect(try withheld(tool) == 4)
      try await sql("UPDATE d SET total = 6 WHERE _id IN ('b', '3')", tool)
      try await push(tool).expect(2)
      #expect(isThere("d/a", "d/b", "d/v", "d/1", "d/3") == [false, true, true, false, true])
      #expect(try withheld(tool) == 1)
    }
  }

  @Test("A document is not written under another ID if the one that the row was cannot be deleted.")
  func refusedOrigins() async throws {
    for id in ["below", "changed", "done", "free", "1", "2"] { try put("d/\(id)", #"{"doubleValue":5}"#) }
    try put("d/done", #"{"doubleValue":100}"#)
    try put("d/below/notes/n", #"{"doubleValue":1}"#)
    try await withMirror("immutable: { when: total == 100 }, ") { tool in
      try await sql("UPDATE d SET _id = _id || '-2' WHERE length(_id) > 1", tool)
      // A chain, whose middle is refused: what is before and behind it stays as it is.
      try await sql(
        "UPDATE d SET _id = '3' WHERE _id = '2'; UPDATE d SET _id = '2', total = 'five' WHERE _id = '1'",
        tool
      )
      try put("d/changed", #"{"doubleValue":6}"#)
      let before = ["d/below", "d/changed", "d/done", "d/1", "d/2"].map(fields)
      try await push(tool).expect(2)
      #expect(["d/below", "d/changed", "d/done", "d/1", "d/2"].map(fields) == before)
      #expect(isThere("d/below-2", "d/changed-2", "d/done-2", "d/3") == [false, false, false, false])
      #expect(isThere("d/free", "d/free-2") == [false, true])
      #expect(try withheld(tool, "origin-refused") == 4)
      #expect(try withheld(tool) == 1 && withheld(tool, "has-subcollections") == 1)
      // The edits are left in the mirror, and do what they say once they can.
      mini.remove("d/below/notes/n")
      try await push(tool).expect(2)
      #expect(isThere("d/below", "d/below-2", "d/done-2") == [false, true, false])
    }
  }

  @Test(
    "Neither of a row's two documents is written without the other, whatever happens while the push runs."
  )
  func together() async throws {
    let ids = ["a", "c", "k", "r", "v"]
    for id in ids { try put("d/\(id)", #"{"doubleValue":5}"#) }
    let refused = FaultRule(
      [.commit],
      .always,
      .error(.invalidArgument("too many index entries")),
      where: { $0.documentNames.contains("d/r2") }
    )
    let faults = mini.faults(refused, maximumConsecutive: .max)
    try await withMirror(by: faults.handler) { tool in
      try await sql("UPDATE d SET _id = _id || '2'", tool)
      let before = fields("d/a")
      let isDone = Later<Void>()
      mini.setBeforeCommit { [mini] _, request in
        if isDone.isSet || !request.documentNames.contains("d/a2") { return }
        isDone.set(())
        try? mini.put("d/a2", fields: "{}")
        // Of a row that comes later.
        try? mini.put("d/v", fields: "{}")
      }
      try await push(tool).expect(2)
      let there = ids.map { isThere("d/\($0)", "d/\($0)2") }
      #expect(there == [[true, true], [false, true], [false, true], [true, false], [true, false]])
      #expect(fields("d/a") == before && fields("d/a2") == "{}" && fields("d/v") == "{}")
      #expect(try withheld(tool) == 1 && withheld(tool, "origin-refused") == 1)
      #expect(try withheld(tool, "\"INVALID_ARGUMENT\"") == 2)
      // They are put back together, too: what has another document by now stays.
      try mini.put("d/c", fields: "{}")
      try await tool.run("runs", "undo", "last").expect(2)
      #expect(isThere("d/c", "d/c2", "d/k", "d/k2") == [true, true, true, false])
    }
  }

  @Test("The plan of a push writes the two documents of a row with another ID together, or neither.")
  func plannedMoves() async throws {
    for (index, id) in ["a", "p", "q", "v"].enumerated() { try put("d/\(id)", #"{"doubleValue":\#(index)}"#) }
    try await withMirror { tool in
      try await sql(
        """
        UPDATE d SET _id = 'b' WHERE _id = 'a'; UPDATE d SET _id = 'w' WHERE _id = 'v'; \
        UPDATE d SET _id = 't' WHERE _id = 'p'; UPDATE d SET _id = 'p' WHERE _id = 'q'; \
        UPDATE d SET _id = 'q' WHERE _id = 't'
        """,
        tool
      )
      try await tool.run("mirror", "push", "m.sqlite", "-n", "-q").expect(0)
      let plan = "\(try #require(tool.runs().last))/plan.jsonl"
      try put("d/b", #"{"doubleValue":9}"#)
      try put("d/p", #"{"doubleValue":9}"#)
      let before = ["d/a", "d/b", "d/p", "d/q"].map(fields)
      let apply = ["migrate", "apply", "--plan", plan, "--max-delete", "9", "-y", "-q"]
      try await tool.bare(apply + tool.place).expect(2)
      #expect(["d/a", "d/b", "d/p", "d/q"].map(fields) == before)
      #expect(try withheld(tool, "stays as it is") == 2 && withheld(tool, "was changed since") == 2)
      #expect(isThere("d/v", "d/w") == [false, true])
      // They are put back together, too.
      try await tool.run("runs", "undo", "last").expect(0)
      #expect(isThere("d/v", "d/w") == [true, false])
    }
  }

  @Test("Rows of equal cells and times are told apart when they are given other IDs.")
  func alike() async throws {
    let time = #""updatedAt":{"timestampValue":"2026-01-01T00:00:00Z"}"#
    for (id, total) in [("zero", #"{"doubleValue":-0.0}"#), ("whole", #"{"integerValue":"0"}"#)] {
      try put("d/\(id)", total, time)
    }
    try put("d/bad", #"{"stringValue":"x"}"#, time)
    try await withMirror("update-time: updatedAt, ") { tool in
      try await sql("UPDATE d SET _id = _id || '-2'", tool)
      // One that was wrong already may stay so.
      try await push(tool).expect(0)
      #expect(isThere("d/zero", "d/whole", "d/bad") == [false, false, false])
      #expect(isThere("d/zero-2", "d/whole-2", "d/bad-2") == [true, true, true])
      #expect(fields("d/whole-2")?.contains(#""total":{"integerValue":"0"}"#) ?? false)
      #expect(fields("d/bad-2")?.contains(#""total":{"stringValue":"x"}"#) ?? false)
    }
  }

  @Test("Rows that took each other's places are written, although each has the other's times.")
  func exchangedTimes() async throws {
    for id in 1...2 {
      try put(
        "d/\(id)",
        #"{"doubleValue":\#(id)}"#,
        #""updatedAt":{"timestampValue":"2026-01-0\#(id)T00:00:00Z"}"#
      )
    }
    try await withMirror("update-time: updatedAt, ") { tool in
      try await sql(
        """
        UPDATE d SET _id = 't' WHERE _id = '1'; UPDATE d SET _id = '1' WHERE _id = '2'; \
        UPDATE d SET _id = '2' WHERE _id = 't'
        """,
        tool
      )
      try await push(tool).expect(0)
      #expect(fields("d/1")?.contains(#"{"doubleValue":2"#) ?? false)
      #expect(fields("d/2")?.contains(#"{"doubleValue":1"#) ?? false)
    }
  }

  @Test(
    "A mirror of an earlier version does not know which rows were given another ID, until it is pulled again."
  )
  func earlierVersion() async throws {
    try put("d/a", #"{"doubleValue":5}"#)
    try await withMirror { tool in
      try await sql("DROP TRIGGER _mirror_d_move; DROP TABLE _mirror_moves; UPDATE d SET x = 2", tool)
      try await push(tool).expect(0)
      try await sql("UPDATE d SET _id = 'b'", tool)
      try await push(tool).expectFailure(65, "rows of d", "earlier version")
      #expect(isThere("d/a", "d/b") == [true, false])
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q", "--discard-edits").expect(0)
      try await sql("UPDATE d SET _id = 'b'", tool)
      try await push(tool).expect(0)
      #expect(isThere("d/a", "d/b") == [false, true])
    }
  }

  @Test(
    "A table that a tool recreated or took triggers from is reported, and recreated by a pull that discards.",
    arguments: [
      "CREATE TABLE t2 AS SELECT * FROM d; DROP TABLE d; ALTER TABLE t2 RENAME TO d; DELETE FROM d",
      "DROP TRIGGER _mirror_d_update; UPDATE d SET x = 99", "ALTER TABLE d RENAME COLUMN x TO z",
      "DROP TABLE d", "ALTER TABLE d RENAME TO mine; UPDATE mine SET x = 99",
    ]
  )
  func damage(_ statements: String) async throws {
    for id in 1...3 { try put("d/\(id)", #"{"doubleValue":\#(id)}"#) }
    try await withMirror { tool in
      try await sql(statements, tool)
      try await push(tool).expectFailure(65, "the table d", "--discard-edits")
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expectFailure(65, "the table d")
      let status = try await tool.run("mirror", "status", "m.sqlite", "--offline")
      status.expect(0)
      #expect(status.output.contains("the table d "), "\(status.output)")
      #expect(try await tool.run("mirror", "verify", "m.sqlite", "-q").errors.contains("the table d "))
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q", "--discard-edits").expect(0)
      #expect(
        try await sql("SELECT total, x FROM d ORDER BY 1", tool) == [
          ["1.0", "1"], ["2.0", "1"], ["3.0", "1"],
        ]
      )
      try await sql("UPDATE d SET x = 8 WHERE _id = '2'", tool)
      try await push(tool).expect(0)
      #expect(fields("d/2")?.contains(#""x":{"integerValue":"8"}"#) ?? false)
      #expect(
        !(try await tool.run("mirror", "status", "m.sqlite", "--offline").output.contains("the table d "))
      )
    }
  }

  @Test(
    "A row that OR REPLACE removes without a trigger is an edit: a pull brings it back, and a push deletes."
  )
  func replacedRows() async throws {
    for id in 1...3 { try put("d/\(id)", #"{"doubleValue":\#(id)}"#) }
    try await withMirror { tool in
      let replace = "INSERT OR REPLACE INTO d (_id, total) VALUES ('new', 1)"
      try await sql("CREATE UNIQUE INDEX by_total ON d (total); \(replace)", tool)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q", "--full")
        .expectFailure(75, "2 documents were edited", "--discard-edits")
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q", "--full", "--discard-edits").expect(0)
      #expect(try await sql("SELECT _id FROM d ORDER BY 1", tool) == [["1"], ["2"], ["3"]])
      try await sql(replace, tool)
      try await push(tool).expect(0)
      #expect(isThere("d/1", "d/2", "d/3", "d/new") == [false, true, true, true])
      try await tool.run("mirror", "verify", "m.sqlite", "-q").expect(0)
    }
  }

  @Test("A row that can be no document is not taken for the document of a subcollection with the same path.")
  func samePath() async throws {
    try put("d/1", #"{"doubleValue":1}"#)
    try put("d/1/notes/n", #"{"doubleValue":1}"#)
    try await withMirror { tool in
      let insert = "INSERT INTO d (_id) VALUES ('1/notes/n')"
      for (x, statements) in [
        (5, "\(insert); UPDATE d_notes SET x = 5"), (6, "UPDATE d_notes SET x = 6; \(insert)"),
      ] {
        try await sql(statements, tool)
        try await push(tool).expectFailure(65, "a row of d can be no document: 'd/1/notes/n' is no path")
        try await sql("DELETE FROM d WHERE _id = '1/notes/n'", tool)
        try await push(tool).expect(0)
        #expect(fields("d/1/notes/n")?.contains("\"\(x)\"") ?? false)
      }
      try await tool.run("mirror", "verify", "m.sqlite", "-q").expect(0)
    }
  }

  @Test("A table of the user with the name of a new collection is kept, and said to be in the way.")
  func takenName() async throws {
    try put("d/1", #"{"doubleValue":1}"#)
    try await withMirror { tool in
      try await sql("CREATE TABLE e (x); INSERT INTO e VALUES ('mine')", tool)
      try put("e/1", #"{"doubleValue":1}"#)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q")
        .expectFailure(73, "table \"e\" already exists", "rename or drop it")
      #expect(try await sql("SELECT x FROM e", tool) == [["mine"]])
    }
  }

  @Test("Of a column that somebody adds, a push and the status say that its values go nowhere.")
  func addedColumn() async throws {
    try put("d/1", #"{"doubleValue":1}"#)
    try await withMirror { tool in
      try await sql("ALTER TABLE d ADD COLUMN mine INTEGER; UPDATE d SET mine = 7", tool)
      let pushed = try await push(tool)
      pushed.expect(0)
      #expect(pushed.errors.contains("d.mine"), "\(pushed.errors)")
      #expect(try await tool.run("mirror", "status", "m.sqlite", "--offline").output.contains("d.mine"))
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      #expect(try await sql("SELECT mine FROM d", tool) == [["7"]])
    }
  }
}
