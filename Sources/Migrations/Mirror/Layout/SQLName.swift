/// Names of tables and columns in SQL.
package enum SQLName {
  /// Converts a name to snake case: `orderItems` becomes `order_items`, `photoURL` becomes `photo_url`, `años` becomes `anos`.
  ///
  /// Latin letters become ASCII letters without marks; letters and digits of other scripts are unchanged. Everything else becomes
  /// an underscore; a name without any letter or digit becomes `column`.
  package static func snakeCase(_ name: String) -> String {
    let scalars = transliterated(name)
    func isUpper(_ index: Int) -> Bool {
      scalars.indices.contains(index) && ("A"..."Z").contains(scalars[index])
    }
    func isLower(_ index: Int) -> Bool {
      scalars.indices.contains(index) && ("a"..."z").contains(scalars[index])
    }
    var out = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      // A word begins at a capital after a lower-case letter, and at the last of several capitals.
      let begins = isUpper(index) && index > 0 && (!isUpper(index - 1) || isLower(index + 1))
      let isPart = scalar.isASCII ? isLetterOrDigit(scalar) : true
      if begins || !isPart, let last = out.last, last != "_" { out.append("_") }
      if isPart { out.append(isUpper(index) ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar) }
    }
    while out.last == "_" { out.removeLast() }
    guard let first = out.first else { return "column" }
    // SQLite reserves names with this prefix.
    if ("0"..."9").contains(first) || String(out).utf8.starts(with: "sqlite_".utf8) {
      out.insert("_", at: out.startIndex)
    }
    return String(out)
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
  }

  /// The scalars of a name, with Latin letters converted to ASCII, and spaces in place of everything but letters and digits.
  private static func transliterated(_ name: String) -> [Unicode.Scalar] {
    var out: [Unicode.Scalar] = []
    for scalar in name.unicodeScalars {
      if scalar.isASCII {
        out.append(scalar)
      } else if let letters = ligatures[scalar] {
        out += letters.unicodeScalars
      } else if let base = LatinLetters.base(of: scalar) {
        out.append(base)
      } else if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
        out.append(scalar)
      } else if scalar.properties.generalCategory != .nonspacingMark {
        out.append(" ")
      }
    }
    return out
  }

  /// Latin letters that are not an ASCII letter with marks.
  private static let ligatures: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d",
    "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i",
  ]

  /// A quoted name.
  package static func quoted(_ name: String) -> String {
    "\"\(name.replacing(scalar: "\"", with: "\"\""))\""
  }

  /// Quoted names, separated by commas.
  static func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }

  /// A text as an SQL literal.
  package static func literal(_ text: String) -> String {
    // SQLite ends a statement at a NUL character.
    if text.utf8.contains(0) {
      let digits = text.utf8.map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }
      return "CAST(X'\(digits.joined())' AS TEXT)"
    }
    return "'\(text.replacing(scalar: "'", with: "''"))'"
  }

  /// Returns a name that is not yet taken, with a number appended if necessary, and marks it as taken.
  ///
  /// SQL compares names without case; all of these are in lower case.
  static func unused(_ name: String, _ taken: inout Set<String>) -> String {
    var candidate = name
    var number = 2
    while !taken.insert(candidate).inserted {
      candidate = "\(name)_\(number)"
      number += 1
    }
    return candidate
  }
}
