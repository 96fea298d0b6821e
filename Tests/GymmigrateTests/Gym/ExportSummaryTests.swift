import Foundation
import TestSupport
import Testing

@Suite("An export with a summary", .timeLimit(.minutes(60)))
struct ExportSummaryTests {
  @Test("What has no one workbook to stand in, or would count a part, is refused before anything is read.")
  func refusals() async throws {
    try await withMini(.withSamples(["products"])) { tool, mini in
      let all = ["export", "--all"] + tool.place
      for (options, text) in [
        (["--summary", "-o", "x.csv"], ".xlsx"), (["--summary", "-o", "d/", "--format", "xlsx"], ".xlsx"),
        (["--summary", "-o", "x.xlsx", "--limit", "3"], "whole"),
        (["--summary", "-o", "x.xlsx", "--where", "isActive == true"], "whole"),
        (["--summary", "-o", "x.xlsx", "--fields", "id"], "whole"),
        (["--summary-from", "2026-01-01", "-o", "x.xlsx"], "go with --summary"),
        (["--summary", "--summary-to", "2026-01-01", "-o", "x.xlsx"], "both"),
        (
          ["--summary", "-o", "x.xlsx", "--summary-from", "2026-02-01", "--summary-to", "2026-01-31"],
          "before"
        ),
        (["--summary", "-o", "x.xlsx", "--schema", "none"], "about the gym's collections"),
      ] {
        try await tool.bare(all + options).expectFailure(64, text)
      }
      try await tool.run("export", "products", "--summary", "-o", "x.xlsx").expectFailure(64, "--all")
      #expect(mini.requestCount(.runQuery) + mini.requestCount(.list) == 0)
      #expect(!tool.exists("x.xlsx") && !tool.exists("x.csv") && !tool.exists("d"))
    }
  }

  @Test("The summary costs no read, and the workbook imports as the database that it was made of.")
  func roundTrip() async throws {
    try await withTool { tool in
      let files = try Samples.all().map { Samples.file($0) }
      try await tool.bare(["import"] + files + ["-q"] + tool.place).expect(0)
      var reads: [Int] = []
      for options in [[], ["--summary"]] {
        let export = try await tool.bare(
          ["export", "--all", "--subcollections", "-o", "gym\(options.count).xlsx", "--json"] + options
            + tool.place
        ).expect(0)
        reads.append(try export.summary().totals.read)
      }
      #expect(reads[0] == reads[1])
      let other = ["-e", "local", "--project", "another", "--schema", "gym"]
      try await tool.bare(["import", "gym1.xlsx", "-q", "--validate", "off", "--keep-spaces"] + other).expect(
        0
      )
      for (folder, place) in [("a", tool.place), ("b", other)] {
        try await tool.bare(
          ["export", "--all", "--subcollections", "-o", folder, "--format", "jsonl", "-q"] + place
        ).expect(0)
      }
      let diff = try await tool.bare(["diff", "--all", "--from", "a", "--to", "b"]).expect(0)
      // As many documents as the sample has lines.
      #expect(diff.errors.contains("5,009 same"))
    }
  }
}
