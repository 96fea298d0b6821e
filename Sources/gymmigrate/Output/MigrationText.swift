import MigrationEngine

/// What a plan or an apply prints about one migration.
enum MigrationText {
  /// The number of collections to show.
  private static let shown = 20

  /// Totals per collection, reasons, findings, and the first differences by field.
  static func plan(_ report: MigrationReport) -> TerminalText {
    var lines: [TerminalText] = ["\(report.migration): \(toDo(report.changes))"]
    let changes = report.changes.byPattern
    let collections = changes.collections
    for path in collections.prefix(shown) { lines.append("  \(path): \(toDo(changes, in: path))") }
    lines += more(collections)
    lines += details(report)
    for change in report.examples { lines += example(change) }
    return "\(lines.joined(separator: "\n"))\n"
  }

  /// The combined changes of several migrations, by collection.
  static func together(_ totals: PlanTotals) -> TerminalText {
    var lines: [TerminalText] = ["In all: \(toDo(totals.changes))"]
    let collections = totals.changes.collections
    for path in collections.prefix(shown) {
      let all = NumberText.counted(totals.documents(of: path), "document")
      lines.append("  \(path): \(toDo(totals.changes, in: path)), of \(all)")
    }
    lines += more(collections)
    return "\(lines.joined(separator: "\n"))\n"
  }

  private static func more(_ collections: [CollectionPath]) -> [TerminalText] {
    let more = collections.count - shown
    return more > 0 ? ["  and \(NumberText.grouped(more)) more collections"] : []
  }

  /// Totals and findings.
  static func applied(_ report: MigrationReport) -> TerminalText {
    let isIdle = report.changeCount == 0 && !report.findings.keys.contains { $0.kind == .reject }
    let changed = NumberText.counted(report.changeCount, "document")
    let heading = isIdle ? "nothing to change" : "\(changed) changed"
    let lines: [TerminalText] = ["\(report.migration): \(heading)"] + details(report)
    return "\(lines.joined(separator: "\n"))\n"
  }

  /// `182 to create, 2 to update, 0 to delete`, in one collection or in all.
  private static func toDo(_ changes: ChangeCounts, in collection: CollectionPath? = nil) -> String {
    if changes.total(in: collection) == 0 { return "nothing to change" }
    return Change.Kind.allCases.map { kind in
      "\(NumberText.grouped(changes.count(kind, in: collection))) to \(kind.rawValue)"
    }.joined(separator: ", ")
  }

  private static func details(_ report: MigrationReport) -> [TerminalText] {
    var lines: [TerminalText] = []
    for (reason, count) in report.reasons.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(reason.string): \(NumberText.grouped(count))")
    }
    for (group, count) in report.findings.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(group.kind.label), \(group.code): \(NumberText.grouped(count))")
    }
    return lines
  }

  /// A document's differences by field, before and after.
  static func example(_ change: Change) -> [TerminalText] {
    let (mark, color): (String, TextColor) =
      change.before == nil ? ("+", .green) : change.isDeletion ? ("-", .red) : ("~", .yellow)
    let heading: TerminalText = "\(mark) \(change.path)"
    return ["  \(heading.colored(color, if: Colors.output))"]
      + change.differences.map { difference -> TerminalText in
        let values = ValueText.pair(difference.before, difference.after)
        let after = difference.isServerTime ? "(server time)" : values.after
        return "      \(difference.path): \(values.before) -> \(after)"
      }
  }
}
