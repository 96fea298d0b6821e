import Foundation
import TestSupport
import Testing

/// Everything that is reported can be worked through: each finding, notes among them, is a line with its document.
@Suite("Lists of findings", .timeLimit(.minutes(60)))
struct FindingListsTests {
  /// Users with one thing each that is worth knowing, by domain.md; the code of what is reported beside them.
  private static let users: [(id: String, fields: String, findings: [String])] = [
    ("fine", user(#""fullName":{"stringValue":"Ana López"},"role":{"stringValue":"member"}"#), []),
    ("no-role", user(#""fullName":{"stringValue":"Ana López"}"#), ["users-unify role-missing role"]),
    (
      "owner", user(#""fullName":{"stringValue":"Ana López"},"role":{"stringValue":"owner"}"#),
      ["users-unify role-deprecated role"]
    ),
    (
      "rey", user(#""fullName":{"stringValue":"Ana López"},"role":{"stringValue":"rey"}"#),
      ["users-unify role-unknown role"]
    ),
    ("nobody", user(#""role":{"stringValue":"member"}"#), ["users-unify name-missing fullName"]),
    (
      "one", user(#""fullName":{"stringValue":"Ana"},"role":{"stringValue":"member"}"#),
      ["users-unify name-one-word fullName"]
    ),
    (
      "si",
      user(
        #""fullName":{"stringValue":"Ana López"},"role":{"stringValue":"member"},"activo":{"stringValue":"=si"}"#
      ),
      ["users-unify wrong-type activo"]
    ),
    (
      "no-email", #"{"fullName":{"stringValue":"Ana López"},"role":{"stringValue":"member"}}"#,
      ["user-emails email-missing email"]
    ),
    (
      "blank",
      #"{"fullName":{"stringValue":"Ana López"},"role":{"stringValue":"member"},"email":{"stringValue":"  "}}"#,
      ["user-emails email-empty email"]
    ),
    (
      "no-at",
      #"{"fullName":{"stringValue":"Ana López"},"role":{"stringValue":"member"},"email":{"stringValue":"ana"}}"#,
      ["user-emails email-no-at email"]
    ),
  ]

  private static func user(_ fields: String) -> String {
    #"{"email":{"stringValue":"ana@example.com"},\#(fields)}"#
  }

  private func withUsers(_ body: (Tool) async throws -> Void) async throws {
    let mini = MiniFirestore()
    for user in Self.users { try mini.put("users/\(user.id)", fields: user.fields) }
    try mini.put(
      "user_emails/gone@example.com",
      fields: #"{"email":{"stringValue":"gone@example.com"},"primaryUserId":{"stringValue":"gone"}}"#
    )
    try await withTool(against: mini.handler) { tool, _ in try await body(tool) }
  }

  private static var expected: [String] {
    let users = users.flatMap { user in user.findings.map { "users/\(user.id) \($0)" } }
    return (users + ["user_emails/gone@example.com user-emails entry-orphan-user-gone primaryUserId"])
      .sorted()
  }

  /// The rows of a run's findings.csv, read by Python, as `document migration code field`, and their values by document.
  private func findings(
    _ tool: Tool,
    _ run: String
  ) async throws -> (lines: [String], values: [String: String]) {
    let output = try await Judge.script(
      """
      import csv, json, sys
      rows = list(csv.reader(open(sys.argv[1], encoding="utf-8-sig", newline=""), strict=True))
      assert rows[0] == ["document", "migration", "code", "field", "value", "message"], rows[0]
      objects = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
      assert len(objects) == len(rows) - 1
      for row, found in zip(rows[1:], objects):
          assert row[:4] == [found["document"], found["migration"], found["code"], found.get("field", "")]
          assert row[5] == found["message"] and row[5]
          print(json.dumps(row))
      """,
      tool.path("\(run)/findings.csv"),
      tool.path("\(run)/findings.jsonl")
    )
    var lines: [String] = []
    var values: [String: String] = [:]
    for line in output.split(separator: "\n") {
      let row = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String])
      lines.append(row[..<4].joined(separator: " "))
      values[row[0]] = row[4]
    }
    return (lines.sorted(), values)
  }

  @Test("A plan lists every finding with its document, and counts as many.")
  func plan() async throws {
    try await withUsers { tool in
      let result = try await tool.run("migrate", "plan", "users-unify", "user-emails", "--html", "plan.html")
      result.expect(0)
      let run = try #require(tool.runs().last)
      let (lines, values) = try await findings(tool, run)
      #expect(lines == Self.expected)
      #expect(values["users/rey"] == "rey")
      // What a spreadsheet would take for a formula is guarded.
      #expect(values["users/si"] == "'=si")
      #expect(values["users/no-role"] == "")
      #expect(result.errors.contains("findings.csv"))
      let page = try tool.text("plan.html")
      let section = try #require(page.components(separatedBy: "id=\"findings\"").last)
      for line in Self.expected {
        let parts = line.split(separator: " ")
        #expect(section.contains(String(parts[0])) && section.contains(String(parts[2])), "\(line)")
      }
      for (code, count) in Dictionary(grouping: Self.expected.map { $0.split(separator: " ")[2] }, by: { $0 })
      {
        let counted = result.output.split(separator: "\n").contains { line in
          line.contains(code) && line.split(whereSeparator: { !$0.isNumber }).contains("\(count.count)")
        }
        #expect(counted, "\(code)")
      }
    }
  }

  @Test("An apply lists the same, and a second one what is left.")
  func apply() async throws {
    try await withUsers { tool in
      try await tool.run("migrate", "apply", "users-unify", "user-emails").expect(2)
      #expect(try await findings(tool, #require(tool.runs().last)).lines == Self.expected)
      try await tool.run("migrate", "apply", "users-unify", "user-emails").expect(2)
      #expect(try await findings(tool, #require(tool.runs().last)).lines == Self.expected)
    }
  }

  @Test("A fix lists what it leaves alone.")
  func fix() async throws {
    try await withUsers { tool in
      let fix = ["fix", "users", "--where", "activo is-not-null", "--convert", "activo=boolean"]
      try await tool.bare(fix + tool.place).expect(2)
      let lines = try await findings(tool, #require(tool.runs().last)).lines
      #expect(lines == ["users/si fix not-convertible activo"])
    }
  }
}
