import Foundation
import TestSupport
import Testing

@Suite("A corrected review.csv")
struct ReviewFileCommandTests {
  private func withGym(_ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      try await tool.run("import", Samples.file("users"), "-q").expect(0)
      try await body(tool)
    }
  }

  /// The review.csv of a plan, with the names changed by Python and saved as a spreadsheet would.
  private func corrected(_ tool: Tool, _ script: String) async throws -> String {
    let plan = try await tool.run("migrate", "plan", "users-unify", "--json")
    let list = tool.path(".gymmigrate/runs/\(try plan.summary().runId)/review.csv")
    return try await Judge.script(
      """
      import csv, sys
      with open(sys.argv[1], encoding="utf-8-sig", newline="") as file: rows = list(csv.DictReader(file))
      names = [row for row in rows if row["code"].startswith("name")]
      \(script)
      with open(sys.argv[2], "w", encoding="utf-8-sig", newline="") as file:
          writer = csv.DictWriter(file, rows[0].keys(), delimiter=";", lineterminator="\\r\\n")
          writer.writeheader()
          writer.writerows(rows)
      print(len(names))
      """,
      list,
      tool.path("corrected.csv")
    )
  }

  @Test("is written once, and what stands is not rewritten.")
  func isWritten() async throws {
    try await withGym { tool in
      let count = try await corrected(
        tool,
        """
        for row in names: row["firstName"], row["paternalLastName"], row["maternalLastName"] = "Nueva", "Del Río", ""
        """
      )
      try #require(Int(count.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 > 20)
      let apply = try await tool.run("migrate", "apply", "users-unify", "--review", "corrected.csv", "--json")
      apply.expect(2)
      #expect(try apply.summary().totals.balance)
      let again = try await tool.run("migrate", "apply", "users-unify", "--review", "corrected.csv", "--json")
      #expect(try again.summary().totals.written == 0)
      let plain = try await tool.run("migrate", "apply", "users-unify", "--json")
      #expect(try plain.summary().totals.written == 0)
      try await tool.run("export", "users", "-o", "after.jsonl", "--format", "jsonl").expect(0)
      // By Python alone: every field that was missing has what was decided, every one that stood is as it was.
      let defects = try await Judge.script(
        """
        import csv, json, sys
        def load(path):
            with open(path, encoding="utf-8") as file: return {(d := json.loads(line))["name"]: d["fields"] for line in file}
        def text(fields, name):
            value = fields.get(name, {}).get("stringValue")
            return value if value and value.strip() else None
        before, after = load(sys.argv[1]), load(sys.argv[2])
        with open(sys.argv[3], encoding="utf-8-sig", newline="") as file: rows = list(csv.DictReader(file, delimiter=";"))
        defects = written = 0
        for row in rows:
            if not row["code"].startswith("name"): continue
            for name in ("firstName", "paternalLastName"):
                old, new = text(before[row["document"]], name), text(after[row["document"]], name)
                if old is not None and new != old: defects += 1
                if old is None:
                    written += 1
                    if new != row[name]: defects += 1; print(row["document"], name, old, new)
        print(defects if written > 20 else "nothing was decided")
        """,
        Samples.file("users"),
        tool.path("after.jsonl"),
        tool.path("corrected.csv")
      )
      #expect(defects.trimmingCharacters(in: .whitespacesAndNewlines) == "0")
    }
  }

  @Test("ends in 65 before anything is written where it is malformed, and in 64 where nobody wants it.")
  func malformed() async throws {
    try await withGym { tool in
      _ = try await corrected(tool, #"names[3]["code"] = "name-whatever""#)
      let apply = try await tool.run("migrate", "apply", "users-unify", "--review", "corrected.csv")
      apply.expectFailure(65, "corrected.csv", "line ", "column 3 (code)")
      try await tool.run("migrate", "apply", "users-unify", "--review", "none.csv").expect(66)
      try await tool.run("migrate", "apply", "is-active", "--review", "corrected.csv").expect(64)
      try await tool.run("export", "users", "-o", "after.jsonl", "--format", "jsonl").expect(0)
      let after = try String(contentsOfFile: tool.path("after.jsonl"), encoding: .utf8)
      #expect(try after == Samples.text("users"))
    }
  }

  @Test("whose last line has no end is taken, and that is said.")
  func cutOff() async throws {
    try await withGym { tool in
      _ = try await corrected(tool, "")
      let file = tool.folder.appendingPathComponent("corrected.csv")
      let text = try String(contentsOf: file, encoding: .utf8)
      try text.trimmingCharacters(in: .newlines).write(to: file, atomically: true, encoding: .utf8)
      let plan = try await tool.run("migrate", "plan", "users-unify", "--review", "corrected.csv").expect(0)
      #expect(plan.errors.contains("corrected.csv: Line "))
      #expect(plan.errors.contains("the last one, has no line end: the file may be cut off."))
    }
  }

  @Test("is taken row by row: those that were changed or marked, and no others.")
  func byRow() async throws {
    try await withGym { tool in
      _ = try await corrected(
        tool,
        """
        whole = [row for row in names if row["firstName"] and row["paternalLastName"]]
        whole[0]["decision"] = "x"
        whole[1]["paternalLastName"] = "Lozoya"
        whole[2]["paternalLastName"], whole[2]["decision"] = "Otro", "no"
        """
      )
      try await tool.run("migrate", "apply", "users-unify", "--review", "corrected.csv").expect(2)
      let journal = try tool.text("\(#require(tool.runs().last))/journal.jsonl")
      let decided = journal.split(separator: "\n").count { $0.contains("-from-review") }
      #expect(decided == 2)
      #expect(journal.contains("Lozoya") && !journal.contains("Otro"))
    }
  }

  @Test(
    "that was edited since its run began is refused (65), however the run is continued; put back, it is taken."
  )
  func edited() async throws {
    try await withStores { tool in
      var tool = tool
      tool.place = ["-e", "test"]
      try await tool.run("import", Samples.file("users"), "-q").expect(0)
      _ = try await corrected(
        tool,
        #"for row in names: row["firstName"], row["paternalLastName"] = "Nueva", "Lozoya""#
      )
      let list = try tool.text("corrected.csv")
      let apply = ["migrate", "apply", "users-unify", "--review", "corrected.csv"] + tool.place
      try await tool.bare(apply + ["--batch-size", "5", "--max-writes", "40"]).expect(75)
      let run = try tool.lastRun()
      let written = try await tool.dump("test")
      // As many bytes as before.
      try tool.write(list.replacingOccurrences(of: "Nueva", with: "Nuevo"), to: "corrected.csv")
      for command in [["runs", "resume", run], apply] {
        try await tool.bare(command).expectFailure(65, "corrected.csv has changed since the run began")
      }
      #expect(try await tool.dump("test") == written)
      try tool.write(list, to: "corrected.csv")
      try await tool.bare(["runs", "resume", run, "--max-writes", "10000"]).expect(2)
    }
  }

  @Test("whose documents changed or are gone is told document by document.")
  func stale() async throws {
    try await withGym { tool in
      _ = try await corrected(
        tool,
        """
        for row in names: row["decision"] = "x"
        names[0]["found"] = "Somebody Else"
        names[1]["document"] = "users/nobody"
        """
      )
      let apply = try await tool.run("migrate", "apply", "users-unify", "--review", "corrected.csv").expect(2)
      #expect(apply.output.contains("for review, review-stale: 1"))
      #expect(apply.output.contains("for review, review-unknown: 1"))
    }
  }
}
