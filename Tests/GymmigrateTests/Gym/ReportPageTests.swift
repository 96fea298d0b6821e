import Foundation
import TestSupport
import Testing

@Suite("The page of a report", .timeLimit(.minutes(60)))
struct ReportPageTests {
  /// A page that shows another one in frames of some widths, and says whether that one fits into each.
  private static let frames = """
    <!DOCTYPE html><meta charset="utf-8"><body><script>
    for (const width of [1280, 390]) {
      const frame = document.createElement('iframe');
      frame.style.cssText = `width:${width}px;height:200px;border:0`;
      frame.src = 'report.html';
      frame.onload = () => {
        const found = document.createElement('p');
        const root = frame.contentDocument.documentElement;
        found.textContent = `${width}: ${root.scrollWidth <= root.clientWidth ? 'fits' : root.scrollWidth}`;
        document.body.append(found);
      };
      document.body.append(frame);
    }
    </script>
    """

  @Test(
    "Nothing overflows on a telephone or on a screen, whatever documents hold.",
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
      let frames = try tool.write(Self.frames, to: "frames.html")
      let page = try await Browser.page(
        at: URL(fileURLWithPath: frames).absoluteString,
        options: ["--allow-file-access-from-files", "--virtual-time-budget=10000"],
        in: tool.folder
      )
      for width in [1280, 390] {
        #expect(page.dom.contains("<p>\(width): fits</p>"), "\(page.dom.suffix(300))")
      }
    }
  }

  @Test("What cannot be written is found out before anything is read, and nothing is left of it.")
  func refusals() async throws {
    let mini = try MiniFirestore.withSamples(["products"])
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("report", "week", "-o", "nowhere/r.html").expectFailure(73, "nowhere")
      try await tool.run("report", "week", "-o", "r.csv").expectFailure(64, "'r.csv'")
      try await tool.run("report", "month", "2026-13").expectFailure(64, "2026-13")
      try await tool.run("report", "owner", "--from", "2026-02-01", "--to", "2026-01-01").expectFailure(
        64,
        "before"
      )
      try await tool.run("report", "week", "--lang", "fr").expectFailure(64, "'fr'")
      try await tool.bare(["report", "week"] + tool.place + ["--schema", "none"]).expectFailure(64, "gym")
      #expect(mini.requestCount(.runQuery) + mini.requestCount(.list) == 0)
      #expect(!tool.exists("r.csv") && tool.names(in: ".").allSatisfy { !$0.hasSuffix(".html") })
    }
  }
}
