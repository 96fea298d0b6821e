import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("What people change in an export, and what they leave alone", .timeLimit(.minutes(60)))
struct EditedExportTests {
  private static let member = """
    {"name":"members/m1","fields":{"firstName":{"stringValue":"Ana"},"phone":{"stringValue":"7863424428"},\
    "updatedAt":{"timestampValue":"2025-10-10T17:02:15.478965Z"},\
    "guardianInfo":{"mapValue":{"fields":{"phone":{"stringValue":"7863424428"},"code":{"integerValue":"12"},\
    "since":{"timestampValue":"2025-09-10T09:22:50.222051Z"},"note":{"stringValue":""}}}}}}

    """

  /// Changes the first sheet of a workbook: `cell(field)` is that of its only row.
  private func change(_ book: String, _ script: String, in tool: Tool) async throws {
    try await Judge.script(
      """
      import sys, openpyxl
      book = openpyxl.load_workbook(sys.argv[1])
      sheet = book.worksheets[0]
      heads = [cell.value for cell in sheet[1]]
      def cell(field): return sheet.cell(2, heads.index(field) + 1)
      \(script)
      book.save(sys.argv[1])
      """,
      tool.path(book)
    )
  }

  private func document(_ tool: Tool) async throws -> String {
    try await tool.run("export", "members", "-o", "out.jsonl").expect(0)
    return try tool.text("out.jsonl")
  }

