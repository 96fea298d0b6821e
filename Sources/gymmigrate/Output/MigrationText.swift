import Files
import FirestoreModels
import MigrationEngine

/// What a plan or an apply prints of one migration.
enum MigrationText {
  /// Totals a collection, reasons, findings, and the first differences field by field.
  static func plan(_ report: MigrationReport) -> TerminalText {
    var lines: [TerminalText] = ["\(report.migration): \(toDo(report))"]
    for (path, count) in report.changes.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(path): \(documents(count)) to change")
    }
    lines += details(report)
    for change in report.examples { lines += example(change) }
    return "\(lines.joined(separator: "\n"))\n"
  }

  /// Totals and findings.
  static func applied(_ report: MigrationReport) -> TerminalText {
    let heading = report.changeCount == 0 ? "nothing to change" : "\(documents(report.changeCount)) changed"
    let lines: [TerminalText] = ["\(report.migration): \(heading)"] + details(report)
    return "\(lines.joined(separator: "\n"))\n"
  }

  private static func toDo(_ report: MigrationReport) -> String {
    if report.changeCount == 0 { return "nothing to change" }
    let updates = report.changeCount - report.creations - report.deletions
    return
      "\(NumberText.grouped(report.creations)) to create, \(NumberText.grouped(updates)) to update, \(NumberText.grouped(report.deletions)) to delete"
  }

  private static func details(_ report: MigrationReport) -> [TerminalText] {
    var lines: [TerminalText] = []
    for (reason, count) in report.reasons.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(reason): \(NumberText.grouped(count))")
    }
    for (group, count) in report.findings.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(label(of: group.kind)) \(group.code): \(NumberText.grouped(count))")
    }
    return lines
  }

  private static func label(of kind: Finding.Kind) -> String {
    switch kind {
    case .review: "for review,"
    case .reject: "left alone,"
    case .note: "note,"
    }
  }

  private static func example(_ change: Change) -> [TerminalText] {
    let mark = change.before == nil ? "+" : change.isDeletion ? "-" : "~"
    return ["  \(mark) \(change.path)"]
      + change.differences.map { difference -> TerminalText in
        let before = difference.before.map(ValueText.text) ?? "(none)"
        let after =
          difference.isServerTime ? "(server time)" : difference.after.map(ValueText.text) ?? "(none)"
        return "      \(difference.path): \(before) -> \(after)"
      }
  }

  private static func documents(_ count: Int) -> String {
    count == 1 ? "1 document" : "\(NumberText.grouped(count)) documents"
  }
}
