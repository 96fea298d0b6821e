import Configuration
import Files
import FirestoreModels
import Foundation
import Runs
import TestSupport
import Testing

@Suite("Metrics of runs")
struct MetricsFileTests {
  private func report(
    _ command: String = "export",
    in name: String = "prod",
    code: Int32 = 0
  ) throws -> RunReport {
    var report = RunReport(command: command, startedAt: try #require(Timestamp("2026-01-31T02:00:00.25Z")))
    report.environment = DatabaseEnvironment(name: name, database: DatabaseName(project: "p"))
    (report.exitCode, report.durationSeconds) = (code, 2.5)
    (report.totals.read, report.totals.created, report.totals.review) = (400, 3, 42)
    report.billed = Cost(reads: 414, writes: 268, deletes: 1)
    return report
  }

  /// The values by name and labels.
  private func values(_ text: String) -> [String: Double] {
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    return lines.reduce(into: [:]) { values, line in
      let parts = line.split(separator: " ")
      values[parts.dropLast().joined(separator: " ")] = parts.last.flatMap { Double($0) }
    }
  }

  @Test("Each environment and command has its series, and a run that failed leaves the last success.")
  func series() throws {
    let first = MetricsFile.text(adding: try report(), to: "")
    let other = MetricsFile.text(adding: try report("migrate apply", code: 2), to: first)
    var failed = try report(code: 69)
    failed.totals.read = 7
    failed.startedAt = try #require(Timestamp("2026-02-01T02:00:00.125Z"))
    let found = values(MetricsFile.text(adding: failed, to: other))
    let own = #"{env="prod",command="export"}"#
    #expect(found["gymmigrate_last_run_exit_code\(own)"] == 69)
    #expect(found["gymmigrate_last_run_documents\(own)"] == 10)
    #expect(found["gymmigrate_last_success_timestamp_seconds\(own)"] == 1_769_824_802.75)
    #expect(found["gymmigrate_last_run_timestamp_seconds\(own)"] == 1_769_911_200.125)
    let applied = #"{env="prod",command="migrate apply"}"#
    #expect(found["gymmigrate_last_run_review_documents\(applied)"] == 42)
    #expect(found["gymmigrate_last_run_billed_reads\(applied)"] == 414)
    #expect(found["gymmigrate_last_success_timestamp_seconds\(applied)"] == nil)
    #expect(found.count == 13 + 12)
  }

  @Test("What else is in the text is not kept, and names are escaped.")
  func foreign() throws {
    let odd = try report(in: "a\"b\\c}\n")
    let first = MetricsFile.text(adding: odd, to: "")
    #expect(first.contains(#"{env="a\"b\\c}\n",command="export"}"#))
    let damaged = first + "gymmigrate_last_run_documents{env=\"x\"} many\nother{env=\"x\"} 1\n# HELP x\n"
    #expect(MetricsFile.text(adding: odd, to: damaged) == first)
    #expect(first.hasSuffix("\n# EOF\n"))
  }

  @Test("The file is replaced whole, for others to read, and a file of something else stays.")
  func file() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("gymmigrate.prom").path
      try MetricsFile(path).record(report())
      try MetricsFile(path).record(report("copy"))
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(values(text).count == 26)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o644)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["gymmigrate.prom"])
      let other = folder.appendingPathComponent("passwd").path
      try "root\n".write(toFile: other, atomically: true, encoding: .utf8)
      #expect(throws: Failure.self) { try MetricsFile(other).record(report()) }
      #expect(try String(contentsOfFile: other, encoding: .utf8) == "root\n")
      #expect(throws: Failure.self) { try MetricsFile(folder.path).record(report()) }
    }
  }

  /// Where `scripts/install-test-tools.sh` looks for it, and where it puts it.
  static let promtool: String? = [
    "/usr/bin/promtool", "/usr/local/bin/promtool",
    "\(FileManager.default.currentDirectoryPath)/.build/tools/promtool",
  ].first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test("Prometheus' own tool finds nothing.", .enabled(if: MetricsFileTests.promtool != nil))
  func judged() async throws {
    let text = MetricsFile.text(
      adding: try report("copy", in: "a\"b"),
      to: MetricsFile.text(adding: try report(), to: "")
    )
    let result = try await BinaryRunner(executable: Self.promtool ?? "").run(
      ["check", "metrics"],
      input: Array(text.utf8)
    )
    #expect(
      result.exitCode == 0 && result.output.isEmpty && result.errors.isEmpty,
      "\(result.errors)\(result.output)"
    )
  }
}
