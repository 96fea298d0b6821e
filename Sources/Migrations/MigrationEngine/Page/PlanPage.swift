package import Configuration
import Files
import Platform
package import Runs

/// A plan as one self-contained, searchable HTML page: totals, a bar per collection, the differences before and after, what is to
/// be reviewed, and all other findings.
///
/// It is generated from the lists of the run in constant memory. It loads nothing, and its Content-Security-Policy permits only
/// its own script; without scripts everything works except for the search. It contains data of the documents, so it must be
/// protected like the plan itself.
package struct PlanPage: Sendable {
  /// How much of a plan a page shows, so that browsers can handle it.
  package struct Limits: Sendable, Equatable {
    /// The maximum number of changes, and of rows of each list.
    package var items = 5000
    /// The maximum size of the markup of the changes, and of each list, in bytes; checked after each item.
    package var bytes = 24 << 20
    /// The maximum number of differences of one change.
    package var differences = 200
    /// The maximum number of Unicode scalars of one value.
    package var scalars = 1000

    package init() {}
  }

  package var limits = Limits()

  let run: RunDirectory
  let command: String
  let environment: DatabaseEnvironment
  let plannedAt: Timestamp
  let reports: [MigrationReport]
  let collections: [RunSummary.Collection]
  let totals: PlanTotals
  let cost: CostEstimate

  /// - Parameters:
  ///   - run: A planned run, whose `plan.jsonl`, `review.csv`, `rejects.jsonl` and `findings.csv` are shown.
  ///   - command: The command, as its summary names it.
  ///   - cost: The cost of applying the plan.
  package init(
    run: RunDirectory,
    command: String,
    environment: DatabaseEnvironment,
    reports: [MigrationReport],
    collections: [RunSummary.Collection],
    totals: PlanTotals,
    cost: CostEstimate,
    plannedAt: Timestamp = .now
  ) {
    self.run = run
    self.command = command
    self.environment = environment
    self.reports = reports
    self.collections = collections
    self.totals = totals
    self.cost = cost
    self.plannedAt = plannedAt
  }

  /// Writes the page atomically.
  ///
  /// - Throws: `.cannotWrite`; `.inputMalformed` if a list of the run is not as it was written.
  package func write(to path: String) throws(Failure) {
    let (tally, extent) = try tally()
    let meanings = try meanings()
    var file = try OutputFile(path)
    let title: Markup = "Plan for \(environment.name): \(command)"
    try file.write(PlanPageAssets.head(title, hasScript: true).bytes)
    try file.write(top(tally, meanings).bytes)
    // What requires action comes first.
    try writeSpreadsheet(.review, to: &file, tally)
    try writeRejects(to: &file, tally)
    try writeChanges(to: &file, tally, extent)
    try writeSpreadsheet(.findings, to: &file, tally)
    try file.write("</main>\n<script>\(PlanPageAssets.script)</script>\n</body>\n</html>\n")
    _ = try file.finish()
  }

  /// Returns a list of the run; nil if it is empty.
  func list(_ name: String) -> String? {
    let path = run.file(name)
    return access(path, F_OK) == 0 ? path : nil
  }

  // MARK: The top

  private func top(_ tally: PlanTally, _ meanings: [Code: [String]]) -> Markup {
    let facts = [
      ("Command", command), ("Environment", environment.name), ("Project", environment.database.project),
      ("Database", environment.database.database), ("Planned", plannedAt.description), ("Run", run.id),
    ]
    return """
      <header>
      <h1>Plan for <bdi>\(environment.name)</bdi></h1>
      <p>A plan: nothing was written. This page holds what the documents hold; keep it as you keep them.</p>
      <dl>
      \(facts.map { "<dt>\($0)</dt><dd><bdi>\($1)</bdi></dd>\n" })</dl>
      </header>
      <main>
      \(totals(tally))<section aria-labelledby="cost">
      <h2 id="cost">Cost of applying it</h2>
      <p>\(cost.text)</p>
      </section>
      <div class="codes">
      \(reports.map { section($0, meanings) })</div>
      \(filter(tally))
      """
  }

  private static let headings = [
    "Documents", "Create", "Update", "Delete", "Unchanged", "Skipped", "Rejected", "Review",
  ]

  /// The columns of the totals; with several migrations, skipped, rejected and reviewed documents are counted only in the tables
  /// of each.
  private var headings: [String] { reports.count > 1 ? Array(Self.headings.prefix(5)) : Self.headings }

  private func totals(_ tally: PlanTally) -> Markup {
    let sum = collections.reduce(DocumentCounts()) { $0 + $1.counts }
    let numbers = [
      (sum.review, "for review", "#review"), (sum.rejected, "left alone", "#rejects"),
      (tally.counts.count(.create), "to create", "#kind=create"),
      (tally.counts.count(.update), "to update", "#kind=update"),
      (tally.counts.count(.delete), "to delete", "#kind=delete"),
    ]
    func tile(_ count: Int, _ label: String, _ target: String) -> Markup {
      let text: Markup = "<b>\(grouped: count)</b> \(label)"
      return count == 0 ? "<li>\(text)</li>\n" : "<li><a href=\"\(target)\">\(text)</a></li>\n"
    }
    return """
      <section aria-labelledby="totals">
      <h2 id="totals">Totals</h2>
      <ul class="totals">
      \(numbers.map { tile($0, $1, $2) })</ul>
      <div class="wide" tabindex="0" role="group" aria-labelledby="totals"><table class="stacked">
      <caption>By collection. The bar is the part of its documents that changes.</caption>
      <thead><tr><th scope="col">Collection</th>\
      \(headings.map { "<th scope=\"col\" class=\"n\">\($0)</th>" })\
      <th scope="col" class="bar">Changes</th></tr></thead>
      <tbody>
      \(rows(tally).map { row($0, $1, tally) })</tbody>
      </table></div>
      </section>

      """
  }

  /// The collections in the order of the run, followed by those that are only written.
  private func rows(_ tally: PlanTally) -> [(name: CollectionPath, counts: DocumentCounts)] {
    var rows: [(name: CollectionPath, counts: DocumentCounts)] = collections.compactMap { collection in
      CollectionPath(collection.name).map { ($0, collection.counts) }
    }
    let named = Set(rows.map(\.name))
    for name in tally.counts.collections where !named.contains(name) {
      rows.append((name, DocumentCounts()))
    }
    return rows
  }

  private func row(_ name: CollectionPath, _ totals: DocumentCounts, _ tally: PlanTally) -> Markup {
    let counts = Change.Kind.allCases.map { (kind: $0, count: tally.counts.count($0, in: name)) }
    let read = self.totals.documents(of: name)
    let left = read - counts.reduce(0) { $0 + ($1.kind == .create ? 0 : $1.count) }
    let others =
      reports.count > 1
      ? [max(0, left)] : [totals.unchanged, totals.skipped, totals.rejected, totals.review]
    let numbers = Array(zip([read] + counts.map(\.count) + others, headings))
    let changes = counts.reduce(0) { $0 + $1.count }
    let documents = max(read.addingClamped(tally.counts.count(.create, in: name)), changes)
    var bars: Markup = ""
    var start = 0
    for (kind, count) in counts where count > 0 {
      // At least the minimum visible width, but no more than is left.
      let width = min(max(Int(clamping: Double(count) / Double(documents) * 1000), 4), 1000 - start)
      bars += "<rect class=\"\(kind.rawValue)\" x=\"\(start)\" width=\"\(width)\" height=\"10\"/>"
      start += width
    }
    return """
      <tr><th scope="row"><bdi>\(name.string)</bdi></th>\
      \(numbers.map { "<td class=\"n\" data-label=\"\($1)\">\(grouped: $0)</td>" })\
      <td class="bar"><svg role="img" viewBox="0 0 1000 10" preserveAspectRatio="none" \
      aria-label="\(grouped: changes) of \(grouped: documents) documents change">\
      <rect width="1000" height="10"/>\(bars)</svg></td></tr>

      """
  }

  /// Encodes text as a URL parameter.
  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      if byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") { return String(UnicodeScalar(byte)) }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  private static func meaning(_ text: String) -> Markup { "<br><span class=\"soft\">\(text)</span>" }

  private func section(_ report: MigrationReport, _ meanings: [Code: [String]]) -> Markup {
    let reasons = report.reasons.sorted { $0.key < $1.key }.map { ("changes", $0.key.string, $0.value) }
    let findings = report.findings.sorted { $0.key < $1.key }.map {
      ($0.key.kind.label, $0.key.code, $0.value)
    }
    func meaning(_ code: String) -> [String] {
      meanings[Code(migration: UTF8Key(report.migration), code: UTF8Key(code))] ?? []
    }
    let rows = (reasons + findings).map { label, code, count -> Markup in
      """
      <tr><td>\(label)</td><th scope="row"><a href="#q=\(Self.encoded(code))"><bdi>\(code)</bdi></a>\
      \(meaning(code).map(Self.meaning))</th>\
      <td class="n">\(grouped: count)</td></tr>

      """
    }
    let table: Markup = """
      <table>
      <thead><tr><th scope="col">What</th><th scope="col">Code</th><th scope="col" class="n">Times</th></tr></thead>
      <tbody>
      \(rows)</tbody>
      </table>
      """
    return """
      <section>
      <h2><bdi>\(report.migration)</bdi></h2>
      \(rows.isEmpty ? "<p>Nothing found.</p>" : table)
      </section>

      """
  }

  /// The search form, which the page's script shows.
  private func filter(_ tally: PlanTally) -> Markup {
    func options(_ values: [String]) -> [Markup] {
      values.map { "<option value=\"\($0)\">\($0)</option>" }
    }
    return """
      <form id="filter" role="search" hidden>
      <label class="search">Search the lists below\
      <input type="search" name="q" autocomplete="off" spellcheck="false"></label>
      <label>Kind of change<select name="kind"><option value="">any</option>\
      \(options(Change.Kind.allCases.map(\.rawValue)))</select></label>
      <label>Collection<select name="collection"><option value="">any</option>\
      \(options(rows(tally).map(\.name.string)))</select></label>
      </form>

      """
  }
}
