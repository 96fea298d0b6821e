import CXLSXWriter
import Schema

/// The columns of a sheet.
struct SheetColumns: Sendable {
  /// The headings, in the first row.
  var header: [String]
  /// The widths in characters.
  var widths: [Double]
  /// The number formats; nil for columns without one of their own, as those at the end that are not here.
  var numberFormats: [String?] = []
  var extras = SheetExtras()
}

/// The parts of a schema that affect a sheet beyond its cells: highlights, and references to documents of other sheets.
struct SheetExtras: Sendable {
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

  /// Adds the conditional formats to a sheet with the given number of rows, of which the first is the header.
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

  /// Returns the condition for the cell of the second row, which a spreadsheet adapts to the other rows.
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

  /// Returns the letters of a column, from 0: `A`, `AA`.
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
