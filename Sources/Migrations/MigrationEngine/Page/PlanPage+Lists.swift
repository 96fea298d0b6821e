import Files
import Runs
import Tables

extension PlanPage {
  /// The size of a list, and how much of it the page shows.
  struct Extent: Equatable {
    var shown = 0
    var total = 0
  }

  private typealias Item = () -> Markup
  /// Reads a list from its beginning until `body` returns false.
  private typealias Walk = (_ body: (Item) throws(Failure) -> Bool) throws(Failure) -> Void

  private func extent(_ walk: Walk) throws(Failure) -> Extent {
    var bytes = 0
    var extent = Extent()
    try walk { (item) throws(Failure) in
      if extent.shown == extent.total, extent.shown < limits.items, bytes < limits.bytes {
        bytes += item().bytes.count
        extent.shown += 1
      }
      extent.total += 1
      return true
    }
    return extent
  }

  private func write(_ walk: Walk, _ count: Int, to file: inout OutputFile) throws(Failure) {
    if count == 0 { return }
    var left = count
    try walk { (item) throws(Failure) in
      try file.write(item().bytes)
      left -= 1
      return left > 0
    }
  }

  // MARK: Changes

  /// Reads the entire plan.
  func tally() throws(Failure) -> (tally: PlanTally, extent: Extent) {
    var tally = PlanTally(known: Set(collections.compactMap { CollectionPath($0.name) }))
    guard let path = list("plan.jsonl") else { return (tally, Extent()) }
    let extent = try extent { (body) throws(Failure) in
      var reader = try PlanFileReader(path)
      while let line = try reader.next() {
        tally.add(line.change)
        _ = try body { item(line, tally) }
      }
    }
    return (tally, extent)
  }

  func writeChanges(to file: inout OutputFile, _ tally: PlanTally, _ extent: Extent) throws(Failure) {
    let head: Markup = """
      <section aria-labelledby="changes">
      <h2 id="changes">Changes</h2>
      \(count("changes", extent, in: "plan.jsonl"))<ol class="changes" data-list="changes">

      """
    try file.write(head.bytes)
    if let path = list("plan.jsonl") {
      let walk: Walk = { (body) throws(Failure) in
        var reader = try PlanFileReader(path)
        while let line = try reader.next(), try body({ item(line, tally) }) {}
      }
      try write(walk, extent.shown, to: &file)
    }
    try file.write("</ol>\n</section>\n")
  }

  private func item(_ line: PlanFileReader.Line, _ tally: PlanTally) -> Markup {
    let change = line.change
    let kind = change.kind.rawValue
    let collection = tally.collection(of: change.path).string
    let reasons = ([line.migration.id] + change.reasons).joined(separator: " · ")
    let differences = change.differences
    let more = differences.count - limits.differences
    let cut: Markup = """
      <tr><td colspan="3" class="cut">… and \(grouped: more) more, which are in plan.jsonl</td></tr>

      """
    return """
      <li class="change" data-item data-kind="\(kind)" data-collection="\(collection)">
      <h3><span class="mark \(kind)">\(kind)</span> <bdi>\(change.path.string)</bdi></h3>
      <p class="soft"><bdi>\(reasons)</bdi></p>
      <table class="values">
      <thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
      <tbody>
      \(differences.prefix(limits.differences).map(row))\(cut, if: more > 0)</tbody>
      </table>
      </li>

      """
  }

  private func row(_ difference: FieldDifference) -> Markup {
    let values = ValueText.pair(difference.before, difference.after)
    func cell(_ value: Value?, _ text: String, _ element: Markup) -> Markup {
      if value == nil { return "<span class=\"none\">(none)</span>" }
      return "<\(element)><bdi>\(text, maximum: limits.scalars)</bdi></\(element)>"
    }
    let after: Markup =
      difference.isServerTime
      ? "<span class=\"none\">(server time)</span>" : cell(difference.after, values.after, "ins")
    return """
      <tr><th scope="row"><bdi>\(difference.path.description, maximum: limits.scalars)</bdi></th>
      <td>\(cell(difference.before, values.before, "del"))</td>
      <td>\(after)</td></tr>

      """
  }

  // MARK: Reviews, rejects and findings

  struct Table {
    let id: String
    let heading: String
    /// The header; for a spreadsheet, that of the file.
    var columns: [String] = []
    /// The file of the run.
    let list: String

    static let review = Table(
      id: "review",
      heading: "For review: a person decides",
      list: "review.csv"
    )
    static let findings = Table(
      id: "findings",
      heading: "Findings: everything that is reported, notes too",
      list: "findings.csv"
    )
    fileprivate static let rejects = Table(
      id: "rejects",
      heading: "Left alone: cannot be migrated as it is",
      columns: ["document", "code", "message"],
      list: "rejects.jsonl"
    )
  }

