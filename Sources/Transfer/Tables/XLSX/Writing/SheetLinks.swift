/// Formulas that link a document's ID to its row in another sheet of the workbook.
///
/// The spreadsheet looks up the row, because the other sheet may not be written yet, and people sort sheets. The formula's
/// value is the ID, even if the other sheet lacks the document, so that readers of the cell get the ID.
struct SheetLinks {
  /// The parts of a formula around the ID, which occurs three times.
  private struct Parts {
    var before: [UInt8]
    var between: [UInt8]
  }

  /// Excel's limit for a text in a formula is 255 characters.
  private static let maximumID = 200

  private var parts: [Int: Parts] = [:]

  /// - Parameter sheets: The names of the sheets, by their collections.
  /// - Returns: Nil if no column refers to a sheet.
  init?(_ extras: SheetExtras, to sheets: [UTF8Key: String]) {
    for (column, collection) in extras.references {
      guard let name = sheets[UTF8Key(collection.string)] else { continue }
      let sheet = "'\(name.replacing(scalar: "'", with: "''"))'"
      let target = sheet.replacing(scalar: "\"", with: "\"\"")
      parts[column] = Parts(
        before: Array("=IFERROR(HYPERLINK(\"#\(target)!A\"&MATCH(\"".utf8),
        between: Array("\",\(sheet)!$A:$A,0),\"".utf8)
      )
    }
    if parts.isEmpty { return nil }
  }

  /// Returns the formula for an ID; nil for a column without links, and for an ID with characters that are special in a
  /// formula or a lookup.
  func formula(for id: UnsafePointer<CChar>, in column: Int) -> [CChar]? {
    guard let parts = parts[column] else { return nil }
    var bytes: [UInt8] = []
    var at = id
    while at.pointee != 0 {
      let byte = UInt8(bitPattern: at.pointee)
      // "_x" may begin an escape of the cell's text.
      let isEscape = byte == UInt8(ascii: "x") && bytes.last == UInt8(ascii: "_")
      guard Self.isPlain(byte), !isEscape, bytes.count < Self.maximumID else { return nil }
      bytes.append(byte)
      at += 1
    }
    let pieces = [
      parts.before, bytes, parts.between, bytes, Array("\"),\"".utf8), bytes, Array("\")".utf8), [0],
    ]
    return pieces.flatMap { $0.map { CChar(bitPattern: $0) } }
  }

  /// Returns the ID in a link's formula, as stored in a sheet without the equals sign; nil for any other formula.
  ///
  /// Other programs write the reference to the other sheet in their own way.
  static func id(inFormula formula: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let end = Array("\")".utf8)
    guard formula.starts(with: "IFERROR(HYPERLINK(\"#".utf8), formula.suffix(2).elementsEqual(end),
      let quote = formula.dropLast(2).lastIndex(of: UInt8(ascii: "\""))
    else { return nil }
    let id = formula[(quote + 1)...].dropLast(2)
    let lookup = Array("MATCH(\"".utf8) + id + Array("\",".utf8)
    let shown = Array(",\"".utf8) + id + Array("\"),\"".utf8) + id + end
    guard !id.isEmpty, id.allSatisfy(isPlain), formula.suffix(shown.count).elementsEqual(shown),
      formula.firstRange(of: lookup) != nil
    else { return nil }
    return id
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "-_.@".utf8.contains(byte)
  }
}
