import Foundation
import TestSupport
import Testing

@Suite("Names that the schema does not know", .timeLimit(.minutes(10)))
struct UnknownNameTests {
  @Test("An option for a list that is given twice is refused: the parser would take the last one alone.")
  func repeatedLists() async throws {
    try await withStores { tool in
      for words in [
        ["find", "ana", "--collection", "users", "--collection=members"],
        ["export", "users", "-o", "-", "--format", "csv", "--fields", "email", "--fields", "phone"],
        ["export", "users", "-o", "-", "--format", "csv", "--order-by", "email", "--order-by", "phone"],
      ] {
        try await tool.bare(words + ["-e", "test"]).expectFailure(64, "it is given twice", "a,b")
      }
      try await tool.load([documentLine("a/1", 1, #","m":{"integerValue":"2"}"#)], into: "test")
      let spaced = ["export", "a", "-e", "test", "-o", "-", "--format", "csv", "--fields", "n, m", "-q"]
      let table = try await tool.bare(spaced).expect(0)
      #expect(table.output.contains("n,m"), "\(table.output)")
    }
  }

  @Test(
    "A near collection and a field that is not declared are named, and nothing else is.",
    arguments: [
      ("count usrs", "The schema declares no collection 'usrs'. Did you mean 'users'?"),
      ("count something", nil), ("count users", nil),
      (
        "export users -o u.csv --where emial==x",
        "The schema declares no field 'emial' in users. Did you mean 'email'?"
      ),
      (
        "export users -o u.csv --fields fulName,email",
        "The schema declares no field 'fulName' in users. Did you mean 'fullName'?"
      ),
      ("export users -o u.csv --fields Correo", "no field 'Correo' in users. Did you mean 'email'?"),
      ("count users --where Telefono==x", "no field 'Telefono' in users. Did you mean 'phone'?"),
      ("fix users --all-documents --set Role=member -n", "Did you mean 'role'?"),
      ("export users -o u.csv --order-by zzzzzz", "The schema declares no field 'zzzzzz' in users."),
      ("fix users --where emial==x --set note=1 -n", "The schema declares no field 'emial' in users."),
      ("export users -o u.csv --where email==x --fields email", nil),
      ("export users members -o out/ --format csv --where email==x", nil),
      ("count things --where emial==x --schema none", nil),
      ("count membrs --group", "The schema declares no collection 'membrs'. Did you mean 'members'?"),
      (
        "fix users --where role==admin --set isactive=false -n",
        "The schema declares no field 'isactive' in users. Did you mean 'isActive'?"
      ),
      ("fix users --all-documents --unset fulName -n", "Did you mean 'fullName'?"),
      ("fix users --all-documents --trim fulName -n", "Did you mean 'fullName'?"),
      ("fix users --all-documents --lower zzzzzz -n", "The schema declares no field 'zzzzzz' in users."),
      ("fix users --all-documents --copy emial=note -n", "Did you mean 'email'?"),
      ("fix users --all-documents --rename nombre=alias -n", nil),
      ("fix users --all-documents --rename nombre=emial -n", "Did you mean 'email'?"),
      ("fix users --all-documents --set locale=es -n", nil),
      ("export usrs -o u.jsonl", "The schema declares no collection 'usrs'. Did you mean 'users'?"),
      ("schema drift usrs", "The schema declares no collection 'usrs'. Did you mean 'users'?"),
      ("mask check usrs", "The schema declares no collection 'usrs'. Did you mean 'users'?"),
      ("find a --collection usrs", "The schema declares no collection 'usrs'. Did you mean 'users'?"),
    ] as [(String, String?)]
  )
  func named(command: String, warning: String?) async throws {
    try await withMini(.withSamples(["users"])) { tool, _ in
      let place = command.contains("--schema") ? tool.place.dropFirst(2) : tool.place[...]
      let result = try await tool.bare(command.split(separator: " ").map(String.init) + place).expect(0)
      let warnings = result.errorLines.filter { $0.contains("The schema declares no") }
      #expect(warnings.count == (warning == nil ? 0 : 1), "\(result.errors)")
      // Not once more beside that nothing is there.
      #expect(result.errors.components(separatedBy: "Did you mean").count <= 2, "\(result.errors)")
      if let warning { #expect(warnings.first?.contains(warning) == true, "\(result.errors)") }
    }
  }

  @Test(
    "A table with tabs or bars is exported with the options that are named for it.",
    arguments: [("t.tsv", "tab", "\t"), ("t.psv", "pipe", "|")]
  )
  func separatedValues(_ name: String, _ delimiter: String, _ sign: String) async throws {
    try await withStores { tool in
      try await tool.load([documentLine("things/1", 1)], into: "test")
      let words = ["export", "things", "-e", "test", "-o", name]
      let options = ["--format", "csv", "--delimiter", delimiter]
      try await tool.bare(words).expectFailure(64, options.joined(separator: " "))
      try await tool.bare(words + options).expect(0)
      #expect(try tool.text(name).hasPrefix("__name__\(sign)n"))
    }
  }

  @Test("A field that no exported document has is said where the schema does not know the collection.")
  func unmetFields() async throws {
    try await withStores { tool in
      let lines = (1...3).map { documentLine("things/\($0)", $0, #","colour":{"stringValue":"red"}"#) }
      try await tool.load(lines, into: "test")
      let words = ["export", "things", "-e", "test", "-o", "things.csv", "--fields"]
      let misspelt = try await tool.bare(words + ["colour,color"]).expect(0)
      let said = "No document that was exported has the field 'color'. Did you mean 'colour'?"
      #expect(misspelt.errors.contains(said), "\(misspelt.errors)")
      let known = try await tool.bare(words + ["colour"])
      #expect(!known.errors.contains("No document that was exported"), "\(known.errors)")
    }
  }

  @Test(
    "Of a filter for null, or for what is unequal, it is said that what is missing is neither",
    arguments: [
      ("locale is-null", true), ("locale == null", true), ("locale != es", true),
      ("locale not-in [es]", true),
      ("locale == es", false), ("locale is-not-null", false),
    ]
  )
  func missingFields(filter: String, isSaid: Bool) async throws {
    try await withMini(.withSamples(["users"])) { tool, _ in
      let result = try await tool.bare(["count", "users", "--where", filter] + tool.place).expect(0)
      let said = "Documents without locale are not selected: what is missing is neither null nor unequal"
      #expect(result.errors.contains(said) == isSaid, "\(result.errors)")
    }
  }

  @Test(
    "A value that no document can have in a field of a filter is told, with the one that was meant.",
    arguments: [
      ("role == Admin", "Did you mean admin?"),
      ("role in [admin, administrador]", "It has admin, receptionist"),
      (#"isActive == "false""#, "Did you mean false?"),
      ("phone == 7299595662", #"Did you mean "7299595662"?"#),
      ("createdAt == 5", "5 is integer"), (#"createdAt >= "2026""#, #""2026" is string"#),
      (#"isActive < "true""#, "Did you mean true?"), (#"createdAt > """#, nil), ("role > m", nil),
      ("phone > 0", nil), ("role == owner and isActive == true", nil),
      ("role != null", nil),
      ("isActive == sí", "Did you mean true?"), ("isActive == NO", "Did you mean false?"),
      ("note == 5", nil),
    ] as [(String, String?)]
  )
  func values(filter: String, warning: String?) async throws {
    try await withMini(.withSamples(["users"])) { tool, _ in
      for command in [["count", "users"], ["fix", "users", "--set", "locale=es", "-n"]] {
        let result = try await tool.bare(command + ["--where", filter] + tool.place).expect(0)
        let warnings = result.errorLines.filter {
          $0.contains("The schema lets") || $0.contains("The schema has")
        }
        #expect(warnings.count == (warning == nil ? 0 : 1), "\(command) \(result.errors)")
        if let warning { #expect(warnings.first?.contains(warning) ?? false, "\(result.errors)") }
      }
    }
  }

  @Test(
    "Columns that the schema does not declare are said once beside others, and so is a misspelt collection."
  )
  func columnsAndCollection() async throws {
    try await withTool { tool in
      try tool.write(
        "__name__,price,Comentario del contador,Revisado,stok\np1,7.5,ojo,Ana,1\n",
        to: "products.csv"
      )
      let result = try await tool.run("import", "products.csv", "--validate", "warn", "-n").expect(0)
      let said = result.errors.split(separator: "\n").filter { $0.contains("no field of the schema") }
      #expect(said.count == 2, "\(result.errors)")
      #expect(said.contains { $0.contains("column 5 (stok)") && $0.contains("--rename 'stok=stock'") })
      let quiet = try await tool.run("import", "products.csv", "--validate", "warn", "-n", "-q").errorLines
      #expect(quiet.contains { $0.hasPrefix("warning: ") && $0.contains("'stok=stock'") }, "\(quiet)")
      try tool.write("__name__,guardianInfo.phone\nm1,5512345678\n", to: "members.csv")
      let member = try await tool.run("import", "members.csv", "--mode", "merge", "--validate", "off", "-n")
      member.expect(0)
      #expect(!member.errors.contains("=guardianInfo'"), "\(member.errors)")
      let columns = "column 3 (Comentario del contador), column 4 (Revisado); they become fields"
      #expect(said.contains { $0.contains(columns) }, "\(said)")
      for (mode, isSaid) in [("upsert", true), ("replace", true), ("merge", false), ("create", false)] {
        let words = ["import", "products.csv", "--validate", "warn", "-n", "--mode", mode]
        let errors = try await tool.bare(words + tool.place).errors
        let removed = "--skip-columns leaves columns out, and removes such a field where it is"
        #expect(errors.contains(removed) == isSaid, "\(mode): \(errors)")
      }
      try tool.write("id,a\n1,x\n", to: "typo.csv")
      try tool.write(#"[{"id":"1","a":2}]"#, to: "typo.json")
      for (file, collection, times) in [
        ("typo.csv", "paymnets", 1), ("typo.json", "paymnets", 1), ("typo.csv", "zzzzzz", 0),
      ] {
        let typed = ["import", file, "--collection", collection, "--id-column", "id", "-n"]
        let typo = try await tool.bare(typed + tool.place)
        let meant = typo.errors.components(separatedBy: "Did you mean 'payments'?").count - 1
        #expect(meant == times, "\(file) \(collection): \(typo.errors)")
      }
    }
  }

  @Test("The number of a column that has a heading is answered with the heading.")
  func numberedColumn() async throws {
    try await withTool { tool in
      try tool.write("id,v,x\na,1,2\n", to: "r.csv")
      let command = ["import", "r.csv", "--schema", "none", "--id-column", "id", "-e", "local", "-n"]
      try await tool.bare(command + ["--rename", "3=c"])
        .expectFailure(65, "no table has a column '3'", "Column 3 goes by its heading 'x'.")
      #expect(try await !tool.bare(command + ["--rename", "w=c"]).errors.contains("Did you mean"))
    }
  }

  @Test("A declared map and the column of the ids are no misspelt fields.")
  func mapsAndIDs() async throws {
    try await withTool { tool in
      let fields = "i: integer, m: { type: map, fields: { k: integer } }, t: timestamp"
      try tool.write("schema: ty\ncollections:\n  c:\n    fields: { \(fields) }\n", to: "ty.yaml")
      try tool.write("id,m,tt\na,{},\n", to: "c.csv")
      let command = ["import", "c.csv", "--schema", "ty.yaml", "--id-column", "id", "-e", "local", "-n"]
      let said = try await tool.bare(command).errors
      #expect(said.contains("--rename 'tt=t' takes it for t"), "\(said)")
      #expect(!said.contains("'m=") && !said.contains("'id="), "\(said)")
    }
  }

  @Test("Below a map that declares its fields, a name is one of these; one that declares none may hold any.")
  func nested() async throws {
    let mini = MiniFirestore()
    try mini.put("things/t", fields: #"{"n":{"integerValue":"1"}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write(
        "schema: x\ncollections: {things: {fields: {n: integer, free: map, place: {type: map, fields: {zip: string}}}}}",
        to: "x.yaml"
      )
      for (field, meant) in [("place.zp", "'place.zip'"), ("free.zp", nil), ("plce.zip", "'place'")] {
        let words = ["fix", "things", "--where", "\(field) == a", "--set", "n=1", "-n", "--schema", "x.yaml"]
        let result = try await tool.bare(words + tool.place.dropFirst(2)).expect(0)
        let hint = result.errorLines.first { $0.contains("Did you mean") }
        #expect((hint == nil) == (meant == nil) && hint?.contains(meant ?? "") ?? true, "\(result.errors)")
      }
    }
  }

  @Test("A field below one that is no map is nowhere, and that no chosen field is declared is said.")
  func nowhere() async throws {
    let mini = MiniFirestore()
    try mini.put("things/t", fields: #"{"n":{"integerValue":"1"}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write(
        "schema: x\ncollections: {things: {fields: {n: integer, list: array, both: {type: [array, map]}}}}",
        to: "x.yaml"
      )
      let through = "The schema has array in 'list', and no map: nothing is in 'list.price'."
      let none = "The schema declares none of --fields"
      for (fields, expected) in [
        ("n,list.price", [through]), ("both.price,list", []), ("foo,bar", [none]), ("n,bar", []),
      ] {
        let words = ["export", "things", "-o", "t.csv", "--schema", "x.yaml", "--fields", fields]
        let result = try await tool.bare(words + tool.place.dropFirst(2)).expect(0)
        let found = [through, none].filter { result.errors.contains($0) }
        #expect(found == expected, "\(result.errors)")
      }
      let filter = ["count", "things", "--schema", "x.yaml", "--where", "list.price > 1"]
      let count = try await tool.bare(filter + tool.place.dropFirst(2))
      #expect(count.errors.contains(through), "\(count.errors)")
    }
  }

  @Test("What is nowhere is said by what reads two sides: a document ends in 66, a collection is named.")
  func twoSides() async throws {
    try await withStores { tool in
      for environment in ["test", "stage"] {
        try await tool.bare(["import", Samples.file("users"), "-e", environment, "-q"]).expect(0)
      }
      try await tool.bare(["export", "--all", "-e", "test", "--format", "jsonl", "-o", "b0/", "-q"]).expect(0)
      let restore = { (name: String) in ["restore", name, "--from", "b0", "-e", "test"] }
      let collection = try await tool.bare(restore("usrs") + ["-n"]).expect(0)
      let both = ["declares no collection 'usrs'. Did you mean 'users'?", "usrs has no documents."]
      for text in both { #expect(collection.errors.contains(text), "\(collection.errors)") }
      let forgotten = try await tool.bare(restore("0Ch5yTMb067c") + ["-n"])
      #expect(forgotten.errors.contains("COLLECTION/0Ch5yTMb067c"), "\(forgotten.errors)")
      for name in ["users/nobody", "usrs/nobody"] {
        for more in [["-n"], []] {
          try await tool.bare(restore(name) + more).expectFailure(66, name, "neither now nor")
        }
      }
      try await tool.bare(restore("users") + ["-n"]).expect(0)

      let hint = "The schema declares no collection 'user'. Did you mean 'users'?"
      for more in [["-n"], ["-y"]] {
        let copy = try await tool.bare(["copy", "user", "--from", "test", "--to", "stage"] + more).expect(0)
        #expect(copy.errors.contains(hint), "\(copy.errors)")
        #expect(copy.errors.contains("user has no documents."), "\(copy.errors)")
      }
      try await tool.bare(["copy", "user", "--from", "prod", "--to", "test"]).expectFailure(77, hint)
      try await tool.bare(["delete", "user", "--all-documents", "-e", "test"]).expectFailure(64, hint)
      try await tool.bare(["mask", "key", "new", "k"]).expect(0)
      try await tool.bare(["mask", "prove", "user", "--from", "stage", "--to", "test"])
        .expectFailure(64, "the schema declares no collection 'user'. Did you mean 'users'?")
      try await tool.bare(["check", "user", "-e", "test"]).expectFailure(64, "Did you mean 'users'?")
      try await tool.bare(["check", "--rule", "requiredmissing", "-e", "test"])
        .expectFailure(64, "Did you mean 'required-missing'?")
      let diff = try await tool.bare(["diff", "user", "--from", "stage", "--to", "test"])
      #expect(diff.errors.contains("user has no documents on either side. \(hint)"), "\(diff.errors)")
    }
  }

  @Test("A migration of a collection or a field that is misspelt is told by all that read its file.")
  func migrations() async throws {
    try await withStores { tool in
      try await tool.bare(["import", Samples.file("users"), "-e", "test", "-q"]).expect(0)
      let hint = "The schema declares no collection 'user'. Did you mean 'users'?"
      let like = ["--like", "fix", "user", "--all-documents", "--set-if-missing", "a=1"]
      let new = try await tool.bare(["migrate", "new", "foo"] + like).expect(0)
      #expect(new.errors.contains(hint), "\(new.errors)")
      let lint = try await tool.bare(["migrate", "lint"]).expect(1)
      #expect(lint.output.contains("\tunknown-name\t") && lint.output.contains(hint), "\(lint.output)")
      for words in [
        ["plan", "foo", "-e", "test"], ["test", "foo", "--from", "test"], ["up", "-e", "test"],
        ["apply", "foo", "-e", "test"], ["verify", "foo", "-e", "test"],
      ] {
        let result = try await tool.bare(["migrate"] + words).expect(0)
        #expect(result.errors.components(separatedBy: hint).count == 2, "\(words): \(result.errors)")
      }
    }
  }

  @Test(
    "What the filter of a migration, a copy or a restore leaves out is said as for a fix.",
    arguments: [
      ("role == admin or visits > 3", "Documents without visits are left out"),
      ("locale != es", "Documents without locale are not selected"), ("locale == es", nil),
      ("__name__ != users/u1", nil),
    ] as [(String, String?)]
  )
  func omissions(filter: String, notice: String?) async throws {
    try await withStores { tool in
      try await tool.bare(["import", Samples.file("users"), "-e", "test", "-q"]).expect(0)
      let backup = ["export", "users", "-e", "test", "-o", "backup", "--format", "jsonl", "-q"]
      try await tool.bare(backup).expect(0)
      let like = ["--like", "fix", "users", "--where", filter, "--set-if-missing", "note=a"]
      let restore = ["restore", "users", "--from", "backup", "--where", filter, "-e", "test", "-n"]
      for words in [
        ["migrate", "new", "foo"] + like, ["migrate", "lint"], ["migrate", "plan", "foo", "-e", "test"],
        ["migrate", "apply", "foo", "-e", "test", "-y"], ["migrate", "verify", "foo", "-e", "test"],
        ["copy", "users", "--where", filter, "--from", "test", "--to", "stage", "-n"], restore,
      ] {
        let result = try await tool.bare(words)
        let said = result.errors.components(separatedBy: notice ?? "Documents without").count - 1
        #expect(said == (notice == nil ? 0 : 1), "\(words): \(result.errors)")
      }
    }
  }

  @Test("Of an empty collection, one that the database has under almost that name is named.")
  func nearInTheDatabase() async throws {
    try await withMini(.withSamples(["users"])) { tool, _ in
      let place = tool.place.dropFirst(2)
      let near = try await tool.bare(["count", "usrs", "--schema", "none"] + place).expect(0)
      #expect(near.errors.contains("usrs has no documents. Did you mean 'users'?"), "\(near.errors)")
      let meant = "The database has no collection 'usrs'. Did you mean 'users'?"
      for command in ["get", "history"] {
        for (path, isSaid) in [("usrs/u", true), ("users/nobody", false), ("payments/p", false)] {
          let missing = try await tool.bare([command, path, "--schema", "none"] + place)
          missing.expectFailure(66, path)
          #expect(missing.errors.contains(meant) == isSaid, "\(missing.errors)")
          #expect(missing.errors.contains("Did you mean") == isSaid, "\(missing.errors)")
        }
      }
      let found = try await tool.bare(["find", "a", "--collection", "usrs", "--schema", "none"] + place)
      #expect(found.errors.contains("usrs has no documents. Did you mean 'users'?"), "\(found.errors)")
      let far = try await tool.bare(["count", "payments", "--schema", "none"] + place)
      #expect(far.errors.contains("payments has no documents."), "\(far.errors)")
      #expect(!far.errors.contains("Did you mean"))
    }
  }
}
