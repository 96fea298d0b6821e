/// The errors that a spreadsheet saves to a CSV file in place of values, of Excel and Sheets in English and Spanish, and of
/// LibreOffice; also the row of `#` that Excel saves of a date or a number that its column was too narrow for.
package enum SpreadsheetError {
  private static let texts = [
    "#N/A", "#N/D", "#REF!", "#¡REF!", "#VALUE!", "#¡VALOR!", "#DIV/0!", "#¡DIV/0!", "#NAME?", "#¿NOMBRE?",
    "#NUM!", "#¡NUM!", "#NULL!", "#¡NULO!", "#ERROR!", "#SPILL!", "#¡DESBORDAMIENTO!", "#CALC!", "#¡CALC!",
    "#FIELD!", "#¡CAMPO!", "#BLOCKED!", "#¡BLOQUEADO!", "#CONNECT!", "#¡CONECTAR!", "#UNKNOWN!",
    "#¡DESCONOCIDO!", "#BUSY!", "#¡OCUPADO!", "#GETTING_DATA", "#OBTENIENDO_DATOS",
  ]

  /// Whether a text is an error.
  static func isError(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    let text = CellValues.trimmed(utf8)
    guard text.first == UInt8(ascii: "#") else {
      return text.count == 7 && text.starts(with: "Err:".utf8) && text.dropFirst(4).allSatisfy(\.isASCIIDigit)
    }
    return texts.contains { text.elementsEqual($0.utf8) }
      || text.count > 2 && text.allSatisfy { $0 == UInt8(ascii: "#") }
  }

  package static func isError(_ text: String) -> Bool { text.withBytes { isError($0) } }
}
