import Foundation
import TestSupport
import Testing

/// Lists of rejects that come back with the options of their file, and what options say of files that have no columns.
@Suite("Options that have to hold for whatever is imported", .timeLimit(.minutes(30)))
struct MendedListTests {
  private static let own = ["--collection", "x", "--schema", "none"]

  private func documents(_ tool: Tool) async throws -> [String] {
    try await tool.run("export", "x", "--schema", "none", "-o", "-", "--format", "jsonl", "-q").output
      .split(separator: "\n").map { String($0.prefix { $0 != "\n" }) }
  }

  private func line(_ id: String, _ fields: String) -> String {
    #"{"fields":{\#(fields)},"name":"x/\#(id)"}"#
  }

  @Test(
    "A mended list has the fields and types that its file would have had",
    arguments: [
      // A single capital between words is no word of its own the second time.
      (
        ["--id-column", "id", "--headings", "camel"], "id,Fecha y hora,n:integer\na,2026-01-31,zz\n",
        #""fechaYHora":{"timestampValue":"2026-01-31T00:00:00Z"},"id":{"stringValue":"a"},"n":{"integerValue":"7"}"#
      ),
      (
        ["--id-column", "id"], "id,v:any,n:integer\na,1.0,zz\n",
        #""id":{"stringValue":"a"},"n":{"integerValue":"7"},"v":{"doubleValue":1.0}"#
      ),
      (
        ["--id-column", "id", "--types", "v=any"], "id,v,n:integer\na,true,zz\n",
        #""id":{"stringValue":"a"},"n":{"integerValue":"7"},"v":{"booleanValue":true}"#
      ),
      (
        ["--id-column", "Número de socio", "--headings", "snake", "--rename", "Fecha=joinedAt"],
        "Número de socio,Fecha,n:integer\na,hoy,zz\n",
        #""joinedAt":{"stringValue":"hoy"},"n":{"integerValue":"7"},"numero_de_socio":{"stringValue":"a"}"#
      ),
      (
        ["--id-column", "id", "--headings", "snake", "--types", "x y.z=double"],
        "id,x y.z,n:integer\na,5,zz\n",
        #""id":{"stringValue":"a"},"n":{"integerValue":"7"},"x_y_z":{"doubleValue":5.0}"#
      ),
      // What guards a spreadsheet from formulas is no part of a number in another notation.
      (
        ["--id-column", "id", "--decimal-comma"],
        "id,a:double,b:string,c:any,n:integer\na,\"-1,5\",\"-1,5\",\"-1,5\",zz\n",
        #""a":{"doubleValue":-1.5},"b":{"stringValue":"-1,5"},"c":{"doubleValue":-1.5},"#
          + #""id":{"stringValue":"a"},"n":{"integerValue":"7"}"#
      ),
      (
        ["--id-column", "id", "--percent", "number", "--currency", "$"],
        "id,a:double,b:integer,n:integer\na,-5%,\"-$1,200\",zz\n",
        #""a":{"doubleValue":-5.0},"b":{"integerValue":"-1200"},"id":{"stringValue":"a"},"n":{"integerValue":"7"}"#
      ),
      // The headings of a list are fields already, whatever --rename says of headings of that name.
      (
        ["--id-column", "id", "--rename", "nombre=apellido,apellido=nombre"],
        "id,nombre,apellido,n:integer\na,Ruiz,Ana,zz\n",
        #""apellido":{"stringValue":"Ruiz"},"id":{"stringValue":"a"},"n":{"integerValue":"7"},"nombre":{"stringValue":"Ana"}"#
      ),
      (
        ["--id-column", "id", "--rename", "Name=nombre,Nombre=apellido"],
        "id,Name,Nombre,n:integer\na,Ana,Ruiz,zz\n",
        #""apellido":{"stringValue":"Ruiz"},"id":{"stringValue":"a"},"n":{"integerValue":"7"},"nombre":{"stringValue":"Ana"}"#
      ),
      (
        ["--id-column", "code", "--rename", "Folio=code,code=legacy"], "Folio,code,n:integer\nK1,a,zz\n",
        #""code":{"stringValue":"K1"},"legacy":{"stringValue":"a"},"n":{"integerValue":"7"}"#
      ),
      (
        ["--id-column", "id", "--rename", "v=w,w=u", "--types", "w=text"], "id,v,w,n:integer\na,5,6,zz\n",
        #""id":{"stringValue":"a"},"n":{"integerValue":"7"},"u":{"stringValue":"6"},"w":{"integerValue":"5"}"#
      ),
      (
        ["--rename", "v=w,w=v"], "__name__,v,w,n:integer\na,5,6,zz\n",
        #""n":{"integerValue":"7"},"v":{"integerValue":"6"},"w":{"integerValue":"5"}"#
      ),
    ]
  )
  func mended(options: [String], text: String, fields: String) async throws {
    try await withTool { tool in
      try tool.write(text, to: "x.csv")
      let options = Self.own + options + tool.place
      try await tool.bare(["import", "x.csv", "--parse-errors", "skip-row"] + options).expect(2)
      let list = try tool.text("\(try #require(tool.runs().last))/rejects.csv")
      try tool.write(list.replacing(",zz,", with: ",7,"), to: "mended.csv")
      try await tool.bare(["import", "mended.csv"] + options).expect(0)
      #expect(try await documents(tool) == [line("a", fields)])
    }
  }

