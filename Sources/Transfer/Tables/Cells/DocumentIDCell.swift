import Schema

extension CellValues {
  /// Returns the ID, or the path below the collection, in a cell; empty if the cell is missing.
  ///
  /// It is a name, never a value: `null`, `7` and what looks like JSON are read literally.
  package func name(of row: CellRow, _ index: Int) throws(Fault) -> String {
    switch row.kind(index) {
    case .missing: return ""
    case .bare, .text:
      return row.withUTF8(of: index) { utf8 in
        String(decoding: writing.neutralisesFormulas ? CellForm.unguarded(utf8) : utf8, as: UTF8.self)
      }
    default:
      guard case .string(let text)? = try value(of: row, index, as: .string, nil) else {
        throw Fault(expected: "an id")
      }
      return text
    }
  }

  /// Refuses a text among identifiers that a spreadsheet has rounded: `5.51235E+11`, or with a comma.
  package func assertAllDigits(of row: CellRow, _ index: Int) throws(Fault) {
    guard [.bare, .text].contains(row.kind(index)), row.withUTF8(of: index, { Self.isRounded($0) }) else {
      return
    }
    throw Fault(
      expected:
        "all digits of an identifier: a spreadsheet has rounded it; --types with text for its heading takes it as it is"
    )
  }

  /// Refuses a cell of a CSV file that is a spreadsheet error, unless its column was declared text.
  package func assertNoError(of row: CellRow, _ index: Int) throws(Fault) {
    guard errorColumns.contains(index), row.withUTF8(of: index, { isError($0) }) else { return }
    let advice = index == nameColumn ? "" : ", and --types with text for its heading takes it as it is"
    throw Fault(expected: "a value; the cell is an error of the spreadsheet\(advice)")
  }

  /// Whether a cell of a CSV file is an error of a spreadsheet.
  func isError(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    !isSheet && SpreadsheetError.isError(utf8) && !isNull(Self.trimmed(utf8))
  }

  private static func isRounded(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count > 4, text.count < 20, let first = text.first, (0x31...0x39).contains(first) else {
      return false
    }
    let digits = text.dropFirst().dropLast(4)
    let isMantissa =
      digits.isEmpty
      || (digits.first == UInt8(ascii: ".") || digits.first == UInt8(ascii: ","))
        && digits.dropFirst().allSatisfy(\.isASCIIDigit)
    return isMantissa && text.dropFirst(text.count - 4).prefix(2).elementsEqual("E+".utf8)
      && text.suffix(2).allSatisfy(\.isASCIIDigit)
  }

  /// Refuses a name in which an ID begins or ends with an invisible character.
  package static func assertNoSpaces(around name: String) throws(Fault) {
    if name.utf8.allSatisfy(Spacing.isGraphic) { return }
    for id in name.utf8.split(separator: UInt8(ascii: "/")) {
      guard let scalar = Spacing.end(of: String(Substring(id))) else { continue }
      let code = Spacing.code(of: scalar)
      throw Fault(
        expected:
          "an id without white space around it; it begins or ends with \(code) (--keep-spaces takes it)"
      )
    }
  }
}
