import Files
import FirestoreModels
import Runs
import Tables

extension PlanPage {
  /// How much of a list there is, and how much of it the page has room for.
  struct Extent: Equatable {
    var shown = 0
    var total = 0
  }

  /// Writes one item.
  private typealias Item = (inout HTMLWriter) -> Void
  /// Reads a list from its beginning until it is asked to stop.
  private typealias Walk = (_ body: (Item) throws(Failure) -> Bool) throws(Failure) -> Void

  private func extent(_ walk: Walk) throws(Failure) -> Extent {
    var html = HTMLWriter()
    var bytes = 0
    var extent = Extent()
    try walk { (item) throws(Failure) in
      if extent.shown == extent.total, extent.shown < limits.items, bytes < limits.bytes {
        html.removeAll()
        item(&html)
        bytes += html.bytes.count
        extent.shown += 1
      }
      extent.total += 1
      return true
    }
    return extent
  }

  private func write(_ walk: Walk, _ count: Int, to file: inout OutputFile) throws(Failure) {
    if count == 0 { return }
    var html = HTMLWriter()
    var left = count
    try walk { (item) throws(Failure) in
      html.removeAll()
      item(&html)
      try file.write(html.bytes)
      left -= 1
      return left > 0
    }
  }

  // MARK: Changes

  /// Reads the plan through.
  func tally() throws(Failure) -> (tally: PlanTally, extent: Extent) {
    var tally = PlanTally(known: Set(collections.compactMap { CollectionPath($0.name) }))
    guard let path = list("plan.jsonl") else { return (tally, Extent()) }
    let extent = try extent { (body) throws(Failure) in
      var reader = try PlanReader(path)
      while let line = try reader.next() {
        tally.add(line.change)
        _ = try body { write(line, to: &$0, tally) }
      }
    }
    return (tally, extent)
  }

  func writeChanges(to file: inout OutputFile, _ tally: PlanTally, _ extent: Extent) throws(Failure) {
    var html = HTMLWriter()
    html.markup("<section aria-labelledby=\"changes\">\n<h2 id=\"changes\">Changes</h2>\n")
    writeCount("changes", extent, in: "plan.jsonl", to: &html)
    html.markup("<ol class=\"changes\" data-list=\"changes\">\n")
    try file.write(html.bytes)
    if let path = list("plan.jsonl") {
      let walk: Walk = { (body) throws(Failure) in
        var reader = try PlanReader(path)
        while let line = try reader.next(), try body({ write(line, to: &$0, tally) }) {}
      }
      try write(walk, extent.shown, to: &file)
    }
    try file.write("</ol>\n</section>\n")
  }

  private func write(_ line: PlanReader.Line, to html: inout HTMLWriter, _ tally: PlanTally) {
    let change = line.change
    let kind = PlanTally.Kind(change)
    html.markup("<li class=\"change\" data-item data-kind=\"")
    html.text(kind.rawValue)
    html.markup("\" data-collection=\"")
    html.text(tally.collection(of: change.path).string)
    html.markup("\">\n<h3><span class=\"mark ")
    html.text(kind.rawValue)
    html.markup("\">")
    html.text(kind.rawValue)
    html.markup("</span> <bdi>")
    html.text(change.path.string)
    html.markup("</bdi></h3>\n<p class=\"soft\"><bdi>")
    html.text(([line.migration.id] + change.reasons).joined(separator: " · "))
    html.markup("</bdi></p>\n<table class=\"values\">\n<thead><tr><th scope=\"col\">Field</th>")
    html.markup("<th scope=\"col\">Before</th><th scope=\"col\">After</th></tr></thead>\n<tbody>\n")
    let differences = change.differences
    for difference in differences.prefix(limits.differences) {
      html.markup("<tr><th scope=\"row\"><bdi>")
      html.shortText(difference.path.description, maximum: limits.scalars)
      html.markup("</bdi></th>\n<td>")
      if let before = difference.before {
        html.markup("<del><bdi>")
        html.shortText(ValueText.text(before), maximum: limits.scalars)
        html.markup("</bdi></del>")
      } else {
        html.markup("<span class=\"none\">(none)</span>")
      }
      html.markup("</td>\n<td>")
      if difference.isServerTime {
        html.markup("<span class=\"none\">(server time)</span>")
      } else if let after = difference.after {
        html.markup("<ins><bdi>")
        html.shortText(ValueText.text(after), maximum: limits.scalars)
        html.markup("</bdi></ins>")
      } else {
        html.markup("<span class=\"none\">(none)</span>")
      }
      html.markup("</td></tr>\n")
    }
    let more = differences.count - limits.differences
    if more > 0 {
      html.markup("<tr><td colspan=\"3\" class=\"cut\">… and ")
      html.number(more)
      html.markup(" more, which are in plan.jsonl</td></tr>\n")
    }
    html.markup("</tbody>\n</table>\n</li>\n")
  }

  // MARK: Reviews and rejects

