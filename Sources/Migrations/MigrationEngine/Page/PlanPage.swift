package import Configuration
import Files
package import FirestoreModels
import Platform
package import Runs

/// A plan as one self-contained page to look at in a browser: totals, a bar a collection, the differences before and
/// after, what waits for a person and everything else that is reported, all of it searchable.
///
/// It is read from the lists of the run in constant memory. It loads nothing, and its Content-Security-Policy lets it run no
/// script but its own; without scripts everything is there but the search. It holds what the documents hold, so it is
/// to be kept as the plan itself.
package struct PlanPage: Sendable {
  /// How much of a plan a page shows, so that a browser bears it.
  package struct Limits: Sendable, Equatable {
    /// Changes, and rows of each list.
    package var items = 5000
    /// Bytes of markup of the changes, and of each list; checked after each item.
    package var bytes = 24 << 20
    /// Differences of one change.
    package var differences = 200
    /// Unicode scalars of one value.
    package var scalars = 1000

    /// The default limits.
    package init() {}
  }

  /// How much is shown.
  package var limits = Limits()

  let run: RunDirectory
  let command: String
  let environment: DatabaseEnvironment
  let plannedAt: Timestamp
  let reports: [MigrationReport]
  let collections: [RunSummary.Collection]
  let cost: CostEstimate

  /// A page of a run that has planned.
  ///
  /// - Parameters:
  ///   - run: Whose `plan.jsonl`, `review.csv`, `rejects.jsonl` and `findings.csv` are shown.
  ///   - command: The command, as its summary names it.
  ///   - environment: Where it read.
  ///   - reports: What was found, migration by migration.
  ///   - collections: The run's counts.
  ///   - cost: What applying it will cost.
  ///   - plannedAt: When it was planned.
  package init(
    run: RunDirectory,
    command: String,
    environment: DatabaseEnvironment,
    reports: [MigrationReport],
    collections: [RunSummary.Collection],
    cost: CostEstimate,
    plannedAt: Timestamp = .now
  ) {
    self.run = run
    self.command = command
    self.environment = environment
    self.reports = reports
    self.collections = collections
    self.cost = cost
    self.plannedAt = plannedAt
  }

  /// Writes the page, whole or not at all.
  ///
  /// - Throws: `.cannotWrite`; `.inputMalformed` where a list of the run is not as it was written.
  package func write(to path: String) throws(Failure) {
    let (tally, extent) = try tally()
    var file = try OutputFile(path)
    var html = HTMLWriter()
    try writeHead(to: &html)
    writeTop(to: &html, tally)
    try file.write(html.bytes)
    try writeChanges(to: &file, tally, extent)
    try writeReviews(to: &file, tally)
    try writeRejects(to: &file, tally)
    try writeFindings(to: &file, tally)
    html.removeAll()
    html.markup("</main>\n<script>")
    try file.write(html.bytes)
    try file.write(PlanPageAssets.script)
    try file.write("</script>\n</body>\n</html>\n")
    _ = try file.finish()
  }

  /// A list of the run, nil where it is empty.
  func list(_ name: String) -> String? {
    let path = run.file(name)
    return access(path, F_OK) == 0 ? path : nil
  }

  // MARK: The top

  private func writeHead(to html: inout HTMLWriter) throws(Failure) {
    html.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    html.markup(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-"
    )
    html.text(try SHA256Digest.base64(of: PlanPageAssets.style))
    html.markup("'; script-src 'sha256-")
    html.text(try SHA256Digest.base64(of: PlanPageAssets.script))
    html.markup("'; base-uri 'none'; form-action 'none'\">\n")
    html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    html.markup("<meta name=\"referrer\" content=\"no-referrer\">\n<title>")
    html.text("\(command) on \(environment.name)")
    html.markup("</title>\n<style>")
    html.source(PlanPageAssets.style)
    html.markup("</style>\n</head>\n<body>\n")
  }

  private func writeTop(to html: inout HTMLWriter, _ tally: PlanTally) {
    html.markup("<header>\n<h1><bdi>")
    html.text(command)
    html.markup("</bdi></h1>\n<p>A plan: nothing was written. ")
    html.markup("This page holds what the documents hold; keep it as you keep them.</p>\n<dl>\n")
    let facts = [
      ("Environment", environment.name), ("Project", environment.database.project),
      ("Database", environment.database.database), ("Planned", plannedAt.description), ("Run", run.id),
    ]
    for (name, value) in facts {
      html.markup("<dt>")
      html.text(name)
      html.markup("</dt><dd><bdi>")
      html.text(value)
      html.markup("</bdi></dd>\n")
    }
    html.markup("</dl>\n</header>\n<main>\n")
    writeTotals(to: &html, tally)
    writeCost(to: &html)
    writeMigrations(to: &html)
    writeFilter(to: &html, tally)
  }

  private func writeTotals(to html: inout HTMLWriter, _ tally: PlanTally) {
    html.markup(
      "<section aria-labelledby=\"totals\">\n<h2 id=\"totals\">Totals</h2>\n<ul class=\"totals\">\n"
    )
    let sum = collections.reduce(DocumentCounts()) { $0 + $1.counts }
    let numbers = [
      (tally.count(.create), "to create"), (tally.count(.update), "to update"),
      (tally.count(.delete), "to delete"), (sum.review, "for review"), (sum.rejected, "left alone"),
    ]
    for (number, name) in numbers {
      html.markup("<li><b>")
      html.number(number)
      html.markup("</b> ")
      html.text(name)
      html.markup("</li>\n")
    }
    html.markup(
      "</ul>\n<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-labelledby=\"totals\"><table>\n<caption>By collection, in documents. The bar is the part "
    )
    html.markup("that changes.</caption>\n<thead><tr><th scope=\"col\">Collection</th>")
    for name in ["Read", "Create", "Update", "Delete", "Unchanged", "Skipped", "Rejected", "Review"] {
      html.markup("<th scope=\"col\" class=\"n\">")
      html.text(name)
      html.markup("</th>")
    }
    html.markup("<th scope=\"col\" class=\"bar\">Changes</th></tr></thead>\n<tbody>\n")
    for (name, counts) in rows(tally) { writeRow(to: &html, name, counts, tally) }
    html.markup("</tbody>\n</table></div>\n</section>\n")
  }

  /// The collections in the order of the run, then those that were only to be written.
  private func rows(_ tally: PlanTally) -> [(name: CollectionPath, counts: DocumentCounts)] {
    var rows: [(name: CollectionPath, counts: DocumentCounts)] = collections.compactMap { collection in
      CollectionPath(collection.name).map { ($0, collection.counts) }
    }
    let named = Set(rows.map(\.name))
    for name in tally.counts.keys.sorted() where !named.contains(name) {
      rows.append((name, DocumentCounts()))
    }
    return rows
  }

  private func writeRow(
    to html: inout HTMLWriter,
    _ name: CollectionPath,
    _ totals: DocumentCounts,
    _ tally: PlanTally
  ) {
    let counts = PlanTally.Kind.allCases.map { (kind: $0, count: tally.count($0, in: name)) }
    html.markup("<tr><th scope=\"row\"><bdi>")
    html.text(name.string)
    html.markup("</bdi></th>")
    let others = [totals.unchanged, totals.skipped, totals.rejected, totals.review]
    for number in [totals.read] + counts.map(\.count) + others {
      html.markup("<td class=\"n\">")
      html.number(number)
      html.markup("</td>")
    }
    let changes = counts.reduce(0) { $0 + $1.count }
    let whole = max(totals.read.addingClamped(totals.created), changes, 1)
    html.markup("<td class=\"bar\"><svg role=\"img\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" ")
    html.markup("aria-label=\"")
    html.number(changes)
    html.markup(" of ")
    html.number(max(totals.read.addingClamped(totals.created), changes))
    html.markup(" documents change\"><rect width=\"1000\" height=\"10\"/>")
    var start = 0
    for (kind, count) in counts where count > 0 {
      // What is there is seen, and what is to come has room.
      let width = min(max(Int(clamping: Double(count) / Double(whole) * 1000), 4), 1000 - start)
      html.markup("<rect class=\"")
      html.text(kind.rawValue)
      html.markup("\" x=\"")
      html.text(String(start))
      html.markup("\" width=\"")
      html.text(String(width))
      html.markup("\" height=\"10\"/>")
      start += width
    }
    html.markup("</svg></td></tr>\n")
  }

  private func writeCost(to html: inout HTMLWriter) {
    html.markup("<section aria-labelledby=\"cost\">\n<h2 id=\"cost\">Cost of applying it</h2>\n<p>")
    html.text(cost.text)
    html.markup("</p>\n</section>\n")
  }

  private func writeMigrations(to html: inout HTMLWriter) {
    for report in reports {
      html.markup("<section>\n<h2><bdi>")
      html.text(report.migration)
      html.markup("</bdi></h2>\n")
      let reasons = report.reasons.sorted { $0.key < $1.key }.map { ("changes", $0.key, $0.value) }
      let findings = report.findings.sorted { $0.key < $1.key }.map {
        (Self.label(of: $0.key.kind), $0.key.code, $0.value)
      }
      if reasons.isEmpty, findings.isEmpty {
        html.markup("<p>Nothing found.</p>\n</section>\n")
        continue
      }
      html.markup("<table>\n<thead><tr><th scope=\"col\">What</th><th scope=\"col\">Code</th>")
      html.markup("<th scope=\"col\" class=\"n\">Times</th></tr></thead>\n<tbody>\n")
      for (label, code, count) in reasons + findings {
        html.markup("<tr><td>")
        html.text(label)
        html.markup("</td><th scope=\"row\"><bdi>")
        html.text(code)
        html.markup("</bdi></th><td class=\"n\">")
        html.number(count)
        html.markup("</td></tr>\n")
      }
      html.markup("</tbody>\n</table>\n</section>\n")
    }
  }

  private static func label(of kind: Finding.Kind) -> String {
    switch kind {
    case .review: "for review"
    case .reject: "left alone"
    case .note: "note"
    }
  }

  /// The search; it shows itself where scripts run.
  private func writeFilter(to html: inout HTMLWriter, _ tally: PlanTally) {
    html.markup("<form id=\"filter\" role=\"search\" hidden>\n<label class=\"search\">Search the lists below")
    html.markup("<input type=\"search\" name=\"q\" autocomplete=\"off\" spellcheck=\"false\"></label>\n")
    html.markup("<label>Kind of change<select name=\"kind\"><option value=\"\">any</option>")
    for kind in PlanTally.Kind.allCases { option(kind.rawValue, &html) }
    html.markup("</select></label>\n<label>Collection<select name=\"collection\">")
    html.markup("<option value=\"\">any</option>")
    for (name, _) in rows(tally) { option(name.string, &html) }
    html.markup("</select></label>\n</form>\n")
  }

  private func option(_ value: String, _ html: inout HTMLWriter) {
    html.markup("<option value=\"")
    html.text(value)
    html.markup("\">")
    html.text(value)
    html.markup("</option>")
  }
}
