import TestSupport
import Testing

@Suite("An import says how it read dates and numbers whose type was given", .timeLimit(.minutes(60)))
struct DateAdviceTests {
  @Test("Of dates of a column whose type is given it is said that nothing shows which number is the day.")
  func openDates() async throws {
    try await withTool { tool in
      let said = "column 2 (Timestamp): no cell shows which number of its dates is the day"
      for (last, options, isSaid) in [
        ("11/6/2026 9:10:01", [], true), ("2026-11-06", [], true), ("25/11/2026", [], false),
        ("11/6/2026", ["--date-format", "MM/dd/yyyy"], false),
      ] as [(String, [String], Bool)] {
        for first in ["11/5/2026 14:03:22", "11/11/2026"] {
          try tool.write("id,Timestamp\n1,\(first)\n2,\(last)\n", to: "things.csv")
          let line = ["import", "things.csv", "--schema", "none", "--id-column", "id", "-n"] + tool.place
          let result = try await tool.bare(line + ["--types", "Timestamp=timestamp"] + options).expect(0)
          // The eleventh of November is one day either way.
          let isOpen = isSaid && (first != "11/11/2026" || last.hasPrefix("11/6"))
          #expect(result.errors.contains(said) == isOpen, "\(first) \(last): \(result.errors)")
        }
      }
    }
  }

  @Test("The same is said of a text that is a day by the schema, and nothing of its zone.")
  func openDays() async throws {
    try await withTool { tool in
      let field = "dia: { type: string, format: date }"
      try tool.write("schema: d\ncollections:\n  d:\n    fields: { \(field) }\n", to: "d.yaml")
      for (cell, isSaid) in [("07/08/2026", true), ("17/08/2026", false), ("2026-08-07", false)] {
        try tool.write("id,dia\na,\(cell)\n", to: "d.csv")
        let command = ["import", "d.csv", "--id-column", "id", "--schema", "d.yaml", "-n"]
        let result = try await tool.bare(command + tool.place).expect(0)
        let said = result.errors.contains(
          "column 2 (dia): no cell shows which number of its dates is the day"
        )
        #expect(said == isSaid && !result.errors.contains("without a zone"), "\(result.errors)")
      }
    }
  }

