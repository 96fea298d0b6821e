import Files

/// The long texts of a workbook, reassembled from their sheet (see ``LongTexts``).
///
/// They are on disk; only their offsets are in memory.
package final class LongTextIndex {
  private var spool: SpoolFile
  private var places: [Int: (start: Int, count: Int)] = [:]

  /// Whether a sheet is that of the long texts, by its name and its columns: a collection may have such a name.
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

  /// Reads the long texts of a workbook; nil if it has none.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` or `cannotWrite`.
  package init?(of path: String) throws(Failure) {
    let names = try TableReader.sheets(of: path).map(\.name)
    guard let sheet = try Self.sheet(among: names, of: path) else { return nil }
    var reader = try TableReader(path, format: .xlsx, sheet: sheet)
    guard try reader.next(), reader.row.texts == LongTexts.header else { return nil }
    spool = try SpoolFile(in: FilePaths.temporaryFolder(for: "-"))
    while try reader.nextTexts() {
      guard let number = Int(reader.row[0]) else { continue }
      let piece = Array(reader.row[5].utf8)
      let start = places[number]?.start ?? spool.count
      // The pieces of a text must be consecutive.
      guard start + (places[number]?.count ?? 0) == spool.count else {
        throw Failure.malformed(
          path,
          "sheet \(sheet), row \(reader.row.number): the pieces of text \(number) are not consecutive"
        )
      }
      try spool.append(piece)
      places[number] = (start, spool.count - start)
    }
  }

  /// Whether a cell shows the beginning of a text as it was written; false once somebody edited it.
  ///
  /// Spreadsheets have line feeds alone in a cell.
  static func shows(_ text: [UInt8], in cell: UnsafeBufferPointer<UInt8>) -> Bool {
    let end = cell.firstIndex(of: UInt8(ascii: " ")).map { $0 + 1 } ?? cell.count
    let shown = cell[end...].filter { $0 != 0x0D }
    return text.span.withUnsafeBufferPointer { text in
      shown.elementsEqual(LongTexts.shown(of: text).filter { $0 != 0x0D } + Array(LongTexts.ellipsis.utf8))
    }
  }

  /// Returns the entire text that a cell refers to; nil for an ordinary cell.
  package func text(of cell: UnsafeBufferPointer<UInt8>) throws(Failure) -> [UInt8]? {
    let mark = "{\"longText\":".utf8
    guard cell.starts(with: mark) else { return nil }
    let digits = cell.dropFirst(mark.count).prefix { $0 &- UInt8(ascii: "0") <= 9 }
    guard let number = Int(String(decoding: digits, as: UTF8.self)), let position = places[number] else {
      return nil
    }
    return try spool.bytes(position.count, at: position.start)
  }
}