  @Test(
    "An option means the heading that is exactly as it says, or else what reads alike",
    arguments: [
      (
        ["--id-column", "code", "--rename", "Folio=code,code=legacy"], "Folio,code\nK1,C1\n", "C1",
        #""code":{"stringValue":"K1"},"legacy":{"stringValue":"C1"}"#
      ),
      (
        ["--id-column", "k", "--rename", "a=b,b=c", "--types", "b=text"], "k,a,b\n1,5,6\n", "1",
        #""b":{"integerValue":"5"},"c":{"stringValue":"6"},"k":{"stringValue":"1"}"#
      ),
      (
        ["--id-column", "k", "--rename", "a=b,b=a", "--types", "a=text,b=integer"], "k,a,b\n1,5,6\n", "1",
        #""a":{"integerValue":"6"},"b":{"stringValue":"5"},"k":{"stringValue":"1"}"#
      ),
      (
        ["--id-column", "k", "--headings", "snake", "--rename", "mi_dato=z", "--types", "mi_dato=text"],
        "k,Mi Dato,mi_dato\n1,5,6\n", "1",
        #""k":{"stringValue":"1"},"mi_dato":{"integerValue":"5"},"z":{"stringValue":"6"}"#
      ),
      (
        ["--id-column", "k", "--rename", "a=z"], "k,a,A\n1,5,6\n", "1",
        #""A":{"integerValue":"6"},"k":{"stringValue":"1"},"z":{"integerValue":"5"}"#
      ),
      (
        ["--id-column", "k", "--rename", "NOMBRE=n", "--types", "TELEFONO=text"],
        "k,Nombre,Teléfono\n1,Ana,55\n", "1",
        #""Teléfono":{"stringValue":"55"},"k":{"stringValue":"1"},"n":{"stringValue":"Ana"}"#
      ),
    ]
  )
  func named(options: [String], text: String, id: String, fields: String) async throws {
    try await withTool { tool in
      try tool.write(text, to: "x.csv")
      try await tool.bare(["import", "x.csv"] + Self.own + options + tool.place).expect(0)
      #expect(try await documents(tool) == [line(id, fields)])
    }
  }

  @Test("Of two columns for one field, the refusal says what gives one of them another")
  func twice() async throws {
    try await withTool { tool in
      let words = Self.own + ["--id-column", "k"] + tool.place
      try tool.write("k,a,z\n1,5,6\n", to: "x.csv")
      let refused = try await tool.bare(["import", "x.csv", "--rename", "a=z"] + words)
      refused.expectFailure(65, "--rename 'z=FIELD' gives it another field")
      try await tool.bare(["import", "x.csv", "--rename", "a=z,z=y"] + words).expect(0)
      #expect(
        try await documents(tool) == [
          line("1", #""k":{"stringValue":"1"},"y":{"integerValue":"6"},"z":{"integerValue":"5"}"#)
        ]
      )
    }
  }

