import Foundation
import TestSupport
import Testing

/// A path, a pattern and a filter mean the same in every command.
///
/// The sample gym has 5 groups, 20 members of them, and 420 members at the root.
@Suite("Collections and filters, by command", .timeLimit(.minutes(60)))
struct CollectionNamingTests {
  private func withGym(_ body: (Tool, HTTPTestServer, MiniFirestore) async throws -> Void) async throws {
    let mini = try MiniFirestore.withSamples(Samples.all())
    try await withTool(against: mini.handler) { tool, server in try await body(tool, server, mini) }
  }

  @Test("A filter over names selects what it says: 258 of 400 users are at or behind M.")
  func names() async throws {
    try await withGym { tool, _, _ in
      for spelling in ["users/M", "ref(users/M)", "\"users/M\""] {
        let result = try await tool.run("count", "users", "--where", "__name__ >= \(spelling)").expect(0)
        #expect(result.output == "users\t258\n")
      }
      let none = try await tool.run(
        "delete",
        "users",
        "--where",
        "__name__ >= ref(users/zzzz)",
        "-n",
        "--json"
      ).expect(0)
      #expect(try none.summary().totals.read == 0)
    }
  }

  @Test(
    "What a filter or a value does not clearly say is refused with both spellings, before anything is sent.",
    arguments: [
      (["count", "users", "--where", "createdAt >= 2025-01-01"], ["ts(", "\"2025-01-01\""]),
      (["count", "users", "--where", "createdAt > now"], ["ts(", "\"now\""]),
      (["count", "users", "--where", "createdAt > now()"], ["ts(", "\"now()\""]),
      (["count", "users", "--where", "a == REF(users/u1)"], ["ref(", "\"REF(users/u1)\""]),
      (["export", "users", "-o", "-", "--format", "csv", "--where", "a == 12:30"], ["ts(", "\"12:30\""]),
      (["find", "a", "--where", "a == date(2025)"], ["ts(", "\"date(2025)\""]),
      (["fix", "users", "--all-documents", "--set", "since=2025-01-01"], ["ts(", "\"2025-01-01\""]),
      (["fix", "users", "--all-documents", "--set-if-missing", "since=today"], ["ts(", "\"today\""]),
      (["delete", "users", "--where", "__name__ >= ref(members/M)", "-n"], ["members/M", "users"]),
      (["count", "users", "members", "--where", "__name__ >= users/M"], ["users/M", "members"]),
      (["count", "--all", "--where", "__name__ >= users/M"], ["users/M", "users"]),
      (["count", "users", "--where", "__name__ >= M"], ["users/u1"]),
      (["count", "users", "--where", "a != 1", "--where", "b != 2"], ["only one of !="]),
      (["export", "groups/*/mem*", "-o", "-", "--format", "csv"], ["has a *"]),
      (["fix", "groups/g*/members", "--all-documents", "--set", "a=1"], ["has a *"]),
      (["delete", "groups/*/members", "--id", "x"], ["is a pattern"]),
    ]
  )
  func refused(_ arguments: [String], _ parts: [String]) async throws {
    try await withGym { tool, server, _ in
      let result = try await tool.bare(arguments + tool.place).expect(64)
      for part in parts { #expect(result.errors.contains(part), "\(result.errors)") }
      #expect(server.requests.isEmpty)
    }
  }

  @Test("A literal in a file is refused in the same way, with its line.")
  func refusedInFile() async throws {
    try await withGym { tool, server, _ in
      try tool.write(
        "id: x\nsummary: X.\ncollection: users\nwhere: createdAt > 2025-01-01\nsteps: [trim: email]\n",
        to: "a.yaml"
      )
      let filter = try await tool.run("migrate", "plan", "a.yaml")
      filter.expectFailure(65, "line 4")
      #expect(filter.errors.contains("\"2025-01-01\""))
      try tool.write("id: x\nsummary: X.\ncollection: users\nsteps: [{set: {a: 12:30}}]\n", to: "b.yaml")
      try await tool.run("migrate", "plan", "b.yaml").expectFailure(65, "line 4")
      try tool.write("id: x\nsummary: X.\ncollection: class*\nsteps: [trim: a]\n", to: "c.yaml")
      try await tool.run("migrate", "plan", "c.yaml").expectFailure(65, "line 3")
      #expect(server.requests.isEmpty)
    }
  }

  @Test("A day begins by the clocks of its zone, Mexico City's where none is given.")
  func days() async throws {
    try await withTool { tool in
      let line = { (id: String, time: String) in
        #"{"name":"t/\#(id)","fields":{"at":{"timestampValue":"\#(time)"}}}"# + "\n"
      }
      try tool.write(line("a", "2026-01-31T05:59:59Z") + line("b", "2026-01-31T06:00:00Z"), to: "t.jsonl")
      try await tool.run("import", "t.jsonl").expect(0)
      let mexico = try await tool.run("count", "t", "--where", "at >= ts(2026-01-31)")
      #expect(mexico.output == "t\t1\n")
      let utc = try await tool.run("count", "t", "--where", "at >= ts(2026-01-31)", "--time-zone", "UTC")
      #expect(utc.output == "t\t2\n")
    }
  }

  @Test("A pattern means the same documents in export, count, find, fix, delete, check, copy and diff.")
  func patterns() async throws {
    try await withGym { tool, server, mini in
      let members = mini.snapshot().filter {
        $0.name.hasPrefix("groups/") && $0.name.split(separator: "/").count == 4
      }
      #expect(members.count == 20)
      let pattern = "groups/*/members"
      #expect(try await tool.run("count", pattern).output == "groups/*/members\t20\n")
      let exported = try await tool.run("export", pattern, "-o", "-", "--format", "jsonl").expect(0)
      #expect(exported.output.split(separator: "\n").count == 20)
      try await tool.run("export", "class*", "-o", "classes/", "--format", "csv").expect(0)
      #expect(
        tool.names(in: "classes").filter { $0.hasSuffix(".csv") }
          == ["classAttendance.csv", "classBookings.csv", "classes.csv"]
      )
      let fix = ["fix", pattern, "--all-documents", "--set", "seen=true", "--no-touch", "--json"]
      #expect(try await tool.bare(fix + ["-n"] + tool.place).summary().totals.read == 20)
      let fixed = try await tool.bare(fix + tool.place).expect(0)
      #expect(try fixed.summary().totals.written == 20)
      let filtered = ["count", pattern, "--where", "seen == true and role == admin"]
      let admins = 5
      #expect(try await tool.bare(filtered + tool.place).output == "groups/*/members\t\(admins)\n")
      let roots = try await tool.run(
        "fix",
        "class*",
        "--all-documents",
        "--set",
        "x=1",
        "--no-touch",
        "--json",
        "-n"
      )
      #expect(try roots.summary().totals.read == 440)
      let deleted = try await tool.run(
        "delete",
        pattern,
        "--all-documents",
        "--hard",
        "--max-delete",
        "20",
        "-n",
        "--json"
      )
      #expect(try deleted.summary().totals.read == 20)
      #expect(try await tool.run("find", "a", "--collection", pattern, "--limit", "1").exitCode == 0)
      let checked = try await tool.run("check", pattern, "--json")
      #expect([0, 1].contains(checked.exitCode))
      #expect(!checked.output.contains("\"path\":\"users/"))
      let target = MiniFirestore()
      try await HTTPTestServer.withServer(target.handler) { copy in
        let from = ["--from-project", "test-project", "--from-endpoint", server.url]
        let to = ["--project", "test-project", "--endpoint", copy.url]
        let filter = ["--where", "role == admin"]
        try await tool.bare(["copy", pattern, "--yes"] + filter + from + to).expect(0)
        #expect(target.snapshot().count == admins)
        try await tool.bare(["copy", pattern, "--yes"] + from + to).expect(0)
        #expect(target.snapshot().count == 20)
      }
    }
  }

