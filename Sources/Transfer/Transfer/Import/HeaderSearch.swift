import FirestoreModels
import Schema
import Tables

/// Refuses a first row that does not look like headings, and offers the options that read the table either way.
struct HeaderSearch {
  /// The number of rows to examine, and the maximum number of cells in a row that is a title.
  private static let searchedRows = 20
  private static let titleCells = 4
  /// Characters that occur within words and so do not divide cells.
  private static let inWords = Set("_.-@/".utf8)

  let source: ImportSource
  let options: TableOptions

  /// Examines the first row with content, unless an option says which row holds the headings.
  ///
  /// - Throws: ``TableObstacle`` for a title, a comment, or a row with another delimiter.
  func check(_ header: CellRow) throws(TableObstacle) {
    guard options.headerRow == nil else { return }
    let isComment = source.format != .xlsx && options.comment == nil && Self.isComment(header)
    let isFull = Self.columns(of: header).count == header.count
    if !isComment, isFull, header.count > Self.titleCells { return }
    let rows = first(of: options)
    if isComment { try refuseComment(header, rows) }
    try refuseTitle(rows)
    if source.format != .xlsx { try refuseDelimiter(header, rows) }
  }

  /// Looks for a title in a table whose first row cannot be read because of quotes or merged cells.
  func refuseTitleThatIsUnread() throws(TableObstacle) {
    guard options.headerRow == nil else { return }
    var literal = options
    literal.quotes = .literal
    try refuseTitle(first(of: literal))
  }

  private func first(of options: TableOptions) -> [CellRow] {
    guard var reader = try? TableReader(source, options, isSearched: true) else { return [] }
    var rows: [CellRow] = []
    while rows.count < Self.searchedRows, let isRow = try? reader.next(), isRow { rows.append(reader.row) }
    guard let encoding = reader.guessedEncoding else { return rows }
    var decoded = options
    decoded.encoding = encoding
    return first(of: decoded)
  }

  /// Refuses a title: a row that leaves columns without a heading, above a row of texts that heads more of them.
  private func refuseTitle(_ rows: [CellRow]) throws(TableObstacle) {
    guard let title = rows.first else { return }
    let headed = Self.columns(of: title)
    let used = rows.dropFirst().reduce(into: Set<Int>()) { $0.formUnion(Self.columns(of: $1)) }
    guard headed.count <= Self.titleCells, !used.isSubset(of: headed) else { return }
    // A title is often followed by an empty row.
    let isApart = headed.count == 1 && rows.count > 1 && rows[1].number > title.number + 1
    var best: (row: CellRow, count: Int)?
    for (index, row) in rows.enumerated().dropFirst().dropLast() {
      let columns = Self.columns(of: row)
      guard columns.count > max(1, best?.count ?? headed.count), Self.isOfHeadings(row, columns) else {
        continue
      }
      // A row of several cells, or one in a table of two columns, may hold the headings after all, unless another row
      // differs in kind from the cells below it.
      let isDoubtful = headed.count > 1 || columns.count < 3 && !isApart
      if isDoubtful, !Self.heads(row, columns, rows[(index + 1)...]) { continue }
      best = (row, columns.count)
    }
    guard let best else { return }
    let (first, below) = (title.number, best.row.number)
    let failure = Failure.malformed(
      source.label,
      "row \(first), the first, looks like a title, and row \(below) like the headings",
      remedy:
        "\(source.option("header-row", "\(below)")) takes that row for the headings, \(source.option("header-row", "\(first)")) the first."
    )
    throw TableObstacle(failure, options) { $0.headerRow = below }
  }

  /// Whether each cell may be a heading: a text with a letter, or a year.
  private static func isOfHeadings(_ row: CellRow, _ columns: Set<Int>) -> Bool {
    columns.allSatisfy { isHeading(row, $0) }
  }

  private static func isHeading(_ row: CellRow, _ column: Int) -> Bool {
    let text = row[column]
    switch row.kind(column) {
    case .bare, .text:
      return text.unicodeScalars.contains { $0.properties.isAlphabetic } || isYear(text)
    case .number, .integer, .double, .textNumber: return isYear(text)
    default: return false
    }
  }

  private static func isYear(_ text: String) -> Bool { Int(text).map { (1900...2100).contains($0) } ?? false }

  /// Whether, in some column, most cells below a row cannot be headings.
  private static func heads(_ row: CellRow, _ columns: Set<Int>, _ below: ArraySlice<CellRow>) -> Bool {
    columns.contains { column in
      let cells = below.filter { !$0.isBlank(column) }
      return cells.count { !isHeading($0, column) } * 2 > cells.count
    }
  }

  /// Refuses a comment: a first row that begins with `# `, or with `#` and has another width than the table.
  private func refuseComment(_ header: CellRow, _ rows: [CellRow]) throws(TableObstacle) {
    let others = rows.filter { !Self.isComment($0) }
    guard let next = others.first else { return }
    let isSpaced = header[0].utf8.dropFirst().first == UInt8(ascii: " ")
    guard isSpaced || Self.columns(of: next).count != Self.columns(of: header).count else { return }
    let failure = Failure.malformed(
      source.label,
      "row \(header.number), the first, begins with #, as a comment does",
      remedy:
        "--comment '#' leaves such lines out, --header-row \(header.number) takes that row for the headings."
    )
    throw TableObstacle(failure, options) { $0.comment = UInt8(ascii: "#") }
  }

  private func refuseDelimiter(_ header: CellRow, _ rows: [CellRow]) throws(TableObstacle) {
    guard rows.count > 1, (rows + [header]).allSatisfy({ $0.count == 1 }) else { return }
    let counts = Self.counts(header[0])
    let constant = counts.filter { count in rows.allSatisfy { Self.counts($0[0])[count.key] == count.value } }
    guard let found = constant.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key,
      let delimiter = CSVDelimiter(rawValue: String(UnicodeScalar(found)))
    else { return }
    let sign = delimiter == .tab ? "tabs" : "'\(delimiter.rawValue)'"
    let failure = Failure.malformed(
      source.label,
      "it has one column, and as many \(sign) in each row",
      remedy:
        "--delimiter '\(delimiter.typed)' divides the cells there, --header-row \(header.number) takes them as they are."
    )
    throw TableObstacle(failure, options) { $0.delimiter = delimiter }
  }

  /// Counts the characters in a text that may divide cells.
  private static func counts(_ text: String) -> [UInt8: Int] {
    text.utf8.reduce(into: [:]) { counts, byte in
      guard !inWords.contains(byte), CSVDelimiter(rawValue: String(UnicodeScalar(byte))) != nil else {
        return
      }
      counts[byte, default: 0] += 1
    }
  }

  /// A lone `#` is a common heading.
  private static func isComment(_ row: CellRow) -> Bool {
    row[0].utf8.first == UInt8(ascii: "#") && row[0].utf8.count > 1
  }

  /// The columns whose cells are not blank.
  private static func columns(of row: CellRow) -> Set<Int> {
    Set((0..<row.count).filter { !row.isBlank($0) })
  }
}
