import Foundation
import TestSupport
import Testing

@Suite("The page of a report", .timeLimit(.minutes(60)))
struct ReportPageTests {
  @Test(
    "On a telephone and on a screen, by light and in the dark, nothing overflows or is faint, whatever documents hold.",
    .enabled(if: Browser.isThere, "Chromium judges the layout.")
  )
  func widths() async throws {
    try await withTool { tool in
      let files = try Samples.all().map { Samples.file($0) }
      try await tool.bare(["import"] + files + ["-q"] + tool.place).expect(0)
      let long = String(repeating: "Nombre", count: 40)
      try tool.write(
        """
        {"fields":{"firstName":{"stringValue":"\(long)"},"isActive":{"booleanValue":true},\
        "membershipStatus":{"stringValue":"\(long)"}},"name":"members/long"}
        {"fields":{"amount":{"doubleValue":999999999.99},"createdAt":{"timestampValue":"2025-06-01T12:00:00Z"},\
        "method":{"stringValue":"\(long)"},"status":{"stringValue":"completed"},"type":{"stringValue":"\(long)"}},\
        "name":"payments/long"}
        {"fields":{"name":{"stringValue":"\(long)"},"stock":{"integerValue":"-9223372036854775808"}},"name":"products/long"}

        """,
        to: "long.jsonl"
      )
      try await tool.run("import", "long.jsonl", "-q", "--validate", "off").expect(0)
      try await tool.run("report", "owner", "--from", "2025-01-01", "--to", "2025-12-31", "-o", "report.html")
        .expect(0)
      let faults = try await PageJudge.faults(of: "report.html", in: tool)
      #expect(faults == [])
    }
  }

  @Test("It says where and when it was read, has a bar for each day, and says that there is nothing.")
  func content() async throws {
    try await withTool { tool in
      let files = try Samples.all().map { Samples.file($0) }
      try await tool.bare(["import"] + files + ["-q"] + tool.place).expect(0)
      try await tool.run("report", "month", "2026-01", "-o", "january.html", "--lang", "en").expect(0)
      let page = try tool.text("january.html")
      #expect(page.contains("local, projects/") && page.contains("read at 20"))
      for day in 1...31 {
        #expect(page.contains("<title>2026-01-\(day < 10 ? "0" : "")\(day): "), "January \(day) has no bar")
      }
      #expect(!page.contains("There are no payments"))
      let empty = try await tool.run("report", "month", "2031-02", "-o", "empty.html", "--lang", "en")
      #expect(empty.errors.contains("See empty.html."), "\(empty.errors)")
      let emptyPage = try tool.text("empty.html")
      #expect(emptyPage.contains("There are no payments and no check-ins in these days."))
      let january = try await tool.run("report", "month", "2026-01").output
      #expect((10...31).allSatisfy { january.contains("  2026-01-\($0) ") }, "days without check-ins, too")
      let text = try await tool.run("report", "month", "2031-02")
      #expect(text.output.contains("No hay pagos ni asistencias en estos días."))
    }
  }

  @Test("Check-ins without a time are counted, although no query finds them.")
  func undated() async throws {
    try await withTool { tool in
      try await tool.load([
        "check_ins/1": ["checkInDate": t("2026-01-05T18:00:00Z")],
        "check_ins/2": ["checkInDate": t("2020-01-05T18:00:00Z")],
        "check_ins/3": ["checkInDate": s("2026-01-05")], "check_ins/4": ["memberId": s("m")],
      ])
      let report = try await tool.run("report", "month", "2026-01", "--lang", "en")
      #expect(report.output.contains("in pesos: check-ins 2"), "\(report.output)")
    }
  }

  @Test("What cannot be written is found out before anything is read, and nothing is left of it.")
  func refusals() async throws {
    try await withMini(.withSamples(["products"])) { tool, mini in
      try await tool.run("report", "week", "-o", "nowhere/r.html").expectFailure(73, "nowhere")
      try await tool.run("report", "week", "-o", "r.csv").expectFailure(64, "'r.csv'")
      try await tool.run("report", "month", "2026-13").expectFailure(64, "2026-13")
      try await tool.run("report", "owner", "--from", "2026-02-01", "--to", "2026-01-01").expectFailure(
        64,
        "before"
      )
      try await tool.run("report", "week", "--lang", "fr")
        .expectFailure(64, "'fr'", "'es' and 'en'")
      try await tool.bare(["report", "week"] + tool.place + ["--schema", "none"]).expectFailure(64, "gym")
      #expect(mini.requestCount(.runQuery) + mini.requestCount(.list) == 0)
      #expect(!tool.exists("r.csv") && tool.names(in: ".").allSatisfy { !$0.hasSuffix(".html") })
    }
  }
}
