extension TerminalText {
  /// Returns rows with aligned columns, without trailing white space.
  ///
  /// - Parameter numbers: The columns that are aligned to the right.
  package static func aligned(_ rows: [[String]], numbers: Set<Int> = []) -> [TerminalText] {
    let widths = (rows.first ?? []).indices.map { column in
      rows.map { $0[column].unicodeScalars.count }.max() ?? 0
    }
    return rows.map { row in
      let cells = zip(row.indices, row).map { column, text in
        let space = String(repeating: " ", count: widths[column] - text.unicodeScalars.count)
        return numbers.contains(column) ? space + text : text + space
      }
      var line = cells.joined(separator: "  ")
      while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
      return "\(line)"
    }
  }
}
