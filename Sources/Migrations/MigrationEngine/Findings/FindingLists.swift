package import Files
package import Runs
import Tables

/// The lists of a migration's run: `findings.csv` and `findings.jsonl` for everything that is reported, `review.csv` for what a
/// person must decide, `rejects.jsonl` for documents that cannot be migrated as they are.
package struct FindingLists: Sendable {
  private let table: LineList
  private let objects: LineList
  private let reviews: LineList
  private let rejects: RejectList
  /// Hashes of the rejected documents, so that each is listed once, to be corrected and imported once; nil until first needed.
  private let rejected: Locked<Set<Int>?>

  /// The fields for which reviews make proposals, one column each.
  let proposed: [String]

  /// The header of `review.csv`.
  ///
  /// - Parameter proposed: The fields for which reviews make proposals.
  package static func columns(proposing proposed: [String]) -> [String] {
    ["document", "migration", "code", "field", "found"] + proposed + (proposed.isEmpty ? [] : [decision])
      + ["message"]
  }

  /// The column of ``columns(proposing:)`` in which a person marks a row; it is written empty.
  package static let decision = "decision"

  /// The header of `findings.csv`.
  package static let findingColumns = ["document", "migration", "code", "field", "value", "message"]

  /// Creates the lists of a run.
  ///
  /// - Parameter rejected: The rejected documents, shared with the run's other migrations.
  package init(
    _ run: RunDirectory,
    proposing proposed: [String] = [],
    rejected: Locked<Set<Int>?> = Locked(nil)
  ) {
    (self.proposed, self.rejected) = (proposed, rejected)
    table = LineList(spreadsheet: run.file("findings.csv"), columns: Self.findingColumns)
    objects = LineList(run.file("findings.jsonl"))
    reviews = LineList(spreadsheet: run.file("review.csv"), columns: Self.columns(proposing: proposed))
    rejects = RejectList(run)
  }

  /// Lines that are collected before they are written.
  package struct Lines {
    private(set) var table: [UInt8] = []
    private(set) var objects = JSONWriter()
    private(set) var reviews: [UInt8] = []
    private(set) var rejects: [UInt8] = []
    private let lists: FindingLists

    /// Creates empty lines for lists.
    init(_ lists: FindingLists) { self.lists = lists }

    /// Adds the findings about a document: one line each, except that all rejects share one line, because the document is
    /// corrected and imported as a whole.
    ///
    /// - Parameter document: The rejected document as it is or was intended; nil if not known. A document without fields and
    ///   update time counts as unknown, because it represents a missing one.
    mutating func add(_ findings: [Finding], of migration: String, document: RawDocument?) {
      for finding in findings { addRow(finding, of: migration) }
      let document = document.flatMap { $0.updateTime == nil && $0.fields.isEmpty ? nil : $0 }
      let reasons = findings.filter { $0.kind == .reject }
      for (index, first) in reasons.enumerated()
      where !reasons[..<index].contains(where: { $0.path == first.path })
        && (document == nil || lists.isNew(first.path))
      {
        rejects += RejectList.line(
          first.path,
          code: first.code,
          message: reasons.filter { $0.path == first.path }.map(\.message).joined(separator: " "),
          document: document
        )
      }
    }

    private mutating func addRow(_ finding: Finding, of migration: String) {
      let found = FindingLists.text(of: finding.found)
      let cells = [finding.path.string, migration, finding.code, finding.field ?? "", found]
      CSVLineWriter.list.append(cells + [finding.message], to: &table)
      addObject(finding, of: migration)
      if finding.kind != .review { return }
      let texts = lists.proposed.map { finding.proposal[$0]?.string ?? "" }
      let decision = lists.proposed.isEmpty ? [] : [""]
      CSVLineWriter.list.append(cells + texts + decision + [finding.message], to: &reviews)
    }

    private mutating func addObject(_ finding: Finding, of migration: String) {
      objects.beginLine()
      objects.object {
        $0.member("code", finding.code)
        $0.member("document", finding.path.string)
        $0.member("field", finding.field)
        $0.member("message", finding.message)
        $0.member("migration", migration)
        if let found = finding.found {
          $0.key("value")
          $0.value(found)
        }
      }
      objects.bytes.append(UInt8(ascii: "\n"))
    }
  }

  /// The maximum number of rejected documents to keep track of.
  private static let mostRejected = 200_000
  private static let longestReject = 32 << 20

  /// Whether a document is not yet in the list of rejects, as far as is known.
  private func isNew(_ path: DocumentPath) -> Bool {
    rejected.withLock { rejected in
      // A resumed run already has some.
      var known = rejected.take() ?? Self.rejected(in: rejects.path)
      defer { rejected = known }
      return known.count >= Self.mostRejected || known.insert(path.hashValue).inserted
    }
  }

  /// The documents in a list of rejects, as far as it can be read.
  private static func rejected(in path: String) -> Set<Int> {
    var paths: Set<Int> = []
    if FileCheck.exists(path) { try? read(path, into: &paths) }
    return paths
  }

  private static func read(_ path: String, into paths: inout Set<Int>) throws {
    var lines = try LineReader(path, maximumLineBytes: longestReject)
    let parser = JSONParser()
    while paths.count < mostRejected, try lines.advance() {
      let name = try lines.withLine { bytes throws(WireError) in
        try parser.parse(bytes) { json throws(WireError) in
          json["document"] == nil ? nil : json["path"]?.string
        }
      }
      if let path = name.flatMap({ DocumentPath($0) }) { paths.insert(path.hashValue) }
    }
  }

  /// Lists the findings about a document.
  ///
  /// - Parameter document: The rejected document as it is or was intended; nil if not known.
  /// - Throws: `.cannotWrite`.
  package func add(_ findings: [Finding], of migration: String, document: RawDocument?) throws(Failure) {
    var lines = Lines(self)
    lines.add(findings, of: migration, document: document)
    try add(lines)
  }

  /// - Throws: `.cannotWrite`.
  package func add(_ lines: Lines) throws(Failure) {
    if lines.table.isEmpty { return }
    try table.append(lines.table)
    try objects.append(lines.objects.bytes)
    if !lines.rejects.isEmpty { try rejects.append(lines.rejects) }
    if !lines.reviews.isEmpty { try reviews.append(lines.reviews) }
  }

  /// The found value as shown in the lists: a string as it is, anything else as its REST JSON.
  package static func text(of found: Value?) -> String {
    guard let found else { return "" }
    if let text = found.string { return text }
    return JSONWriter.text { $0.value(found) }
  }
}
