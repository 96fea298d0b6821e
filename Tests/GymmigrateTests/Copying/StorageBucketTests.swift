import Foundation
import TestSupport
import Testing

@Suite("URLs of files in Storage", .timeLimit(.minutes(60)))
struct StorageBucketTests {
  private func withBuckets(_ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      var text = try tool.text("gymmigrate.yaml")
      for name in ["prod", "stage", "test"] {
        text = text.replacing("database: \(name),", with: "database: \(name), storageBucket: shop_\(name),")
      }
      try tool.write(
        text.replacing("schema: gym", with: "schema: shop.yaml"),
        to: "gymmigrate.yaml"
      )
      try tool.write(
        """
        schema: shop
        collections:
          products:
            personal-data: none
            fields:
              image: { type: string, format: url }
              more: { type: map, fields: { icon: { type: string, format: url } } }
              note: string
        """,
        to: "shop.yaml"
      )
      try await body(tool)
    }
  }

  private static func line(_ id: String, _ bucket: String) -> String {
    let url = "https://firebasestorage.googleapis.com/v0/b/\(bucket)/o/\(id)%2Fa.jpg?alt=media"
    return """
      {"fields":{"image":{"stringValue":"\(url)"},"list":{"arrayValue":{"values":[{"stringValue":"gs://\(bucket)/a"},\
      {"integerValue":"1"}]}},"more":{"mapValue":{"fields":{"icon":{"stringValue":"gs://\(bucket)/icon"}}}},\
      "note":{"stringValue":"see \(url)"}},"name":"products/\(id)"}
      """
  }

  @Test(
    "They are rewritten to the target's bucket and counted; those of other buckets, and texts around one, stay."
  )
  func rewriting() async throws {
    try await withBuckets { tool in
      try await tool.load([Self.line("a", "shop_prod"), Self.line("b", "shop_stage")], into: "prod")
      let command = ["copy", "products", "--from", "prod", "--to", "test", "--mode", "upsert"]
      let copied = try await tool.bare(command + ["--rewrite-storage-urls"]).expect(0)
      #expect(copied.errors.contains("rewritten to the target's bucket: 3."), "\(copied.errors)")
      var expected = Self.line("a", "shop_test")
      expected = expected.replacing(
        "see https://firebasestorage.googleapis.com/v0/b/shop_test",
        with: "see https://firebasestorage.googleapis.com/v0/b/shop_prod"
      )
      #expect(try await tool.dump("test") == [expected, Self.line("b", "shop_stage")])
      // Copied again, nothing changes.
      let again = try await tool.bare(command + ["--rewrite-storage-urls", "--json"])
      #expect(try again.summary().totals.written == 0)
      // Without the option they stay.
      try await tool.bare(command).expect(0)
      #expect(try await tool.dump("test") == [Self.line("a", "shop_prod"), Self.line("b", "shop_stage")])
    }
  }

  @Test("check lists those of another environment's bucket.")
  func checking() async throws {
    try await withBuckets { tool in
      try await tool.load(
        [Self.line("a", "shop_prod"), Self.line("b", "shop_test"), Self.line("c", "elsewhere")],
        into: "test"
      )
      let found = try await tool.bare(["check", "-e", "test", "--rule", "foreign-bucket", "-o", "f.csv"])
      found.expect(1)
      let lines = try tool.text("f.csv").split(whereSeparator: \.isNewline).dropFirst()
      #expect(
        lines.map { $0.split(separator: ",").prefix(3).joined(separator: ",") } == [
          #""foreign-bucket","products/a","image""#, #""foreign-bucket","products/a","more.icon""#,
        ]
      )
      #expect(lines.allSatisfy { $0.contains("the bucket of prod") })
      try await tool.bare(["check", "-e", "prod", "--rule", "foreign-bucket"]).expect(0)
    }
  }

  @Test("Without a bucket of both sides neither is possible, and a name that is none is refused.")
  func refusals() async throws {
    try await withBuckets { tool in
      let command = ["copy", "products", "--from", "prod", "--to", "test", "--rewrite-storage-urls"]
      let text = try tool.text("gymmigrate.yaml")
      try tool.write(text.replacing(" storageBucket: shop_test,", with: ""), to: "gymmigrate.yaml")
      try await tool.bare(command).expectFailure(78, "test", "no storageBucket")
      try await tool.bare(["check", "-e", "test", "--rule", "foreign-bucket"]).expectFailure(
        78,
        "no storageBucket"
      )
      try await tool.bare(["check", "-e", "test"]).expect(0)
      try tool.write(text.replacing("shop_test", with: "gs://shop"), to: "gymmigrate.yaml")
      try await tool.bare(command).expectFailure(78, "gymmigrate.yaml: line 6", "'gs://shop'")
      #expect(tool.runs().allSatisfy { !$0.contains("-copy-") })
    }
  }
}
