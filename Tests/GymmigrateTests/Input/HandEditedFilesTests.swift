import Foundation
import TestSupport
import Testing

/// Files that people have mended, cut off or saved in their own way.
@Suite("Files that went through people's hands", .timeLimit(.minutes(30)))
struct HandEditedFilesTests {
  private func lines(_ tool: Tool) async throws -> [String] {
    try await tool.run("export", "x", "--schema", "none", "-o", "-", "--format", "jsonl", "-q").output
      .split(separator: "\n").map(String.init)
  }

  private func line(_ name: String, _ fields: String) -> String {
    #"{"fields":{\#(fields)},"name":"\#(name)"}"#
  }

  @Test(
    "A list of rejects is read as it was written, whatever the options of the file say",
    arguments: [
      (
        ["--quote", "none"], "id,w,v\nb,12\" x 5,x\n",
        #""v":{"integerValue":"7"},"w":{"stringValue":"12\" x 5"}"#, "b"
      ),
      (
        ["--comment", "#"], "id,w,v\n\"#b\",w,x\n", #""v":{"integerValue":"7"},"w":{"stringValue":"w"}"#, "#b"
      ),
      (
        ["--header-row", "3"], "Title\n\nid,w,v\nb,w,x\n",
        #""v":{"integerValue":"7"},"w":{"stringValue":"w"}"#, "b"
      ),
      (
        ["--delimiter", "semicolon"], "id;w;v\nb;w;x\n", #""v":{"integerValue":"7"},"w":{"stringValue":"w"}"#,
        "b"
      ),
      (
        ["--encoding", "windows-1252"], "id,w,v\nb,w,x\n",
        #""v":{"integerValue":"7"},"w":{"stringValue":"w"}"#, "b"
      ),
    ]
  )
  func rejects(options: [String], text: String, fields: String, id: String) async throws {
    try await withTool { tool in
      try tool.write(text, to: "x.csv")
      let own =
        ["--collection", "x", "--id-column", "id", "--types", "v=integer", "--schema", "none"] + options
      try await tool.bare(["import", "x.csv", "--parse-errors", "skip-row"] + own + tool.place).expect(2)
      let file = "\(try #require(tool.runs().last))/rejects.csv"
      // Of the rejected row, the wrong cell alone is mended.
      let mended = try tool.text(file).replacing(",x,", with: ",7,").replacing(";x;", with: ";7;")
      try tool.write(mended, to: "mended.csv")
      try await tool.bare(["import", "mended.csv"] + own + tool.place).expect(0)
      let whole = #""id":{"stringValue":"\#(id)"},"# + fields
      #expect(try await lines(tool) == [line("x/\(id)", whole)])
    }
  }

  @Test("A list of rejects that a spreadsheet saved in another encoding is read in that one")
  func savedRejects() async throws {
    try await withTool { tool in
      let text = "id,w,v,__reason__\nb,ñ,7,it was x\n"
      let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      try Data(bytes).write(to: URL(fileURLWithPath: tool.path("saved.csv")))
      try await tool.run(
        "import",
        "saved.csv",
        "--collection",
        "x",
        "--id-column",
        "id",
        "--types",
        "v=integer",
        "--encoding",
        "windows-1252",
        "--schema",
        "none"
      ).expect(0)
      let fields = #""id":{"stringValue":"b"},"v":{"integerValue":"7"},"w":{"stringValue":"ñ"}"#
      #expect(try await lines(tool) == [line("x/b", fields)])
    }
  }

  @Test(
    "What --types names is found in a list of rejects, also beside what the schema says of headings that it lacks"
  )
  func declaredRejects() async throws {
    try await withTool { tool in
      let schema =
        "schema: s\ncollections:\n  x:\n    import: { types: { nota: string } }\n    fields: { id: string }\n"
      try tool.write(schema, to: "s.yaml")
      try tool.write("id,w,v,__reason__\nb,5,7,it was x\n", to: "rejects.csv")
      try await tool.run(
        "import",
        "rejects.csv",
        "--collection",
        "x",
        "--id-column",
        "id",
        "--types",
        "v=integer",
        "--schema",
        "s.yaml",
        "--validate",
        "off"
      ).expect(0)
      let fields = #""id":{"stringValue":"b"},"v":{"integerValue":"7"},"w":{"integerValue":"5"}"#
      #expect(try await lines(tool) == [line("x/b", fields)])
    }
  }

