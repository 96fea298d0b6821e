import Configuration
import FirestoreModels
import Foundation
import Runs
import TestSupport
import Testing

@testable import MigrationEngine

@Suite("Limits of a plan's page")
struct PlanPageLimitsTests {
  private func withRun(
    changes: Int,
    _ limit: (inout PlanPage.Limits) -> Void = { _ in },
    _ expect: (String) throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let database = DatabaseName(project: "p")
      let run = try RunDirectory(in: folder.path + "/state", command: "migrate")
      let plan = PlanFileWriter(
        run.file("plan.jsonl"),
        of: DatabaseEnvironment(name: "test", database: database)
      )
      let lists = FindingLists(run)
      let planned = LedgerEntry.Applied(id: "is-active", checksum: nil)
      for number in 0..<changes {
        // One of a collection of its own, to be deleted, created or updated in turn.
        let path = try #require(DocumentPath("groups/g\(number)/members/m"))
        let fields = ["a": .integer(1), "b": .integer(1), "c": .integer(1)] as FieldMap
        let before =
          number % 3 == 1
          ? nil : RawDocument(path: path, fields: fields, updateTime: Timestamp(seconds: 1_000))
        let after = number % 3 == 0 ? nil : number % 3 == 1 ? fields : FieldMap()
        try await plan.append([Change(path: path, before: before, after: after)], by: planned)
        let finding = Finding(.reject, path: path, code: "wrong-type", message: "It is wrong.")
        try lists.add([finding], of: "x", document: RawDocument(path: path, fields: fields))
      }
      try await plan.flush()
      var page = PlanPage(
        run: run,
        command: "migrate plan x",
        environment: DatabaseEnvironment(name: "test", database: database),
        reports: [],
        collections: [],
        totals: PlanTotals([MigrationReport(migration: "x")], RunCounts()),
        cost: CostEstimate(Cost(), at: .nam5)
      )
      limit(&page.limits)
      let path = folder.path + "/plan.html"
      try page.write(to: path)
      try expect(try String(contentsOfFile: path, encoding: .utf8))
    }
  }

  private func count(_ text: String, in page: String) -> Int { page.components(separatedBy: text).count - 1 }

  @Test("What is over the limit is counted, and it is said where it is")
  func items() async throws {
    try await withRun(changes: 1005, { $0.items = 1002 }) { page in
      #expect(count("<li class=\"change\"", in: page) == 1002)
      #expect(page.contains("1,002 of 1,005 shown; all are in plan.jsonl of the run's folder."))
      #expect(page.contains("1,002 of 1,005 shown; all are in rejects.jsonl of the run's folder."))
      #expect(
        page.contains("1,002 of 1,005 shown; all are in findings.csv of the run's folder. It has 3 more.")
      )
      // All are in the totals, and in one row.
      #expect(page.contains("<b>335</b> to create") && page.contains("<b>335</b> to delete"))
      #expect(page.contains("<th scope=\"row\"><bdi>groups/*/members</bdi></th>"))
      #expect(page.contains("aria-label=\"1,005 of 1,005 documents change\""))
    }
  }

  @Test("Large changes are fewer")
  func bytes() async throws {
    try await withRun(changes: 3, { $0.bytes = 1 }) { page in
      #expect(count("<li class=\"change\"", in: page) == 1)
      #expect(page.contains("1 of 3 shown; all are in plan.jsonl"))
    }
  }

  @Test("A change of many fields shows the first ones")
  func differences() async throws {
    try await withRun(changes: 1, { $0.differences = 1 }) { page in
      #expect(page.contains("… and 2 more, which are in plan.jsonl"))
      #expect(count("<del>", in: page) == 1)
    }
  }

  @Test("A plan without changes has a page, too")
  func empty() async throws {
    try await withRun(changes: 0) { page in
      #expect(page.contains("<b>0</b> to update"))
      #expect(page.contains("0 shown, which is all."))
      for list in ["review", "rejects", "findings"] { #expect(!page.contains("data-list=\"\(list)\"")) }
    }
  }

  @Test(
    "Markup, quotes and what nobody sees are written out",
    arguments: [
      ("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"), ("\u{0}\u{1F}\u{7F}\u{9F}", "\\u0000\\u001f\\u007f\\u009f"),
      ("\u{2027}\u{2028}\u{202E}\u{202F}", "\u{2027}\\u2028\\u202e\u{202F}"),
      ("\u{61C}\u{200D}\u{200E}\u{200F}\u{2010}", "\\u061c\u{200D}\\u200e\\u200f\u{2010}"),
      ("\u{2066}\u{2069}\r\n\tñ😀", "\\u2066\\u2069\\u000d\n\tñ😀"),
    ]
  )
  func escaping(text: String, markup: String) {
    let html: Markup = "\(text)"
    #expect(Array(markup.utf8) == html.bytes)
  }

  @Test("A long text is cut between its characters of Unicode, and its length told")
  func cutting() {
    for (text, markup) in [
      ("ñññ", "ñññ"), ("ññññ", "ñññ<span class=\"cut\">… (4 characters)</span>"), ("abc", "abc"),
      ("😀<😀<", "😀&lt;😀<span class=\"cut\">… (4 characters)</span>"),
    ] {
      let html: Markup = "\(text, maximum: 3)"
      #expect(String(decoding: html.bytes, as: UTF8.self) == markup)
    }
  }
}
