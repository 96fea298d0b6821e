import Files
package import FirestoreModels

/// The long texts of a workbook, reassembled from their sheet (see ``LongTexts``).
///
/// They are on disk; only their offsets are in memory.
package final class LongTextIndex {
  private var spool: SpoolFile
  private var places: [Int: (start: Int, count: Int)] = [:]

  /// Whether a sheet is that of the long texts: the last one with such a name.
  package static func isSheet(_ name: String, among names: [String]) -> Bool {
    name.hasPrefix(XLSXWriter.longTextsName) && names.last { $0.hasPrefix(XLSXWriter.longTextsName) } == name
  }

  /// Reads the long texts of a workbook; nil if it has none.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` or `cannotWrite`.
  package init?(of path: String) throws(Failure) {
    let names = try TableReader.sheets(of: path).map(\.name)
    guard let sheet = names.last(where: { Self.isSheet($0, among: names) }) else { return nil }
    var reader = try TableReader(path, format: .xlsx, sheet: sheet)
    guard try reader.next(), reader.row.texts == LongTexts.header else { return nil }
    spool = try SpoolFile(in: FilePaths.temporaryFolder(for: "-"))
    while try reader.next() {
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
