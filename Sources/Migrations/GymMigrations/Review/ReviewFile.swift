import Files
import Tables

/// Reads a corrected `review.csv` strictly, before anything is written.
///
/// The header names the columns, in any order. Rows of other migrations, and rows about something other than a name, are skipped,
/// so that the file of several migrations can be used as it is.
package enum ReviewFile {
  /// The columns of proposals.
  package static var proposed: [String] { NameReview.fields.map(\.rawValue) }
  static var columns: [String] { FindingLists.columns(proposing: proposed) }

  /// Reads a list as saved by a spreadsheet: the first sheet of a workbook, or CSV with or without a byte order mark, separated
  /// by commas, semicolons, tabs or pipes.
  ///
  /// - Throws: ``Failure``: `inputMissing`; `inputMalformed` with file, line and column.
  package static func read(_ path: String) throws(Failure) -> NameReview {
    try InputFile.assertReadable(path)
    let format = try InputFormat(of: path)
    guard format.isTable else {
      throw malformed(path, "it is no table", remedy: "Hand back the review.csv of a run.")
    }
    var reader = try TableReader(path, format: format)
    var unheaded: UnheadedCells?
    var review = try read(path) { () throws(Failure) in
      guard try reader.nextTexts() else { return nil }
      let label = "\(format == .xlsx ? "row" : "line") \(reader.row.number)"
      if let (index, expected) = unheaded?.fault(in: reader.row) {
        throw malformed(path, "\(label), column \(index + 1): expected \(expected)")
      }
      unheaded = unheaded ?? UnheadedCells(header: reader.row, isSheet: format == .xlsx)
      return ReviewRow(label: label, cells: reader.row.texts)
    }
    review.notices += reader.notices().map { "\(path): \($0)" }
    return review
  }

  /// Reads rows from any source; the first is the header.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` that names `path`, row and column; errors of `next`.
  package static func read(
    _ path: String,
    _ next: () throws(Failure) -> ReviewRow?
  ) throws(Failure) -> NameReview {
    guard let header = try next() else {
      throw malformed(path, "it is empty", remedy: "Hand back the review.csv of a run.")
    }
    let columns = try Columns(header, path)
    var review = NameReview(columns: columns.names)
    var (withoutName, others) = (0, 0)
    while let row = try next() {
      if row.cells.allSatisfy(PlainText.isBlank) { continue }
      guard let (document, decision) = try columns.decision(in: row, path) else {
        if columns.isTaken(row) { others += 1 }
        continue
      }
      if decision.texts.isEmpty {
        if decision.isMarked { withoutName += 1 }
        continue
      }
      if let first = review.decisions[document] {
        throw malformed(path, "\(row.label): \(document) is decided in \(first.label) already")
      }
      review.decisions[document] = decision
    }
    if withoutName > 0 {
      review.notices.append(
        "\(path): marked rows without a name that could be taken, which stay open: \(withoutName)."
      )
    }
    if others > 0 {
      review.notices.append(
        "\(path): marked rows that are not about a name, which a review does not decide: \(others)."
      )
    }
    return review
  }

  fileprivate static func malformed(_ path: String, _ cause: String, remedy: String? = nil) -> Failure {
    Failure(.inputMalformed, "read the review", path: path, cause: cause, remedy: remedy)
  }
}

/// The indices of a review's columns.
private struct Columns {
  private var columns: [UTF8Key: Int] = [:]
  private let migrations = Set(MigrationCatalogue.known().map { UTF8Key($0.id) })

  private static let required = ["document", "migration", "code", "found"]
  /// What a person may write in the column ``FindingLists/decision``, in any case and with or without accents.
  private static let (taken, left) = (
    ["x", "ok", "yes", "si", "accept", "aceptar"], ["no", "skip", "omitir"]
  )

  /// The fields of the name that have a column.
  var names: [UserField] { NameReview.fields.filter { columns[UTF8Key($0.rawValue)] != nil } }

