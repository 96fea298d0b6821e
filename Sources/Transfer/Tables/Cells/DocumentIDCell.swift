import Schema

extension CellValues {
  /// Returns the ID, or the path below the collection, in a cell; empty if it is missing.
  ///
  /// It is a name and never a value: `null`, `7` and what looks like JSON are read as they are.
  package func name(of row: CellRow, _ index: Int) throws(Fault) -> String {
    switch row.kind(index) {
    case .missing, .blankText: return ""
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

  /// Refuses a name of which an ID begins or ends with a character that nobody sees.
  package static func assertNoSpaces(around name: String) throws(Fault) {
    if name.utf8.allSatisfy(Spacing.isGraphic) { return }
    for id in name.utf8.split(separator: UInt8(ascii: "/")) {
      guard let scalar = Spacing.end(of: String(Substring(id))) else { continue }
      var code = String(scalar.value, radix: 16, uppercase: true)
      code = String(repeating: "0", count: max(0, 4 - code.count)) + code
      throw Fault(
        expected:
          "an id without white space around it; it begins or ends with U+\(code) (--keep-spaces takes it)"
      )
    }
  }
}
