import Foundation
import TestSupport
import Testing

@Suite("Where masks hold", .timeLimit(.minutes(60)))
struct MaskPlacesTests {
  private static let schema = """
    schema: people
    collections:
      people:
        mask: pseudonym
        fields:
          name: { type: string, mask: name }
          boss: { type: string, mask: reference(people) }
          n: { type: integer, mask: keep }
    """

  private static func line(_ number: Int) -> String {
    documentLine(
      "people/UIDcanary\(number)",
      number,
      #","name":{"stringValue":"Zcanary"},"boss":{"stringValue":"UIDcanary0"}"#
    )
  }

  /// A protected environment that leaves masked only, with three people.
  private func withPeople(_ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      try tool.write(Self.schema, to: "people.yaml")
      let configuration = try tool.text("gymmigrate.yaml").replacing(
        "schema: gym",
        with: "schema: people.yaml"
      )
      .replacing("protected: true", with: "protected: true, leaves: masked")
      try tool.write(configuration, to: "gymmigrate.yaml")
      try await tool.load((0..<3).map(Self.line), into: "prod")
      try await tool.bare(["mask", "key", "new", "a"]).expect(0)
      try await tool.bare(["mask", "key", "new", "b"]).expect(0)
      try await body(tool)
    }
  }

  private let mask = ["--mask", "--mask-key-file", "a"]

  private func expectNoCanary(_ file: String, _ tool: Tool, _ location: SourceLocation = #_sourceLocation) {
    let data = FileManager.default.contents(atPath: tool.path(file))
    #expect(data?.range(of: Data("canary".utf8)) == nil, "\(file)", sourceLocation: location)
    #expect(data?.isEmpty == false, sourceLocation: location)
  }

  @Test("What leaves masked only does not leave otherwise, by whatever name and command.")
  func leaves() async throws {
    try await withPeople { tool in
      try tool.write("id: a\nsummary: A.\ncollection: people\nsteps:\n  - set: {n: 7}\n", to: "a.yaml")
      let prod = try #require(try tool.text("gymmigrate.yaml").firstMatch(of: /"(http[^"]*)"/)?.1)
      let refused: [[String]] = [
        ["copy", "people", "--from", "prod", "--to", "test", "--keep-personal-data", "--yes"],
        ["copy", "--all", "--from", "prod", "--to", "test", "-n"],
        ["export", "people", "-e", "prod", "-o", "x.csv"],
        ["export", "--all", "-e", "prod", "-o", "x.sqlite"],
        [
          "export", "--all", "--project", "p", "--database", "prod", "--endpoint", String(prod), "-o",
          "x.jsonl",
        ],
        ["mirror", "pull", "-e", "prod", "-o", "m.sqlite"],
        ["managed", "export", "--all", "-e", "prod", "--to", "gs://backups/x"],
        ["migrate", "test", "a.yaml", "--from", "prod"],
        ["shard", "plan", "--shards", "2", "--to", "s", "--", "export", "--all", "-e", "prod"],
      ]
      for arguments in refused {
        let result = try await tool.bare(arguments)
        #expect(result.exitCode == 77, "\(arguments)\n\(result.errors)")
        #expect(result.errors.contains("leaves: masked"), "\(arguments)\n\(result.errors)")
      }
      for file in ["x.csv", "x.sqlite", "x.jsonl", "m.sqlite", "s/plan.json"] { #expect(!tool.exists(file)) }
      #expect(try await tool.dump("test").isEmpty)
      try await tool.bare(["copy", "people", "--from", "prod", "--to", "test", "--yes"] + mask).expect(0)
      try await tool.bare(["count", "people", "-e", "prod"]).expect(0)
      let shown = try await tool.bare(["env", "show", "-e", "prod"])
      #expect(shown.output.contains("leaves: masked"))
      try tool.write(
        try tool.text("gymmigrate.yaml").replacing("leaves: masked", with: "leaves: whole"),
        to: "gymmigrate.yaml"
      )
      try await tool.bare(["env", "list"]).expect(78)
    }
  }

  @Test("A masked export, and what is exported from it, is none that is restored from.")
  func restored() async throws {
    try await withPeople { tool in
      func refuses(_ place: String) async throws {
        let restore = ["restore", "people", "-e", "prod", "--from", place, "--scope", "partial", "-n"]
        try await tool.bare(restore).expectFailure(77, "its documents are masked")
      }
      let export = ["export", "people", "--subcollections", "-e", "prod"]
      try await tool.bare(export + ["-o", "m/", "--format", "jsonl"] + mask).expect(0)
      try await tool.bare(export + ["-o", "g", "--format", "managed"] + mask).expect(0)
      for (index, place) in ["m", "m/people.jsonl", "g", "g/g.overall_export_metadata"].enumerated() {
        try await refuses(place)
        for format in ["jsonl", "managed"] {
          let again = "\(format)\(index)/"
          try await tool.bare(["export", "people", "--from", place, "-o", again, "--format", format]).expect(
            0
          )
          try await refuses(again)
        }
        let file = "x\(index).sqlite"
        try await tool.bare(["export", "people", "--from", place, "-o", file]).expect(0)
        try await refuses("mirror:\(file)")
      }
      try await tool.bare([
        "export", "people", "-e", "mirror:x0.sqlite", "-o", "last/", "--format", "managed",
      ])
      .expect(0)
      try await refuses("last")
    }
  }

  @Test("The mark of a masked managed export is none of Google's files, and stays with them.")
  func managed() async throws {
    try await withPeople { tool in
      let export = ["export", "people", "-e", "prod", "--format", "managed", "-o"]
      try await tool.bare(export + ["g"] + mask).expect(0)
      expectNoCanary("g/manifest.json", tool)
      try await tool.bare(["import", "g", "-e", "test", "-q"]).expect(0)
      #expect(try await tool.dump("test").count == 3)
      try await tool.bare(["diff", "people", "--from", "g", "--to", "test", "-q"]).expect(0)
      try await tool.bare(["export", "verify", "g"]).expectFailure(66, "it is a managed export")
      // Another export would replace the mark, and its own files would not be read.
      try await tool.bare(["export", "people", "-e", "test", "-o", "g", "--format", "jsonl"])
        .expectFailure(73, "it holds an export")
      try await tool.bare(["export", "people", "-e", "test", "--format", "managed", "-o", "plain"]).expect(0)
      #expect(!tool.exists("plain/manifest.json"))
    }
  }

  @Test("A mirror is masked under one key, and is none that is pushed, verified or restored from.")
  func mirrors() async throws {
    try await withPeople { tool in
      let pull = ["mirror", "pull", "-e", "prod", "-o", "m.sqlite"]
      try await tool.bare(pull + mask).expect(0)
      expectNoCanary("m.sqlite", tool)
      try await tool.load([Self.line(1)], into: "prod", mode: "upsert")
      try await tool.load([Self.line(3)], into: "prod")
      try await tool.bare([
        "delete", "people", "--id", "UIDcanary2", "-e", "prod", "--hard", "--confirm", "prod", "--max-delete",
        "1",
      ])
      .expect(0)
      try await tool.bare(pull + mask).expect(0)
      try await tool.bare(["export", "--all", "--format", "sqlite", "-o", "x.sqlite", "-e", "prod"] + mask)
        .expect(0)
      for file in ["m.sqlite", "x.sqlite"] {
        expectNoCanary(file, tool)
        let found = try await tool.bare([
          "export", "people", "-e", "mirror:\(file)", "-o", "-", "--format", "jsonl", "-q",
        ]).expect(0)
        #expect(found.output.split(separator: "\n").count == 3)
        #expect(!found.output.contains("canary"))
      }
      try await tool.bare(["copy", "people", "--from", "prod", "--to", "test", "--yes"] + mask).expect(0)
      try await tool.bare(["diff", "people", "--from", "test", "--to", "mirror:m.sqlite", "-q"]).expect(0)

      let other = try await tool.bare(pull + ["--mask", "--mask-key-file", "b"])
      other.expectFailure(78, "under another key")
      let status = try await tool.bare(["mirror", "status", "m.sqlite"]).expect(0)
      #expect(status.output.contains("A pull reads about 3 documents"), "\(status.output)")
      #expect(!status.output.contains("canary"))
      try await tool.bare(["mirror", "push", "m.sqlite", "-n"]).expect(77)
      try await tool.bare(["mirror", "verify", "m.sqlite"]).expect(77)
      try await tool.bare(["restore", "--all", "-e", "test", "--from", "mirror:m.sqlite", "-n"]).expect(77)
      try await tool.bare(["mirror", "pull", "-e", "test", "-o", "t.sqlite"]).expect(0)
      try await tool.bare(["mirror", "pull", "-e", "test", "-o", "t.sqlite"] + mask)
        .expectFailure(78, "without a mask")
      expectNoCanary("m.sqlite", tool)
    }
  }

  @Test("A rehearsal copies masked documents.")
  func rehearsals() async throws {
    try await withPeople { tool in
      try tool.createFolder("migrations")
      let migration = "id: a\nsummary: A.\ncollection: people\nsteps:\n  - set: {n: 7}\n"
      try tool.write(migration, to: "migrations/1-a.yaml")
      let test = ["migrate", "test", "1-a", "--from", "prod", "--html", "plan.html"]
      let result = try await tool.bare(test + mask).expect(0)
      #expect(!(result.output + result.errors).contains("canary"))
      expectNoCanary("plan.html", tool)
      try await tool.bare(test + mask + ["--where", "n == 1"]).expect(64)
    }
  }
}
