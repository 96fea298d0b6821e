import MigrationEngine

extension OwnerReport {
  /// Returns the report as a self-contained HTML page with inline SVG charts, each of which also has its numbers as text.
  ///
  /// It is legible without scripts, in print, in dark mode and on a phone.
  ///
  /// - Parameters:
  ///   - place: The environment and the database from which it was read.
  ///   - readTime: The read time; nil if each page was read at its present time.
  package func page(_ words: ReportWords, of place: String, at readTime: Timestamp?) -> [UInt8] {
    let title = words[.title]
    let period = ReportWords.period(days)
    let source = [place, readTime.map { "\(words[.readAt]) \($0)" }].compactMap { $0 }.joined(separator: ", ")
    let totals = totals(words).map { total -> Markup in
      """
      <li><span class="soft">\(total.label)</span><b>\(total.text)</b>\
      \("<span class=\"soft\">\(total.note)</span>", if: !total.note.isEmpty)</li>

      """
    }
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="\(words.language.rawValue)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <title>\(title) \(period)</title>
      <style>
      \(source: String(decoding: PackageResources.report_page_css, as: UTF8.self))</style>
      </head>
      <body>
      <h1>\(title)</h1>
      <p class="soft">\(period)</p>
      <p class="soft">\(source)</p>
      \("<p><b>\(words[.nothing])</b></p>\n", if: isEmpty)\
      <ul class="totals">
      \(totals)</ul>
      <main>
      \(tables(words).map { Self.section($0.withEveryDay(of: days), words) })</main>
      \(leftOut(words).map(Self.paragraph) ?? "")</body>
      </html>

      """
    return page.bytes
  }

  private static func paragraph(_ text: String) -> Markup { "<p class=\"soft\">\(text)</p>\n" }

  private static func section(_ table: ReportTable, _ words: ReportWords) -> Markup {
    let content =
      table.rows.isEmpty
      ? paragraph(words[.none]) : table.shape == .series ? chart(table) : bars(table)
    return """
      <section\(" class=\"broad\"", if: table.shape == .series)>
      <h2>\(table.title)</h2>
      \(content)\(table.note.map(paragraph) ?? "")</section>

      """
  }

  /// A column chart with the numbers below it.
  private static func chart(_ table: ReportTable) -> Markup {
    let most = max(1, table.rows.compactMap(\.value).max() ?? 0)
    let columns = table.rows.enumerated().map { index, row -> Markup in
      let height = (row.value ?? 0) * 1000 / most
      return """
        <rect class="v" x="\(index * 10 + 1)" y="\(1000 - height)" width="8" height="\(height)">\
        <title>\(row.label): \(row.text)</title></rect>

        """
    }
    return """
      <svg class="chart" preserveAspectRatio="none" role="img" viewBox="0 0 \(table.rows.count * 10) 1000" \
      aria-label="\(table.title)">
      \(columns)<path class="axis" d="M0 1000H\(table.rows.count * 10)"/></svg>
      <p class="axis soft"><span>\(table.rows.first?.label ?? "")</span>\
      <span>\(table.rows.last?.label ?? "")</span></p>
      <ul class="numbers">
      \(table.rows.map { "<li><span>\($0.label)</span><span class=\"n\">\($0.text)</span></li>\n" })</ul>

      """
  }

  /// A table with a bar in each row.
  private static func bars(_ table: ReportTable) -> Markup {
    let most = max(1, table.rows.compactMap(\.value).max() ?? 0)
    func bar(_ value: Int) -> Markup {
      """
      <td class="bar"><svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">\
      <rect width="1000" height="10"/><rect class="v" height="10" width="\(value * 1000 / most)"/></svg></td>
      """
    }
    let rows = table.rows.map { row -> Markup in
      """
      <tr><th scope="row">\(row.label)</th><td class="n">\(row.text)</td>\(row.value.map(bar) ?? "")</tr>

      """
    }
    return """
      <table>
      <thead><tr><th scope="col">\(table.columns.label)</th>\
      <th scope="col" class="n">\(table.columns.text)</th>\
      \("<td></td>", if: table.shape == .headings)</tr></thead>
      <tbody>
      \(rows)</tbody>
      </table>

      """
  }
}

extension ReportTable {
  /// A leap year; over longer periods, days without data are omitted.
  private static let mostDays = 366

  /// Returns a series of days, including the days in between without data.
  func withEveryDay(of days: ClosedRange<CalendarDay>) -> ReportTable {
    let count = days.upperBound.number - days.lowerBound.number + 1
    let known = Dictionary(rows.compactMap { row in row.isOneDay ? row.start.map { ($0, row) } : nil }) { $1 }
    guard shape == .series, !known.isEmpty, known.count == rows.count, count <= Self.mostDays else {
      return self
    }
    var table = self
    table.rows = (days.lowerBound.number...days.upperBound.number).map { number in
      let day = CalendarDay(number: number)
      return known[day] ?? Row(label: day.text, start: day, value: 0, content: .count(0))
    }
    return table
  }
}

extension ReportTable.Row {
  /// Whether the row represents a single day.
  fileprivate var isOneDay: Bool { start?.text.isIdentical(to: label) ?? false }
}
