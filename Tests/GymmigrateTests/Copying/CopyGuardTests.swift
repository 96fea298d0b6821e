import Foundation
import TestSupport
import Testing

@Suite("What stops a copy", .timeLimit(.minutes(60)))
struct CopyGuardTests {
  @Test("What a guard rail stops is not written, however it is put.")
  func guards() async throws {
    try await withStores { tool in
      try await tool.load(
        [
          documentLine("products/a", 1), documentLine("members/m", 1), documentLine("groups/g/members/m", 1),
          documentLine("members_copy/m", 1), documentLine("exercises/e/users/u", 1),
        ],
        into: "prod"
      )
      try await tool.load([documentLine("products/b", 1)], into: "test")
      let before = try await (prod: tool.dump("prod"), test: tool.dump("test"), stage: tool.dump("stage"))
      let endpoint = try #require(
        try tool.text("gymmigrate.yaml").firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)/)?.output.1
      )
      let out = ["--from", "prod", "--to", "test"]
      let refused: [([String], Int32)] = [
        // One and the same database.
        (["products", "--from", "test", "--to", "test"], 64),
        (["products", "--from", "stage", "--from-database", "test", "--to", "test"], 64),
        (
          [
            "products", "--from", "stage", "--from-database", "test", "--from-endpoint",
            "http://localhost:\(endpoint)/", "--to", "test",
          ], 64
        ),
        (["products", "--from", "local", "--to", "local"], 64),
        // A protected target.
        (["products", "--from", "test", "--to", "prod"], 77),
        (["products", "--from", "test", "--to", "prod", "--yes"], 77),
        (["products", "--from", "test", "--to", "prod", "--confirm", "test"], 77),
        (["products", "--from", "test", "--to", "stage", "--database", "prod"], 77),
        (
          [
            "products", "--from", "test", "--project", "p", "--database", "prod", "--endpoint",
            "http://localhost:\(endpoint)",
          ], 77
        ),
        // People's data out of a protected source.
        (["members"] + out, 77), (["groups"] + out, 77), (["groups/*/members"] + out, 77),
        (["groups/g/members"] + out, 77), (["members_copy"] + out, 77), (["mem*"] + out, 77),
        (["--all"] + out, 77),
        (["products", "members"] + out, 77), (["exercises"] + out, 77), (["exercises/e/users"] + out, 77),
        (["members", "--dry-run"] + out, 77),
        (["members", "--from", "stage", "--from-database", "prod", "--to", "test"], 77),
        (
          [
            "members", "--from-project", "p", "--from-database", "prod", "--from-endpoint",
            "http://localhost:\(endpoint)", "--to", "test",
          ], 77
        ),
        // Deletions.
        (["products", "--delete-extraneous"] + out, 77),
        (["products", "--delete-extraneous", "--yes"] + out, 77),
        (["products", "--delete-extraneous", "--max-delete", "9", "--limit", "1"] + out, 64),
        (["products", "--delete-extraneous", "--max-delete", "9", "--where", "n == 1"] + out, 64),
        (["products", "--max-delete", "9"] + out, 64),
        (["products", "--delete-extraneous", "--max-delete", "0", "--mode", "upsert"] + out, 77),
        // The command line.
        (["products", "-e", "test", "--from", "prod", "--to", "test"], 64),
        (["products", "--to", "test"], 64),
        (["products", "--from", "prod"], 64), (["products", "--all"] + out, 64), (out, 64),
        (["groups/g"] + out, 64), (["products", "--subcollections", "--where", "n == 1"] + out, 64),
        (["nothing*"] + out, 66),
      ]
      for (arguments, code) in refused {
        let result = try await tool.bare(["copy"] + arguments)
        #expect(result.exitCode == code, "\(arguments)\n\(result.errors)")
      }
      #expect(try await tool.dump("prod") == before.prod)
      #expect(try await tool.dump("test") == before.test)
      #expect(try await tool.dump("stage") == before.stage)

      try await tool.bare(["copy", "products"] + out).expect(0)
      try await tool.bare(["copy", "members", "groups", "--keep-personal-data"] + out).expect(0)
      #expect(try await tool.dump("test").count == 4)
      try await tool.bare([
        "copy", "products", "--from", "test", "--to", "prod", "--confirm", "prod",
      ]).expect(0)
      #expect(try await tool.dump("prod").count == before.prod.count + 1)
    }
  }

  @Test("Catalogues that name people leave a protected environment with a warning, as they are.")
  func catalogues() async throws {
    try await withStores { tool in
      let history =
        #""priceHistory":{"arrayValue":{"values":[{"mapValue":{"fields":{"changedBy":{"stringValue":"u1"}}}}]}}"#
      try await tool.load(
        [#"{"fields":{\#(history)},"name":"products/p1"}"#],
        into: "prod"
      )
      let copy = ["copy", "--catalogues", "--from", "prod", "--to", "test", "-q"]
      let warned = try await tool.bare(copy).expect(0)
      #expect(warned.errors.contains("as they are: products: priceHistory"), "\(warned.errors)")
      let kept = try await tool.bare(copy + ["--mode", "upsert", "--keep-personal-data"])
      #expect(!kept.errors.contains("name people"), "\(kept.errors)")

      let ways = [
        ["products"], ["prod*"], ["products", "--limit", "1"], ["--subset", "products", "--follow", "none"],
        ["products", "--sample", "100%", "--follow", "none"],
      ]
      for way in ways {
        let copy = ["copy"] + way + ["--from", "prod", "--to", "test", "--mode", "upsert"]
        let warned = try await tool.bare(copy).expect(0)
        #expect(warned.errors.contains("as they are: products: priceHistory"), "\(way): \(warned.errors)")
      }
      let divided = ["shard", "plan", "--shards", "1", "--to", "W", "--", "copy", "products"]
      try await tool.bare(divided + ["--from", "prod", "--to", "test", "--mode", "upsert"]).expect(0)
      try await tool.bare(["shard", "work", "W", "--task", "0"]).expect(0)
      let finished = try await tool.bare(["shard", "finish", "W"]).expect(0)
      #expect(finished.errors.contains("as they are: products: priceHistory"), "\(finished.errors)")
    }
  }

  @Test("FIRESTORE_EMULATOR_HOST does not stand in for a protected environment, on either side.")
  func emulator() async throws {
    let mini = MiniFirestore.environment("test")
    try await withTool(against: mini.handler) { tool, server in
      var tool = tool
      tool.environment = ["FIRESTORE_EMULATOR_HOST": String(server.url.dropFirst(7))]
      try tool.write(
        "project: p\nenvironments: { prod: { database: prod, protected: true }, test: { database: test } }\n",
        to: "gymmigrate.yaml"
      )
      for arguments in [
        ["--from", "prod", "--to", "test"], ["--from", "test", "--to", "prod", "--confirm", "prod"],
      ] {
        let copy = try await tool.bare(["copy", "products"] + arguments)
        copy.expectFailure(77, "FIRESTORE_EMULATOR_HOST")
        let diff = try await tool.bare(["diff", "products"] + Array(arguments.prefix(4)))
        diff.expectFailure(77, "FIRESTORE_EMULATOR_HOST")
      }
      #expect(server.requests.isEmpty)
    }
  }
}