  @Test("The command line overrides what the schema says of a heading, however either spells it")
  func overridden() async throws {
    try await withTool { tool in
      try tool.write(
        """
        schema: own
        collections:
          x:
            import: { id-column: k, rename: { Nombre: name }, types: { v: text } }
            fields: { note: string }
        """,
        to: "own.yaml"
      )
      try tool.write("k,Nombre,v\n1,Ana,5\n", to: "x.csv")
      let words = ["--collection", "x", "--schema", "own.yaml"] + tool.place
      try await tool.bare(["import", "x.csv", "--rename", "NOMBRE=full", "--types", "V=double"] + words)
        .expect(0)
      #expect(
        try await documents(tool) == [
          line("1", #""full":{"stringValue":"Ana"},"v":{"doubleValue":5.0}"#)
        ]
      )
    }
  }

  @Test(
    "With a decimal comma, a point stands between thousands in a column of any type, too",
    arguments: [
      ("1.200", #"{"integerValue":"1200"}"#), ("1,5", #"{"doubleValue":1.5}"#),
      ("-1.234,5", #"{"doubleValue":-1234.5}"#),
      ("7", #"{"integerValue":"7"}"#), ("x.y", #"{"stringValue":"x.y"}"#),
      (#""{""stringValue"":""1.2""}""#, #"{"stringValue":"1.2"}"#), ("1.0", nil), ("10.5", nil),
      ("1.5e3", nil),
    ]
  )
  func decimalComma(cell: String, value: String?) async throws {
    try await withTool { tool in
      for (heading, options) in [
        ("id;n:any", ["--id-column", "id", "--skip-columns", "3"]), ("__name__;n", []),
      ] {
        try tool.write("\(heading)\na;\(cell)\n", to: "x.csv")
        let words = ["import", "x.csv", "--decimal-comma", "--mode", "upsert"] + Self.own + options
        let result = try await tool.bare(words + tool.place)
        guard let value else {
          result.expectFailure(65, "a number with a decimal comma")
          continue
        }
        result.expect(0)
        #expect(try await documents(tool).first?.contains(#""n":\#(value)"#) == true)
      }
    }
  }

  @Test(
    "What an option would overwrite, or would not do, is refused",
    arguments: [
      (#"[{"id":"a","v":"1","w":2}]"#, ["--rename", "v=w"], 65, "another member for the field w"),
      (#"[{"id":"a","v":"1","w":2}]"#, ["--rename", "v=z,w=z"], 65, "another member for the field z"),
      (#"[{"id":"a","v":"1","m":5}]"#, ["--rename", "v=m.q"], 65, "another member for the field m.q"),
      (#"[{"id":"a","v":"1","m":{"q":2}}]"#, ["--rename", "v=m"], 65, "another member for the field m"),
      (#"[{"id":"a","v":"1"}]"#, ["--rename", "v=__name__"], 64, "__name__ is no field"),
      (#"[{"id":"a","v":"1"}]"#, ["--rename", "v=__x__"], 64, "reserved"),
      (#"[{"id":"a","v":"1"}]"#, ["--rename", "zz=q"], 65, "no object has a member 'zz'"),
      (#"[{"id":"a","v":"1"}]"#, ["--types", "zz=text"], 65, "no object has a member 'zz'"),
      (#"[{"id":"a","v":"1"}]"#, ["--headings", "snake"], 64, "--headings: it is for CSV and workbooks"),
      (#"[{"id":"a","v":"1"}]"#, ["--decimal-comma"], 64, "--decimal-comma: it is for CSV"),
      (#"[{"id":"a","v":"1"}]"#, ["--new-ids", "uuid"], 64, "--new-ids: it is for CSV"),
      (#"[{"id":"a","v":"1"}]"#, ["--new-ids", "uuid"], 64, "Where none has, jq -s"),
      (
        #"[{"id":"a","v":{"_seconds":999999999999,"_nanoseconds":0}}]"#, [], 65,
        "v: it is no time and no point"
      ),
      (#"[{"id":"a","v":{"_latitude":91,"_longitude":0}}]"#, [], 65, "v: it is no time and no point"),
      (#"[{"id":"a","v":1}]"#, ["--format", "managed"], 65, "it is no folder of a managed export"),
    ]
  )
  func objects(text: String, options: [String], code: Int32, says: String) async throws {
    try await withTool { tool in
      try tool.write(text, to: "x.json")
      let result = try await tool.bare(
        ["import", "x.json", "--id-column", "id"] + Self.own + options + tool.place
      )
      result.expectFailure(code, says)
      #expect(try await documents(tool).isEmpty)
    }
  }

  @Test("A collection called documents is as ambiguous as any other; a response of the service has an array")
  func collectionsOfDocuments() async throws {
    try await withTool { tool in
      for name in ["documents", "document", "users"] {
        try tool.write(
          #"{"\#(name)":{"u1":{"v":{"q":1}}},"others":{"u2":{"v":{"q":1}}}}"#,
          to: "x.json"
        )
        try await tool.run("import", "x.json", "--collection", "x").expectFailure(65, "--json-form")
      }
      try tool.write(#"{"documents":[{"name":"x/a","fields":{}}]}"#, to: "y.json")
      try await tool.run("import", "y.json", "--schema", "none").expect(0)
    }
  }

  @Test("A heading with its type is renamed by the name alone, and by a name that is no plain path")
  func renamed() async throws {
    try await withTool { tool in
      try tool.write("id,v:array,w\na,\"[1]\",2\n", to: "x.csv")
      try await tool.bare(
        ["import", "x.csv", "--id-column", "id", "--rename", " v =Año"] + Self.own + tool.place
      ).expect(0)
      let fields =
        #""Año":{"arrayValue":{"values":[{"integerValue":"1"}]}},"id":{"stringValue":"a"},"w":{"integerValue":"2"}"#
      #expect(try await documents(tool) == [line("a", fields)])
    }
  }

  @Test("An export of some fields does not replace documents; --mode merge keeps the others")
  func someFields() async throws {
    try await withTool { tool in
      try tool.write(line("a", #""m":{"integerValue":"1"},"n":{"integerValue":"1"}"#), to: "x.jsonl")
      try await tool.run("import", "x.jsonl", "--schema", "none").expect(0)
      try await tool.run(
        "export",
        "x",
        "--fields",
        "n",
        "-o",
        "some/",
        "--format",
        "jsonl",
        "--schema",
        "none"
      ).expect(0)
      for mode in ["upsert", "replace"] {
        try await tool.run("import", "some", "--mode", mode, "--schema", "none")
          .expectFailure(77, "it has the fields n alone", "--mode merge")
      }
      try await tool.run("import", "some", "--mode", "merge", "--schema", "none").expect(0)
      #expect(try await documents(tool).first?.contains(#""m":{"integerValue":"1"}"#) == true)
    }
  }

  @Test(
    "Where a document goes, and what it says of its values, holds for every kind of file",
    arguments: [
      (#"[{"__name__":"a/s/b","v":1},{"__name__":"c","v":1}]"#, "x.json", ["--flatten"], ["b", "c"]),
      (#"[{"__name__":"projects/p/databases/d/documents/x/a","v":1}]"#, "x.json", [], ["a"]),
      ("__name__,v\nprojects/p/databases/d/documents/x/a,1\n", "x.csv", [], ["a"]),
    ]
  )
  func names(text: String, file: String, options: [String], ids: [String]) async throws {
    try await withTool { tool in
      try tool.write(text, to: file)
      try await tool.bare(["import", file] + Self.own + options + tool.place).expect(0)
      #expect(try await documents(tool) == ids.map { line($0, #""v":{"integerValue":"1"}"#) })
    }
  }

  @Test("A value whose type says otherwise is refused", arguments: ["number", "boolean"])
  func namedTypes(type: String) async throws {
    try await withTool { tool in
      try tool.createFolder("dump/users/u1")
      try tool.write(#"{"a":{"value":"x","type":"\#(type)"}}"#, to: "dump/users/u1/u1.json")
      try await tool.run("import", "dump", "--schema", "none")
        .expectFailure(65, "it is no \(type), which its type says")
    }
  }

  @Test("What is rejected does not count: of two documents, the one that can be written is")
  func duplicates() async throws {
    try await withTool { tool in
      let bad = #"{"geoPointValue":{"latitude":91,"longitude":0}}"#
      let lines = [line("a", #""v":{"integerValue":"1"}"#), line("a", #""v":\#(bad)"#)]
      try tool.write(lines.joined(separator: "\n") + "\n", to: "x.jsonl")
      let words = ["import", "x.jsonl", "--duplicates", "last", "--schema", "none"] + tool.place
      // A dry run ends as the run does.
      try await tool.bare(words + ["-n"]).expect(2)
      try await tool.bare(words).expect(2)
      #expect(try await documents(tool) == [lines[0]])
    }
  }

  @Test(
    "A list of a workbook under --decimal-comma has its numbers as they are read",
    arguments: [[], ["--types", "v=double,n=integer"]]
  )
  func listOfWorkbook(types: [String]) async throws {
    try await withTool { tool in
      try tool.write(line("a", #""n":{"stringValue":"zz"},"v":{"doubleValue":1.234}"#), to: "in.jsonl")
      try await tool.run("import", "in.jsonl", "--schema", "none").expect(0)
      try await tool.run("export", "x", "-o", "x.xlsx", "--schema", "none").expect(0)
      let types = types.isEmpty ? ["--types", "n=integer"] : types
      let options = ["--decimal-comma", "--mode", "upsert"] + types + Self.own + tool.place
      try await tool.bare(["import", "x.xlsx", "--parse-errors", "skip-row"] + options).expect(2)
      let list = try tool.text("\(#require(tool.runs().last))/rejects.csv")
      try tool.write(list.replacing("zz", with: "7"), to: "mended.csv")
      try await tool.bare(["import", "mended.csv"] + options).expect(0)
      #expect(
        try await documents(tool) == [line("a", #""n":{"integerValue":"7"},"v":{"doubleValue":1.234}"#)]
      )
    }
  }

  @Test("Vectors that are the elements of an array come back from plain JSON")
  func vectors() async throws {
    try await withTool { tool in
      let schema = "schema: s\ncollections:\n  x:\n    fields: { v: { type: array, elements: vector } }\n"
      try tool.write(schema, to: "s.yaml")
      try tool.write(#"[{"__name__":"a","v":[[1,2.5]]}]"#, to: "x.json")
      try await tool.run("import", "x.json", "--collection", "x", "--schema", "s.yaml").expect(0)
      let found = try await documents(tool).first ?? ""
      #expect(
        found.contains(#""__vector__"}"#) && found.contains(#"[{"doubleValue":1.0},{"doubleValue":2.5}]"#)
      )
    }
  }

  @Test("A configuration that is not UTF-8 names no project")
  func latinConfiguration() async throws {
    try await withTool { tool in
      let text = "environments:\n  a: { project: lowz\u{E9}, endpoint: \"http://127.0.0.1:1\" }\n"
      try Data(text.unicodeScalars.map { UInt8($0.value) }).write(
        to: URL(fileURLWithPath: tool.path("l.yaml"))
      )
      try await tool.bare(["count", "x", "-e", "a", "--config", "l.yaml"]).expectFailure(
        78,
        "it is not UTF-8"
      )
    }
  }

  @Test("Where the schema takes a file's name for that of two collections, --collection decides")
  func twoPatterns() async throws {
    try await withTool { tool in
      let schema = """
        schema: s
        collections:
          a: { import: { files: "s-*.csv", id-column: id }, fields: { n: integer } }
          b: { import: { files: "s-1*.csv", id-column: id }, fields: { n: integer } }
        """
      try tool.write(schema + "\n", to: "s.yaml")
      try tool.write("id,n\nq,1\n", to: "s-1.csv")
      try await tool.run("import", "s-1.csv", "--schema", "s.yaml").expectFailure(64, "--collection")
      try await tool.run("import", "s-1.csv", "--schema", "s.yaml", "--collection", "b").expect(0)
    }
  }
}
