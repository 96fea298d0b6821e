import Schema
import Tables

/// Refuses a first row that looks like no row of headings, with the options that read the table either way.
struct HeaderSearch {
  /// The rows that are looked at, and the cells of a row that may be a title.
  private static let searchedRows = 20
  private static let titleCells = 3
  /// Characters within words, which divide no cells.
  private static let inWords = Set("_.-@/".utf8)

  private let source: ImportSource
  private let options: TableOptions

  init(_ source: ImportSource, _ options: TableOptions) {
    (self.source, self.options) = (source, options)
  }

  /// Looks at the first row that holds something, unless an option says which row the headings are in.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for a title, a comment, or a row with another delimiter.
  func check(_ header: CellRow) throws(Failure) {
    guard options.headerRow == nil else { return }
    let isComment = source.format != .xlsx && options.comment == nil && Self.isComment(header)
    if !isComment, Self.cells(of: header) > Self.titleCells { return }
    let rows = first(of: options)
    if isComment { try refuseComment(header, rows) }
    try refuseTitle(rows)
    if source.format != .xlsx, options.delimiter == nil { try refuseDelimiter(header, rows) }
  }

  /// Looks for a title in a table whose first row cannot be read for its quotes.
  func refuseTitleWithQuotes() throws(Failure) {
    guard options.headerRow == nil, options.quotes != .literal else { return }
    var literal = options
    literal.quotes = .literal
    try refuseTitle(first(of: literal))
  }

  private func first(of options: TableOptions) -> [CellRow] {
    guard var reader = try? TableReader(source, options, isSearched: true) else { return [] }
    var rows: [CellRow] = []
    while rows.count < Self.searchedRows, let isRow = try? reader.next(), isRow { rows.append(reader.row) }
    return rows
  }

  private func refuseTitle(_ rows: [CellRow]) throws(Failure) {
    let counted = rows.map { (number: $0.number, cells: Self.cells(of: $0)) }
    guard let title = counted.first, title.cells <= Self.titleCells,
      let most = counted.map(\.cells).max(), title.cells * 2 <= most
    else { return }
    let full = counted.filter { $0.cells * 5 >= most * 4 }
    guard most > 2, full.count > 1, let first = full.first else { return }
    throw .malformed(
      source.label,
      "row \(title.number), the first, looks like a title, and row \(first.number) like the headings",
      remedy:
        "--header-row \(first.number) takes that row for the headings, --header-row \(title.number) the first."
    )
  }

  /// A sign with a blank behind it, or a row of another width than the table's, is no heading.
  private func refuseComment(_ header: CellRow, _ rows: [CellRow]) throws(Failure) {
    let others = rows.filter { !Self.isComment($0) }
    guard let next = others.first else { return }
    let isSpaced = header[0].utf8.dropFirst().first == UInt8(ascii: " ")
    guard isSpaced || Self.cells(of: next) != Self.cells(of: header) else { return }
    throw .malformed(
      source.label,
      "row \(header.number), the first, begins with #, as a comment does",
      remedy:
        "--comment '#' leaves such lines out, --header-row \(header.number) takes that row for the headings."
    )
  }

  private func refuseDelimiter(_ header: CellRow, _ rows: [CellRow]) throws(Failure) {
    guard rows.count > 1, (rows + [header]).allSatisfy({ $0.count == 1 }) else { return }
    let counts = Self.counts(header[0])
    let constant = counts.filter { sign in rows.allSatisfy { Self.counts($0[0])[sign.key] == sign.value } }
    guard let found = constant.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key,
      let delimiter = CSVDelimiter(rawValue: String(UnicodeScalar(found)))
    else { return }
    throw .malformed(
      source.label,
      "it has one column, and as many '\(delimiter.rawValue)' in each row",
      remedy:
        "--delimiter '\(delimiter.rawValue)' divides the cells there, --header-row \(header.number) takes them as they are."
    )
  }

  /// How often a text has each of the characters that may divide cells.
  private static func counts(_ text: String) -> [UInt8: Int] {
    text.utf8.reduce(into: [:]) { counts, byte in
      guard !inWords.contains(byte), CSVDelimiter(rawValue: String(UnicodeScalar(byte))) != nil else {
        return
      }
      counts[byte, default: 0] += 1
    }
  }

  /// `#` alone is a heading as people write them.
  private static func isComment(_ row: CellRow) -> Bool {
    row[0].utf8.first == UInt8(ascii: "#") && row[0].utf8.count > 1
  }

  private static func cells(of row: CellRow) -> Int { (0..<row.count).count { !row.isBlank($0) } }
}
