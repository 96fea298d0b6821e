import Schema

/// The styles of a workbook, which determine whether numbers are dates and blank cells are texts.
struct XLSXStyles: Sendable {
  /// The type that a number format represents.
  enum Form: Sendable, Equatable {
    case number, date, time, text
    /// A date in the format that export writes.
    case exportedDate
    /// A length of time: `[h]:mm:ss`.
    case duration
    /// A number that is shown as a code: `00000`.
    case padded(PaddedFormat)
    /// A boolean, as 0 or 1.
    case boolean
    /// A number shown multiplied by 100: `0%`.
    case percent
    /// A number with a percent sign behind it that is text: `0"%"`.
    case percentSign
    /// The types that export marks: a double, an integer, a date with microseconds.
    case double, integer, fineDate
  }

  /// The number format of dates.
  ///
  /// The formats below mark a type: they look like common ones but differ from them.
  static let dateCode = "yyyy-mm-dd hh:mm:ss"
  static let fineDateCode = "yyyy-mm-dd hh:mm:ss;@"
  static let doubleCode = "0.0##############"
  static let smallDoubleCode = "0.0##############E+00"
  /// It survives LibreOffice's conversion to .ods and back, which turns `#0` into `0`.
  static let integerCode = "0;-0;0"
  /// The format that earlier versions of export wrote.
  private static let earlierIntegerCode = "#0"

  /// The number formats in which LibreOffice saves the boolean result of a formula, by language.
  private static let booleanCodes: Set = [
    #""TRUE";"TRUE";"FALSE""#, #""VERDADERO";"VERDADERO";"FALSO""#,
    #""VERDADEIRO";"VERDADEIRO";"FALSO""#, #""WAHR";"WAHR";"FALSCH""#, #""VRAI";"VRAI";"FAUX""#,
  ]

  private var forms: [Form] = []

  /// More than Excel allows.
  private static let maximumStyles = 70_000

  /// Creates an empty list of styles.
  init() {}

  /// Reads the styles part of a workbook.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed`.
  init(_ part: String, in path: String) throws(Failure) {
    let handler = Handler()
    try XMLStream.read(part, in: path, handler)
    forms = handler.formats.map { Self.form(of: $0, code: handler.codes[$0]) }
  }

  /// The form of a style; nil if the workbook does not have it.
  ///
  /// Cells that name no style have the first one.
  subscript(index: Int) -> Form? { forms.indices.contains(index) ? forms[index] : index == 0 ? .number : nil }

  private final class Handler: XMLHandler {
    var codes: [Int: String] = [:]
    var formats: [Int] = []
    /// Whether the elements are those of the list `numFmts`, as conditional formats have number formats, too.
    private var isInNumberFormats = false
    private var isInCellFormats = false

    override func start(_ name: Name, _ attributes: XMLAttributes) {
      if name.isNamed("numFmts") {
        isInNumberFormats = true
      } else if name.isNamed("cellXfs") {
        isInCellFormats = true
      } else if isInNumberFormats, name.isNamed("numFmt"),
        let id = attributes["numFmtId"].flatMap({ Int($0) })
      {
        if codes.count >= XLSXStyles.maximumStyles { return refuse("it has too many number formats") }
        codes[id] = attributes["formatCode"].map { String($0.prefix(1000)) }
      } else if isInCellFormats, name.isNamed("xf") {
        if formats.count >= XLSXStyles.maximumStyles { return refuse("it has too many styles") }
        formats.append(attributes["numFmtId"].flatMap { Int($0) } ?? 0)
      }
    }

    override func end(_ name: Name) {
      if name.isNamed("numFmts") { isInNumberFormats = false }
      if name.isNamed("cellXfs") { isInCellFormats = false }
    }
  }

  /// Returns the form of a number format by its code, or of a built-in one (ECMA-376, 18.8.30).
  static func form(of id: Int, code: String?) -> Form {
    if let code { return form(of: code) }
    switch id {
    case 9, 10: return .percent
    case 14...17, 22, 27...31, 34...36, 50...58: return .date
    case 18...21, 32, 33, 45, 47: return .time
    case 46: return .duration
    case 49: return .text
    default: return .number
    }
  }

  /// Returns the form of a number format code.
  static func form(of code: String) -> Form {
    // LibreOffice escapes characters that are not letters.
    switch code.filter({ $0 != "\\" }) {
    case "@": return .text
    case _ where isOfExport(code): return .exportedDate
    case fineDateCode: return .fineDate
    case doubleCode, smallDoubleCode: return .double
    case integerCode, earlierIntegerCode: return .integer
    default: break
    }
    if booleanCodes.contains(code) { return .boolean }
    return switch NumberFormat(code) {
    case .number: PaddedFormat(code).map { .padded($0) } ?? .number
    case .percent: .percent
    case .percentSign: .percentSign
    case .date: .date
    case .time: .time
    case .duration: .duration
    }
  }

  /// Returns a schema's number format without the meaning that export gives to some formats: one that looks the same and
  /// marks no type, or nil for that of booleans.
  static func unmarked(_ code: String) -> String? {
    switch form(of: code) {
    case .integer: "0"
    case .double: "\(code);-\(code)"
    case .boolean: nil
    default: code
    }
  }

  /// Whether a format is that of the dates of an export, possibly as saved by Google Sheets.
  private static func isOfExport(_ code: String) -> Bool {
    code.lowercased().filter { $0 != "\\" && $0 != "\"" } == dateCode
  }
}
