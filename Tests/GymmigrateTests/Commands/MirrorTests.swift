import Foundation
import TestSupport
import Testing

@Suite("A mirror and its commands", .timeLimit(.minutes(60)))
struct MirrorTests {
  /// Runs SQL on a file, by Python's own library.
  private func sql(_ statements: String, on file: String, _ tool: Tool) async throws -> [[String]] {
    let code = """
      import sqlite3, sys
      with sqlite3.connect(sys.argv[1]) as db:
          for statement in sys.argv[2].split(";"):
              for row in db.execute(statement):
                  print("\\t".join("NULL" if cell is None else str(cell) for cell in row))
      """
    let result = try await Judge.python(["-c", code, tool.path(file), statements])
    result.expect(0)
    return result.output.split(separator: "\n").map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  private func withGym(_ body: (Tool) async throws -> Void) async throws {
    try await withStore { tool, url in
      var tool = tool
      tool.place = ["-e", "stage", "--endpoint", url]
      let files = try Samples.all().map { Samples.file($0) }
      try await tool.bare(["import", "-q"] + files + tool.place).expect(0)
      try await body(tool)
    }
  }

  @Test("Every command that reads finds in a mirror what it finds in the database.")
  func asEnvironment() async throws {
    try await withGym { tool in
      let pulled = try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      // A job mails whatever is printed.
      #expect(pulled.output.isEmpty && pulled.errors.isEmpty, "\(pulled.output)\(pulled.errors)")
      for command in [
        ["check", "-q"], ["find", "ana", "-q"], ["report", "month", "2026-01", "-q"],
        ["export", "users", "-o", "-", "--format", "csv", "-q"], ["count", "--all", "-q"],
        ["export", "--all", "--subcollections", "-o", "-", "--format", "jsonl", "-q"],
      ] {
        let there = try await tool.bare(command + tool.place)
        for place in [["-e", "mirror:m.sqlite"], ["--mirror", "m.sqlite"]] {
          let here = try await tool.bare(command + place)
          #expect(here.output == there.output, "\(command)")
          #expect(here.exitCode == there.exitCode, "\(command)")
          #expect(!there.output.isEmpty)
        }
      }
      try await tool.bare(
        [
          "diff", "--all", "--from", "stage", "--from-endpoint", tool.place[3], "--to", "mirror:m.sqlite",
          "-q",
        ]
      ).expect(0)
    }
  }

  @Test(
    "After an undo and an import, a mirror and an increment have what they wrote, and say why they read all of it."
  )
  func timesThatAreSetBack() async throws {
    try await withGym { tool in
      let export = ["export", "products", "expenses", "-o", "nightly", "--dated", "--no-subcollections"]
      let ids = try await sqlOfMirror("SELECT _id FROM products ORDER BY _id LIMIT 2", tool)
      let (one, two) = (try #require(ids.first?.first), try #require(ids.last?.first))
      try await tool.run("fix", "products", "--where", "__name__ == products/\(one)", "--set", "stock=77")
        .expect(0)
      try await tool.bare(export + tool.place).expect(0)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      try await tool.run("runs", "undo", "last").expect(0)
      // The edited document has another update time by then, and the fields that the mirror has.
      let edit = "UPDATE products SET description = 'edited' WHERE _id = '\(two)'"
      _ = try await sql(edit, on: "m.sqlite", tool)
      try await tool.run("fix", "products", "--where", "__name__ == products/\(two)", "--set", "stock=78")
        .expect(0)
      try await tool.run("runs", "undo", "last").expect(0)
      try await tool.bare(["mirror", "push", "m.sqlite", "--endpoint", tool.place[3], "-e", "stage"]).expect(
        0
      )
      let pull = try await tool.run("mirror", "pull", "-o", "m.sqlite").expect(0)
      #expect(pull.errors.contains("wrote earlier times of last change in products: all of it is read"))
      #expect(!pull.errors.contains("in expenses: all of it is read"))
      try await tool.bare(
        [
          "diff", "products", "--from", "stage", "--from-endpoint", tool.place[3], "--to", "mirror:m.sqlite",
          "-q",
        ]
      ).expect(0)
      let increment = try await tool.bare(export + ["--since", "last"] + tool.place).expect(0)
      #expect(
        increment.errors.contains("wrote earlier times of last change in products: all of it is exported")
      )
      let name = try #require(tool.exports.last)
      #expect(try tool.text("nightly/\(name)/products.jsonl").split(separator: "\n").count > 2)
      // What has ended before a pull began is not read whole again.
      let again = try await tool.run("mirror", "pull", "-o", "m.sqlite")
      #expect(!again.errors.contains("earlier times"))
    }
  }

  private func sqlOfMirror(_ statement: String, _ tool: Tool) async throws -> [[String]] {
    try await tool.run("mirror", "pull", "-o", "first.sqlite", "-q").expect(0)
    return try await sql(statement, on: "first.sqlite", tool)
  }

  @Test("A mirror is not written, and what is none is said to be none.")
  func refusals() async throws {
    try await withGym { tool in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let before = try Data(contentsOf: tool.folder.appendingPathComponent("m.sqlite"))
      for command in [
        ["fix", "users", "--set", "a=1", "--all-documents", "--yes"],
        ["migrate", "apply", "is-active", "--yes"],
        ["import", Samples.file("users"), "--yes"],
        ["delete", "users", "--where", "role == \"member\"", "--yes"],
      ] {
        let result = try await tool.bare(command + ["--mirror", "m.sqlite"])
        #expect(result.exitCode == 77, "\(command): \(result.errors)")
        #expect(result.errors.contains("mirror"))
      }
      #expect(try Data(contentsOf: tool.folder.appendingPathComponent("m.sqlite")) == before)
      try await tool.bare(["count", "users", "-e", "mirror:none.sqlite"]).expect(66)
      try tool.write("not a database, and longer than a header would be, by some words", to: "text.sqlite")
      try await tool.bare(["count", "users", "-e", "mirror:text.sqlite"]).expect(65)
      try await tool.bare(["count", "users", "-e", "stage", "--mirror", "m.sqlite"]).expect(64)
      try await tool.bare(["count", "users", "--mirror", "m.sqlite", "--project", "p"]).expect(64)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "--database", "other", "-q").expect(77)
      try await tool.run("mirror", "pull", "-o", "missing/m.sqlite", "-q").expect(73)
      #expect(try Data(contentsOf: tool.folder.appendingPathComponent("m.sqlite")) == before)
    }
  }

