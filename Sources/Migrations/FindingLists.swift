import Models
import Transfer

/// The lists of a migration's run: every finding in `findings.csv` and `findings.jsonl`, what a person must decide in
/// `review.csv` too, and what cannot be migrated as it is in `rejects.jsonl`.
struct FindingLists: Sendable {
  private let findings: LazyList
  private let findingObjects: LazyList
  private let reviews: LazyList
  private let rejects: RejectList

  /// The header of `findings.csv`, and the members of a line of `findings.jsonl`.
  static let findingColumns = ["document", "migration", "code", "field", "value", "message"]

  /// Fields that reviews make proposals for; a column each.
  private static let proposed = ["fullName", "firstName", "paternalLastName", "maternalLastName"]

  /// The header of `review.csv`.
  static let columns = ["document", "migration", "code", "field", "found"] + proposed + ["message"]

  init(_ run: RunDirectory) {
    findings = LazyList(
      run.file("findings.csv"),
      header: SpreadsheetRow.byteOrderMark + SpreadsheetRow.bytes(Self.findingColumns)
    )
    findingObjects = LazyList(run.file("findings.jsonl"))
    reviews = LazyList(
      run.file("review.csv"),
      header: SpreadsheetRow.byteOrderMark + SpreadsheetRow.bytes(Self.columns)
    )
    rejects = RejectList(run)
  }

  /// Lines that are put together before they are written.
  struct Lines {
    var findings: [UInt8] = []
    var findingObjects: [UInt8] = []
    var reviews: [UInt8] = []
    var rejects: [UInt8] = []

    mutating func add(_ finding: Finding, of migration: String, document: RawDocument) {
      addFinding(finding, of: migration)
      switch finding.kind {
      case .note: return
      case .reject:
        rejects += RejectList.line(
          finding.path,
          code: finding.code,
          message: finding.message,
          fields: document.fields
        )
      case .review:
        let found = FindingLists.text(of: finding.found)
        var cells = [finding.path.string, migration, finding.code, finding.field ?? "", found]
        cells.reserveCapacity(FindingLists.columns.count)
        for field in FindingLists.proposed { cells.append(finding.proposal[field]?.string ?? "") }
        cells.append(finding.message)
        SpreadsheetRow.append(cells, to: &reviews)
      }
    }

    private mutating func addFinding(_ finding: Finding, of migration: String) {
      let value = FindingLists.text(of: finding.found)
      SpreadsheetRow.append(
        [finding.path.string, migration, finding.code, finding.field ?? "", value, finding.message],
        to: &findings
      )
      var json = JSONWriter()
      json.object {
        $0.key("code")
        $0.string(finding.code)
        $0.key("document")
        $0.string(finding.path.string)
        if let field = finding.field {
          $0.key("field")
          $0.string(field)
        }
        $0.key("message")
        $0.string(finding.message)
        $0.key("migration")
        $0.string(migration)
        if let value = finding.found {
          $0.key("value")
          $0.value(value)
        }
      }
      findingObjects += json.bytes
      findingObjects.append(UInt8(ascii: "\n"))
    }

    mutating func addConflict(_ path: DocumentPath, _ message: String) {
      rejects += RejectList.line(path, code: "conflict", message: message, fields: nil)
    }
  }

  func add(_ finding: Finding, of migration: String, document: RawDocument) throws(Failure) {
    var lines = Lines()
    lines.add(finding, of: migration, document: document)
    try add(lines)
  }

  func add(_ lines: Lines) throws(Failure) {
    if !lines.findings.isEmpty {
      try findings.append(lines.findings)
      try findingObjects.append(lines.findingObjects)
    }
    if !lines.rejects.isEmpty { try rejects.append(lines.rejects) }
    if !lines.reviews.isEmpty { try reviews.append(lines.reviews) }
  }

  /// What was found as it stands in the list: a text as it is, anything else as its REST JSON.
  static func text(of found: Value?) -> String {
    guard let found else { return "" }
    if let text = found.string { return text }
    var json = JSONWriter()
    json.value(found)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// A cell as it was before ``row(_:)`` guarded it.
  static func unguarded(_ cell: String) -> String {
    guard cell.utf8.first == UInt8(ascii: "'"), isGuarded(cell.dropFirst()) else { return cell }
    return String(cell.unicodeScalars.dropFirst())
  }

  private static func isGuarded(_ cell: some StringProtocol) -> Bool {
    cell.utf8.first.map { "'=+-@\t\r".utf8.contains($0) } ?? false
  }
}
