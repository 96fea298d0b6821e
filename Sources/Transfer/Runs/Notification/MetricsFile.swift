import Configuration
import Files
import FirestoreREST
import Platform

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A metrics file for Prometheus' textfile collector, which is valid in its text format and as OpenMetrics.
///
/// It has a series for each environment and command, so one file serves all of them.
package struct MetricsFile {
  private let path: String

  package init(_ path: String) { self.path = path }

  /// Adds a report to the file, which is replaced.
  ///
  /// - Throws: `.cannotWrite`, including for a file with other contents.
  package func record(_ report: RunReport) throws(Failure) {
    // The lock prevents two runs that end at the same time from dropping each other's values.
    let (folder, error) = SystemCall.open(FilePaths.folder(of: path), O_RDONLY)
    guard folder >= 0 else { throw .cannotWrite(path, errno: error) }
    defer { close(folder) }
    flock(folder, LOCK_EX)
    let (status, code) = SystemCall.status(path)
    guard status != nil || code == ENOENT else { throw .cannotWrite(path, errno: code) }
    let before = try status.map { status throws(Failure) in try text(status) }
    try OutputFile.write(Array(Self.text(adding: report, to: before ?? "").utf8), to: path)
    // The collector is another user, and the file contains no personal data.
    if before == nil { chmod(path, 0o644) }
  }

  private func text(_ status: stat) throws(Failure) -> String {
    if status.isRegularFile, status.st_size <= Self.maximumBytes,
      let bytes = FileManager.default.contents(atPath: path)
    {
      let text = String(decoding: bytes, as: UTF8.self)
      if text.isEmpty || text.hasPrefix(Self.beginning) { return text }
    }
    throw .cannotWrite(path, "it is there, and not a file of metrics that gymmigrate wrote")
  }

  private static let maximumBytes = 1 << 20
  private static let beginning = "# HELP gymmigrate_"

  // MARK: The text

  private typealias Metric = (name: String, help: String, value: @Sendable (RunReport) -> Double?)

  /// The metrics; nil for no new value.
  ///
  /// Names end in their unit, as promtool requires.
  private static let metrics: [Metric] = [
    (
      success, "When the command last ended in 0, in seconds since 1970.",
      { $0.exitCode == 0 ? beginning(of: $0) + $0.durationSeconds : nil }
    ),
    ("last_run_timestamp_seconds", "When it last began.", { beginning(of: $0) }),
    ("last_run_exit_code", "How it ended; 0 is done.", { Double($0.exitCode) }),
    ("last_run_duration_seconds", "How long it took.", { $0.durationSeconds }),
    (
      "last_run_documents", "Documents that it read or made.",
      { Double($0.totals.read) + Double($0.totals.created) }
    ),
    ("last_run_written_documents", "Documents that it wrote.", { Double($0.totals.written) }),
    ("last_run_refused_documents", "Documents that it could not write.", { Double($0.totals.refused) }),
    ("last_run_review_documents", "Documents that need review.", { Double($0.totals.review) }),
    ("last_run_billed_reads", "Reads that are billed for it.", { Double($0.billed.reads) }),
    ("last_run_billed_writes", "Writes that are billed for it.", { Double($0.billed.writes) }),
    ("last_run_billed_deletes", "Deletes that are billed for it.", { Double($0.billed.deletes) }),
    ("last_run_received_bytes", "Bytes that it received.", { Double($0.traffic.bytesIn) }),
    ("last_run_sent_bytes", "Bytes that it sent.", { Double($0.traffic.bytesOut) }),
  ]

  /// The start time in seconds since 1970, to a thousandth.
  private static func beginning(of report: RunReport) -> Double {
    let milliseconds = report.startedAt.seconds * 1000 + Int64(report.startedAt.nanoseconds) / 1_000_000
    return Double(milliseconds) / 1000
  }

  private static let success = "last_success_timestamp_seconds"

  /// Returns the text of a file in which the values of a report replace those of the same environment and command.
  ///
  /// - Parameter before: The previous text of the file; anything that is not one of its own lines is lost.
  package static func text(adding report: RunReport, to before: String) -> String {
    let own = labels(of: report)
    let known = before.split(separator: "\n").compactMap { Sample($0) }
    var lines: [String] = []
    for metric in metrics {
      let name = "gymmigrate_\(metric.name)"
      let value = metric.value(report)
      // The last success is kept when a later run fails.
      let kept = known.filter { sample in
        sample.name == name && (sample.labels != own || value == nil && metric.name == success)
      }
      let samples = kept.map(\.line) + (value.map { ["\(name)\(own) \($0)"] } ?? [])
      lines += ["# HELP \(name) \(metric.help)", "# TYPE \(name) gauge"] + samples
    }
    return lines.joined(separator: "\n") + "\n# EOF\n"
  }

  private static func labels(of report: RunReport) -> String {
    "{env=\"\(escaped(report.environment?.name ?? ""))\",command=\"\(escaped(report.command))\"}"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing(scalar: "\\", with: "\\\\").replacing(scalar: "\"", with: "\\\"")
      .replacing(scalar: "\n", with: "\\n")
  }

  /// A line with a value.
  private struct Sample {
    let line: String
    let name: String
    let labels: String

    init?(_ line: Substring) {
      guard let open = line.firstIndex(of: "{"), let close = line.lastIndex(of: "}"), open < close,
        line[open...close].hasPrefix("{env=\""), line[...close].hasSuffix("\"}"),
        line[line.index(after: close)...].first == " ", Double(line[close...].dropFirst(2)) != nil
      else { return nil }
      (self.line, name, labels) = (String(line), String(line[..<open]), String(line[open...close]))
    }
  }
}
