import Foundation
import TestSupport
import Testing

/// Days in a schema, in filters and in the files of migrations begin by the same clock, that of the schema.
@Suite("Days of a schema's zone", .timeLimit(.minutes(60))) struct SchemaZoneTests {
  /// The zone comes last, behind what needs it.
  private static let schema = """
    schema: z
    collections:
      c:
        immutable: { when: t >= ts(2026-01-31) }
        fields:
          t: { type: timestamp, range: { min: ts(2026-01-30) } }
          v: { type: timestamp, values: [ts(2026-01-31)] }
          n: integer
      d:
        fields:
          a: string
          t: { type: timestamp, default: ts(2026-01-31) }
    time-zone: Europe/Madrid

    """

  /// Times in UTC; Madrid is an hour ahead of it in January.
  private static let documents = """
    {"name":"c/before","fields":{"t":{"timestampValue":"2026-01-30T22:59:59Z"}}}
    {"name":"c/first","fields":{"t":{"timestampValue":"2026-01-29T23:00:00Z"}}}
    {"name":"c/night","fields":{"t":{"timestampValue":"2026-01-30T23:30:00Z"},"v":{"timestampValue":"2026-01-30T23:00:00Z"}}}

    """

  private func withSchema(_ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      var tool = tool
      tool.place += ["--schema", "z.yaml"]
      try tool.write(Self.schema, to: "z.yaml")
      try tool.write(Self.documents, to: "c.jsonl")
      try await tool.run("import", "c.jsonl", "-q").expect(0)
      try await body(tool)
    }
  }

  @Test("Ranges, values and defaults are of the zone, and what is immutable is what the same filter finds.")
  func days() async throws {
    try await withSchema { tool in
      try await tool.run("check", "-q").expect(0)
      #expect(try await tool.run("count", "c", "--where", "t >= ts(2026-01-31)").output == "c\t1\n")
      let fixed = try await tool.run("fix", "c", "--all-documents", "--set", "n=1", "--json").expect(2)
      #expect(try fixed.summary()["c"]?.written == 2)
      try await tool.run("delete", "c", "--where", "t >= ts(2026-01-31)", "--hard", "--max-delete", "5")
        .expect(2)
      #expect(try await tool.run("count", "c").output == "c\t3\n")

      try tool.write("k,a\ny,1\n", to: "d.csv")
      let command = ["import", "d.csv", "--collection", "d", "--id-column", "k", "--defaults", "-q"]
      try await tool.bare(command + tool.place).expect(0)
      let written = try await tool.run("export", "d", "-o", "-", "--format", "jsonl", "-q").expect(0)
      #expect(written.output.contains("\"2026-01-30T23:00:00Z\""), "\(written.output)")
    }
  }

  @Test("The file of a migration is read in the zone, and so is the schema that a mirror keeps.")
  func files() async throws {
    try await withSchema { tool in
      try tool.write(
        """
        id: nights
        summary: Moves a night to the beginning of its day.
        collection: c
        where: t >= ts(2026-01-31)
        allow-immutable: true
        steps:
          - set: { t: ts(2026-01-31) }

        """,
        to: "nights.yaml"
      )
      let applied = try await tool.run("migrate", "apply", "nights.yaml", "--json").expect(0)
      #expect(try applied.summary()["c"]?.written == 1)
      let documents = try await tool.run("export", "c", "-o", "-", "--format", "jsonl", "-q").expect(0)
      let night = documents.output.split(separator: "\n").first { $0.contains("c/night") } ?? ""
      #expect(night.contains(#""t":{"timestampValue":"2026-01-30T23:00:00Z"}"#), "\(night)")

      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let shown = try await tool.bare(["schema", "show", "--schema", "z.yaml"]).expect(0)
      try tool.write(shown.output, to: "shown.yaml")
      try await tool.bare(["schema", "validate", "shown.yaml"]).expect(0)
    }
  }

  @Test("A zone that the system does not have is an error where a day needs it.")
  func unknown() async throws {
    try await withTool { tool in
      try tool.write(Self.schema.replacing("Europe/Madrid", with: "Europe/Madird"), to: "z.yaml")
      try await tool.bare(["count", "c", "-e", "local", "--schema", "z.yaml"])
        .expectFailure(78, "z.yaml", "line 6", "'Europe/Madird'", "no such time zone")
      try await tool.bare(["schema", "validate", "z.yaml"]).expectFailure(65, "line 13, column 12")
    }
  }
}
