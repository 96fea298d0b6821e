import Foundation
import TestSupport
import Testing

@Suite("An export stands where commands read a database", .timeLimit(.minutes(60)))
struct SnapshotCommandTests {
  private static func resource(_ name: String) -> String {
    Samples.repository.appendingPathComponent("Tests/Resources/managed-exports/\(name)").path
  }

  /// The fields of the documents of JSON Lines, by the bytes of their paths.
  private func documents(_ text: String) throws -> [[UInt8]: NSDictionary] {
    try text.split(separator: "\n").reduce(into: [:]) { documents, line in
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
      let name = try #require(json?["name"] as? String)
      documents[Array(name.utf8)] = json?["fields"] as? NSDictionary ?? [:]
    }
  }

  /// Without an environment, and where nobody would sign.
  private func offline(_ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      var tool = tool
      tool.place = []
      tool.environment["GOOGLE_APPLICATION_CREDENTIALS"] = tool.path("none.json")
      try await body(tool)
    }
  }

  @Test(
    "Google's folders give what Google's emulator gave before, as files of every kind.",
    arguments: ["every-value", "small", "named-database"]
  )
  func everyDocument(_ name: String) async throws {
    try await offline { tool in
      let source = Self.resource(name)
      let expected = try documents(String(contentsOfFile: "\(source).jsonl", encoding: .utf8))
      try await tool.run("export", "--all", "--from", source, "-o", "all.jsonl").expect(0)
      #expect(try documents(tool.text("all.jsonl")) == expected)
      // What was exported stands there in its turn.
      for (place, format) in [("ours", "jsonl"), ("google", "managed")] {
        try await tool.run("export", "--all", "--from", "all.jsonl", "-o", "\(place)/", "--format", format)
          .expect(0)
        let paths = expected.keys.sorted { $0.lexicographicallyPrecedes($1) }.prefix(20)
        let printed = try await tool.bare(
          ["get"] + paths.map { String(decoding: $0, as: UTF8.self) } + ["--from", place]
        ).expect(0)
        #expect(try documents(printed.output) == expected.filter { paths.contains($0.key) })
      }
      try await tool.run("export", "--all", "--from", source, "-o", "all.sqlite").expect(0)
      try await tool.run("diff", "--all", "--from", "mirror:all.sqlite", "--to", source).expect(0)
      let slash = UInt8(ascii: "/")
      let counts = try await tool.run("count", "--all", "--from", source, "-q").output
      let roots = Dictionary(grouping: expected.keys, by: { Array($0.prefix { $0 != slash }) })
      let lines = roots.keys.sorted { $0.lexicographicallyPrecedes($1) }.map { root in
        let documents = roots[root, default: []].count { $0.count { $0 == slash } == 1 }
        return "\(String(decoding: root, as: UTF8.self))\t\(documents)\n"
      }
      #expect(counts == lines.joined())
    }
  }

  @Test("A search and a check find what they find in the database, and it is said what the files are.")
  func sameFindings() async throws {
    try await withTool { tool in
      let samples = Samples.repository.appendingPathComponent("samples/gym")
      for name in ["users", "user_emails", "members"] {
        try await tool.run("import", samples.appendingPathComponent("\(name).jsonl").path, "-y").expect(0)
      }
      try await tool.run("export", "--all", "-o", "backup", "--format", "jsonl", "--gzip").expect(0)
      for command in [
        ["find", "ana", "--json", "-q"], ["check", "--rule", "wrong-type", "--rule", "foreign-key-dangling"],
        ["check", "users", "--per-document", "-q"], ["count", "users", "--where", "role == admin"],
      ] {
        let there = try await tool.bare(command + tool.place)
        let here = try await tool.bare(command + ["--from", "backup"])
        #expect(here.output == there.output && here.exitCode == there.exitCode, "\(command)")
        #expect(!here.output.isEmpty)
        #expect(command.last == "-q" || here.errors.contains(" documents of backup at 20"))
      }
    }
  }

  @Test("A whole export and its increments are the last state.")
  func increments() async throws {
    let mini = MiniFirestore.environment("prod")
    let old = #","updatedAt":{"timestampValue":"2020-01-01T00:00:00Z"}"#
    try mini.load(jsonLines: ["users/a", "users/b"].map { documentLine($0, 1, old) }.joined(separator: "\n"))
    try await withTwoServers(mini.handler, MiniFirestore.environment("test").handler) { tool in
      let export = ["export", "--all", "-e", "prod", "-o", "n", "--dated", "-q"]
      try await tool.bare(export).expect(0)
      mini.remove("users/a")
      try mini.put("users/c", fields: #"{"updatedAt":{"timestampValue":"2125-01-01T00:00:00Z"}}"#)
      try await tool.bare(export + ["--since", "last"]).expect(0)
      let folders = tool.exports("n").map { "n/\($0)" }
      let places = folders.flatMap { ["--from", $0] }
      let all = ["export", "--all", "-o", "-", "--format", "jsonl", "-q"]
      let last = try await tool.bare(all + places).expect(0)
      #expect(try Set(documents(last.output).keys) == [Array("users/b".utf8), Array("users/c".utf8)])
      try await tool.bare(["get", "users/a"] + places).expect(66)
      try await tool.bare(["get", "users/a", "--from", folders[0]]).expect(0)
      try await tool.bare(["get", "users/a"] + folders.reversed().flatMap { ["--from", $0] }).expect(64)
    }
  }

  @Test("An export of an export, or of a mirror, claims no more than that one holds.")
  func claims() async throws {
    let mini = MiniFirestore.environment("prod")
    try mini.load(
      jsonLines: ["users/a", "users/a/notes/x", "logs/b"].map { documentLine($0, 1) }.joined(separator: "\n")
    )
    try await withTwoServers(mini.handler, MiniFirestore.environment("test").handler) { tool in
      func export(_ arguments: String..., to folder: String) async throws {
        try await tool.bare(["export"] + arguments + ["-o", "\(folder)/", "--format", "jsonl"]).expect(0)
      }
      try await export("--all", "-e", "prod", to: "full")
      try await export("--all", "-e", "prod", "--no-subcollections", to: "shallow")
      try await export("users", "-e", "prod", to: "named")
      try await tool.bare(["mirror", "pull", "-e", "prod", "-o", "m.sqlite"]).expect(0)
      for (option, source) in [
        ("--from", "full"), ("--from", "shallow"), ("--from", "named"), ("--from", "full/users.jsonl"),
        ("-e", "mirror:m.sqlite"),
      ] {
        let copy = source.replacing("/", with: "-").replacing(":", with: "-") + "-copy"
        try await export("--all", option, source, to: copy)
        // What lies below the documents was asked for in neither of the two.
        let isWhole = source == "full" || source == "shallow"
        #expect(try tool.text("\(copy)/manifest.json").contains(#""partial":true"#) != isWhole, "\(source)")
        let restore = try await tool.bare(["restore", "--all", "-e", "prod", "-n", "--from", copy])
        restore.expect(isWhole ? 0 : 77)
      }
    }
  }

  @Test("What an export of some fields does not have is not taken away by what was made of it, in any way.")
  func someFields() async throws {
    let mini = MiniFirestore.environment("prod")
    try mini.load(jsonLines: documentLine("users/a", 1, #","m":{"integerValue":"2"}"#))
    try await withTwoServers(mini.handler, MiniFirestore.environment("test").handler) { tool in
      func export(_ source: [String], to output: String, _ format: String = "jsonl") async throws -> RunResult
      {
        try await tool.bare(["export", "--all", "-o", output, "--format", format] + source)
      }
      let unnamed = ["--from", "one.jsonl", "--project", "p", "--database", "prod"]
      for (source, output, format) in [
        (["-e", "prod", "--fields", "n"], "part/", "jsonl"), (["--from", "part"], "copy/", "jsonl"),
        (["--from", "copy"], "again/", "jsonl"), (["--from", "part/users.jsonl"], "lone/", "jsonl"),
        // A single file does not say what it lacks, and nothing that is made of it may claim to know.
        (["--from", "part"], "one.jsonl", "jsonl"), (unnamed, "unnamed/", "jsonl"),
        (unnamed, "google/", "managed"), (["--from", "google"], "ungoogled/", "jsonl"),
        (unnamed, "one.sqlite", "sqlite"), (["-e", "mirror:one.sqlite"], "mirrored/", "jsonl"),
      ] { try await export(source, to: output, format).expect(0) }
      let before = mini.lines()["users/a"]
      for place in [
        "copy", "again", "lone", "one.jsonl", "unnamed", "google", "google/google.overall_export_metadata",
        "ungoogled", "mirror:one.sqlite", "mirrored",
      ] {
        let words = ["--scope", "partial", "--source", "projects/p/databases/prod", "--confirm", "prod"]
        try await tool.bare(["restore", "--all", "-e", "prod", "--from", place] + words).expect(0)
        #expect(mini.lines()["users/a"] == before, "\(place)")
      }
      for source in ["part", "copy", "part/users.jsonl"] {
        for (format, rule) in [
          ("managed", "has whole documents"), ("sqlite", "holds whole root collections"),
        ] {
          try await export(["--from", source], to: "none.\(format)", format).expectFailure(64, rule)
          #expect(!tool.exists("none.\(format)"))
        }
      }
      try await tool.bare(["import", "copy", "-e", "test", "--mode", "upsert"]).expectFailure(77, "fields n")
      let compared = try await tool.bare(["diff", "--all", "--from", "copy", "--to", "prod"])
      #expect(compared.exitCode == 1 && compared.errors.contains("copy is an export of a part"))
    }
  }

  @Test("A SQLite file is not made of an export of less than collections with everything below them.")
  func lessThanSQLite() async throws {
    let mini = MiniFirestore.environment("prod")
    try mini.load(
      jsonLines: ["users/a", "users/a/notes/x"].map { documentLine($0, 1) }.joined(separator: "\n")
    )
    try await withTwoServers(mini.handler, MiniFirestore.environment("test").handler) { tool in
      for (index, options) in [
        ["--no-subcollections"], ["--where", "n == 1"], ["--limit", "5", "--subcollections"],
        ["--order-by", "n"],
      ].enumerated() {
        let folder = "part\(index)"
        let export = ["export", "users", "-e", "prod", "-o", "\(folder)/", "--format", "jsonl"]
        try await tool.bare(export + options).expect(0)
        try await tool.bare(["export", "users", "--from", folder, "-o", "\(folder).sqlite"])
          .expectFailure(64, "holds whole root collections")
        #expect(!tool.exists("\(folder).sqlite"))
      }
      let deep = ["export", "users", "--subcollections", "-e", "prod", "-o", "deep/", "--format", "jsonl"]
      try await tool.bare(deep).expect(0)
      try await tool.bare(["export", "users", "--from", "deep", "-o", "deep.sqlite"]).expect(0)
    }
  }

  @Test("A SQLite file of a part of a database deletes nothing of the rest.")
  func partsInSQLite() async throws {
    let mini = MiniFirestore.environment("prod")
    let names = ["users/a", "users/b", "members/c"]
    try mini.load(jsonLines: names.map { documentLine($0, 1) }.joined(separator: "\n"))
    try await withTwoServers(mini.handler, MiniFirestore.environment("test").handler) { tool in
      try await tool.bare(["export", "users", "-e", "prod", "-o", "p.sqlite"]).expect(0)
      let restore = ["restore", "--all", "-e", "prod", "-n", "--from", "mirror:p.sqlite"]
      let owner = ["--source", "projects/p/databases/prod"]
      let planned = try await tool.bare(restore + owner).expect(0)
      #expect(planned.output.firstMatch(of: /[1-9][0-9,]* to delete/) == nil)
      let copy = [
        "copy", "users", "--from", "mirror:p.sqlite", "--to", "test", "--keep-personal-data", "--yes",
      ]
      try await tool.bare(copy + ["--delete-extraneous", "--max-delete", "9"])
        .expectFailure(77, "made of a part of its database")
    }
  }

  @Test("What is about databases, damaged or not there is refused with a sentence.")
  func refusals() async throws {
    try await offline { tool in
      let good = #"{"name":"a/1","fields":{}}"#
      try tool.write("\(good)\n", to: "a.jsonl")
      try tool.write("\(good)\n{\"name\":\"a\"}\nno\n", to: "bad.jsonl")
      try tool.write("\(good)\n{\"name\":\"a/0\"}\n\(good)\n", to: "twice.jsonl")
      for (code, text, command) in [
        (66, "there is no such file or folder", ["count", "a", "--from", "prod"]),
        (65, "bad.jsonl:2: ", ["get", "a/1", "--from", "bad.jsonl"]),
        (65, "and 1 other like it", ["check", "--schema", "gym", "--from", "bad.jsonl"]),
        (65, "has the same document as", ["count", "a", "--from", "twice.jsonl"]),
        (64, "give --from, or an environment", ["get", "a/1", "--from", "a.jsonl", "-e", "local"]),
        (64, "an endpoint", ["get", "a/1", "--from", "a.jsonl", "--endpoint", "http://127.0.0.1:1"]),
        (64, "standard input", ["find", "x", "--collection", "a", "--from", "-"]),
        (64, "of one moment", ["count", "a", "--from", "a.jsonl", "--read-time", "2026-01-31T12:00:00Z"]),
        (64, "not with --from", ["export", "--all", "--from", "a.jsonl", "-o", "n", "--dated"]),
        (64, "is what --from reads", ["export", "a", "--from", "a.jsonl", "-o", "./a.jsonl"]),
        (
          64, "it is a file of this machine",
          ["shard", "plan", "--shards", "2", "--to", "s", "--", "export", "a", "--format", "jsonl"]
            + ["--from", "a.jsonl"]
        ),
      ] {
        let result = try await tool.bare(command)
        result.expect(Int32(code))
        #expect(result.errors.contains(text), "\(command): \(result.errors)")
      }
      #expect(try tool.text("a.jsonl") == "\(good)\n")
      try await tool.bare(["get", "a/1", "--from", "a.jsonl", "--read-time", "now"]).expect(0)
    }
  }
}
