import Files

/// The long texts of a workbook, reassembled from their sheet (see ``LongTexts``) in the order of their parts.
///
/// They are on disk; only the offsets of their pieces are in memory.
package final class LongTextIndex {
  private struct Piece {
    var part: Int
    var row: Int
    var start: Int
    var count: Int
  }

  private var spool: SpoolFile
  private var texts: [Int: [Piece]] = [:]
  /// The hash of the sheet, document and field of each text.
  private var owners: [Int: UInt64] = [:]
  /// The name under which the sheet was written, its column of ids, and the fields of its columns.
  private let sheet: String
  private let nameColumn: Int?
  private let fields: [Int: [[UInt8]]]

  /// Whether a sheet, by its name and columns, contains the long texts; a collection may have such a name, too.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed`.
  package static func isSheet(_ name: String, of path: String) throws(Failure) -> Bool {
    guard name.hasPrefix(XLSXWriter.longTextsName) else { return false }
    var reader = try TableReader(path, format: .xlsx, sheet: name)
    return try reader.next() && reader.row.texts == LongTexts.header
  }

  private static func sheet(among names: [String], of path: String) throws(Failure) -> String? {
    for name in names.reversed() where try isSheet(name, of: path) { return name }
    return nil
  }

  /// Reads the long texts of a workbook for one of its sheets; nil if it has none.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` or `cannotWrite`.
  package init?(of path: String, for table: String?, _ plan: TablePlan) throws(Failure) {
    let sheets = try XLSXPackage(path).sheets
    let names = sheets.map(\.name)
    self.sheet =
      sheets.first { $0.name.isIdentical(to: table ?? "") }?.originalName ?? table ?? ""
    nameColumn = plan.idColumn
    fields = Dictionary(grouping: plan.columnsByField, by: \.value).mapValues { $0.map(\.key) }
    guard let sheet = try Self.sheet(among: names, of: path) else { return nil }
    var reader = try TableReader(path, format: .xlsx, sheet: sheet)
    guard try reader.next(), reader.row.texts == LongTexts.header else { return nil }
    spool = try SpoolFile(in: FilePaths.temporaryFolder(for: "-"))
    func damaged(_ row: Int, _ cause: String) -> Failure {
      .malformed(path, "sheet \(sheet), row \(row): \(cause)")
    }
    while try reader.nextTexts() {
      let row = reader.row
      let text = row.withUTF8(of: 5) { Array($0) }
      guard let number = Int(row[0]), let part = Int(row[4]), !text.isEmpty else {
        throw damaged(row.number, "expected the number of a text, that of a part of it, and the part")
      }
      let piece = Piece(part: part, row: row.number, start: spool.count, count: text.count)
      texts[number, default: []].append(piece)
      try spool.append(text)
      if part != 1 { continue }
      let document = row.withUTF8(of: 2) { Array($0) }
      owners[number] = Self.owner(row[1], document, row.withUTF8(of: 3) { Array($0) })
    }
    for (number, pieces) in texts.sorted(by: { $0.key < $1.key }) {
      let pieces = pieces.sorted { ($0.part, $0.row) < ($1.part, $1.row) }
      for (index, piece) in pieces.enumerated() where piece.part != index + 1 {
        let cause = piece.part <= index ? "is there twice" : "has no part \(index + 1) before it"
        throw damaged(piece.row, "part \(piece.part) of text \(number) \(cause)")
      }
      texts[number] = pieces
    }
  }

  /// Whether the text with a number was written for a cell, by its sheet, document and field.
  func isText(_ number: Int, of row: CellRow, _ index: Int) -> Bool {
    guard let nameColumn, let fields = fields[index] else { return false }
    let document = row.withUTF8(of: nameColumn) { Array($0) }
    return fields.contains { owners[number] == Self.owner(sheet, document, $0) }
  }

  private static func owner(_ sheet: String, _ document: [UInt8], _ field: [UInt8]) -> UInt64 {
    FNV.hash(Array(sheet.utf8) + [0] + document + [0] + field)
  }

  /// Returns the text with a number, and the number of its pieces; nil if there is none.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` for a disk error.
  func text(_ number: Int) throws(Failure) -> (text: [UInt8], pieces: Int)? {
    guard let pieces = texts[number] else { return nil }
    var text: [UInt8] = []
    for piece in pieces { text += try spool.bytes(piece.count, at: piece.start) }
    return (text, pieces.count)
  }
}
