package import Tables

extension OwnerReport {
  private static let money = "\"$\"#,##0.00"

  /// Returns the report as a sheet of a workbook, with every number in a separate cell, and a chart wherever other outputs have
  /// bars.
  package func sheet(_ words: ReportWords) -> SummarySheet {
    func money(_ cents: Int) -> SummarySheet.Cell { .number(Double(cents) / 100, format: Self.money) }
    var sections = [
      SummarySheet.Section(
        "",
        headings: [],
        rows: [
          [.text(words[.from]), .day(days.lowerBound)], [.text(words[.to]), .day(days.upperBound)],
          [.text(words[.asOf]), .day(asOf)],
        ]
      )
    ]
    let totals = totals(words).map { total -> [SummarySheet.Cell] in
      [.text(total.label), total.cents.map(money) ?? .empty] + (total.count.map { [.count($0)] } ?? [])
    }
    sections.append(.init("", headings: ["", words[.amount], words[.count]], rows: totals))
    for table in tables(words) {
      let hasDocuments = table.rows.contains { $0.documents != nil }
      sections.append(
        .init(
          table.title,
          headings: [table.columns.label, table.columns.text] + (hasDocuments ? [words[.count]] : []),
          rows: table.rows.map { row in
            let label: SummarySheet.Cell =
              row.start.map { .day($0, format: row.documents == nil ? "yyyy-mm-dd" : "yyyy-mm") }
              ?? .text(row.label)
            let content: SummarySheet.Cell =
              switch row.content {
              case .cents(let cents): money(cents)
              case .count(let count), .stock(.whole(let count)): .count(count)
              case .stock(.fraction(let number)): .number(number, format: "General")
              case .day(let day): .day(day)
              }
            return [label, content] + (row.documents.map { [.count($0)] } ?? [])
          },
          chart: table.shape == .list ? nil : table.shape == .series ? .columns : .bars,
          empty: words[.none],
          note: table.note
        )
      )
    }
    if leftOut(words) != nil {
      let rows = leftOutCounts(words).map { counts -> [SummarySheet.Cell] in
        [.text(counts.label), .count(counts.undated), .count(counts.unreadable)]
      }
      sections.append(
        .init(words[.leftOut], headings: ["", words[.undated], words[.unreadable]], rows: rows)
      )
    }
    return SummarySheet(title: words[.title], sections: sections)
  }

  /// Writes the report as a workbook with this sheet only.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func writeWorkbook(_ path: String, _ words: ReportWords, in zone: LocalTimeZone) throws(Failure) {
    let workbook = try XLSXWriter(path, options: XLSXOptions(timeZone: zone))
    try workbook.summary(named: words.sheetName).write(sheet(words))
    try workbook.finish()
  }
}

extension ReportWords {
  /// The name of the sheet in a workbook.
  package var sheetName: String { self[.sheet] }
}
