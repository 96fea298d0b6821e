import Foundation
import TestSupport
import Testing

@Suite("The main job on the embedded store", .timeLimit(.minutes(60)))
struct MainJobTests {
  /// The gym imported into a store of its own.
  private func withGym(_ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      let files = try Samples.all().map { Samples.file($0) }
      // One commit at a time: where a user has no createdAt, the order of creation decides about the index.
      let imported = try await tool.bare(["import", "--in-flight", "1", "--json"] + files + tool.place)
      imported.expect(0)
      let summary = try imported.summary()
      #expect(summary.totals.read == 5009)
      #expect(summary.totals.written == 5009)
      try await body(tool)
    }
  }

  private func export(_ tool: Tool, _ folder: String) async throws {
    try await tool.run("export", "--all", "-o", "\(folder)/", "--format", "jsonl").expect(0)
  }

  /// The files of an exported folder by name, without the manifest, which has its own time.
  private func files(_ tool: Tool, _ folder: String) throws -> [String: String] {
    var files: [String: String] = [:]
    for name in tool.names(in: folder) where name != "manifest.json" {
      files[name] = try tool.text("\(folder)/\(name)")
    }
    return files
  }

  @Test("Plans without writing, applies what the oracle says, and finds nothing to do the second time.")
  func migrate() async throws {
    try await withGym { tool in
      try await export(tool, "before")
      let before = try files(tool, "before")
      // Root collections come out byte for byte as they went in.
      for name in try Samples.all() where name != "groups" {
        #expect(try before["\(name).jsonl"] == Samples.text(name), "\(name)")
      }

      let plan = try await tool.run("migrate", "plan", "users-unify", "user-emails", "is-active", "--json")
      plan.expect(0)
      #expect(try plan.summary().totals.written == 0)
      try await export(tool, "planned")
      #expect(try files(tool, "planned") == before)
      try await tool.run("migrate", "plan", "users-unify", "--exit-code").expect(1)

      let apply = try await tool.run("migrate", "apply", "users-unify", "user-emails", "is-active", "--json")
      apply.expect(2)
      let applied = try apply.summary()
      #expect(applied.status == "incomplete")
      #expect(applied.totals.balance)
      #expect(applied.totals.review > 0)
      try await Judge.expect(Samples.folder.path, into: tool.path("expected"))
      try await export(tool, "after")
      try await Judge.compare(tool.path("expected"), tool.path("after"))
      let changed = try Judge.changed(Samples.folder.path, tool.path("expected"))
      #expect(applied.totals.written == changed.count)

      let again = try await tool.run("migrate", "apply", "users-unify", "user-emails", "is-active", "--json")
      again.expect(2)
      #expect(try again.summary().totals.written == 0)
      #expect(try again.summary().totals.created == 0)
      try await export(tool, "again")
      #expect(try files(tool, "again") == files(tool, "after"))
      try await tool.run(
        "migrate",
        "plan",
        "users-unify",
        "user-emails",
        "is-active",
        "--exit-code"
      ).expect(0)
    }
  }

  @Test(
    "Writes proposals and removes orphans where it is asked to.",
    arguments: [
      ["--accept-proposals"], ["--prune"], ["--accept-proposals", "--prune"],
    ]
  )
  func flags(_ flags: [String]) async throws {
    try await withGym { tool in
      let apply = try await tool.bare(
        ["migrate", "apply", "users-unify", "user-emails", "is-active", "--max-delete", "999", "--json"]
          + flags + tool.place
      )
      let summary = try apply.summary()
      #expect(summary.totals.balance)
      try await Judge.expect(Samples.folder.path, into: tool.path("expected"), flags)
      let before = try Judge.lines(Samples.folder.path)
      let after = try Judge.lines(tool.path("expected"))
      #expect(summary.totals.deleted == before.keys.filter { after[$0] == nil }.count)
      try await export(tool, "after")
      // The parts that stand contradict their source (a fullName that splits otherwise, an Android name of somebody
      // else): the oracle then proposes nothing, the catalogue what is still missing. The domain page leaves it open.
      let open =
        flags.contains("--accept-proposals")
        ? ["users/AI78sljr1ND3MULh59d5tTBdIcrN"] : []
      try await Judge.compare(tool.path("expected"), tool.path("after"), except: open)
    }
  }

  @Test("Exports CSV that another reader finds whole, a row a document.")
  func csv() async throws {
    try await withGym { tool in
      let result = try await tool.run("export", "--all", "-o", "csv", "--format", "csv", "--json").expect(0)
      let rows = try await Judge.script(
        """
        import csv, pathlib, sys
        csv.field_size_limit(1 << 30)
        for path in sorted(pathlib.Path(sys.argv[1]).glob("*.csv")):
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file, strict=True))
            assert rows[0][0] == "__name__", path
            assert all(len(row) == len(rows[0]) for row in rows), path
            assert len({row[0] for row in rows}) == len(rows), path
            print(path.stem, len(rows) - 1)
        """,
        tool.path("csv")
      )
      var counted: [String: Int] = [:]
      for line in rows.split(separator: "\n") {
        let parts = line.split(separator: " ")
        counted[String(parts[0])] = Int(parts[1])
      }
      let summary = try result.summary()
      #expect(counted.count == summary.collections.count)
      for collection in summary.collections {
        #expect(counted[collection.name] == collection.counts.read, "\(collection.name)")
        #expect(collection.file == "csv/\(collection.name).csv")
      }
      // The ids of the users, in the order of their names.
      let ids = try await Judge.script(
        "import csv,sys\nfor r in list(csv.reader(open(sys.argv[1], newline='')))[1:]: print(r[0])",
        tool.path("csv/users.csv")
      )
      let names = try Judge.lines(Samples.folder.path).keys.filter { $0.hasPrefix("users/") }
      #expect(ids.split(separator: "\n").map(String.init) == names.map { String($0.dropFirst(6)) }.sorted())
    }
  }

  @Test("Exports a workbook with a sheet a collection and a row a document.")
  func xlsx() async throws {
    try await withGym { tool in
      let result = try await tool.run("export", "--all", "-o", "gym.xlsx", "--json").expect(0)
      // With nothing but the standard library: a workbook is XML in a ZIP.
      let rows = try await Judge.script(
        """
        import re, sys, zipfile
        import xml.etree.ElementTree as tree
        ns = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
        with zipfile.ZipFile(sys.argv[1]) as book:
            assert book.testzip() is None
            sheets = tree.fromstring(book.read("xl/workbook.xml")).iterfind(".//m:sheet", ns)
            # Exact values are in a hidden sheet.
            names = [s.get("name") if s.get("state", "visible") == "visible" else None for s in sheets]
            assert names[-1] is None and None not in names[:-1], names
            for number, name in enumerate(names[:-1], 1):
                sheet = tree.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))
                print(name, len(sheet.findall(".//m:sheetData/m:row", ns)) - 1)
        """,
        tool.path("gym.xlsx")
      )
      let expected = try result.summary().collections.map { "\($0.name) \($0.counts.read)" }
      #expect(rows.split(separator: "\n").map(String.init) == expected)
    }
  }

  @Test(
    "openpyxl opens the workbook and counts the same rows.",
    .enabled("openpyxl is not installed for python3; the other workbook test stands in") {
      await Judge.has("openpyxl")
    }
  )
  func openpyxl() async throws {
    try await withGym { tool in
      try await tool.run("export", "users", "members", "-o", "gym.xlsx").expect(0)
      let rows = try await Judge.script(
        """
        import openpyxl, sys
        book = openpyxl.load_workbook(sys.argv[1], read_only=True)
        for sheet in book:
            if sheet.sheet_state == "visible": print(sheet.title, sum(1 for _ in sheet.iter_rows()) - 1)
        """,
        tool.path("gym.xlsx")
      )
      #expect(rows == "users 400\nmembers 420\n")
    }
  }
}
