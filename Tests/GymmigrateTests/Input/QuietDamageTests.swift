import Foundation
import TestSupport
import Testing

@Suite("What an import refuses, or says, that the rows alone do not show", .timeLimit(.minutes(20)))
struct QuietDamageTests {
  private static let member = "08A45434-3E9C-4C42-8103-64B20708E2ED"
  private static let payment = "0020453E-4906-4400-B707-7E5762176578"

  private func stored(_ path: String, _ tool: Tool) async throws -> String {
    try await tool.bare(["get", path, "-e", "test", "-q"]).output
  }

  @Test(
    "Texts that take the place of truth values, numbers and times are said, and so are notes and headings alike."
  )
  func doubts() async throws {
    try await withStores { tool in
      let fields = #""on":{"booleanValue":true},"n":{"doubleValue":6.5},"name":{"stringValue":"a"}"#
      try await tool.load((1...3).map { #"{"name":"things/\#($0)","fields":{\#(fields)}}"# }, into: "test")
      try tool.write("__name__;on;n;name\n1;no;6,75;b\n2;no;7,5;c\n3;true;1.5;d\n", to: "things.csv")
      let place = ["-e", "test", "-n"]
      let merged = try await tool.bare(["import", "things.csv", "--mode", "merge"] + place).expect(0)
      #expect(
        merged.errors.contains("things: on: 2 texts would take the place of values of the type boolean")
      )
      #expect(merged.errors.contains("things: n: 2 texts would take the place of values of the type double"))
      #expect(!merged.errors.contains("things: name:"), "\(merged.errors)")
      let objects = #"[{"id":"1","on":"no","n":7},{"id":"2","on":"no","n":"7,5"}]"#
      try tool.write(objects, to: "things.json")
      let plain = ["import", "things.json", "--id-column", "id", "--mode", "merge"]
      let json = try await tool.bare(plain + place).expect(0)
      let said = "things: on: 2 texts would take the place of values of the type boolean"
      #expect(json.errors.contains(said), "\(json.errors)")
      #expect(json.errors.contains("things: n: 1 text would take the place of values of the type double"))
      try tool.write("id,n\n1,a\n2,b\n\nNotes: paid monthly,\nBy Ana,\n", to: "table.csv")
      let notes = try await tool.bare(["import", "table.csv", "--id-column", "id"] + place).expect(0)
      #expect(
        notes.errors.contains("Row 5 and 1 more behind an empty row have nothing but an id"),
        "\(notes.errors)"
      )
      try tool.write("id,n\n1,a\n\n2,b\n3,\n", to: "table.csv")
      let gap = try await tool.bare(["import", "table.csv", "--id-column", "id"] + place)
      #expect(gap.errors.contains("Row 5 behind an empty row has nothing but an id"), "\(gap.errors)")
      try tool.write("id,C\u{F3}digo,Co\u{301}digo\n1,a,b\n", to: "table.csv")
      let alike = try await tool.bare(["import", "table.csv", "--id-column", "id"] + place)
      #expect(alike.errors.contains("The headings of columns 2 and 3 look the same"), "\(alike.errors)")
    }
  }

