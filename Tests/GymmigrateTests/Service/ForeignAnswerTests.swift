import Foundation
import TestSupport
import Testing

@Suite(
  "An answer that holds what was not asked for is refused, and nothing of it is used",
  .timeLimit(.minutes(60))
)
struct ForeignAnswerTests {
  private static let documents = "projects/test-project/databases/(default)/documents"

  /// Names that no page of `users` holds.
  private static let names = [
    "members/a", "\(documents)/members/a", "\(documents)/users/u1/notes/n",
    "\(documents)/other/../../x",
    "\(documents)/users/..", "\(documents)/users/.", "users/u2", "\(documents)/users", "",
    "projects/test-project/databases/other/documents/users/u1",
    "projects/another/databases/(default)/documents/users/u1",
  ]

  /// A server whose answers of a kind name another document than users/u1.
  private func answering(
    _ kinds: Set<RequestKind>,
    _ replace: @escaping @Sendable (String) -> String,
    _ body: (Tool, MiniFirestore) async throws -> Void
  ) async throws {
    var options = MiniFirestore.Options()
    // What is replaced is spelt in one way.
    options.isAwkward = false
    let mini = MiniFirestore(options)
    try mini.put("users/u1", fields: #"{"isActive":{"booleanValue":true}}"#)
    let handler: RequestHandler = { request in
      let reaction = mini.handler(request)
      guard kinds.contains(request.kind), case .response(var response) = reaction else { return reaction }
      response.body = Array(replace(String(decoding: response.body, as: UTF8.self)).utf8)
      response.headers = response.headers.filter { $0.name.lowercased() == "content-type" }
      return .response(response)
    }
    try await withTool(against: handler) { tool, _ in try await body(tool, mini) }
  }

  private func naming(_ name: String) -> @Sendable (String) -> String {
    let own = "\"\(Self.documents)/users/u1\""
    return {
      $0.replacing("\"name\":\(own)", with: "\"name\":\"\(name)\"").replacing(
        "\"name\": \(own)",
        with: "\"name\": \"\(name)\""
      )
    }
  }

  private static let commands = [
    ["export", "users", "-o", "out.jsonl"],
    ["migrate", "apply", "is-active"],
    ["delete", "users", "--all-documents", "--hard", "--max-delete", "9"],
    ["export", "users", "--where", "isActive == true", "-o", "out.jsonl"],
    ["export", "users", "--parallel", "2", "-o", "out.jsonl"],
    ["fix", "users", "--where", "isActive == true", "--set", "n=1"],
  ]

  @Test("A page of a list and of a query", arguments: names)
  func pages(_ name: String) async throws {
    for command in Self.commands {
      try await answering([.list, .runQuery], naming(name)) { tool, mini in
        let before = mini.lines()
        let result = try await tool.bare(command + tool.place + ["--retry-for", "2"])
        result.expectFailure(69, "cannot read the page of users", "the response has")
        #expect(mini.lines() == before && !tool.exists("out.jsonl"), "\(command)")
      }
    }
  }

  @Test(
    "A page that has a member twice",
    arguments: [
      (#""fields":"#, "{}"), (#""name":"#, #""\#(documents)/users/u1""#),
      (#""isActive":"#, #"{"nullValue":null}"#),
      (#""documents":"#, "[]"), (#""document":"#, "{}"),
    ]
  )
  func repeated(_ member: String, _ other: String) async throws {
    for command in Self.commands {
      let isQuery = command.contains("--where") || command.contains("--parallel")
      if member == #""documents":"#, isQuery { continue }
      if member == #""document":"#, !isQuery { continue }
      let twice: @Sendable (String) -> String = { $0.replacing(member, with: "\(member)\(other),\(member)") }
      try await answering([.list, .runQuery], twice) { tool, mini in
        let before = mini.lines()
        let result = try await tool.bare(command + tool.place + ["--retry-for", "2"])
        result.expectFailure(69, "twice")
        #expect(mini.lines() == before && !tool.exists("out.jsonl"), "\(command)")
      }
    }
  }

  @Test("Documents that are looked up by name", arguments: names)
  func lookedUp(_ name: String) async throws {
    try await answering([.batchGet], naming(name)) { tool, mini in
      try tool.write(documentLine("users/u1", 2) + "\n", to: "in.jsonl")
      let before = mini.lines()
      let result = try await tool.run("import", "in.jsonl", "--mode", "upsert", "--retry-for", "2")
      result.expectFailure(69, "the response has")
      #expect(mini.lines() == before)
    }
  }

  @Test("The ids of collections", arguments: ["\"..\"", "\"a/b\"", "\"a/b/c\"", "\"\"", "7", "{}"])
  func collections(_ id: String) async throws {
    try await answering([.listCollectionIds], { $0.replacing("\"users\"", with: id) }) { tool, mini in
      let before = mini.lines()
      let result = try await tool.run(
        "export",
        "--all",
        "-o",
        "out/",
        "--format",
        "jsonl",
        "--retry-for",
        "2"
      )
      result.expectFailure(69, "collection")
      #expect(mini.lines() == before && !tool.exists("out"))
    }
  }

  @Test("An object without a list, which a gateway sends with status 200, is no empty list")
  func noAnswer() async throws {
    let foreign = #"{"message":"login required"}"#
    let second: @Sendable (String) -> String = { $0.contains("/users/u2") ? foreign : $0 }
    try await answering([.list], second) { tool, mini in
      try mini.put("users/u2", fields: "{}")
      let result = try await tool.run(
        "export",
        "users",
        "-o",
        "out.jsonl",
        "--page-size",
        "1",
        "--retry-for",
        "1"
      )
      result.expectFailure(69, "cannot read the page of users", "the response has")
      #expect(!tool.exists("out.jsonl"))
    }
    try await answering([.listCollectionIds], { _ in foreign }) { tool, _ in
      let result = try await tool.run(
        "export",
        "--all",
        "-o",
        "out/",
        "--format",
        "jsonl",
        "--retry-for",
        "1"
      )
      result.expectFailure(69, "the response has")
      #expect(!tool.exists("out"))
    }
  }

  @Test("A list of documents that is no list")
  func noList() async throws {
    try await answering([.list], { _ in #"{"documents":{"a":1}}"# }) { tool, _ in
      let result = try await tool.run("export", "users", "-o", "out.jsonl", "--retry-for", "1")
      result.expectFailure(69, "not a list")
    }
  }
}