  @Test("The views say what the documents say.")
  func views() async throws {
    try await withGym { tool in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let months = try await sql(
        "SELECT month, sum(payments) FROM income_by_month GROUP BY 1 ORDER BY 1",
        on: "m.sqlite",
        tool
      )
      let report = try await tool.bare(["report", "month", "2026-01", "--json", "--mirror", "m.sqlite"])
      #expect(months.count > 1)
      let json = try #require(
        JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any]
      )
      let amounts = try await sql(
        "SELECT round(sum(amount) * 100) FROM income_by_month WHERE month = '2026-01'",
        on: "m.sqlite",
        tool
      )
      let income = try #require((json["income"] as? [String: Any])?["totalCents"] as? Int)
      #expect(amounts == [["\(income).0"]])
      for view in ["expenses_by_month", "check_ins_by_day", "members_by_status", "low_stock"] {
        #expect(try await !sql("SELECT * FROM \(view)", on: "m.sqlite", tool).isEmpty, "\(view)")
      }
    }
  }

  @Test(
    "The views leave other currencies out, have the stock, and end memberships by days of the gym, as the report does."
  )
  func viewsAndReport() async throws {
    try await withGym { tool in
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = try #require(TimeZone(identifier: "America/Mexico_City"))
      let today = calendar.startOfDay(for: Date())
      // The first second of today, and the last ones of the seventh day and of the day behind it.
      let ends = try [("m0", 0, 1), ("m7", 8, -1), ("m8", 9, -1)].map { id, days, seconds in
        let day = try #require(calendar.date(byAdding: .day, value: days, to: today))
        return (id, ISO8601DateFormatter().string(from: day.addingTimeInterval(Double(seconds))))
      }
      var lines = ends.map { id, end in
        #"{"name":"members/\#(id)","fields":{"membershipStatus":{"stringValue":"active"},"membershipEndDate":{"timestampValue":"\#(end)"}}}"#
      }
      let white = [
        "\\t", "\\n", "\\u000B", "\\u0085", "\u{A0}", "\u{1680}", "\u{2000}", "\u{2028}", "\u{202F}",
        "\u{3000}",
      ]
      let currencies = ["USD", " mxn", "M XN", "\u{200B}MXN"] + white + white.map { "\($0)MXN \($0)" }
      for (id, currency) in currencies.enumerated().map({ ("p\($0)", $1) }) {
        lines.append(
          #"{"name":"payments/\#(id)","fields":{"status":{"stringValue":"completed"},"amount":{"doubleValue":1000},"currency":{"stringValue":"\#(currency)"},"type":{"stringValue":"x"},"completedAt":{"timestampValue":"2026-01-10T18:00:00Z"}}}"#
        )
      }
      for stock in ["0.5", "-0.5", "5", "5.1"] {
        lines.append(#"{"name":"products/s\#(stock)","fields":{"stock":{"doubleValue":\#(stock)}}}"#)
      }
      try tool.write(lines.joined(separator: "\n") + "\n", to: "more.jsonl")
      try await tool.run("import", "more.jsonl", "-q").expect(0)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let text = try await tool.bare(["report", "month", "2026-01", "--json", "--mirror", "m.sqlite"]).output
      let report = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let income = try #require((report["income"] as? [String: Any])?["totalCents"] as? Int)
      let soon = ((report["members"] as? [String: Any])?["endingSoon"] as? [[String: Any]] ?? []).compactMap {
        $0["id"] as? String
      }
      #expect(soon.contains("m0") && soon.contains("m7") && !soon.contains("m8"))
      let amounts = "SELECT round(sum(amount) * 100) FROM income_by_month WHERE month = '2026-01'"
      #expect(try await sql(amounts, on: "m.sqlite", tool) == [["\(income).0"]])
      let members = try await sql("SELECT _id FROM memberships_that_end", on: "m.sqlite", tool)
      #expect(Set(members.flatMap { $0 }) == Set(soon))
      let low = (report["lowStock"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
      #expect(Set(low).isSuperset(of: ["s0.5", "s-0.5", "s5"]))
      #expect(
        try await Set(sql("SELECT _id FROM low_stock", on: "m.sqlite", tool).flatMap { $0 }) == Set(low)
      )
    }
  }

  @Test("The views are of the days, times and amounts that the report counts.")
  func oddValues() async throws {
    try await withGym { tool in
      func payment(_ id: String, _ amount: String, _ completed: String) -> String {
        #"{"name":"payments/\#(id)","fields":{"status":{"stringValue":"completed"},"amount":\#(amount),"type":{"stringValue":"odd"},"completedAt":\#(completed),"createdAt":{"timestampValue":"2031-01-10T18:00:00Z"}}}"#
      }
      let lines = [
        payment("o1", #"{"doubleValue":450}"#, #"{"stringValue":"2031-01-10"}"#),
        // The last instant of January in the gym's zone.
        payment("o2", #"{"doubleValue":100}"#, #"{"timestampValue":"2031-02-01T05:59:59.999999Z"}"#),
        payment("o3", #"{"stringValue":"300"}"#, #"{"timestampValue":"2031-01-12T18:00:00Z"}"#),
        #"{"name":"check_ins/o","fields":{"checkInDate":{"timestampValue":"2031-02-01T05:59:59.9999Z"}}}"#,
        #"{"name":"check_ins/p","fields":{"checkInDate":{"stringValue":"2031-02-01"}}}"#,
        #"{"name":"expenses/o","fields":{"amount":{"doubleValue":30},"isActive":{"stringValue":"si"},"date":{"timestampValue":"2031-02-01T05:59:59.999999Z"}}}"#,
      ]
      try tool.write(lines.joined(separator: "\n") + "\n", to: "more.jsonl")
      try await tool.run("import", "more.jsonl", "-q").expect(0)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let text = try await tool.bare(["report", "month", "2031-01", "--json", "--mirror", "m.sqlite"]).output
      let report = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      #expect((report["income"] as? [String: Any])?["totalCents"] as? Int == 55_000, "\(text)")
      #expect((report["expenses"] as? [String: Any])?["totalCents"] as? Int == 3_000, "\(text)")
      #expect((report["checkIns"] as? [String: Any])?["total"] as? Int == 1, "\(text)")
      for (query, expected) in [
        (
          "SELECT month, payments, amount FROM income_by_month WHERE type = 'odd'",
          [["2031-01", "2", "550.0"]]
        ),
        ("SELECT month, amount FROM expenses_by_month WHERE month > '2031'", [["2031-01", "30.0"]]),
        (
          "SELECT day, check_ins FROM check_ins_by_day WHERE day > '2031' OR day IS NULL",
          [["2031-01-31", "1"]]
        ),
      ] {
        #expect(try await sql(query, on: "m.sqlite", tool) == expected, "\(query)")
      }
    }
  }

  @Test("A delta reads what changed, and finds what was deleted.")
  func delta() async throws {
    try await withGym { tool in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q", "--overlap", "0s").expect(0)
      let first = try await sql("SELECT count(*) FROM users", on: "m.sqlite", tool)
      #expect(first == [["400"]])
      let admins = try await sql("SELECT count(*) FROM users WHERE role = 'admin'", on: "m.sqlite", tool)
      let fixed = try #require(admins.first?.first)
      #expect(fixed != "0")
      try await tool.run(
        "fix",
        "users",
        "--set",
        "photoURL=https://a.example/1",
        "--where",
        "role == admin",
        "-q"
      )
      .expect(0)
      try await tool.run(
        "delete",
        "products",
        "--hard",
        "--max-delete",
        "100",
        "--where",
        "stock <= 5",
        "--yes",
        "-q"
      ).expect(0)
      let left = try await tool.run("count", "products", "-q").output
      let pull = try await tool.run("mirror", "pull", "-o", "m.sqlite", "--overlap", "0s").expect(0)
      #expect(pull.output.contains(" \(fixed) written"), "\(pull.output)")
      #expect(
        try await sql(
          "SELECT count(*) FROM users WHERE photo_url = 'https://a.example/1'",
          on: "m.sqlite",
          tool
        ) == [[fixed]]
      )
      let products = try await sql("SELECT 'products', count(*) FROM products", on: "m.sqlite", tool)
      #expect(products.map { $0.joined(separator: "\t") + "\n" } == [left])
      try await tool.bare(["mirror", "verify", "m.sqlite", "-q"] + tool.place).expect(0)
    }
  }

  @Test("The status says of a collection without times of last change that a pull reads all of it.")
  func statusOfWhole() async throws {
    try await withStore { tool, url in
      var tool = tool
      tool.place = ["-e", "stage", "--endpoint", url]
      let lines = (1...30).map { documentLine("racks/r\($0)", $0) + "\n" }
      try tool.write(lines.joined(), to: "racks.jsonl")
      try await tool.run("import", "racks.jsonl", "-q").expect(0)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      for (options, served) in [([], "30"), (["--offline"], "-")] as [([String], String)] {
        let status = try await tool.bare(["mirror", "status", "m.sqlite"] + options + tool.place).expect(0)
        let row = status.output.split(separator: "\n").first { $0.hasPrefix("racks") }
        #expect(row?.split(separator: " ") == ["racks", "racks", "30", "\(served)", "whole", "30"])
      }
      let pull = try await tool.run("mirror", "pull", "-o", "m.sqlite")
      #expect((pull.output + pull.errors).contains("30 documents read"))
    }
  }

  @Test("Documents of subcollections are counted as their own, also where a collection is read whole again.")
  func countsOfSubcollections() async throws {
    try await withStore { tool, url in
      var tool = tool
      tool.place = ["--project", "p", "--database", "data", "--endpoint", url]
      let names = ["a/1", "a/2", "a/1/sub/1", "a/1/sub/2", "a/2/sub/1"]
      try tool.write(names.map { documentLine($0, 1) }.joined(separator: "\n"), to: "a.jsonl")
      try await tool.run("import", "a.jsonl", "-q").expect(0)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      try await tool.run("fix", "a", "--where", "__name__ == a/1", "--set", "n=2").expect(0)
      let pull = try await tool.run("mirror", "pull", "-o", "m.sqlite", "--full")
      #expect(pull.errors.contains("a: 2 read, 1 written, 1 unchanged\n"), "\(pull.errors)")
      #expect(pull.errors.contains("a/*/sub: 3 read, 3 unchanged\n"), "\(pull.errors)")
      try tool.write("schema: s\ncollections: { a: { fields: { n: { type: integer } } } }", to: "s.yaml")
      let check = try await tool.run("mask", "check", "--schema", "s.yaml")
      #expect(check.errors.contains("a: 2 read\na/*/sub: 3 read\n"), "\(check.errors)")
    }
  }

  @Test("A bound of deletions counts those that a push makes, as its plan does.")
  func boundOfDeletions() async throws {
    try await withStore { tool, url in
      var tool = tool
      tool.place = ["--project", "p", "--database", "data", "--endpoint", url]
      let names = ["v/1", "v/1/sub/1", "v/2", "v/3", "v/4"]
      try tool.write(names.map { documentLine($0, 1) }.joined(separator: "\n"), to: "v.jsonl")
      try await tool.run("import", "v.jsonl", "-q").expect(0)
      try await tool.run("mirror", "pull", "-o", "v.sqlite", "-q").expect(0)
      // One has a subcollection, and one is changed by others.
      _ = try await sql("DELETE FROM v", on: "v.sqlite", tool)
      try await tool.run("fix", "v", "--where", "__name__ == v/4", "--set", "n=2").expect(0)
      let push = ["mirror", "push", "v.sqlite"] + tool.place
      #expect(try await tool.bare(push + ["-n"]).output.contains("0 to update, 2 to delete"))
      try await tool.bare(push + ["--max-delete", "1"]).expectFailure(77, "and 2 are meant")
      #expect(try await tool.run("count", "v").output == "v\t4\n")
      try await tool.bare(push + ["--max-delete", "2"]).expect(2)
      #expect(try await tool.run("count", "v").output == "v\t2\n")
    }
  }

  @Test("Edits are pushed with the time of the server, undone, and kept from a pull until they are.")
  func push() async throws {
    try await withGym { tool in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let before = try await tool.run("export", "products", "-o", "-", "--format", "jsonl", "-q").output
      _ = try await sql(
        """
        UPDATE products SET stock = 77 WHERE _id IN (SELECT _id FROM products ORDER BY _id LIMIT 2); \
        UPDATE payments SET amount = 1 WHERE _id IN (SELECT _id FROM payments WHERE status = 'completed' LIMIT 1)
        """,
        on: "m.sqlite",
        tool
      )
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(75)
      let count = try await tool.bare(["count", "products", "-e", "mirror:m.sqlite"])
      #expect(count.errors.contains("m.sqlite has edits of 3 documents that were not pushed"))
      let verified = try await tool.bare(["mirror", "verify", "m.sqlite", "-q"] + tool.place).expect(0)
      #expect(verified.errors.contains("m.sqlite has edits of 3 documents that were not pushed"))
      let plan = try await tool.bare(["mirror", "push", "m.sqlite", "-n", "-q"] + tool.place).expect(2)
      #expect(plan.output.contains("stock: 0 -> 77") || plan.output.contains("-> 77"))
      #expect(try await tool.run("export", "products", "-o", "-", "--format", "jsonl", "-q").output == before)
      try await tool.bare(["mirror", "push", "m.sqlite", "-q", "--yes"] + tool.place).expect(2)
      let after = try await tool.run("export", "products", "-o", "-", "--format", "jsonl", "-q").output
      #expect(after.matches(of: /"stock":\{"integerValue":"77"\}/).count == 2)
      #expect(try await sql("SELECT count(*) FROM _mirror_edits", on: "m.sqlite", tool) == [["1"]])
      try await tool.bare(["runs", "undo", "last", "-q", "--yes"]).expect(0)
      #expect(try await tool.run("export", "products", "-o", "-", "--format", "jsonl", "-q").output == before)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q", "--full", "--discard-edits").expect(0)
      try await tool.bare(["mirror", "verify", "m.sqlite", "-q"] + tool.place).expect(0)
    }
  }

  @Test("A plan of a push has what the push reads.")
  func costOfPush() async throws {
    try await withGym { tool in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let ids = try await sqlOfMirror("SELECT _id FROM products ORDER BY _id LIMIT 3", tool).map { $0[0] }
      let edits = "UPDATE products SET stock = 770 WHERE _id IN ('\(ids[0])', '\(ids[1])')"
      _ = try await sql("\(edits); DELETE FROM products WHERE _id = '\(ids[2])'", on: "m.sqlite", tool)
      let push = ["mirror", "push", "m.sqlite", "--json"] + tool.place
      // Each document to decide and to settle, and what is below the deleted one; without a maximum the deletions are counted.
      for (more, reads) in [(["--max-delete", "1"], 7), ([], 11)] {
        let plan = try await tool.bare(push + ["-n"] + more).expect(0)
        #expect(plan.output.contains(#""cost":{"reads":\#(reads),"writes":2,"deletes":1,"#), "\(plan.output)")
      }
      let pushed = try await tool.bare(push + ["--max-delete", "1", "-y"]).expect(0)
      // The ledger, the lock and the commits are extra.
      #expect((7...30).contains(try pushed.billedReads()), "\(pushed.output)")
    }
  }

  @Test("A push that was killed is resumed, and a row that was edited again since is no conflict with it.")
  func killedPush() async throws {
    let mini = try MiniFirestore.withSamples(["products"])
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, _ in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let rows = try await sql("SELECT _id, stock FROM products ORDER BY _id LIMIT 5", on: "m.sqlite", tool)
      let ids = rows.map { $0[0] }
      let edited = ids.map { "'\($0)'" }.joined(separator: ", ")
      _ = try await sql("UPDATE products SET stock = 770 WHERE _id IN (\(edited))", on: "m.sqlite", tool)
      // The lease, the entry, and three of the five documents.
      try await tool.runKilled(
        at: 5,
        by: kill,
        "mirror",
        "push",
        "m.sqlite",
        "--batch-size",
        "1",
        "--in-flight",
        "1"
      )
      func stock(_ id: String) throws -> String? {
        let fields = try mini.document("products/\(id)")?.fields()
        return (fields?["stock"] as? [String: Any])?["integerValue"] as? String
      }
      #expect(try ids.map { try stock($0) == "770" } == [true, true, true, false, false])
      // One is edited once more, one set back to what was pulled, and one that was not sent is edited, too.
      _ = try await sql(
        """
        UPDATE products SET stock = 771 WHERE _id IN ('\(ids[0])', '\(ids[4])'); \
        UPDATE products SET stock = \(rows[1][1]) WHERE _id = '\(ids[1])'
        """,
        on: "m.sqlite",
        tool
      )
      let resumed = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
      #expect(try resumed.summary().totals.conflicted == 0)
      #expect(try ids.map { try stock($0) } == ["771", rows[1][1], "770", "770", "771"])
      #expect(try await sql("SELECT count(*) FROM _mirror_edits", on: "m.sqlite", tool) == [["0"]])
      try await tool.bare(["mirror", "verify", "m.sqlite", "-q"] + tool.place).expect(0)
      #expect(try await tool.ledger().runs.map(\.status) == ["done"])
    }
  }

  @Test("A killed push whose edits were dropped is resumed to its end, and blocks nobody.")
  func killedPushWithoutEdits() async throws {
    let mini = try MiniFirestore.withSamples(["products"])
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, _ in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      _ = try await sql("UPDATE products SET stock = 770", on: "m.sqlite", tool)
      try await tool.runKilled(at: 3, by: kill, "mirror", "push", "m.sqlite", "--batch-size", "1")
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q", "--discard-edits").expect(0)
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(try await tool.ledger().runs.map(\.status) == ["done"])
    }
  }

  @Test("The elements of an array have rows, which follow the documents and are not edited.")
  func elements() async throws {
    try await withGym { tool in
      func rows() async throws -> [[String]] {
        try await sql(
          """
          SELECT products_id, position, price, cost_price, changed_at, changed_by, _other \
          FROM products_price_history ORDER BY 1, 2
          """,
          on: "m.sqlite",
          tool
        )
      }
      func expected() async throws -> [[String]] {
        let lines = try await tool.run("export", "products", "-o", "-", "--format", "jsonl", "-q").output
        var rows: [[String]] = []
        for line in lines.split(separator: "\n") {
          let document = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
          let id = try #require((document["name"] as? String)?.split(separator: "/").last)
          let fields = document["fields"] as? [String: [String: Any]]
          let array = fields?["priceHistory"]?["arrayValue"] as? [String: Any]
          for (position, value) in ((array?["values"] as? [[String: Any]]) ?? []).enumerated() {
            let map = (value["mapValue"] as? [String: Any])?["fields"] as? [String: [String: Any]] ?? [:]
            let price = try #require(map["price"]?["doubleValue"] as? Double)
            let cost = try #require(map["costPrice"]?["doubleValue"] as? Double)
            let time = try #require(map["changedAt"]?["timestampValue"] as? String)
            let by = try #require(map["changedBy"]?["stringValue"] as? String)
            rows.append([
              String(id), "\(position)", "\(price)", "\(cost)",
              time.replacingOccurrences(of: "Z", with: time.contains(".") ? "Z" : ".000000Z"), by, "NULL",
            ])
          }
        }
        return rows.sorted { ($0[0], Int($0[1]) ?? 0) < ($1[0], Int($1[1]) ?? 0) }
      }
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let before = try await rows()
      #expect(before.count > 20)
      #expect(try await before == expected())
      let code =
        "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('DELETE FROM products_price_history')"
      let refused = try await Judge.python(["-c", code, tool.path("m.sqlite")])
      #expect(refused.exitCode == 1)
      #expect(refused.errors.contains("edit the column price_history of products instead"))

      // An edit of the array, a document that goes, and one that changes on the service.
      let ids = before.map { $0[0] }
      let (first, last) = (try #require(ids.first), try #require(ids.last))
      let other = try #require(ids.first { $0 != first && $0 != last })
      _ = try await sql(
        "UPDATE products SET price_history = '[]' WHERE _id = '\(first)'",
        on: "m.sqlite",
        tool
      )
      try await tool.bare(["mirror", "push", "m.sqlite", "-q", "--yes"] + tool.place).expect(0)
      #expect(try await rows().first?.first != first)
      #expect(try await rows() == expected())
      try await tool.run(
        "fix",
        "products",
        "--where",
        "__name__ == ref(products/\(last))",
        "--unset",
        "priceHistory",
        "-q"
      )
      .expect(0)
      try await tool.run(
        "delete",
        "products",
        "--where",
        "__name__ == ref(products/\(other))",
        "--hard",
        "--max-delete",
        "1",
        "--yes",
        "-q"
      ).expect(0)
      for mode in [[], ["--full"]] {
        try await tool.bare(["mirror", "pull", "-o", "m.sqlite", "-q"] + mode + tool.place).expect(0)
        let after = try await rows()
        #expect(Set(after.map { $0[0] }).count == Set(ids).count - 3)
        #expect(try await after == expected())
      }
    }
  }

  @Test("An export to SQLite is the same file without marks, and only of whole collections.")
  func export() async throws {
    try await withGym { tool in
      try await tool.run("export", "users", "classes", "-o", "part.sqlite", "-q").expect(0)
      let marks = try await sql(
        "SELECT collection, documents, mark FROM _mirror_collections WHERE documents > 0 ORDER BY 1",
        on: "part.sqlite",
        tool
      )
      #expect(marks == [["classes", "40", "NULL"], ["users", "400", "NULL"]])
      for more in [["--limit", "3"], ["--where", "role == \"member\""], ["--fields", "email"]] {
        try await tool.bare(["export", "users", "-o", "x.sqlite", "-q"] + more + tool.place).expect(64)
      }
      #expect(!tool.exists("x.sqlite"))
    }
  }

  @Test(
    "A row whose id is no text ends a push before anything is written, and a pull that discards removes it."
  )
  func idsOfBytes() async throws {
    try await withGym { tool in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      for id in ["CAST(_id AS BLOB)", "CAST(x'4dff' AS TEXT)"] {
        let edit =
          "UPDATE products SET _id = \(id) WHERE rowid = (SELECT min(rowid) FROM products)"
        _ = try await sql(edit, on: "m.sqlite", tool)
        try await tool.bare(["mirror", "push", "m.sqlite", "--max-delete", "9", "-y"] + tool.place)
          .expectFailure(65, "products", "rowid")
        try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q", "--discard-edits").expect(0)
        let counts = try await sql(
          "SELECT count(*), count(DISTINCT typeof(_id)) FROM products",
          on: "m.sqlite",
          tool
        )
        let there = try await tool.run("count", "products", "-q").output
        #expect(there == "products\t\(counts[0][0])\n")
        #expect(counts[0][1] == "1")
      }
    }
  }

  @Test("A row that was given another id moves its document; where that cannot be, both stay as they are.")
  func movedRows() async throws {
    try await withGym { tool in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      func push() async throws -> Int32 {
        try await tool.bare(["mirror", "push", "m.sqlite", "--max-delete", "9", "-y", "-q"] + tool.place)
          .exitCode
      }
      let ids = try await sql("SELECT _id FROM expenses ORDER BY _id LIMIT 1", on: "m.sqlite", tool)
      let old = try #require(ids.first?.first)
      func there() async throws -> [Bool] {
        let text = try await tool.run("export", "expenses", "-o", "-", "--format", "jsonl", "-q").output
        return [old, " moved", "moved"].map { text.contains("expenses/\($0)\"") }
      }
      _ = try await sql("UPDATE expenses SET _id = ' moved' WHERE _id = '\(old)'", on: "m.sqlite", tool)
      #expect(try await push() == 2)
      #expect(try await there() == [true, false, false])
    }
  }

  @Test("What a user's trigger changes while a pull writes is an edit, which a push shows.")
  func sideEffects() async throws {
    try await withGym { tool in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let ids = try await sql("SELECT _id FROM products ORDER BY _id LIMIT 2", on: "m.sqlite", tool).map {
        $0[0]
      }
      let trigger = """
        CREATE TRIGGER mine AFTER UPDATE ON products WHEN new._id = '\(ids[0])' BEGIN
          UPDATE products SET stock = 1234 WHERE _id = '\(ids[1])';
        END;
        """
      _ = try await script(trigger, on: "m.sqlite", tool)
      try await tool.run(
        "fix",
        "products",
        "--where",
        "__name__ == products/\(ids[0])",
        "--set",
        "stock=77",
        "-q"
      )
      .expect(0)
      let pull = try await tool.run("mirror", "pull", "-o", "m.sqlite").expect(0)
      #expect(pull.errors.contains("Triggers of the file made 1 row differ"))
      #expect(
        try await sql("SELECT path FROM _mirror_edits", on: "m.sqlite", tool) == [["products/\(ids[1])"]]
      )
    }
  }

  // MARK: What its user made

  /// Views, indexes, triggers and a full-text table that follows the users by triggers.
  private static let userObjects = """
    CREATE VIEW my_women AS SELECT _id, full_name FROM users WHERE full_name LIKE 'A%';
    CREATE VIEW low_stock_mine AS SELECT * FROM low_stock;
    CREATE INDEX my_index ON users (full_name);
    CREATE TABLE my_notes (id TEXT PRIMARY KEY, note TEXT);
    CREATE TABLE my_log (event TEXT, id TEXT);
    CREATE VIRTUAL TABLE my_text USING fts5(full_name, content=users);
    INSERT INTO my_text(my_text) VALUES ('rebuild');
    CREATE TRIGGER my_insert AFTER INSERT ON users BEGIN
      INSERT INTO my_log VALUES ('insert', new._id);
      INSERT INTO my_text(rowid, full_name) VALUES (new.rowid, new.full_name);
    END;
    CREATE TRIGGER my_update AFTER UPDATE ON users BEGIN
      INSERT INTO my_log VALUES ('update', new._id);
      INSERT INTO my_text(my_text, rowid, full_name) VALUES ('delete', old.rowid, old.full_name);
      INSERT INTO my_text(rowid, full_name) VALUES (new.rowid, new.full_name);
    END;
    CREATE TRIGGER my_delete AFTER DELETE ON users BEGIN
      INSERT INTO my_log VALUES ('delete', old._id);
      INSERT INTO my_text(my_text, rowid, full_name) VALUES ('delete', old.rowid, old.full_name);
    END;
    INSERT INTO my_notes VALUES ('1', 'kept');
    """

  private func script(_ text: String, on file: String, _ tool: Tool) async throws -> [String] {
    let code = """
      import sqlite3, sys
      with sqlite3.connect(sys.argv[1]) as db:
          if sys.argv[3] == "script": db.executescript(sys.argv[2])
          else: print("\\n".join("|".join(map(str, row)) for row in db.execute(sys.argv[2])))
      """
    let result = try await Judge.python([
      "-c", code, tool.path(file), text, text.contains(";") ? "script" : "query",
    ])
    result.expect(0)
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test("Views, indexes, triggers and full-text tables of its user are there, and true, after every pull.")
  func userObjects() async throws {
    try await withGym { tool in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      _ = try await script(Self.userObjects, on: "m.sqlite", tool)
      let names =
        "SELECT name FROM sqlite_master WHERE (name LIKE 'my%' OR name = 'low_stock_mine') AND sql IS NOT NULL ORDER BY name"
      let before = try await script(names, on: "m.sqlite", tool)
      #expect(before.count > 10)
      func assertAllTrue(_ state: String) async throws {
        #expect(try await script(names, on: "m.sqlite", tool) == before, "\(state)")
        #expect(try await script("SELECT note FROM my_notes", on: "m.sqlite", tool) == ["kept"])
        // The check of FTS5 itself compares the index with the table.
        _ = try await script(
          "INSERT INTO my_text(my_text, rank) VALUES ('integrity-check', 1);",
          on: "m.sqlite",
          tool
        )
        let found = try await script(
          "SELECT count(*) FROM my_text WHERE my_text MATCH 'changed*'",
          on: "m.sqlite",
          tool
        )
        let there = try await script(
          "SELECT count(*) FROM users WHERE full_name LIKE '%changed%'",
          on: "m.sqlite",
          tool
        )
        #expect(found == there, "\(state)")
        _ = try await script("SELECT count(*) FROM low_stock_mine", on: "m.sqlite", tool)
      }
      for round in 0..<10 {
        let lines = (0..<5).map { number in
          #"{"fields":{"fullName":{"stringValue":"Changed\#(round) Person"},"updatedAt":{"timestampValue":"2027-01-01T00:00:0\#(round)Z"}},"name":"users/extra\#((round + number) % 8)"}"#
        }
        let file = try tool.write(lines.joined(separator: "\n"), to: "extra.jsonl")
        try await tool.run("import", file, "--mode", "upsert", "-q").expect(0)
        if round % 3 == 2 {
          try await tool.run(
            "delete",
            "users",
            "--where",
            "__name__ == users/extra\(round % 8)",
            "--hard",
            "--max-delete",
            "1",
            "-y",
            "-q"
          ).expect(0)
        }
        try await tool.bare(
          ["mirror", "pull", "-o", "m.sqlite", "-q"] + (round == 9 ? ["--full"] : []) + tool.place
        ).expect(0)
        try await assertAllTrue("round \(round)")
      }
      #expect(
        try await script("SELECT count(*) FROM users WHERE full_name LIKE 'Changed%'", on: "m.sqlite", tool)
          != ["0"]
      )
      #expect(
        try await script("SELECT DISTINCT event FROM my_log ORDER BY 1", on: "m.sqlite", tool) == [
          "delete", "insert", "update",
        ]
      )
      // A schema without the field rebuilds the table; what fits it stays.
      let schema = try tool.write(
        "schema: mine\ncollections:\n  users:\n    fields:\n      fullName: {type: string}\n",
        to: "s.yaml"
      )
      try await tool.bare(["mirror", "pull", "-o", "m.sqlite", "-q", "--schema", schema] + tool.place).expect(
        0
      )
      #expect(try await script(names, on: "m.sqlite", tool) == before)
      _ = try await script(
        "INSERT INTO my_text(my_text, rank) VALUES ('integrity-check', 1);",
        on: "m.sqlite",
        tool
      )
      // One without what a trigger and an index need leaves these out, and says so.
      let other = try tool.write(
        "schema: mine\ncollections:\n  users:\n    fields:\n      role: {type: string}\n",
        to: "o.yaml"
      )
      let result = try await tool.bare(["mirror", "pull", "-o", "m.sqlite", "--schema", other] + tool.place)
      result.expect(0)
      #expect(result.errors.contains("my_index") && result.errors.contains("my_insert"))
      #expect(try await script("SELECT note FROM my_notes", on: "m.sqlite", tool) == ["kept"])
    }
  }

  @Test("A mirror of a database that options named knows it: verify and push need no option.")
  func unnamedDatabase() async throws {
    let mini = try MiniFirestore.withSamples(["products"])
    try await withTool { tool in
      try await HTTPTestServer.withServer(mini.handler) { server in
        var emulated = tool
        emulated.environment["FIRESTORE_EMULATOR_HOST"] = server.host
        let place = ["--project", mini.options.project, "--database", mini.options.database]
        try await emulated.bare(["mirror", "pull", "-o", "m.sqlite", "-q"] + place).expect(0)
        for command in ["verify", "push"] {
          try await emulated.bare(["mirror", command, "m.sqlite", "-q"]).expect(0)
        }
      }
    }
  }

  @Test("A mirror is of one server: not of another one with the same names, as an emulator is.")
  func server() async throws {
    try await withGym { tool in
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let before = try Data(contentsOf: tool.folder.appendingPathComponent("m.sqlite"))
      try await HTTPTestServer.withServer(MiniFirestore().handler) { other in
        var emulated = tool
        emulated.environment["FIRESTORE_EMULATOR_HOST"] = other.host
        for command in [
          ["mirror", "pull", "-o", "m.sqlite"], ["mirror", "push", "m.sqlite", "-y"],
          ["mirror", "verify", "m.sqlite"],
        ] {
          try await emulated.bare(command + ["-e", "stage"]).expectFailure(77, "m.sqlite", other.url)
        }
        #expect(other.requests.isEmpty)
      }
      #expect(try Data(contentsOf: tool.folder.appendingPathComponent("m.sqlite")) == before)
    }
  }

  @Test("The data file of the embedded store is not replaced by an export or a pull.")
  func embeddedStore() async throws {
    try await withTool { tool in
      try await tool.bare(["import", Samples.file("products"), "-e", "local", "-q"]).expect(0)
      let store = ".gymmigrate/local.sqlite"
      try await tool.bare(["export", "--all", "-e", "local", "--format", "sqlite", "-o", store])
        .expectFailure(73, store)
      try await tool.bare(["mirror", "pull", "-e", "local", "-o", store]).expectFailure(65, store)
      try await tool.bare(["count", "products", "-e", "local"]).expect(0)
      _ = try await script("CREATE TABLE theirs (a);", on: "theirs.sqlite", tool)
      try await tool.bare(["export", "--all", "-e", "local", "--format", "sqlite", "-o", "theirs.sqlite"])
        .expectFailure(73, "theirs.sqlite")
      try await tool.bare(["export", "--all", "-e", "local", "--format", "sqlite", "-o", "ours.sqlite"])
        .expect(0)
      try await tool.bare(["export", "--all", "-e", "local", "--format", "sqlite", "-o", "ours.sqlite"])
        .expect(0)
    }
  }
}
