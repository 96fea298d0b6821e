/// Names of tables and columns in SQL.
package enum SQLName {
  /// A name in snake case: `orderItems` is `order_items`, `photoURL` is `photo_url`.
  ///
  /// What is neither a letter nor a digit of ASCII becomes an underscore; a name without any is `column`.
  package static func snakeCase(_ name: String) -> String {
    var out: [UInt8] = []
    let bytes = Array(name.utf8)
    func isUpper(_ index: Int) -> Bool { bytes.indices.contains(index) && (65...90).contains(bytes[index]) }
    func isLower(_ index: Int) -> Bool { bytes.indices.contains(index) && (97...122).contains(bytes[index]) }
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case 65...90:
        // A word begins at a capital after a small letter, and at the last of several capitals.
        let begins = index > 0 && (!isUpper(index - 1) || isLower(index + 1))
        if begins, let last = out.last, last != 95 { out.append(95) }
        out.append(byte + 32)
      case 97...122, 48...57: out.append(byte)
      default:
        if let last = out.last, last != 95 { out.append(95) }
      }
    }
    while out.last == 95 { out.removeLast() }
    if out.isEmpty { return "column" }
    // SQLite keeps names that begin so for itself.
    if (48...57).contains(out[0]) || out.starts(with: "sqlite_".utf8) { out.insert(95, at: 0) }
    return String(decoding: out, as: UTF8.self)
  }

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
