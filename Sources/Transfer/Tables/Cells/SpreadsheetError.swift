/// The errors that a spreadsheet saves to a CSV file in place of values.
package enum SpreadsheetError {
  private static let texts = [
    "#N/A", "#N/D", "#REF!", "#¡REF!", "#VALUE!", "#¡VALOR!", "#DIV/0!", "#¡DIV/0!", "#NAME?", "#¿NOMBRE?",
    "#NUM!", "#¡NUM!", "#NULL!", "#¡NULO!",
  ]

  /// Whether a text is an error, in English or Spanish.
  static func isError(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    let text = CellValues.trimmed(utf8)
    return text.first == UInt8(ascii: "#") && texts.contains { text.elementsEqual($0.utf8) }
  }

  package static func isError(_ text: String) -> Bool {
    var text = text
    return text.withUTF8(isError)
  }
}
