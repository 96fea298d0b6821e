package import Files

extension OwnerReport {
  /// Returns the report for a terminal, with bars of up to 24 characters.
  package func text(_ words: ReportWords) -> TerminalText {
    var lines: [TerminalText] = ["\(words[.title])  \(ReportWords.period(days))", ""]
    if isEmpty { lines += ["\(words[.nothing])", ""] }
    let totals = totals(words)
    lines += TerminalText.aligned(
      totals.map { [$0.label, $0.text + ($0.note.isEmpty ? "" : "  (\($0.note))")] }
    )
    for table in tables(words).map({ $0.withEveryDay(of: days) }) {
      lines += ["", "\(table.title)"]
      if table.rows.isEmpty { lines.append("  \(words[.none])") }
      let most = table.rows.compactMap(\.value).max() ?? 0
      let rows = table.rows.map { [$0.label, $0.text, $0.value.map { Self.bar($0, of: most) } ?? ""] }
      lines += TerminalText.aligned(rows, numbers: [1]).map { "  \($0)" }
      if let note = table.note { lines.append("  \(note)") }
    }
    if let leftOut = leftOut(words) { lines += ["", "\(leftOut)"] }
    return "\(lines.joined(separator: "\n"))\n"
  }

  /// A bar with a resolution of an eighth of a character.
  private static func bar(_ value: Int, of most: Int) -> String {
    guard most > 0, value > 0 else { return "" }
    let eighths = max(1, Int((Double(value) / Double(most) * 24 * 8).rounded()))
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }
}
