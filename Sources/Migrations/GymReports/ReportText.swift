package import Files

extension OwnerReport {
  /// The report for a terminal, with bars of up to 24 characters.
  package func text(_ words: ReportWords) -> TerminalText {
    var lines: [TerminalText] = ["\(words[.title])  \(ReportWords.period(days))", ""]
    let totals = totals(words)
    let width = totals.map(\.label.count).max() ?? 0
    for total in totals {
      let label = total.label.padded(to: width)
      lines.append("\(label)  \(total.text)\(total.note.isEmpty ? "" : "  (\(total.note))")")
    }
    for table in tables(words) {
      lines += ["", "\(table.title)"]
      if table.rows.isEmpty { lines.append("  \(words[.none])") }
      let most = table.rows.compactMap(\.value).max() ?? 0
      let width = table.rows.map(\.label.count).max() ?? 0
      let numbers = table.rows.map(\.text.count).max() ?? 0
      for row in table.rows {
        let bar = row.value.map { Self.bar($0, of: most) } ?? ""
        let text = String(repeating: " ", count: numbers - row.text.count) + row.text
        lines.append("  \(row.label.padded(to: width))  \(text)\(bar.isEmpty ? "" : "  \(bar)")")
      }
      if let note = table.note { lines.append("  \(note)") }
    }
    if let leftOut = leftOut(words) { lines += ["", "\(leftOut)"] }
    return "\(lines.joined(separator: "\n"))\n"
  }

  /// A bar, to an eighth of a character.
  private static func bar(_ value: Int, of most: Int) -> String {
    guard most > 0, value > 0 else { return "" }
    let eighths = max(1, Int((Double(value) / Double(most) * 24 * 8).rounded()))
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}
