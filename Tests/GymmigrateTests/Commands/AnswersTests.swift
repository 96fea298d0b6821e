import Foundation
import TestSupport
import Testing

@Suite("Answers say what is so", .timeLimit(.minutes(60)))
struct AnswersTests {
  @Test("All documents that are missing are named, by get and by delete.")
  func missing() async throws {
    try await withTool { tool in
      try await tool.load(["users/a": ["role": s("member"), "isActive": b(true)]])
      let got = try await tool.run("get", "users/x", "users/a", "users/y", "groups/g/members/z")
      got.expectFailure(66, "users/x, users/y, groups/g/members/z", "there are none")
      #expect(got.output.contains("users/a"))
      try await tool.run("get", "users/x").expectFailure(66, "users/x", "there is none")
      try await tool.run("delete", "users", "--id", "a", "--id", "x", "--id", "y", "-y").expectFailure(
        66,
        "users/x, users/y",
        "nothing was deleted"
      )
    }
  }

  @Test(
    "The fields that may refer to what is deleted for good are named; a soft deletion leaves nothing dangling."
  )
  func referrers() async throws {
    try await withTool { tool in
      try await tool.load(["members/m": ["isActive": b(true)], "check_ins/c": ["memberId": s("m")]])
      let delete = ["delete", "members", "--id", "m", "-n"]
      let hard = try await tool.bare(delete + ["--hard"] + tool.place).expect(0)
      let fields =
        "by users.linkedMemberId, check_ins.memberId, payments.memberId, classAttendance.memberId:"
      #expect(hard.errors.contains(fields), "\(hard.errors)")
      #expect(hard.errors.contains("'gymmigrate check --rule foreign-key-dangling'"), "\(hard.errors)")
      let soft = try await tool.bare(delete + tool.place)
      #expect(!soft.errors.contains("may refer"), "\(soft.errors)")
      let others = try await tool.run("delete", "check_ins", "--id", "c", "--hard", "-n")
      #expect(!others.errors.contains("may refer"), "\(others.errors)")
    }
  }

  @Test("A collection without documents of its own, but with some below, is told from one that has none.")
  func below() async throws {
    try await withTool { tool in
      try await tool.load(["things/t/notes/n": ["text": s("a")], "users/a": ["role": s("member")]])
      for command in [
        ["export", "things", "-o", "things.csv"], ["count", "things"],
        ["fix", "things", "--all-documents", "--set", "a=1", "-n"],
      ] {
        let result = try await tool.bare(command + tool.place).expect(0)
        let warning = "things has no documents, but there are some in subcollections, as below things/t."
        #expect(result.errors.contains(warning), "\(command): \(result.errors)")
        let none = try await tool.bare(command.map { $0 == "things" ? "nothing" : $0 } + tool.place)
        #expect(none.errors.contains("nothing has no documents."), "\(command): \(none.errors)")
      }
    }
  }

