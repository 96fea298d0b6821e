import Foundation
import TestSupport
import Testing

@Suite("What gymmigrate makes and import does not read", .timeLimit(.minutes(10)))
struct OwnFilesTests {
  @Test("A plan, a review and a report are no documents, and each says where it goes.")
  func lists() async throws {
    try await withStores { tool in
      try await tool.bare(["import", Samples.file("users"), Samples.file("payments"), "-e", "test", "-q"])
        .expect(0)
      try await tool.bare(["migrate", "plan", "users-unify", "-e", "test", "-o", "plan.jsonl", "-q"]).expect(
        0
      )
      let run = try #require(tool.runs().last)
      for list in ["review.csv", "findings.csv"] { try tool.write(tool.text("\(run)/\(list)"), to: list) }
      try await tool.bare(["report", "month", "2026-01", "-e", "test", "-o", "january.xlsx", "-q"]).expect(0)
      for (file, what) in [
        ("plan.jsonl", "'gymmigrate migrate apply --plan FILE'"), ("review.csv", "corrected review.csv"),
        ("findings.csv", "corrected review.csv"), ("january.xlsx", "its sheet 'Resumen' is a report"),
      ] {
        for more in [["-n"], []] {
          try await tool.bare(["import", file, "-e", "stage"] + more).expectFailure(65, file, what)
        }
      }
      try await tool.bare(["migrate", "apply", "users-unify", "--review", "plan.jsonl", "-e", "test"])
        .expectFailure(65, "plan.jsonl", "it is a plan of changes")
      let header = try #require(
        tool.text("review.csv").split(separator: "\r\n").first?.split(separator: "\n").first
      )
      try tool.write("\(header)\na b\"c,d\n", to: "quote.csv")
      try await tool.bare(["migrate", "apply", "users-unify", "--review", "quote.csv", "-e", "test"])
        .expectFailure(65, "'import' with --quote none")
    }
  }

  @Test(
    "A folder of exports by night is none of documents: one is named.",
    arguments: [
      "import nightly -e stage", "find ana --from nightly", "check --from nightly",
      "count users --from nightly", "export users --from nightly -o u.csv",
      "diff users --from nightly --to test",
    ]
  )
  func nights(command: String) async throws {
    try await withStores { tool in
      try await tool.bare(["import", Samples.file("users"), "-e", "test", "-q"]).expect(0)
      let night = ["export", "users", "-e", "test", "-o", "nightly/", "--dated", "--format", "jsonl", "-q"]
      try await tool.bare(night).expect(0)
      let last = try #require(tool.names(in: "nightly").filter { $0.hasSuffix("Z") }.max())
      try await tool.bare(command.split(separator: " ").map(String.init))
        .expectFailure(66, "nightly", "Name one, as nightly/\(last)")
    }
  }
}
