import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("Tables come back as they went, and people's own are understood", .timeLimit(.minutes(60)))
struct SheetImportTests {
  /// The tool on another database of the same embedded store.
  private func other(_ tool: Tool, _ database: String) -> Tool {
    var tool = tool
    tool.place = ["-e", "local", "--database", database]
    return tool
  }

  /// Every document of the database as its line, sorted.
  private func documents(_ tool: Tool) async throws -> [String] {
    let file = "out-\(UUID().uuidString).jsonl"
    try await tool.run("export", "--all", "--subcollections", "-o", file).expect(0)
    return try tool.text(file).split(separator: "\n").map(String.init).sorted { $0.compareUTF8($1) < 0 }
  }

  private func expectSame(_ found: [String], _ expected: [String], _ what: String) {
    #expect(found.count == expected.count, "\(what)")
    let lost = Set(expected.map(UTF8Key.init)).subtracting(found.map(UTF8Key.init))
    let new = Set(found.map(UTF8Key.init)).subtracting(expected.map(UTF8Key.init))
    let sample =
      (lost.sorted().prefix(2).map { "lost  \($0)" } + new.sorted().prefix(2).map { "found \($0)" })
    #expect(lost.isEmpty && new.isEmpty, "\(what): \(sample.joined(separator: "\n"))")
  }

  // MARK: There and back

  @Test(
    "The sample gym goes through every form of table and is the same.",
    arguments: [
      ["csv"], ["csv", "--excel", "--delimiter", "semicolon", "--header", "spanish"],
      ["csv", "--header", "english", "--time-zone", "America/Mexico_City", "--delimiter", "tab"],
      ["xlsx"], ["xlsx", "--header", "spanish"],
    ]
  )
  func samples(_ options: [String]) async throws {
    try await withTool { tool in
      let files = try Samples.all().map { Samples.file($0) }
      try await tool.bare(["import"] + files + tool.place).expect(0)
      try await tool.bare(
        ["export", "--all", "--subcollections", "-o", "tables/", "--format"] + options + tool.place
      ).expect(0)
      let copy = other(tool, "copy")
      try await copy.run("import", "tables/").expect(0)
      expectSame(try await documents(copy), try await documents(tool), "\(options)")
      // Everything is there: nothing is written the second time.
      let again = try await copy.run("import", "tables/", "--mode", "upsert", "--json").expect(0)
      #expect(try again.summary().totals.written == 0)
    }
  }

