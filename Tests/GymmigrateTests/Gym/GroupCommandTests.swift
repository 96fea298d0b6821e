import Foundation
import TestSupport
import Testing

@Suite("The commands that change groups", .timeLimit(.minutes(60)))
struct GroupCommandTests {
  /// A group of some users out of twelve, of whom the first is the admin.
  private func withGroup(_ members: Int, _ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      var documents: Documents = [
        "groups/g": [
          "name": s("Uno"), "createdBy": s("u0"), "memberCount": i(Int64(members)), "isActive": b(true),
        ]
      ]
      for number in 0..<12 { documents["users/u\(number)"] = ["fullName": s("Persona \(number)")] }
      for number in 0..<members {
        documents["groups/g/members/u\(number)"] = [
          "displayName": s("Persona \(number)"), "role": s(number == 0 ? "admin" : "member"),
          "isActive": b(true),
        ]
      }
      try await tool.load(documents)
      try await body(tool)
    }
  }

  private func expectMembers(
    _ tool: Tool,
    _ count: Int,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let documents = try await tool.documents()
    let stated = documents["groups/g"]?["memberCount"] as? [String: String]
    #expect(stated == ["integerValue": "\(count)"], sourceLocation: location)
    #expect(
      documents.keys.count { $0.hasPrefix("groups/g/members/") } == count,
      sourceLocation: location
    )
  }

  @Test("A file with a field that is not used adds nobody, and one whose last line may be cut off is named.")
  func files() async throws {
    try await withGroup(1) { tool in
      func line(_ more: String) -> String {
        #"{"fields":{"displayName":{"stringValue":"Ana"}\#(more)},"name":"groups/g/members/u1"}"# + "\n"
      }
      for (more, text) in [
        (#","nota":{"stringValue":"x"}"#, "line 1, nota"),
        (#","isActive":{"booleanValue":false}"#, "line 1, isActive"),
      ] {
        try tool.write(line(more), to: "m.jsonl")
        try await tool.run("groups", "add", "--from", "m.jsonl").expectFailure(65, text)
      }
      try tool.write("groupId,userId,displayName\ng,u1,#¿NOMBRE?\n", to: "m.csv")
      try await tool.run("groups", "add", "--from", "m.csv")
        .expectFailure(65, "row 2, column 3 (displayName)", "an error of the spreadsheet")
      try await expectMembers(tool, 1)
      let exported =
        #","isActive":{"booleanValue":true},"joinedAt":{"timestampValue":"2020-01-02T03:04:05Z"}"#
      try tool.write(line(exported), to: "m.jsonl")
      try await tool.run("groups", "add", "--from", "m.jsonl").expect(0)
      try tool.write("groupId,userId\ng,u2", to: "m.csv")
      let cut = try await tool.run("groups", "add", "--from", "m.csv").expect(0)
      #expect(cut.errors.contains("has no line end"), "\(cut.errors)")
      try await expectMembers(tool, 3)
      let joined = try await tool.documents()["groups/g/members/u1"]?["joinedAt"] as? [String: String]
      #expect(joined?["timestampValue"].map { $0 > "2021" } == true)
    }
  }

  @Test("The name of a member is without the surplus spaces of the user's, or of a file's.")
  func tidyNames() async throws {
    try await withTool { tool in
      try await tool.load([
        "users/u0": ["fullName": s("  Tadeo ")],
        "users/u1": ["nombre": s("Ana "), "primerApellido": s(" Paz")],
        "users/u2": ["fullName": s("Eva")],
      ])
      try await tool.run("groups", "create", "Uno", "--owner", "u0").expect(0)
      let paths = try await tool.documents().keys.filter { $0.hasPrefix("groups/") }
      let group = try #require(paths.min { $0.count < $1.count })
      let id = String(group.dropFirst("groups/".count))
      try await tool.run("groups", "add", id, "u1").expect(0)
      try tool.write("groupId,userId,displayName\n\(id),u2, Eva  Gil \n", to: "m.csv")
      try await tool.run("groups", "add", "--from", "m.csv").expect(0)
      let documents = try await tool.documents()
      for (user, name) in [("u0", "Tadeo"), ("u1", "Ana Paz"), ("u2", "Eva Gil")] {
        let member = documents["\(group)/members/\(user)"]
        #expect(member?["displayName"] as? [String: String] == ["stringValue": name])
      }
    }
  }

  @Test("No undo makes an eleventh member, and the count is that of the members.")
  func fullGroup() async throws {
    try await withGroup(10) { tool in
      try await tool.run("groups", "remove", "g", "u9").expect(0)
      let run = try tool.lastRun()
      try await tool.run("groups", "add", "g", "u10").expect(0)
      let undone = try await tool.run("runs", "undo", run, "--json").expect(2)
      #expect(try undone.summary().totals.conflicted == 2)
      #expect(try tool.list("rejects.jsonl", of: try tool.lastRun()).count == 2)
      try await expectMembers(tool, 10)
      #expect(try await tool.documents()["groups/g/members/u9"] == nil)
    }
  }

  @Test("An undo counts anew where others have joined since, and shows so before.")
  func countedAnew() async throws {
    try await withGroup(5) { tool in
      try await tool.run("groups", "remove", "g", "u4").expect(0)
      let run = try tool.lastRun()
      try await tool.run("groups", "add", "g", "u10").expect(0)
      let plan = try await tool.run("runs", "undo", run, "-n").expect(0)
      #expect(plan.output.contains("memberCount: 5 -> 6"), "\(plan.output)")
      #expect(plan.errors.contains("To carry this out: gymmigrate runs undo \(run)"), "\(plan.errors)")
      try await expectMembers(tool, 5)
      try await tool.run("runs", "undo", run).expect(0)
      try await expectMembers(tool, 6)
    }
  }

  @Test("A group that somebody has joined stays, and goes once that is undone.")
  func joinedSince() async throws {
    try await withGroup(1) { tool in
      let created = try await tool.run("groups", "create", "Dos", "--owner", "u1")
      #expect(created.errors.contains("groups: 0 read, 1 created, 1 written\n"), "\(created.errors)")
      let group = String(created.output.dropLast())
      let creation = try tool.lastRun()
      try await tool.run("groups", "add", group, "u2").expect(0)
      let addition = try tool.lastRun()
      let before = try await tool.documents()
      let plan = try await tool.run("runs", "undo", creation, "-n", "--json")
      #expect(try plan.summary().totals.conflicted == 2)
      #expect(try await tool.documents() == before)
      try await tool.run("runs", "undo", addition).expect(0)
      try await tool.run("runs", "undo", creation).expect(0)
      #expect(try await tool.documents().keys.allSatisfy { !$0.hasPrefix("groups/\(group)") })
    }
  }

  @Test("Members of a group, or of a user, that is gone are not brought back.")
  func goneSince() async throws {
    try await withGroup(3) { tool in
      try await tool.run("groups", "remove", "g", "u2").expect(0)
      let removal = try tool.lastRun()
      try await tool.run("delete", "users", "--id", "u2", "--hard", "--max-delete", "1").expect(0)
      try await tool.run("runs", "undo", removal).expect(2)
      try await expectMembers(tool, 2)
      try await tool.run("groups", "remove", "g", "u1").expect(0)
      let second = try tool.lastRun()
      try await tool.run("groups", "delete", "g", "--max-delete", "2").expect(0)
      try await tool.run("runs", "undo", second).expect(2)
      #expect(try await tool.documents().keys.allSatisfy { !$0.hasPrefix("groups/") })
    }
  }

  @Test("What somebody changed and changed back is theirs.")
  func changedBack() async throws {
    try await withGroup(2) { tool in
      try await tool.run("groups", "add", "g", "u5").expect(0)
      let run = try tool.lastRun()
      let fix = ["fix", "groups/g/members", "--where", #"displayName == "Persona 5""#, "--no-touch"]
      try await tool.bare(fix + ["--set", "role=admin"] + tool.place).expect(0)
      try await tool.bare(fix + ["--set", "role=member"] + tool.place).expect(0)
      let before = try await tool.documents()
      try await tool.run("runs", "undo", run).expect(2)
      #expect(try await tool.documents() == before)
    }
  }

  @Test("A deletion takes the group from every user, is bounded, and comes back as a whole.")
  func deletion() async throws {
    try await withGroup(3) { tool in
      for user in ["Persona 1", "Persona 11"] {
        let fix = [
          "fix", "users", "--where", "fullName == \"\(user)\"", "--no-touch", "--set", "currentGroupId=g",
        ]
        try await tool.bare(fix + tool.place).expect(0)
      }
      let before = try await tool.documents()
      try await tool.run("groups", "delete", "g").expectFailure(77, "--max-delete")
      try await tool.run("groups", "delete", "g", "-y").expectFailure(77, "--max-delete")
      try await tool.run("groups", "delete", "g", "--max-delete", "3").expectFailure(77, "no more")
      let plan = try await tool.run("groups", "delete", "g", "-n").expect(0)
      #expect(
        plan.output.hasPrefix("groups delete: 0 to create, 2 to update, 4 to delete\n"),
        "\(plan.output)"
      )
      #expect(try await tool.documents() == before)
      try await tool.run("groups", "delete", "g", "--max-delete", "4").expect(0)
      let after = try await tool.documents()
      #expect(after.values.allSatisfy { $0["currentGroupId"] == nil })
      #expect(after.keys.allSatisfy { !$0.hasPrefix("groups/") })
      try await tool.run("runs", "undo", "last", "-n").expect(0)
      try await tool.run("runs", "undo", "last").expect(0)
      #expect(try await tool.documents() == before)
    }
  }

  @Test("A group or a member with other documents below stays.", arguments: ["notes/n", "members/u1/deep/n"])
  func below(_ place: String) async throws {
    try await withGroup(3) { tool in
      try tool.write(documentLine("groups/g/\(place)", 1) + "\n", to: "below.jsonl")
      let load = ["import", "below.jsonl", "--mode", "upsert", "--schema", "none"]
      try await tool.bare(load + tool.place).expect(0)
      let before = try await tool.documents()
      let commands = [["delete", "g", "--max-delete", "9"], ["delete", "g", "-n"]]
      for words in place.hasPrefix("members/") ? commands + [["remove", "g", "u1"]] : commands {
        let refused = try await tool.bare(["groups"] + words + tool.place).expect(2)
        #expect(refused.errors.contains("has-subcollections"), "\(refused.errors)")
        #expect(try await tool.documents() == before)
      }
    }
  }

  @Test("What came below a new group is why its creation is not undone.")
  func belowNewGroup() async throws {
    try await withGroup(1) { tool in
      let created = try await tool.run("groups", "create", "Dos", "--owner", "u3").expect(0)
      let run = try tool.lastRun()
      let group = created.output.split(separator: "\n")[0]
      try tool.write(documentLine("groups/\(group)/notes/n", 1) + "\n", to: "below.jsonl")
      let load = ["import", "below.jsonl", "--mode", "upsert", "--schema", "none"]
      try await tool.bare(load + tool.place).expect(0)
      let undone = try await tool.run("runs", "undo", run, "--json").expect(2)
      let rejects = try tool.list("rejects.jsonl", of: try undone.summary().runId)
      #expect(Set(rejects.compactMap { $0["code"] as? String }) == ["has-subcollections"])
    }
  }

  @Test("Looking changes nothing, and says what would be refused.")
  func dryRuns() async throws {
    try await withGroup(9) { tool in
      let before = try await tool.documents()
      let created = try await tool.run("groups", "create", "Dos", "--owner", "u3", "-n").expect(0)
      #expect(created.output.hasPrefix("groups create: 2 to create, 0 to update, 0 to delete\n"))
      // The second one meets the first.
      let added = try await tool.run("groups", "add", "g", "u9", "u10", "-n").expect(2)
      #expect(added.errors.contains("group-full"))
      let removed = try await tool.run("groups", "remove", "g", "u0", "-n").expect(2)
      #expect(removed.errors.contains("last-admin"))
      try await tool.run("email", "register", "a@b.mx", "u3", "-n").expect(2)
      #expect(try await tool.documents() == before)
    }
  }

  @Test("A refused creation prints no id.")
  func refusedCreation() async throws {
    try await withGroup(1) { tool in
      let refused = try await tool.run("groups", "create", "Dos", "--owner", "nobody").expect(2)
      #expect(refused.output.isEmpty)
    }
  }

  @Test(
    "What can be nobody's address, or no id, is a mistake on the command line.",
    arguments: [
      ["email", "resolve", ""], ["email", "resolve", "a/b@c"], ["email", "register", "a/b@c", "u"],
      ["email", "register", "a@b", ""], ["groups", "create", " ", "--owner", "u"],
      ["groups", "create", "n", "--owner", "u", "--display-name", " "],
      ["groups", "create", "x", "--owner", ""], ["groups", "add", "g", "a/b"], ["groups", "remove", "", "u"],
      ["groups", "delete", "..", "--max-delete", "1"], ["setup", "set", ""],
    ]
  )
  func usage(_ command: [String]) async throws {
    try await withTool { tool in try await tool.bare(command + tool.place).expect(64) }
  }

  @Test("Of two runs the second is undone and then the first, without a server's time in the documents.")
  func oneAfterTheOther() async throws {
    try await withTool { tool in
      try await tool.load(["things/a": ["n": i(1)], "things/b": ["n": i(1)], "things/c": ["n": i(2)]])
      let before = try await tool.documents()
      let fix = ["fix", "things", "--all-documents", "--no-touch", "--set"]
      var runs: [String] = []
      for value in ["n=5", "n=6", "n=7"] {
        try await tool.bare(fix + [value] + tool.place).expect(0)
        runs.append(try tool.lastRun())
      }
      for run in runs.reversed() { try await tool.bare(["runs", "undo", run]).expect(0) }
      #expect(try await tool.documents() == before)
    }
  }

  @Test("The index is not emptied because users are missing.")
  func pruneWithoutUsers() async throws {
    try await withTool { tool in
      try await tool.load(["user_emails/a@b.mx": ["primaryUserId": s("u")]])
      try await tool.run("migrate", "apply", "user-emails", "--prune").expectFailure(77, "--max-delete")
      let pruned = try await tool.run("migrate", "apply", "user-emails", "--prune", "--max-delete", "9")
      pruned.expectFailure(77, "users has no documents")
      try await tool.run("migrate", "plan", "user-emails", "--prune").expectFailure(
        77,
        "users has no documents"
      )
      #expect(try await tool.documents().count == 1)
    }
  }

  @Test("A bound that does not suffice is told how many are to be deleted, not how many there are.")
  func pruneBeyondBound() async throws {
    try await withTool { tool in
      try await tool.load([
        "users/u": ["email": s("a@b.mx")],
        "user_emails/a@b.mx": ["primaryUserId": s("u"), "email": s("a@b.mx")],
        "user_emails/c@b.mx": ["primaryUserId": s("gone")],
        "user_emails/d@b.mx": ["primaryUserId": s("gone")],
        "user_emails/e@b.mx": ["primaryUserId": s("gone")],
      ])
      let prune = ["migrate", "apply", "user-emails", "--prune"] + tool.place
      try await tool.bare(prune + ["--max-delete", "1"]).expectFailure(77, "and 3 are meant")
      try await tool.bare(prune + ["--max-delete", "3"]).expect(0)
      #expect(try await tool.documents().count == 2)
    }
  }

  @Test("A member becomes an admin and the reverse, the last admin stays, and an undo puts roles back.")
  func roles() async throws {
    try await withGroup(3) { tool in
      func role(_ user: String) async throws -> String? {
        let fields = try await tool.documents()["groups/g/members/\(user)"]
        return (fields?["role"] as? [String: String])?["stringValue"]
      }
      let last = try await tool.run("groups", "demote", "g", "u0").expect(2)
      #expect(last.errors.contains("last-admin"))
      let plan = try await tool.run("groups", "promote", "g", "u1", "-n").expect(0)
      #expect(plan.output.contains("member-promoted: 1"), "\(plan.output)")
      #expect(try await role("u1") == "member")
      try await tool.run("groups", "promote", "g", "u1", "u2").expect(0)
      #expect(try await role("u1") == "admin")
      #expect(try await role("u2") == "admin")
      let again = try await tool.run("groups", "promote", "g", "u1", "--json").expect(0)
      let counts = try again.summary()
      #expect(counts["groups/*/members"]?.unchanged == 1)
      try await tool.run("groups", "demote", "g", "u0", "u9").expect(2)
      #expect(try await role("u0") == "member")
      try await expectMembers(tool, 3)
      try await tool.run("runs", "undo", "last").expect(0)
      #expect(try await role("u0") == "admin")
      // Of those who were promoted, the undo would leave nobody if the other admin is one no longer.
      try await tool.run("groups", "demote", "g", "u0").expect(0)
      let runs = tool.runs()
      let journals = runs.map { (run: $0, text: (try? tool.text("\($0)/journal.jsonl")) ?? "") }
      let promotion = try #require(journals.last { $0.text.contains("promoted") }).run
      let undo = try await tool.run("runs", "undo", String(promotion.split(separator: "/").last ?? ""))
      undo.expect(2)
      #expect(try await role("u1") == "admin")
    }
  }

  @Test(
    "--current makes the group the user's current one, and an undo the group before, unless the user has left that."
  )
  func current() async throws {
    try await withGroup(2) { tool in
      func current(_ user: String) async throws -> String? {
        let fields = try await tool.documents()["users/\(user)"]
        return (fields?["currentGroupId"] as? [String: String])?["stringValue"]
      }
      try await tool.run("groups", "add", "g", "u2").expect(0)
      #expect(try await current("u2") == nil)
      try await tool.run("groups", "add", "g", "u3", "--current").expect(0)
      #expect(try await current("u3") == "g")
      let new = try await tool.run("groups", "create", "Dos", "--owner", "u3", "--current").output
        .trimmingCharacters(in: .newlines)
      #expect(try await current("u3") == new)
      try await tool.run("runs", "undo", "last").expect(0)
      #expect(try await current("u3") == "g")
      try await tool.run("groups", "create", "Tres", "--owner", "u3", "--current").expect(0)
      let creation = try tool.lastRun()
      try await tool.run("groups", "remove", "g", "u3").expect(0)
      try await tool.run("runs", "undo", creation).expect(0)
      #expect(try await current("u3") == nil)
    }
  }

  @Test("Who joins after the count is not deleted with the group: the bound holds while it works.")
  func joinedMeanwhile() async throws {
    let mini = MiniFirestore()
    try mini.put("groups/g", fields: #"{"name":{"stringValue":"Uno"},"memberCount":{"integerValue":"2"}}"#)
    for user in ["u0", "u1"] { try mini.put("groups/g/members/\(user)", fields: "{}") }
    // The count is made before; the first transaction already sees who joined.
    let handler: RequestHandler = { request in
      if request.kind == .beginTransaction {
        for number in 2..<7 { try? mini.put("groups/g/members/u\(number)", fields: "{}") }
      }
      return mini.handler(request)
    }
    try await withTool(against: handler) { tool, _ in
      let words = ["groups", "delete", "g", "--max-delete", "3", "--schema", "gym"]
      try await tool.bare(words + tool.place).expect(2)
      let rejects = try tool.text("\(#require(tool.runs().last))/rejects.jsonl")
      #expect(rejects.contains("too-many-deletions"))
      #expect(mini.document("groups/g") != nil)
      #expect((0..<7).allSatisfy { mini.document("groups/g/members/u\($0)") != nil })
    }
  }
}
