import Foundation
import TestSupport
import Testing

@Suite("Imports into another collection", .timeLimit(.minutes(60)))
struct RenamedCollectionTests {
  struct Renaming: Sendable {
    var from: [String]
    var collection: String
    var to: [String]
  }

  @Test(
    "A collection takes the place of one as deep, and what is below comes along.",
    arguments: [
      Renaming(
        from: ["groups/g1", "groups/g1/members/u1", "groups/g2/members/u1"],
        collection: "teams",
        to: ["teams/g1", "teams/g1/members/u1", "teams/g2/members/u1"]
      ),
      Renaming(from: ["a/1", "a/1/b/1/c/1"], collection: "x/y/z", to: ["x/y/z/1", "x/y/z/1/b/1/c/1"]),
      Renaming(
        from: ["groups/g1/members/u1", "groups/g1/members/u2"],
        collection: "groups/g9/members",
        to: ["groups/g9/members/u1", "groups/g9/members/u2"]
      ),
      Renaming(from: ["groups/g1/members/u1"], collection: "teams", to: ["teams/g1/members/u1"]),
    ]
  )
  func renamed(_ renaming: Renaming) async throws {
    for more in [[], ["--validate", "off", "--server-times"], ["--parse-errors", "skip-row"]] as [[String]] {
      try await withMini { tool, mini in
        let lines = renaming.from.enumerated().map { documentLine($0.element, $0.offset) }
        try tool.write(lines.joined(separator: "\n") + "\n", to: "in.jsonl")
        let command = ["import", "in.jsonl", "--collection", renaming.collection] + more
        try await tool.bare(command + tool.place).expect(0)
        #expect(mini.snapshot().map(\.name).sorted() == renaming.to)
      }
    }
  }

  @Test("Documents of several collections are put into one only with --flatten.")
  func several() async throws {
    try await withMini { tool, mini in
      let names = ["users/u1", "groups/g1/members/u2"]
      try tool.write(names.map { documentLine($0, 1) + "\n" }.joined(), to: "in.jsonl")
      let result = try await tool.run("import", "in.jsonl", "--collection", "people")
      result.expectFailure(65, "line 2", "users", "--flatten")
      try tool.write(documentLine("usersfile/u1", 1) + "\n", to: "b.jsonl")
      try tool.write(documentLine("users/u1", 1) + "\n", to: "a.jsonl")
      try await tool.run("import", "a.jsonl", "b.jsonl", "--collection", "people").expectFailure(
        65,
        "b.jsonl"
      )
      try await tool.run("import", "in.jsonl", "--collection", "groups/*/members").expectFailure(
        64,
        "one collection"
      )
      try await tool.run("import", "in.jsonl", "--flatten").expect(64)
      #expect(mini.everything().isEmpty)
      try await tool.run("import", "in.jsonl", "--collection", "people", "--flatten").expect(0)
      #expect(mini.snapshot().map(\.name).sorted() == ["people/u1", "people/u2"])
    }
  }

  @Test("So it is of a table with paths below its collection.")
  func table() async throws {
    try await withMini { tool, mini in
      try tool.write("__name__,n\ng1,1\ng1/members/u1,2\n", to: "groups.csv")
      try await tool.run("import", "groups.csv", "--collection", "teams", "--validate", "off").expect(0)
      #expect(mini.snapshot().map(\.name).sorted() == ["teams/g1", "teams/g1/members/u1"])
      try await tool.run("import", "groups.csv", "--collection", "flat", "--flatten", "--validate", "off")
        .expect(0)
      #expect(
        mini.snapshot().map(\.name).sorted() == ["flat/g1", "flat/u1", "teams/g1", "teams/g1/members/u1"]
      )
    }
  }
}