  private func withMember(_ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      try tool.write(Self.member, to: "in.jsonl")
      try await tool.run("import", "in.jsonl").expect(0)
      try await body(tool)
    }
  }

  // MARK: Identifiers that nothing declares

  @Test("A table of an export's folder that was edited is read as any table, and said.")
  func editedInFolder() async throws {
    try await withTool { tool in
      try tool.write(
        "schema: s\ncollections:\n  loans:\n    fields:\n      status: { type: string, values: [open, returned] }\n",
        to: "s.yaml"
      )
      try tool.write("__name__,status\nl1,open\n", to: "loans.csv")
      try await tool.run("import", "loans.csv", "--schema", "s.yaml").expect(0)
      let export = ["export", "loans", "--schema", "s.yaml", "-o", "edited/", "--format", "csv"]
      try await tool.bare(export + tool.place).expect(0)
      let words = ["import", "edited", "--schema", "s.yaml", "--mode", "merge", "-q"] + tool.place
      #expect(try await !tool.bare(words).errors.contains("SHA-256"))
      try tool.write("__name__,status\nl1,lost\n", to: "edited/loans.csv")
      let result = try await tool.bare(words)
      result.expectFailure(65, "expected one of open, returned")
      #expect(result.errors.contains("its SHA-256 differs from the manifest's"), "\(result.errors)")
    }
  }

  @Test("A phone below a map is text by its name, and a number that was one stays one.")
  func phoneInWorkbook() async throws {
    try await withMember { tool in
      try await tool.run("export", "members", "-o", "members.xlsx").expect(0)
      let edit = """
        cell("guardianInfo.phone").value = 5512345678
        cell("guardianInfo.note").value = 7
        cell("guardianInfo.code").value = 13
        """
      try await change("members.xlsx", edit, in: tool)
      try await tool.run("import", "members.xlsx", "--mode", "merge", "--validate", "warn").expect(0)
      let text = try await document(tool)
      #expect(text.contains(#""phone":{"stringValue":"5512345678"}"#), "\(text)")
      #expect(
        text.contains(#""note":{"stringValue":"7"}"#) && text.contains(#""code":{"integerValue":"13"}"#)
      )
    }
  }

  @Test("A plain file says which numbers and times it does not bring back, and what does.")
  func phoneInPlainFile() async throws {
    try await withMember { tool in
      try await tool.run("export", "members", "-o", "members.csv", "--plain").expect(0)
      let result = try await tool.run("import", "members.csv", "--mode", "merge", "--validate", "warn")
      result.expect(0)
      #expect(
        result.errors.contains("a number in 1 cell; --types 'guardianInfo.phone=string'"),
        "\(result.errors)"
      )
      #expect(result.errors.contains("--types 'guardianInfo.since=timestamp'"))
      let types = "guardianInfo.phone=string,guardianInfo.since=timestamp"
      try await tool.run(
        "import",
        "members.csv",
        "--mode",
        "merge",
        "--validate",
        "warn",
        "--types",
        types
      ).expect(0)
      #expect(try await document(tool).contains(#""phone":{"stringValue":"7863424428"}"#))
    }
  }

  @Test(
    "References, integers and texts under the name of an identifier come back.",
    arguments: ["csv", "xlsx"]
  )
  func valuesByName(_ format: String) async throws {
    try await withTool { tool in
      let reference = #"{"referenceValue":"projects/p/databases/d/documents/cars/c1"}"#
      let values = [
        #"{"stringValue":"cars/c1"}"#, reference, #"{"integerValue":"5512345678"}"#,
        #"{"stringValue":"007"}"#,
        #"{"booleanValue":true}"#, #"{"doubleValue":1.5}"#, #"{"stringValue":"2026-01-31T18:00:00Z"}"#,
        #"{"stringValue":""}"#, #"{"nullValue":null}"#, #"{"stringValue":"5.51235E+11"}"#,
      ]
      let lines = values.enumerated().map { #"{"fields":{"carId":\#($1)},"name":"things/t\#($0)"}"# + "\n" }
      try tool.write(lines.joined(), to: "in.jsonl")
      try await tool.run("import", "in.jsonl", "--source", "projects/p/databases/d").expect(0)
      try await tool.run("export", "things", "-o", "before.jsonl").expect(0)
      try await tool.run("export", "things", "-o", "tables/", "--format", format).expect(0)
      try await tool.run("delete", "things", "--all-documents", "--hard", "--max-delete", "10", "--yes")
        .expect(0)
      try await tool.run("import", "tables/").expect(0)
      try await tool.run("export", "things", "-o", "after.jsonl").expect(0)
      #expect(try tool.text("after.jsonl") == tool.text("before.jsonl"))
    }
  }

  @Test("A table that an earlier version exported comes back as it was.")
  func earlierTables() async throws {
    try await withTool { tool in
      let table = """
        __name__,code,m.code,m.codigo,m.phone\r
        o1,7,7,2026-01-02T03:04:05Z,5.5\r
        o2,"{""stringValue"":""7""}",x,,\r

        """
      try tool.write(table, to: "orders.csv")
      try await tool.bare(["import", "orders.csv", "--schema", "none"] + tool.place).expect(0)
      try await tool.bare(["export", "orders", "-o", "again.csv", "--schema", "none"] + tool.place).expect(0)
      #expect(try tool.text("again.csv") == table)
    }
  }

  @Test("A text that only begins like JSON is one where that is its type; damaged JSON is refused.")
  func textsLikeJSON() async throws {
    try await withTool { tool in
      try tool.write("schema: x\ncollections: {things: {fields: {name: string}}}", to: "x.yaml")
      let (schema, types) = (["--schema", "x.yaml"], ["--schema", "none", "--types", "name=text"])
      for options in [schema, types] {
        let load = ["import", "things.csv", "--mode", "upsert"] + options + tool.place
        try tool.write("__name__,name\nt1,[VIP] Ana\nt2,{x}\nt3,[2026] Leo\n", to: "things.csv")
        try await tool.bare(load).expect(0)
        try await tool.run("export", "things", "-o", "out.jsonl").expect(0)
        let text = try tool.text("out.jsonl")
        for name in ["[VIP] Ana", "{x}", "[2026] Leo"] {
          #expect(text.contains(#""name":{"stringValue":"\#(name)"}"#), "\(text)")
        }
        for cell in [#""{""integerValue"":""7""""#, #""[""a"",""#] {
          try tool.write("__name__,name\nt1,\(cell)\n", to: "things.csv")
          try await tool.bare(load).expectFailure(65, "expected text, or JSON as export writes it")
        }
      }
      try tool.write("__name__,name\nt1,[VIP] Ana\n", to: "things.csv")
      try await tool.run("import", "things.csv", "--schema", "none", "--mode", "upsert").expect(65)
    }
  }

  // MARK: Times

  @Test("What another program saves without an edit changes nothing, also of times with microseconds.")
  func untouched() async throws {
    try await withMember { tool in
      try await tool.run("export", "members", "-o", "members.xlsx").expect(0)
      try await change("members.xlsx", "", in: tool)
      let result = try await tool.run(
        "import",
        "members.xlsx",
        "--mode",
        "merge",
        "--validate",
        "off",
        "--json"
      )
      #expect(try result.summary().totals.unchanged == 1, "\(result.errors)")
    }
  }

  @Test(
    "A row that was changed gets the time of the import, with the hidden sheet and without it.",
    arguments: ["", #"del book["_exact"]"#]
  )
  func touched(_ more: String) async throws {
    try await withMember { tool in
      try await tool.run("export", "members", "-o", "members.xlsx").expect(0)
      try await change("members.xlsx", "cell(\"phone\").value = \"5512345678\"\n\(more)", in: tool)
      try await tool.run("import", "members.xlsx", "--mode", "merge", "--validate", "warn").expect(0)
      let text = try await document(tool)
      #expect(text.contains(#""phone":{"stringValue":"5512345678"}"#))
      #expect(!text.contains(#""updatedAt":{"timestampValue":"2025-10-10T"#), "\(text)")
    }
  }

  // MARK: Labels

  @Test(
    "A label counts without case, accents and the kind of its spaces.",
    arguments: [
      ("Telefono", "phone"), ("TELÉFONO", "phone"), ("Tele\u{301}fono", "phone"), ("PHONE", "phone"),
      ("telefono\u{A0}", "phone"), ("apellido\u{A0}paterno", "paternalLastName"),
      ("APELLIDO  PATERNO", "paternalLastName"), ("NOMBRE(S)", "firstName"),
    ]
  )
  func labels(_ heading: String, _ field: String) async throws {
    try await withMember { tool in
      try tool.write("__name__,\(heading)\nm1,Otro\n", to: "members.csv")
      try await tool.run("import", "members.csv", "--mode", "merge", "--validate", "warn").expect(0)
      let found = try #require(
        JSONSerialization.jsonObject(with: Data(try await document(tool).utf8)) as? [String: Any]
      )
      let fields = try #require(found["fields"] as? [String: [String: Any]])
      #expect(fields[field]?["stringValue"] as? String == "Otro")
      #expect(
        Set(fields.keys).subtracting(["firstName", "phone", "updatedAt", "guardianInfo", field]).isEmpty
      )
    }
  }

  @Test("A heading that is almost that of a field is named, and one in a workbook counts as in CSV.")
  func nearLabels() async throws {
    try await withMember { tool in
      try tool.write("__name__,Telefno,First_name,createdBy\nm1,1,2,3\n", to: "members.csv")
      let near = try await tool.run("import", "members.csv", "--mode", "merge", "--validate", "warn", "-n")
      #expect(near.errors.contains("--rename 'Telefno=phone'"), "\(near.errors)")
      #expect(near.errors.contains("--rename 'First_name=firstName'"), "\(near.errors)")
      // A member of a map is no other name of the map.
      try tool.write("__name__,guardianInfo.phone,Guardianinfo.fone\nm1,1,2\n", to: "members.csv")
      let member = try await tool.run("import", "members.csv", "--mode", "merge", "--validate", "warn", "-n")
      #expect(!member.errors.contains("=guardianInfo'"), "\(member.errors)")
      try tool.write("id,TELEFONO DE CASA,Cuota\nm2,5,7\n", to: "others.csv")
      try await tool.run(
        "import",
        "others.csv",
        "--schema",
        "none",
        "--id-column",
        "id",
        "--rename",
        "Teléfono de casa=home",
        "--types",
        "CUOTA=double"
      ).expect(0)
      try await tool.run("export", "others", "-o", "others.jsonl").expect(0)
      let others = try tool.text("others.jsonl")
      #expect(others.contains(#""home":"#) && others.contains(#""Cuota":{"doubleValue":7.0}"#), "\(others)")
    }
  }

  @Test(
    "A field of the database that is called as a label comes back as itself.",
    arguments: ["csv", "xlsx"]
  )
  func fieldCalledAsLabel(_ format: String) async throws {
    try await withTool { tool in
      let line =
        #"{"fields":{"TELEFONO":{"stringValue":"1"},"phone":{"stringValue":"2"}},"name":"members/m1"}"#
      try tool.write(line + "\n", to: "in.jsonl")
      try await tool.run("import", "in.jsonl").expect(0)
      try await tool.run("export", "members", "-o", "members.\(format)", "--header", "spanish").expect(0)
      let result = try await tool.run(
        "import",
        "members.\(format)",
        "--mode",
        "upsert",
        "--validate",
        "off",
        "--json"
      )
      #expect(try result.summary().totals.unchanged == 1, "\(result.errors)")
    }
  }

  // MARK: Before anything is written

  @Test("A table that breaks the schema is refused with the option that imports it all the same.")
  func waysPast() async throws {
    try await withMember { tool in
      try tool.write("__name__,firstName\nm1,\"\"\n", to: "members.csv")
      let broken = ["import", "members.csv", "--mode", "merge"]
      try await tool.bare(broken + tool.place).expectFailure(65, "--validate warn", "--parse-errors skip-row")
      try await tool.bare(broken + ["--validate", "warn"] + tool.place).expect(0)
      try tool.write("__name__,remainingVisits\nm1,x\n", to: "members.csv")
      let unread = try await tool.bare(broken + tool.place)
      unread.expectFailure(65, "use --parse-errors skip-row")
      #expect(!unread.errors.contains("--validate warn"))
      // What is advised for both kinds of errors imports what only breaks the schema.
      try tool.write("__name__,firstName,remainingVisits\nm1,\"\",1\nm2,Ana,x\n", to: "members.csv")
      try await tool.bare(broken + tool.place)
        .expectFailure(65, "use --parse-errors skip-row", "with --validate warn beside it")
      try await tool.bare(broken + ["--validate", "warn"] + tool.place).expect(65)
      let both = broken + ["--validate", "warn", "--parse-errors", "skip-row", "--json"]
      let read = try await tool.bare(both + tool.place).expect(2)
      #expect(try read.summary().totals.rejected == 1, "\(read.errors)")
    }
  }

  @Test("A dry run says what the run would do with what is there, and ends as the run would.")
  func forecast() async throws {
    try await withMember { tool in
      try tool.write("__name__,phone\nm1,5512345678\nm2,1\n", to: "members.csv")
      let common = ["import", "members.csv", "--validate", "off"]
      let created = try await tool.bare(common + ["-n"] + tool.place).expect(2)
      #expect(created.errors.contains("1 new, 0 changed, 0 unchanged, 1 rejected"), "\(created.errors)")
      let merged = try await tool.bare(common + ["--mode", "merge", "-n", "--json"] + tool.place).expect(0)
      #expect(merged.errors.contains("1 new, 1 changed, 0 unchanged, 0 rejected"), "\(merged.errors)")
      #expect(try merged.summary().totals.skipped == 2)
      try await tool.bare(common + ["--mode", "merge"] + tool.place).expect(0)
      let again = try await tool.bare(common + ["--mode", "merge", "-n", "--json"] + tool.place)
      #expect(try again.summary().totals.unchanged == 2, "\(again.errors)")
      // Rows that cannot be read are rejected, too.
      try tool.write("__name__,remainingVisits\nm9,1\nm2,x\n", to: "members.csv")
      let unread = try await tool.bare(common + ["-n", "--parse-errors", "skip-row"] + tool.place).expect(2)
      #expect(unread.errors.contains("1 new, 0 changed, 0 unchanged, 1 rejected"), "\(unread.errors)")
    }
  }
}
