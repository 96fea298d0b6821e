/// The type that the text of a cell suggests if its column has none.
package enum CellForm: Sendable, Equatable {
  case text, integer, double, boolean, timestamp
  /// Digits, E and digits (`1E5`): a code rather than a number, hence text unless the type of its column is known.
  case exponent

  /// Determines the form of a text; integers that do not fit 64 bits and numbers that no double holds are text.
  package init(_ utf8: UnsafeBufferPointer<UInt8>) {
    self = .text
    guard let first = utf8.first else { return }
    // The first byte decides for nearly every text.
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      if let number = Self.number(utf8) {
        self = number
      } else if utf8.elementsEqual("-Infinity".utf8) {
        self = .double
      } else if utf8.count >= 20, utf8[4] == UInt8(ascii: "-"), Timestamp(rfc3339: utf8) != nil {
        self = .timestamp
      }
    case UInt8(ascii: "N"):
      if utf8.elementsEqual("NaN".utf8) { self = .double }
    case UInt8(ascii: "I"):
      if utf8.elementsEqual("Infinity".utf8) { self = .double }
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "T"), UInt8(ascii: "F"):
      if Self.boolean(utf8) != nil { self = .boolean }
    default: break
    }
  }

  /// Parses `true` or `false`, also in upper case as spreadsheets save them.
  package static func boolean(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool? {
    if utf8.elementsEqual("true".utf8) || utf8.elementsEqual("TRUE".utf8) { return true }
    if utf8.elementsEqual("false".utf8) || utf8.elementsEqual("FALSE".utf8) { return false }
    return nil
  }

  /// Parses a number by JSON's grammar: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
  static func number(_ utf8: UnsafeBufferPointer<UInt8>) -> CellForm? {
    guard let first = utf8.first else { return nil }
    var at = first == UInt8(ascii: "-") ? 1 : 0
    func digits() -> Int {
      let start = at
      while at < utf8.count, utf8[at] &- UInt8(ascii: "0") <= 9 { at += 1 }
      return at - start
    }
    let start = at
    let count = digits()
    if count == 0 || (count > 1 && utf8[start] == UInt8(ascii: "0")) { return nil }
    if at == utf8.count {
      // Minus zero is not an integer.
      if start == 1, utf8[1] == UInt8(ascii: "0") { return nil }
      if count < 19 { return .integer }
      return Int64(String(decoding: utf8, as: UTF8.self)) == nil ? nil : .integer
    }
    var form = CellForm.exponent
    var mayExceed = utf8.count > 300
    if utf8[at] == UInt8(ascii: ".") {
      at += 1
      if digits() == 0 { return nil }
      form = .double
    }
    if at < utf8.count, utf8[at] == UInt8(ascii: "e") || utf8[at] == UInt8(ascii: "E") {
      at += 1
      mayExceed = true
      if at < utf8.count, utf8[at] == UInt8(ascii: "+") || utf8[at] == UInt8(ascii: "-") {
        at += 1
        form = .double
      }
      if digits() == 0 { return nil }
    }
    return at == utf8.count && !(mayExceed && exceeds(utf8)) ? form : nil
  }

  /// Whether a text is a number that JSON or a double has, including whole numbers beyond 64 bits.
  static func isNumber(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    [.integer, .double, .exponent].contains(CellForm(utf8)) || isWhole(utf8)
  }

  /// Whether a text is a whole number by JSON's grammar, including `-0` and numbers beyond 64 bits.
  static func isWhole(_ utf8: some Collection<UInt8>) -> Bool {
    let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
    guard let first = digits.first, digits.allSatisfy(\.isASCIIDigit) else { return false }
    return first != UInt8(ascii: "0") || digits.count == 1
  }

  /// Whether a spreadsheet has rounded a whole number, so that its last digits are missing: `1.23457E+11`.
  static func lacksDigits(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let sign = utf8.lastIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }),
      let exponent = Int(String(decoding: utf8[(sign + 1)...], as: UTF8.self)),
      utf8[..<sign].allSatisfy({ $0.isASCIIDigit || "-.,".utf8.contains($0) })
    else { return false }
    let point = utf8[..<sign].lastIndex { ".,".utf8.contains($0) } ?? sign - 1
    return exponent > sign - 1 - point && isNotZero(utf8)
  }

  /// Whether no double holds a number, which would become infinite or 0.
  private static func exceeds(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let number = Double(String(decoding: utf8, as: UTF8.self)), number.isFinite else { return true }
    return number == 0 && isNotZero(utf8)
  }

  /// Whether a number has a digit other than 0, so that 0 does not represent it.
  static func isNotZero(_ utf8: some Sequence<UInt8>) -> Bool {
    utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains { (0x31...0x39).contains($0) }
  }

  // MARK: Writing

  /// Appends the digits of a number, without an intermediate string.
  package static func append(_ number: Int64, to out: inout [UInt8]) {
    if number < 0 { out.append(UInt8(ascii: "-")) }
    var magnitude = number.magnitude
    let start = out.count
    repeat {
      out.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10))
      magnitude /= 10
    } while magnitude != 0
    out[start...].reverse()
  }

  /// Appends the shortest text that represents the same double: `10.0`, `1e+22`, `NaN`, `-Infinity`.
  package static func append(_ number: Double, to out: inout [UInt8]) {
    if number.isNaN {
      out.append(contentsOf: "NaN".utf8)
    } else if number.isInfinite {
      out.append(contentsOf: (number < 0 ? "-Infinity" : "Infinity").utf8)
    } else {
      out.append(contentsOf: number.description.utf8)
    }
  }

  // MARK: Formulas

  /// Whether a spreadsheet might evaluate a text as a formula (OWASP, "CSV injection").
  ///
  /// Such a text starts with `=`, `+`, `-`, `@`, a tab or a line break, possibly after apostrophes, which neutralize it.
  package static func isFormula(_ utf8: some Collection<UInt8>) -> Bool {
    var at = utf8.startIndex
    while at < utf8.endIndex, utf8[at] == UInt8(ascii: "'") { at = utf8.index(after: at) }
    if at == utf8.endIndex { return false }
    switch utf8[at] {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0A, 0x0D:
      return true
    // The full-width forms of =, +, - and @ (U+FF1D, U+FF0B, U+FF0D, U+FF20), which some spreadsheets treat alike.
    case 0xEF:
      let rest = utf8[at...].prefix(3)
      return ["＝", "＋", "－", "＠"].contains { rest.elementsEqual($0.utf8) }
    default: return false
    }
  }

  /// Returns a text without the apostrophe that neutralized it.
  package static func unguarded(_ utf8: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard utf8.first == UInt8(ascii: "'"), isFormula(utf8) else { return utf8 }
    return UnsafeBufferPointer(rebasing: utf8.dropFirst())
  }

  /// Returns a text without the apostrophe that neutralized it.
  package static func unguarded(_ text: String) -> String {
    text.withBytes { String(decoding: unguarded($0), as: UTF8.self) }
  }
}
