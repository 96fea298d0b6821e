import Foundation
import TestSupport
import Testing

@Suite("The names of migrations and of their collections", .timeLimit(.minutes(60)))
struct MigrationNamesTests {
  private func text(_ id: String, _ lines: String) -> String {
    "id: \(id)\nsummary: Sets a.\n\(lines)\nsteps:\n  - set: {a: 1}\n"
  }

  @Test("A migration that is named twice is refused, by whatever names.")
  func twice() async throws {
    try await withStores { tool in
      try tool.write(text("one", "collection: things"), to: "migrations/1-one.yaml")
      try tool.write(text("two", "collection: things"), to: "migrations/2-two.yaml")
      try await tool.load([documentLine("things/t1", 1)], into: "test")
      let before = try await tool.dump("test")
      for command in ["plan", "apply", "verify"] {
        for names in [["one", "two", "one"], ["1-one", "one"]] {
          try await tool.bare(["migrate", command] + names + ["-e", "test"]).expectFailure(
            64,
            "it is named twice"
          )
        }
      }
      #expect(try await tool.dump("test") == before)
    }
  }

  @Test(
    "A migration whose collection has no documents says so, once, and ends with 0.",
    arguments: [
      ("collection: thingz", "m read 0 documents: thingz has none."),
      ("collection-group: thingz", "m read 0 documents: no collection called thingz has any."),
      (
        "collection: things\nwhere: ['n == 1', 'n == 2']",
        "m read 0 documents: its filter selects none of things."
      ),
      ("collection: things", ""),
    ]
  )
  func empty(_ lines: String, _ said: String) async throws {
    try await withStores { tool in
      try tool.write(text("m", lines), to: "migrations/1-m.yaml")
      try await tool.load([documentLine("things/t1", 1)], into: "test")
      for command in [["plan", "m"], ["apply", "m", "-n"], ["up", "-n"], ["up", "-y"], ["apply", "m"]] {
        let result = try await tool.bare(["migrate"] + command + ["-e", "test"]).expect(0)
        let found = result.errors.split(separator: "\n").filter { $0.contains("read 0 documents") }
        #expect(found.count == (said.isEmpty ? 0 : 1), "\(command): \(result.errors)")
        #expect(found.allSatisfy { $0.contains(said) }, "\(command): \(found)")
      }
    }
  }
}