  @Test("Filters on what the app reads are evaluated on what is written.")
  func asApp() async throws {
    try await withTool { tool in
      try await tool.load([
        "users/android": [
          "nombre": s("Ana"), "primerApellido": s("López"), "activo": b(false), "role": s("member"),
        ],
        "users/both": [
          "fullName": s("Eva Gil"), "isActive": b(true), "activo": b(false), "role": s("admin"),
        ],
        "users/ios": ["fullName": s("Ana López"), "isActive": b(false), "role": s("member")],
        "users/none": ["role": s("member")], "members/m": ["isActive": b(false)],
        "members/n": ["isActive": b(true)],
      ])
      func exported(_ filter: String, _ more: String...) async throws -> [String] {
        let command = ["export", "users", "--as-app", "--where", filter, "-o", "-", "--format", "jsonl"]
        let result = try await tool.bare(command + more + tool.place).expect(0)
        return try result.output.split(separator: "\n").map { line in
          let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
          return json?["name"] as? String ?? ""
        }
      }
      #expect(try await exported("isActive == false") == ["users/android", "users/ios"])
      #expect(try await exported("isActive == true") == ["users/both", "users/none"])
      #expect(
        try await exported("fullName == \"Ana López\" and role == member") == ["users/android", "users/ios"]
      )
      #expect(try await exported("era == android") == ["users/android"])
      #expect(try await exported("fullName > \"A\"") == ["users/android", "users/both", "users/ios"])
      #expect(try await exported("isActive == false", "--limit", "1") == ["users/android"])
      #expect(try await exported("activo == false") == ["users/android", "users/both"], "as it is stored")
      let cut = try await tool.bare(
        ["export", "users", "--as-app", "--fields", "era", "-o", "-", "--format", "jsonl"] + tool.place
      ).expect(0)
      for line in cut.output.split(separator: "\n") {
        let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect((json?["fields"] as? [String: Any])?.keys.sorted() == ["era"], "\(line)")
      }
      try await tool.bare(
        [
          "export", "users", "members", "--as-app", "--where", "isActive == false", "-o", "out/", "--format",
          "jsonl",
        ]
          + tool.place
      ).expect(0)
      let lines = try Judge.lines(tool.path("out"))
      #expect(lines.keys.sorted() == ["members/m", "users/android", "users/ios"])
      for order in ["fullName", "role,isActive desc"] {
        try await tool.run("export", "users", "--as-app", "--order-by", order, "-o", "u.csv").expectFailure(
          64,
          "--order-by"
        )
      }
      try await tool.run("export", "users", "--as-app", "--order-by", "role", "-o", "u.csv").expect(0)
    }
  }

  @Test("No number of a report's JSON is without a name, and money is in members that end in Cents.")
  func reports() async throws {
    try await withTool { tool in
      for name in ["payments", "expenses", "members", "products", "check_ins"] {
        try await tool.run("import", Samples.file(name), "-q").expect(0)
      }
      let soon = Date(timeIntervalSinceNow: 3 * 86_400).ISO8601Format()
      try tool.write(
        #"{"name":"members/soon","fields":{"membershipStatus":{"stringValue":"active"},"membershipEndDate":{"timestampValue":"\#(soon)"}}}"#,
        to: "soon.jsonl"
      )
      try await tool.run("import", "soon.jsonl", "-q").expect(0)
      let result = try await tool.run(
        "report",
        "owner",
        "--from",
        "2024-01-01",
        "--to",
        "2026-12-31",
        "--json"
      ).expect(0)
      let report = try #require(
        try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [String: Any]
      )
      var money: Set<String> = []
      func look(_ value: Any, _ name: String) {
        if let object = value as? [String: Any] { for (key, value) in object { look(value, key) } }
        guard let list = value as? [Any] else { return }
        #expect(name == "byHour" || !list.isEmpty, "\(name) shows nothing here")
        for element in list {
          if name != "byHour" { #expect(element is [String: Any], "\(name): \(element)") }
          if let object = element as? [String: Any], object["totalCents"] != nil { money.insert(name) }
          look(element, name)
        }
      }
      for name in ["income", "expenses", "checkIns", "members"] { look(try #require(report[name]), name) }
      #expect(money == ["byType", "byMethod", "byMonth", "byDay", "byCategory"])
    }
  }

  @Test("An empty cell of a required field is missing, whatever type is expected; a blank text, too.")
  func emptyCells() async throws {
    try await withTool { tool in
      try tool.write("__name__,role,email\nusers/a,,a@x.mx\n", to: "users.csv")
      let table = try await tool.run(
        "import",
        "users.csv",
        "--validate",
        "reject",
        "--server-times",
        "--defaults"
      ).expect(65)
      #expect(table.errors.contains("row 2, column 2 (role) is missing; expected string"), "\(table.errors)")
      let run = try #require(tool.runs().last)
      #expect(
        try tool.text("\(run)/validation.csv").contains(#","2","2","role","","string, and it is missing""#)
      )
      try tool.write(
        #"{"fields":{"role":{"stringValue":" "},"email":{"stringValue":"a@x.mx"}},"name":"users/a"}"# + "\n",
        to: "users.jsonl"
      )
      let lines = try await tool.run(
        "import",
        "users.jsonl",
        "--validate",
        "reject",
        "--server-times",
        "--defaults"
      ).expect(65)
      #expect(lines.errors.contains("line 1: role is missing; expected string"), "\(lines.errors)")
    }
  }

  @Test("A member is registered by itself or by an admin who exists.")
  func registeredBy() async throws {
    try await withTool { tool in
      func member(_ registeredBy: String) -> [String: String] { ["registeredBy": s(registeredBy)] }
      try await tool.load([
        "users/u": ["role": s("admin")], "members/a": member("self"), "members/b": member("admin:u"),
        "members/c": member("admin:gone"), "members/d": member("nadie"), "members/e": member("admin:"),
      ])
      func found(_ rule: String) async throws -> [String] {
        let result = try await tool.run("check", "members", "--rule", rule, "--json")
        let json = try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [String: Any]
        return (json?["findings"] as? [[String: Any]] ?? []).filter {
          $0["field"] as? String == "registeredBy"
        }
        .compactMap { $0["path"] as? String }
      }
      #expect(try await found("registered-by-dangling") == ["members/c"])
      #expect(try await found("format") == ["members/d", "members/e"])
    }
  }
}
