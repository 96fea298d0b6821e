import Foundation
import TestSupport
import Testing

@Suite("Plain JSON: what other programs read, and the way back by a schema", .timeLimit(.minutes(60)))
struct PlainJSONTests {
  private static let schema = """
    schema: places
    collections:
      places:
        fields:
          at: timestamp
          blob: bytes
          count: integer
          link: reference
          name: string
          rate: double
          spot: geopoint
          vector: vector
          visits:
            type: array
            elements: { type: map, fields: { at: timestamp, rates: { type: array, elements: double } } }
          home: { type: map, fields: { spot: geopoint, at: timestamp } }
      places/*/items:
        fields:
          at: timestamp
    """

  /// What JSON itself has beside what only the schema tells, with what looks like something else.
  private static let documents = [
    #"{"fields":{"at":{"timestampValue":"0001-01-01T00:00:00.000001Z"},"blob":{"bytesValue":"AP8="},"count":{"integerValue":"-9223372036854775808"},"free":{"mapValue":{"fields":{"a":{"arrayValue":{"values":[{"nullValue":null},{"integerValue":"1"},{"doubleValue":1.0},{"doubleValue":-0.0},{"doubleValue":1e+22}]}},"m":{"mapValue":{}}}}},"home":{"mapValue":{"fields":{"at":{"timestampValue":"2026-01-31T12:00:00Z"},"spot":{"geoPointValue":{"latitude":-90.0,"longitude":180.0}}}}},"link":{"referenceValue":"projects/other/databases/(default)/documents/a/b"},"name":{"stringValue":"2026-01-31T12:00:00Z"},"rate":{"doubleValue":"-Infinity"},"spot":{"geoPointValue":{"latitude":19.4326,"longitude":-99.1332}},"vector":{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1.0},{"doubleValue":"NaN"}]}}}}},"visits":{"arrayValue":{"values":[{"mapValue":{"fields":{"at":{"timestampValue":"1969-12-31T23:59:59.999Z"},"rates":{"arrayValue":{"values":[{"doubleValue":5e-324},{"doubleValue":"NaN"}]}}}}}]}}},"name":"places/p1"}"#,
    #"{"fields":{"name":{"stringValue":"a/b"},"rate":{"nullValue":null}},"name":"places/p2"}"#,
    #"{"fields":{"at":{"timestampValue":"2026-01-31T12:00:00Z"}},"name":"places/p2/items/__id7__"}"#,
    #"{"name":"places/ñ \"3\""}"#,
  ]

  private func load(_ tool: Tool) async throws {
    try tool.write(Self.schema, to: "places.yaml")
    try tool.write(Self.documents.joined(separator: "\n") + "\n", to: "in.jsonl")
    try await tool.run("import", "in.jsonl", "--schema", "places.yaml").expect(0)
  }

  @Test(
    "By a schema with one type a field, documents come back as they were.",
    arguments: ["json", "ndjson"]
  )
  func wayBack(_ format: String) async throws {
    try await withTool { tool in
      try await load(tool)
      try await tool.run(
        "export",
        "places",
        "--subcollections",
        "-o",
        "out/",
        "--format",
        format,
        "--schema",
        "places.yaml"
      ).expect(0)
      var copy = tool
      copy.place = ["-e", "local", "--database", "copy"]
      try await copy.run("import", "out", "--schema", "places.yaml").expect(0)
      for (tool, name) in [(tool, "a.jsonl"), (copy, "b.jsonl")] {
        try await tool.run("export", "--all", "-o", name).expect(0)
      }
      #expect(try tool.text("a.jsonl") == tool.text("b.jsonl"))
      #expect(try tool.text("a.jsonl").split(separator: "\n").count == 4)
    }
  }

  @Test("A collection called as the manifest has a file of its own in a folder, and comes back.")
  func manifest() async throws {
    try await withTool { tool in
      try tool.write(#"{"fields":{"n":{"integerValue":"1"}},"name":"manifest/1"}"# + "\n", to: "in.jsonl")
      try await tool.run("import", "in.jsonl").expect(0)
      try await tool.run("export", "manifest", "-o", "out/", "--format", "json").expect(0)
      try await tool.bare(["export", "verify", "out"]).expect(0)
      let result = try await tool.run("import", "out", "--mode", "upsert", "--json")
      #expect(try result.summary().totals.unchanged == 1, "\(result.errors)")
    }
  }

  @Test("The objects are JSON as other programs write it; one file has one collection.")
  func form() async throws {
    try await withTool { tool in
      try await load(tool)
      try await tool.run("export", "places", "-o", "places.json").expect(0)
      let names = try await Judge.script(
        "import json, sys; print([d['__name__'] for d in json.load(open(sys.argv[1]))])",
        tool.path("places.json")
      )
      #expect(names == "['p1', 'p2', 'ñ \"3\"']\n")
      let lines = try await tool.run("export", "places", "-o", "-", "--format", "ndjson")
      #expect(lines.output.contains(#"{"__name__":"p2","name":"a/b","rate":null}"# + "\n"))
      try await tool.run("export", "places", "-o", "none.json", "--limit", "0").expect(0)
      #expect(try tool.text("none.json") == "[]\n")
      let several = try await tool.run("export", "places", "items", "-o", "x.json").expect(64)
      #expect(several.errors.contains("one JSON file holds one collection"))
      try await tool.run("export", "--all", "-o", "nightly", "--dated", "--format", "ndjson").expect(64)
    }
  }
}
