import Integrity
import Synchronization

/// The output of a check: a table at the end, or JSON as findings are made.
final class CheckOutput: Sendable {
  private struct State {
    var report: IntegrityReport
    var stream: FindingStream?
  }

  private let state: Mutex<State>

  init(_ check: IntegrityCheck, examples: Int, asJSON: Bool) {
    state = Mutex(
      State(
        report: IntegrityReport(rules: check.rules, examples: examples),
        stream: asJSON ? FindingStream { try StandardOutput.write(data: $0) } : nil
      )
    )
  }

  /// The number of findings of each rule that has any.
  var counts: [String: Int] {
    state.withLock { state in
      let found = state.report.rules.filter { state.report[$0].count > 0 }
      return Dictionary(uniqueKeysWithValues: found.map { ($0.name, state.report[$0].count) })
    }
  }

  /// Whether nothing was found.
  var isEmpty: Bool { state.withLock { $0.report.count == 0 } }

  func append(_ finding: IntegrityFinding) throws {
    try state.withLock { state in
      state.report.add(finding)
      try state.stream?.append(finding)
    }
  }

  /// Prints what remains: the table of a completed check, or the end of the JSON, whatever ended the check.
  func end(_ summary: RunSummary) throws {
    try state.withLock { state in
      if state.stream == nil {
        let isComplete = summary.status == .done || summary.status == .differences
        if isComplete { try StandardOutput.write(state.report.table) }
      } else {
        try state.stream?.end(state.report, summary: Secrets.redacted(summary.json))
      }
    }
  }
}

enum CheckText {
  /// Prints each rule with its summary, one per line, separated by a tab, or as an array of `rule` and `summary`.
  static func printRules(_ rules: [IntegrityRule], asJSON: Bool) throws(Failure) {
    if !asJSON {
      return try StandardOutput.write(rules.map { TerminalText("\($0.name)\t\($0.summary)\n") }.joined())
    }
    try StandardOutput.writeArray { list in
      list.objects(rules) {
        $0.member("rule", $1.name)
        $0.member("summary", $1.summary)
      }
    }
  }
}