  /// A finding code of a migration.
  struct Code: Hashable {
    var migration: UTF8Key
    var code: UTF8Key
  }

  /// Returns explanations of codes: the messages of their first findings, one for each of the first fields.
  func meanings() throws(Failure) -> [Code: [String]] {
    guard let path = list(Table.findings.list) else { return [:] }
    var reader = try CSVReader(path)
    guard try reader.next() else { return [:] }
    let columns = reader.record.texts
    let places = ["migration", "code", "field", "message"].compactMap { columns.firstIndex(of: $0) }
    guard places.count == 4 else { return [:] }
    var meanings: [Code: [(field: String, message: String)]] = [:]
    while try reader.next() {
      let texts = reader.record.texts
      guard places.allSatisfy({ texts.indices.contains($0) }) else { continue }
      let cells = places.map { texts[$0] }
      let code = Code(migration: UTF8Key(cells[0]), code: UTF8Key(cells[1]))
      let known = meanings[code, default: []]
      if known.count == Self.maximumFields || known.contains(where: { $0.field.isIdentical(to: cells[2]) }) {
        continue
      }
      meanings[code, default: []].append((cells[2], CellForm.unguarded(cells[3])))
    }
    return meanings.mapValues { $0.map(\.message) }
  }

  /// The maximum number of fields of one code whose messages are shown.
  private static let maximumFields = 5

  func writeSpreadsheet(_ table: Table, to file: inout OutputFile, _ tally: PlanTally) throws(Failure) {
    guard let path = list(table.list) else { return }
    var table = table
    var header = try CSVReader(path)
    if try header.next() { table.columns = header.record.texts }
    let walk: Walk = { (body) throws(Failure) in
      var reader = try CSVReader(path)
      _ = try reader.next()
      while try reader.next() {
        let cells = reader.record.texts.map(CellForm.unguarded)
        guard try body({ row(of: cells, under: table.columns, tally) }) else { return }
      }
    }
    try write(table, walk, to: &file)
  }

  func writeRejects(to file: inout OutputFile, _ tally: PlanTally) throws(Failure) {
    guard let path = list(Table.rejects.list) else { return }
    let walk: Walk = { (body) throws(Failure) in
      var lines = try LineReader(path)
      let parser = JSONParser(maximumBytes: (64 << 20) + 64)
      while try lines.advance() {
        let cells = try Self.cells(ofReject: lines, parser)
        guard try body({ row(of: cells, under: Table.rejects.columns, tally) }) else { return }
      }
    }
    try write(.rejects, walk, to: &file)
  }

  private static func cells(
    ofReject lines: borrowing LineReader,
    _ parser: JSONParser
  ) throws(Failure) -> [String] {
    try lines.withJSON(parser) { json in ["path", "code", "message"].map { json[$0]?.string ?? "" } }
  }

  private func write(_ table: Table, _ walk: Walk, to file: inout OutputFile) throws(Failure) {
    let extent = try extent(walk)
    let head: Markup = """
      <section aria-labelledby="\(table.id)">
      <h2 id="\(table.id)">\(table.heading)</h2>
      \(count(table.id, extent, in: table.list))\
      <div class="wide" tabindex="0" role="group" aria-labelledby="\(table.id)">\
      <table class="list stacked" data-list="\(table.id)">
      <thead><tr>\(table.columns.map { "<th scope=\"col\">\($0)</th>" })</tr></thead>
      <tbody>

      """
    try file.write(head.bytes)
    try write(walk, extent.shown, to: &file)
    try file.write("</tbody>\n</table></div>\n</section>\n")
  }

  /// Returns a row of a list; its first cell is a document.
  private func row(of cells: [String], under columns: [String], _ tally: PlanTally) -> Markup {
    let labelled = zip(cells, columns).dropFirst().map { $0 }
    let collection = cells.first.flatMap { DocumentPath($0) }.map { tally.collection(of: $0).string } ?? ""
    return """
      <tr data-item data-collection="\(collection)">\
      \(cells.prefix(1).map { "<th scope=\"row\"><bdi>\($0, maximum: limits.scalars)</bdi></th>\n" })\
      \(labelled.map { "<td data-label=\"\($1)\"><bdi>\($0, maximum: limits.scalars)</bdi></td>\n" })\
      </tr>

      """
  }

  /// Returns how much of a list is shown, and an element for the number of search results.
  private func count(_ id: String, _ extent: Extent, in list: String) -> Markup {
    let part: Markup =
      extent.shown < extent.total
      ? """
       of \(grouped: extent.total) shown; all are in \(list) of the run's folder. \
      It has \(grouped: extent.total - extent.shown) more.
      """ : " shown, which is all."
    return """
      <p class="soft">\(grouped: extent.shown)\(part) <span id="\(id)-matches" role="status"></span></p>

      """
  }
}