  @Test("Plain JSON obeys --rename, and --types of a member within a member")
  func plainJSON() async throws {
    try await withTool { tool in
      try tool.write(#"[{"id":"a","Precio":5,"m":{"p":1}}]"#, to: "x.json")
      try await tool.run(
        "import",
        "x.json",
        "--collection",
        "x",
        "--id-column",
        "id",
        "--rename",
        "Precio=price",
        "--types",
        "Precio=double,m.p=double",
        "--schema",
        "none"
      ).expect(0)
      let fields =
        #""id":{"stringValue":"a"},"m":{"mapValue":{"fields":{"p":{"doubleValue":1.0}}}},"price":{"doubleValue":5.0}"#
      #expect(try await lines(tool) == [line("x/a", fields)])
    }
  }

  @Test("An export that lost lines is refused, and its files are read by their names")
  func cutFolder() async throws {
    try await withTool { tool in
      try tool.write(
        (1...5).map { documentLine("x/\($0)", $0) }.joined(separator: "\n") + "\n",
        to: "x.jsonl"
      )
      try await tool.run("import", "x.jsonl", "--schema", "none").expect(0)
      try await tool.run("export", "--all", "--schema", "none", "-o", "back/", "--format", "jsonl").expect(0)
      let whole = try tool.text("back/x.jsonl").split(separator: "\n")
      try tool.write(whole.prefix(3).joined(separator: "\n") + "\n", to: "back/x.jsonl")
      let cut = try await tool.run("import", "back/", "--mode", "upsert", "--schema", "none")
      cut.expectFailure(65, "it has 3, and the manifest says 5 documents")
      for words in [
        ["count", "--all"], ["get", "x/5"], ["export", "--all", "-o", "again/", "--format", "jsonl"],
      ] {
        try await tool.bare(words + ["--from", "back/"]).expectFailure(65, "the manifest says 5 documents")
      }
      try await tool.bare(["diff", "--all", "--from", "x.jsonl", "--to", "back/"])
        .expectFailure(65, "the manifest says 5 documents")
      try await tool.bare(["count", "--all", "--from", "back/x.jsonl"]).expect(0)
      try await tool.run("import", "back/x.jsonl", "--mode", "upsert", "--schema", "none").expect(0)
    }
  }

  @Test("UTF-16 without a mark is refused with the option that reads it", arguments: [true, false])
  func utf16(isLittle: Bool) async throws {
    try await withTool { tool in
      let bytes = "id,v\na,1\n".utf16.flatMap { unit -> [UInt8] in
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
        return isLittle ? [low, high] : [high, low]
      }
      try Data(bytes).write(to: URL(fileURLWithPath: tool.path("x.csv")))
      let option = isLittle ? "utf-16le" : "utf-16be"
      let own = ["import", "x.csv", "--collection", "x", "--schema", "none"]
      for ids in [["--new-ids", "uuid"], ["--id-column", "id"]] {
        try await tool.bare(own + ids + tool.place).expectFailure(65, "--encoding \(option)")
      }
      try await tool.bare(own + ["--id-column", "id", "--encoding", option] + tool.place).expect(0)
    }
  }

  @Test("A map that Google's libraries would have for a time is a map in JSON of our own")
  func ownMaps() async throws {
    try await withTool { tool in
      let fields =
        #""v":{"mapValue":{"fields":{"_nanoseconds":{"integerValue":"5"},"_seconds":{"integerValue":"1"}}}}"#
      try tool.write(line("x/a", fields) + "\n", to: "x.jsonl")
      try await tool.run("import", "x.jsonl", "--schema", "none").expect(0)
      for format in ["json", "ndjson"] {
        try await tool.run("export", "x", "--schema", "none", "--format", format, "-o", "own.\(format)")
          .expect(0)
        try await tool.run(
          "import",
          "own.\(format)",
          "--collection",
          "x",
          "--mode",
          "upsert",
          "--schema",
          "none",
          "--format",
          "json"
        ).expect(0)
        #expect(try await lines(tool) == [line("x/a", fields)], "\(format)")
      }
    }
  }

  @Test("An object that says another id than its own is refused")
  func twoIDs() async throws {
    try await withTool { tool in
      let own = ["import", "x.json", "--collection", "x", "--schema", "none"]
      try tool.write(#"{"m1":{"__name__":"m9","v":1}}"#, to: "x.json")
      try await tool.bare(own + tool.place).expectFailure(65, "it is another id than 'm1'")
      try tool.write(#"[{"__name__":"a","id":"b"}]"#, to: "x.json")
      try await tool.bare(own + ["--id-column", "id"] + tool.place).expectFailure(
        65,
        "it is another id than 'b'"
      )
      try tool.write(#"[{"__name__":"x/b","id":"b"}]"#, to: "x.json")
      try await tool.bare(own + ["--id-column", "id"] + tool.place).expect(0)
    }
  }

  @Test(
    "UTF-8 is no other encoding, also where its only letter with an accent is the last one",
    arguments: ["a,é", "a,ñ\n", "é,1\n"]
  )
  func utf8(rest: String) async throws {
    try await withTool { tool in
      try tool.write("id,v\n" + rest, to: "x.csv")
      let own = ["import", "x.csv", "--collection", "x", "--id-column", "id", "--schema", "none"]
      try await tool.bare(own + ["--encoding", "windows-1252"] + tool.place).expectFailure(65, "it is UTF-8")
      try await tool.bare(own + tool.place).expect(0)
    }
  }

  @Test("What nobody sees around a heading makes no other field, and {} beside texts is a text")
  func invisible() async throws {
    try await withTool { tool in
      try tool.write("id,\u{200B}price\u{FEFF},note\na,5,{}\nb,6,hola\n", to: "x.csv")
      try await tool.run("import", "x.csv", "--collection", "x", "--id-column", "id", "--schema", "none")
        .expect(0)
      let found = try await lines(tool)
      #expect(found.count == 2 && found.allSatisfy { $0.contains(#""price":{"integerValue""#) }, "\(found)")
      #expect(found.first?.contains(#""note":{"stringValue":"{}"}"#) == true, "\(found)")
    }
  }
}
