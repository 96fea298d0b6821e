import FirestoreModels
import MigrationEngine

extension OwnerReport {
  /// The report as one HTML page that needs nothing else: charts are inline SVG, each with its numbers as text.
  ///
  /// It is legible without scripts, in print, in the dark and on a telephone.
  package func page(_ words: ReportWords) -> [UInt8] {
    var html = HTMLWriter()
    html.markup("<!DOCTYPE html>\n<html lang=\"")
    html.text(words.language.rawValue)
    html.markup("\">\n<head>\n<meta charset=\"utf-8\">\n")
    html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    html.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ")
    html.markup("style-src 'unsafe-inline'\">\n<title>")
    html.text("\(words[.title]) \(ReportWords.period(days))")
    html.markup("</title>\n<style>\n")
    html.source(String(decoding: PackageResources.report_page_css, as: UTF8.self))
    html.markup("</style>\n</head>\n<body>\n<h1>")
    html.text(words[.title])
    html.markup("</h1>\n<p class=\"soft\">")
    html.text(ReportWords.period(days))
    html.markup("</p>\n<ul class=\"totals\">\n")
    for total in totals(words) {
      html.markup("<li><span class=\"soft\">")
      html.text(total.label)
      html.markup("</span><b>")
      html.text(total.text)
      html.markup("</b>")
      if !total.note.isEmpty {
        html.markup("<span class=\"soft\">")
        html.text(total.note)
        html.markup("</span>")
      }
      html.markup("</li>\n")
    }
    html.markup("</ul>\n<main>\n")
    for table in tables(words) { Self.write(table, words, to: &html) }
    html.markup("</main>\n")
    if let leftOut = leftOut(words) {
      html.markup("<p class=\"soft\">")
      html.text(leftOut)
      html.markup("</p>\n")
    }
    html.markup("</body>\n</html>\n")
    return html.bytes
  }

  private static func write(_ table: ReportTable, _ words: ReportWords, to html: inout HTMLWriter) {
    html.markup(table.shape == .series ? "<section class=\"broad\">\n<h2>" : "<section>\n<h2>")
    html.text(table.title)
    html.markup("</h2>\n")
    if table.rows.isEmpty {
      html.markup("<p class=\"soft\">")
      html.text(words[.none])
      html.markup("</p>\n")
    } else if table.shape == .series {
      writeSeries(table, to: &html)
    } else {
      writeRows(table, to: &html)
    }
    if let note = table.note {
      html.markup("<p class=\"soft\">")
      html.text(note)
      html.markup("</p>\n")
    }
    html.markup("</section>\n")
  }

  /// Columns side by side, and the numbers below them.
  private static func writeSeries(_ table: ReportTable, to html: inout HTMLWriter) {
    let most = max(1, table.rows.compactMap(\.value).max() ?? 0)
    html.markup("<svg class=\"chart\" preserveAspectRatio=\"none\" role=\"img\" viewBox=\"0 0 ")
    html.text(String(table.rows.count * 10))
    html.markup(" 1000\" aria-label=\"")
    html.text(table.title)
    html.markup("\">\n")
    for (index, row) in table.rows.enumerated() {
      let height = (row.value ?? 0) * 1000 / most
      html.markup("<rect class=\"v\" x=\"")
      html.text(String(index * 10 + 1))
      html.markup("\" y=\"")
      html.text(String(1000 - height))
      html.markup("\" width=\"8\" height=\"")
      html.text(String(height))
      html.markup("\"><title>")
      html.text("\(row.label): \(row.text)")
      html.markup("</title></rect>\n")
    }
    html.markup("</svg>\n<ul class=\"numbers\">\n")
    for row in table.rows {
      html.markup("<li><span>")
      html.text(row.label)
      html.markup("</span><span class=\"n\">")
      html.text(row.text)
      html.markup("</span></li>\n")
    }
    html.markup("</ul>\n")
  }

  /// A table whose rows have bars.
  private static func writeRows(_ table: ReportTable, to html: inout HTMLWriter) {
    let most = max(1, table.rows.compactMap(\.value).max() ?? 0)
    html.markup("<table>\n<thead><tr><th scope=\"col\">")
    html.text(table.columns.label)
    html.markup("</th><th scope=\"col\" class=\"n\">")
    html.text(table.columns.text)
    html.markup("</th>")
    if table.shape == .headings { html.markup("<td></td>") }
    html.markup("</tr></thead>\n<tbody>\n")
    for row in table.rows {
      html.markup("<tr><th scope=\"row\">")
      html.text(row.label)
      html.markup("</th><td class=\"n\">")
      html.text(row.text)
      html.markup("</td>")
      if let value = row.value {
        html.markup(
          "<td class=\"bar\"><svg viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
        )
        html.markup("<rect width=\"1000\" height=\"10\"/><rect class=\"v\" height=\"10\" width=\"")
        html.text(String(value * 1000 / most))
        html.markup("\"/></svg></td>")
      }
      html.markup("</tr>\n")
    }
    html.markup("</tbody>\n</table>\n")
  }
}
