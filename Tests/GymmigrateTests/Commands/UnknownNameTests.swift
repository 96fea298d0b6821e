import TestSupport
import Testing

@Suite("Names that the schema does not know", .timeLimit(.minutes(10)))
struct UnknownNameTests {
  @Test(
    "A near collection and a field that is not declared are named, and nothing else is.",
    arguments: [
      ("count usrs", "The schema declares no collection 'usrs'. Did you mean 'users'?"),
      ("count something", nil), ("count users", nil),
      (
        "export users -o u.csv --where emial==x",
        "The schema declares no field 'emial' in users. Did you mean 'email'?"
      ),
      (
        "export users -o u.csv --fields fulName,email",
        "The schema declares no field 'fulName' in users. Did you mean 'fullName'?"
      ),
      ("export users -o u.csv --order-by zzzzzz", "The schema declares no field 'zzzzzz' in users."),
      ("fix users --where emial==x --set note=1 -n", "The schema declares no field 'emial' in users."),
      ("export users -o u.csv --where email==x --fields email", nil),
      ("export users members -o out/ --format csv --where email==x", nil),
      ("count things --where emial==x --schema none", nil),
    ] as [(String, String?)]
  )
  func named(command: String, warning: String?) async throws {
    let mini = try MiniFirestore.withSamples(["users"])
    try await withTool(against: mini.handler) { tool, _ in
      let place = command.contains("--schema") ? tool.place.dropFirst(2) : tool.place[...]
      let result = try await tool.bare(command.split(separator: " ").map(String.init) + place)
      result.expect(0)
      let warnings = result.errorLines.filter { $0.contains("The schema declares no") }
      #expect(warnings.count == (warning == nil ? 0 : 1), "\(result.errors)")
      if let warning { #expect(warnings.first?.contains(warning) == true, "\(result.errors)") }
    }
  }

  @Test("Of an empty collection, one that the database has under almost that name is named.")
  func nearInTheDatabase() async throws {
    let mini = try MiniFirestore.withSamples(["users"])
    try await withTool(against: mini.handler) { tool, _ in
      let place = tool.place.dropFirst(2)
      let near = try await tool.bare(["count", "usrs", "--schema", "none"] + place)
      near.expect(0)
      #expect(near.errors.contains("usrs has no documents. Did you mean 'users'?"), "\(near.errors)")
      let far = try await tool.bare(["count", "payments", "--schema", "none"] + place)
      #expect(far.errors.contains("payments has no documents."), "\(far.errors)")
      #expect(!far.errors.contains("Did you mean"))
    }
  }
}