  init(_ header: ReviewRow, _ path: String) throws(Failure) {
    let known = Set(ReviewFile.columns.map(UTF8Key.init))
    for (index, cell) in header.cells.enumerated() {
      let name = UTF8Key(PlainText.tidied(cell))
      if name.string.isEmpty { continue }
      guard known.contains(name) else {
        throw ReviewFile.malformed(
          path,
          "\(header.label), column \(index + 1): there is no column '\(name)' in a review",
          remedy: "The columns are \(ReviewFile.columns.joined(separator: ", "))."
        )
      }
      if columns.updateValue(index, forKey: name) != nil {
        throw ReviewFile.malformed(path, "\(header.label), column \(index + 1): '\(name)' is there twice")
      }
    }
    for name in Self.required where columns[UTF8Key(name)] == nil {
      throw ReviewFile.malformed(
        path,
        "\(header.label): the column '\(name)' is missing",
        remedy: "Hand back the review.csv of a run with its header."
      )
    }
    if names.isEmpty {
      throw ReviewFile.malformed(path, "\(header.label): there is no column of a name")
    }
  }

  /// Returns the decision in a row; nil if the row is about something else or decides nothing.
  func decision(
    in row: ReviewRow,
    _ path: String
  ) throws(Failure) -> (document: DocumentPath, decision: NameReview.Decision)? {
    guard cell("migration", row).isIdentical(to: "users-unify") else {
      if migrations.contains(UTF8Key(cell("migration", row))) { return nil }
      throw unknown("migration", "there is no such migration", row, path)
    }
    guard let code = UsersUnify.Code.allCases.first(where: { $0.rawValue.isIdentical(to: cell("code", row)) })
    else {
      throw unknown("code", "users-unify has no such code", row, path)
    }
    guard let document = DocumentPath(cell("document", row)), document.collection == GymCollection.users
    else {
      throw unknown("document", "it is no document of users", row, path)
    }
    if !code.isOfName { return nil }
    let isTaken = try isTaken(row, path)
    if isTaken == false { return nil }
    var texts: [UserField: String] = [:]
    let found = cell("found", row)
    for field in NameReview.fields {
      let text = cell(field.rawValue, row)
      if PlainText.isBlank(text) { continue }
      // What reads as an error may be a word of the name that was listed, and its proposal.
      if SpreadsheetError.isError(text), !found.contains(PlainText.tidied(text)) {
        let cause = "the cell is an error of the spreadsheet; write the name, or empty the cell"
        throw unknown(field.rawValue, cause, row, path)
      }
      texts[field] = PlainText.tidied(text)
    }
    var decision = NameReview.Decision(label: row.label, found: found, texts: texts)
    decision.isMarked = isTaken == true
    return (document, decision)
  }

  /// Whether a row is marked as accepted.
  func isTaken(_ row: ReviewRow) -> Bool {
    let mark = cell(FindingLists.decision, row)
    return Self.taken.contains { PlainText.saySame($0, mark) }
  }

  /// Whether a row is marked as accepted or as rejected; nil if it is not marked.
  private func isTaken(_ row: ReviewRow, _ path: String) throws(Failure) -> Bool? {
    let mark = cell(FindingLists.decision, row)
    if PlainText.isBlank(mark) { return nil }
    if Self.taken.contains(where: { PlainText.saySame($0, mark) }) { return true }
    if Self.left.contains(where: { PlainText.saySame($0, mark) }) { return false }
    throw unknown(
      FindingLists.decision,
      "write x to take the row as it stands, or no to leave it open",
      row,
      path
    )
  }

  /// Returns a cell without the apostrophe that protects it from a spreadsheet.
  private func cell(_ name: String, _ row: ReviewRow) -> String {
    guard let index = columns[UTF8Key(name)], row.cells.indices.contains(index) else { return "" }
    return CellForm.unguarded(row.cells[index])
  }

  private func unknown(_ name: String, _ cause: String, _ row: ReviewRow, _ path: String) -> Failure {
    let column = (columns[UTF8Key(name)] ?? 0) + 1
    return ReviewFile.malformed(path, "\(row.label), column \(column) (\(name)): \(cause)")
  }
}

extension UsersUnify.Code {
  fileprivate var isOfName: Bool {
    switch self {
    case .nameDisagrees, .nameUnusual, .nameOneWord, .nameManyWords, .nameParticle, .nameNoPaternal,
      .nameNoFirst, .nameMissing, .nameTwoGiven:
      true
    default: false
    }
  }
}