  func writeReviews(to file: inout OutputFile, _ tally: PlanTally) throws(Failure) {
    try writeSpreadsheet(
      Table(
        id: "review",
        heading: "For review: a person decides",
        columns: FindingLists.columns,
        list: "review.csv"
      ),
      to: &file,
      tally
    )
  }

  func writeFindings(to file: inout OutputFile, _ tally: PlanTally) throws(Failure) {
    try writeSpreadsheet(
      Table(
        id: "findings",
        heading: "Findings: everything that is reported, notes too",
        columns: FindingLists.findingColumns,
        list: "findings.csv"
      ),
      to: &file,
      tally
    )
  }

  /// Shows a list that is a spreadsheet, if it is there.
  private func writeSpreadsheet(
    _ table: Table,
    to file: inout OutputFile,
    _ tally: PlanTally
  ) throws(Failure) {
    guard let path = list(table.list.description) else { return }
    let walk: Walk = { (body) throws(Failure) in
      var reader = try CSVReader(path)
      // The header is the program's own.
      _ = try reader.next()
      while try reader.next() {
        let cells = reader.record.texts.map(FindingLists.unguarded)
        guard try body({ writeRow(of: cells, to: &$0, tally) }) else { return }
      }
    }
    try write(table, walk, to: &file)
  }

  func writeRejects(to file: inout OutputFile, _ tally: PlanTally) throws(Failure) {
    guard let path = list("rejects.jsonl") else { return }
    let walk: Walk = { (body) throws(Failure) in
      var lines = try LineReader(path)
      let parser = JSONParser(maximumBytes: (64 << 20) + 64)
      while try lines.advance() {
        let cells = try Self.cells(ofReject: lines, parser)
        guard try body({ writeRow(of: cells, to: &$0, tally) }) else { return }
      }
    }
    try write(
      Table(
        id: "rejects",
        heading: "Left alone: cannot be migrated as it is",
        columns: ["document", "code", "message"],
        list: "rejects.jsonl"
      ),
      walk,
      to: &file
    )
  }

  private static func cells(
    ofReject lines: borrowing LineReader,
    _ parser: JSONParser
  ) throws(Failure) -> [String] {
    do throws(WireError) {
      return try lines.withLine { bytes throws(WireError) in
        try parser.parse(bytes) { json throws(WireError) in
          ["path", "code", "message"].map { json[$0]?.string ?? "" }
        }
      }
    } catch {
      throw Failure(.inputMalformed, "read", path: lines.path, cause: "line \(lines.number): \(error)")
    }
  }

  private struct Table {
    let id: StaticString
    let heading: StaticString
    let columns: [String]
    let list: StaticString
  }

  private func write(_ table: Table, _ walk: Walk, to file: inout OutputFile) throws(Failure) {
    let extent = try extent(walk)
    var html = HTMLWriter()
    html.markup("<section aria-labelledby=\"")
    html.markup(table.id)
    html.markup("\">\n<h2 id=\"")
    html.markup(table.id)
    html.markup("\">")
    html.markup(table.heading)
    html.markup("</h2>\n")
    writeCount(table.id, extent, in: table.list, to: &html)
    html.markup("<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-labelledby=\"")
    html.markup(table.id)
    html.markup("\"><table class=\"list\" data-list=\"")
    html.markup(table.id)
    html.markup("\">\n<thead><tr>")
    for column in table.columns {
      html.markup("<th scope=\"col\">")
      html.text(column)
      html.markup("</th>")
    }
    html.markup("</tr></thead>\n<tbody>\n")
    try file.write(html.bytes)
    try write(walk, extent.shown, to: &file)
    try file.write("</tbody>\n</table></div>\n</section>\n")
  }

  /// A row of a list; its first cell is a document.
  private func writeRow(of cells: [String], to html: inout HTMLWriter, _ tally: PlanTally) {
    html.markup("<tr data-item data-collection=\"")
    if let path = cells.first.flatMap({ DocumentPath($0) }) { html.text(tally.collection(of: path).string) }
    html.markup("\">")
    for (index, cell) in cells.enumerated() {
      if index == 0 { html.markup("<th scope=\"row\"><bdi>") } else { html.markup("<td><bdi>") }
      html.shortText(cell, maximum: limits.scalars)
      if index == 0 { html.markup("</bdi></th>\n") } else { html.markup("</bdi></td>\n") }
    }
    html.markup("</tr>\n")
  }

  /// How much of a list is shown, and how much of that matches a search.
  private func writeCount(
    _ id: StaticString,
    _ extent: Extent,
    in list: StaticString,
    to html: inout HTMLWriter
  ) {
    html.markup("<p class=\"soft\">")
    html.number(extent.shown)
    if extent.shown < extent.total {
      html.markup(" of ")
      html.number(extent.total)
      html.markup(" shown; all are in ")
      html.markup(list)
      html.markup(" of the run's folder. It has ")
      html.number(extent.total - extent.shown)
      html.markup(" more.")
    } else {
      html.markup(" shown, which is all.")
    }
    html.markup(" <span id=\"")
    html.markup(id)
    html.markup("-matches\" role=\"status\"></span></p>\n")
  }
}
