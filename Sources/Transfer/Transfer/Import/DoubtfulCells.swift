import Schema
import Tables

/// Counts the texts and IDs of a table that have the apostrophe of `export --excel`, although the table lacks its byte order
/// mark, as does a workbook that such a file was saved as.
///
/// Some texts have that apostrophe themselves.
struct GuardedTexts {
  /// Whether to look for such texts.
  private let mayBe: Bool
  private let isSheet: Bool
  private let idColumn: Int?
  private var found = CountedRows()
  private var ids = 0

  /// - Parameter isExportedSheet: Whether an export wrote the sheet, whose texts have no apostrophe of its own.
  init(_ plan: TablePlan, isExportedSheet: Bool) {
    mayBe = plan.readsForms && !plan.isForExcel && !isExportedSheet
    (isSheet, idColumn) = (plan.isSheet, plan.idColumn)
  }

  mutating func take(_ row: CellRow, _ index: Int) {
    guard mayBe, row.withUTF8(of: index, { $0.first == UInt8(ascii: "'") && CellForm.isFormula($0) }) else {
      return
    }
    found.add(row.row)
    if index == idColumn { ids += 1 }
  }

  var warnings: [String] {
    if found.count == 0 { return [] }
    let (cells, verb) = (NumberText.counted(found.count, "text"), found.count == 1 ? "begins" : "begin")
    let doubled =
      ids == 0 ? "" : " \(NumberText.counted(ids, "id")) among them: the documents may then exist twice."
    return [
      "\(cells) \(verb) with an apostrophe as export --excel puts it before formulas, the first in row \(found.first): \(isSheet ? "in a workbook" : "without a byte order mark") it stays.\(doubled) If it is none of the text, save the file with that mark, as 'CSV UTF-8' in Excel; no option takes it off."
    ]
  }
}

/// Counts texts with white space around them, which is invisible and makes searches for the text fail.
struct SpacedTexts {
  /// Whether to look for such texts.
  private let mayBe: Bool
  private var count = 0
  private var first = (row: 0, column: 0)

  init(_ options: TableOptions, isExported: Bool) { mayBe = !isExported && options.keepsSpaces != true }

  mutating func take(_ value: Value?, of row: CellRow, _ index: Int) {
    guard mayBe, case .string(let text)? = value, Spacing.isAround(text) else { return }
    if count == 0 { first = (row.row, index) }
    count += 1
  }

  func warnings(_ plan: TablePlan) -> [String] {
    if count == 0 { return [] }
    let texts = "\(NumberText.counted(count, "text")) \(count == 1 ? "begins or ends" : "begin or end")"
    return [
      "\(texts) with white space, which is a part of \(count == 1 ? "it" : "them"), the first in row \(first.row), \(plan.name(ofColumn: first.column)). Take it out of the file, or say that it is meant with --keep-spaces."
    ]
  }
}

/// Recognizes the last row of a table as a row of totals, by its name.
struct TotalRow {
  private static let names: Set = [
    "total", "total:", "totales", "total general", "grand total", "subtotal", "suma", "sum",
  ]

  private let plan: TablePlan
  private let isExported: Bool
  private var found: (row: Int, name: String)?

  init(_ plan: TablePlan, isExported: Bool) { (self.plan, self.isExported) = (plan, isExported) }

  mutating func take(_ row: CellRow) {
    if isExported { return }
    var filled = 0
    for index in 0..<row.count where !row.isBlank(index) {
      if filled == 2 { break }
      // In an exported table, any field may hold such a name.
      if plan.readsForms, index != plan.idColumn { continue }
      filled += 1
      let name = row.withUTF8(of: index) { utf8 in
        utf8.count <= 16 ? PlainText.trimmed(String(decoding: utf8, as: UTF8.self)) : ""
      }
      if Self.names.contains(name.lowercased()) { found = (row.row, name) }
    }
  }

  /// Whether a rejected row is the one that was found, which then needs no warning.
  mutating func isRefused(in row: CellRow) -> Bool {
    if found?.row != row.row { return false }
    found = nil
    return true
  }

  var warnings: [String] {
    guard let (row, name) = found else { return [] }
    return [
      "Row \(row) is taken for a document, and '\(name)' looks like the sum of others: take it out of the file if it is."
    ]
  }
}

/// Recognizes rows that follow an empty one and hold only an id: notes below a table.
struct NoteRows {
  private let idColumn: Int?
  private var last: Int?
  private var isBehindGap = false
  private var found = CountedRows()

  init(_ plan: TablePlan, isExported: Bool) {
    idColumn = isExported || plan.headings.count < 2 ? nil : plan.idColumn
  }

  mutating func take(_ row: CellRow) {
    guard let idColumn else { return }
    if let last, row.row > last + 1 { isBehindGap = true }
    last = row.row
    guard isBehindGap, (0..<row.count).allSatisfy({ row.isBlank($0) != ($0 == idColumn) }) else { return }
    found.add(row.row)
  }

  var warnings: [String] {
    let (count, first) = (found.count, found.first)
    if count == 0 { return [] }
    let rows = count == 1 ? "Row \(first)" : "Row \(first) and \(NumberText.grouped(count - 1)) more"
    let (have, are) = count == 1 ? ("has", "is taken for a document") : ("have", "are taken for documents")
    return [
      "\(rows) behind an empty row \(have) nothing but an id, and \(are) without fields: take notes out of the file."
    ]
  }
}

extension TablePlan {
  /// Sentences about headings that look the same and are not, so that each is a separate field.
  var headingsAlike: [String] {
    // Swift's equality compares characters as they are seen.
    var seen: [String: Int] = [:]
    return headings.indices.compactMap { index in
      let heading = headings[index]
      guard let other = seen[heading] else {
        seen[heading] = index
        return nil
      }
      return heading.isIdentical(to: headings[other])
        ? nil
        : "The headings of columns \(other + 1) and \(index + 1) look the same and are written with other characters of Unicode, so they are two fields: rename one in the file if they are meant to be one."
    }
  }
}
