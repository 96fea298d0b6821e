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

  func add(_ finding: Finding, of migration: String, document: RawDocument) throws(Failure) {
    switch finding.kind {
    case .note: return
    case .reject:
      try rejects.add(finding.path, code: finding.code, message: finding.message, fields: document.fields)
    case .review:
      let proposals = Self.proposed.map { finding.proposal[$0]?.string ?? "" }
      try reviews.append(
        SpreadsheetRow.bytes(
          [finding.path.string, migration, finding.code, finding.field ?? "", Self.text(of: finding.found)]
            + proposals
            + [finding.message]
        )
      )
    }
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
