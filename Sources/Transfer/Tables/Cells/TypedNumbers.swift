package import Schema

/// Parses numbers as people type them, where options allow it: with a decimal comma, a percent sign or a currency sign.
package struct TypedNumbers {
  /// Whether the decimal separator is a comma.
  let usesDecimalComma: Bool
  private let percent: TableReading.Percent?
  private let currencies: [[UInt8]]

  private static let percentSign = UInt8(ascii: "%")
  private static let minus = UInt8(ascii: "-")
  /// The currency signs for which ``advice(_:besidePoints:)`` suggests an option, apart from codes of three capitals.
  private static let knownSigns = ["$", "€", "£", "¥", "₡", "₹", "S/", "R$", "Q", "L"].map { Array($0.utf8) }
  /// A space, a tab and the no-break spaces.
  private static let spaces = [" ", "\t", "\u{A0}", "\u{202F}"].map { Array($0.utf8) }

  /// What a decimal comma would do to numbers with a point.
  private static let caution = " (and 1.500 as 1500)"

  package init(_ reading: TableReading) {
    usesDecimalComma = reading.usesDecimalComma ?? false
    percent = reading.percent
    currencies = reading.currency?.signs ?? []
  }

  /// Whether no option says how numbers are written.
  var areAsInJSON: Bool { !usesDecimalComma && percent == nil && currencies.isEmpty }

  /// Returns the number as JSON writes it; nil if the text is not a number.
  func plain(_ utf8: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    plain(Array(utf8), percent, currencies, usesDecimalComma)
  }

  private func plain(
    _ text: [UInt8],
    _ percent: TableReading.Percent?,
    _ currencies: [[UInt8]],
    _ usesDecimalComma: Bool
  ) -> [UInt8]? {
    var text = text
    let isPercent = percent != nil && text.last == Self.percentSign
    if isPercent { text = Self.trimmed(text.dropLast()) }
    for sign in currencies {
      guard let rest = Self.without(sign, text) else { continue }
      text = rest
      break
    }
    let number: [UInt8]? =
      if usesDecimalComma { GroupedNumber.decimalComma.plain(text) } else {
        currencies.isEmpty ? text : GroupedNumber.decimalPoint.plain(text)
      }
    guard let number else { return nil }
    return number + (isPercent && percent == .fraction ? Array("e-2".utf8) : [])
  }

  /// Returns a number without the currency sign before or after it; nil if it has none.
  private static func without(_ sign: [UInt8], _ text: [UInt8]) -> [UInt8]? {
    let isNegative = text.first == minus
    let digits = isNegative ? trimmed(text.dropFirst()) : text
    if digits.starts(with: sign) {
      return (isNegative ? [minus] : []) + trimmed(digits.dropFirst(sign.count))
    }
    guard text.count > sign.count, text.suffix(sign.count).elementsEqual(sign) else { return nil }
    return trimmed(text.dropLast(sign.count))
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var text = text
    while let space = spaces.first(where: { text.starts(with: $0) }) { text.removeFirst(space.count) }
    while let space = spaces.first(where: { text.suffix($0.count).elementsEqual($0) }) {
      text.removeLast(space.count)
    }
    return Array(text)
  }

  // MARK: Thousands separators

  /// Whether a text is one number with a decimal comma, and another one with a decimal point.
  func isAmbiguous(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    let readings = [true, false].map { plain(Array(utf8), percent == nil ? nil : .number, currencies, $0) }
    return readings[0] != readings[1]
      && readings.allSatisfy { number in
        number?.withUnsafeBufferPointer { [.integer, .double, .exponent].contains(CellForm($0)) } ?? false
      }
  }

  /// Whether the point of a number, or its decimal comma, could be a thousands separator, as in `1.200`; nil for a number
  /// without one, and for any other text.
  func mayBeGrouped(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool? {
    let number = plain(Array(utf8), percent == nil ? nil : .number, currencies, usesDecimalComma)
    guard let number, isNumber(number) else { return nil }
    // The other sign separates thousands.
    if utf8.contains(signs.group) { return false }
    guard let point = number.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let whole = number[..<point].drop { $0 == Self.minus }
    let decimals = number[(point + 1)...]
    return (1...3).contains(whole.count) && whole.first != UInt8(ascii: "0") && decimals.count == 3
      && decimals.allSatisfy(\.isASCIIDigit)
  }

  /// The remark on a column in which all points, or decimal commas, could be thousands separators.
  var groupingRemark: String {
    usesDecimalComma
      ? "each comma has three digits behind it (--currency '$' in place of --decimal-comma reads 1,200 as 1200)"
      : "each point has three digits behind it (--decimal-comma reads 1.200 as 1200)"
  }

  /// The signs before decimals and between thousands, of which only a currency or a decimal comma allows the latter.
  var signs: GroupedNumber { usesDecimalComma ? .decimalComma : .decimalPoint }

  /// The remark on a column whose numbers have signs between thousands and none before decimals.
  var groupsRemark: String {
    usesDecimalComma
      ? "its points were taken for those between thousands (1.200 is 1200)"
      : "its commas were taken for those between thousands (1,200 is 1200; with --decimal-comma, 1.2)"
  }

  // MARK: Advice

  /// Returns the option that would read a text, for an error message; empty if there is none.
  func advice(_ utf8: UnsafeBufferPointer<UInt8>) -> String { advice(Array(utf8)).map { "; \($0)" } ?? "" }

  /// Returns the options that would read a text; nil if there are none.
  ///
  /// - Parameter hasPoints: Whether other numbers have a decimal point, which a decimal comma would turn into a thousands
  ///   separator.
  package func advice(_ text: [UInt8], besidePoints hasPoints: Bool = false) -> String? {
    let sign = Self.sign(of: text).flatMap { currencies.contains($0) ? nil : $0 }
    if sign == nil, currencies.isEmpty, !usesDecimalComma, text.contains(UInt8(ascii: ",")),
      isNumber(GroupedNumber.decimalPoint.plain(text))
    {
      let thousands = "--currency '$' reads commas between thousands"
      let comma = "--decimal-comma a comma before decimals\(Self.caution)"
      let isComma = !hasPoints && isNumber(GroupedNumber.decimalComma.plain(text))
      return isComma ? "\(thousands), \(comma)" : thousands
    }
    let isPercent = percent == nil && text.last == Self.percentSign
    for comma in usesDecimalComma ? [true] : hasPoints ? [false] : [false, true] {
      for signs in [currencies] + (sign.map { [[$0]] } ?? [])
      where isNumber(plain(text, isPercent ? .number : percent, signs, comma)) {
        return advice(isPercent, signs == currencies ? nil : sign, comma && !usesDecimalComma)
      }
    }
    return nil
  }

  /// Whether a text is a number with a decimal point that could not be read with a decimal comma.
  package static func needsPoint(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    CellForm(utf8) == .double && GroupedNumber.decimalComma.plain(utf8) == nil
  }

  private func advice(_ isPercent: Bool, _ sign: [UInt8]?, _ usesComma: Bool) -> String? {
    if isPercent, sign == nil, !usesComma {
      return "--percent fraction reads 16% as 0.16, --percent number as 16"
    }
    let options = [
      isPercent ? "--percent fraction or number" : nil,
      sign.map { "--currency '\(String(decoding: $0, as: UTF8.self))'" },
      usesComma ? "--decimal-comma" : nil,
    ].compactMap { $0 }
    let caution = usesComma ? Self.caution : ""
    return options.isEmpty ? nil : "\(options.joined(separator: " with ")) reads it\(caution)"
  }

  private func isNumber(_ text: [UInt8]?) -> Bool {
    guard let text else { return false }
    return text.withUnsafeBufferPointer { [.integer, .double].contains(CellForm($0)) }
  }

  /// Returns the currency sign before or after a number: a known one or three capitals.
  private static func sign(of text: [UInt8]) -> [UInt8]? {
    let number = Set("0123456789.,- \t".utf8)
    let head = Array((text.first == minus ? text.dropFirst() : text[...]).prefix { !number.contains($0) })
    let tail = Array(text.reversed().prefix { !number.contains($0) }.reversed())
    return [head, tail].map { trimmed($0[...]) }.first { sign in
      knownSigns.contains(sign) || (sign.count == 3 && sign.allSatisfy { (0x41...0x5A).contains($0) })
    }
  }
}
