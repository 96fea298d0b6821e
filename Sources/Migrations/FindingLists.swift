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

  init(_ run: RunDirectory) {
    let header = ["document", "migration", "code", "field", "found"] + Self.proposed + ["message"]
    reviews = LazyList(run.file("review.csv"), header: [0xEF, 0xBB, 0xBF] + Self.row(header))
    rejects = RejectList(run)
  }

  func add(_ finding: Finding, of migration: String, document: RawDocument) throws(Failure) {
    switch finding.kind {
    case .note: return
    case .reject:
      try rejects.add(finding.path, code: finding.code, message: finding.message, fields: document.fields)
    case .review:
      let proposals = Self.proposed.map { finding.proposal[$0]?.string ?? "" }
      let found = finding.found.map { value in
        value.string ?? String(decoding: Self.json(value), as: UTF8.self)
      }
      try reviews.append(
        Self.row(
          [finding.path.string, migration, finding.code, finding.field ?? "", found ?? ""] + proposals
            + [finding.message]
        )
      )
    }
  }

  private static func json(_ value: Value) -> [UInt8] {
    var json = JSONWriter()
    json.value(value)
    return json.bytes
  }

  /// One line of RFC 4180, for spreadsheets: behind a byte order mark, and with an apostrophe before what would be a
  /// formula or begins with one already.
  private static func row(_ fields: [String]) -> [UInt8] {
    let quoted = fields.map { field in
      let isFormula = field.utf8.first.map { "'=+-@\t\r".utf8.contains($0) } ?? false
      return "\"\(isFormula ? "'" : "")\(field.replacing("\"", with: "\"\""))\""
    }
    return Array((quoted.joined(separator: ",") + "\r\n").utf8)
  }
}
