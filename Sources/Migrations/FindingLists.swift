import Models
import Transfer

/// The lists of a migration's run: `review.csv` for what a person must decide, `rejects.jsonl` for what
/// cannot be migrated as it is.
///
/// Notes are counted only.
struct FindingLists: Sendable {
  private let reviews: LazyList
  private let rejects: RejectList

  /// Fields that reviews make proposals for; a column each.
  private static let proposed = ["fullName", "firstName", "paternalLastName", "maternalLastName"]

  /// The header of `review.csv`.
  static let columns = ["document", "migration", "code", "field", "found"] + proposed + ["message"]

  init(_ run: RunDirectory) {
    reviews = LazyList(
      run.file("review.csv"),
      header: SpreadsheetRow.byteOrderMark + SpreadsheetRow.bytes(Self.columns)
    )
    rejects = RejectList(run)
  }

  /// Lines that are put together before they are written.
  struct Lines {
    var reviews: [UInt8] = []
    var rejects: [UInt8] = []

    mutating func add(_ finding: Finding, of migration: String, document: RawDocument) {
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

    mutating func addConflict(_ path: DocumentPath, _ message: String) {
      rejects += RejectList.line(path, code: "conflict", message: message, fields: nil)
    }
  }

  func add(_ finding: Finding, of migration: String, document: RawDocument) throws(Failure) {
    if finding.kind == .note { return }
    var lines = Lines()
    lines.add(finding, of: migration, document: document)
    try add(lines)
  }

  func add(_ lines: Lines) throws(Failure) {
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
