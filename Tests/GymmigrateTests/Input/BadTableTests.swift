import Foundation
import TestSupport
import Testing

@Suite("What is wrong with a table is told by row and column, without its values", .timeLimit(.minutes(60)))
struct BadTableTests {
  /// A table that is wrong, and what is said of it.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var arguments: [String] = []
    var file = "members.csv"
    var code: Int32 = 65
    var says: [String]

    init(
      _ name: String,
      _ text: String,
      _ says: String...,
      arguments: [String] = [],
      file: String = "members.csv",
      code: Int32 = 65
    ) {
      testDescription = name
      self.text = text
      self.says = says
      self.arguments = arguments
      self.file = file
      self.code = code
    }
  }

  static let cases = [
    Case(
      "integer",
      "__name__,remainingVisits\nm1,SECRET\n",
      "row 2, column 2 (remainingVisits): expected a whole number"
    ),
    Case(
      "fraction",
      "__name__,remainingVisits\nm1,3\nm2,3.5\n",
      "row 3, column 2 (remainingVisits): expected a whole number"
    ),
    Case("no double is as large", "__name__,price:double\nm1,1e400\n", "row 2, column 2", file: "things.csv"),
    Case(
      "no double is as small",
      "__name__,price:double\nm1,-1e-400\n",
      "row 2, column 2",
      file: "things.csv"
    ),
    Case("too large", "__name__,remainingVisits\nm1,9223372036854775808\n", "row 2, column 2"),
    Case(
      "double",
      "__name__,Precio del plan contratado\nm1,\"1,234.50\"\n",
      "row 2, column 2 (Precio del plan contratado): expected a number"
    ),
    Case("boolean", "__name__,isActive\nm1,SECRET\n", "row 2, column 2 (isActive): expected true or false"),
    Case(
      "date month first",
      "__name__,birthDate\nm1,12/31/2026\n",
      "row 2, column 2 (birthDate): expected a date"
    ),
    Case(
      "date two digits",
      "__name__,birthDate\nm1,31/12/26\n",
      "row 2, column 2 (birthDate): expected a date"
    ),
    Case("date that never was", "__name__,birthDate\nm1,29/2/2023\n", "expected a date"),
    Case(
      "hour that never was",
      "__name__,birthDate\nm1,3/4/2022 02:30\n",
      "expected a local time that exists in America/Mexico_City"
    ),
    Case(
      "array",
      "__name__,priceHistory\np1,SECRET\n",
      "row 2, column 2 (priceHistory): expected a JSON array",
      file: "products.csv"
    ),
    Case(
      "broken JSON",
      "__name__,x\nm1,\"{\"\"integerValue\"\":7\"\n",
      "row 2, column 2 (x): expected a value, or JSON as export writes it"
    ),
    Case("no value", "__name__,x\nm1,\"{\"\"SECRET\"\":1}\"\n", "row 2, column 2 (x)"),
    Case("no id", "__name__,x\n,1\n", "row 2, column 1 (__name__): expected the id of a document"),
    Case("id is no path", "__name__,x\na//b,1\n", "row 2, column 1 (__name__): expected an id"),
    Case(
      "path of another collection",
      "__name__,x\nusers/u1,1\n",
      "row 2, column 1 (__name__): expected an id"
    ),
    Case(
      "pattern without a parent",
      "__name__,role\nm1,admin\n",
      "row 2, column 1",
      file: "groups~members.csv"
    ),
    Case("map and below it", "__name__,a,a.b\nm1,1,2\n", "row 2, column 2 (a): expected nothing"),
    Case(
      "no heading",
      "__name__,x,\nm1,1,\nm2,1,2\n",
      "row 3, column 3: expected nothing: the column has no heading"
    ),
    Case("more cells than headings", "__name__,x\nm1,1,2\n", "row 2, column 3: expected nothing"),
    Case(
      "rest is no map of others",
      "__name__,x,__rest__\nm1,1,\"{\"\"mapValue\"\":{\"\"fields\"\":{\"\"x\"\":{\"\"nullValue\"\":null}}}}\"\n",
      "row 2, column 3 (__rest__)"
    ),
    Case("open quotes", "__name__,x\nm1,1\nm2,\"SECRET\n", "line 3, column 2"),
    Case("quote within", "__name__,x\nm1,a\"b\n", "line 2, column 2"),
    Case(
      "heading twice",
      "__name__,x,x\nm1,1,2\n",
      "row 1, column 3: there is another column for the field x"
    ),
    Case(
      "label and field",
      "__name__,phone,Teléfono\nm1,1,2\n",
      "row 1, column 3: there is another column for the field phone"
    ),
    Case(
      "heading is no field",
      "__name__,`Fecha alta\nm1,1\n",
      "row 1, column 2: '`Fecha alta' is not a field path"
    ),
    Case("unknown type", "__name__,x:decimal\nm1,1\n", "row 1, column 2: 'decimal' is not a type"),
    Case("reserved", "__name__,__x__\nm1,1\n", "row 1, column 2"),
    Case("no ids", "a,b\n1,2\n", "it has no column __name__"),
    Case(
      "id column missing",
      "a,b\n1,2\n",
      "it has no column 'c' for the document IDs",
      arguments: ["--id-column", "c"]
    ),
    Case("two id columns", "__name__,b\n1,2\n", "has a column __name__", arguments: ["--id-column", "b"]),
    Case(
      "id with a slash",
      "code,b\na/b,2\n",
      "row 2, column 1 (code): expected an id without /",
      arguments: ["--id-column", "code"]
    ),
    Case("name says nothing", "__name__,b\n1,2\n", "--collection", file: "members (1).csv", code: 64),
    Case("unknown zone", "__name__,b\n1,2\n", "Marte", arguments: ["--time-zone", "Marte"], code: 78),
    Case("not a workbook", "__name__,b\n1,2\n", "not an XLSX workbook", file: "members.xlsx"),
  ]

  @Test("Nothing is written, and the place is told", arguments: cases)
  func bad(_ bad: Case) async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, server in
      try tool.write(bad.text, to: bad.file)
      let result = try await tool.bare(
        ["import", bad.file, "--validate", "off"] + bad.arguments + tool.place
      )
      result.expect(bad.code)
      for text in bad.says {
        #expect(result.complaints.first?.contains(text) ?? false, "\(text): \(result.errors)")
      }
      #expect(!result.errors.contains("SECRET"))
      for run in tool.runs() {
        #expect(!(try tool.text("\(run)/operation.log")).contains("SECRET"))
      }
      #expect(server.requests(.commit).isEmpty)
    }
  }

  @Test("The report lists every cell with its value; the terminal shows each kind once.")
  func report() async throws {
    try await withMini { tool, mini in
      var text = "__name__,remainingVisits,isActive\n"
      for number in 1...40 {
        text += "m\(number),\(number % 2 == 0 ? "SECRET\(number)" : "1"),\(number == 7 ? "=quizá" : "true")\n"
      }
      try tool.write(text, to: "members.csv")
      for arguments in [[], ["--dry-run"]] {
        let result = try await tool.bare(
          ["import", "members.csv", "--validate", "off"] + arguments + tool.place
        )
        result.expectFailure(
          65,
          "row 3, column 2 (remainingVisits)",
          "21 cells or rows in all",
          "validation.csv"
        )
        #expect(result.errors.contains("19 more like it"))
        #expect(!result.errors.contains("SECRET") && !result.errors.contains("quizá"))
        let report = try tool.text(#require(tool.runs().last) + "/validation.csv")
        let lines = report.split(separator: "\r\n")
        #expect(lines.count == 22)
        #expect(lines[1] == #""members.csv","3","2","remainingVisits","SECRET2","a whole number""#)
        #expect(report.contains(#""members.csv","8","3","isActive","'=quizá","true or false""#))
      }
      #expect(mini.totalWrites == 0)
    }
  }

  @Test(
    "A row of CSV is that which a spreadsheet shows, with its line where a cell above has line breaks.",
    arguments: [
      ("", "row 3 (line 5)", "3"), ("sep=,\n", "row 3 (line 6)", "3"), ("\n", "row 4 (line 6)", "4"),
    ]
  )
  func rowsOfSpreadsheets(above: String, place: String, row: String) async throws {
    try await withTool { tool in
      try tool.write("\(above)__name__,note,n,s\na,\"uno\ndos\ntres\",1,x\nb,x,dos,x\n", to: "things.csv")
      let typed = ["import", "things.csv", "--schema", "none", "--types", "n=integer", "-n"]
      try await tool.bare(typed + tool.place).expectFailure(65, "\(place), column 3 (n)")
      let report = try tool.text(#require(tool.runs().last) + "/validation.csv")
      #expect(report.contains(#""things.csv","\#(row)","3","n","dos""#), "\(report)")
      // A guess and the schema say the same row.
      try tool.write("\(above)id,note,n\na,\"uno\ndos\ntres\",1\nb,x,dos\n", to: "things.csv")
      let guessed = ["import", "things.csv", "--schema", "none", "--id-column", "id", "-n"]
      let guess = try await tool.bare(guessed + tool.place)
      #expect(guess.errors.contains("row \(row) is the first that does not"), "\(guess.errors)")
      try tool.write("\(above)__name__,name,price\na,\"uno\ndos\ntres\",1\nb,,2\n", to: "products.csv")
      let breach = try await tool.run("import", "products.csv", "-n")
      #expect(breach.errors.contains("products.csv \(place)"), "\(breach.errors)")
    }
  }

  @Test("Rejected rows are a table of the same shape, which is mended and imported again.")
  func skipRow() async throws {
    try await withMini { tool, mini in
      // Of the values that are rejected alone, nobody could see that code is text.
      try tool.write("sku;code;price;note\na;007;1.5;x\nb;12;dos;\"y;z\"\nc;9;3;\n", to: "products.csv")
      let result = try await tool.run(
        "import",
        "--validate",
        "off",
        "products.csv",
        "--id-column",
        "sku",
        "--parse-errors",
        "skip-row",
        "--json"
      ).expect(2)
      let totals = try result.summary().totals
      #expect(totals.read == 3 && totals.written == 2 && totals.rejected == 1 && totals.balance)
      let rejects = try #require(tool.runs().last) + "/rejects.csv"
      #expect(result.errors.contains("rejects.csv"))
      #expect(
        try tool.text(rejects)
          == "\u{FEFF}sku;code:string;price;note:string;__reason__;__raw__\r\n"
          + "b;12;dos;\"y;z\";column 3 (price): expected a number;\r\n"
      )
      try tool.write(tool.text(rejects).replacing("dos", with: "2"), to: "mended.csv")
      try await tool.run(
        "import",
        "mended.csv",
        "--collection",
        "products",
        "--id-column",
        "sku",
        "--validate",
        "off"
      ).expect(0)
      #expect(mini.document("products/b")?.jsonLine.contains(#""code":{"stringValue":"12"}"#) == true)
      #expect(mini.document("products/b")?.jsonLine.contains("reason") == false)
    }
  }

  @Test("Fields that cannot be read are left out where that is asked for, and the row is listed.")
  func skipField() async throws {
    try await withMini { tool, mini in
      try tool.write("__name__,price,stock\np1,uno,1\n,2,2\np3,3,3\n", to: "products.csv")
      let result = try await tool.run(
        "import",
        "products.csv",
        "--parse-errors",
        "skip-field",
        "--json",
        "--validate",
        "off"
      ).expect(2)
      let totals = try result.summary().totals
      #expect(
        totals.read == 3 && totals.written == 2 && totals.rejected == 1 && totals.review == 1
          && totals.balance
      )
      #expect(mini.document("products/p1")?.jsonLine.contains("price") == false)
      #expect(mini.document("products/p1")?.jsonLine.contains(#""stock":{"integerValue":"1"}"#) == true)
      let rejects = try tool.text(#require(tool.runs().last) + "/rejects.csv")
      #expect(rejects.split(separator: "\r\n").count == 3)
      #expect(rejects.contains("p1,uno,1,Left out column 2 (price): expected a number"))
    }
  }

  @Test(
    "A cell that is left out takes no value from a document that is there, and a required one is missing."
  )
  func skipFieldOfStored() async throws {
    try await withMini { tool, mini in
      try tool.write(
        "schema: s\ncollections:\n  p:\n    fields:\n      name: { type: string, required: true }\n"
          + "      age: integer\n      born: { type: timestamp, required: true }\n",
        to: "s.yaml"
      )
      try tool.write("__name__,name,age,born\np1,Ana,80,1940-01-10T00:00:00Z\n", to: "p.csv")
      // The place names the gym's schema.
      let words = ["import", "p.csv", "--schema", "s.yaml"] + tool.place.dropFirst(2)
      try await tool.bare(words).expect(0)
      try tool.write(
        "__name__,name,age,born\np1,Eva,old,1940-01-10T00:00:00Z\np2,Leo,3,yesterday\n",
        to: "p.csv"
      )
      let more = ["--mode", "upsert", "--parse-errors", "skip-field", "--json"]
      let result = try await tool.bare(words + more).expect(2)
      let totals = try result.summary().totals
      #expect(totals.written == 1 && totals.rejected == 1 && totals.review == 1 && totals.balance)
      let stored = try #require(mini.document("p/p1")?.jsonLine)
      #expect(stored.contains("Eva") && stored.contains(#""age":{"integerValue":"80"}"#))
      #expect(mini.document("p/p2") == nil)
      #expect(
        result.errors.contains("1 document keeps the stored values of fields whose cells were left out.")
      )
    }
  }

  @Test("A default takes no place of a cell that is left out.", arguments: ["create", "upsert", "merge"])
  func skipFieldWithDefault(mode: String) async throws {
    try await withMini { tool, mini in
      try tool.write(
        "schema: s\ncollections:\n  p:\n    fields:\n      name: string\n"
          + "      qty: { type: integer, required: true, default: 1 }\n      tier: { type: integer, default: 2 }\n",
        to: "s.yaml"
      )
      try tool.write("__name__,name,qty,tier\np1,Ana,4x,3\np2,Leo,5,high\np3,Eva,,\n", to: "p.csv")
      let words = ["import", "p.csv", "--schema", "s.yaml", "--defaults", "--parse-errors", "skip-field"]
      try await tool.bare(words + ["--mode", mode] + tool.place.dropFirst(2)).expect(2)
      #expect(mini.document("p/p1") == nil)
      #expect(try mini.document("p/p2")?.fields().keys.sorted() == ["name", "qty"])
      #expect(try mini.document("p/p3")?.fields().keys.sorted() == ["name", "qty", "tier"])
    }
  }

  @Test(
    "A map whose only field is left out is left out, whatever is wrong with the field.",
    arguments: ["create", "merge"],
    [("nope,", 0), (",99/99/2026", 0), ("nope,2026-01-31T00:00:00Z", 1), (",", 0)]
  )
  func skipFieldOfMap(mode: String, row: (cells: String, contacts: Int)) async throws {
    try await withMini { tool, mini in
      try tool.write(
        "schema: s\ncollections:\n  p:\n    fields:\n      name: string\n      at:\n        type: map\n"
          + "        fields: { in: { type: map, fields: { email: { type: string, format: email } } }, since: timestamp }\n",
        to: "s.yaml"
      )
      try tool.write("__name__,name,at.in.email,at.since\np1,Ana,\(row.cells)\n", to: "p.csv")
      let words = ["import", "p.csv", "--schema", "s.yaml", "--parse-errors", "skip-field", "--mode", mode]
      try await tool.bare(words + tool.place.dropFirst(2)).expect(row.cells == "," ? 0 : 2)
      let made = try #require(mini.document("p/p1")?.jsonLine)
      #expect(made.components(separatedBy: "mapValue").count - 1 == row.contacts, "\(made)")
    }
  }

  @Test("A row with more cells than the header is rejected whole: the others may be under wrong headings.")
  func skipFieldOfLongRows() async throws {
    try await withMini { tool, mini in
      try tool.write("__name__,name,city\nx1,Ana,Puebla\nx2,Sol, Eva,Lima\n", to: "things.csv")
      let result = try await tool.run("import", "things.csv", "--parse-errors", "skip-field", "--json")
      result.expect(2)
      let totals = try result.summary().totals
      #expect(totals.read == 2 && totals.written == 1 && totals.rejected == 1 && totals.balance)
      #expect(mini.document("things/x1") != nil)
      #expect(mini.document("things/x2") == nil)
      let rejects = try tool.text(#require(tool.runs().last) + "/rejects.csv")
      #expect(rejects.contains(#""x2,Sol, Eva,Lima""#))
    }
  }

  @Test("A reference is expected into the collection that the schema says.")
  func reference() async throws {
    try await withTool { tool in
      try tool.write(
        """
        schema: s
        collections:
          people: { fields: { name: { type: string } } }
          cars: { fields: { owner: { type: reference, reference: people } } }
        """,
        to: "s.yaml"
      )
      try tool.write("__name__,owner\nc1,people\n", to: "cars.csv")
      try await tool.bare(["import", "cars.csv", "--schema", "s.yaml", "-n"] + tool.place)
        .expectFailure(65, "a reference, such as people/ID")
    }
  }
}