  @Test(
    "A number that a spreadsheet has rounded is refused as an integer, and said where it replaces another one."
  )
  func roundedNumbers() async throws {
    try await withStores { tool in
      let fields = #""n":{"integerValue":"123456789012"},"d":{"doubleValue":123456789012.34}"#
      try await tool.load([#"{"name":"things/1","fields":{\#(fields)}}"#], into: "test")
      let command = ["import", "things.csv", "--id-column", "id", "--mode", "merge", "-e", "test", "-n"]
      for (cell, exit) in [("1.23457E+11", 65), ("1.2E5", 65), ("1.2E1", 0), ("12.0", 0)] as [(String, Int32)]
      {
        try tool.write("id,n\n1,\(cell)\n", to: "things.csv")
        let result = try await tool.bare(command + ["--types", "n=integer"])
        result.expect(exit)
        #expect(
          result.errors.contains("expected all digits of a whole number") == (exit == 65),
          "\(result.errors)"
        )
      }
      try tool.write("id,d\n1,1.23457E+11\n", to: "things.csv")
      let said = try await tool.bare(command + ["--types", "d=double"]).errors
      let digits = "things: d: 1 number would lose digits, the first by name in things/1."
      #expect(said.contains(digits), "\(said)")
    }
  }

  @Test(
    "Values of other types and times without their seconds are said with -q, and of the folder of a plain export."
  )
  func retyped() async throws {
    try await withStores { tool in
      let fields =
        #""room":{"stringValue":"12"},"price":{"doubleValue":20},"at":{"timestampValue":"2026-01-02T10:34:01.732Z"},"m":{"mapValue":{"fields":{"phone":{"stringValue":"7405917073"}}}}"#
      try await tool.load((1...2).map { #"{"name":"things/\#($0)","fields":{\#(fields)}}"# }, into: "test")
      let rows = (1...2).map { "\($0),13,21,7405917074,2026-01-02T10:34:00Z\n" }.joined()
      try tool.write("__name__,room,price,m.phone,at\n\(rows)", to: "things.csv")
      try tool.write(#"[{"id":"1","room":13,"price":21},{"id":"2","room":13,"price":21}]"#, to: "things.json")
      let plain = ["export", "things", "-e", "test", "-o", "plain/", "--format", "csv", "--plain", "-q"]
      try await tool.bare(plain).expect(0)
      let room =
        "things: room: 2 integers would take the place of values of the type string, the first by name in things/"
      let price = "things: price: 2 integers would take the place of values of the type double"
      let phone = "things: m.phone: 2 integers would take the place of values of the type string"
      for (input, more, expected) in [
        ("things.csv", [], [room, price, phone, "things: at: 2 timestamps would lose their seconds"]),
        ("things.json", ["--id-column", "id"], [room, price]), ("plain/", [], [room, price, phone]),
      ] as [(String, [String], [String])] {
        let merge = ["import", input, "-e", "test", "--mode", "merge", "-n", "-q"]
        let result = try await tool.bare(merge + more).expect(0)
        for line in expected { #expect(result.errors.contains(line), "\(input): \(result.errors)") }
      }
    }
  }

  @Test(
    "A table puts no other value in the place of a map or an array, or one of them in that of another value."
  )
  func structure() async throws {
    try await withStores { tool in
      let fields =
        #""m":{"mapValue":{"fields":{"phone":{"stringValue":"1"}}}},"tags":{"arrayValue":{"values":[{"stringValue":"a"}]}},"name":{"stringValue":"Ana"}"#
      try await tool.load((1...3).map { #"{"name":"things/\#($0)","fields":{\#(fields)}}"# }, into: "test")
      try tool.write("__name__,m,tags,name.first\n1,5,,\n2,,b,\n3,,,Ana\n", to: "things.csv")
      let merge = ["import", "things.csv", "-e", "test", "--mode", "merge"]
      let before = try await stored("things/1", tool)
      for more in [["-n"], []] {
        let refused = try await tool.bare(merge + more).expect(2)
        let said = "left alone, structure-lost: 3 (--validate warn imports such all the same)"
        #expect(refused.output.contains(said), "\(refused.output)")
      }
      #expect(try await stored("things/1", tool) == before)
      let warned = try await tool.bare(merge + ["--validate", "warn", "-q"]).expect(0)
      for line in [
        "things: m: 1 integer takes the place of values of the type map, the first by name in things/1.",
        "things: tags: 1 text takes the place of values of the type array, the first by name in things/2.",
        "things: name: 1 map takes the place of values of the type string, the first by name in things/3.",
      ] { #expect(warned.errors.contains(line), "\(warned.errors)") }
    }
  }

  @Test(
    "A merge makes no document without its required fields, no such map, and changes no document that is immutable.",
    arguments: [[], ["-n"]]
  )
  func incomplete(dry: [String]) async throws {
    try await withStores { tool in
      for file in ["members", "payments"] {
        try await tool.bare(["import", Samples.file(file), "-e", "test", "-q"]).expect(0)
      }
      let none = "\(Self.member.dropLast())E"
      let before = try await (
        stored("members/\(Self.member)", tool), stored("payments/\(Self.payment)", tool)
      )
      // The row of the phone is whole, and only changes a document that is there.
      let phones = "__name__,Teléfono\n\(none),5512345678\n\(Self.member),5512345678\n"
      let price = "__name__,Precio del plan contratado\n\(Self.member),499.9\n"
      let amount = "__name__,Importe\n\(Self.payment),1.0\n"
      func merge(_ table: String, _ text: String, _ more: String...) async throws -> [String] {
        try tool.write(text, to: table)
        let words = ["import", table, "-e", "test", "--mode", "merge", "--json"]
        let result = try await tool.bare(words + more + dry)
        let summary = try result.summary()
        #expect(summary.totals.balance || !dry.isEmpty, "\(table) \(summary.totals)")
        let codes = try tool.list("rejects.jsonl", of: summary.runId).compactMap { $0["code"] as? String }
        result.expect(codes.isEmpty ? 0 : 2)
        #expect(summary.totals.rejected == codes.count)
        return codes
      }
      #expect(try await merge("members.csv", price) == ["required-missing"])
      #expect(try await merge("payments.csv", amount) == ["immutable"])
      #expect(try await stored("members/\(Self.member)", tool) == before.0)
      #expect(try await stored("payments/\(Self.payment)", tool) == before.1)
      #expect(try await merge("members.csv", phones) == ["id-missing"])
      let counted = try await tool.bare(
        ["import", "members.csv", "-e", "test", "--mode", "merge", "-q"] + dry
      )
      let reason = "left alone, no such document, id-missing: 1 (look at the ids; --validate warn makes"
      #expect(counted.output.contains(reason), "\(counted.output)")
      try await tool.bare(["get", "members/\(none)", "-e", "test", "-q"]).expect(66)
      #expect(try await (stored("members/\(Self.member)", tool) == before.0) == !dry.isEmpty)
    }
  }

  @Test(
    "Texts of digits that a spreadsheet has cut are said, without their values.",
    arguments: [[], ["-n"]]
  )
  func cutTexts(dry: [String]) async throws {
    try await withStores { tool in
      try await tool.bare(["import", Samples.file("members"), "-e", "test", "-q"]).expect(0)
      func merge(_ phone: String, _ more: [String]) async throws -> String {
        try tool.write("__name__,Teléfono\n\(Self.member),\(phone)\n", to: "members.csv")
        // A phone that was cut may break the schema, which is not what this is about.
        let merge = ["import", "members.csv", "-e", "test", "--mode", "merge", "--validate", "off"]
        let result = try await tool.bare(merge + more).expect(0)
        return result.errors
      }
      for (whole, cut) in [("0160603543", "160603543"), ("+525512345678", "525512345678")] {
        #expect(try await !merge(whole, []).contains("before them"))
        let said = try await merge(cut, dry)
        #expect(said.contains("members: phone: 1 text of digits"), "\(said)")
        #expect(!said.contains(cut))
      }
    }
  }

  @Test("A table that replaces documents says which fields they lose because it has no column for them.")
  func losses() async throws {
    let mini = MiniFirestore()
    let fields =
      #"{"a":{"integerValue":"1"},"b":{"integerValue":"1"},"m":{"mapValue":{"fields":{"x":{"integerValue":"1"},"y":{"integerValue":"2"}}}}}"#
    for id in ["t1", "t2"] { try mini.put("things/\(id)", fields: fields) }
    try await withTool(against: mini.handler) { tool, _ in
      // The cell of b is cleared, which is meant.
      try tool.write("__name__,b,m.x\nt1,,1\nt2,3,1\nt3,3,1\n", to: "things.csv")
      try tool.write(documentLine("things/t1", 1) + "\n", to: "things.jsonl")
      func run(_ file: String, _ more: String...) async throws -> String {
        try await tool.bare(["import", file, "--schema", "none", "-q"] + more + tool.place).errors
      }
      let lost =
        "2 fields that no column is for (a, m.y), the first by name things/t1. --mode merge keeps them."
      for mode in ["upsert", "replace"] {
        let said = try await run("things.csv", "--mode", mode, "-n")
        #expect(said.contains("things: 2 documents would lose \(lost)"), "\(mode): \(said)")
      }
      for (file, mode) in [("things.csv", "merge"), ("things.csv", "create"), ("things.jsonl", "upsert")] {
        #expect(try await !run(file, "--mode", mode, "-n").contains("no column"), "\(file) \(mode)")
      }
      let said = try await run("things.csv", "--mode", "upsert")
      #expect(said.contains("things: 2 documents lose \(lost)"), "\(said)")
      #expect(try await !run("things.csv", "--mode", "upsert").contains("no column"))
    }
  }

  @Test(
    "What a map loses is said where the table has a column of the map itself, unless its cell made the map.",
    arguments: [
      ("__name__,m.x,n,m\nt1,1,1,\nt2,,1,null\n", "1 document loses 1 field that no column is for (m.y)"),
      ("__name__,n,m\nt1,1,\nt2,1,null\n", "1 document loses 2 fields that no column is for (m.x, m.y)"),
      ("__name__,m.x,m.y,n,m\nt1,1,,1,\nt2,,,1,null\n", nil),
      (#"__name__,n,m\#nt1,1,"{""x"":1}"\#nt2,1,null\#n"#, nil),
    ] as [(String, String?)]
  )
  func lossesOfMaps(table: String, lost: String?) async throws {
    let mini = MiniFirestore()
    let map = #"{"mapValue":{"fields":{"x":{"integerValue":"1"},"y":{"integerValue":"2"}}}}"#
    try mini.put("things/t1", fields: #"{"m":\#(map),"n":{"integerValue":"1"}}"#)
    try mini.put("things/t2", fields: #"{"m":{"nullValue":null},"n":{"integerValue":"1"}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write(table, to: "things.csv")
      // The place names the gym's schema.
      let words = ["import", "things.csv", "--schema", "none", "-q", "--mode", "upsert"]
      let said = try await tool.bare(words + tool.place.dropFirst(2)).errors
      #expect(said.contains(lost ?? "no column is for") == (lost != nil), "\(said)")
    }
  }

  @Test(
    "A value that is no map has no column where the table has only columns of a map's members.",
    arguments: [
      #"{"stringValue":"A5"}"#, #"{"nullValue":null}"#, #"{"mapValue":{}}"#, #"{"arrayValue":{}}"#,
      #"{"mapValue":{"fields":{"y":{"integerValue":"2"}}}}"#,
    ]
  )
  func lossesBesideMembers(value: String) async throws {
    let mini = MiniFirestore()
    try mini.put("things/t1", fields: #"{"m":\#(value),"n":{"integerValue":"1"}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write("__name__,m.x,n\nt1,,1\nt2,1,1\n", to: "things.csv")
      let words = ["import", "things.csv", "--schema", "none", "-q", "--mode", "upsert"]
      let said = try await tool.bare(words + tool.place.dropFirst(2)).errors
      #expect(said.contains("1 document loses 1 field that no column is for (m"), "\(said)")
    }
  }

  @Test("A merge that is refused for cells says that those count that nobody edited.")
  func unedited() async throws {
    try await withTool { tool in
      try tool.write("__name__,membershipStatus\nm1,bogus\n", to: "members.csv")
      for (mode, isSaid) in [("merge", true), ("upsert", false)] {
        let result = try await tool.run("import", "members.csv", "--mode", mode, "-n")
        result.expectFailure(65, "--validate warn")
        #expect(result.errors.contains("'export --fields'") == isSaid, "\(mode): \(result.errors)")
      }
    }
  }

  @Test("White space around a text is kept, and said.")
  func spaces() async throws {
    try await withTool { tool in
      for heading in ["id", "__name__"] {
        try tool.write("\(heading),name,n\n1,\"  Lía \",1\n2,Ana,2\n3,Leo\u{A0},3\n", to: "t.csv")
        let ids = heading == "id" ? ["--id-column", "id"] : []
        let words = ["import", "t.csv", "--schema", "none", "--mode", "upsert", "-q"] + ids + tool.place
        let result = try await tool.bare(words).expect(0)
        let said =
          "2 texts begin or end with white space, which is a part of them, the first in row 2, column 2"
        #expect(result.errors.contains(said), "\(result.errors)")
        let stored = try await tool.bare(["get", "t/1", "-q"] + tool.place).output
        #expect(stored.contains(#""  Lía ""#), "\(stored)")
        let meant = try await tool.bare(words + ["--keep-spaces"])
        #expect(!meant.errors.contains("white space"), "\(meant.errors)")
      }
    }
  }

  @Test("Ids that have zeros before them in the file alone, or in the database alone, are warned of.")
  func zerosOfIDs() async throws {
    try await withStores { tool in
      let stored = ["padded/0001", "padded/0012", "plain/1", "plain/12", "names/00a4-1", "names/7"]
      try await tool.load(stored.map { documentLine($0, 1) }, into: "test")
      let (lost, added) = ("the ids of the input have no zeros", "the ids of the database have no zeros")
      for (collection, ids, warning) in [
        ("padded", ["1", "12"], lost), ("padded", ["0001", "0013"], nil), ("padded", ["1001"], nil),
        ("plain", ["0001"], added), ("plain", ["13"], nil), ("names", ["7"], nil), ("none", ["1"], nil),
        ("padded", ["a1", "1"], nil),
      ] as [(String, [String], String?)] {
        try tool.write("id,n\n" + ids.map { "\($0),2\n" }.joined(), to: "table.csv")
        let objects = ids.map { #"{"id":"\#($0)","n":2}"# }
        try tool.write("[\(objects.joined(separator: ","))]", to: "table.json")
        for file in ["table.csv", "table.json"] {
          let words = ["import", file, "--collection", collection, "--id-column", "id", "--schema", "none"]
          let result = try await tool.bare(words + ["--mode", "merge", "-e", "test", "-n", "-q"]).expect(0)
          let said = "\(collection): \(warning ?? "the ids of")"
          #expect(result.errors.contains(said) == (warning != nil), "\(file) \(ids): \(result.errors)")
        }
      }
      try tool.write("id,n\n1,2\n", to: "table.csv")
      let words = ["import", "table.csv", "--collection", "padded", "--id-column", "id", "--schema", "none"]
      let created = try await tool.bare(words + ["-e", "test", "-q"]).expect(0)
      #expect(created.errors.contains("padded: \(lost)"), "\(created.errors)")
    }
  }

  @Test("One id without its zeros among others that have them is warned of where it would be a new document.")
  func zerosOfOneID() async throws {
    try await withStores { tool in
      let stored = ["padded/0001", "padded/0002", "padded/0003", "padded/7", "padded/0007"]
      try await tool.load(stored.map { documentLine($0, 1) }, into: "test")
      for (ids, twin) in [
        (["1", "0002"], "0001"), (["0002", "3"], "0003"), (["0002", "9"], nil), (["0002", "7"], nil),
        (["0002", "12345"], nil),
      ] as [([String], String?)] {
        try tool.write("__name__,n\n" + ids.map { "\($0),2\n" }.joined(), to: "padded.csv")
        let objects = ids.map { #"{"id":"\#($0)","n":2}"# }
        try tool.write("[\(objects.joined(separator: ","))]", to: "padded.json")
        for words in [["padded.csv"], ["padded.json", "--id-column", "id"]] {
          let more = ["--schema", "none", "--mode", "merge", "-e", "test", "-n", "-q"]
          let result = try await tool.bare(["import"] + words + more).expect(0)
          let said = twin.map { "has no zeros before it, and is new; the database has \($0)" }
          #expect(result.errors.contains(said ?? "zeros before") == (twin != nil), "\(ids): \(result.errors)")
        }
      }
    }
  }

  @Test("A merge of an empty map leaves the map that is there, and makes one where there is none.")
  func emptyMaps() async throws {
    try await withStores { tool in
      let stored =
        #"{"name":"things/a","fields":{"m":{"mapValue":{"fields":{"k":{"integerValue":"1"}}}},"n":{"mapValue":{"fields":{"o":{"mapValue":{"fields":{"p":{"integerValue":"2"}}}}}}}}}"#
      try await tool.load([stored], into: "test")
      try tool.write(
        #"{"name":"things/a","fields":{"m":{"mapValue":{}},"n":{"mapValue":{"fields":{"o":{"mapValue":{}},"q":{"mapValue":{}}}}}}}"#
          + "\n",
        to: "things.jsonl"
      )
      try tool.write(#"[{"id":"a","m":{},"n":{"o":{},"q":{}}}]"#, to: "things.json")
      try tool.write("__name__,m,n.o,n.q\na,{},{},{}\n", to: "things.csv")
      let merge = ["--schema", "none", "--mode", "merge", "-e", "test", "-q"]
      for words in [["things.jsonl"], ["things.json", "--id-column", "id"], ["things.csv"]] {
        try await tool.bare(["import"] + words + merge).expect(0)
        let stored = try await tool.dump("test").joined()
        for member in [#""k":{"integerValue":"1"}"#, #""p":{"integerValue":"2"}"#, #""q":{"mapValue":{}}"#] {
          #expect(stored.contains(member), "\(words): \(stored)")
        }
      }
    }
  }

  @Test("What sets a missing field is named, and how many times of creation --server-times leaves out.")
  func serverTimes() async throws {
    try await withTool { tool in
      try tool.write(
        """
        schema: x
        collections:
          things:
            create-time: made
            update-time: changed
            fields:
              n: { type: integer, required: true }
              tier: { type: string, required: true, default: basic }
              made: { type: timestamp, required: true }
              changed: { type: timestamp, required: true }
        """,
        to: "x.yaml"
      )
      func things(_ rows: String) throws {
        try tool.write("__name__,n,tier,made,changed\n\(rows)\n", to: "things.csv")
      }
      let load = ["import", "things.csv", "--schema", "x.yaml", "--mode", "upsert"] + tool.place
      let day = "2026-01-02T03:04:05.678Z"
      try things("t1,1,basic,\(day),\(day)\nt2,2,basic,\(day),\(day)")
      try await tool.bare(load).expect(0)
      try things("t3,3,basic,,\nt4,4,,\(day),\(day)")
      let missing = try await tool.bare(load + ["-n"])
      missing.expectFailure(65, "column 4 (made) is missing; expected timestamp (--server-times sets it)")
      #expect(missing.errors.contains("column 3 (tier) is missing; expected string (--defaults fills it)"))
      // A time that was edited; one within a millisecond of it, as spreadsheets round; a new document, and one without it.
      try things(
        "t1,1,basic,2025-01-02T00:00:00Z,\(day)\nt2,2,basic,2026-01-02T03:04:05.6784Z,\nt3,3,basic,\(day),\nt4,4,basic,,"
      )
      for more in [["-n"], []] {
        let result = try await tool.bare(load + ["--server-times"] + more).expect(0)
        let said = "leaves out the time of creation that the input has for 2 documents."
        #expect(result.errors.contains(said), "\(result.errors)")
      }
      try await tool.run("export", "things", "-o", "out.jsonl").expect(0)
      #expect(try tool.text("out.jsonl").components(separatedBy: #""timestampValue":"\#(day)""#).count == 5)
    }
  }

  @Test("With --defaults, a merge fills what is missing in a document that it makes, and in no other.")
  func defaults() async throws {
    try await withTool { tool in
      try tool.write(
        """
        schema: x
        collections:
          things:
            fields:
              n: { type: integer, required: true }
              note: { type: string, default: none }
              tier: { type: string, required: true, default: basic }
        """,
        to: "x.yaml"
      )
      try tool.write(
        #"{"fields":{"n":{"integerValue":"1"},"tier":{"stringValue":"pro"}},"name":"things/t1"}"# + "\n",
        to: "in.jsonl"
      )
      try await tool.run("import", "in.jsonl", "--schema", "x.yaml").expect(0)
      try tool.write("__name__,n\nt1,5\nt2,7\n", to: "things.csv")
      let merge = ["import", "things.csv", "--schema", "x.yaml", "--mode", "merge"]
      try await tool.bare(merge + ["-n"] + tool.place).expect(2)
      try await tool.bare(merge + ["--defaults", "-n"] + tool.place).expect(0)
      try await tool.bare(merge + ["--defaults"] + tool.place).expect(0)
      try await tool.run("export", "things", "-o", "out.jsonl").expect(0)
      #expect(
        try tool.text("out.jsonl") == """
          {"fields":{"n":{"integerValue":"5"},"tier":{"stringValue":"pro"}},"name":"things/t1"}
          {"fields":{"n":{"integerValue":"7"},"note":{"stringValue":"none"},"tier":{"stringValue":"basic"}},\
          "name":"things/t2"}

          """
      )
    }
  }

  @Test(
    "--validate warn makes such changes and says so; so do JSON Lines, and the folder of an export is not looked at."
  )
  func allowed() async throws {
    try await withStores { tool in
      try await tool.bare(["import", Samples.file("payments"), "-e", "test", "-q"]).expect(0)
      let folder = ["export", "payments", "-e", "test", "-o", "whole/", "--format", "jsonl", "-q"]
      try await tool.bare(folder).expect(0)
      try tool.write("__name__,Importe\n\(Self.payment),1.0\n", to: "payments.csv")
      let line = #"{"fields":{"amount":{"doubleValue":2}},"name":"payments/\#(Self.payment)"}"#
      try tool.write("\(line)\n", to: "in.jsonl")
      for (input, amount, warning) in [
        (["payments.csv", "--validate", "warn"], #""doubleValue":1"#, true),
        (["in.jsonl"], #""doubleValue":2"#, true), (["whole/"], #""doubleValue":450"#, false),
      ] {
        let result = try await tool.bare(["import", "-e", "test", "--mode", "merge"] + input).expect(0)
        let said =
          "1 document was changed that the schema declares immutable, the first by name payments/\(Self.payment)"
        #expect(result.errors.contains(said) == warning, "\(input): \(result.errors)")
        #expect(try await stored("payments/\(Self.payment)", tool).contains(amount), "\(input)")
      }
    }
  }

  @Test("Users as the app reads them are no data: in a workbook, in a folder, and by their column 'era'.")
  func asApp() async throws {
    try await withStores { tool in
      for file in ["users", "products"] {
        try await tool.bare(["import", Samples.file(file), "-e", "test", "-q"]).expect(0)
      }
      func export(_ output: String, _ more: String...) async throws {
        let words = ["export", "users", "--as-app", "-e", "test", "-o", output, "-q"]
        try await tool.bare(words + more).expect(0)
      }
      let before = try await tool.bare([
        "export", "users", "-e", "test", "-o", "-", "--format", "jsonl", "-q",
      ])
      .output
      try await export("users.xlsx", "--header", "spanish", "--fields", "fullName,phone")
      try await export("users.csv")
      try await export("folder/", "products", "--format", "jsonl")
      try await export("tables/", "products", "--format", "csv", "--fields", "fullName")
      try await export("all.jsonl")
      for (input, what) in [
        ("users.xlsx", "for people"), ("folder/", "for people"), ("tables/", "for people"),
        ("users.csv", "An export for people, which shows documents otherwise than they are stored"),
      ] {
        let refused = try await tool.bare(["import", input, "-e", "test", "--mode", "merge"])
        refused.expectFailure(65, what)
        #expect(!refused.errors.contains("--validate warn"), "\(refused.errors)")
      }
      try await tool.bare(["restore", "users", "--from", "folder/", "-e", "test", "-y"])
        .expectFailure(65, "for people")
      let lines = try await tool.bare(["import", "all.jsonl", "-e", "test", "--mode", "merge", "-n"])
      #expect(lines.errors.contains("era: expected no field of that name"), "\(lines.errors)")
      let after = try await tool.bare(["export", "users", "-e", "test", "-o", "-", "--format", "jsonl", "-q"])
        .output
      #expect(after == before)
      try await tool.bare([
        "export", "users", "--as-app", "-e", "test", "-o", "managed", "--format", "managed",
      ]).expect(64)
    }
  }

  @Test("A table of a collection or of columns that the schema does not know is imported with a word.")
  func unknown() async throws {
    try await withStores { tool in
      let table = "__name__,foo,bar\n1,a,2\n"
      for (file, more, warning) in [
        ("product.csv", [], "The schema declares no collection 'product'. Did you mean 'products'?"),
        ("precios.csv", [], "The schema declares no collection 'precios'."),
        ("products.csv", ["--mode", "merge", "--validate", "warn"], "'foo', 'bar'"),
        ("precios.csv", ["--collection", "prices"], nil), ("precios.csv", ["--schema", "none"], nil),
      ] as [(String, [String], String?)] {
        try tool.write(table, to: file)
        let result = try await tool.bare(["import", file, "-e", "test", "-n"] + more).expect(0)
        let warnings = result.errorLines.filter {
          $0.contains("warning") && $0.contains("schema declares no")
        }
        #expect(warnings.count == (warning == nil ? 0 : 1), "\(file) \(more): \(result.errors)")
        if let warning { #expect(warnings.first?.contains(warning) ?? false, "\(result.errors)") }
      }
    }
  }

  @Test("A file that is saved again while it is imported ends in 65, and its run must be undone.")
  func savedMeanwhile() async throws {
    try await withMini { tool, mini in
      let rows = (10...99).map { "d\($0),1\n" }.joined()
      try tool.write("id,n\n" + rows, to: "things.csv")
      let file = tool.folder.appendingPathComponent("things.csv")
      mini.setBeforeCommit { number, _ in
        let other = "id,n\n" + rows.replacingOccurrences(of: ",1", with: ",2")
        if number == 0 { try? Data(other.utf8).write(to: file) }
      }
      let command = ["import", "things.csv", "--id-column", "id", "--batch-size", "50"] + tool.place
      try await tool.bare(command).expectFailure(65, "things.csv", "it has changed while it was read")
      let resumed = try await tool.bare(["runs", "resume", try tool.lastRun()])
      resumed.expectFailure(64, "damaged or changed")
      mini.setBeforeCommit(nil)
      try await tool.run("runs", "undo", "last", "-y").expect(0)
      #expect(mini.snapshot().isEmpty)
    }
  }

  @Test("In a protected environment, the name of a file alone makes no collection.")
  func unknownInProtected() async throws {
    try await withStores { tool in
      try tool.write("__name__,foo\n1,a\n", to: "precios.csv")
      let command = ["import", "precios.csv", "-e", "prod", "--confirm", "prod"]
      try await tool.bare(command).expectFailure(77, "precios.csv", "Name the collection with --collection")
      try await tool.bare(command + ["-n"]).expectFailure(77, "--collection")
      try await tool.bare(command + ["--collection", "precios"]).expect(0)
    }
  }

  @Test("A time of day may lack its zero, where the schema says that the text is one.")
  func timesOfDay() async throws {
    try await withTool { tool in
      let schema =
        "schema: s\ncollections:\n  t: { fields: { id: string, h: { type: string, format: time } } }\n"
      try tool.write(schema, to: "s.yaml")
      try tool.write("id,h\na,9:05\nb,10:30\n", to: "t.csv")
      let own = ["--schema", "s.yaml"] + tool.place
      try await tool.bare(["import", "t.csv", "--id-column", "id"] + own).expect(0)
      let found = try await tool.bare(["export", "t", "-o", "-", "--format", "csv", "-q"] + own).output
      #expect(found.contains("a,09:05") && found.contains("b,10:30"), "\(found)")
      for time in ["24:05", "9:5", "9:60"] {
        try tool.write("id,h\nc,\(time)\n", to: "t.csv")
        try await tool.bare(["import", "t.csv", "--id-column", "id"] + own)
          .expectFailure(65, "a time of day as 07:30")
      }
    }
  }
}
