import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("Tables for people: plain CSV, and numbers of workbooks", .timeLimit(.minutes(60)))
struct PlainExportTests {
  private static let documents = """
    {"fields":{"isActive":{"stringValue":"sí"},"price":{"doubleValue":499.0},"sku":{"integerValue":"5512345678"}},"name":"products/p1"}
    {"fields":{"price":{"doubleValue":0.30000000000000004},"sku":{"stringValue":"007"}},"name":"products/p2"}

    """

  private func load(_ tool: Tool) async throws {
    try tool.write(Self.documents, to: "in.jsonl")
    try await tool.run("import", "in.jsonl", "--validate", "off").expect(0)
  }

  private func dump(_ tool: Tool, _ name: String) async throws -> String {
    try await tool.run("export", "products", "-o", name).expect(0)
    return try tool.text(name)
  }

  @Test("Plain CSV has no types, CSV without it has, and a plain file is imported like any CSV.")
  func plain() async throws {
    try await withTool { tool in
      try await load(tool)
      let fields = "price,sku,isActive"
      let plain = try await tool.run(
        "export",
        "products",
        "-o",
        "-",
        "--format",
        "csv",
        "--fields",
        fields,
        "--plain"
      ).expect(0)
      #expect(
        plain.output
          == "__name__,price,sku,isActive\r\np1,499,5512345678,sí\r\np2,0.30000000000000004,007,\r\n"
      )
      let exact = try await tool.run("export", "products", "-o", "-", "--format", "csv", "--fields", fields)
      exact.expect(0)
      #expect(
        exact.output
          == "__name__,price,sku,isActive\r\n"
          + #"p1,499.0,"{""integerValue"":""5512345678""}","{""stringValue"":""sí""}""# + "\r\n"
          + "p2,0.30000000000000004,007,\r\n"
      )
      try tool.write(plain.output, to: "products.csv")
      var copy = tool
      copy.place = ["-e", "local", "--database", "copy"]
      try await copy.run("import", "products.csv", "--validate", "off").expect(0)
      #expect(
        try await dump(copy, "copy.jsonl") == """
          {"fields":{"isActive":{"booleanValue":true},"price":{"doubleValue":499.0},"sku":{"stringValue":"5512345678"}},"name":"products/p1"}
          {"fields":{"price":{"doubleValue":0.30000000000000004},"sku":{"stringValue":"007"}},"name":"products/p2"}

          """
      )
    }
  }

  @Test("An array under the type vector is one, from the file of a plain export and from its folder.")
  func plainVectors() async throws {
    try await withTool { tool in
      try tool.write("schema: s\ncollections:\n  c: { fields: { v: vector } }\n", to: "s.yaml")
      let vector =
        #"{"fields":{"v":{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1.5}]}}}}}},"name":"c/a"}"#
      try tool.write(vector + "\n", to: "in.jsonl")
      func place(_ database: String) -> [String] {
        ["-e", "local", "--database", database, "--schema", "s.yaml"]
      }
      try await tool.bare(["import", "in.jsonl"] + place("copy-1")).expect(0)
      let plain = ["export", "c", "--format", "csv", "--plain", "-o"]
      try await tool.bare(plain + ["out/"] + place("copy-1")).expect(0)
      try await tool.bare(plain + ["c.csv"] + place("copy-1")).expect(0)
      for (database, input) in [("copy-2", "out/"), ("copy-3", "c.csv")] {
        try await tool.bare(["import", input] + place(database)).expect(0)
        let found = try await tool.bare(["export", "c", "--format", "jsonl", "-o", "-"] + place(database))
        #expect(found.output == vector + "\n", "\(input)")
      }
    }
  }

  @Test("Plain CSV has a comma before decimals where that is asked for, and comes back.")
  func decimalComma() async throws {
    try await withTool { tool in
      let fields = [
        #""a":{"doubleValue":52.5}"#, #""b":{"doubleValue":-0.125}"#, #""c":{"doubleValue":1.5e-07}"#,
        #""d":{"geoPointValue":{"latitude":19.5,"longitude":-99.5}}"#, #""e":{"integerValue":"1200"}"#,
      ]
      try tool.write(#"{"fields":{\#(fields.joined(separator: ","))},"name":"t/x"}"# + "\n", to: "t.jsonl")
      let own = ["--schema", "none"] + tool.place
      try await tool.bare(["import", "t.jsonl"] + own).expect(0)
      let export = ["export", "t", "-o", "t.csv", "--decimal-comma", "--delimiter", "semicolon"] + own
      try await tool.bare(export).expectFailure(64, "--decimal-comma is about CSV with --plain")
      try await tool.bare(export + ["--plain"]).expect(0)
      let text = try tool.text("t.csv")
      #expect(text == "__name__;a;b;c;d;e\r\nx;52,5;-0,125;1,5e-07;19.5, -99.5;1200\r\n")
      let again = [
        "import", "t.csv", "--decimal-comma", "--types", "d=geopoint", "--mode", "upsert", "--json",
      ]
      let result = try await tool.bare(again + own).expect(0)
      #expect(try result.summary().totals.unchanged == 1, "\(result.errors)")
    }
  }

  @Test(
    "A decimal comma is advised for one cell where no other number of its column has a point",
    arguments: [(["52.5", "99,90"], false), (["99,90", "0.25"], false), (["99,90", "1.200"], true)]
  )
  func commaBesidePoints(_ cells: [String], _ isAdvised: Bool) async throws {
    try await withTool { tool in
      try tool.write("id;v\na;\(cells[0])\nb;\(cells[1])\n", to: "t.csv")
      let command = ["import", "t.csv", "--id-column", "id", "--types", "v=double", "--schema", "none"]
      let refused = try await tool.bare(command + tool.place)
      refused.expectFailure(65, "expected a number")
      #expect(refused.errors.contains("--decimal-comma") == isAdvised, "\(refused.errors)")
      #expect(refused.errors.contains("others of the column have a point") != isAdvised)
    }
  }

  @Test("Among labels, names of fields have no back-quotes that they do not need, and come back.")
  func bareHeadings() async throws {
    try await withTool { tool in
      let fields = [
        #""Número":{"stringValue":"x"}"#, #""Pagada el":{"stringValue":"y"}"#,
        #""a.b":{"stringValue":"z"}"#, #""c:int":{"stringValue":"w"}"#,
      ]
      try tool.write(
        #"{"fields":{\#(fields.joined(separator: ","))},"name":"facturas/f"}"# + "\n",
        to: "f.jsonl"
      )
      try await tool.run("import", "f.jsonl").expect(0)
      for format in ["csv", "xlsx"] {
        let export = ["export", "facturas", "-o", "f.\(format)", "--header", "spanish"]
        try await tool.bare(export + tool.place).expect(0)
        if format == "csv" {
          let header = try tool.text("f.csv").split(separator: "\r\n")[0]
          #expect(
            Set(header.split(separator: ",")) == ["__name__", "Número", "Pagada el", "`a.b`", "`c:int`"]
          )
        }
        let back = try await tool.run(
          "import",
          "f.\(format)",
          "--collection",
          "facturas",
          "--mode",
          "upsert",
          "--json"
        ).expect(0)
        #expect(try back.summary().totals.unchanged == 1, "\(back.errors)")
      }
    }
  }

  @Test("Numbers without a percent sign beside such with one are said.")
  func mixedPercents() async throws {
    try await withTool { tool in
      let command = [
        "import", "t.csv", "--id-column", "id", "--types", "v=double", "--percent", "fraction",
        "--decimal-comma", "--schema", "none", "-n",
      ]
      for (cells, said) in [
        (["15%", "0,15", "15"], "2 of 3 numbers without a percent sign, the first in row 3"),
        (["15%", "16%", "17%"], nil), (["1", "2", "3"], nil),
      ] as [([String], String?)] {
        let rows = cells.enumerated().map { "r\($0.offset);\($0.element)\n" }
        try tool.write("id;v\n" + rows.joined(), to: "t.csv")
        let result = try await tool.bare(command + tool.place).expect(0)
        #expect(result.errors.contains("without a percent sign") == (said != nil), "\(result.errors)")
        if let said { #expect(result.errors.contains(said), "\(result.errors)") }
      }
    }
  }

  @Test(
    "Times of a folder of plain CSV are read in the zone that its manifest says, unless another is given."
  )
  func zoneOfFolder() async throws {
    try await withTool { tool in
      try tool.write(
        #"{"fields":{"createdAt":{"timestampValue":"2026-01-31T18:00:00Z"}},"name":"products/p1"}"#,
        to: "in.jsonl"
      )
      try await tool.run("import", "in.jsonl", "--validate", "off").expect(0)
      let plain = ["export", "products", "-o", "out/", "--format", "csv", "--plain", "--time-zone", "UTC"]
      try await tool.bare(plain + tool.place).expect(0)
      #expect(try tool.text("out/manifest.json").contains(#""timeZone":"UTC""#))
      for input in ["out/", "out/products.csv"] {
        let same = try await tool.run("import", input, "--mode", "merge", "--validate", "off", "-n").expect(0)
        #expect(same.errors.contains("0 changed, 1 unchanged"), "\(input): \(same.errors)")
      }
      let other = try await tool.run(
        "import",
        "out/",
        "--mode",
        "merge",
        "--validate",
        "off",
        "--time-zone",
        "America/Mexico_City",
        "-n"
      )
      #expect(other.errors.contains("1 changed"), "\(other.errors)")
      try await tool.run("export", "products", "-o", "exact/", "--format", "csv", "--time-zone", "UTC")
        .expect(0)
      #expect(try !tool.text("exact/manifest.json").contains("timeZone"))
    }
  }

  @Test(
    "A workbook and a folder of tables name their schema, and an import with another one says what that changes."
  )
  func schemaOfFolder() async throws {
    try await withTool { tool in
      let product = #"{"fields":{"name":{"stringValue":"7"}},"name":"products/p1"}"#
      try tool.write(product + "\n" + product.replacing("products", with: "things"), to: "in.jsonl")
      try await tool.run("import", "in.jsonl", "--validate", "off").expect(0)
      try await tool.run("export", "products", "-o", "out/", "--format", "csv").expect(0)
      try await tool.run("export", "products", "things", "-o", "book.xlsx").expect(0)
      try await tool.run("export", "things", "-o", "undeclared/", "--format", "csv").expect(0)
      #expect(try tool.text("out/manifest.json").contains(#""schema":"gym""#))
      #expect(try !tool.text("undeclared/manifest.json").contains("schema"))
      let warning = "exported with the schema 'gym', and imported with none."
      for (input, isWarned) in [
        ("out/", true), ("out/products.csv", true), ("book.xlsx", true), ("undeclared/", false),
      ] {
        let command = ["import", input, "--mode", "upsert", "-n", "-q"] + tool.place
        let other = try await tool.bare(command + ["--schema", "none"])
        #expect(other.errors.contains(warning) == isWarned, "\(input): \(other.errors)")
        #expect(!other.errors.contains("things"), "\(input): \(other.errors)")
        let same = try await tool.bare(command + ["--schema", "gym", "--validate", "off"])
        #expect(!same.errors.contains("exported with the schema"), "\(input): \(same.errors)")
      }
    }
  }

  @Test(
    "Plain is for CSV that is no backup: anything else is a usage error of one line.",
    arguments: [
      (["-o", "p.jsonl"], "--plain is about CSV"), (["-o", "p.xlsx"], "--plain is about CSV"),
      (["-o", "p.sqlite"], "--plain is about CSV"),
      (["-o", "p.csv", "--format", "xlsx"], "--plain is about CSV"),
      (["-o", "nightly", "--dated"], "--plain is about CSV"),
      (["-o", "nightly", "--dated", "--format", "csv"], "--plain is not for backups"),
    ]
  )
  func refused(_ options: [String], _ reason: String) async throws {
    try await withTool { tool in
      let run = try await tool.bare(["export", "products", "--plain"] + options + tool.place).expect(64)
      #expect(run.errors.split(separator: "\n").first?.contains(reason) == true, "\(run.errors)")
      #expect(tool.names(in: ".").allSatisfy { !$0.hasPrefix("p.") && $0 != "nightly" })
    }
  }

  @Test(
    "A workbook that is exported, imported and compared differs in nothing, and rejected rows keep exact values."
  )
  func workbook() async throws {
    try await withStores { tool in
      try await tool.load(Self.documents.split(separator: "\n").map(String.init), into: "stage")
      try await tool.bare(["export", "products", "-e", "stage", "-o", "products.xlsx"]).expect(0)
      try await tool.bare(["import", "products.xlsx", "-e", "test", "--validate", "off"]).expect(0)
      let diff = try await tool.bare(["diff", "products", "--from", "stage", "--to", "test", "--detail"])
      diff.expect(0)
      #expect(diff.output.isEmpty)
      // The rows lack fields that the schema requires; they are listed with their exact values.
      try await tool.bare([
        "import", "products.xlsx", "-e", "prod", "--confirm", "prod", "--validate", "reject",
        "--parse-errors", "skip-row",
      ]).expect(2)
      let runs = tool.path(".gymmigrate/runs")
      let rejects = try FileManager.default.contentsOfDirectory(atPath: runs).compactMap {
        try? String(contentsOfFile: "\(runs)/\($0)/rejects.csv", encoding: .utf8)
      }
      let lines = try #require(rejects.first).split(separator: "\r\n")
      try #require(lines.count == 3)
      #expect(
        lines[1].contains(#""{""integerValue"":""5512345678""}""#)
          && lines[1].contains(#""{""stringValue"":""sí""}""#)
      )
      #expect(lines[2].contains(",0.30000000000000004,"))
    }
  }
}