  @Test(
    "Whatever a collection is called, its sheet says which it is and in what zone its times are.",
    arguments: [
      "l'été", "'a'", "new!", "a!b'c", "=1+1", "$A$1", "#REF!", "a\"b", "{x}", "a;b,c", "&<>", "😀", "a b",
      "-1", "History",
      String(repeating: "語", count: 31), String(repeating: "ж", count: 40),
      String(repeating: "a", count: 200),
    ]
  )
  func namedSheets(_ collection: String) async throws {
    try await withTool { tool in
      let name = try String(decoding: JSONEncoder().encode("\(collection)/a"), as: UTF8.self)
      let time = #"{"timestampValue":"2026-01-31T18:00:00Z"}"#
      try tool.write(#"{"name":\#(name),"fields":{"t":\#(time)}}"# + "\n", to: "in.jsonl")
      try await tool.bare(["import", "in.jsonl", "--schema", "none", "-e", "local"]).expect(0)
      let zone = ["--time-zone", "America/North_Dakota/New_Salem"]
      try await tool.bare(["export", "--all", "--schema", "none", "-e", "local", "-o", "a.xlsx"] + zone)
        .expect(0)
      let result = try await tool.bare(
        ["import", "a.xlsx", "--schema", "none", "-e", "local", "--mode", "upsert", "--json"]
      ).expect(0)
      #expect(try result.summary().totals.unchanged == 1, "\(result.output)")
    }
  }

  @Test(
    "Links are for the sheets of one workbook: anything else is a usage error.",
    arguments: [
      ["-o", "p.csv"], ["-o", "p.jsonl"], ["-o", "tables/", "--format", "xlsx"],
      ["-o", "nightly", "--dated", "--format", "xlsx"],
    ]
  )
  func linksElsewhere(_ options: [String]) async throws {
    try await withTool { tool in
      let run = try await tool.bare(["export", "products", "--links"] + options + tool.place).expect(64)
      #expect(run.errors.contains("--links is about the sheets of one workbook"), "\(run.errors)")
    }
  }

  @Test("Collections whose names no sheet can have go back to theirs, each to its own.")
  func oddNames() async throws {
    let long = String(repeating: "collection", count: 5)
    let names = [
      "a:b/1", "a?b/1", "a_b/1", "x/a", "x (2)/a", "x/a/sub/s1", "x/b/sub/s1", "x_a_sub/1", "\(long)1/1",
      "\(long)2/1", "[x]/1",
      "Users/1", "users/1", "año/1",
    ]
    try await withTool { tool in
      let lines = names.enumerated().map { documentLine($1, $0) }
      try tool.write(lines.joined(separator: "\n") + "\n", to: "odd.jsonl")
      try await tool.run("import", "odd.jsonl", "--schema", "none").expect(0)
      try await tool.run("export", "--all", "--subcollections", "--schema", "none", "-o", "odd.xlsx").expect(
        0
      )
      try await tool.run("export", "x/b/sub", "--schema", "none", "-o", "one.xlsx").expect(0)
      let (copy, one) = (other(tool, "copy"), other(tool, "single"))
      try await copy.run("import", "odd.xlsx", "--schema", "none").expect(0)
      expectSame(try await documents(copy), try await documents(tool), "odd names")
      try await one.run("import", "one.xlsx", "--schema", "none").expect(0)
      #expect(try await documents(one).count { $0.contains(#""name":"x/b/sub/s1""#) } == 1)
    }
  }

  @Test("Several collections in one workbook go back to theirs, by the names of the sheets.")
  func oneWorkbook() async throws {
    try await withTool { tool in
      for collection in ["membership_plans", "groups", "products"] {
        try await tool.run("import", Samples.file(collection)).expect(0)
      }
      try await tool.run("export", "--all", "--subcollections", "-o", "gym.xlsx").expect(0)
      let copy = other(tool, "copy")
      try await copy.run("import", "gym.xlsx", "--validate", "off").expect(0)
      expectSame(try await documents(copy), try await documents(tool), "gym.xlsx")
      let third = other(tool, "third")
      try await third.run("import", "gym.xlsx", "--sheet", "products", "--validate", "off").expect(0)
      #expect(try await documents(third).allSatisfy { $0.contains("\"name\":\"products/") })
      try await third.run("import", "gym.xlsx", "--sheet", "Hoja1").expectFailure(66, "Hoja1")
    }
  }

  /// Documents of every type under fields that the catalogue knows with another type, and under ones that it does not.
  private func write(_ count: Int, seed: UInt64, to file: String, _ tool: Tool) throws {
    var random = RandomDocuments(seed: seed, database: DatabaseName(project: "p"), isStored: true)
    let names = [
      "id", "phone", "price", "stock", "isActive", "createdAt", "priceHistory", "description", "a", "a.b",
      "1", "e\u{301}",
      "Phone", "Precio", "=x", " ", ",", "\"",
    ]
    var pick = SplitMix64(seed: seed)
    var text = ""
    for number in 0..<count {
      var fields = random.fields(levels: 3)
      for _ in 0..<6 {
        let name = names[Int.random(in: 0..<names.count, using: &pick)]
        fields[name] = random.value(levels: 2)
      }
      if number % 50 == 7 { fields["long"] = .string(String(repeating: "línea \(number)\n", count: 4000)) }
      let document = RawDocument(
        path: DocumentPath(try #require(CollectionPath("products")), "d\(number)"),
        fields: fields
      )
      var json = JSONWriter()
      json.document(document, times: false)
      text += String(decoding: json.bytes, as: UTF8.self) + "\n"
    }
    try tool.write(text, to: file)
  }

  @Test("A collection of every type goes through CSV and is the same.", arguments: Settings.seeds(2))
  func everyTypeAsCSV(_ seed: UInt64) async throws {
    try await withTool { tool in
      try write(500, seed: seed, to: "in.jsonl", tool)
      try await tool.run("import", "in.jsonl").expect(0)
      let expected = try await documents(tool)
      for (index, options) in [[], ["--excel", "--null", "\\N"]].enumerated() {
        let copy = other(tool, "copy\(index)")
        try await tool.bare(["export", "products", "-o", "products.csv"] + options + tool.place).expect(0)
        let null = options.isEmpty ? [] : ["--null", "\\N"]
        try await copy.bare(["import", "products.csv", "--validate", "off"] + null + copy.place).expect(0)
        expectSame(try await documents(copy), expected, "seed \(seed), \(options)")
      }
    }
  }

  @Test("A collection of every type goes through a workbook and is the same.", arguments: Settings.seeds(2))
  func everyTypeAsXLSX(_ seed: UInt64) async throws {
    try await withTool { tool in
      try write(400, seed: seed, to: "in.jsonl", tool)
      try await tool.run("import", "in.jsonl").expect(0)
      try await tool.run("export", "products", "-o", "products.xlsx").expect(0)
      let copy = other(tool, "copy")
      try await copy.run("import", "products.xlsx", "--validate", "off").expect(0)
      expectSame(try await documents(copy), try await documents(tool), "seed \(seed)")
    }
  }

  // MARK: People's own tables

  /// Imports a table and returns what is in the collection, by id.
  private func fields(_ tool: Tool, _ text: String, _ arguments: String...) async throws -> [String: String] {
    try tool.write(text, to: "own.csv")
    try await tool.bare(["import", "own.csv", "--collection", "things"] + arguments + tool.place).expect(0)
    var found: [String: String] = [:]
    for line in try await documents(tool) {
      let parts = line.components(separatedBy: ",\"name\":\"things/")
      found[String(try #require(parts.last).dropLast(2))] = String(parts[0].dropFirst(10))
    }
    return found
  }

  @Test("Types are told by the whole column, by the heading, or by the cells of an exported table.")
  func types() async throws {
    try await withTool { tool in
      let found = try await fields(
        tool,
        """
        code;n;d;cp;ok;day;mixed;big;x:double;note
        a1;1;1;01234;TRUE;31/12/2026;1;9007199254740993;7;"[VIP] Ana"
        a2;2;1.5;99999;FALSE;2026-12-31 18:30;b;1;8;
        a3;;;;;;;;;""

        """,
        "--id-column",
        "code"
      )
      #expect(
        found == [
          "a1":
            #"{"big":{"stringValue":"9007199254740993"},"code":{"stringValue":"a1"},"cp":{"stringValue":"01234"},"d":{"doubleValue":1.0},"day":{"timestampValue":"2026-12-31T06:00:00Z"},"mixed":{"stringValue":"1"},"n":{"integerValue":"1"},"note":{"stringValue":"[VIP] Ana"},"ok":{"booleanValue":true},"x":{"doubleValue":7.0}}"#,
          "a2":
            #"{"big":{"stringValue":"1"},"code":{"stringValue":"a2"},"cp":{"stringValue":"99999"},"d":{"doubleValue":1.5},"day":{"timestampValue":"2027-01-01T00:30:00Z"},"mixed":{"stringValue":"b"},"n":{"integerValue":"2"},"ok":{"booleanValue":false},"x":{"doubleValue":8.0}}"#,
          "a3": #"{"code":{"stringValue":"a3"},"note":{"stringValue":""}}"#,
        ]
      )
    }
  }

  @Test("Spanish labels, back-quotes, nested maps, null, JSON and dates in another zone.")
  func headings() async throws {
    try await withTool { tool in
      try tool.write(
        """
        __name__,Nombre(s),Teléfono,Fecha de nacimiento,Precio del plan contratado,`a.b`.c,v,Activo
        m1,Ana,0055,1/2/2003,499,"{""integerValue"":""7""}",null,sí

        """,
        to: "members.csv"
      )
      try await tool.run("import", "members.csv", "--time-zone", "UTC", "--validate", "off").expect(0)
      #expect(
        try await documents(tool) == [
          #"{"fields":{"a.b":{"mapValue":{"fields":{"c":{"integerValue":"7"}}}},"birthDate":{"timestampValue":"2003-02-01T00:00:00Z"},"firstName":{"stringValue":"Ana"},"isActive":{"booleanValue":true},"membershipPlanSnapshot":{"mapValue":{"fields":{"planPrice":{"doubleValue":499.0}}}},"phone":{"stringValue":"0055"},"v":{"nullValue":null}},"name":"members/m1"}"#
        ]
      )
    }
  }

  @Test("Rows without an id get one, which is also their field id; once more they are other documents.")
  func newIDs() async throws {
    try await withTool { tool in
      try tool.write("id,name,price\n,Agua,10\n,Barra,25.5\nfixed,Toalla,5\n", to: "products.csv")
      try await tool.run("import", "products.csv").expectFailure(65, "__name__", "--id-column")
      try await tool.run("import", "products.csv", "--id-column", "id").expectFailure(
        65,
        "row 2, column 1 (id)",
        "id"
      )
      try await tool.run(
        "import",
        "products.csv",
        "--id-column",
        "id",
        "--new-ids",
        "uuid",
        "--validate",
        "off"
      ).expect(0)
      let made = try await documents(tool)
      #expect(made.count == 3 && made.contains { $0.contains("products/fixed") })
      let uuid =
        /"id":\{"stringValue":"([0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"\}.*"name":"products\/(.*)"/
      for line in made where !line.contains("fixed") {
        let match = try #require(try uuid.firstMatch(in: line), "\(line)")
        #expect(match.1 == match.2)
      }
      try tool.write("name,price\nAgua,10\n", to: "products.csv")
      try await tool.run("import", "products.csv", "--new-ids", "auto", "--validate", "off").expect(0)
      let auto = try await documents(tool).filter { !made.contains($0) }
      #expect(auto.count == 1 && auto.first?.firstMatch(of: /"products\/[A-Za-z0-9]{20}"/) != nil)
      try await tool.run("import", "products.csv", "--new-ids", "auto", "--validate", "off").expect(0)
      #expect(try await documents(tool).count == 5)
    }
  }

  @Test("A table on standard input is read like a file and leaves no copy.")
  func standardInput() async throws {
    try await withTool { tool in
      try await tool.run(
        "import",
        "--validate",
        "off",
        "-",
        "--format",
        "csv",
        "--collection",
        "products",
        input: Array("__name__,price\np1,7\n".utf8)
      ).expect(0)
      #expect(
        try await documents(tool) == [#"{"fields":{"price":{"doubleValue":7.0}},"name":"products/p1"}"#]
      )
      for run in tool.runs() { #expect(!tool.names(in: run).contains("standard-input.csv")) }
    }
  }

  // MARK: Going on

  @Test("An import of a table that was stopped resumes behind its last row.", arguments: ["csv", "xlsx"])
  func continues(_ format: String) async throws {
    let mini = MiniFirestore()
    let faults = mini.faults(
      FaultRule([.commit], .always, .drip(chunk: 64, interval: .milliseconds(3))),
      maximumConsecutive: .max
    )
    try await withTool(against: faults.handler) { tool, _ in
      var local = tool
      local.place = ["-e", "local"]
      try await local.run("import", Samples.file("users")).expect(0)
      try await local.run("export", "users", "-o", "users.\(format)").expect(0)
      let running = Later<RunningBinary>()
      faults.before(.commit, 4) { _ in running.get()?.send(SIGTERM) }
      let process = try tool.start(
        "import",
        "--validate",
        "off",
        "users.\(format)",
        "--batch-size",
        "20",
        "--in-flight",
        "3",
        "--json"
      )
      running.set(process)
      let stopped = await process.wait()
      stopped.expect(143)
      #expect(stopped.lastLine.contains("runs resume"))
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(try mini.snapshot() == MiniFirestore.canonical(jsonLines: Samples.text(["users"])))
      #expect(mini.writtenDocuments.allSatisfy { $0.writes == 1 })
    }
  }
}
