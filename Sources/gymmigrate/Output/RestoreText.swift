import Restoration

enum RestoreText {
  /// What was written since, followed by what is to be done, one line per collection.
  static func plan(_ report: RestoreReport) -> [TerminalText] {
    let lines = report.rows.map { row -> TerminalText in
      "\(row.name): \(NumberText.grouped(row.creates)) to create, \(NumberText.grouped(row.updates)) to update, \(NumberText.grouped(row.deletes)) to delete\(kept(row))"
    }
    return [since(report.numbers)] + (lines.isEmpty ? [nothing(report)] : lines)
  }

  /// What was done, one line per collection; what was written since is printed earlier.
  static func done(_ report: RestoreReport) -> [TerminalText] {
    let lines = report.rows.map { row -> TerminalText in
      "\(row.name): \(NumberText.grouped(row.creates)) created, \(NumberText.grouped(row.updates)) updated, \(NumberText.grouped(row.deletes)) deleted\(kept(row))\(row.conflicts == 0 ? "" : ", \(NumberText.grouped(row.conflicts)) conflicts")"
    }
    return lines.isEmpty ? [nothing(report)] : lines
  }

  static func text(_ lines: [TerminalText]) -> TerminalText { "\(lines.joined(separator: "\n"))\n" }

  private static func nothing(_ report: RestoreReport) -> TerminalText {
    report.leavesSome ? "Nothing to restore besides what is left alone." : "Nothing to restore."
  }

  private static func kept(_ row: RestoreReport.Row) -> TerminalText {
    row.kept == 0 ? "" : ", \(NumberText.grouped(row.kept)) kept"
  }

  private static func since(_ numbers: RestoreNumbers) -> TerminalText {
    guard let moment = numbers.moment else {
      return
        "What was written since the backup is not known: it does not say when it was made, or is of another database."
    }
    return
      "Since \(moment): \(NumberText.counted(numbers.written, "document")) written, \(NumberText.counted(numbers.deleted, "document")) deleted."
  }
}
