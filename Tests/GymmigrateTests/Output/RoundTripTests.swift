import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("Every value at every path, there and back", .timeLimit(.minutes(60)))
struct RoundTripTests {
  private static let source = DatabaseName(project: "p", database: "data")

  @Test("A database comes back byte for byte, and its second import changes nothing.")
  func wholeDatabase() async throws {
    let seed = Settings.roundTripSeed
    let count = Settings.roundTripDocuments
    try await withSourceStore { tool in
      try write(seed, count, for: Self.source, to: "in.jsonl", tool)
      let first = try await tool.run("import", "in.jsonl", "--json", timeout: .seconds(1800)).expect(0)
      #expect(try first.summary().totals.written == count, "seed \(seed)")
      try await export(tool, to: "out.jsonl")
      try await compare(tool, "in.jsonl", "out.jsonl", seed: seed)

      let second = try await tool.run("import", "in.jsonl", "--json", timeout: .seconds(1800)).expect(0)
      #expect(try second.summary().totals.unchanged == count, "seed \(seed)")
      #expect(try second.summary().totals.written == 0, "seed \(seed)")
    }
  }

  @Test("Compressed files and folders bring the same, and references follow a folder into its new database.")
  func otherForms() async throws {
    let seed = Settings.roundTripSeed + 1
    let count = 1500
    let copy = DatabaseName(project: "p", database: "copy")
    try await withSourceStore { tool in
      var other = tool
      other.place[3] = copy.database
      try write(seed, count, for: Self.source, to: "in.jsonl", tool)
      try await tool.run("import", "in.jsonl").expect(0)

      try await export(tool, to: "out.jsonl.gz")
      try await other.run("import", "out.jsonl.gz").expect(0)
      try await export(other, to: "kept.jsonl")
      try await compare(tool, "in.jsonl", "kept.jsonl", seed: seed)

      // The second database holds the same but for its references, which now follow.
      try write(seed, count, for: copy, to: "followed.jsonl", tool)
      for options in [[], ["--gzip"]] {
        let folder = "folder\(options.count)/"
        try await tool.bare(
          ["export", "--all", "--subcollections", "-o", folder, "--format", "jsonl"] + options + tool.place
        ).expect(0)
        let imported = try await other.run("import", folder, "--mode", "upsert", "--json").expect(0)
        let totals = try imported.summary().totals
        #expect(totals.written + totals.unchanged == count, "seed \(seed)")
        #expect((totals.written == 0) == (options.count == 1), "seed \(seed)")
        try await export(other, to: "out\(options.count).jsonl")
        try await compare(tool, "followed.jsonl", "out\(options.count).jsonl", seed: seed)
      }
      for mode in ["merge", "replace", "upsert"] {
        let again = try await other.run("import", "followed.jsonl", "--mode", mode, "--json").expect(0)
        #expect(try again.summary().totals.unchanged == count, "seed \(seed), \(mode)")
      }
    }
  }

  @Test("What is merged into an empty document field by field is the document.")
  func merge() async throws {
    let seed = Settings.roundTripSeed + 2
    let count = 1500
    try await withSourceStore { tool in
      try write(seed, count, for: Self.source, to: "in.jsonl", tool)
      let parser = JSONParser()
      let names = try tool.text("in.jsonl").utf8.split(separator: UInt8(ascii: "\n")).map { line in
        try Self.document(Array(line), with: parser).path
      }
      var empty = JSONLines()
      for path in names { empty.append(RawDocument(path: path, fields: [:])) }
      try empty.write(to: tool.path("empty.jsonl"))
      try await tool.run("import", "empty.jsonl").expect(0)
      try await tool.run("import", "in.jsonl", "--mode", "merge", "--keep-times").expect(0)
      try await export(tool, to: "out.jsonl")
      try await compare(tool, "in.jsonl", "out.jsonl", seed: seed)
    }
  }

  // MARK: The parts

  /// The program beside an embedded store, at the database that the documents are of.
  private func withSourceStore(_ body: (Tool) async throws -> Void) async throws {
    try await withStore { tool, url in
      var tool = tool
      tool.place = [
        "--project", Self.source.project, "--database", Self.source.database, "--endpoint", url,
        "--schema", "gym",
      ]
      try await body(tool)
    }
  }

  /// Writes a random database as JSON Lines, each of which must read as what it was made of.
  private func write(
    _ seed: UInt64,
    _ count: Int,
    for database: DatabaseName,
    to file: String,
    _ tool: Tool
  ) throws {
    var random = RandomDatabase(seed: seed, database: database)
    var lines = JSONLines()
    let parser = JSONParser()
    for number in 0..<count {
      let document = random.next()
      let line = lines.append(document)
      let read = try Self.document(line, with: parser)
      #expect(read == document, "seed \(seed), document \(number)")
    }
    try lines.write(to: tool.path(file))
  }

  private static func document(_ line: [UInt8], with parser: JSONParser) throws -> RawDocument {
    var decoder = WireDecoder(unknownMembers: .refused)
    return try parser.parse(line) { root throws(WireError) in try decoder.document(root) }
  }

  private func export(_ tool: Tool, to file: String) async throws {
    try await tool.run("export", "--all", "--subcollections", "-o", file, timeout: .seconds(1800)).expect(0)
  }

  /// Compares an export with what went in, sorted as the service sorts names, which Python works out.
  private func compare(_ tool: Tool, _ expected: String, _ actual: String, seed: UInt64) async throws {
    let told = try await Judge.script(
      #"""
      import json, re, sys

      def key(line):
          segments = json.loads(line)["name"].split("/")
          numbers = [re.fullmatch(r"__id(-?[0-9]+)__", s) for s in segments]
          return [(0, int(n[1]), b"") if n else (1, 0, s.encode()) for n, s in zip(numbers, segments)]

      expected = sorted(open(sys.argv[1], "rb").read().split(b"\n")[:-1], key=key)
      actual = open(sys.argv[2], "rb").read().split(b"\n")
      assert actual.pop() == b"", "no line feed at the end"
      if actual != expected:
          print(len(expected), "documents went in and", len(actual), "came out")
          lost = set(expected) - set(actual)
          new = set(actual) - set(expected)
          if not lost and not new:
              lost, new = next(([a], [b]) for a, b in zip(expected, actual) if a != b)
              print("in another order; first:")
          for line in sorted(lost)[:3]: print("lost ", line[:300].decode(errors="replace"))
          for line in sorted(new)[:3]: print("found", line[:300].decode(errors="replace"))
      """#,
      tool.path(expected),
      tool.path(actual)
    )
    #expect(told.isEmpty, "seed \(seed), \(expected) against \(actual): \(told)")
  }
}

/// A file of JSON Lines in the making.
private struct JSONLines {
  private var bytes: [UInt8] = []

  /// Appends a document and returns its line.
  @discardableResult
  mutating func append(_ document: RawDocument) -> [UInt8] {
    var json = JSONWriter()
    json.document(document, times: false)
    bytes += json.bytes
    bytes.append(UInt8(ascii: "\n"))
    return json.bytes
  }

  func write(to file: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file))
  }
}
