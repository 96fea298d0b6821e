import Integrity

/// The output of a check: a table at the end, or JSON as findings are made.
struct CheckOutput {
  private var report: IntegrityReport
  private var stream: FindingStream?

  init(_ check: IntegrityCheck, examples: Int, asJSON: Bool) {
    report = IntegrityReport(rules: check.rules, examples: examples)
    stream = asJSON ? FindingStream { try StandardOutput.write(data: $0) } : nil
  }

  /// The number of findings of each rule that has any.
  var counts: [String: Int] {
    let found = report.rules.filter { report[$0].count > 0 }
    return Dictionary(uniqueKeysWithValues: found.map { ($0.name, report[$0].count) })
  }

  /// Whether nothing was found.
  var isEmpty: Bool { report.count == 0 }

  mutating func append(_ finding: IntegrityFinding) throws {
    report.add(finding)
    try stream?.append(finding)
  }

  /// Prints what remains: the table of a completed check, or the end of the JSON, whatever ended the check.
  mutating func end(_ summary: RunSummary) throws {
    if stream == nil {
      let isComplete = summary.status == .done || summary.status == .differences
      if isComplete { try StandardOutput.write(report.table) }
    } else {
      try stream?.end(report, summary: Secrets.redacted(summary.json))
    }
  }
}

enum CheckText {
  /// Prints the object of `check --json` of a divided check.
  ///
  /// - Parameter list: A file with a finding in each line, as JSON; it is missing if there are none.
  static func write(_ report: IntegrityReport, findings list: String, _ summary: RunSummary) throws {
    var stream = FindingStream { try StandardOutput.write(data: $0) }
    if FileCheck.exists(list) {
      var lines = try LineReader(list)
      while try lines.advance() { try lines.withLine { try stream.append(json: $0) } }
    }
    try stream.end(report, summary: Secrets.redacted(summary.json))
  }

  /// Prints each rule with its summary, one per line, separated by a tab, or as an array of `rule` and `summary`.
  static func printRules(_ rules: [IntegrityRule], asJSON: Bool) throws(Failure) {
    if !asJSON {
      return try StandardOutput.write(rules.map { TerminalText("\($0.name)\t\($0.summary)\n") }.joined())
    }
    try StandardOutput.writeArray(of: rules) {
      $0.member("rule", $1.name)
      $0.member("summary", $1.summary)
    }
  }
}
