import Schema
import TestSupport
import Testing

@Suite(
  "What a schema says of files has the names and the values of the command line",
  .timeLimit(.minutes(60))
)
struct DeclaredOptionTests {
  @Test("Each name in import: is an option of the command.")
  func names() async throws {
    try await withTool { tool in
      let tree = try await CommandLineTree.read(tool)
      let command = try #require(tree.commands.first { $0.words == ["import"] })
      let missing = TableReading.options.map(\.name).filter { !command.names.contains($0) }
      #expect(missing.isEmpty)
    }
  }

  @Test("A file is read as its schema says, which is said, and the command line precedes it.")
  func reads() async throws {
    try await withTool { tool in
      let schema = """
        schema: club
        collections:
          members:
            import: { files: socios*.csv, id-column: Socio, delimiter: semicolon, decimal-comma: true }
            fields: { fee: double }
        """
      try tool.write(schema, to: "club.yaml")
      try tool.write("Socio;fee\n7;1,5\n", to: "socios-enero.csv")
      try tool.write("Socio;fee\n8;1.5\n", to: "socios-febrero.csv")
      func run(_ arguments: String...) async throws -> RunResult {
        try await tool.bare(["import"] + arguments + ["--schema", "club.yaml"] + tool.place)
      }
      let january = try await run("socios-enero.csv")
      january.expect(0)
      #expect(
        january.errors.contains(
          "socios-enero.csv: as the schema says of members: delimiter semicolon; id-column Socio; decimal-comma true."
        )
      )
      try await run("socios-febrero.csv").expectFailure(65, "a number with a decimal comma")
      try await run("socios-febrero.csv", "--no-decimal-comma").expect(0)
      try await run("socios-febrero.csv", "--skip-rows", "1").expectFailure(65, "--id-column")
      let read = try await tool.bare(
        ["export", "members", "--schema", "club.yaml", "-o", "-", "--format", "jsonl"] + tool.place
      )
      #expect(
        read.output == """
          {"fields":{"fee":{"doubleValue":1.5}},"name":"members/7"}
          {"fields":{"fee":{"doubleValue":1.5}},"name":"members/8"}

          """
      )
    }
  }
}
