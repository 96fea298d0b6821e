import Foundation
import TestSupport
import Testing

/// `check` of some collections by some rules: either holds what is named against the other, or refuses it.
@Suite("Rules and the collections that they are about", .timeLimit(.minutes(60))) struct CheckScopeTests {
  private static let schema = """
    schema: s
    collections:
      a: { fields: { n: integer, b: { type: string, reference: b } } }
      b: { fields: { n: any } }

    """

  @Test(
    "A rule that is about none of the named collections is refused, and so is a collection that no rule is about.",
    arguments: [
      (["users", "--rule", "group-member-count"], "'group-member-count' is about groups;"),
      // The members that it reads the users for are what it is about.
      (["users", "--rule", "group-member-dangling"], "'group-member-dangling' is about groups/*/members;"),
      (["users", "--rule", "id-missing", "--rule", "setup-missing"], "'setup-missing' is about app_config;"),
      (["groups", "users", "--rule", "group-too-large"], "'users'; they are about groups."),
      (
        ["users", "--rule", "group-member-count", "--fail-if-empty"], "'group-member-count' is about groups;"
      ),
      (
        ["users", "--rule", "group-member-count", "--from", "in.jsonl"],
        "'group-member-count' is about groups;"
      ),
      (["members", "--rule", "payment-snapshot-missing", "--per-document"], "is about payments;"),
      (["b", "--schema", "s.yaml"], "no rule is about 'b'; there are rules about a."),
      (["b", "--schema", "s.yaml", "--per-document"], "no rule is about 'b'; there are rules about a."),
      (["a", "--schema", "s.yaml", "--rule", "hidden"], "'hidden' is about no collection of the schema."),
    ]
  )
  func refused(_ arguments: [String], _ said: String) async throws {
    try await withTool { tool in
      try tool.write(Self.schema, to: "s.yaml")
      try tool.write(#"{"name":"users/u1","fields":{"id":{"stringValue":"u1"}}}"# + "\n", to: "in.jsonl")
      let source = arguments.contains("--from") ? [] : ["-e", "local"]
      let schema = arguments.contains("--schema") ? [] : ["--schema", "gym"]
      let result = try await tool.bare(["check"] + arguments + source + schema)
      result.expect(64)
      #expect(result.errors.contains(said), "\(result.errors)")
      #expect(!result.errors.contains("has no documents") && result.output.isEmpty, "\(result.errors)")
    }
  }

  @Test(
    "Of the collections of a pattern, only those that the rules are about are said to be empty, or must not be."
  )
  func pattern() async throws {
    try await withTool { tool in
      try tool.write(
        #"{"name":"classBookings/b1","fields":{"estado":{"stringValue":"activa"}}}"# + "\n"
          + #"{"name":"classAttendance/a1","fields":{}}"# + "\n",
        to: "in.jsonl"
      )
      try await tool.run("import", "in.jsonl", "--validate", "off", "-q").expect(0)
      let check = ["check", "class*", "--rule", "booking-duplicate"]
      let result = try await tool.bare(check + ["--fail-if-empty", "--json"] + tool.place).expect(0)
      #expect(!result.errors.contains("no documents"), "\(result.errors)")
      #expect(
        result.output.contains(#""name":"classBookings""#) && !result.output.contains("classAttendance")
      )
      // What is really empty is still reported.
      let empty = try await tool.run("check", "groups", "--rule", "group-too-large").expect(0)
      #expect(empty.errors.contains("groups has no documents"), "\(empty.errors)")
    }
  }
}