  @Test(
    "Of dates in JSON it is said as of those in a table how day and month were read, and in which zone.",
    arguments: [
      ("03/04/2026", "04/05/2026", [], true, true), ("03/04/2026", "25/05/2026", [], false, true),
      ("03/04/2026", "04/05/2026", ["--date-format", "MM/dd/yyyy"], false, true),
      ("03/04/2026", "04/05/2026", ["--time-zone", "Europe/Madrid"], true, false),
      ("2026-04-03 10:00", "2026-04-03T10:00:00Z", [], false, true),
      ("2026-04-03T10:00:00Z", "2026-04-03T10:00:00-06:00", [], false, false),
    ] as [(String, String, [String], Bool, Bool)]
  )
  func datesOfJSON(
    _ one: String,
    _ two: String,
    _ options: [String],
    _ order: Bool,
    _ zone: Bool
  ) async throws {
    try await withTool { tool in
      let line = ["--schema", "none", "--id-column", "id", "--types", "alta=timestamp", "-n"] + options
      let objects = [#"{"id":"1","alta":"\#(one)"}"#, #"{"id":"2","alta":"\#(two)"}"#]
      for (file, text, name, unit) in [
        ("things.json", "[\(objects.joined(separator: ","))]", "alta", "text"),
        ("things.jsonl", objects.joined(separator: "\n"), "alta", "text"),
        ("things.csv", "id,alta\n1,\(one)\n2,\(two)\n", "column 2 (alta)", "cell"),
      ] {
        try tool.write(text, to: file)
        let result = try await tool.bare(["import", file] + line + tool.place).expect(0)
        let day = "\(name): no \(unit) shows which number of its dates is the day"
        #expect(result.errors.contains(day) == order, "\(file): \(result.errors)")
        let local = "\(name): its dates without a zone are read in UTC (--time-zone)."
        #expect(result.errors.contains(local) == zone, "\(file): \(result.errors)")
      }
    }
  }

  @Test(
    "Of numbers it is said that each point, or decimal comma, may be one between thousands.",
    arguments: [
      (["1.200", "2.500", "-10.000"], ["--types", "n=double"], "point"),
      (["1.000", "7", ""], ["--types", "n=integer"], "point"),
      (["1.200 €", "2.500 €"], ["--types", "n=double", "--currency", "€"], "point"),
      (["1.200 €", "2.500 €"], ["--currency", "€"], "point"),
      (["12.500 %"], ["--types", "n=double", "--percent", "fraction"], "point"),
      (["1,200", "2,500"], ["--types", "n=double", "--decimal-comma"], "comma"),
      (["1,200", "2,500"], ["--decimal-comma"], "comma"),
      (["1.200", "2.5"], ["--types", "n=double"], nil), (["0.125"], ["--types", "n=double"], nil),
      (["1200.125"], ["--types", "n=double"], nil), (["12.0"], ["--types", "n=integer"], nil),
      (["1.200"], ["--types", "n=double", "--decimal-comma"], nil),
      (["1,200", "1.000"], ["--types", "n=double", "--decimal-comma"], nil),
    ] as [([String], [String], String?)]
  )
  func thousands(_ cells: [String], _ options: [String], _ sign: String?) async throws {
    try await withTool { tool in
      let rows = cells.enumerated().map { "\($0);\($1)\n" }.joined()
      try tool.write("id;n\n\(rows)", to: "things.csv")
      // A guess is a line, and a type that was given is as good as a warning.
      let quiet = options.contains("--types") ? ["-q"] : []
      let line = ["import", "things.csv", "--schema", "none", "--id-column", "id", "-n"] + tool.place
      let result = try await tool.bare(line + options + quiet).expect(0)
      for other in ["point", "comma"] {
        let said = result.errors.contains("each \(other) has three digits behind it")
        #expect(said == (other == sign), "\(result.errors)")
      }
    }
  }

  @Test(
    "With a currency it is said of commas that they were taken for those between thousands.",
    arguments: [
      (["1,500 €", "2,125 €"], [], true), (["1,500 €", "7 €"], ["--types", "n=double"], true),
      (["1,500 €", "2.5 €"], [], false), (["1,500.25 €"], ["--types", "n=double"], false),
      (["1,500 €", "1,500,000 €"], ["--types", "n=double"], false), (["1500 €"], [], false),
    ] as [([String], [String], Bool)]
  )
  func commas(_ cells: [String], _ options: [String], _ isSaid: Bool) async throws {
    try await withTool { tool in
      try tool.write("id;n\n" + cells.enumerated().map { "\($0);\($1)\n" }.joined(), to: "things.csv")
      let line = ["import", "things.csv", "--schema", "none", "--id-column", "id", "--currency", "€", "-n"]
      let result = try await tool.bare(line + options + (options.isEmpty ? [] : ["-q"]) + tool.place)
      result.expect(0)
      let said = result.errors.contains("its commas were taken for those between thousands (1,200 is 1200;")
      #expect(said == isSaid, "\(result.errors)")
    }
  }

  @Test(
    "With a decimal comma it is said of points that they were taken for those between thousands, whatever says the type.",
    arguments: [
      (["1.500", "2.250"], ["--types", "n=double"], true), (["1.500"], ["--types", "n=integer"], true),
      (["1.500"], [], true), (["1.500", "7"], ["--schema", "s.yaml"], true),
      (["1.500", "1,5"], ["--types", "n=double"], false), (["1.500,25"], ["--types", "n=double"], false),
      (["1500"], ["--types", "n=double"], false),
    ] as [([String], [String], Bool)]
  )
  func points(_ cells: [String], _ options: [String], _ isSaid: Bool) async throws {
    try await withTool { tool in
      try tool.write("schema: s\ncollections:\n  things:\n    fields: { n: double }\n", to: "s.yaml")
      let rows = cells.enumerated().map { "\($0);\($1)\n" }.joined()
      try tool.write("id;n\n\(rows)", to: "things.csv")
      let schema = options.contains("--schema") ? [] : ["--schema", "none"]
      let line = ["import", "things.csv", "--id-column", "id", "--decimal-comma", "-n"] + schema + options
      let result = try await tool.bare(line + (options.isEmpty ? [] : ["-q"]) + tool.place).expect(0)
      let said = result.errors.contains("its points were taken for those between thousands (1.200 is 1200)")
      #expect(said == isSaid, "\(result.errors)")
    }
  }

  @Test(
    "In a table by export, thousands of a spreadsheet are told by the zeros at their ends, and integers beside doubles."
  )
  func numbersByForm() async throws {
    try await withTool { tool in
      let line = ["import", "things.csv", "--schema", "none", "-n"] + tool.place
      for (cells, isSaid) in [(["1.200", "1.255"], true), (["1.255"], false), (["1.200", "1.25"], false)] {
        let rows = cells.enumerated().map { "\($0),\($1)\n" }.joined()
        try tool.write("__name__,n\n\(rows)", to: "things.csv")
        let result = try await tool.bare(line + ["-q"]).expect(0)
        #expect(result.errors.contains("column 2 (n): each point has three digits") == isSaid, "\(cells)")
      }
      for doubles in [9, 10] {
        let rows = (1...doubles).map { "\($0),\($0).5\n" }.joined()
        try tool.write("__name__,n\n\(rows)new,50\n", to: "things.csv")
        let result = try await tool.bare(line).expect(0)
        let said =
          "column 2 (n): a whole number beside 10 doubles in 1 cell; --types 'n=double' takes it for one"
        #expect(result.errors.contains(said) == (doubles == 10), "\(result.errors)")
      }
    }
  }
}
