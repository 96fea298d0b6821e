import FirestoreModels
import Foundation
import TestSupport
import Testing
import Transfer

@Suite("Which dated exports were requested in the same way", .timeLimit(.minutes(60)))
struct ExportRequestTests {
  private static let day = #"{"updatedAt":{"timestampValue":"2025-12-31T20:00:00Z"}}"#

  @Test(
    "An empty export takes the place of those of its kind only, and no increment of another kind adds to it.",
    arguments: [("csv", "jsonl"), ("jsonl", "csv"), ("xlsx", "jsonl")]
  )
  func kinds(_ empty: String, _ other: String) async throws {
    try await withMini { tool, mini in
      func export(_ format: String, _ more: [String] = []) async throws -> Manifest {
        let command = ScheduledExportFixture.command + ["--format", format] + more
        try await tool.bare(command + tool.place).expect(0)
        return try #require(try Manifest.read(from: tool.path("nightly/latest")))
      }
      try mini.put("products/1", fields: Self.day)
      _ = try await export(other)
      let good = try await export(other)
      let nights = tool.exports
      mini.remove("products/1")
      for _ in 1...2 { #expect(try await export(empty, ["--keep", "1"]).files.isEmpty) }
      #expect(tool.exports.count == 3 && Set(tool.exports).isSuperset(of: nights))
      try await tool.bare(["export", "prune", "nightly", "--keep", "1"]).expect(0)
      #expect(tool.exports.count == 2 && tool.exports.contains(nights[1]))
      try mini.put("products/1", fields: Self.day)
      #expect(try await export(other, ["--since", "last"]).after == good.readTime)
    }
  }

  @Test("A filter with a day is another one in another time zone.")
  func zones() async throws {
    try await withMini { tool, mini in
      try mini.put("products/1", fields: Self.day)
      func export(_ zone: [String]) async throws {
        let filter = ["--where", "updatedAt >= ts(2026-01-01)"]
        let command = ["export", "products", "-o", "nightly", "--dated", "--keep", "1"] + filter
        try await tool.bare(command + zone + tool.place).expect(0)
      }
      // In Tokyo that day begins at 15:00 UTC of the day before, in Mexico at 06:00 UTC.
      try await export(["--time-zone", "Asia/Tokyo"])
      let tokyo = try tool.scheduledExport(0)
      try await export(["--time-zone", "America/Mexico_City"])
      #expect(tool.exports.count == 2 && tool.exports.contains(tokyo))
      #expect(try tool.text("nightly/\(tokyo)/products.jsonl").contains("products/1"))
      #expect(try tool.text("nightly/latest/products.jsonl") == "")
      // The schema has the same zone.
      try await export([])
      #expect(tool.exports.count == 2 && tool.exports.contains(tokyo))
    }
  }

  @Test("An increment that would be of no later moment than the last export, or begin after it, is refused.")
  func moments() async throws {
    try await withMini { tool, mini in
      func latest() throws -> Manifest { try #require(try Manifest.read(from: tool.path("nightly/latest"))) }
      func export(_ more: String...) async throws -> RunResult {
        try await tool.bare(ScheduledExportFixture.command + more + tool.place)
      }
      try mini.put("users/1", fields: Self.day)
      try await export().expect(0)
      let old = try #require(latest().readTime)
      try await export().expect(0)
      let last = try #require(latest().readTime)
      for moment in [old, last] {
        try await export("--since", "last", "--read-time", moment.description)
          .expectFailure(64, "this one would be as of \(moment)", "Leave out --read-time")
      }
      let since = ["--since", "2125-01-01T00:00:00Z"]
      try await export(since[0], since[1]).expectFailure(64, "is after the last export", "\(last)")
      try await tool.bare(["export", "users", "-o", "users.csv"] + since + tool.place)
        .expectFailure(64, "is after the export")
      #expect(tool.exports.count == 2 && tool.strangers == [] && !tool.exists("users.csv"))
      // Earlier versions wrote such an increment.
      try await export("--since", "last").expect(0)
      var early = try latest()
      #expect(early.isIncrement)
      early.readTime = Timestamp(seconds: old.seconds - 60)
      try early.write(to: tool.path("nightly/\(tool.latestNight())"))
      let verified = try await tool.bare(["export", "verify", "nightly"]).expect(1)
      #expect(verified.output.contains("\(try tool.latestNight())\tit is of no later moment"))
      let next = try await export("--since", "last").expect(0)
      #expect(next.errors.contains("nightly lacks the whole export"))
    }
  }

  @Test(
    "export verify counts what it can count of a file.",
    arguments: [("jsonl", 1), ("ndjson", 1), ("bigquery", 1), ("csv", 1), ("json", 0), ("xlsx", 0)]
  )
  func counted(format: String, code: Int32) async throws {
    try await withMini { tool, mini in
      for id in 1...3 { try mini.put("users/\(id)", fields: Self.day) }
      try await tool.bare(["export", "users", "-o", "out/", "--format", format] + tool.place).expect(0)
      try await tool.bare(["export", "verify", "out"]).expect(0)
      let manifest = try tool.text("out/manifest.json")
      let other = manifest.replacing(#""documents":3,"#, with: #""documents":5,"#)
      try #require(other != manifest)
      try tool.write(other, to: "out/manifest.json")
      let verified = try await tool.bare(["export", "verify", "out"]).expect(code)
      #expect(verified.output.contains("it holds 3 documents, and 5 in the manifest") == (code == 1))
    }
  }

  @Test(
    "A file beside the manifest of an empty export is reported, and not taken for a part of it.",
    arguments: [true, false]
  )
  func stray(hasKind: Bool) async throws {
    try await withMini { tool, mini in
      try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0)
      let folder = "nightly/\(try tool.scheduledExport(0))"
      let manifest = try tool.text("\(folder)/manifest.json")
      let kind = #""kind":"jsonl","#
      #expect(manifest.contains(kind))
      // Earlier versions did not record it.
      if !hasKind { try tool.write(manifest.replacing(kind, with: ""), to: "\(folder)/manifest.json") }
      try await tool.bare(["export", "verify", "nightly"]).expect(0)
      try tool.write(documentLine("users/1", 1) + "\n", to: "\(folder)/users.jsonl")
      let verified = try await tool.bare(["export", "verify", "nightly"]).expect(1)
      #expect(verified.output == "\(folder)/users.jsonl\tit is not in the manifest\n")
      try await tool.bare(["import", folder] + tool.place).expectFailure(65, folder, "users.jsonl")
      #expect(mini.snapshot().isEmpty)
    }
  }
}
