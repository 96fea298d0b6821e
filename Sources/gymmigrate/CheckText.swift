import Migrations
import Models
import Synchronization
import Transfer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a check prints on standard output: a table at its end, or JSON as the findings come.
final class CheckOutput: Sendable {
  private struct State {
    var report: IntegrityReport
    var stream: FindingStream?
    /// Where the run keeps its summary, once it has a folder.
    var summary: String?
  }

  private let state: Mutex<State>

  init(_ check: IntegrityCheck, examples: Int, asJSON: Bool) {
    state = Mutex(
      State(
        report: IntegrityReport(rules: check.rules, examples: examples),
        stream: asJSON ? FindingStream { try StandardOutput.write($0) } : nil
      )
    )
  }

  /// Whether nothing was found.
  var isEmpty: Bool { state.withLock { $0.report.count == 0 } }

  /// Says where the summary will be.
  func begin(summary: String) { state.withLock { $0.summary = summary } }

  /// Takes a finding.
  func append(_ finding: IntegrityFinding) throws {
    try state.withLock { state in
      state.report.add(finding)
      try state.stream?.append(finding)
    }
  }

  /// Prints what is left: the table of a check that came to its end, or the end of the JSON, whatever ended it.
  func end(exitCode: Int32) throws {
    try state.withLock { state in
      if state.stream == nil {
        let isComplete = exitCode == ExitCodes.done || exitCode == ExitCodes.differences
        if isComplete { try StandardOutput.write(state.report.table) }
      } else {
        let summary = CheckText.summary(state.summary, exitCode)
        try state.stream?.end(state.report, summary: summary)
      }
    }
  }
}

enum CheckText {
  /// The summary that the run kept; its barest members where it came to none.
  static func summary(_ path: String?, _ exitCode: Int32) -> [UInt8] {
    if let path, let kept = contents(of: path), !kept.isEmpty { return kept }
    var summary = RunSummary(command: "check", runID: "-", environment: nil, startedAt: .now)
    summary.status = exitCode == Interruption.exitCode ? .interrupted : .failed
    summary.exitCode = exitCode
    return summary.json
  }

  private static func contents(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      bytes.append(contentsOf: chunk[..<count])
      if count < chunk.count { return ferror(file) == 0 ? bytes : nil }
    }
  }

  /// The rules with what they want, a line each with a tab in between, or as an array of `rule` and `summary`.
  static func rules(asJSON: Bool) -> String {
    if !asJSON {
      return IntegrityRule.allCases.map { "\($0.rawValue)\t\($0.summary)\n" }.joined()
    }
    var json = JSONWriter()
    json.array { list in
      for rule in IntegrityRule.allCases {
        list.object {
          $0.key("rule")
          $0.string(rule.rawValue)
          $0.key("summary")
          $0.string(rule.summary)
        }
      }
    }
    return String(decoding: json.bytes, as: UTF8.self) + "\n"
  }
}
