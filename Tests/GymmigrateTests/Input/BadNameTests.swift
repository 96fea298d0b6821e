import Foundation
import TestSupport
import Testing

@Suite("Names that the service does not take are refused before anything is sent", .timeLimit(.minutes(60)))
struct BadNameTests {
  private struct Case: CustomTestStringConvertible {
    var arguments: [String]
    var texts: [String]
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ arguments: [String], _ texts: String...) {
      self.arguments = arguments
      self.texts = texts
    }
  }

  /// Names of collections that cannot be, and what is said of each.
  private static let badCollections: [(name: String, text: String)] = [
    ("__bad__", "'__bad__' is reserved"), ("..", "'..' is not allowed"),
    ("users/u1/__bad__", "'__bad__' is reserved"),
    ("users/__bad__/notes", "'__bad__' is reserved"), (String(repeating: "k", count: 1501), "at most 1500"),
    (Array(repeating: "c/d", count: 100).joined(separator: "/") + "/c", "at most 100"),
  ]

  /// Every command that takes a collection, with the name in its place.
  private static func commands(_ name: String) -> [[String]] {
    [
      ["export", name, "-o", "out.jsonl"], ["export", "users", name, "-o", "out.jsonl"], ["count", name],
      ["find", "ana", "--collection", "users,\(name)"], ["fix", name, "--all-documents", "--set", "a=1"],
      ["delete", name, "--all-documents"], ["import", "users.jsonl", "--collection", name],
    ]
  }

  @Test("A collection, of every command that takes one: 64")
  func collections() async throws {
    let mini = try MiniFirestore.withSamples(["exercises"])
    try await withTool(against: mini.handler) { tool, server in
      try tool.write(Samples.first(1, of: "users"), to: "users.jsonl")
      for (name, text) in Self.badCollections {
        for command in Self.commands(name) {
          try await tool.bare(command + tool.place).expectFailure(64, text)
        }
      }
      try tool.configure(prod: server.url, others: server.url)
      for (name, text) in Self.badCollections.prefix(2) {
        try await tool.bare(["copy", name, "--from", "stage", "--to", "test"]).expectFailure(64, text)
        try await tool.bare(["diff", name, "--from", "stage", "--to", "test"]).expectFailure(64, text)
      }
      #expect(server.requests.isEmpty && tool.runs().isEmpty)
    }
  }

  private static let cases = [
    Case(["export", "users", "-o", "u.csv", "--fields", "a,__bad__"], "--fields", "__bad__", "reserved"),
    Case(["export", "users", "-o", "u.csv", "--fields", "a.__b__.c"], "--fields", "__b__", "reserved"),
    Case(["export", "users", "-o", "u.csv", "--order-by", "__bad__"], "--order-by", "__bad__", "reserved"),
    Case(
      ["export", "users", "-o", "u.csv", "--fields", String(repeating: "f", count: 1501)],
      "--fields",
      "1501"
    ),
    Case(["fix", "users", "--all-documents", "--set", "__bad__=1"], "--set", "__bad__", "reserved"),
    Case(["fix", "users", "--all-documents", "--unset", "a.__bad__"], "--unset", "__bad__", "reserved"),
    Case(["fix", "users", "--all-documents", "--rename", "a=__bad__"], "--rename", "__bad__", "reserved"),
    Case(["delete", "users", "--id", "__bad__"], "--id", "__bad__", "reserved"),
    Case(["delete", "users", "--id", ".."], "--id", "'..'"),
    Case(["count", "users", "--project", ""], "--project", "''", "without slashes"),
    Case(["count", "users", "--project", "a/b"], "--project", "'a/b'", "without slashes"),
    Case(["count", "users", "--database", "my db"], "--database", "'my db'", "without slashes"),
  ]

  @Test("Fields, ids, projects and databases: 64", arguments: cases)
  private func others(_ test: Case) async throws {
    let mini = try MiniFirestore.withSamples(["exercises"])
    try await withTool(against: mini.handler) { tool, server in
      // Later ones win, so that the place is that of the server otherwise.
      let result = try await tool.bare(test.arguments.prefix(1) + tool.place + test.arguments.dropFirst())
      result.expectFailure(64)
      for text in test.texts {
        #expect(result.complaints.first?.contains(text) ?? false, "\(text): \(result.errors)")
      }
      #expect(server.requests.isEmpty && tool.runs().isEmpty)
    }
  }

  @Test("The document's name is a field of masks and orders all the same.")
  func documentName() async throws {
    try await withMini(.withSamples(["exercises"])) { tool, _ in
      try await tool.run("export", "exercises", "-o", "e.csv", "--order-by", "__name__ desc").expect(0)
    }
  }

  @Test("A project that a variable or the configuration names")
  func projects() async throws {
    try await withTool { tool in
      var tool = tool
      tool.environment = ["GOOGLE_CLOUD_PROJECT": "a/b"]
      try await tool.bare(["count", "users"]).expectFailure(64, "GOOGLE_CLOUD_PROJECT", "'a/b'")
      tool.environment = ["GOOGLE_CLOUD_PROJECT": ""]
      try await tool.bare(["count", "users"]).expectFailure(64, "none is named")
      tool.environment = [:]
      try tool.write("environments:\n  test: { project: p, database: a b }\n", to: "gymmigrate.yaml")
      try await tool.bare(["count", "users", "-e", "test"]).expectFailure(78, "line 2", "'a b'")
    }
  }

  // MARK: Files

  /// Of the database, nothing but the server's time may have been looked at for what is in a file.
  private func withUntouched(_ body: (Tool) async throws -> Void) async throws {
    let mini = try MiniFirestore.withSamples(["exercises"])
    try await withTool(against: mini.handler) { tool, server in
      try await body(tool)
      #expect(server.requests.allSatisfy { $0.documentNames == ["_gymmigrate/lock"] })
    }
  }

  @Test("An id in a table is reported by row and column: 65, or a rejected row.")
  func tableIDs() async throws {
    try await withUntouched { tool in
      try tool.write("__name__,n:integer\ngood,1\n__bad__,2\n", to: "things.csv")
      try await tool.run("import", "things.csv").expectFailure(
        65,
        "things.csv",
        "row 3",
        "column 1",
        "'__bad__'"
      )
      try tool.write("code,n:integer\ngood,1\n..,2\n", to: "things.csv")
      try await tool.run("import", "things.csv", "--id-column", "code")
        .expectFailure(65, "row 3", "column 1 (code)", "'..'")
    }
    try await withMini { tool, mini in
      try tool.write("__name__,n:integer\ngood,1\n__bad__,2\n", to: "things.csv")
      try await tool.run("import", "things.csv", "--parse-errors", "skip-row").expect(2)
      #expect(mini.snapshot().map(\.name) == ["things/good"])
      #expect(try tool.text(#require(tool.runs().last) + "/rejects.csv").contains("__bad__,2,"))
    }
  }

  @Test("A table whose own name means no collection that can be: 65")
  func tableNames() async throws {
    try await withUntouched { tool in
      try tool.write("__name__,n:integer\ngood,1\n", to: "__bad__.csv")
      try await tool.run("import", "__bad__.csv").expectFailure(65, "__bad__.csv", "reserved", "--collection")
    }
  }

  @Test("A plan file and a migration's file: 65, with the line")
  func plansAndMigrations() async throws {
    try await withUntouched { tool in
      let change =
        #""before":{},"database":"projects/test-project/databases/(default)","migration":"x","reasons":[],"serverTimes":[],"updateTime":"2026-01-01T00:00:00Z""#
      for path in ["users/__bad__", "users/u1/__bad__/n1", "users/.."] {
        try tool.write(
          #"{"after":{"a":{"nullValue":null}},\#(change),"path":"\#(path)"}"# + "\n",
          to: "plan.jsonl"
        )
        try await tool.run("migrate", "apply", "--plan", "plan.jsonl").expectFailure(
          65,
          "plan.jsonl",
          "line 1",
          "id '"
        )
      }
      try tool.write("id: x\nsummary: X.\ncollection: __bad__\nsteps:\n  - trim: a\n", to: "x.yaml")
      try await tool.run("migrate", "plan", "x.yaml").expectFailure(65, "x.yaml", "line 3", "'__bad__'")
      try tool.write("id: x\nsummary: X.\ncollection: users\nsteps:\n  - trim: __bad__\n", to: "x.yaml")
      try await tool.run("migrate", "plan", "x.yaml").expectFailure(65, "x.yaml", "line 5", "__bad__")
    }
  }

  @Test("A document of JSON Lines with such a name is rejected, and is not sent.")
  func jsonLines() async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, server in
      try tool.write(
        documentLine("users/__bad__", 1) + "\n" + documentLine("users/good", 2) + "\n",
        to: "in.jsonl"
      )
      try await tool.run("import", "in.jsonl", "--mode", "upsert").expect(2)
      #expect(mini.snapshot().map(\.name) == ["users/good"])
      #expect(server.requests.allSatisfy { !String(decoding: $0.body, as: UTF8.self).contains("__bad__") })
      #expect(try tool.text(#require(tool.runs().last) + "/rejects.jsonl").contains("users/__bad__"))
    }
  }

  // MARK: What the server alone refuses

  @Test(
    "What a server refuses or cannot do is not reported as a defect of gymmigrate.",
    arguments: [
      (
        ServiceError.invalidArgument("Too many disjunctions."), 64,
        "check its names, filters, order and times"
      ),
      (ServiceError(400, "OUT_OF_RANGE", "A time is out of range."), 64, "check its names, filters"),
      (ServiceError.unimplemented("Not here."), 78, "check the endpoint"),
    ] as [(ServiceError, Int32, String)]
  )
  func refused(_ error: ServiceError, _ code: Int32, _ text: String) async throws {
    let mini = try MiniFirestore.withSamples(["exercises"])
    let faults = mini.faults(FaultRule([], .always, .error(error)), maximumConsecutive: .max)
    try await withTool(against: faults.handler) { tool, _ in
      for command in [["count", "exercises"], ["check"], ["migrate", "status"], ["find", "ana"]] {
        try await tool.bare(command + tool.place).expectFailure(code, error.status, error.message, text)
      }
    }
  }
}
