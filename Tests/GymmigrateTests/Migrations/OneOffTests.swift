import Foundation
import TestSupport
import Testing

@Suite("fix, delete and find", .timeLimit(.minutes(60)))
struct OneOffTests {
  private static let people: Documents = [
    "members/1": [
      "firstName": s("Ana"), "role": s("x"), "visits": i(3), "phone": s("729-959"), "isActive": b(true),
    ],
    "members/2": [
      "firstName": s("Ána María"), "role": s("y"), "phone": s("(729) 000"), "isActive": b(false),
    ],
    "members/3": ["firstName": s("Eva"), "role": s("x"), "visits": s("many"), "isActive": s("no")],
    "members/3/notes/n": ["text": s("Ana")],
  ]

  private func withPeople(_ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      try await tool.load(Self.people)
      try await body(tool)
    }
  }

  private func expect(
    _ tool: Tool,
    _ changed: Documents,
    without gone: [String] = [],
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    var expected = Self.people
    for (name, fields) in changed { expected[name] = fields }
    for name in gone { expected[name] = nil }
    let found = try await tool.documents().mapValues { $0.without("updatedAt") }
    #expect(try found == parsed(expected), sourceLocation: location)
  }

  // MARK: fix

  @Test("A fix plans with -n, writes what its flags say, and nothing the second time.")
  func fix() async throws {
    try await withPeople { tool in
      let flags = [
        "fix", "members", "--where", "role == x", "--where", "visits >= 0", "--set", "role=member", "--set",
        "a=-1.5", "--set", "`b=c`=x=y", "--set-if-missing", "role=never", "--unset", "firstName", "--rename",
        "visits=remaining.visits", "--copy", "phone=phone2", "--digits", "phone", "--allow-schema-breaks",
      ]
      let plan = try await tool.bare(flags + ["-n"] + tool.place).expect(0)
      #expect(plan.output.hasPrefix("fix: 0 to create, 1 to update, 0 to delete\n"))
      #expect(plan.output.contains("      remaining: (none) -> "))
      try await expect(tool, [:])
      try await tool.bare(flags + tool.place).expect(0)
      let after = [
        "role": s("member"), "a": d(-1.5), "b=c": s("x=y"), "remaining": m(["visits": i(3)]),
        "phone": s("729959"),
        "phone2": s("729-959"), "isActive": b(true),
      ]
      try await expect(tool, ["members/1": after])
      let updatedAt = try await tool.documents()["members/1"]?["updatedAt"]
      #expect(updatedAt is [String: String])
      let again = try await tool.bare(flags + ["--json"] + tool.place).expect(0)
      #expect(try again.summary().totals.read == 0)
    }
  }

  @Test("A document for which a step cannot be done is left whole, listed, and ends the fix in 2.")
  func fixRejects() async throws {
    try await withPeople { tool in
      let fix = ["fix", "members", "--all-documents", "--convert", "visits=integer", "--set", "done=true"]
      let result = try await tool.bare(fix + ["--no-touch", "--json"] + tool.place).expect(2)
      let totals = try result.summary().totals
      #expect(totals.read == 3 && totals.written == 2 && totals.rejected == 1 && totals.balance)
      var (one, two) = (Self.people["members/1"] ?? [:], Self.people["members/2"] ?? [:])
      one["done"] = b(true)
      two["done"] = b(true)
      try await expect(tool, ["members/1": one, "members/2": two])
      #expect(try await tool.documents()["members/1"]?["updatedAt"] == nil)
      try await tool.bare(fix + ["--no-touch", "--on-failure", "null"] + tool.place).expect(0)
      let three = try await tool.documents()["members/3"]
      #expect(three?["visits"] as? NSDictionary == ["nullValue": NSNull()])
    }
  }

  @Test(
    "What breaks the schema more than before is refused at once or rejected, and written where it is meant."
  )
  func schemaBreaks() async throws {
    try await withPeople { tool in
      let fix = ["fix", "members", "--all-documents"]
      for (flags, part) in [
        (["--set", "phone=7291234567"], #"write "7291234567""#),
        (["--set", "isActive=yes"], "boolean in isActive"),
        (["--set", "membershipStatus=gone"], "one of active"), (["--set", "firstName="], "firstName"),
      ] {
        let refused = try await tool.bare(fix + flags + tool.place).expect(64)
        #expect(refused.errors.contains(part) && refused.errors.contains("--allow-schema-breaks"))
      }
      let plan = try await tool.bare(fix + ["--unset", "firstName", "-n", "--html", "p.html"] + tool.place)
      plan.expect(2)
      #expect(plan.output.contains("required-missing: 3"))
      #expect(try tool.text("p.html").contains("required-missing"))
      try await tool.bare(fix + ["--rename", "firstName=alias"] + tool.place).expect(2)
      let rejects = try tool.text("\(try #require(tool.runs().last))/rejects.jsonl")
      try await expect(tool, [:])
      #expect(rejects.split(separator: "\n").count == 3 && rejects.contains(#""code":"required-missing""#))
      try tool.write(
        "id: x\nsummary: S.\ncollection: members\nsteps:\n  - set: {phone: 7291234567}\n",
        to: "x.yaml"
      )
      let file = try await tool.bare(["migrate", "apply", "x.yaml"] + tool.place).expect(65)
      #expect(file.errors.contains("line 5, column 5") && file.errors.contains(#"write "7291234567""#))
      try await expect(tool, [:])
      try await tool.bare(["migrate", "apply", "x.yaml", "--allow-schema-breaks"] + tool.place).expect(0)
      #expect(
        try await tool.documents()["members/1"]?["phone"] as? [String: String] == [
          "integerValue": "7291234567"
        ]
      )
      // A document that is wrong already can be mended in another field.
      try await tool.bare(fix + ["--set", "otherNotes=x"] + tool.place).expect(0)
    }
  }

  @Test("What forbids a value of a group is that of a collection which has the field.")
  func groupBreach() async throws {
    try await withPeople { tool in
      let visits = "fields: { cost: { type: double, range: { max: 50 } } }"
      try tool.write(
        "schema: x\ncollections:\n  archive/*/visits: { unknown-fields: unexpected, fields: { n: integer } }\n  members/*/visits: { \(visits) }\n",
        to: "x.yaml"
      )
      let words = [
        "fix", "visits", "--group", "--where", "cost > 49", "--set", "cost=51.0", "--schema", "x.yaml", "-n",
      ]
      let result = try await tool.bare(words + tool.place)
      #expect(result.exitCode == 64 || result.exitCode == 65)
      #expect(
        result.errors.contains("the schema of members/*/visits") && result.errors.contains("50"),
        "\(result.errors)"
      )
    }
  }

  @Test("A group is every collection of the name, and counted by those; so is a pattern.")
  func group() async throws {
    try await withPeople { tool in
      let fix = ["--all-documents", "--set", "x=1", "--no-touch", "--json"]
      let group = try await tool.bare(["fix", "notes", "--group"] + fix + tool.place).expect(0)
      #expect(try group.summary().collections.map(\.name) == ["members/*/notes"])
      try await expect(tool, ["members/3/notes/n": ["text": s("Ana"), "x": i(1)]])
      let pattern = try await tool.bare(["fix", "mem*", "-n"] + fix + tool.place)
      #expect(try pattern.summary().collections.map(\.name) == ["members"])
    }
  }

  @Test(
    "A command line that is wrong is 64, and nothing is sent.",
    arguments: [
      (["fix", "members", "--set", "a=1"], "give --where, or --all-documents"),
      (["fix", "members", "--all-documents"], "say what is to be done"),
      (["fix", "members/1", "--all-documents", "--set", "a=1"], "not a collection path"),
      (["fix", "_gymmigrate_runs", "--all-documents", "--set", "a=1"], "gymmigrate's own"),
      (["fix", "__x__", "--all-documents", "--set", "a=1"], "reserved"),
      (["fix", "a/b/c", "--group", "--all-documents", "--set", "a=1"], "named by one id"),
      (["fix", "members", "--where", "a ==", "--set", "a=1"], "a value is expected"),
      (["fix", "members", "--where", "a == 1", "--all-documents", "--set", "a=1"], "not both"),
      (["fix", "members", "--all-documents", "--set", "a"], "--set: 'a' is not FIELD=VALUE"),
      (["fix", "members", "--all-documents", "--set", "a..b=1"], "not a field path"),
      (["fix", "members", "--all-documents", "--set", "a=1", "--set", "a=2"], "'a' is given twice"),
      (["fix", "members", "--all-documents", "--set", "a=ts(x)"], "is not a time"),
      (["fix", "members", "--all-documents", "--set", "updatedAt=1"], "updatedAt comes from the server"),
      (["fix", "members", "--all-documents", "--convert", "a=number"], "'number' is no type"),
      (["fix", "members", "--all-documents", "--rename", "a=a.b"], "overlap"),
      (["fix", "members", "--all-documents", "--trim", "__a__"], "reserved"),
      (["fix", "members", "--all-documents", "--trim", "a", "--on-failure", "stop"], "--on-failure"),
      (["delete", "members"], "say which"), (["delete", "members", "--id", "."], "not allowed"),
      (["delete", "members", "--id", "a", "--where", "b == 1"], "--id alone"),
      (["delete", "members", "--id", "a", "--max-delete", "1"], "goes with --hard"),
      (["delete", "payments", "--id", "a"], "marks a document as deleted"),
      (["find", " "], "say what to look for"),
      (["find", "a", "--collection", "users/u1"], "not a collection path"),
      (["find", "a", "--limit", "0"], "--limit"),
    ]
  )
  func usage(_ arguments: [String], _ part: String) async throws {
    try await withTool { tool in
      let result = try await tool.bare(arguments + tool.place).expect(64)
      #expect(result.errors.contains(part), "\(result.errors)")
      #expect(!tool.exists(".gymmigrate"))
    }
  }

  // MARK: Files

  @Test("A file that is malformed is 65 with its place, one that is missing 66, two of one id 64.")
  func files() async throws {
    try await withTool { tool in
      try tool.write("id: x\nsummary: X.\ncollection: users\nsteps:\n  - fly: a\n", to: "bad.yaml")
      let bad = try await tool.run("migrate", "plan", "bad.yaml")
      bad.expectFailure(65, "cannot read the migration bad.yaml: line 5, column 5: there is no step 'fly'")
      try await tool.run("migrate", "apply", "none.yml").expectFailure(66, "none.yml")
      try await tool.run("migrate", "apply", "users").expectFailure(64, "there is none of that name")
      let good = "id: x\nsummary: X.\ncollection: users\nsteps:\n  - trim: a\n"
      try tool.write(good, to: "a.yaml")
      try tool.write(good, to: "b.yml")
      try await tool.run("migrate", "plan", "a.yaml", "b.yml").expectFailure(64, "another of the id 'x'")
      try await tool.run("migrate", "plan", "a.yaml", "is-active", "a.yaml").expectFailure(64, "named twice")
      try tool.write(String(repeating: "#", count: 1 << 20) + "\n", to: "large.yaml")
      try await tool.run("migrate", "plan", "large.yaml").expectFailure(65, "larger than 1 MiB")
    }
  }

  @Test("A protected environment refuses with 77 without its name, and takes it.")
  func protected() async throws {
    let mini = MiniFirestore()
    try mini.put("members/1", fields: #"{"a":{"stringValue":"x"}}"#)
    try await withTool(against: mini.handler) { tool, server in
      var tool = tool
      tool.place = ["-e", "prod"]
      try tool.write(
        "project: test-project\nschema: gym\nenvironments:\n  prod: { endpoint: '\(server.url)', protected: true }\n",
        to: "gymmigrate.yaml"
      )
      let fix = ["fix", "members", "--where", "a == x", "--set", "a=y"]
      try await tool.bare(fix + tool.place).expectFailure(77, "protected")
      try await tool.run("delete", "members", "--id", "1").expectFailure(77, "protected")
      #expect(mini.totalWrites == 0)
      try await tool.bare(fix + ["-n"] + tool.place).expect(0)
      try await tool.bare(fix + ["--confirm", "prod"] + tool.place).expect(0)
      #expect(mini.totalWrites == 1)
    }
  }

  // MARK: delete

  @Test("A deletion sets isActive to false where it is not, and leaves what is no boolean.")
  func softDelete() async throws {
    try await withPeople { tool in
      let result = try await tool.run("delete", "members", "--all-documents", "--json").expect(2)
      let totals = try result.summary().totals
      #expect(totals.written == 1 && totals.unchanged == 1 && totals.rejected == 1 && totals.deleted == 0)
      var one = Self.people["members/1"] ?? [:]
      one["isActive"] = b(false)
      try await expect(tool, ["members/1": one])
      let untouched = try await tool.documents()["members/2"]?["updatedAt"]
      #expect(untouched == nil)
    }
  }

  @Test("Documents named by id have to be there: otherwise 66, and nothing is deleted.")
  func ids() async throws {
    try await withPeople { tool in
      try await tool.run("delete", "members", "--id", "1", "--id", "9").expectFailure(66, "members/9")
      try await expect(tool, [:])
      try await tool.run("delete", "members", "--id", "1", "--id", "1").expect(0)
      var one = Self.people["members/1"] ?? [:]
      one["isActive"] = b(false)
      try await expect(tool, ["members/1": one])
    }
  }

  @Test("For good wants a bound, stops before it, and leaves documents that have subcollections.")
  func hardDelete() async throws {
    try await withPeople { tool in
      let delete = ["delete", "members", "--all-documents", "--hard"]
      try await tool.bare(delete + tool.place).expectFailure(77, "--max-delete")
      try await tool.bare(delete + ["--yes"] + tool.place).expectFailure(77, "--max-delete")
      try await expect(tool, [:])
      let plan = try await tool.bare(delete + ["-n"] + tool.place).expect(2)
      #expect(plan.output.hasPrefix("delete: 0 to create, 0 to update, 2 to delete\n"))
      #expect(plan.output.contains("  left alone, has-subcollections: 1\n"))
      try await tool.bare(delete + ["--max-delete", "0"] + tool.place).expectFailure(
        77,
        "--max-delete allows no more"
      )
      try await expect(tool, [:])
      let result = try await tool.bare(delete + ["--max-delete", "2", "--json"] + tool.place).expect(2)
      let totals = try result.summary().totals
      #expect(totals.deleted == 2 && totals.rejected == 1 && totals.balance)
      try await expect(tool, [:], without: ["members/1", "members/2"])
      // What is below is left without it where that is asked for.
      let left = delete + ["--max-delete", "1", "--leave-subcollections"]
      try await tool.bare(left + tool.place).expect(0)
      #expect(try await Set(tool.documents().keys) == ["members/3/notes/n"])
    }
  }

  @Test("A file that deletes for good wants a bound, too.")
  func hardDeleteOfAFile() async throws {
    try await withPeople { tool in
      let text = "id: x\nsummary: X.\ncollection: members\nwhere: role == y\nsteps:\n  - delete: hard\n"
      try tool.write(text, to: "x.yaml")
      try await tool.run("migrate", "apply", "x.yaml").expectFailure(77, "--max-delete")
      try await tool.run("migrate", "apply", "x.yaml", "--max-delete", "0").expectFailure(77, "--max-delete")
      try await expect(tool, [:])
      try await tool.run("migrate", "apply", "x.yaml", "--max-delete", "5").expect(0)
      try await expect(tool, [:], without: ["members/2"])
    }
  }

  // MARK: find

  @Test("find prints a line a document with what was found, and ends in 0 either way.")
  func find() async throws {
    try await withPeople { tool in
      let ana = try await tool.run("find", "ANA").expect(0)
      #expect(
        ana.output == "members/1\tfirstName=\"Ana\"\nmembers/2\tfirstName=\"Ána María\"\n",
        "\(ana.errors)"
      )
      let phone = try await tool.run("find", "729", "--json")
      #expect(
        phone.output == """
          {"matches":{"phone":"729-959"},"path":"members/1"}
          {"matches":{"phone":"(729) 000"},"path":"members/2"}

          """
      )
      let one = try await tool.run("find", "ana", "--limit", "1", "--where", "role == y")
      #expect(one.output == "members/2\tfirstName=\"Ána María\"\n")
      let nobody = try await tool.run("find", "nobody").expect(0)
      #expect(nobody.output.isEmpty)
      let note = try await tool.run("find", "ana", "--collection", "notes", "--group")
      #expect(note.output == "members/3/notes/n\ttext=\"Ana\"\n")
      #expect(!tool.names(in: ".gymmigrate/runs").contains { $0.contains("find") })
    }
  }
}
