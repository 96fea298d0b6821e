import CXLSXWriter
import FirestoreModels
import Schema

/// The parts of a schema that affect a sheet beyond its cells: highlights, and references to documents of other sheets.
struct SheetExtras {
  /// The columns with highlighted cells, from 0.
  private(set) var highlights: [(column: Int, rule: FieldHighlight)] = []
  /// The columns of references, each with its collection.
  private(set) var references: [(column: Int, collection: CollectionPath)] = []

  /// - Parameter columns: The columns after the name.
  init(_ columns: [Column] = []) {
    for (index, column) in columns.enumerated() {
      if let rule = column.highlight { highlights.append((index + 1, rule)) }
      if let collection = column.reference { references.append((index + 1, collection)) }
    }
  }

  /// Adds the conditional formats to a sheet with that many rows, of which the first is the header.
  func apply(
    to sheet: UnsafeMutablePointer<lxw_worksheet>,
    rows: UInt32,
    _ format: UnsafeMutablePointer<lxw_format>?
  ) -> lxw_error {
    for (column, rule) in highlights {
      // Some cells of a column are texts, which compare greater than every number.
      let code = Self.formula(rule, Self.name(ofColumn: column)).withCString { formula in
        var conditional = lxw_conditional_format()
        conditional.type = UInt8(LXW_CONDITIONAL_TYPE_FORMULA.rawValue)
        conditional.value_string = UnsafeMutablePointer(mutating: formula)
        conditional.format = format
        return worksheet_conditional_format_range(
          sheet,
          1,
          UInt16(column),
          rows - 1,
          UInt16(column),
          &conditional
        )
      }
      if code != LXW_NO_ERROR { return code }
    }
    return LXW_NO_ERROR
  }

  /// The condition on the cell of the second row, which a spreadsheet adapts to the other rows.
  static func formula(_ rule: FieldHighlight, _ column: String) -> String {
    let cell = "$\(column)2"
    var conditions = ["ISNUMBER(\(cell))"]
    switch rule {
    case .range(let minimum, let maximum):
      if let minimum { conditions.append("\(cell)>=\(digits(minimum))") }
      if let maximum { conditions.append("\(cell)<=\(digits(maximum))") }
    case .withinDays(let days): conditions += ["INT(\(cell))>=TODAY()", "INT(\(cell))<=TODAY()+\(days)"]
    }
    return "=AND(\(conditions.joined(separator: ",")))"
  }

  private static func digits(_ number: Double) -> String {
    Int64(exactly: number).map { String($0) } ?? String(number)
  }

  /// The letters of a column, from 0: `A`, `AA`.
  static func name(ofColumn index: Int) -> String {
    var name = ""
    var rest = index + 1
    while rest > 0 {
      rest -= 1
      name = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(rest % 26))) + name
      rest /= 26
    }
    return name
  }
}

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
  init(_ extras: SheetExtras, to sheets: [UTF8Key: String]) {
    for (column, collection) in extras.references {
      guard let name = sheets[UTF8Key(collection.string)] else { continue }
      let sheet = "'\(name.replacing("'", with: "''"))'"
      let target = sheet.replacing("\"", with: "\"\"")
      parts[column] = Parts(
        before: Array("=IFERROR(HYPERLINK(\"#\(target)!A\"&MATCH(\"".utf8),
        between: Array("\",\(sheet)!$A:$A,0),\"".utf8)
      )
    }
  }

  /// The number of columns with links.
  var count: Int { parts.count }

  /// The formula of an ID; nil for a column without links, and for an ID with characters that are special in a formula
  /// or a lookup.
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

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
      || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "@")].contains(byte)
  }
}
