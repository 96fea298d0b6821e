/// Names of tables and columns in SQL.
package enum SQLName {
  /// A name in snake case: `orderItems` is `order_items`, `photoURL` is `photo_url`, `años` is `anos`.
  ///
  /// Latin letters are those of ASCII without their marks; letters and digits of other scripts stay as they are. Anything else becomes
  /// an underscore; a name without any letter or digit is `column`.
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
      // A word begins at a capital after a small letter, and at the last of several capitals.
      let begins = isUpper(index) && index > 0 && (!isUpper(index - 1) || isLower(index + 1))
      let isPart = scalar.isASCII ? isLetterOrDigit(scalar) : true
      if begins || !isPart, let last = out.last, last != "_" { out.append("_") }
      if isPart { out.append(isUpper(index) ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar) }
    }
    while out.last == "_" { out.removeLast() }
    guard let first = out.first else { return "column" }
    // SQLite keeps names that begin so for itself.
    if ("0"..."9").contains(first) || String(out).utf8.starts(with: "sqlite_".utf8) {
      out.insert("_", at: out.startIndex)
    }
    return String(out)
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
  }

  /// The scalars of a name, with Latin letters as those of ASCII, and spaces for what is neither letter nor digit.
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

  /// Latin letters that are no letter of ASCII with a mark.
  private static let ligatures: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d",
    "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i",
  ]

  /// A name in quotes.
  package static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// Names in quotes, parted by commas.
  static func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }

  /// A text as a literal.
  package static func literal(_ text: String) -> String {
    // SQLite ends a statement at a NUL.
    if text.utf8.contains(0) {
      let digits = text.utf8.map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }
      return "CAST(X'\(digits.joined())' AS TEXT)"
    }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// A name that is not taken yet, with a number where it has to have one; it is taken from now on.
  ///
  /// SQL compares names without case; all of these are in small letters.
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