  @Test("--group reports what it reaches, and the one at the root is among it.")
  func group() async throws {
    try await withGym { tool, _, _ in
      for command in [
        ["count", "members"], ["export", "members", "-o", "m.csv"], ["find", "a", "--collection", "members"],
      ] {
        let result = try await tool.bare(command + ["--group"] + tool.place).expect(0)
        #expect(
          result.errors.contains("--group members reaches groups/*/members, members."),
          "\(result.errors)"
        )
      }
      let fix = try await tool.run("fix", "members", "--group", "--all-documents", "--set", "a=1", "-n")
      #expect(fix.errors.contains("--group members reaches groups/*/members, members."))
    }
  }

  @Test(
    "A pattern without documents is named as it was given, whatever the collection above it has.",
    arguments: [
      ["copy", "groups/*/members", "--from", "test", "--to", "stage"],
      ["copy", "--subset", "groups/*/members", "--from", "test", "--to", "stage"],
      ["export", "groups/*/members", "--subcollections", "-o", "m.jsonl", "-e", "test"],
      ["count", "groups/*/members", "-e", "test"],
    ]
  )
  func emptyPattern(_ command: [String]) async throws {
    try await withStores { tool in
      try await tool.load([documentLine("groups/g1", 1)], into: "test")
      let warned = try await tool.bare(command).expect(0)
      #expect(warned.errors.contains("warning: groups/*/members has no documents."), "\(warned.errors)")
      try await tool.bare(command + ["--fail-if-empty"])
        .expectFailure(66, "find documents of groups/*/members: there are none")
    }
  }

  @Test(
    "A collection without documents is a warning, and 66 with --fail-if-empty; a filter that selects nothing is not."
  )
  func empty() async throws {
    let commands: [[String]] = [
      ["count", "nobody"], ["export", "nobody", "-o", "nobody.csv"], ["find", "a", "--collection", "nobody"],
      ["fix", "nobody", "--all-documents", "--set", "a=1", "-n"],
      ["delete", "nobody", "--all-documents", "--hard", "-n"],
      ["count", "groups/*/nobody"],
    ]
    try await withGym { tool, _, _ in
      for command in commands {
        let warned = try await tool.bare(command + tool.place).expect(0)
        if command[0] != "find" {
          #expect(warned.errors.contains("has no documents"), "\(command): \(warned.errors)")
        }
        let failed = try await tool.bare(command + ["--fail-if-empty"] + tool.place)
        failed.expectFailure(66, command.contains("groups/*/nobody") ? "groups/*/nobody" : "nobody")
      }
      try await tool.run(
        "export",
        "users",
        "--where",
        "role == nobody",
        "-o",
        "none.csv",
        "--fail-if-empty"
      ).expect(0)
      #expect(tool.exists("none.csv"))
      let check = try await tool.run("check", "daily_routines", "--fail-if-empty")
      check.expectFailure(66, "daily_routines")
      try await tool.run("export", "users", "nobody", "-o", "both/", "--format", "csv", "--fail-if-empty")
        .expect(66)
      #expect(!tool.exists("both"))
    }
    try await withTool(against: MiniFirestore().handler) { tool, _ in
      try await tool.run("export", "--all", "-o", "nights", "--dated", "--fail-if-empty").expect(66)
      #expect(tool.names(in: "nights").allSatisfy { $0.hasPrefix(".") })
    }
  }

  @Test("A backup is whole unless told otherwise, and its manifest says which.")
  func backup() async throws {
    try await withGym { tool, _, mini in
      func scope(_ folder: String) throws -> [String: Any]? {
        let manifest = try JSONSerialization.jsonObject(with: Data(tool.text("\(folder)/manifest.json").utf8))
        return (manifest as? [String: Any])?["scope"] as? [String: Any]
      }
      try await tool.run("export", "--all", "-o", "whole", "--format", "jsonl").expect(0)
      let lines = try tool.names(in: "whole").filter { $0.hasSuffix(".jsonl") }.map {
        try tool.text("whole/\($0)").split(separator: "\n").count
      }
      #expect(lines.reduce(0, +) == mini.snapshot().count)
      #expect(try scope("whole")?["subcollections"] as? Bool == true)
      #expect(try scope("whole")?["collections"] is NSNull)
      try await tool.run("export", "--all", "-o", "flat", "--format", "jsonl", "--no-subcollections").expect(
        0
      )
      #expect(try tool.text("flat/groups.jsonl").split(separator: "\n").count == 5)
      #expect(try scope("flat")?["subcollections"] as? Bool == false)
      let some = ["export", "users", "-o", "some", "--dated", "--where", "role == admin"]
      try await tool.bare(some + tool.place).expect(0)
      let scheduledExport = try #require(tool.names(in: "some").first { $0.hasPrefix("2") })
      #expect(try scope("some/\(scheduledExport)")?["where"] as? [String] == ["role == admin"])
      #expect(try scope("some/\(scheduledExport)")?["collections"] as? [String] == ["users"])
      let table = try await tool.run("export", "groups", "-o", "groups.csv")
      #expect(table.errors.contains("groups/*/members"))
    }
  }

  @Test("An 'or' beside an inequality says whom the service leaves out.")
  func leftOut() async throws {
    try await withGym { tool, _, _ in
      let result = try await tool.run("count", "users", "--where", "visits > 3 or role == admin").expect(0)
      #expect(result.output == "users\t0\n")
      #expect(result.errors.contains("Documents without visits are left out"))
    }
  }
}
