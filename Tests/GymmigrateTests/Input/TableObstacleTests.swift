import Foundation
import TestSupport
import Testing

/// A table that has several things against it is refused once, with all of them.
@Suite("What else a table has against it")
struct TableObstacleTests {
  /// A table of statistics as offices publish them: a title, a column without a heading, short rows and a note at the end.
  private static func statistics(rows: Int) -> String {
    let rows = (1...rows).map { "\($0),Villa,643,310\n" }.joined()
    return
      "Población total por municipio,,,\n\"Consulta: Ámbito\",,,\n,,Total,Hombres\n\(rows)Fuente: Censo\n"
  }

  private func writeLatin(_ text: String, _ tool: Tool) throws {
    try Data(text.unicodeScalars.map { UInt8($0.value) }).write(
      to: tool.folder.appendingPathComponent("a.csv")
    )
  }

  @Test(
    "A title, ids, columns and short rows are said in one run, also where a note is thousands of rows below."
  )
  func statistics() async throws {
    try await withTool { tool in
      try writeLatin(Self.statistics(rows: 2500), tool)
      let words = ["import", "a.csv", "-n", "--schema", "none"] + tool.place
      let result = try await tool.bare(words)
      result.expectFailure(
        65,
        "row 3 like the headings",
        "--header-row 3",
        "--new-ids uuid",
        "--rename 1=",
        "--short-rows pad"
      )
      try await tool.bare(
        words + ["--header-row", "3", "--new-ids", "uuid", "--rename", "1=key,2=place"]
          + ["--short-rows", "pad", "--types", "1=text"]
      ).expect(0)
    }
  }

  @Test("The heading of the ids is found however its accents are composed; one without them is asked about.")
  func accents() async throws {
    try await withTool { tool in
      let line = ["-n", "--schema", "none"] + tool.place
      let forms = ["C\u{F3}digo", "Co\u{301}digo"]
      for heading in forms {
        try tool.write("\(heading),n\na1,5\n", to: "a.csv")
        try tool.write("[{\"\(heading)\":\"a1\",\"n\":5}]", to: "a.json")
        for (file, wanted) in [
          ("a.csv", forms[0]), ("a.csv", forms[1]), ("a.json", forms[0]), ("a.json", forms[1]),
        ] {
          try await tool.bare(["import", file, "--id-column", wanted] + line).expect(0)
        }
        try await tool.bare(["import", "a.csv", "--id-column", "codigo"] + line)
          .expectFailure(65, "it has no column 'codigo'", "Did you mean '\(heading)'?")
      }
      // Of two that look the same, the one that is written so.
      try tool.write("\(forms[0]),\(forms[1])\na1,b 1\n", to: "a.csv")
      try await tool.bare(["import", "a.csv", "--id-column", forms[0]] + line).expect(0)
    }
  }

  @Test("Of several files whose ids have other headings it is said what to do.")
  func otherIDs() async throws {
    try await withTool { tool in
      try tool.write("id,n\na1,5\n", to: "a.csv")
      try tool.write("clave,n\nb1,5\n", to: "b.csv")
      try await tool.bare(
        ["import", "a.csv", "b.csv", "--id-column", "id", "-n", "--schema", "none"] + tool.place
      )
      .expectFailure(
        65,
        "it has no column 'id'",
        "Import tables whose ids have other headings by themselves."
      )
    }
  }

  @Test("What is behind an encoding, a delimiter or comments is said with it.")
  func behind() async throws {
    try await withTool { tool in
      for (text, options) in [
        ("n\u{FA}mero,cuota\n1,uno\n2,3\n", ["--encoding windows-1252", "--new-ids uuid"]),
        ("# hecho a mano\nid,cuota\n1,uno\n", ["--comment '#'", "--new-ids uuid"]),
        ("a%b\n1%2\n3%4\n", ["--delimiter '%'", "--new-ids uuid"]),
        (
          "Socios,\nn\u{FA}mero,cuota\n1,uno\n",
          ["--header-row 2", "--encoding windows-1252", "--new-ids uuid"]
        ),
      ] {
        try writeLatin(text, tool)
        let result = try await tool.bare(["import", "a.csv", "-n", "--schema", "none"] + tool.place)
        result.expectFailure(65)
        for option in options {
          #expect(result.complaints.first?.contains(option) == true, "\(result.errors)")
        }
      }
    }
  }
}
